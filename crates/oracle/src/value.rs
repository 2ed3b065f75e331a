//! Types of the language, and values of them.

/// What one component is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Base {
    /// 0 or 1.
    Bool,
    /// `int`.
    Int,
    /// `uint`.
    Uint,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `int64_t`.
    Long,
    /// `uint64_t`.
    Ulong,
    /// `int16_t`.
    Short,
    /// `uint16_t`.
    Ushort,
    /// `float16_t`.
    Half,
}

impl Base {
    /// As the language spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Float => "float",
            Self::Double => "double",
            Self::Long => "int64_t",
            Self::Ulong => "uint64_t",
            Self::Short => "int16_t",
            Self::Ushort => "uint16_t",
            Self::Half => "float16_t",
        }
    }

    /// Bits of a number.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::Short | Self::Ushort | Self::Half => 16,
            Self::Int | Self::Uint | Self::Float => 32,
            Self::Double | Self::Long | Self::Ulong => 64,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double | Self::Half)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::Int | Self::Long | Self::Short)
    }

    /// The lowest bits of a word, as many as a number of this type has.
    pub(crate) fn cut(self, word: u64) -> u64 {
        match self.bits() {
            64 => word,
            bits => word & ((1 << bits) - 1),
        }
    }

    /// A component as a signed number of 64 bits.
    pub(crate) fn signed(self, component: u64) -> i64 {
        let unused = 64 - self.bits();
        ((component << unused) as i64) >> unused
    }

    /// A component as a real number, which `double` holds for all types of floating point.
    pub(crate) fn real(self, component: u64) -> f64 {
        match self {
            Self::Float => f32::from_bits(component as u32).into(),
            Self::Half => half_to_f32(component as u16).into(),
            _ => f64::from_bits(component),
        }
    }

    /// The component for a real number, rounded to the nearest.
    pub(crate) fn of_real(self, real: f64) -> u64 {
        match self {
            Self::Float => (real as f32).to_bits().into(),
            Self::Half => f32_to_half(real as f32).into(),
            _ => real.to_bits(),
        }
    }
}

/// A scalar or a vector of up to four components.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Type {
    /// What the components are.
    pub(crate) base: Base,
    /// How many: 1 to 4.
    pub(crate) width: usize,
}

impl Type {
    pub(crate) const BOOL: Self = Self::scalar(Base::Bool);
    pub(crate) const UINT: Self = Self::scalar(Base::Uint);

    pub(crate) const fn scalar(base: Base) -> Self {
        Self { base, width: 1 }
    }

    pub(crate) fn with(self, base: Base) -> Self {
        Self { base, ..self }
    }

    pub(crate) fn name(self) -> String {
        match self.width {
            1 => self.base.name().to_owned(),
            width => format!("{}{width}", self.base.name()),
        }
    }
}

/// A value; components behind its width are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub(crate) ty: Type,
    pub(crate) components: [u64; 4],
}

impl Value {
    pub(crate) fn new(base: Base, components: &[u64]) -> Self {
        let mut value = Self { ty: Type { base, width: components.len() }, components: [0; 4] };
        value.components[..components.len()].copy_from_slice(components);
        value
    }

    /// The same number in each component.
    pub(crate) fn splat(ty: Type, component: u64) -> Self {
        Self::new(ty.base, &vec![component; ty.width])
    }

    pub(crate) fn of_real(ty: Type, real: f64) -> Self {
        Self::splat(ty, ty.base.of_real(real))
    }

    pub(crate) fn uint(value: u32) -> Self {
        Self::new(Base::Uint, &[value.into()])
    }

    pub(crate) fn components(&self) -> &[u64] {
        &self.components[..self.ty.width]
    }

    pub(crate) fn first(&self) -> u64 {
        self.components[0]
    }

    /// What a function makes of each component.
    pub(crate) fn map(&self, base: Base, mut function: impl FnMut(u64) -> u64) -> Self {
        let made: Vec<u64> = self.components().iter().map(|component| function(*component)).collect();
        Self::new(base, &made)
    }
}

/// A number of 16 bits as one of 32, exactly.
pub(crate) fn half_to_f32(half: u16) -> f32 {
    let (sign, exponent, mantissa) = (u32::from(half >> 15) << 31, half >> 10 & 31, u32::from(half & 0x3ff));
    match exponent {
        0 => f32::from_bits(sign | (mantissa as f32 * (1.0 / 16_777_216.0)).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | mantissa << 13),
        _ => f32::from_bits(sign | (u32::from(exponent) + 112) << 23 | mantissa << 13),
    }
}

/// A number that 16 bits hold, in 16 bits; bits that do not fit are cut off.
pub(crate) fn f32_to_half(float: f32) -> u16 {
    let bits = float.to_bits();
    let (sign, exponent) = ((bits >> 16 & 0x8000) as u16, (bits >> 23 & 0xff) as i32 - 112);
    match exponent {
        ..=0 => sign,
        1..=30 => sign | (exponent as u16) << 10 | (bits >> 13 & 0x3ff) as u16,
        _ => sign | 0x7c00,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_the_standard() {
        let known = [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0400, 6.103_515_6e-5), (1, 5.960_464_5e-8)];
        for (half, float) in known {
            assert_eq!(half_to_f32(half), float);
        }
        for half in (0..0x7c00).filter(|half| *half == 0 || *half >= 0x400) {
            assert_eq!(f32_to_half(half_to_f32(half)), half);
        }
        assert_eq!(half_to_f32(0x7c00), f32::INFINITY);
    }

    #[test]
    fn signs_are_extended() {
        assert_eq!(Base::Short.signed(0x8000), -32768);
        assert_eq!(Base::Int.signed(0xffff_ffff), -1);
        assert_eq!(Base::Int.signed(0x7fff_ffff), 0x7fff_ffff);
    }
}
