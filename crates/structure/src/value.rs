//! Values that bytes have.

use crate::layout::{Structure, Type};
use crate::{Error, Scalar};

/// What bytes mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `bool`.
    Bool(bool),
    /// Signed integers.
    Signed(i64),
    /// Unsigned integers.
    Unsigned(u64),
    /// Floats of 16 and 32 bits.
    Float(f32),
    /// Floats of 64 bits.
    Double(f64),
    /// Components of a vector, rows of a matrix, elements of an array.
    List(Vec<Value>),
    /// Members of a structure, by their names, in the order of their declaration.
    Fields(Vec<(String, Value)>),
}

impl Structure {
    /// What the bytes of one element mean.
    ///
    /// # Errors
    /// There are fewer bytes than the last member ends at.
    pub fn read(&self, bytes: &[u8]) -> Result<Value, Error> {
        if (bytes.len() as u64) < u64::from(self.bytes()) {
            let reason = format!("{} bytes are too few for a structure of {}", bytes.len(), self.bytes());
            return Err(Error { place: None, reason });
        }
        Ok(self.value(bytes, 0))
    }

    fn value(&self, bytes: &[u8], base: u32) -> Value {
        let members = self.members().iter();
        Value::Fields(members.map(|it| (it.name.clone(), it.kind.value(bytes, base + it.offset))).collect())
    }
}

impl Type {
    /// `bytes` reach to the end of it.
    fn value(&self, bytes: &[u8], at: u32) -> Value {
        let one = |scalar: Scalar, at: u32| scalar.read(&bytes[at as usize..][..scalar.bytes() as usize]);
        match self {
            Self::Scalar(scalar) => one(*scalar, at),
            Self::Vector(scalar, count) => {
                Value::List((0..*count).map(|index| one(*scalar, at + index * scalar.bytes())).collect())
            }
            Self::Matrix { scalar, rows, columns, .. } => {
                let place = |row: u32, column: u32| at + self.element(row, column);
                let row = |row: u32| (0..*columns).map(|column| one(*scalar, place(row, column))).collect();
                Value::List((0..*rows).map(|index| Value::List(row(index))).collect())
            }
            Self::Array { of, count, stride } => {
                Value::List((0..*count).map(|index| of.value(bytes, at + index * stride)).collect())
            }
            Self::Structure(structure) => structure.value(bytes, at),
        }
    }
}
