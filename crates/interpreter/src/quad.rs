//! Derivatives: how a value changes from one pixel of a quad to the next.
//!
//! Four lanes that follow each other are a quad: the first two its upper row, the other two its lower row, from left to right. Where a module of groups
//! says so, the rows of quads are those of the group.

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
    /// The place of a lane in its quad, and the lanes of that.
    fn quad(&self, lane: usize) -> (usize, [usize; LANES]) {
        let first = lane - lane % LANES;
        if !self.module.quads_of_rows {
            return (lane - first, [0, 1, 2, 3].map(|place| first + place));
        }
        let width = (self.module.group[0] as usize).max(1);
        let (x, y) = (lane % width, lane / width);
        let first = (y - y % 2) * width + x - x % 2;
        (x % 2 + y % 2 * 2, [0, 1, width, width + 1].map(|behind| first + behind))
    }

    /// The value that an operand has at a place of a lane's quad. That of a lane that does not take part is open.
    fn beside(&mut self, lane: usize, instruction: &Instruction, at: usize, place: usize) -> Result<Value, Fault> {
        let other = self.quad(lane).1[place];
        if self.active.contains(&other) {
            return self.operand(other, instruction, at);
        }
        let open = self.opens(instruction, "Op: a lane of the quad does not take part");
        Ok(self.operand(lane, instruction, at)?.opened(open))
    }

    /// How an operand of floats changes to the next column and to the next row: values of the same shape. Samplers take the coarse ones of
    /// coordinates.
    pub(crate) fn derivatives(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        at: usize,
        grain: Grain,
    ) -> Result<[Value; 2], Fault> {
        Ok([self.change(lane, instruction, at, (grain, 0))?, self.change(lane, instruction, at, (grain, 1))?])
    }

    /// The same along one axis: 0 is to the next column, 1 to the next row.
    fn change(
        &mut self,
        lane: usize,
        instruction: &Instruction,
        at: usize,
        (grain, axis): (Grain, usize),
    ) -> Result<Value, Fault> {
        let id = *instruction.operands.get(at).ok_or_else(|| self.short(instruction))?;
        let width = self.float_width(self.module.kind_of(id), instruction)?;
        let (own, _) = self.quad(lane);
        let mut of = |[from, to]: [usize; 2]| {
            let (from, to) = (self.beside(lane, instruction, at, from)?, self.beside(lane, instruction, at, to)?);
            difference(&from, &to, width).ok_or_else(|| self.short(instruction))
        };
        let found = of(pairs(own, grain)[axis])?;
        if grain == Grain::Fine {
            return Ok(found);
        }
        // It may be that of the other row, or of the other column.
        let other = of(pairs(LANES - 1, Grain::Fine)[axis])?;
        if other.numbers() == found.numbers() {
            return Ok(found.opened(other.open()));
        }
        let open = self.opens_last_bits(instruction, "Op: of which row and column of the quad it is");
        let chosen = if self.opened.side(open) > 0.0 { other } else { found };
        Ok(chosen.opened(open))
    }

    /// Bits of the floats of a type.
    fn float_width(&self, kind: u32, instruction: &Instruction) -> Result<u32, Fault> {
        let kind = match self.module.kind(kind, instruction.offset)? {
            Kind::Vector { of, matrix: false, .. } => self.module.kind(*of, instruction.offset)?,
            kind => kind,
        };
        match kind {
            Kind::Float { width } => Ok(*width),
            _ => Err(self.unsupported(instruction)),
        }
    }

    /// A derivative of its first operand.
    pub(crate) fn derivative(&mut self, lane: usize, instruction: &Instruction) -> Result<Value, Fault> {
        let grain = match instruction.op {
            Op::DPdxFine | Op::DPdyFine | Op::FwidthFine => Grain::Fine,
            _ => Grain::Coarse,
        };
        match instruction.op {
            Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => self.change(lane, instruction, 0, (grain, 0)),
            Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => self.change(lane, instruction, 0, (grain, 1)),
            _ => {
                let [dx, dy] = [0, 1].map(|axis| self.change(lane, instruction, 0, (grain, axis)));
                let width = self.float_width(instruction.kind, instruction)?;
                let sum = |one: f64, other: f64| one.abs() + other.abs();
                combined(&dx?, &dy?, width, sum).ok_or_else(|| self.short(instruction))
            }
        }
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
