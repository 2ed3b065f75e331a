//! Instructions that make one number of others, component by component.
//!
//! What SPIR-V or Direct3D 12 leaves open gets a value and the reason why another one would be right, too. NaN's bits are the processor's.

use crate::half;
use crate::module::Denormals;
use crate::value::{mask, signed};
use spirv::Op;

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// A boolean.
    Bool,
    /// An integer of so many bits.
    Integer(u32),
    /// Floating point of so many bits.
    Float(u32),
}

impl Number {
    pub(crate) fn width(self) -> u32 {
        match self {
            Number::Bool => 1,
            Number::Integer(width) | Number::Float(width) => width,
        }
    }
}

/// What an instruction makes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) bits: u64,
    /// Why it may be another one.
    pub(crate) open: Option<&'static str>,
    /// How far away that one may be, of floats whose last bits are open. `None`: it may be any.
    pub(crate) error: Option<f64>,
}

/// How exact operations are whose last bits are open, as a part of the result: of floats of 32 bits 8 units in the last place, where the
/// API asks for 1 to 4 (Direct3D 11.3 functional specification, 22.10), and as much of other widths.
pub(crate) fn error_of(width: u32) -> f64 {
    match width {
        16 => 2f64.powi(-7),
        32 => 2f64.powi(-20),
        _ => 2f64.powi(-49),
    }
}

pub(crate) const DENORMAL: &str = "Op: whether denormals are kept";
pub(crate) const NAN: &str = "Op: the bits of NaN";
pub(crate) const PRECISION: &str = "Op: its last bits";
const ZERO: &str = "Op: a division by 0, or that overflows";
const SHIFT: &str = "Op: a shift by as many bits as there are, or more";
const RANGE: &str = "Op: a number that its type does not hold";
const ROUNDING: &str = "Op: how it is rounded";

impl Answer {
    pub(crate) fn exact(bits: u64) -> Answer {
        Answer { bits, open: None, error: None }
    }

    pub(crate) fn open(bits: u64, why: &'static str) -> Answer {
        Answer { bits, open: Some(why), error: None }
    }

    /// A float whose last bits are open: it may be so far away.
    pub(crate) fn near(number: f64, width: u32, (why, error): (&'static str, f64)) -> Answer {
        Answer { bits: bits(number, width), open: Some(why), error: Some(error) }
    }

    fn truth(value: bool) -> Answer {
        Answer::exact(value.into())
    }
}

/// A number of floating point by its bits; exact, because 64 bits hold all others.
pub(crate) fn real(bits: u64, width: u32) -> f64 {
    match width {
        16 => half::to_f32(bits as u16).into(),
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// The bits of the nearest number of so many bits.
pub(crate) fn bits(number: f64, width: u32) -> u64 {
    match width {
        16 => half::of_f64(number).into(),
        32 => u64::from((number as f32).to_bits()),
        _ => number.to_bits(),
    }
}

/// What a conversion to 16 bits may be off by.
pub(crate) fn half_step(number: f64) -> f64 {
    number.abs() * 2f64.powi(-10) + 2f64.powi(-24)
}

/// A NaN that does not signal.
pub(crate) fn quiet(number: f32) -> f32 {
    if number.is_nan() { f32::from_bits(number.to_bits() | 0x0040_0000) } else { number }
}

fn is_denormal(bits: u64) -> bool {
    bits & 0x7f80_0000 == 0 && bits & 0x007f_ffff != 0
}

/// A calculation of floating point: operands and result by the rules for denormals.
pub(crate) fn floating(
    width: u32,
    to: Number,
    arguments: &[u64],
    denormals: Denormals,
    calculate: impl FnOnce(&[u64]) -> Answer,
) -> Answer {
    let mut arguments = arguments.to_vec();
    let mut met = false;
    let mut treat = |bits: &mut u64| {
        if is_denormal(*bits) {
            met |= denormals == Denormals::Open;
            if denormals == Denormals::Zero {
                *bits &= 0x8000_0000;
            }
        }
    };
    if width == 32 {
        arguments.iter_mut().for_each(&mut treat);
    }
    let mut answer = calculate(&arguments);
    if to == Number::Float(32) {
        treat(&mut answer.bits);
    }
    // What becomes of a number that is kept or not may be anything, as of all divisions by it.
    if met {
        answer.open = answer.open.or(Some(DENORMAL));
        answer.error = None;
    }
    if let Number::Float(width) = to
        && real(answer.bits, width).is_nan()
    {
        // It is a NaN whatever its bits are. What may be anything stays so.
        answer.error = if answer.open.is_none() || answer.error.is_some() { Some(0.0) } else { None };
        answer.open = answer.open.or(Some(NAN));
    }
    answer
}

/// What an instruction makes of numbers that are `from`; `None` where it is unsupported.
pub(crate) fn apply(op: Op, from: Number, to: Number, arguments: &[u64], denormals: Denormals) -> Option<Answer> {
    let width = from.width();
    if let (Number::Float(width), true) = (from, is_floating(op)) {
        return Some(floating(width, to, arguments, denormals, |arguments| float(op, width, to, arguments)));
    }
    let argument = |at: usize| arguments.get(at).copied();
    let (a, b) = (argument(0)?, argument(1).unwrap_or(0));
    let (sa, sb) = (signed(a, width), signed(b, width));
    let least = signed(1 << (width - 1), width);
    let all = mask(to.width());
    let shifts = |shifted: u64| match b >= u64::from(width) {
        true => Answer::open(shifted & all, SHIFT),
        false => Answer::exact(shifted & all),
    };
    let by = (b % u64::from(width)) as u32;
    Some(match op {
        Op::IAdd => Answer::exact(a.wrapping_add(b) & all),
        Op::ISub => Answer::exact(a.wrapping_sub(b) & all),
        Op::IMul => Answer::exact(a.wrapping_mul(b) & all),
        Op::SNegate => Answer::exact(a.wrapping_neg() & all),
        Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod if b == 0 => Answer::open(all, ZERO),
        Op::SDiv if sa == least && sb == -1 => Answer::open(a, ZERO),
        Op::SRem | Op::SMod if sa == least && sb == -1 => Answer::open(0, ZERO),
        Op::UDiv => Answer::exact(a / b),
        Op::UMod => Answer::exact(a % b),
        Op::SDiv => Answer::exact((sa / sb) as u64 & all),
        Op::SRem => Answer::exact((sa % sb) as u64 & all),
        // The sign is the divisor's.
        Op::SMod => Answer::exact((sa.wrapping_rem(sb).wrapping_add(sb)).wrapping_rem(sb) as u64 & all),
        Op::ShiftLeftLogical => shifts(a << by),
        Op::ShiftRightLogical => shifts(a >> by),
        Op::ShiftRightArithmetic => shifts((sa >> by) as u64),
        Op::BitwiseAnd => Answer::exact(a & b),
        Op::BitwiseOr => Answer::exact(a | b),
        Op::BitwiseXor => Answer::exact(a ^ b),
        Op::Not => Answer::exact(!a & all),
        Op::BitCount => Answer::exact(a.count_ones().into()),
        Op::BitReverse => Answer::exact(a.reverse_bits() >> (64 - width)),
        Op::BitFieldInsert => {
            let (offset, count) = (argument(2)?, argument(3)?);
            if offset.saturating_add(count) > u64::from(width) {
                return Some(Answer::open(a, RANGE));
            }
            let field = mask(count as u32).checked_shl(offset as u32).unwrap_or(0);
            Answer::exact((a & !field | b.checked_shl(offset as u32).unwrap_or(0) & field) & all)
        }
        Op::BitFieldSExtract | Op::BitFieldUExtract => {
            let (offset, count) = (b, argument(2)?);
            if offset.saturating_add(count) > u64::from(width) {
                return Some(Answer::open(0, RANGE));
            }
            let field = a.checked_shr(offset as u32).unwrap_or(0) & mask(count as u32);
            match op {
                Op::BitFieldSExtract if count != 0 => Answer::exact(signed(field, count as u32) as u64 & all),
                _ => Answer::exact(field),
            }
        }
        Op::IEqual | Op::LogicalEqual => Answer::truth(a == b),
        Op::INotEqual | Op::LogicalNotEqual => Answer::truth(a != b),
        Op::ULessThan => Answer::truth(a < b),
        Op::ULessThanEqual => Answer::truth(a <= b),
        Op::UGreaterThan => Answer::truth(a > b),
        Op::UGreaterThanEqual => Answer::truth(a >= b),
        Op::SLessThan => Answer::truth(sa < sb),
        Op::SLessThanEqual => Answer::truth(sa <= sb),
        Op::SGreaterThan => Answer::truth(sa > sb),
        Op::SGreaterThanEqual => Answer::truth(sa >= sb),
        Op::LogicalAnd => Answer::exact(a & b),
        Op::LogicalOr => Answer::exact(a | b),
        Op::LogicalNot => Answer::truth(a == 0),
        Op::UConvert => Answer::exact(a & all),
        Op::SConvert => Answer::exact(sa as u64 & all),
        // From integers: of 64 bits straight to where it goes, because two roundings are not one.
        Op::ConvertUToF => Answer::exact(match to.width() {
            32 => u64::from((a as f32).to_bits()),
            16 if a > 1 << 52 => u64::from(half::of_f64(f64::INFINITY)),
            to => bits(a as f64, to),
        }),
        Op::ConvertSToF => Answer::exact(match to.width() {
            32 => u64::from((sa as f32).to_bits()),
            16 if sa.unsigned_abs() > 1 << 52 => u64::from(half::of_f64(f64::INFINITY.copysign(sa as f64))),
            to => bits(sa as f64, to),
        }),
        // Signs alone: the rules for denormals do not touch them.
        Op::FNegate => Answer::exact(a ^ 1 << (width - 1)),
        _ => return None,
    })
}

fn is_floating(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FAdd | FSub
            | FMul
            | FDiv
            | FRem
            | FMod
            | FConvert
            | ConvertFToS
            | ConvertFToU
            | QuantizeToF16
            | IsNan
            | IsInf
            | FOrdEqual
            | FOrdNotEqual
            | FOrdLessThan
            | FOrdLessThanEqual
            | FOrdGreaterThan
            | FOrdGreaterThanEqual
            | FUnordEqual
            | FUnordNotEqual
            | FUnordLessThan
            | FUnordLessThanEqual
            | FUnordGreaterThan
            | FUnordGreaterThanEqual
    )
}

/// One of [`is_floating`].
fn float(op: Op, width: u32, to: Number, arguments: &[u64]) -> Answer {
    use Op::*;
    let number = |at: usize| real(arguments.get(at).copied().unwrap_or(0), width);
    let (a, b) = (number(0), number(1));
    // Of two numbers of 32 or 16 bits these four, calculated with 64 bits and rounded once more, are the nearest ones: 64-bit floats have
    // more than twice their digits and two more.
    let rounded = |number: f64| Answer::exact(bits(number, to.width()));
    let unordered = a.is_nan() || b.is_nan();
    let near = |number: f64| Answer::near(number, to.width(), (PRECISION, number.abs() * error_of(to.width())));
    // Where the quotient is about a whole number, the rest may be about 0, and about the divisor.
    let rest_of = |rest: f64| {
        let quotient = a / b;
        let is_whole = (quotient - quotient.round()).abs() <= quotient.abs() * error_of(width);
        if is_whole && quotient != 0.0 { Answer { open: Some(PRECISION), ..rounded(rest) } } else { near(rest) }
    };
    match op {
        FAdd => rounded(a + b),
        FSub => rounded(a - b),
        FMul => rounded(a * b),
        FDiv => near(a / b),
        FRem => rest_of(a % b),
        FMod => {
            let rest = a % b;
            let rest = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest };
            rest_of(rest)
        }
        FConvert | QuantizeToF16 => {
            let width = if op == QuantizeToF16 { 16 } else { to.width() };
            let converted = bits(a, width);
            let back = real(converted, width);
            let inexact = width == 16 && back != a && !a.is_nan();
            let result = if op == QuantizeToF16 { bits(back, to.width()) } else { converted };
            Answer { bits: result, open: inexact.then_some(ROUNDING), error: inexact.then(|| half_step(a)) }
        }
        ConvertFToS => {
            let (least, most) = (-(2f64.powi(to.width() as i32 - 1)), 2f64.powi(to.width() as i32 - 1));
            let whole = a.trunc();
            let bits = (whole.clamp(least, most) as i64).clamp(least as i64, (most - 1.0) as i64) as u64;
            Answer {
                bits: bits & mask(to.width()),
                open: (whole < least || whole >= most || a.is_nan()).then_some(RANGE),
                error: None,
            }
        }
        ConvertFToU => {
            let whole = a.trunc();
            let most = mask(to.width());
            let bits = (whole as u64).min(most);
            let open = (whole < 0.0 || whole > most as f64 || a.is_nan()).then_some(RANGE);
            Answer { bits, open, error: None }
        }
        IsNan => Answer::truth(a.is_nan()),
        IsInf => Answer::truth(a.is_infinite()),
        FOrdEqual => Answer::truth(a == b),
        FOrdNotEqual => Answer::truth(!unordered && a != b),
        FOrdLessThan => Answer::truth(a < b),
        FOrdLessThanEqual => Answer::truth(a <= b),
        FOrdGreaterThan => Answer::truth(a > b),
        FOrdGreaterThanEqual => Answer::truth(a >= b),
        FUnordEqual => Answer::truth(unordered || a == b),
        FUnordNotEqual => Answer::truth(a != b),
        FUnordLessThan => Answer::truth(unordered || a < b),
        FUnordLessThanEqual => Answer::truth(unordered || a <= b),
        FUnordGreaterThan => Answer::truth(unordered || a > b),
        _ => Answer::truth(unordered || a >= b),
    }
}

#[cfg(test)]
mod tests;
