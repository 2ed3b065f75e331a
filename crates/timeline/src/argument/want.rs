//! The types of parameters that an accessor can read.

use super::element::ElementShape;
use reprise_d3d12::model::{Direction, Field, Len, Type};

/// What an accessor wants of a parameter's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// A value in the argument block.
    Value(ElementShape),
    /// A pointer that is passed in, to values.
    In(ElementShape),
    /// A pointer through which values come back.
    Out(ElementShape),
    /// A pointer to bytes that are passed in.
    Bytes,
    /// A pointer to text.
    Text,
}

impl Want {
    /// Whether it is in the leave payload.
    pub(super) const fn is_out(self) -> bool {
        matches!(self, Want::Out(_))
    }

    /// Whether a parameter is such a one.
    pub(super) const fn fits(self, field: &Field) -> bool {
        match (self, field.ty) {
            (Want::Value(shape), ty) => shape.fits(ty, field.role),
            (Want::In(shape), Type::Pointer(to)) => {
                !matches!(field.direction, Direction::Out) && shape.fits(to.ty, field.role)
            }
            (Want::Out(shape), Type::Pointer(to)) => {
                !matches!(field.direction, Direction::In) && shape.fits(to.ty, field.role)
            }
            (Want::Bytes, Type::Pointer(to)) => {
                !matches!(field.direction, Direction::Out) && matches!(to.ty, Type::U8 | Type::I8 | Type::Void)
            }
            (Want::Text, Type::Pointer(to)) => matches!(to.len, Len::Text),
            _ => false,
        }
    }
}
