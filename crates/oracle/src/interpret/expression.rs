//! Expressions as they run.

use super::{Frame, Machine, Undefined, operation};
use crate::layout;
use crate::program::{Binary, Expression, Id, Operation, Ternary, Unary, Wave};
use crate::value::{Base, Value};

impl Machine<'_> {
    pub(super) fn evaluate(&mut self, frame: &mut Frame<'_>, expression: &Expression) -> Result<Value, Undefined> {
        self.burn()?;
        Ok(match expression {
            Expression::Constant(value) => *value,
            Expression::Variable(number) => {
                frame.variables[*number][0].ok_or(Undefined("a read of what is not written"))?
            }
            Expression::Element(number, at) => {
                let at = self.evaluate(frame, at)?.first() as usize;
                let element = frame.variables[*number].get(at).ok_or(Undefined("a read behind an array"))?;
                element.ok_or(Undefined("a read of what is not written"))?
            }
            Expression::Component(number, at) => {
                let at = self.evaluate(frame, at)?.first() as usize;
                let whole = frame.variables[*number][0].ok_or(Undefined("a read of what is not written"))?;
                let component = whole.components().get(at).ok_or(Undefined("a read behind a vector"))?;
                Value::new(whole.ty.base, &[*component])
            }
            Expression::Static(number, at) => {
                let at = self.evaluate(frame, at)?.first() as usize;
                *self.program.statics[*number].get(at).ok_or(Undefined("a read behind an array"))?
            }
            Expression::Member(number, at) => {
                let at = match at {
                    Some(at) => self.evaluate(frame, at)?.first() as usize,
                    None => 0,
                };
                self.member(*number, at)?
            }
            Expression::Load(source, width, at) => {
                let (first, count) = layout::part(*source);
                let at = self.evaluate(frame, at)?.first() as usize;
                if at >= count {
                    return Err(Undefined("a read behind a part of the input"));
                }
                let at = first + at * source.stride() + source.offset(*width);
                let words: Vec<u64> = (at..at + width).map(|word| self.word(word, source.base())).collect();
                Value::new(source.base(), &words)
            }
            Expression::Thread(id) => Value::uint(match id {
                Id::Thread => frame.thread.in_group,
                Id::Group => frame.thread.group,
                Id::Global => frame.thread.in_all as u32,
            }),
            Expression::Shared(at) => {
                let at = self.evaluate(frame, at)?.first() as usize;
                let cell = self.shared.get_mut(at).ok_or(Undefined("an access behind shared memory"))?;
                Value::uint(cell.read(frame.thread.in_all)?)
            }
            Expression::Unary(operation, of) => {
                let of = self.evaluate(frame, of)?;
                self.spoiled(Operation::Unary(*operation), unary(*operation, &of))
            }
            Expression::Binary(operation, left, right) => {
                let (left, right) = (self.evaluate(frame, left)?, self.evaluate(frame, right)?);
                self.spoiled(Operation::Binary(*operation), binary(*operation, &left, &right)?)
            }
            Expression::Ternary(operation, of) => {
                let [a, b, c] = [&of[0], &of[1], &of[2]].map(|of| self.evaluate(frame, of));
                self.spoiled(Operation::Ternary(*operation), ternary(*operation, &a?, &b?, &c?)?)
            }
            Expression::Convert(base, of) => {
                let of = self.evaluate(frame, of)?;
                of.map(*base, |component| operation::convert(of.ty.base, *base, component))
            }
            Expression::Bits(base, of) => self.evaluate(frame, of)?.map(*base, |component| component),
            Expression::Swizzle(of, places) => {
                let of = self.evaluate(frame, of)?;
                let components: Vec<u64> = places.iter().map(|place| of.components[usize::from(*place)]).collect();
                Value::new(of.ty.base, &components)
            }
            Expression::Construct(base, parts) => {
                let mut components = Vec::new();
                for part in parts {
                    components.extend_from_slice(self.evaluate(frame, part)?.components());
                }
                Value::new(*base, &components)
            }
            Expression::Wave(Wave::AllEqual, number) => self.member(*number, 0)?.map(Base::Bool, |_| 1),
            Expression::Wave(_, number) => self.member(*number, 0)?,
        })
    }

    fn member(&self, number: usize, at: usize) -> Result<Value, Undefined> {
        let member = &self.program.members[number];
        if at >= member.count.unwrap_or(1) {
            return Err(Undefined("a read behind an array"));
        }
        let first = member.word + at * 4;
        let words = &self.constants[first..first + member.ty.width];
        Ok(Value::new(member.ty.base, &words.iter().map(|word| u64::from(*word)).collect::<Vec<_>>()))
    }

    /// A result, which is wrong where the operation is the one that is to be.
    fn spoiled(&self, operation: Operation, right: Value) -> Value {
        if self.fault != Some(operation) {
            return right;
        }
        right.map(right.ty.base, |component| match right.ty.base {
            Base::Bool => component ^ 1,
            base if base.is_float() => base.of_real(base.real(component) + 1.0),
            _ => component ^ 1,
        })
    }
}

fn unary(operation: Unary, of: &Value) -> Value {
    let base = match operation {
        Unary::Any => return Value::new(Base::Bool, &[of.components().iter().any(|one| *one != 0).into()]),
        Unary::All => return Value::new(Base::Bool, &[of.components().iter().all(|one| *one != 0).into()]),
        Unary::Not | Unary::IsNan | Unary::IsInf | Unary::IsFinite => Base::Bool,
        Unary::F16ToF32 => Base::Float,
        Unary::FirstBitHigh | Unary::F32ToF16 => Base::Uint,
        Unary::Sign => Base::Int,
        _ => of.ty.base,
    };
    of.map(base, |component| operation::unary(operation, of.ty.base, component))
}

fn binary(operation: Binary, left: &Value, right: &Value) -> Result<Value, Undefined> {
    let base = left.ty.base;
    let pairs = left.components().iter().zip(right.components());
    if operation == Binary::Dot {
        let products = pairs.map(|(a, b)| operation::binary(Binary::Mul, base, *a, *b));
        let sum = products.reduce(|sum, product| operation::binary(Binary::Add, base, sum?, product?));
        return Ok(Value::new(base, &[sum.unwrap_or(Ok(0))?]));
    }
    let made: Result<Vec<u64>, _> = pairs.map(|(a, b)| operation::binary(operation, base, *a, *b)).collect();
    Ok(Value::new(if operation.compares() { Base::Bool } else { base }, &made?))
}

fn ternary(operation: Ternary, a: &Value, b: &Value, c: &Value) -> Result<Value, Undefined> {
    if operation == Ternary::Select {
        return Ok(if a.first() != 0 { *b } else { *c });
    }
    let base = a.ty.base;
    let made: Result<Vec<u64>, _> = (0..a.ty.width)
        .map(|at| operation::ternary(operation, base, [a.components[at], b.components[at], c.components[at]]))
        .collect();
    Ok(Value::new(base, &made?))
}
