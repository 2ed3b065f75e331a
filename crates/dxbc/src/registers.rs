//! The registers that a shader is made for.
//!
//! Compilers leave registers out that nothing in the shader reads, so a register that is listed is one that some path through the
//! shader uses. Invariant: bytes are untrusted; what cannot be read lists nothing.

use crate::container::Container;
use crate::root_signature::Kind;
use crate::validation::Validation;

/// A range of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// What kind of register.
    pub kind: Kind,
    /// Register space.
    pub space: u32,
    /// The first one.
    pub first: u32,
    /// The last one; `u32::MAX` for ranges without an end.
    pub last: u32,
}

/// The registers of a shader; none where it is of no known form.
#[must_use]
pub fn registers(shader: &[u8]) -> Vec<Registers> {
    let Ok(container) = Container::parse(shader) else { return Vec::new() };
    let part = |name: &[u8; 4]| container.parts().iter().find(|part| &part.tag.0 == name).map(|part| part.data);
    if part(b"PSV0").is_some() {
        return validated(&container).unwrap_or_default();
    }
    part(b"SHEX").or_else(|| part(b"SHDR")).map(declared).unwrap_or_default()
}

/// More registers than any shader has.
const MOST: usize = 4096;

/// From the part that the validator of DXIL writes.
fn validated(container: &Container<'_>) -> Option<Vec<Registers>> {
    let rows = Validation::of(container)?.registers().take(MOST);
    let registers = rows.filter_map(|[kind, space, first, last]| {
        // Samplers, constants, three forms of what is read, four of what is written.
        let kind = match kind {
            1 => Kind::Sampler,
            2 => Kind::Cbv,
            3..=5 => Kind::Srv,
            6..=9 => Kind::Uav,
            _ => return None,
        };
        Some(Registers { kind, space, first, last })
    });
    Some(registers.collect())
}

/// From the declarations of shader models 4 and 5.
fn declared(data: &[u8]) -> Vec<Registers> {
    let words: Vec<u32> = data.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let ranges = words.first().is_some_and(|version| version & 0xff >= 0x51);
    let mut all = Vec::new();
    let mut at = 2;
    while let Some(token) = words.get(at) {
        let opcode = token & 0x7ff;
        // Blocks of constants state their size in a word of their own.
        let length = if opcode == 0x35 { words.get(at + 1).copied().unwrap_or(0) } else { token >> 24 & 0x7f } as usize;
        if length == 0 {
            break;
        }
        let kind = match opcode {
            0x59 => Some(Kind::Cbv),
            0x5a => Some(Kind::Sampler),
            0x58 | 0xa1 | 0xa2 => Some(Kind::Srv),
            0x9c..=0x9e => Some(Kind::Uav),
            _ => None,
        };
        if let (Some(kind), Some(words)) = (kind, words.get(at..at + length)) {
            let registers = match (ranges, words) {
                (true, [_, _, _, first, last, .., space]) => {
                    Some(Registers { kind, space: *space, first: *first, last: *last })
                }
                (false, [_, _, register, ..]) => Some(Registers { kind, space: 0, first: *register, last: *register }),
                _ => None,
            };
            all.extend(registers);
        }
        at += length;
    }
    all
}
