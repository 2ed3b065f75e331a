//! Expressions of floating point.

use super::Generator;
use crate::exact::{self, Precision};
use crate::program::*;
use crate::value::{Base, Type, Value};

impl Generator {
    pub(super) fn precision(&self, value: &Expression) -> Option<Precision> {
        Precision::of(value, &self.program, &self.function)
    }

    /// Something exact, which may be too large or too fine for a variable.
    pub(super) fn real(&mut self, ty: Type, depth: usize) -> Expression {
        if depth == 0 {
            return self.leaf(ty);
        }
        for _ in 0..3 {
            let made = self.real_operation(ty, depth - 1);
            if let Some(Precision::Exact { .. }) = self.precision(&made) {
                return made;
            }
        }
        self.leaf(ty)
    }

    fn real_operation(&mut self, ty: Type, depth: usize) -> Expression {
        let binary = |operation, left, right| Expression::Binary(operation, Box::new(left), Box::new(right));
        match self.random.below(13) {
            0..3 => {
                let operation =
                    self.random.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Min, Binary::Max, Binary::Step]);
                let left = self.part(ty, depth);
                // Of the same twice there are rules of their own.
                let right = if self.random.once_in(5) { left.clone() } else { self.part(ty, depth) };
                let [left, right] = [left, right].map(|part| self.modified(part));
                binary(operation, left, right)
            }
            3 => {
                let power = self.random.below(5) as i32 - 2;
                let divisor = Expression::Constant(Value::of_real(ty, f64::from(power).exp2()));
                // `fmod` of `double` and of halves there is none.
                let rests = ty.base == Base::Float && self.random.once_in(2);
                binary(if rests { Binary::Rem } else { Binary::Div }, self.part(ty, depth), divisor)
            }
            4..6 if ty.base == Base::Double => self.modified_part(ty, depth),
            4 => {
                let operation = self.random.pick(&[
                    Unary::Negate,
                    Unary::Abs,
                    Unary::Saturate,
                    Unary::Floor,
                    Unary::Ceil,
                    Unary::Trunc,
                    Unary::Round,
                    Unary::Frac,
                ]);
                Expression::Unary(operation, Box::new(self.part(ty, depth)))
            }
            5 => {
                let operation = self.random.pick(&[Ternary::Mad, Ternary::Clamp, Ternary::Lerp]);
                let parts = [(); 3].map(|()| self.part(ty, depth));
                let [a, b, c] = parts.map(|part| self.modified(part));
                // What is clamped between ends in the wrong order is not defined.
                let (b, c) = if operation == Ternary::Clamp { (self.end(ty, -1.0), self.end(ty, 1.0)) } else { (b, c) };
                Expression::Ternary(operation, Box::new([a, b, c]))
            }
            6 => self.selected(ty, depth),
            7 => self.converted(ty, depth),
            8 if ty.width == 1 && ty.base != Base::Double => {
                let of = Type { width: 2 + self.random.below(3), ..ty };
                let (left, right) = (self.part(of, depth), self.part(of, depth));
                binary(Binary::Dot, left, right)
            }
            8 | 9 => self.rearranged(ty, depth),
            _ => self.leaf(ty),
        }
    }

    /// An end of a range: below or above zero.
    fn end(&mut self, ty: Type, sign: f64) -> Expression {
        Expression::Constant(Value::of_real(ty, sign * (1 + self.random.below(32)) as f64 / 4.0))
    }

    /// An operand: one that a variable may hold, so that there is room for what comes of it.
    fn part(&mut self, ty: Type, depth: usize) -> Expression {
        self.normal(ty, depth)
    }

    /// Now and then the negative, the absolute, or the negative of the absolute, which are modifiers of operands.
    fn modified(&mut self, value: Expression) -> Expression {
        match self.random.below(6) {
            0 => Expression::Unary(Unary::Negate, Box::new(value)),
            1 => Expression::Unary(Unary::Abs, Box::new(value)),
            2 => Expression::Unary(Unary::Negate, Box::new(Expression::Unary(Unary::Abs, Box::new(value)))),
            _ => value,
        }
    }

    fn modified_part(&mut self, ty: Type, depth: usize) -> Expression {
        let part = self.part(ty, depth);
        self.modified(part)
    }

    /// From another type.
    fn converted(&mut self, ty: Type, depth: usize) -> Expression {
        let from = match self.random.below(4) {
            0 => self.truth(ty.with(Base::Bool), depth),
            1 if ty.base != Base::Float => self.part(ty.with(Base::Float), depth),
            1 if self.program.kind == Kind::Narrow => self.part(ty.with(Base::Half), depth),
            1 if self.program.kind == Kind::Wide => self.part(ty.with(Base::Double), depth),
            _ => {
                let base = self.random.pick(&[Base::Int, Base::Uint]);
                let mask = Value::splat(ty.with(base), 1 + self.random.below(255) as u64);
                let any = self.integer(ty.with(base), depth);
                Expression::Binary(Binary::And, Box::new(any), Box::new(Expression::Constant(mask)))
            }
        };
        Expression::Convert(ty.base, Box::new(from))
    }

    /// Makes of something exact what a variable may hold.
    pub(super) fn normalized(&mut self, value: Expression, ty: Type) -> Expression {
        let is_normal = |this: &Self, value: &Expression| {
            this.precision(value).is_some_and(|precision| precision.is_normal(ty.base))
        };
        if is_normal(self, &value) {
            return value;
        }
        let constant = |real| Box::new(Expression::Constant(Value::of_real(ty, real)));
        let (largest, step) = exact::bounds(ty.base);
        // Large, but of whole steps?
        let (low, high) = (constant(-largest), constant(largest));
        let clamped = Expression::Ternary(Ternary::Clamp, Box::new([value.clone(), *low.clone(), *high.clone()]));
        if is_normal(self, &clamped) {
            return clamped;
        }
        // `double` has no operation that rounds.
        if ty.base == Base::Double {
            return self.leaf(ty);
        }
        let rounding = self.random.pick(&[Unary::Floor, Unary::Round, Unary::Trunc, Unary::Ceil]);
        let fine = Expression::Binary(Binary::Mul, Box::new(value.clone()), constant(1.0 / step));
        let whole = Expression::Unary(rounding, Box::new(fine));
        let rounded = Expression::Binary(Binary::Mul, Box::new(whole), constant(step));
        let rounded = match self.precision(&rounded) {
            Some(_) => rounded,
            None => Expression::Unary(rounding, Box::new(value)),
        };
        if is_normal(self, &rounded) {
            return rounded;
        }
        Expression::Ternary(Ternary::Clamp, Box::new([rounded, *low, *high]))
    }

    /// What is written as it is, because it rounds.
    pub(super) fn special(&mut self) -> Expression {
        let float = Type::scalar(Base::Float);
        let positive = |value| {
            let one = Expression::Constant(Value::of_real(float, 1.0));
            let absolute = Expression::Unary(Unary::Abs, Box::new(value));
            Expression::Binary(Binary::Add, Box::new(absolute), Box::new(one))
        };
        match self.random.below(8) {
            0 => {
                let operation =
                    self.random.pick(&[Unary::Sqrt, Unary::Rsqrt, Unary::Rcp, Unary::Log2, Unary::Sin, Unary::Cos]);
                let value = self.normal(float, 1);
                Expression::Unary(operation, Box::new(positive(value)))
            }
            1 => {
                let value = self.normal(float, 1);
                let saturated = Expression::Unary(Unary::Frac, Box::new(value));
                Expression::Unary(Unary::Exp2, Box::new(saturated))
            }
            2 => {
                let (value, divisor) = (self.normal(float, 1), self.normal(float, 1));
                Expression::Binary(Binary::Div, Box::new(value), Box::new(positive(divisor)))
            }
            3 | 4 => {
                let base = self.random.pick(&[Base::Int, Base::Uint]);
                Expression::Convert(Base::Float, Box::new(self.integer(Type::scalar(base), 2)))
            }
            5 => {
                // Neither NaN nor infinity, whose bits are not certain.
                let mask = Expression::Constant(Value::uint(0xbbff));
                let any = self.integer(Type::UINT, 1);
                let half = Expression::Binary(Binary::And, Box::new(any), Box::new(mask));
                Expression::Unary(Unary::F16ToF32, Box::new(half))
            }
            6 => Expression::Unary(Unary::Saturate, Box::new(self.wild())),
            _ => self.looked_at(),
        }
    }

    /// What is seen of any floating point.
    fn looked_at(&mut self) -> Expression {
        let wild = Box::new(self.wild());
        match self.random.below(4) {
            0 => Expression::Convert(Base::Int, wild),
            1 => Expression::Convert(Base::Uint, wild),
            2 => {
                let looking = self.random.pick(&[Unary::IsNan, Unary::IsInf, Unary::IsFinite]);
                Expression::Convert(Base::Uint, Box::new(Expression::Unary(looking, wild)))
            }
            _ => {
                let operation = self.comparison();
                let other = Box::new(self.normal(Type::scalar(Base::Float), 1));
                Expression::Convert(Base::Uint, Box::new(Expression::Binary(operation, wild, other)))
            }
        }
    }
}
