//! Instructions as people read them.

use crate::glsl::Glsl;
use crate::module::{Instruction, Module};
use spirv::Op;

impl Module {
    /// An instruction in the notation of `spirv-dis`, without the result's type.
    pub fn line(&self, instruction: &Instruction) -> String {
        let Instruction { op, result, operands, .. } = instruction;
        let mut text = if *result == 0 { String::new() } else { format!("{} = ", self.name(*result)) };
        text.push_str(&format!("Op{op:?}"));
        // From here on operands are numbers, not results.
        let literals = match op {
            Op::CompositeExtract | Op::Load | Op::SelectionMerge => 1,
            Op::CompositeInsert | Op::VectorShuffle | Op::Store | Op::LoopMerge => 2,
            Op::BranchConditional => 3,
            Op::Variable => 0,
            _ => usize::MAX,
        };
        for (at, operand) in operands.iter().enumerate() {
            let is_literal = match op {
                Op::ExtInst if at == 1 => {
                    let name = Glsl::from_number(*operand).map(|name| format!("{name:?}"));
                    text.push_str(&format!(" {}", name.unwrap_or_else(|| operand.to_string())));
                    continue;
                }
                Op::ImageFetch | Op::ImageRead | Op::ImageSampleExplicitLod => at == 2,
                Op::ImageWrite => at == 3,
                Op::Switch => at >= 2 && at % 2 == 0,
                Op::GroupNonUniformBallotBitCount => at == 1,
                _ => at >= literals,
            };
            if is_literal {
                text.push_str(&format!(" {operand}"));
                continue;
            }
            match self.constants.get(operand) {
                // What a constant is says more than its number.
                Some((kind, value)) => text.push_str(&format!(" {}", self.text(value, *kind))),
                None => text.push_str(&format!(" {}", self.name(*operand))),
            }
        }
        text
    }
}
