//! Opacity micromaps, as `VK_EXT_opacity_micromap` names them.
//!
//! The translator writes `SPV_KHR_opacity_micromap`. Its capability and its ray flag have the numbers of the older `SPV_EXT_opacity_micromap`;
//! there queries of rays meet micromaps without being told, so the newer one's execution mode goes.

use crate::facts::{HEADER, emit, instructions};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const EXTENSION: u32 = 10;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const EXECUTION_MODE_ID: u32 = 331;
}

/// `RayTracingOpacityMicromapExecutionModeKHR`.
const CAPABILITY_OF_MODE: u32 = 6032;
/// `OpacityMicromapIdKHR`.
const MODE: u32 = 6031;
const NEWER: &str = "SPV_KHR_opacity_micromap";
const OLDER: &str = "SPV_EXT_opacity_micromap";

/// The words of a string, which end with a zero byte.
fn words_of(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The module with the older extension in place of the newer one; as it is where it has neither.
pub(crate) fn of_the_older_extension(words: Vec<u32>) -> Vec<u32> {
    let newer = words_of(NEWER);
    let has = instructions(&words)
        .take_while(|(opcode, _)| matches!(*opcode, op::EXTENSION | op::CAPABILITY))
        .any(|(opcode, operands)| opcode == op::EXTENSION && operands == newer);
    if !has {
        return words;
    }
    let mut out = words[..HEADER].to_vec();
    for (opcode, operands) in instructions(&words) {
        match (opcode, operands) {
            (op::EXTENSION, name) if name == newer => emit(&mut out, op::EXTENSION, &words_of(OLDER)),
            (op::CAPABILITY, [CAPABILITY_OF_MODE]) | (op::EXECUTION_MODE_ID, [_, MODE, ..]) => {}
            _ => emit(&mut out, opcode, operands),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[(u32, &[u32])]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 40, 0];
        instructions.iter().for_each(|(opcode, operands)| emit(&mut words, *opcode, operands));
        words
    }

    #[test]
    fn the_newer_extension_is_told_in_words_of_the_older_one() {
        const FLAGS: (u32, &[u32]) = (op::CAPABILITY, &[5381]);
        const RAYS: (u32, &[u32]) = (op::CAPABILITY, &[4479]);
        let other = words_of("SPV_KHR_ray_tracing");
        let (newer, older) = (words_of(NEWER), words_of(OLDER));
        let before = [
            RAYS,
            FLAGS,
            (op::CAPABILITY, &[CAPABILITY_OF_MODE]),
            (op::EXTENSION, &other),
            (op::EXTENSION, &newer),
            (op::EXECUTION_MODE_ID, &[4, MODE, 9]),
            (op::EXECUTION_MODE_ID, &[4, 38, 9]),
        ];
        let after =
            [RAYS, FLAGS, (op::EXTENSION, &other), (op::EXTENSION, &older), (op::EXECUTION_MODE_ID, &[4, 38, 9])];
        assert_eq!(of_the_older_extension(module(&before)), module(&after));
        for untouched in [module(&after), module(&[RAYS, (op::EXTENSION, &other)]), Vec::new()] {
            assert_eq!(of_the_older_extension(untouched.clone()), untouched);
        }
    }
}
