//! Derivatives: how a value changes from one pixel of a quad to the next.
//!
//! Four lanes that follow each other are a quad: the first two its upper row, the other two its lower row, from left to right.

use crate::fault::Fault;
use crate::group::Group;
use crate::kind::Kind;
use crate::module::Instruction;
use crate::number;
use crate::open::either;
use crate::value::Value;
use spirv::Op;

/// Lanes of a quad.
pub(crate) const LANES: usize = 4;

/// How finely derivatives are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// One for the whole quad, of its upper row and its left column. Which ones the API leaves open.
    Coarse,
    /// Of the lane's own row and column.
    Fine,
}

/// Whether an instruction is a derivative.
pub(crate) fn is_derivative(op: Op) -> bool {
    const FIRST: u32 = Op::DPdx as u32;
    const LAST: u32 = Op::FwidthCoarse as u32;
    (FIRST..=LAST).contains(&(op as u32))
}

/// The lanes, by their places in the quad, whose difference is a lane's derivative: along its row, and down its column.
fn pairs(own: usize, grain: Grain) -> [[usize; 2]; 2] {
    let own = if grain == Grain::Fine { own } else { 0 };
    let (row, column) = (own & 2, own & 1);
    [[row, row | 1], [column, column | 2]]
}

impl Group<'_> {
    /// The values that an operand has in the lanes of a lane's quad. Those of lanes that do not take part are open.
    pub(crate) fn quad(&mut self, lane: usize, instruction: &Instruction, at: usize) -> Result<[Value; LANES], Fault> {
        let first = lane - lane % LANES;
        let mut values: [Value; LANES] = Default::default();
        for (place, value) in values.iter_mut().enumerate() {
            let other = first + place;
            *value = if self.active.contains(&other) {
                self.operand(other, instruction, at)?
            } else {
                let open = self.opens(instruction, "Op: a lane of the quad does not take part");
                self.operand(lane, instruction, at)?.opened(open)
            };
        }
        Ok(values)
    }

    /// How an operand of floats changes to the next column and to the next row: numbers of the same shape. The sampler takes the coarse
    /// ones of coordinates.
    pub(crate) fn derivatives(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        at: usize,
        grain: Grain,
    ) -> Result<[Value; 2], Fault> {
        let id = *instruction.operands.get(at).ok_or_else(|| self.short(instruction))?;
        let width = match self.module.kind(self.module.kind_of(id), instruction.offset)? {
            Kind::Float { width } => *width,
            Kind::Vector { of, matrix: false, .. } => match self.module.kind(*of, instruction.offset)? {
                Kind::Float { width } => *width,
                _ => return Err(self.unsupported(instruction)),
            },
            _ => return Err(self.unsupported(instruction)),
        };
        let quad = self.quad(lane, instruction, at)?;
        let own = lane % LANES;
        // The other row, or the other column, of which the derivative may be as well.
        let others = pairs(LANES - 1, Grain::Fine);
        let mut changes = [Value::Nothing, Value::Nothing];
        for ((change, [from, to]), [other_from, other_to]) in changes.iter_mut().zip(pairs(own, grain)).zip(others) {
            let found = difference(&quad[from], &quad[to], width).ok_or_else(|| self.short(instruction))?;
            *change = match grain {
                Grain::Coarse
                    if difference(&quad[other_from], &quad[other_to], width)
                        .is_none_or(|other| other.numbers() != found.numbers()) =>
                {
                    let open = self.opens(instruction, "Op: of which row and column of the quad it is");
                    found.opened(open)
                }
                _ => found,
            };
        }
        Ok(changes)
    }

    /// A derivative of its first operand.
    pub(crate) fn derivative(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let grain = match instruction.op {
            Op::DPdxFine | Op::DPdyFine | Op::FwidthFine => Grain::Fine,
            _ => Grain::Coarse,
        };
        let [dx, dy] = self.derivatives(lane, instruction, 0, grain)?;
        Ok(match instruction.op {
            Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => dx,
            Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => dy,
            _ => {
                let width = match self.module.kind(instruction.kind, instruction.offset)? {
                    Kind::Vector { of, .. } => match self.module.kind(*of, instruction.offset)? {
                        Kind::Float { width } => *width,
                        _ => return Err(self.unsupported(instruction)),
                    },
                    Kind::Float { width } => *width,
                    _ => return Err(self.unsupported(instruction)),
                };
                let sum = |one: f64, other: f64| one.abs() + other.abs();
                combined(&dx, &dy, width, sum).ok_or_else(|| self.short(instruction))?
            }
        })
    }
}

/// What the second value is more than the first.
fn difference(from: &Value, to: &Value, width: u32) -> Option<Value> {
    combined(from, to, width, |from, to| to - from)
}

/// Floats of two values of one shape, combined and rounded.
fn combined(one: &Value, other: &Value, width: u32, combine: impl Fn(f64, f64) -> f64 + Copy) -> Option<Value> {
    match (one, other) {
        (Value::Number(a, first), Value::Number(b, second)) => {
            let bits = number::bits(combine(number::real(*a, width), number::real(*b, width)), width);
            Some(Value::Number(bits, either(*first, *second)))
        }
        (Value::Composite(a), Value::Composite(b)) if a.len() == b.len() => {
            let parts = a.iter().zip(b.iter()).map(|(a, b)| combined(a, b, width, combine));
            Some(Value::of_parts(parts.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_of_the_own_row_and_column_or_of_the_first_ones() {
        assert_eq!(pairs(0, Grain::Fine), [[0, 1], [0, 2]]);
        assert_eq!(pairs(1, Grain::Fine), [[0, 1], [1, 3]]);
        assert_eq!(pairs(2, Grain::Fine), [[2, 3], [0, 2]]);
        assert_eq!(pairs(3, Grain::Fine), [[2, 3], [1, 3]]);
        for lane in 0..LANES {
            assert_eq!(pairs(lane, Grain::Coarse), [[0, 1], [0, 2]]);
        }
    }

    #[test]
    fn the_difference_goes_from_the_first_to_the_second() {
        let float = |of: f32| Value::Number(of.to_bits().into(), 0);
        assert_eq!(difference(&float(1.5), &float(4.0), 32), Some(float(2.5)));
        let two = |a, b| Value::of_parts(vec![float(a), float(b)]);
        assert_eq!(difference(&two(1.0, 8.0), &two(0.0, 8.5), 32), Some(two(-1.0, 0.5)));
        assert_eq!(difference(&two(1.0, 8.0), &float(0.0), 32), None);
    }
}
