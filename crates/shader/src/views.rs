//! View instances: which view a shader runs for, and where that view is drawn to, as specialisation constants.
//!
//! The translator reads the view and its layer from a uniform buffer. Here a constant takes the buffer's place, so that one module
//! serves all views: a pipeline of each has its own value.

use std::collections::HashSet;

use crate::facts::{HEADER, emit, instructions};

/// The constant with the number of the view (16 bits), and the layer that is added to what the shader says (16 bits above).
pub const VIEW: u32 = 0;
/// The constant with the viewport that is added for each view, 8 bits each; the first view has the lowest.
pub const VIEWPORTS: u32 = 1;

/// The descriptor set that the translator is told for the buffer. No other has its number, and none is left with it.
pub(crate) const SET: u32 = 0x7669;

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const SPEC_CONSTANT: u32 = 50;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const COPY_OBJECT: u32 = 83;
    pub(super) const TYPE_INT: u32 = 21;
}
const SPEC_ID: u32 = 1;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;

/// The module with a constant in place of the buffer; as it is where it has no such buffer.
pub(crate) fn with_constant(words: Vec<u32>) -> Vec<u32> {
    let (mut buffer, mut word) = (None, None);
    let mut chains = HashSet::new();
    for (opcode, operands) in instructions(&words) {
        match (opcode, operands) {
            (op::DECORATE, [variable, DESCRIPTOR_SET, SET]) => buffer = Some(*variable),
            (op::TYPE_INT, [id, 32, 0]) => word = Some(*id),
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, id, from, ..]) if Some(*from) == buffer => {
                chains.insert(*id);
            }
            _ => {}
        }
    }
    let (Some(buffer), Some(word), Some(header)) = (buffer, word, words.get(..HEADER)) else { return words };
    let mut out = header.to_vec();
    for (opcode, operands) in instructions(&words) {
        match (opcode, operands) {
            (op::ENTRY_POINT, _) => {
                // The names of variables stand behind a string, which ends in the word with a zero byte.
                let ends = |word: &u32| word.to_le_bytes().contains(&0);
                let name = operands.iter().skip(2).position(ends).map_or(operands.len(), |at| at + 3);
                let (head, variables) = operands.split_at(name.min(operands.len()));
                let left: Vec<u32> = variables.iter().copied().filter(|variable| *variable != buffer).collect();
                emit(&mut out, opcode, &[head, &left].concat());
            }
            (op::DECORATE, [variable, BINDING, ..]) if *variable == buffer => {}
            (op::DECORATE, [variable, DESCRIPTOR_SET, ..]) if *variable == buffer => {
                emit(&mut out, op::DECORATE, &[buffer, SPEC_ID, VIEW]);
            }
            (op::VARIABLE, [_, variable, ..]) if *variable == buffer => {
                emit(&mut out, op::SPEC_CONSTANT, &[word, buffer, 0]);
            }
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, _, from, ..]) if *from == buffer => {}
            (op::LOAD, [kind, id, from, ..]) if chains.contains(from) => {
                emit(&mut out, op::COPY_OBJECT, &[*kind, *id, buffer]);
            }
            _ => emit(&mut out, opcode, operands),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module that reads the buffer (number 10) beside another variable (number 11) of the next set.
    fn module() -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 40, 0];
        // "main", and the word that ends it.
        emit(&mut words, op::ENTRY_POINT, &[0, 20, 0x6e69_616d, 0, 10, 11]);
        emit(&mut words, op::DECORATE, &[10, DESCRIPTOR_SET, SET]);
        emit(&mut words, op::DECORATE, &[10, BINDING, 0]);
        emit(&mut words, op::DECORATE, &[11, DESCRIPTOR_SET, 1]);
        emit(&mut words, op::TYPE_INT, &[1, 32, 1]);
        emit(&mut words, op::TYPE_INT, &[2, 32, 0]);
        emit(&mut words, op::VARIABLE, &[3, 10, 2]);
        emit(&mut words, op::VARIABLE, &[3, 11, 2]);
        for at in [21, 23] {
            emit(&mut words, op::ACCESS_CHAIN, &[4, at, 10, 12]);
            emit(&mut words, op::LOAD, &[2, at + 1, at]);
        }
        emit(&mut words, op::ACCESS_CHAIN, &[4, 25, 11, 12]);
        emit(&mut words, op::LOAD, &[2, 26, 25]);
        words
    }

    #[test]
    fn the_buffer_becomes_a_constant_and_all_else_stays() {
        let words = with_constant(module());
        let all: Vec<(u32, &[u32])> = instructions(&words).collect();
        let expected: [(u32, &[u32]); 11] = [
            (op::ENTRY_POINT, &[0, 20, 0x6e69_616d, 0, 11]),
            (op::DECORATE, &[10, SPEC_ID, VIEW]),
            (op::DECORATE, &[11, DESCRIPTOR_SET, 1]),
            (op::TYPE_INT, &[1, 32, 1]),
            (op::TYPE_INT, &[2, 32, 0]),
            (op::SPEC_CONSTANT, &[2, 10, 0]),
            (op::VARIABLE, &[3, 11, 2]),
            (op::COPY_OBJECT, &[2, 22, 10]),
            (op::COPY_OBJECT, &[2, 24, 10]),
            (op::ACCESS_CHAIN, &[4, 25, 11, 12]),
            (op::LOAD, &[2, 26, 25]),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn a_module_without_the_buffer_stays_as_it_is() {
        let mut other = module();
        let set = other.iter().position(|word| *word == SET).unwrap();
        other[set] = 0;
        assert_eq!(with_constant(other.clone()), other);
        // Whatever is cut off harms nobody.
        let whole = module();
        for length in 0..whole.len() {
            with_constant(whole[..length].to_vec());
        }
    }
}
