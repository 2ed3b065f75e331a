//! A decoded argument, result or field, as a tree.

use crate::wire::Reason;
use reprise_d3d12::model::{BlobKind, EnumId, Field, Guid, InterfaceId, Role, StructId};
use std::borrow::Cow;

/// A parameter or field with its value.
#[derive(Clone, PartialEq, Debug)]
pub struct Member<'a> {
    /// The model's entry: name, role, direction.
    pub field: FieldRef,
    /// What it holds. A pointer with recorded data is replaced by that data.
    pub value: Value<'a>,
}

/// A field of the model, compared by name and place.
#[derive(Clone, Copy, Debug)]
pub struct FieldRef(pub &'static Field);

impl PartialEq for FieldRef {
    fn eq(&self, other: &Self) -> bool {
        // Not by address: the compiler may place the tables more than once.
        (self.name, self.offset) == (other.name, other.offset)
    }
}

impl std::ops::Deref for FieldRef {
    type Target = Field;
    fn deref(&self) -> &Field {
        self.0
    }
}

/// A decoded value; floats keep their bits.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<'a> {
    /// Nothing (a `void` result).
    Void,
    /// A null pointer.
    Null,
    /// An unsigned integer of any width.
    Unsigned(u64),
    /// A signed integer of any width.
    Signed(i64),
    /// Bits of a 32-bit float.
    F32(u32),
    /// Bits of a 64-bit float.
    F64(u64),
    /// A 32-bit boolean as it was, not only 0 and 1.
    Bool(u32),
    /// A result code.
    Hresult(u32),
    /// An enumeration or flag set.
    Enum(EnumId, u32),
    /// An interface id or another GUID.
    Guid(Guid),
    /// A handle, address or other number of a role that replay must translate; also raw pointers without recorded data.
    Word(Role, u64),
    /// An object id (0: null or unknown) and the interface stated by the model.
    Object(u32, InterfaceId),
    /// The active members of a structure.
    Struct(StructId, Vec<Member<'a>>),
    /// The elements of an array, or of what a pointer with a length points to.
    Array(Vec<Value<'a>>),
    /// Plain bytes.
    Bytes(Cow<'a, [u8]>),
    /// Bytes that are in the numbered blob, their kind, and how many.
    Blob(u32, BlobKind, u64),
    /// Text.
    Text(String),
    /// Index into the array of subobjects that is referred to; `None` when it points elsewhere.
    Reference(Option<u64>),
    /// The subobjects of a pipeline stream: number of the type, value.
    Stream(Vec<(u32, Value<'a>)>),
    /// Bytes of a type that the recorder did not know (an unknown subobject), with that type's number.
    Unknown(u64, Cow<'a, [u8]>),
    /// A pointer whose data could not be recorded.
    Absent(u64, Reason),
}

impl Value<'_> {
    /// The value as one whole number: of integers (a negative one in two's complement), booleans, enumerations, translated words, and objects,
    /// whose id it is. `None` of everything else, floats among it.
    pub fn number(&self) -> Option<u64> {
        match self {
            Value::Unsigned(number) | Value::Word(_, number) => Some(*number),
            Value::Signed(number) => Some(*number as u64),
            Value::Bool(number) | Value::Enum(_, number) | Value::Object(number, _) => Some(u64::from(*number)),
            _ => None,
        }
    }
}
