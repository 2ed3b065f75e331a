//! Expressions without operations: what is there already.

use super::Generator;
use crate::layout;
use crate::program::*;
use crate::value::{Base, Type, Value};

impl Generator {
    /// Something of a type, which a variable may hold.
    pub(super) fn leaf(&mut self, ty: Type) -> Expression {
        for _ in 0..4 {
            let found = match self.random.below(8) {
                0..3 => self.variable(ty),
                3 => self.element(ty),
                4 => self.member(ty),
                5 => self.load(ty),
                6 => self.other(ty),
                _ => Some(Expression::Constant(self.constant(ty))),
            };
            if let Some(found) = found {
                return found;
            }
        }
        Expression::Constant(self.constant(ty))
    }

    /// As many components of a value as are wanted.
    pub(super) fn swizzled(&mut self, value: Expression, width: usize, wanted: usize) -> Expression {
        if width == wanted && !self.random.once_in(4) {
            return value;
        }
        let places = (0..wanted).map(|_| self.random.below(width) as u8).collect();
        Expression::Swizzle(Box::new(value), places)
    }

    fn variable(&mut self, ty: Type) -> Option<Expression> {
        let function = &self.function;
        let fitting: Vec<usize> = (0..function.variables())
            .filter(|number| function.elements(*number).is_none() && function.variable(*number).base == ty.base)
            .collect();
        let number = *fitting.get(self.random.below(fitting.len().max(1)))?;
        let width = self.function.variable(number).width;
        if ty.width == 1 && width > 1 && self.random.once_in(2) {
            let at = self.index(width);
            return Some(Expression::Component(number, Box::new(at)));
        }
        Some(self.swizzled(Expression::Variable(number), width, ty.width))
    }

    fn element(&mut self, ty: Type) -> Option<Expression> {
        let function = &self.function;
        let fitting: Vec<usize> = (0..function.variables())
            .filter(|number| function.elements(*number).is_some() && function.variable(*number).base == ty.base)
            .collect();
        let number = *fitting.get(self.random.below(fitting.len().max(1)))?;
        let (count, width) = (self.function.elements(number)?, self.function.variable(number).width);
        let at = self.index(count);
        Some(self.swizzled(Expression::Element(number, Box::new(at)), width, ty.width))
    }

    /// Of an element of the constant buffer.
    pub(super) fn member(&mut self, ty: Type) -> Option<Expression> {
        let fitting: Vec<usize> =
            (0..self.program.members.len()).filter(|number| self.program.members[*number].ty.base == ty.base).collect();
        let number = *fitting.get(self.random.below(fitting.len().max(1)))?;
        let Member { ty: Type { width, .. }, count, .. } = self.program.members[number];
        let at = count.map(|count| Box::new(self.index(count)));
        Some(self.swizzled(Expression::Member(number, at), width, ty.width))
    }

    /// Something that is the same in all threads, for arrays: elements of the constant buffer at constant places.
    pub(super) fn of_constants(&mut self, ty: Type) -> Expression {
        let fitting: Vec<usize> =
            (0..self.program.members.len()).filter(|number| self.program.members[*number].ty.base == ty.base).collect();
        let Some(number) = fitting.get(self.random.below(fitting.len().max(1))).copied() else { return self.leaf(ty) };
        let Member { ty: Type { width, .. }, count, .. } = self.program.members[number];
        let at = count.map(|count| {
            let at = self.random.below(count) as u32;
            Box::new(Expression::Constant(Value::uint(at)))
        });
        self.swizzled(Expression::Member(number, at), width, ty.width)
    }

    fn load(&mut self, ty: Type) -> Option<Expression> {
        let source = match ty.base {
            Base::Uint => self.random.pick(&[Source::RawUint, Source::StructuredUint, Source::TypedUint]),
            Base::Float => self.random.pick(&[Source::RawFloat, Source::TypedFloat]),
            _ => return None,
        };
        let at = Box::new(self.index(layout::part(source).1));
        Some(match source {
            Source::TypedUint => self.swizzled(Expression::Load(source, 1, at), 1, ty.width),
            _ => Expression::Load(source, ty.width, at),
        })
    }

    fn other(&mut self, ty: Type) -> Option<Expression> {
        if !self.program.statics.is_empty() && self.random.once_in(2) {
            let number = self.random.below(self.program.statics.len());
            let (count, of) = (self.program.statics[number].len(), self.program.statics[number][0].ty);
            if of.base == ty.base {
                let at = Box::new(self.index(count));
                return Some(self.swizzled(Expression::Static(number, at), of.width, ty.width));
            }
        }
        if ty == Type::UINT && self.is_main {
            if self.reads_shared && self.random.once_in(2) {
                let at = self.index(self.program.threads as usize);
                return Some(Expression::Shared(Box::new(at)));
            }
            return Some(Expression::Thread(self.random.pick(&[Id::Thread, Id::Group, Id::Global])));
        }
        if self.program.kind == Kind::Wide && self.is_main {
            let fitting: Vec<usize> = (0..self.program.members.len())
                .filter(|number| {
                    self.program.members[*number].ty == ty && self.program.members[*number].count.is_none()
                })
                .collect();
            let number = *fitting.get(self.random.below(fitting.len().max(1)))?;
            let of_bits = [Wave::First, Wave::Min, Wave::Max, Wave::And, Wave::Or];
            let operation = self.random.pick(if ty.base == Base::Uint { &of_bits } else { &of_bits[..3] });
            return Some(Expression::Wave(operation, number));
        }
        None
    }

    /// An index below a count.
    pub(super) fn index(&mut self, count: usize) -> Expression {
        let constant = |value: usize| Box::new(Expression::Constant(Value::uint(value as u32)));
        if self.random.once_in(3) {
            return *constant(self.random.below(count));
        }
        let any = Box::new(self.integer(Type::UINT, 1));
        match self.random.below(6) {
            form @ 0..4 if count.is_power_of_two() => {
                let low = Box::new(Expression::Binary(Binary::And, any, constant(count - 1)));
                let bits = constant(self.random.below(count));
                match form {
                    0 => Expression::Binary(Binary::Sub, constant(count - 1), low),
                    1 => Expression::Binary(Binary::Xor, low, bits),
                    2 => Expression::Binary(Binary::Or, low, bits),
                    _ => *low,
                }
            }
            4 => Expression::Binary(Binary::Min, any, constant(count - 1)),
            _ => Expression::Binary(Binary::Rem, any, constant(count)),
        }
    }

    /// Floating point of all kinds.
    pub(super) fn wild(&mut self) -> Expression {
        Expression::Load(Source::Wild, 1, Box::new(self.index(layout::part(Source::Wild).1)))
    }
}
