//! Values that bytes have.

use crate::layout::{Structure, Type};
use crate::{Error, Scalar};
use half::f16;

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

impl Scalar {
    /// What so many bytes mean, the lowest first. There are no more than [`Scalar::bytes`].
    pub fn read(self, bytes: &[u8]) -> Value {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        match self {
            Self::Bool => Value::Bool(bits != 0),
            Self::Int16 => Value::Signed((bits as i16).into()),
            Self::Int32 => Value::Signed((bits as i32).into()),
            Self::Int64 => Value::Signed(bits as i64),
            Self::Uint16 | Self::Uint32 | Self::Uint64 => Value::Unsigned(bits),
            Self::Float16 => Value::Float(f16::from_bits(bits as u16).to_f32()),
            Self::Float32 => Value::Float(f32::from_bits(bits as u32)),
            Self::Float64 => Value::Double(f64::from_bits(bits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_widths_are_kept() {
        assert_eq!(Scalar::Int16.read(&[0xff, 0xff]), Value::Signed(-1));
        assert_eq!(Scalar::Uint16.read(&[0xff, 0xff]), Value::Unsigned(65535));
        assert_eq!(Scalar::Int64.read(&[0xfe, 255, 255, 255, 255, 255, 255, 255]), Value::Signed(-2));
        // 1 with a sign, and the least number.
        assert_eq!(Scalar::Float16.read(&[0, 0xbc]), Value::Float(-1.0));
        assert_eq!(Scalar::Float16.read(&[1, 0]), Value::Float(5.960_464_5e-8));
        assert_eq!(Scalar::Bool.read(&[0, 0, 0, 1]), Value::Bool(true));
        assert_eq!(Scalar::Float64.read(&1.5f64.to_le_bytes()), Value::Double(1.5));
    }
}
