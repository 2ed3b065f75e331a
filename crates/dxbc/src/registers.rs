//! The registers that a shader is made for.
//!
//! Compilers leave registers out that nothing in the shader reads, so a register that is listed is one that some path through the
//! shader uses. Invariant: bytes are untrusted; what cannot be read lists nothing.

use crate::container::Container;
use crate::root_signature::Kind;

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
    if let Some(data) = part(b"PSV0") {
        return validated(data).unwrap_or_default();
    }
    part(b"SHEX").or_else(|| part(b"SHDR")).map(declared).unwrap_or_default()
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

/// More registers than any shader has.
const MOST: u32 = 4096;

/// From the part that the validator of DXIL writes: its size, the information for the runtime, the number of resources, the size of
/// a row, the rows.
fn validated(data: &[u8]) -> Option<Vec<Registers>> {
    let information = word(data, 0)? as usize;
    let mut at = 4usize.checked_add(information)?;
    let count = word(data, at)?;
    if count == 0 {
        return Some(Vec::new());
    }
    let row = word(data, at + 4)? as usize;
    at += 8;
    let mut all = Vec::new();
    for index in 0..count.min(MOST) as usize {
        let row = at.checked_add(index.checked_mul(row)?)?;
        // Samplers, constants, three forms of what is read, four of what is written.
        let kind = match word(data, row)? {
            1 => Kind::Sampler,
            2 => Kind::Cbv,
            3..=5 => Kind::Srv,
            6..=9 => Kind::Uav,
            _ => continue,
        };
        all.push(Registers {
            kind,
            space: word(data, row + 4)?,
            first: word(data, row + 8)?,
            last: word(data, row + 12)?,
        });
    }
    Some(all)
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
