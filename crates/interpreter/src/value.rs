//! Values of registers and variables.

use crate::kind::Kind;
use crate::module::Module;
use crate::pointer::{Handle, Pointer};
use std::fmt::Write;
use std::rc::Rc;

/// What is open about a value: 0 nothing, else the first operation that it comes of, by [`Opens::get`](crate::Opens::get).
pub type Open = u32;

/// What is open about what comes of two values.
pub(crate) fn either(one: Open, other: Open) -> Open {
    if one == 0 { other } else { one }
}

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

impl Module {
    /// A value as people read it.
    pub fn text(&self, value: &Value, kind: u32) -> String {
        let mut text = String::new();
        self.write(&mut text, value, kind);
        text
    }

    fn write(&self, text: &mut String, value: &Value, kind: u32) {
        let known = self.kinds.get(&kind);
        // Writing to a text does not fail.
        let _ = match (value, known) {
            (Value::Number(bits, _), Some(Kind::Float { width: 64 })) => write!(text, "{:?}", f64::from_bits(*bits)),
            (Value::Number(bits, _), Some(Kind::Float { width: 16 })) => {
                write!(text, "{:?}", crate::half::to_f32(*bits as u16))
            }
            (Value::Number(bits, _), Some(Kind::Float { .. })) => write!(text, "{:?}", f32::from_bits(*bits as u32)),
            (Value::Number(bits, _), Some(Kind::Bool)) => write!(text, "{}", *bits != 0),
            (Value::Number(bits, _), Some(Kind::Integer { width, signed: true })) => {
                write!(text, "{}", signed(*bits, *width))
            }
            (Value::Number(bits, _), _) => write!(text, "{bits}"),
            (Value::Composite(parts), known) => {
                text.push('(');
                for (index, part) in parts.iter().enumerate() {
                    if index != 0 {
                        text.push_str(", ");
                    }
                    let of = match known {
                        Some(Kind::Vector { of, .. } | Kind::Array { of, .. }) => *of,
                        Some(Kind::Structure { members }) => members.get(index).copied().unwrap_or(0),
                        _ => 0,
                    };
                    self.write(text, part, of);
                }
                write!(text, ")")
            }
            (Value::Pointer(pointer), _) => write!(text, "{}", self.place(&pointer.place)),
            (Value::Handle(handle), _) => write!(text, "{handle}"),
            (Value::Nothing, _) => write!(text, "-"),
        };
    }
}
