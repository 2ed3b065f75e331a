//! Instructions, values and places as people read them.

use crate::glsl::Glsl;
use crate::half;
use crate::kind::Kind;
use crate::module::{Instruction, Module};
use crate::pointer::Place;
use crate::value::{Value, signed};
use spirv::Op;
use std::fmt::Write;

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

impl Module {
    /// A value as people read it.
    pub fn text(&self, value: &Value, kind: u32) -> String {
        let mut text = String::new();
        self.write(&mut text, value, kind);
        text
    }

    fn write(&self, text: &mut String, value: &Value, kind: u32) {
        let known = self.kinds.get(&kind);
        // Writing to a text does not fail.
        let _ = match (value, known) {
            (Value::Number(bits, _), Some(Kind::Float { width: 64 })) => write!(text, "{:?}", f64::from_bits(*bits)),
            (Value::Number(bits, _), Some(Kind::Float { width: 16 })) => {
                write!(text, "{:?}", half::to_f32(*bits as u16))
            }
            (Value::Number(bits, _), Some(Kind::Float { .. })) => write!(text, "{:?}", f32::from_bits(*bits as u32)),
            (Value::Number(bits, _), Some(Kind::Bool)) => write!(text, "{}", *bits != 0),
            (Value::Number(bits, _), Some(Kind::Integer { width, signed: true })) => {
                write!(text, "{}", signed(*bits, *width))
            }
            (Value::Number(bits, _), _) => write!(text, "{bits}"),
            (Value::Composite(parts), known) => {
                text.push('(');
                for (index, part) in parts.iter().enumerate() {
                    if index != 0 {
                        text.push_str(", ");
                    }
                    let of = match known {
                        Some(Kind::Vector { of, .. } | Kind::Array { of, .. }) => *of,
                        Some(Kind::Structure { members }) => members.get(index).copied().unwrap_or(0),
                        _ => 0,
                    };
                    self.write(text, part, of);
                }
                write!(text, ")")
            }
            (Value::Pointer(pointer), _) => write!(text, "{}", self.place(&pointer.place)),
            (Value::Handle(handle), _) => write!(text, "{handle}"),
            (Value::Nothing, _) => write!(text, "-"),
        };
    }
}

impl Module {
    /// A place as people read it.
    pub fn place(&self, place: &Place) -> String {
        match place {
            Place::Variable { variable, path, .. } => {
                let path: String = path.iter().map(|part| format!("[{part}]")).collect();
                format!("{}{path}", self.name(*variable))
            }
            Place::Descriptor { descriptor, .. } => descriptor.to_string(),
            Place::Memory(buffer, offset) => format!("{buffer} + {offset:#x}"),
            Place::Texel(of) => format!("{} at {:?}", of.0, of.1.at),
        }
    }
}
