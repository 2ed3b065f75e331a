//! Expressions of integers and of truths, and what all types have.

use super::Generator;
use crate::program::*;
use crate::value::{Base, Type, Value};

impl Generator {
    /// As [`Generator::normal`], for a variable. fxc folds integers that it knows in floating point and gets large ones wrong, so none
    /// that it compiles holds a constant.
    pub(super) fn initial(&mut self, ty: Type, depth: usize) -> Expression {
        let value = self.normal(ty, depth);
        if self.program.kind != Kind::Common || !self.is_constant(&value) {
            return value;
        }
        let source = if ty.base == Base::Float { Source::RawFloat } else { Source::RawUint };
        let at = Box::new(Expression::Constant(Value::uint(self.random.below(16) as u32)));
        let load = Expression::Load(source, ty.width, at);
        if ty.base == Base::Int { Expression::Convert(Base::Int, Box::new(load)) } else { load }
    }

    /// Whether a compiler knows it.
    fn is_constant(&self, value: &Expression) -> bool {
        match value {
            Expression::Variable(number) => self.counters.contains(number),
            Expression::Component(..) | Expression::Element(..) | Expression::Member(..) => false,
            Expression::Load(..) | Expression::Thread(_) | Expression::Shared(_) | Expression::Wave(..) => false,
            Expression::Ternary(Ternary::Select, of) => self.is_constant(&of[1]) || self.is_constant(&of[2]),
            value => parts(value).into_iter().all(|part| self.is_constant(part)),
        }
    }

    /// An operation on integers that not every compiler can fold.
    fn folded(&mut self, made: Expression, ty: Type) -> Expression {
        if self.program.kind == Kind::Common && self.is_constant(&made) {
            return Expression::Constant(self.constant(ty));
        }
        made
    }

    /// Something that a variable of this type may hold.
    pub(super) fn normal(&mut self, ty: Type, depth: usize) -> Expression {
        match ty.base {
            Base::Bool => self.truth(ty, depth),
            base if base.is_float() => {
                let real = self.real(ty, depth);
                self.normalized(real, ty)
            }
            _ => self.integer(ty, depth),
        }
    }

    pub(super) fn integer(&mut self, ty: Type, depth: usize) -> Expression {
        if depth == 0 {
            return self.leaf(ty);
        }
        let made = self.integer_operation(ty, depth - 1);
        self.folded(made, ty)
    }

    fn integer_operation(&mut self, ty: Type, depth: usize) -> Expression {
        match self.random.below(16) {
            0..5 => {
                let operation = self.random.pick(&[
                    Binary::Add,
                    Binary::Sub,
                    Binary::Mul,
                    Binary::And,
                    Binary::Or,
                    Binary::Xor,
                    Binary::Min,
                    Binary::Max,
                    Binary::Min,
                    Binary::Max,
                ]);
                let left = self.integer(ty, depth);
                let right = if self.random.once_in(6) { left.clone() } else { self.integer(ty, depth) };
                let [left, right] = [left, right].map(|part| match self.random.below(6) {
                    0 => Expression::Unary(Unary::Negate, Box::new(part)),
                    1 => Expression::Unary(Unary::Complement, Box::new(part)),
                    _ => part,
                });
                Expression::Binary(operation, Box::new(left), Box::new(right))
            }
            5 => self.shift(ty, depth),
            6 => self.division(ty, depth),
            7 | 8 => self.bits(ty, depth),
            9 => self.field(ty, depth),
            10 => {
                let parts = [(); 3].map(|()| self.integer(ty, depth));
                Expression::Ternary(Ternary::Mad, Box::new(parts))
            }
            11 => self.selected(ty, depth),
            12 => self.rearranged(ty, depth),
            13 => self.converted_integer(ty, depth),
            _ => self.leaf(ty),
        }
    }

    fn shift(&mut self, ty: Type, depth: usize) -> Expression {
        let operation = self.random.pick(&[Binary::Shl, Binary::Shr]);
        let places = match self.random.below(3) {
            0 => self.integer(ty, depth),
            _ => Expression::Constant(Value::splat(ty, self.random.below(40) as u64)),
        };
        Expression::Binary(operation, Box::new(self.integer(ty, depth)), Box::new(places))
    }

    /// A division whose result is defined: unsigned, or of what is not the least number by what is not 0.
    fn division(&mut self, ty: Type, depth: usize) -> Expression {
        let constant = |value: u64| Box::new(Expression::Constant(Value::splat(ty, ty.base.cut(value))));
        let binary = |operation, left, right| Expression::Binary(operation, Box::new(left), right);
        let operation = self.random.pick(&[Binary::Div, Binary::Rem]);
        let dividend = self.integer(ty, depth);
        let by_constant = self.random.once_in(2);
        let divisor = if by_constant {
            let value = self.random.pick(&[1u64, 2, 3, 4, 5, 7, 8, 10, 13, 100, 255, 256, 1000, 0x7fff_ffff]);
            let negative = ty.base.is_signed() && self.random.once_in(3) && value != 1;
            let value = ty.base.cut(if negative { value.wrapping_neg() } else { value });
            // Of 16 bits.
            *constant(if ty.base.signed(value) == -1 { 3 } else { value })
        } else {
            let any = self.integer(ty, depth);
            let bits = self.random.pick(&[7, 0xff, 0x7fff]);
            let odd = binary(Binary::Or, binary(Binary::And, any, constant(bits)), constant(1));
            if ty.base.is_signed() && self.random.once_in(2) {
                Expression::Unary(Unary::Negate, Box::new(odd))
            } else {
                odd
            }
        };
        let dividend =
            if ty.base.is_signed() && !by_constant { binary(Binary::Shr, dividend, constant(1)) } else { dividend };
        binary(operation, dividend, Box::new(divisor))
    }

    /// An operation of one integer.
    fn bits(&mut self, ty: Type, depth: usize) -> Expression {
        if !matches!(ty.base, Base::Int | Base::Uint) {
            let operation = self.random.pick(&[Unary::Negate, Unary::Complement]);
            return Expression::Unary(operation, Box::new(self.integer(ty, depth)));
        }
        if self.random.once_in(4) {
            return self.bits_of_float(ty, depth);
        }
        if ty.base == Base::Int && self.random.once_in(4) {
            let highest = Expression::Unary(Unary::FirstBitHigh, Box::new(self.integer(ty, depth)));
            return Expression::Convert(Base::Int, Box::new(highest));
        }
        let operation = self.random.pick(if ty.base == Base::Int {
            &[Unary::Negate, Unary::Complement, Unary::Abs, Unary::Sign, Unary::Abs]
        } else {
            &[
                Unary::CountBits,
                Unary::ReverseBits,
                Unary::FirstBitHigh,
                Unary::FirstBitLow,
                Unary::Complement,
                Unary::Negate,
            ]
        });
        Expression::Unary(operation, Box::new(self.integer(ty, depth)))
    }

    /// The bits of a number of floating point above 0.
    fn bits_of_float(&mut self, ty: Type, depth: usize) -> Expression {
        let float = ty.with(Base::Float);
        let one = Expression::Constant(Value::of_real(float, 1.0));
        let absolute = Expression::Unary(Unary::Abs, Box::new(self.normal(float, depth)));
        let positive = Box::new(Expression::Binary(Binary::Add, Box::new(absolute), Box::new(one)));
        if ty.base == Base::Uint && self.random.once_in(2) {
            Expression::Unary(Unary::F32ToF16, positive)
        } else {
            Expression::Bits(ty.base, positive)
        }
    }

    /// What compilers make bit fields of: shifts and masks of constants.
    fn field(&mut self, ty: Type, depth: usize) -> Expression {
        let constant = |value: u64| Box::new(Expression::Constant(Value::splat(ty, ty.base.cut(value))));
        let places = self.random.below(ty.base.bits() as usize) as u64;
        let mask = (1u64 << (1 + self.random.below(12))) - 1;
        let value = Box::new(self.integer(ty, depth));
        let extracted = |value, operation| {
            let shifted = Expression::Binary(operation, value, constant(places));
            Expression::Binary(Binary::And, Box::new(shifted), constant(mask))
        };
        match self.random.below(3) {
            0 => extracted(value, Binary::Shr),
            1 => extracted(value, Binary::Shl),
            _ => {
                // The bits of one in the place of those of another.
                let field = mask << places;
                let inserted = Expression::Binary(Binary::Shl, value, constant(places));
                let inserted = Expression::Binary(Binary::And, Box::new(inserted), constant(field));
                let around = Box::new(self.integer(ty, depth));
                let around = Expression::Binary(Binary::And, around, constant(!field));
                Expression::Binary(Binary::Or, Box::new(inserted), Box::new(around))
            }
        }
    }

    fn converted_integer(&mut self, ty: Type, depth: usize) -> Expression {
        let from = match self.random.below(4) {
            0 => self.truth(ty.with(Base::Bool), depth),
            // Negative numbers are not for unsigned integers: whether they become 0 is asked elsewhere, of what is any.
            1 if ty.base.bits() >= 32 => {
                let float = self.normal(ty.with(Base::Float), depth);
                if ty.base.is_signed() { float } else { Expression::Unary(Unary::Abs, Box::new(float)) }
            }
            2 if self.program.kind == Kind::Wide => {
                let base = self.random.pick(&[Base::Long, Base::Ulong]);
                self.integer(ty.with(base), depth)
            }
            2 if self.program.kind == Kind::Narrow => {
                let base = self.random.pick(&[Base::Short, Base::Ushort]);
                self.integer(ty.with(base), depth)
            }
            _ => {
                let base = self.random.pick(&[Base::Int, Base::Uint]);
                self.integer(ty.with(base), depth)
            }
        };
        Expression::Convert(ty.base, Box::new(from))
    }

    /// One of two.
    pub(super) fn selected(&mut self, ty: Type, depth: usize) -> Expression {
        let condition = self.truth(Type::BOOL, depth);
        let (yes, no) = (self.normal(ty, depth), self.normal(ty, depth));
        Expression::Ternary(Ternary::Select, Box::new([condition, yes, no]))
    }

    /// Components of something in another order, or several things beside each other.
    pub(super) fn rearranged(&mut self, ty: Type, depth: usize) -> Expression {
        if ty.width > 1 && self.random.once_in(2) {
            let first = 1 + self.random.below(ty.width - 1);
            let parts = [first, ty.width - first].map(|width| self.normal(Type { width, ..ty }, depth));
            return Expression::Construct(ty.base, parts.into());
        }
        let width = 1 + self.random.below(4);
        let value = self.normal(Type { width, ..ty }, depth);
        self.swizzled(value, width, ty.width)
    }

    pub(super) fn comparison(&mut self) -> Binary {
        self.random.pick(&[
            Binary::Less,
            Binary::LessEqual,
            Binary::Greater,
            Binary::GreaterEqual,
            Binary::Equal,
            Binary::NotEqual,
        ])
    }

    pub(super) fn truth(&mut self, ty: Type, depth: usize) -> Expression {
        let depth = depth.saturating_sub(1);
        match self.random.below(8) {
            0 if ty.width == 1 => {
                let operation = self.random.pick(&[Binary::BothTrue, Binary::EitherTrue]);
                let (left, right) = (self.truth(ty, depth), self.truth(ty, depth));
                Expression::Binary(operation, Box::new(left), Box::new(right))
            }
            1 if ty.width == 1 => {
                let of = Type { width: 2 + self.random.below(3), ..ty };
                let operation = self.random.pick(&[Unary::Any, Unary::All]);
                Expression::Unary(operation, Box::new(self.truth(of, depth)))
            }
            2 => Expression::Unary(Unary::Not, Box::new(self.truth(ty, depth))),
            3 => Expression::Convert(Base::Bool, Box::new(self.integer(ty.with(Base::Uint), depth))),
            4 if self.is_main && self.program.kind == Kind::Wide && self.program.members[0].count.is_none() => {
                let member = 0;
                let equal = Expression::Wave(Wave::AllEqual, member);
                self.swizzled(equal, self.program.members[member].ty.width, ty.width)
            }
            _ => {
                let of = ty.with(self.any_type().base);
                let operation = self.comparison();
                let (left, right) = (self.normal(of, depth), self.normal(of, depth));
                Expression::Binary(operation, Box::new(left), Box::new(right))
            }
        }
    }
}
