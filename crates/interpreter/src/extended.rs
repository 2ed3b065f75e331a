//! Instructions of `GLSL.std.450` that make one number of others, component by component.

use crate::glsl::Glsl;
use crate::half;
use crate::module::Denormals;
use crate::number::{Answer, Number, PRECISION, bits, error_of, floating, real};
use crate::value::{mask, signed};

const EITHER: &str = "of two zeros, or a number and NaN, which one";
const ROUNDING: &str = "how it is rounded";
const FUSED: &str = "whether the product is rounded";
const RANGE: &str = "operands that it is not defined for";
/// What sines may be off by (Direct3D 11.3 functional specification, 22.10.20).
const TRIGONOMETRIC: f64 = 0.0008;

/// What an instruction makes of numbers; `None` where it is unsupported.
pub(crate) fn apply(op: Glsl, from: Number, to: Number, arguments: &[u64], denormals: Denormals) -> Option<Answer> {
    use Glsl::*;
    let width = from.width();
    let argument = |at: usize| arguments.get(at).copied();
    let (a, b, c) = (argument(0)?, argument(1).unwrap_or(0), argument(2).unwrap_or(0));
    let sign = |bits: u64| signed(bits, width);
    let all = mask(to.width());
    Some(match op {
        // Signs alone.
        FAbs => Answer::exact(a & !(1 << (width - 1))),
        SAbs => Answer::exact(sign(a).unsigned_abs() & all),
        SSign => Answer::exact(sign(a).signum() as u64 & all),
        UMin => Answer::exact(a.min(b)),
        UMax => Answer::exact(a.max(b)),
        SMin => Answer::exact(if sign(b) < sign(a) { b } else { a }),
        SMax => Answer::exact(if sign(b) > sign(a) { b } else { a }),
        UClamp if b > c => Answer::open(a.max(b).min(c), RANGE),
        UClamp => Answer::exact(a.clamp(b, c)),
        SClamp if sign(b) > sign(c) => Answer::open(c, RANGE),
        SClamp => Answer::exact(sign(a).clamp(sign(b), sign(c)) as u64 & all),
        // What there is none of is -1.
        FindILsb => Answer::exact(if a == 0 { all } else { a.trailing_zeros().into() }),
        FindUMsb => Answer::exact(if a == 0 { all } else { u64::from(63 - a.leading_zeros()) & all }),
        FindSMsb => {
            let bits = if sign(a) < 0 { !a & mask(width) } else { a };
            Answer::exact(if bits == 0 { all } else { u64::from(63 - bits.leading_zeros()) & all })
        }
        Round | RoundEven | Trunc | FSign | Floor | Ceil | Fract | Radians | Degrees | Sin | Cos | Tan | Asin
        | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Atan2 | Pow | Exp | Log | Exp2 | Log2 | Sqrt
        | InverseSqrt | FMin | FMax | FClamp | FMix | Step | SmoothStep | Fma | NMin | NMax | NClamp => {
            floating(width, to, arguments, denormals, |arguments| float(op, width, arguments))
        }
        // The second operand is an integer, whatever its sign says.
        Ldexp => floating(width, to, &[a], denormals, |arguments| {
            let exponent = signed(b, 32).clamp(-5000, 5000) as i32;
            let number = real(arguments[0], width);
            // In steps that no number of 64 bits is too small for.
            let (half, rest) = (exponent / 4, exponent - 3 * (exponent / 4));
            let scaled = number * 2f64.powi(half) * 2f64.powi(half) * 2f64.powi(half) * 2f64.powi(rest);
            Answer::exact(bits(scaled, width))
        }),
        _ => return None,
    })
}

fn float(op: Glsl, width: u32, arguments: &[u64]) -> Answer {
    use Glsl::*;
    let number = |at: usize| real(arguments.get(at).copied().unwrap_or(0), width);
    let (a, b, c) = (number(0), number(1), number(2));
    let exact = |number: f64| Answer::exact(bits(number, width));
    let relative = error_of(width);
    let within = |number: f64, error: f64| Answer::near(number, width, (PRECISION, error));
    let near = |number: f64| within(number, number.abs() * relative);
    // An error of their own, however small they are.
    let turn = |number: f64| within(number, (number.abs() * relative).max(TRIGONOMETRIC));
    match op {
        RoundEven => exact(a.round_ties_even()),
        Round if (a - a.trunc()).abs() == 0.5 => Answer::near(a.round(), width, (ROUNDING, 1.0)),
        Round => exact(a.round()),
        Trunc => exact(a.trunc()),
        Floor => exact(a.floor()),
        Ceil => exact(a.ceil()),
        FSign if a.is_nan() => Answer::open(0, RANGE),
        FSign => exact(if a == 0.0 { 0.0 } else { a.signum() }),
        Fract => {
            let part = bits(a - a.floor(), width);
            // What is just below a whole number comes to 1, or to what is just below 1.
            if real(part, width) >= 1.0 { within(1.0, relative) } else { Answer::exact(part) }
        }
        Sqrt => near(a.sqrt()),
        InverseSqrt => near(1.0 / a.sqrt()),
        Radians => near(a.to_radians()),
        Degrees => near(a.to_degrees()),
        Sin => turn(a.sin()),
        Cos => turn(a.cos()),
        Tan => turn(a.tan()),
        Asin => turn(a.asin()),
        Acos => turn(a.acos()),
        Atan => turn(a.atan()),
        Sinh => near(a.sinh()),
        Cosh => near(a.cosh()),
        Tanh => near(a.tanh()),
        Asinh => near(a.asinh()),
        Acosh => near(a.acosh()),
        Atanh => near(a.atanh()),
        Atan2 => turn(a.atan2(b)),
        // Their exponents are rounded, too.
        Pow => within(a.powf(b), a.powf(b).abs() * relative * (1.0 + (b * a.log2()).abs())),
        Exp => within(a.exp(), a.exp() * relative * (1.0 + a.abs())),
        // Near 1 by an absolute error.
        Log => within(a.ln(), a.ln().abs().max(1.0) * relative),
        Exp2 => near(a.exp2()),
        Log2 => within(a.log2(), a.log2().abs().max(1.0) * relative),
        NMin | NMax | FMin | FMax => extreme(op, a, b, arguments),
        NClamp | FClamp => {
            let (upper, lower) = if op == NClamp { (NMax, NMin) } else { (FMax, FMin) };
            let first = extreme(upper, a, b, &arguments[..2]);
            let second = extreme(lower, real(first.bits, width), c, &[first.bits, arguments[2]]);
            Answer { open: first.open.or(second.open), ..second }
        }
        FMix => within(a * (1.0 - c) + b * c, ((a * (1.0 - c)).abs() + (b * c).abs()) * relative),
        Step => exact(if b < a { 0.0 } else { 1.0 }),
        SmoothStep => {
            let t = ((c - a) / (b - a)).clamp(0.0, 1.0);
            near(t * t * (3.0 - 2.0 * t))
        }
        // Fused, or not: both are right.
        _ => {
            let (fused, apart) = match width {
                32 => {
                    let [a, b, c] = [a as f32, b as f32, c as f32];
                    (u64::from(a.mul_add(b, c).to_bits()), u64::from((a * b + c).to_bits()))
                }
                64 => (a.mul_add(b, c).to_bits(), (a * b + c).to_bits()),
                _ => (bits(a * b + c, width), bits(real(bits(a * b, width), width) + c, width)),
            };
            let error = (real(fused, width) - real(apart, width)).abs();
            let open = (fused != apart).then_some(FUSED);
            Answer { bits: fused, open, error: open.map(|_| error) }
        }
    }
}

/// The lesser or the greater.
fn extreme(op: Glsl, a: f64, b: f64, arguments: &[u64]) -> Answer {
    use Glsl::*;
    let least = matches!(op, NMin | FMin);
    let [one, other] = [arguments[0], arguments[1]];
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Answer::exact(one),
        // `N` takes the number, `F` either.
        (true, false) | (false, true) => {
            let number = if a.is_nan() { other } else { one };
            if matches!(op, NMin | NMax) { Answer::exact(number) } else { Answer::open(number, EITHER) }
        }
        // The least error that there is makes either zero of them.
        _ if a == b && one != other => Answer { bits: one, open: Some(EITHER), error: Some(f64::MIN_POSITIVE) },
        _ => Answer::exact(if (b < a) == least && a != b { other } else { one }),
    }
}

/// Two floats of 16 bits in a word, the nearest ones or those to one side; and why it may be another word.
pub(crate) fn pack_halves(parts: [u64; 2], side: f64) -> (u64, Option<&'static str>) {
    let [low, high] = parts.map(|bits| f32::from_bits(bits as u32));
    let [one, other] = [low, high].map(|number| half::beside(number, side));
    let exact = |number: f32| number.is_nan() || half::to_f32(half::of_f32(number)) == number;
    let bits = u64::from(one) | u64::from(other) << 16;
    (bits, (!exact(low) || !exact(high)).then_some(ROUNDING))
}

#[cfg(test)]
mod tests;
