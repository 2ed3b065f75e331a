//! Scalars: how many bytes each takes, and what these mean.

use crate::Value;

/// A type of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Four bytes; everything but 0 is true.
    Bool,
    /// Two's complement.
    Int16,
    /// Two's complement.
    Int32,
    /// Two's complement.
    Int64,
    /// Without a sign.
    Uint16,
    /// Without a sign.
    Uint32,
    /// Without a sign.
    Uint64,
    /// IEEE 754 binary16.
    Float16,
    /// IEEE 754 binary32.
    Float32,
    /// IEEE 754 binary64.
    Float64,
}

impl Scalar {
    /// The scalar of a word of HLSL, in memory. `half` and the types of minimum precision take four bytes, as they do without 16-bit types.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        Some(match word {
            "bool" => Self::Bool,
            "int" | "int32_t" | "min16int" | "min12int" => Self::Int32,
            "uint" | "uint32_t" | "dword" | "min16uint" => Self::Uint32,
            "float" | "float32_t" | "half" | "min16float" | "min10float" => Self::Float32,
            "double" | "float64_t" => Self::Float64,
            "int16_t" => Self::Int16,
            "uint16_t" => Self::Uint16,
            "float16_t" => Self::Float16,
            "int64_t" => Self::Int64,
            "uint64_t" => Self::Uint64,
            _ => return None,
        })
    }

    /// How many bytes it takes.
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Int16 | Self::Uint16 | Self::Float16 => 2,
            Self::Bool | Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::Int64 | Self::Uint64 | Self::Float64 => 8,
        }
    }

    /// Its word in HLSL.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int16 => "int16_t",
            Self::Int32 => "int",
            Self::Int64 => "int64_t",
            Self::Uint16 => "uint16_t",
            Self::Uint32 => "uint",
            Self::Uint64 => "uint64_t",
            Self::Float16 => "float16_t",
            Self::Float32 => "float",
            Self::Float64 => "double",
        }
    }

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
