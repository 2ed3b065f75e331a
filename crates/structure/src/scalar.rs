//! Scalars: their words, and how many bytes each takes.

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
}
