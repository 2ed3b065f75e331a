//! Instructions that lanes of a wave make together.

use crate::fault::Fault;
use crate::group::Group;
use crate::kind::Kind;
use crate::module::Instruction;
use crate::number::{self, Number};
use crate::open::{Open, either};
use crate::value::{Value, mask, signed};
use spirv::{GroupOperation, Op};

impl Group<'_> {
    /// Makes such an instruction; `active` are its lanes, by rising index.
    pub(crate) fn wave(&mut self, active: &[usize], instruction: &Instruction) -> Result<(), Fault> {
        let mut all = Vec::with_capacity(active.len());
        for lane in active {
            all.push(self.of_wave(*lane, active, instruction)?);
        }
        for (lane, value) in active.iter().zip(all) {
            self.give(*lane, instruction, Some(value));
        }
        Ok(())
    }

    /// What a lane gets. The first operand is the scope.
    fn of_wave(&mut self, lane: usize, active: &[usize], instruction: &Instruction) -> Result<Value, Fault> {
        use Op::*;
        let wave = self.task.wave as usize;
        // The number in its wave, and the lane of the group that a number is.
        let own = lane % wave;
        let first = lane - own;
        let truth = |bit: bool, open: Open| Value::Number(bit.into(), open);
        let lane_of = |number: u64| usize::try_from(number).ok().filter(|it| *it < wave).map(|it| first + it);
        match instruction.op {
            GroupNonUniformElect => Ok(truth(Some(&lane) == active.first(), 0)),
            GroupNonUniformAll | GroupNonUniformAny => {
                let (bits, open) = self.votes(active, instruction)?;
                let all = instruction.op == GroupNonUniformAll;
                Ok(truth(if all { bits.count_ones() as usize == active.len() } else { bits != 0 }, open))
            }
            GroupNonUniformAllEqual => {
                let values = self.values(active, instruction, 1)?;
                let open = values.iter().fold(0, |open, value| either(open, value.open()));
                let numbers: Vec<Vec<u64>> = values.iter().map(Value::numbers).collect();
                Ok(truth(numbers.windows(2).all(|two| two[0] == two[1]), open))
            }
            GroupNonUniformBroadcastFirst => self.operand(active[0], instruction, 1),
            GroupNonUniformBroadcast | GroupNonUniformShuffle => {
                let (number, open) = self.number(lane, instruction, 2)?;
                Ok(self.of_lane(lane_of(number), active, instruction)?.opened(open))
            }
            GroupNonUniformShuffleXor => {
                let (bits, open) = self.number(lane, instruction, 2)?;
                Ok(self.of_lane(lane_of(own as u64 ^ bits), active, instruction)?.opened(open))
            }
            GroupNonUniformShuffleUp | GroupNonUniformShuffleDown => {
                let (by, open) = self.number(lane, instruction, 2)?;
                let number = match instruction.op {
                    GroupNonUniformShuffleUp => (own as u64).wrapping_sub(by),
                    _ => (own as u64).wrapping_add(by),
                };
                Ok(self.of_lane(lane_of(number), active, instruction)?.opened(open))
            }
            GroupNonUniformQuadBroadcast => {
                let (number, open) = self.number(lane, instruction, 2)?;
                let from = lane - lane % 4 + (number % 4) as usize;
                Ok(self.of_lane(Some(from), active, instruction)?.opened(open))
            }
            GroupNonUniformQuadSwap => {
                let (direction, open) = self.number(lane, instruction, 2)?;
                // Horizontal, vertical, diagonal.
                let from = lane ^ (direction.min(2) + 1) as usize;
                Ok(self.of_lane(Some(from), active, instruction)?.opened(open))
            }
            GroupNonUniformBallot => {
                let (bits, open) = self.votes(active, instruction)?;
                let word = |at: u32| Value::Number((bits >> (32 * at)) as u64 & mask(32), open);
                Ok(Value::of_parts((0..4).map(word).collect()))
            }
            GroupNonUniformInverseBallot => {
                let (bits, open) = self.ballot(lane, instruction, 1)?;
                Ok(truth(bits >> own & 1 != 0, open))
            }
            GroupNonUniformBallotBitExtract => {
                let (bits, open) = self.ballot(lane, instruction, 1)?;
                let (at, by) = self.number(lane, instruction, 2)?;
                Ok(truth(bits.checked_shr(at as u32).unwrap_or(0) & 1 != 0, either(open, by)))
            }
            GroupNonUniformBallotBitCount => {
                let (bits, open) = self.ballot(lane, instruction, 2)?;
                let operation = self.operation(instruction, 1)?;
                let whole = if wave >= 128 { u128::MAX } else { (1 << wave) - 1 };
                let below = (1u128 << own) - 1;
                let counted = match operation {
                    GroupOperation::Reduce => bits & whole,
                    GroupOperation::InclusiveScan => bits & (below | 1 << own),
                    GroupOperation::ExclusiveScan => bits & below,
                    _ => return Err(self.unsupported(instruction)),
                };
                Ok(Value::Number(counted.count_ones().into(), open))
            }
            GroupNonUniformBallotFindLSB | GroupNonUniformBallotFindMSB => {
                let (bits, open) = self.ballot(lane, instruction, 1)?;
                let whole = if wave >= 128 { u128::MAX } else { (1 << wave) - 1 };
                let bits = bits & whole;
                let number = match instruction.op {
                    _ if bits == 0 => mask(32),
                    GroupNonUniformBallotFindLSB => bits.trailing_zeros().into(),
                    _ => u64::from(127 - bits.leading_zeros()),
                };
                Ok(Value::Number(number, open))
            }
            GroupNonUniformPartitionEXT | GroupNonUniformRotateKHR => Err(self.unsupported(instruction)),
            _ => self.reduction(lane, active, instruction),
        }
    }

    /// The operand at a place, of all lanes.
    fn values(&self, active: &[usize], instruction: &Instruction, at: usize) -> Result<Vec<Value>, Fault> {
        active.iter().map(|lane| self.operand(*lane, instruction, at)).collect()
    }

    /// The value of another lane; what a lane has that does not take part is open.
    fn of_lane(&mut self, from: Option<usize>, active: &[usize], instruction: &Instruction) -> Result<Value, Fault> {
        match from.filter(|from| active.contains(from)) {
            Some(from) => self.operand(from, instruction, 1),
            None => {
                let open = self.opens(instruction, "Op: what a lane has that does not take part");
                Ok(self.module.zero(instruction.kind, instruction.offset)?.opened(open))
            }
        }
    }

    /// A bit for each lane.
    fn votes(&self, active: &[usize], instruction: &Instruction) -> Result<(u128, Open), Fault> {
        let (mut bits, mut open) = (0u128, 0);
        for lane in active {
            let (bit, own) = self.number(*lane, instruction, 1)?;
            open = either(open, own);
            bits |= u128::from(bit & 1) << (*lane % self.task.wave as usize);
        }
        Ok((bits, open))
    }

    fn ballot(&self, lane: usize, instruction: &Instruction, at: usize) -> Result<(u128, Open), Fault> {
        let value = self.operand(lane, instruction, at)?;
        let words = value.numbers();
        let bits = words.iter().take(4).enumerate().map(|(at, word)| u128::from(*word) << (32 * at));
        Ok((bits.sum(), value.open()))
    }

    fn operation(&self, instruction: &Instruction, at: usize) -> Result<GroupOperation, Fault> {
        let number = instruction.operands.get(at).copied().unwrap_or(u32::MAX);
        GroupOperation::from_u32(number).ok_or_else(|| self.short(instruction))
    }

    /// Sums, products, extremes and bits of lanes.
    fn reduction(&mut self, lane: usize, active: &[usize], instruction: &Instruction) -> Result<Value, Fault> {
        use GroupOperation::{ClusteredReduce, ExclusiveScan, InclusiveScan, Reduce};
        let operation = self.operation(instruction, 1)?;
        let cluster = match operation {
            ClusteredReduce => self.number(lane, instruction, 3)?.0.max(1) as usize,
            _ => self.task.wave as usize,
        };
        let taken = |other: &&usize| match operation {
            Reduce => true,
            InclusiveScan => **other <= lane,
            ExclusiveScan => **other < lane,
            _ => **other / cluster == lane / cluster,
        };
        if !matches!(operation, Reduce | InclusiveScan | ExclusiveScan | ClusteredReduce) {
            return Err(self.unsupported(instruction));
        }
        let values: Vec<Value> =
            active.iter().filter(taken).map(|lane| self.operand(*lane, instruction, 2)).collect::<Result<_, _>>()?;
        let scalar = match self.module.kind(instruction.kind, instruction.offset)? {
            Kind::Vector { of, .. } => *of,
            _ => instruction.kind,
        };
        let number = match self.module.kind(scalar, instruction.offset)? {
            Kind::Bool => Number::Bool,
            Kind::Integer { width, .. } => Number::Integer(*width),
            Kind::Float { width } => Number::Float(*width),
            _ => return Err(self.unsupported(instruction)),
        };
        let identity = identity(instruction.op, number).ok_or_else(|| self.unsupported(instruction))?;
        let count = match self.module.kind(instruction.kind, instruction.offset)? {
            Kind::Vector { count, .. } => Some(*count as usize),
            _ => None,
        };
        let open = values.iter().fold(0, |open, value| either(open, value.open()));
        let sums = matches!(instruction.op, Op::GroupNonUniformFAdd | Op::GroupNonUniformFMul);
        let is_ordered = values.len() > 2 && sums;
        let mut parts = Vec::new();
        for index in 0..count.unwrap_or(1) {
            let numbers = || values.iter().filter_map(|value| value.numbers().get(index).copied());
            let mut result = numbers().fold(identity, |all, next| combine(instruction.op, number, all, next));
            let mut open = open;
            if let (true, Number::Float(width)) = (is_ordered, number) {
                // Each step is rounded, of no more than all of them without their signs.
                let most = match instruction.op {
                    Op::GroupNonUniformFAdd => numbers().map(|bits| number::real(bits, width).abs()).sum(),
                    _ => number::real(result, width).abs(),
                };
                let error = most * number::error_of(width) * values.len() as f64;
                let why = "Op: in which order lanes are added";
                let order = self.named(instruction, (why, Some(error)), &mut result, number);
                open = either(self.opened.plain(open), order);
            }
            parts.push(Value::Number(result, open));
        }
        Ok(if count.is_none() { parts.remove(0) } else { Value::of_parts(parts) })
    }
}

/// What no lane comes to.
fn identity(op: Op, number: Number) -> Option<u64> {
    use Op::*;
    let width = number.width();
    let real = |of: f64| number::bits(of, width);
    Some(match op {
        GroupNonUniformIAdd
        | GroupNonUniformBitwiseOr
        | GroupNonUniformBitwiseXor
        | GroupNonUniformLogicalOr
        | GroupNonUniformLogicalXor
        | GroupNonUniformUMax => 0,
        GroupNonUniformFAdd => real(-0.0),
        GroupNonUniformIMul | GroupNonUniformLogicalAnd => 1,
        GroupNonUniformFMul => real(1.0),
        GroupNonUniformUMin | GroupNonUniformBitwiseAnd => mask(width),
        GroupNonUniformSMin => mask(width - 1),
        GroupNonUniformSMax => 1 << (width - 1),
        GroupNonUniformFMin => real(f64::INFINITY),
        GroupNonUniformFMax => real(f64::NEG_INFINITY),
        _ => return None,
    })
}

fn combine(op: Op, number: Number, one: u64, other: u64) -> u64 {
    use Op::*;
    let width = number.width();
    let (a, b) = (number::real(one, width.max(16)), number::real(other, width.max(16)));
    let real = |of: f64| number::bits(of, width);
    match op {
        GroupNonUniformIAdd => one.wrapping_add(other) & mask(width),
        GroupNonUniformIMul => one.wrapping_mul(other) & mask(width),
        GroupNonUniformFAdd => real(a + b),
        GroupNonUniformFMul => real(a * b),
        GroupNonUniformUMin => one.min(other),
        GroupNonUniformUMax => one.max(other),
        GroupNonUniformSMin => {
            if signed(other, width) < signed(one, width) {
                other
            } else {
                one
            }
        }
        GroupNonUniformSMax => {
            if signed(other, width) > signed(one, width) {
                other
            } else {
                one
            }
        }
        GroupNonUniformFMin => {
            if b < a || a.is_nan() {
                other
            } else {
                one
            }
        }
        GroupNonUniformFMax => {
            if b > a || a.is_nan() {
                other
            } else {
                one
            }
        }
        GroupNonUniformBitwiseAnd | GroupNonUniformLogicalAnd => one & other,
        GroupNonUniformBitwiseOr | GroupNonUniformLogicalOr => one | other,
        _ => one ^ other,
    }
}
