//! Values of registers and variables.

use crate::open::{Open, either};
use crate::pointer::{Handle, Pointer};
use std::rc::Rc;

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// None was given yet.
    #[default]
    Nothing,
    /// Bits of a number or a boolean, the rest 0.
    Number(u64, Open),
    /// Components, elements or members.
    Composite(Rc<Vec<Value>>),
    /// A place.
    Pointer(Rc<Pointer>),
    /// A view or a sampler.
    Handle(Rc<Handle>),
}

impl Value {
    /// A value of parts.
    pub(crate) fn of_parts(parts: Vec<Value>) -> Value {
        Value::Composite(Rc::new(parts))
    }

    /// What is open about it, in any part.
    pub fn open(&self) -> Open {
        match self {
            Value::Number(_, open) => *open,
            Value::Composite(parts) => parts.iter().fold(0, |open, part| either(open, part.open())),
            Value::Pointer(pointer) => pointer.open,
            Value::Handle(handle) => handle.open,
            Value::Nothing => 0,
        }
    }

    /// The same, with something open about it, unless something is already.
    pub(crate) fn opened(self, by: Open) -> Value {
        if by == 0 {
            return self;
        }
        match self {
            Value::Number(bits, open) => Value::Number(bits, either(open, by)),
            Value::Composite(parts) => Value::of_parts(parts.iter().map(|part| part.clone().opened(by)).collect()),
            Value::Pointer(pointer) => {
                Value::Pointer(Rc::new(Pointer { open: either(pointer.open, by), ..(*pointer).clone() }))
            }
            Value::Handle(handle) => {
                Value::Handle(Rc::new(Handle { open: either(handle.open, by), ..(*handle).clone() }))
            }
            Value::Nothing => Value::Nothing,
        }
    }

    /// Its numbers, one after the other.
    pub fn numbers(&self) -> Vec<u64> {
        match self {
            Value::Number(bits, _) => vec![*bits],
            Value::Composite(parts) => parts.iter().flat_map(Value::numbers).collect(),
            _ => Vec::new(),
        }
    }
}

/// Lowest `width` bits.
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// A number with its sign in bit 63.
pub(crate) fn signed(bits: u64, width: u32) -> i64 {
    let behind = 64 - width.clamp(1, 64);
    ((bits << behind) as i64) >> behind
}
