//! How exact floating point is, told from the program alone.
//!
//! Compilers, translators and drivers may calculate sums and products in another order or fuse them. Where every number that can
//! come up has no more digits than its type, none of that rounds, and all results are the same: only such programs are generated.
//! What rounds once, or is not exact by its nature, is written to the output as it is.

use crate::layout::{FRACTION, WHOLE};
use crate::program::{Binary, Expression, Function, Part, Program, Source, Statement, Ternary, Unary, type_of};
use crate::value::{Base, Value};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Precision {
    /// No floating point. For floating point: not larger than `2^whole`, a multiple of `2^-fraction`.
    Exact { whole: i32, fraction: i32 },
    /// Right to the last bit, but of any size.
    Rounded,
    /// Right to some digits.
    Near,
    /// NaN, infinity, anything.
    Wild,
}

impl Precision {
    /// What is no floating point.
    pub(crate) const BITS: Self = Self::Exact { whole: -1000, fraction: -1000 };
    /// What variables of floating point hold.
    const NORMAL: Self = Self::Exact { whole: WHOLE, fraction: FRACTION };

    /// Of an expression; `None` where it or a part of it may round.
    pub(crate) fn of(expression: &Expression, program: &Program, function: &Function) -> Option<Self> {
        let base = type_of(expression, program, function).base;
        let precision = Self::of_any(expression, program, function)?;
        match precision {
            Self::Exact { whole, fraction } if base.is_float() => {
                (whole + fraction <= digits(base)).then_some(precision)
            }
            _ if base.is_float() => Some(precision),
            _ => Some(Self::BITS),
        }
    }

    fn of_any(expression: &Expression, program: &Program, function: &Function) -> Option<Self> {
        let of = |expression| Self::of(expression, program, function);
        let base = |expression| type_of(expression, program, function).base;
        match expression {
            Expression::Constant(value) => Some(of_constant(value)),
            Expression::Variable(number) => Some(normal(function.variable(*number).base)),
            Expression::Element(number, at) | Expression::Component(number, at) => {
                of(at)?;
                Some(normal(function.variable(*number).base))
            }
            Expression::Static(_, at) | Expression::Member(_, Some(at)) => of(at).map(|_| Self::NORMAL),
            Expression::Load(Source::Wild, _, at) => of(at).map(|_| Self::Wild),
            Expression::Load(_, _, at) => of(at).map(|_| Self::NORMAL),
            Expression::Shared(at) => of(at),
            Expression::Member(..) | Expression::Thread(_) | Expression::Wave(..) => Some(Self::NORMAL),
            Expression::Unary(operation, value) => of_unary(*operation, base(value), of(value)?),
            Expression::Binary(operation, left, right) => {
                let (first, second) = (of(left)?, of(right)?);
                if !base(left).is_float() {
                    return Some(Self::BITS);
                }
                of_binary(*operation, first, second, right, type_of(left, program, function).width)
            }
            Expression::Ternary(operation, values) => {
                of_ternary(*operation, [of(&values[0])?, of(&values[1])?, of(&values[2])?])
            }
            Expression::Convert(to, value) => of_conversion(*to, base(value), of(value)?, value),
            Expression::Bits(to, value) => {
                of(value)?;
                // The sign of 0 is not certain: only what is above it has certain bits. And any bits are anything.
                (!base(value).is_float() || is_positive(value)).then_some(if to.is_float() {
                    Self::Wild
                } else {
                    Self::BITS
                })
            }
            Expression::Swizzle(value, _) => of(value),
            Expression::Construct(_, parts) => {
                parts.iter().map(of).reduce(|all, part| all?.joined(part?)).unwrap_or(Some(Self::BITS))
            }
        }
    }

    /// Of whatever may be either.
    fn joined(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Exact { whole: a, fraction: b }, Self::Exact { whole: c, fraction: d }) => {
                Some(Self::Exact { whole: a.max(c), fraction: b.max(d) })
            }
            _ => None,
        }
    }

    /// Whether a variable may hold it.
    pub(crate) fn is_normal(self, base: Base) -> bool {
        match (self, normal(base)) {
            _ if !base.is_float() => true,
            (Self::Exact { whole: a, fraction: b }, Self::Exact { whole: c, fraction: d }) => a <= c && b <= d,
            _ => false,
        }
    }
}

const BITS: Precision = Precision::BITS;

/// Bits that a type has for a number.
fn digits(base: Base) -> i32 {
    if base == Base::Half { 11 } else { 24 }
}

/// Of variables.
fn normal(base: Base) -> Precision {
    match base {
        Base::Half => Precision::Exact { whole: 5, fraction: 2 },
        _ => Precision::NORMAL,
    }
}

/// The largest that a variable may hold, and the distance of two.
pub(crate) fn bounds(base: Base) -> (f64, f64) {
    match normal(base) {
        Precision::Exact { whole, fraction } => (f64::from(whole).exp2(), f64::from(-fraction).exp2()),
        _ => (0.0, 0.0),
    }
}

fn of_constant(value: &Value) -> Precision {
    if !value.ty.base.is_float() {
        return Precision::BITS;
    }
    let mut of = (0, 0);
    for real in value.components().iter().map(|component| value.ty.base.real(*component)) {
        let (mut whole, mut fraction) = (0, 0);
        while f64::from(whole).exp2() < real.abs() {
            whole += 1;
        }
        while (real * f64::from(fraction).exp2()).fract() != 0.0 {
            fraction += 1;
        }
        of = (of.0.max(whole), of.1.max(fraction));
    }
    Precision::Exact { whole: of.0, fraction: of.1 }
}

fn of_unary(operation: Unary, base: Base, of: Precision) -> Option<Precision> {
    use Precision::{Exact, Near, Wild};
    let looks = matches!(operation, Unary::IsNan | Unary::IsInf | Unary::IsFinite);
    match of {
        _ if !base.is_float() => Some(if operation == Unary::F16ToF32 { Precision::Rounded } else { BITS }),
        Exact { .. } | Wild if looks => Some(BITS),
        Wild if operation == Unary::Saturate => Some(Precision::Rounded),
        Wild if matches!(operation, Unary::Abs | Unary::Negate) => Some(Wild),
        Exact { whole, fraction } => Some(match operation {
            Unary::Negate | Unary::Abs => of,
            Unary::Saturate => Exact { whole: 0, fraction },
            Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::Round => Exact { whole: whole.max(0), fraction: 0 },
            Unary::Frac => Exact { whole: 0, fraction: fraction.max(0) },
            Unary::Sign => BITS,
            Unary::F32ToF16 => return (whole + fraction <= 11).then_some(BITS),
            Unary::Sqrt | Unary::Rsqrt | Unary::Rcp | Unary::Exp2 | Unary::Log2 | Unary::Sin | Unary::Cos => Near,
            _ => return None,
        }),
        _ => None,
    }
}

fn of_binary(
    operation: Binary,
    left: Precision,
    right: Precision,
    divisor: &Expression,
    width: usize,
) -> Option<Precision> {
    use Precision::{Exact, Wild};
    if operation.compares() {
        let looks = |of| matches!(of, Exact { .. } | Wild);
        return (looks(left) && looks(right)).then_some(BITS);
    }
    let (Exact { whole: a, fraction: b }, Exact { whole: c, fraction: d }) = (left, right) else { return None };
    Some(match operation {
        Binary::Add | Binary::Sub => Exact { whole: a.max(c) + 1, fraction: b.max(d) },
        Binary::Mul => Exact { whole: a + c, fraction: b + d },
        Binary::Dot => Exact { whole: a + c + if width > 2 { 2 } else { width as i32 - 1 }, fraction: b + d },
        Binary::Min | Binary::Max => Exact { whole: a.max(c), fraction: b.max(d) },
        Binary::Step => Exact { whole: 0, fraction: 0 },
        Binary::Div => match power_of_two(divisor) {
            Some(power) => Exact { whole: a - power.min(0), fraction: b + power.max(0) },
            None => Precision::Near,
        },
        // `x - y * trunc(x / y)`.
        Binary::Rem => {
            let power = power_of_two(divisor)?;
            Exact { whole: a - power.min(0), fraction: b + power.max(0) }
        }
        _ => return None,
    })
}

fn of_ternary(operation: Ternary, [a, b, c]: [Precision; 3]) -> Option<Precision> {
    let binary = |operation, left, right| {
        let zero = Expression::Constant(Value::uint(0));
        of_binary(operation, left, right, &zero, 1)
    };
    match operation {
        // Of integers, too: the bounds of what is no floating point mean nothing, and nobody looks.
        Ternary::Mad => binary(Binary::Add, binary(Binary::Mul, a, b)?, c),
        // As large as the ends, as fine as any.
        Ternary::Clamp => match (a.joined(b)?.joined(c)?, b.joined(c)?) {
            (Precision::Exact { fraction, .. }, Precision::Exact { whole, .. }) => {
                Some(Precision::Exact { whole, fraction })
            }
            _ => None,
        },
        Ternary::Lerp => {
            let whole = binary(Binary::Add, a, binary(Binary::Mul, c, binary(Binary::Sub, b, a)?)?)?;
            // And as `a * (1 - t) + b * t`.
            let one = Precision::Exact { whole: 0, fraction: 0 };
            whole.joined(binary(Binary::Mul, a, binary(Binary::Sub, one, c)?)?)
        }
        Ternary::Select => b.joined(c),
    }
}

fn of_conversion(to: Base, from: Base, of: Precision, value: &Expression) -> Option<Precision> {
    use Precision::{Exact, Rounded, Wild};
    match (from.is_float(), to.is_float()) {
        (false, false) => Some(BITS),
        (false, true) => Some(match whole_bits(value, from) {
            Some(whole) => Exact { whole, fraction: 0 },
            // What 64 bits hold is rounded twice here.
            None if from.bits() > 32 || to != Base::Float => return None,
            None => Rounded,
        }),
        // Integers of 32 bits hold what is exact; smaller ones may not.
        (true, false) => match of {
            Exact { .. } if to.bits() >= 32 || to == Base::Bool => Some(BITS),
            Wild if matches!(to, Base::Int | Base::Uint) => Some(BITS),
            _ => None,
        },
        (true, true) => matches!(of, Exact { .. }).then_some(of),
    }
}

/// The bits that an integer has at most, where its expression says so.
fn whole_bits(value: &Expression, base: Base) -> Option<i32> {
    let constant = |value: &Expression| match value {
        Expression::Constant(value) => Some(*value),
        _ => None,
    };
    match value {
        _ if base == Base::Bool => Some(0),
        Expression::Unary(Unary::CountBits | Unary::Sign, _) => Some(7),
        Expression::Binary(Binary::And, _, mask) => {
            let mask = constant(mask)?;
            let largest = *mask.components().iter().max()?;
            (largest < 1 << WHOLE).then_some(WHOLE)
        }
        _ => None,
    }
}

/// The power of two that a constant is, in all its components.
fn power_of_two(divisor: &Expression) -> Option<i32> {
    let Expression::Constant(value) = divisor else { return None };
    let real = value.ty.base.real(value.first());
    let same = value.components().iter().all(|component| *component == value.first());
    let power = real.log2();
    (same && real > 0.0 && power.fract() == 0.0).then_some(power as i32)
}

/// Whether floating point is certainly above 0.
fn is_positive(value: &Expression) -> bool {
    let Expression::Binary(Binary::Add, left, right) = value else { return false };
    let Expression::Constant(right) = &**right else { return false };
    matches!(**left, Expression::Unary(Unary::Abs, _))
        && right.components().iter().all(|component| right.ty.base.real(*component) >= 1.0)
}

/// Whether all floating point of a program is exact where it must be.
pub(crate) fn is_exact(program: &Program) -> bool {
    program.functions.iter().all(|function| {
        let checker = Checker { program, function };
        let initial = |local: &crate::program::Local| {
            local.initial.iter().flatten().all(|initial| checker.holds(initial, local.ty.base))
        };
        let result = function.result.as_ref().is_none_or(|value| checker.stays(value));
        function.locals.iter().all(initial) && result && checker.all(&function.body)
    })
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
}

impl Checker<'_> {
    fn all(&self, statements: &[Statement]) -> bool {
        statements.iter().all(|statement| self.one(statement))
    }

    fn one(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Assign { variable, part, value } => {
                let place = match part {
                    Part::Component(at) | Part::Element(at) => self.stays(at),
                    _ => true,
                };
                place && self.holds(value, self.function.variable(*variable).base)
            }
            Statement::If { condition, then, otherwise, .. } => {
                self.stays(condition) && self.all(then) && self.all(otherwise)
            }
            Statement::Switch { on, cases, default } => {
                self.stays(on) && cases.iter().all(|(_, body)| self.all(body)) && self.all(default)
            }
            Statement::Loop { times, body, .. } => self.stays(times) && self.all(body),
            Statement::Leave { condition: value, .. } | Statement::Share(value) => self.stays(value),
            Statement::Call { inputs, .. } => inputs.iter().all(|input| self.stays(input)),
            Statement::Output { value, .. } => !matches!(self.of(value), None | Some(Precision::Wild)),
            Statement::Atomic { cell, value, .. } => {
                let place = match cell {
                    crate::program::Cell::Shared(at) | crate::program::Cell::Common(_, at) => self.stays(at),
                    crate::program::Cell::Own(..) => true,
                };
                place && self.stays(value)
            }
            Statement::Barrier => true,
        }
    }

    fn of(&self, value: &Expression) -> Option<Precision> {
        Precision::of(value, self.program, self.function)
    }

    fn holds(&self, value: &Expression, base: Base) -> bool {
        self.of(value).is_some_and(|precision| precision.is_normal(base))
    }

    fn stays(&self, value: &Expression) -> bool {
        self.holds(value, type_of(value, self.program, self.function).base)
    }
}
