//! Short constructors for the generated tables, so that their text stays compact.
//!
//! Invariant: everything here is `const`; the tables are built by the compiler.

pub(crate) use crate::model::BlobKind as B;
pub(crate) use crate::model::Len as L;
pub(crate) use crate::model::Order::{Enter as EN, EnterLeave as EL, Object as OB};
pub(crate) use crate::model::Role as R;
pub(crate) use crate::model::Rule as X;
pub(crate) use crate::model::Type::{
    Bool, F32, F64, Guid, Hresult, I8, I16, I32, I64, Pointer as P, U8, U16, U32, U64, Void, Word,
};
use crate::model::{
    Arm, Direction, EnumId, Field, Interface, InterfaceId, Len, Method, MethodId, Order, Pointee, Role, Rule, Select,
    Struct, StructId, Type,
};

/// Interface: name, id as one number, base (-1: none), slots inherited, first method, own methods, family.
pub(crate) const fn i(
    name: &'static str,
    iid: u128,
    base: i16,
    first_slot: u16,
    first_method: u16,
    method_count: u16,
    family: u16,
) -> Interface {
    Interface {
        name,
        iid: crate::model::Guid::from_u128(iid),
        base: if base < 0 { None } else { Some(InterfaceId(base as u16)) },
        first_slot,
        first_method: MethodId(first_method),
        method_count,
        family: InterfaceId(family),
    }
}

/// Method: name, interface (-1: a function), slot, parameters, result, bytes of arguments, order.
pub(crate) const fn m(
    name: &'static str,
    interface: i16,
    slot: u16,
    params: &'static [Field],
    result: Type,
    args_size: u16,
    order: Order,
) -> Method {
    let interface = if interface < 0 { None } else { Some(InterfaceId(interface as u16)) };
    Method {
        name,
        interface,
        slot,
        params,
        result,
        result_role: Role::Plain,
        args_size,
        returns_structure: false,
        order,
    }
}

impl Method {
    /// Returns a structure.
    pub(crate) const fn rs(mut self) -> Self {
        self.returns_structure = true;
        self
    }
    /// Role of the result.
    pub(crate) const fn rr(mut self, role: Role) -> Self {
        self.result_role = role;
        self
    }
}

/// Field: name, type, offset.
pub(crate) const fn f(name: &'static str, ty: Type, offset: u32) -> Field {
    Field {
        name,
        ty,
        offset,
        count: 1,
        direction: Direction::In,
        optional: false,
        role: Role::Plain,
        arm: None,
        iid: None,
        class: None,
    }
}

impl Field {
    /// Inline array.
    pub(crate) const fn n(mut self, count: u16) -> Self {
        self.count = count;
        self
    }
    /// Output.
    pub(crate) const fn out(mut self) -> Self {
        self.direction = Direction::Out;
        self
    }
    /// Input and output.
    pub(crate) const fn io(mut self) -> Self {
        self.direction = Direction::InOut;
        self
    }
    /// May be null.
    pub(crate) const fn opt(mut self) -> Self {
        self.optional = true;
        self
    }
    /// Role.
    pub(crate) const fn r(mut self, role: Role) -> Self {
        self.role = role;
        self
    }
    /// Active when the selector is among the values.
    pub(crate) const fn on(mut self, selector: u8, values: &'static [i64]) -> Self {
        self.arm = Some(Arm { selector, values, inverted: false });
        self
    }
    /// Active when the selector is not among the values.
    pub(crate) const fn not(mut self, selector: u8, values: &'static [i64]) -> Self {
        self.arm = Some(Arm { selector, values, inverted: true });
        self
    }
    /// The parameter with the interface id.
    pub(crate) const fn iid(mut self, at: u8) -> Self {
        self.iid = Some(at);
        self
    }
    /// Class of the objects that come out.
    pub(crate) const fn c(mut self, class: u16) -> Self {
        self.class = Some(InterfaceId(class));
        self
    }
}

/// Structure: name, size, alignment, flat, fields.
pub(crate) const fn s(name: &'static str, size: u32, align: u8, flat: u8, fields: &'static [Field]) -> Struct {
    Struct { name, size, align, flat: flat != 0, fields }
}

/// Selection: name, enumeration, cases.
pub(crate) const fn l(name: &'static str, selector: u16, cases: &'static [(i64, Type)]) -> Select {
    Select { name, selector: EnumId(selector), cases }
}

/// Pointer to one.
pub(crate) const fn o(ty: Type) -> Pointee {
    Pointee { ty, len: Len::One }
}
/// Pointer to text.
pub(crate) const fn t(ty: Type) -> Pointee {
    Pointee { ty, len: Len::Text }
}
/// Pointer by a rule.
pub(crate) const fn u(ty: Type, rule: Rule) -> Pointee {
    Pointee { ty, len: Len::Rule(rule) }
}
/// Pointer with a length.
pub(crate) const fn q(ty: Type, len: Len) -> Pointee {
    Pointee { ty, len }
}

/// Structure type.
#[allow(non_snake_case)]
pub(crate) const fn S(id: u16) -> Type {
    Type::Struct(StructId(id))
}
/// Enumeration type.
#[allow(non_snake_case)]
pub(crate) const fn E(id: u16) -> Type {
    Type::Enum(EnumId(id))
}
/// Object type.
#[allow(non_snake_case)]
pub(crate) const fn O(id: u16) -> Type {
    Type::Object(InterfaceId(id))
}

/// Enumerations: a newtype each, with its members as constants, and the table of all.
macro_rules! enums {
    ($($name:ident $unit:tt $flags:literal $prefix:literal {$($member:ident=$value:literal,)*})*) => {
        $(
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
            #[repr(transparent)]
            #[allow(missing_docs, non_camel_case_types)]
            pub struct $name(pub $unit);
            #[allow(missing_docs, non_upper_case_globals)]
            impl $name { $(pub const $member: Self = Self($value);)* }
            // SAFETY: one number of 32 bits.
            unsafe impl crate::plain::Plain for $name {
                const SHAPE: crate::plain::Shape = crate::plain::Shape::Enum(stringify!($name));
            }
        )*
        /// Every enumeration, by name.
        pub static ENUMS: &[crate::model::Enum] = &[$(crate::model::Enum {
            name: stringify!($name),
            flags: $flags,
            members: &[$((concat!($prefix, stringify!($member)), $value),)*],
        },)*];
    };
}
pub(crate) use enums;

/// Structures of the API in their C layout; all of them are plain data, so zero is a value.
macro_rules! structs {
    ($($name:ident {$($field:ident:$ty:ty,)*})*) => {
        $(
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $name { $(pub $field: $ty,)* }
        // SAFETY: numbers, arrays of numbers, raw pointers and unions of these: every bit pattern is a value.
        unsafe impl crate::plain::Plain for $name {
            const SHAPE: crate::plain::Shape = crate::plain::Shape::Struct(stringify!($name));
        }
        impl Default for $name {
            fn default() -> Self {
                // SAFETY: numbers, arrays of numbers and raw pointers are all valid when zero.
                unsafe { core::mem::zeroed() }
            }
        }
        )*
        /// Size, alignment and offsets of these types as the compiler lays them out.
        pub static STRUCT_LAYOUTS: &[crate::model::Layout] = &[$(crate::model::Layout {
            name: stringify!($name),
            size: size_of::<$name>(),
            align: align_of::<$name>(),
            fields: &[$((stringify!($field), core::mem::offset_of!($name, $field)),)*],
        },)*];
    };
}
pub(crate) use structs;

/// Unions of the API in their C layout.
macro_rules! unions {
    ($($name:ident {$($field:ident:$ty:ty,)*})*) => {
        $(
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub union $name { $(pub $field: $ty,)* }
        impl Default for $name {
            fn default() -> Self {
                // SAFETY: numbers, arrays of numbers and raw pointers are all valid when zero.
                unsafe { core::mem::zeroed() }
            }
        }
        )*
        /// Size, alignment and offsets of these types as the compiler lays them out.
        pub static UNION_LAYOUTS: &[crate::model::Layout] = &[$(crate::model::Layout {
            name: stringify!($name),
            size: size_of::<$name>(),
            align: align_of::<$name>(),
            fields: &[$((stringify!($field), core::mem::offset_of!($name, $field)),)*],
        },)*];
    };
}
pub(crate) use unions;
