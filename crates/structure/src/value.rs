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
            Self::Float16 => Value::Float(half(bits as u16)),
            Self::Float32 => Value::Float(f32::from_bits(bits as u32)),
            Self::Float64 => Value::Double(f64::from_bits(bits)),
        }
    }
}

/// A number of 16 bits with 32.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(bits >> 15) << 31, bits >> 10 & 31, u32::from(bits & 0x3ff));
    match exponent {
        // 2 to the -24 is the smallest one; the product is exact.
        0 => f32::from_bits(sign | (fraction as f32 * f32::from_bits(0x3380_0000)).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (u32::from(exponent) + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IEEE 754-2019, binary16: least and greatest numbers, signs, infinity.
    #[test]
    fn halves_are_those_of_the_standard() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x8000, -0.0),
            (0x0001, 5.960_464_5e-8),
            (0x03ff, 6.097_555e-5),
            (0x0400, 6.103_515_6e-5),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(half(bits).to_bits(), f32::to_bits(number), "{bits:04x}");
        }
        assert!(half(0x7e00).is_nan() && half(0xfc01).is_nan());
    }

    #[test]
    fn signs_and_widths_are_kept() {
        assert_eq!(Scalar::Int16.read(&[0xff, 0xff]), Value::Signed(-1));
        assert_eq!(Scalar::Uint16.read(&[0xff, 0xff]), Value::Unsigned(65535));
        assert_eq!(Scalar::Int64.read(&[0xfe, 255, 255, 255, 255, 255, 255, 255]), Value::Signed(-2));
        assert_eq!(Scalar::Bool.read(&[0, 0, 0, 1]), Value::Bool(true));
        assert_eq!(Scalar::Float64.read(&1.5f64.to_le_bytes()), Value::Double(1.5));
    }
}
