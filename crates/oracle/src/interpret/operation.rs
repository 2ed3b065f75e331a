//! What each operation makes of components: the rules of Direct3D's functional specification.

use super::Undefined;
use crate::program::{Binary, Ternary, Unary};
use crate::value::{Base, f32_to_half, half_to_f32};

/// An operation that works on each component.
pub(super) fn unary(operation: Unary, base: Base, a: u64) -> u64 {
    if base.is_float() { float_unary(operation, base, a) } else { integer_unary(operation, base, a) }
}

fn integer_unary(operation: Unary, base: Base, a: u64) -> u64 {
    let bits = base.bits();
    // Where it counts bits, of which `a` has only its own.
    let none = u64::from(u32::MAX);
    match operation {
        Unary::Negate => base.cut(a.wrapping_neg()),
        Unary::Complement => base.cut(!a),
        Unary::Not => u64::from(a == 0),
        Unary::Abs => base.cut(base.signed(a).wrapping_abs() as u64),
        Unary::Sign => Base::Int.cut(base.signed(a).signum() as u64),
        Unary::CountBits => a.count_ones().into(),
        Unary::ReverseBits => a.reverse_bits() >> (64 - bits),
        Unary::FirstBitLow if a == 0 => none,
        Unary::FirstBitLow => a.trailing_zeros().into(),
        Unary::FirstBitHigh => {
            // Of a negative number it is the highest 0.
            let a = if base.is_signed() && base.signed(a) < 0 { base.cut(!a) } else { a };
            if a == 0 { none } else { (63 - a.leading_zeros()).into() }
        }
        Unary::F16ToF32 => half_to_f32(a as u16).to_bits().into(),
        _ => unreachable!("{operation:?} of integers is not generated"),
    }
}

fn float_unary(operation: Unary, base: Base, a: u64) -> u64 {
    let x = base.real(a);
    let real = match operation {
        Unary::Negate => -x,
        Unary::Abs => x.abs(),
        Unary::Saturate if x.is_nan() => 0.0,
        Unary::Saturate => x.clamp(0.0, 1.0),
        Unary::Floor => x.floor(),
        Unary::Ceil => x.ceil(),
        Unary::Trunc => x.trunc(),
        Unary::Round => x.round_ties_even(),
        Unary::Frac => x - x.floor(),
        Unary::Sqrt => x.sqrt(),
        Unary::Rsqrt => 1.0 / x.sqrt(),
        Unary::Rcp => 1.0 / x,
        Unary::Exp2 => x.exp2(),
        Unary::Log2 => x.log2(),
        Unary::Sin => x.sin(),
        Unary::Cos => x.cos(),
        Unary::Sign => return Base::Int.cut(if x > 0.0 { 1 } else { -i64::from(x < 0.0) } as u64),
        Unary::IsNan => return x.is_nan().into(),
        Unary::IsInf => return x.is_infinite().into(),
        Unary::IsFinite => return x.is_finite().into(),
        Unary::F32ToF16 => return f32_to_half(x as f32).into(),
        _ => unreachable!("{operation:?} of floating point is not generated"),
    };
    base.of_real(real)
}

/// An operation that works on pairs of components.
pub(super) fn binary(operation: Binary, base: Base, a: u64, b: u64) -> Result<u64, Undefined> {
    match base {
        Base::Bool => Ok(match operation {
            Binary::BothTrue | Binary::And => a & b,
            Binary::EitherTrue | Binary::Or => a | b,
            Binary::NotEqual => a ^ b,
            Binary::Equal => u64::from(a == b),
            _ => unreachable!("{operation:?} of truths is not generated"),
        }),
        base if base.is_float() => Ok(float_binary(operation, base, a, b)),
        base => integer_binary(operation, base, a, b),
    }
}

fn float_binary(operation: Binary, base: Base, a: u64, b: u64) -> u64 {
    let (x, y) = (base.real(a), base.real(b));
    // For `float` and smaller, rounding what `double` makes is rounding once: it has twice the digits and two more.
    let real = match operation {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        Binary::Div => x / y,
        Binary::Rem => x % y,
        Binary::Min => x.min(y),
        Binary::Max => x.max(y),
        Binary::Step => f64::from(u8::from(y >= x)),
        Binary::Less => return u64::from(x < y),
        Binary::LessEqual => return u64::from(x <= y),
        Binary::Greater => return u64::from(x > y),
        Binary::GreaterEqual => return u64::from(x >= y),
        Binary::Equal => return u64::from(x == y),
        Binary::NotEqual => return u64::from(x != y),
        _ => unreachable!("{operation:?} of floating point is not generated"),
    };
    base.of_real(real)
}

fn integer_binary(operation: Binary, base: Base, a: u64, b: u64) -> Result<u64, Undefined> {
    let signed = base.is_signed();
    let (x, y) = (base.signed(a), base.signed(b));
    let places = b as u32 & (base.bits() - 1);
    let less = if signed { x < y } else { a < b };
    Ok(base.cut(match operation {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div | Binary::Rem if signed => {
            let all = if operation == Binary::Div { x.checked_div(y) } else { x.checked_rem(y) };
            let overflows = y == -1 && base.cut(a.wrapping_neg()) == a && a != 0;
            all.filter(|_| !overflows).ok_or(Undefined("a signed division by 0, or one that overflows"))? as u64
        }
        Binary::Div | Binary::Rem if b == 0 => u64::MAX,
        Binary::Div => a / b,
        Binary::Rem => a % b,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => a << places,
        Binary::Shr if signed => (x >> places) as u64,
        Binary::Shr => a >> places,
        Binary::Min if less => a,
        Binary::Min => b,
        Binary::Max if less => b,
        Binary::Max => a,
        Binary::Less => u64::from(less),
        Binary::LessEqual => u64::from(less || a == b),
        Binary::Greater => u64::from(!less && a != b),
        Binary::GreaterEqual => u64::from(!less),
        Binary::Equal => u64::from(a == b),
        Binary::NotEqual => u64::from(a != b),
        _ => unreachable!("{operation:?} of integers is not generated"),
    }))
}

/// An operation on three components, but for [`Ternary::Select`], which takes whole values.
pub(super) fn ternary(operation: Ternary, base: Base, [a, b, c]: [u64; 3]) -> Result<u64, Undefined> {
    let two = |operation, a, b| binary(operation, base, a, b);
    match operation {
        Ternary::Mad => two(Binary::Add, two(Binary::Mul, a, b)?, c),
        Ternary::Clamp => two(Binary::Min, two(Binary::Max, a, b)?, c),
        Ternary::Lerp => two(Binary::Add, a, two(Binary::Mul, c, two(Binary::Sub, b, a)?)?),
        Ternary::Select => unreachable!("whole values are selected"),
    }
}

/// A component as one of another type. Floating point that an integer cannot hold becomes the nearest, NaN becomes 0.
pub(super) fn convert(from: Base, to: Base, a: u64) -> u64 {
    match (from.is_float(), to) {
        (true, Base::Bool) => u64::from(from.real(a) != 0.0),
        (true, to) if to.is_float() => to.of_real(from.real(a)),
        (true, to) => {
            let (real, bits) = (from.real(a), to.bits());
            if to.is_signed() {
                let end = 1i128 << (bits - 1);
                to.cut((real as i128).clamp(-end, end - 1) as u64)
            } else {
                (real as i128).clamp(0, (1 << bits) - 1) as u64
            }
        }
        (false, Base::Bool) => u64::from(a != 0),
        (false, to) if from.is_signed() => match to.is_float() {
            true => to.of_real(from.signed(a) as f64),
            false => to.cut(from.signed(a) as u64),
        },
        (false, to) => match to.is_float() {
            true => to.of_real(a as f64),
            false => to.cut(a),
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn int(value: i32) -> u64 {
        Base::Int.cut(value as u64)
    }

    #[test]
    fn integers_follow_the_specification() {
        assert_eq!(binary(Binary::Div, Base::Uint, 7, 0), Ok(0xffff_ffff));
        assert_eq!(binary(Binary::Rem, Base::Uint, 7, 0), Ok(0xffff_ffff));
        assert_eq!(binary(Binary::Rem, Base::Int, int(-7), int(4)), Ok(int(-3)));
        assert_eq!(binary(Binary::Div, Base::Int, int(-7), int(4)), Ok(int(-1)));
        assert!(binary(Binary::Div, Base::Int, int(i32::MIN), int(-1)).is_err());
        assert!(binary(Binary::Rem, Base::Int, 1, 0).is_err());
        assert_eq!(binary(Binary::Shl, Base::Uint, 3, 33), Ok(6));
        assert_eq!(binary(Binary::Shr, Base::Int, int(-8), 33), Ok(int(-4)));
        assert_eq!(binary(Binary::Max, Base::Int, int(-1), 1), Ok(1));
        assert_eq!(binary(Binary::Max, Base::Uint, int(-1), 1), Ok(0xffff_ffff));
        assert_eq!(unary(Unary::FirstBitHigh, Base::Int, int(-2)), 0);
        assert_eq!(unary(Unary::FirstBitHigh, Base::Uint, 0), 0xffff_ffff);
        assert_eq!(unary(Unary::ReverseBits, Base::Uint, 1), 0x8000_0000);
        assert_eq!(unary(Unary::Abs, Base::Int, int(i32::MIN)), int(i32::MIN));
    }

    #[test]
    fn conversions_saturate() {
        let float = |value: f32| u64::from(value.to_bits());
        for (value, signed, unsigned) in [
            (f32::NAN, 0, 0),
            (1e20, i32::MAX, u32::MAX),
            (-1e20, i32::MIN, 0),
            (-1.5, -1, 0),
            (f32::INFINITY, i32::MAX, u32::MAX),
        ] {
            assert_eq!(convert(Base::Float, Base::Int, float(value)), int(signed));
            assert_eq!(convert(Base::Float, Base::Uint, float(value)), u64::from(unsigned));
        }
        assert_eq!(unary(Unary::Saturate, Base::Float, float(f32::NAN)), 0);
        assert_eq!(unary(Unary::Round, Base::Float, float(2.5)), float(2.0));
        assert_eq!(convert(Base::Int, Base::Float, int(-3)), float(-3.0));
    }
}
