//! Rust types whose values are plain bytes, and the types of the model that they stand for.
//!
//! Invariant: a type that fits a type of the model has its size, and every bit pattern is a value of it.

use crate::generated::{ENUMS, STRUCTS};
use crate::model::{Guid, Type};

/// A type that may be read from any bytes of its size.
///
/// # Safety
/// Every bit pattern is a value, and there is no padding that matters. Raw pointers are allowed: reading one follows nothing.
pub unsafe trait Plain: Copy + 'static {
    /// The types of the model that it stands for.
    const SHAPE: Shape;
}

/// What a [`Plain`] type stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Unsigned number of 8 bits.
    U8,
    /// Signed number of 8 bits.
    I8,
    /// Unsigned number of 16 bits.
    U16,
    /// Signed number of 16 bits.
    I16,
    /// Unsigned number of 32 bits.
    U32,
    /// Signed number of 32 bits: numbers, `BOOL` and `HRESULT`.
    I32,
    /// Unsigned number of 64 bits: numbers, addresses and handles.
    U64,
    /// Signed number of 64 bits.
    I64,
    /// Float of 32 bits.
    F32,
    /// Float of 64 bits.
    F64,
    /// Interface id or another GUID.
    Guid,
    /// The enumeration of this name.
    Enum(&'static str),
    /// The structure of this name.
    Struct(&'static str),
}

impl Shape {
    /// Whether a type of the built-in model is this one.
    pub const fn fits(self, ty: Type) -> bool {
        match (self, ty) {
            (Shape::U8, Type::U8 | Type::Void)
            | (Shape::I8, Type::I8)
            | (Shape::U16, Type::U16)
            | (Shape::I16, Type::I16)
            | (Shape::U32, Type::U32)
            | (Shape::I32, Type::I32 | Type::Bool | Type::Hresult)
            | (Shape::U64, Type::U64 | Type::Word)
            | (Shape::I64, Type::I64)
            | (Shape::F32, Type::F32)
            | (Shape::F64, Type::F64)
            | (Shape::Guid, Type::Guid) => true,
            (Shape::Enum(name), Type::Enum(id)) => crate::lookup::same(ENUMS[id.0 as usize].name, name),
            (Shape::Struct(name), Type::Struct(id)) => crate::lookup::same(STRUCTS[id.0 as usize].name, name),
            _ => false,
        }
    }
}

macro_rules! plain {
    ($($ty:ty: $shape:ident,)*) => { $(
        // SAFETY: numbers, and a structure of nothing but numbers: every bit pattern is a value.
        unsafe impl Plain for $ty { const SHAPE: Shape = Shape::$shape; }
    )* };
}

plain! {
    u8: U8, i8: I8, u16: U16, i16: I16, u32: U32, i32: I32, u64: U64, i64: I64, f32: F32, f64: F64, Guid: Guid,
}
