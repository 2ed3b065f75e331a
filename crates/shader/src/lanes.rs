//! Shader model 5: lanes may index descriptors apart wherever an index is computed from more than constants.
//!
//! Its compiler (FXC) joins accesses of several branches to one, and forgets in some of them that the index differs from lane to lane. A
//! driver that trusts this takes one lane's descriptor for all. So each such index says so, and no lane's value is assumed to be that of all.

use std::collections::HashSet;

use crate::facts::{HEADER, emit, instructions};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const TYPE_IMAGE: u32 = 25;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const CONSTANT_TRUE: u32 = 41;
    pub(super) const CONSTANT_NULL: u32 = 46;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const IMAGE_TEXEL_POINTER: u32 = 60;
    pub(super) const LOAD: u32 = 61;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const COMPOSITE_EXTRACT: u32 = 81;
    pub(super) const COPY_OBJECT: u32 = 83;
    pub(super) const SAMPLED_IMAGE: u32 = 86;
    pub(super) const BITCAST: u32 = 124;
    /// Between them: arithmetic.
    pub(super) const S_NEGATE: u32 = 126;
    pub(super) const DOT: u32 = 148;
    /// Between them: shifts and operations on bits.
    pub(super) const SHIFT_RIGHT: u32 = 194;
    pub(super) const NOT: u32 = 200;
    pub(super) const BROADCAST_FIRST: u32 = 338;
}
const NON_UNIFORM: u32 = 5300;
const UNIFORM_CONSTANT: u32 = 0;
const UNIFORM: u32 = 2;
const PUSH_CONSTANT: u32 = 9;
const STORAGE_BUFFER: u32 = 12;
/// The dimension of images that are buffers.
const BUFFER: u32 = 5;
/// Capabilities: arrays of a kind of descriptors are indexed so.
const UNIFORM_BUFFERS: u32 = 5306;
const SAMPLED_IMAGES: u32 = 5307;
const STORAGE_BUFFERS: u32 = 5308;
const STORAGE_IMAGES: u32 = 5309;
const UNIFORM_TEXELS: u32 = 5311;
const STORAGE_TEXELS: u32 = 5312;

/// What is found in a module.
#[derive(Default)]
struct Found {
    /// Results that say already that they differ from lane to lane.
    said: HashSet<u32>,
    /// Arrays of descriptors, by type, and variables of such types, with the capability that such indices need.
    arrays: Vec<(u32, u32)>,
    /// Results that are the same in all lanes of a draw or dispatch.
    same: HashSet<u32>,
    /// Pointers to memory that is the same for all.
    shared: HashSet<u32>,
    /// Indices that may differ, and what is reached by them.
    apart: Vec<u32>,
    reached: HashSet<u32>,
    needs: Vec<u32>,
}

/// The module in which each computed index says that it may differ; as it is where there is none.
pub(crate) fn indexing_apart(words: Vec<u32>) -> Vec<u32> {
    let mut found = Found::default();
    instructions(&words).for_each(|(opcode, operands)| found.see(opcode, operands));
    if found.apart.is_empty() {
        return words;
    }
    let mut out = words[..HEADER].to_vec();
    let has = |capability: u32| instructions(&words).any(|it| it == (op::CAPABILITY, &[capability]));
    found.needs.iter().filter(|need| !has(**need)).for_each(|need| emit(&mut out, op::CAPABILITY, &[*need]));
    let mut decorated = false;
    for (opcode, operands) in instructions(&words) {
        if crate::bounds::is_type(opcode) && !decorated {
            decorated = true;
            let all = found.apart.iter().chain(&found.reached);
            let mut all: Vec<u32> = all.copied().filter(|it| !found.said.contains(it)).collect();
            all.sort_unstable();
            all.dedup();
            all.iter().for_each(|it| emit(&mut out, op::DECORATE, &[*it, NON_UNIFORM]));
        }
        match (opcode, operands) {
            (op::BROADCAST_FIRST, [kind, it, _, value]) if found.apart.contains(value) => {
                emit(&mut out, op::COPY_OBJECT, &[*kind, *it, *value]);
            }
            _ => emit(&mut out, opcode, operands),
        }
    }
    out
}

impl Found {
    fn see(&mut self, opcode: u32, operands: &[u32]) {
        match (opcode, operands) {
            (op::DECORATE, [it, NON_UNIFORM]) => drop(self.said.insert(*it)),
            (op::TYPE_IMAGE..=op::TYPE_POINTER | op::VARIABLE, _) => self.declare(opcode, operands),
            (op::CONSTANT_TRUE..=op::CONSTANT_NULL, [_, it, ..]) => drop(self.same.insert(*it)),
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, it, base, indices @ ..]) => {
                self.chain(*it, *base, indices);
            }
            (op::LOAD, [_, it, from, ..]) => {
                self.follow(*it, &[*from]);
                if self.shared.contains(from) {
                    self.same.insert(*it);
                }
            }
            (op::IMAGE_TEXEL_POINTER, [_, it, from, ..]) => self.follow(*it, &[*from]),
            (op::SAMPLED_IMAGE, [_, it, image, sampler]) => self.follow(*it, &[*image, *sampler]),
            (op::COMPOSITE_EXTRACT, [_, it, of, ..]) => self.compute(*it, &[*of]),
            (op::COPY_OBJECT | op::BITCAST | op::S_NEGATE..=op::DOT | op::SHIFT_RIGHT..=op::NOT, [_, it, of @ ..]) => {
                self.compute(*it, of);
            }
            _ => {}
        }
    }

    fn declare(&mut self, opcode: u32, operands: &[u32]) {
        let kind = |of: &u32| self.arrays.iter().find(|(id, _)| id == of).map(|(_, kind)| *kind);
        let found = match (opcode, operands) {
            // The last word says whether shaders write it.
            (op::TYPE_IMAGE, [it, _, BUFFER, _, _, _, 1, ..]) => Some((*it, UNIFORM_TEXELS)),
            (op::TYPE_IMAGE, [it, _, BUFFER, ..]) => Some((*it, STORAGE_TEXELS)),
            (op::TYPE_IMAGE, [it, _, _, _, _, _, 2, ..]) => Some((*it, STORAGE_IMAGES)),
            (op::TYPE_RUNTIME_ARRAY, [it, of]) | (op::TYPE_ARRAY, [it, of, _]) => {
                Some((*it, kind(of).unwrap_or(SAMPLED_IMAGES)))
            }
            (op::TYPE_POINTER, [it, UNIFORM_CONSTANT, of]) => kind(of).map(|kind| (*it, kind)),
            (op::TYPE_POINTER, [it, UNIFORM, of]) => kind(of).map(|_| (*it, UNIFORM_BUFFERS)),
            (op::TYPE_POINTER, [it, STORAGE_BUFFER, of]) => kind(of).map(|_| (*it, STORAGE_BUFFERS)),
            (op::VARIABLE, [of, it, class, ..]) => {
                if matches!(*class, UNIFORM | PUSH_CONSTANT) {
                    self.shared.insert(*it);
                }
                kind(of).map(|kind| (*it, kind))
            }
            _ => None,
        };
        self.arrays.extend(found);
    }

    fn chain(&mut self, it: u32, base: u32, indices: &[u32]) {
        let all_same = indices.iter().all(|index| self.same.contains(index));
        let array = self.arrays.iter().find(|(id, _)| *id == base).map(|(_, kind)| *kind);
        match (array, indices) {
            (Some(kind), [index, ..]) if !self.same.contains(index) => {
                self.apart.push(*index);
                self.reached.insert(it);
                if !self.needs.contains(&kind) {
                    self.needs.push(kind);
                }
            }
            _ => self.follow(it, &[base]),
        }
        if all_same && self.shared.contains(&base) {
            self.shared.insert(it);
        }
    }

    fn follow(&mut self, it: u32, from: &[u32]) {
        if from.iter().any(|from| self.reached.contains(from)) {
            self.reached.insert(it);
        }
    }

    fn compute(&mut self, it: u32, of: &[u32]) {
        if of.iter().all(|of| self.same.contains(of)) {
            self.same.insert(it);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPE_INT: u32 = 21;
    const CONSTANT: u32 = 43;
    const I_ADD: u32 = 128;
    const BUFFERS: u32 = 20;
    const PUSH: u32 = 21;
    const INPUT: u32 = 22;

    /// An array of storage buffers, push constants, an input; the code reads one of the buffers.
    fn module(code: &[(u32, &[u32])]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0600, 0, 90, 0];
        let head: [(u32, &[u32]); 9] = [
            (op::CAPABILITY, &[1]),
            (TYPE_INT, &[1, 32, 0]),
            (CONSTANT, &[1, 2, 3]),
            (30, &[3, 1]),
            (op::TYPE_RUNTIME_ARRAY, &[4, 3]),
            (op::TYPE_POINTER, &[5, STORAGE_BUFFER, 4]),
            (op::VARIABLE, &[5, BUFFERS, STORAGE_BUFFER]),
            (op::VARIABLE, &[6, PUSH, PUSH_CONSTANT]),
            (op::VARIABLE, &[7, INPUT, 1]),
        ];
        head.iter().chain(code).for_each(|(opcode, operands)| emit(&mut words, *opcode, operands));
        words
    }

    fn reading(from: u32) -> Vec<u32> {
        module(&[
            (op::ACCESS_CHAIN, &[8, 30, PUSH, 2]),
            (op::LOAD, &[1, 31, 30]),
            (op::ACCESS_CHAIN, &[8, 32, from, 2]),
            (op::LOAD, &[1, 33, 32]),
            (I_ADD, &[1, 34, 31, 33]),
            (op::BROADCAST_FIRST, &[1, 35, 2, 34]),
            (op::ACCESS_CHAIN, &[8, 36, BUFFERS, 34]),
            (op::ACCESS_CHAIN, &[8, 37, 36, 2, 35]),
            (op::LOAD, &[1, 38, 37]),
        ])
    }

    #[test]
    fn an_index_of_an_input_differs_from_lane_to_lane() {
        let words = indexing_apart(reading(INPUT));
        let all: Vec<(u32, &[u32])> = instructions(&words).collect();
        assert_eq!(all[0], (op::CAPABILITY, &[STORAGE_BUFFERS][..]));
        let said: Vec<u32> = all.iter().filter(|it| it.0 == op::DECORATE).map(|it| it.1[0]).collect();
        assert_eq!(said, [34, 36, 37, 38]);
        assert!(all.contains(&(op::COPY_OBJECT, &[1, 35, 34])));
        // What is said once is not said again.
        assert_eq!(indexing_apart(words.clone()), words);
    }

    #[test]
    fn an_index_of_constants_stays_as_it_is() {
        let words = reading(PUSH);
        assert_eq!(indexing_apart(words.clone()), words);
        // Whatever is cut off harms nobody.
        let whole = reading(INPUT);
        for length in 0..whole.len() {
            indexing_apart(whole[..length].to_vec());
        }
    }
}
