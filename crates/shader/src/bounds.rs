//! Indices that stay within the bound heaps.
//!
//! What a shader finds beyond a heap's end is memory that means nothing as a descriptor, and a GPU may stop for good over it. So the arrays of
//! views have one element more than the heap, which is null, and an index of the heap's end or beyond becomes that one's. How long the
//! arrays are, shaders ask of the buffer of offset entries ([`Heaps::offsets`](crate::Heaps::offsets)), which is as long. Arrays of samplers
//! are of one length, [`Target::samplers`](crate::Target::samplers), and none of their elements is unwritten.

use std::collections::{HashMap, HashSet};

use crate::facts::{BOUND, HEADER, emit, instructions};
use crate::{Heaps, Slot};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const TYPE_VOID: u32 = 19;
    pub(super) const TYPE_BOOL: u32 = 20;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_STRUCT: u32 = 30;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const TYPE_FORWARD_POINTER: u32 = 39;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const ARRAY_LENGTH: u32 = 68;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const MEMBER_DECORATE: u32 = 72;
    pub(super) const I_SUB: u32 = 130;
    pub(super) const SELECT: u32 = 169;
    pub(super) const U_LESS_THAN: u32 = 176;
}
const BLOCK: u32 = 2;
const ARRAY_STRIDE: u32 = 6;
const NON_WRITABLE: u32 = 24;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const OFFSET: u32 = 35;
const NON_UNIFORM: u32 = 5300;
/// The storage class of buffers that shaders write.
const STORAGE_BUFFER: u32 = 12;
/// From this version on, entry points name all variables that they use.
const NAMES_ALL: u32 = 0x0001_0400;
/// Words of an offset entry.
const ENTRY_WORDS: u32 = 4;

/// What an array holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Array {
    Views,
    Samplers,
}

/// What the pass must know of a module, by the numbers of its results.
#[derive(Default)]
struct Module {
    /// Unsigned integers of 32 bits, booleans.
    word: Option<u32>,
    boolean: Option<u32>,
    /// Variables that are arrays of a heap.
    variables: HashMap<u32, Array>,
    /// Results that differ from lane to lane.
    apart: HashSet<u32>,
    /// Whether an array of views is indexed.
    views: bool,
}

fn read(words: &[u32], heaps: &Heaps) -> Module {
    let mut module = Module::default();
    let mut places: HashMap<u32, [Option<u32>; 2]> = HashMap::new();
    let views = [
        heaps.sampled_image,
        heaps.storage_image,
        heaps.uniform_texel,
        heaps.storage_texel,
        heaps.uniform_buffer,
        heaps.storage_buffer,
    ];
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::DECORATE, [it, NON_UNIFORM]) => drop(module.apart.insert(*it)),
            (op::DECORATE, [it, DESCRIPTOR_SET, set]) => places.entry(*it).or_default()[0] = Some(*set),
            (op::DECORATE, [it, BINDING, binding]) => places.entry(*it).or_default()[1] = Some(*binding),
            (op::TYPE_BOOL, [it]) => module.boolean = Some(*it),
            (op::TYPE_INT, [it, 32, 0]) => module.word = Some(*it),
            (op::VARIABLE, [_, it, ..]) => {
                let Some([Some(set), Some(binding)]) = places.get(it).copied() else { continue };
                let slot = Slot { set, binding };
                if slot == heaps.sampler {
                    module.variables.insert(*it, Array::Samplers);
                } else if views.contains(&slot) {
                    module.variables.insert(*it, Array::Views);
                }
            }
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, _, variable, _, ..]) => {
                module.views |= module.variables.get(variable) == Some(&Array::Views);
            }
            _ => {}
        }
    }
    module
}

/// The numbers of what the pass adds.
struct Added {
    /// The storage buffer of entries, its type and the pointer to it; an entry.
    entries: u32,
    structure: u32,
    array: u32,
    pointer: u32,
    entry: u32,
    word: u32,
    boolean: u32,
    one: u32,
    last_sampler: u32,
}

/// The module with indices that stay within the heaps; as it is where it indexes none. Sampler heaps have `samplers` elements.
pub(crate) fn within_heaps(words: Vec<u32>, heaps: &Heaps, samplers: u32) -> Vec<u32> {
    if words.len() < HEADER {
        return words;
    }
    let module = read(&words, heaps);
    if module.variables.is_empty() {
        return words;
    }
    let mut bound = words[BOUND];
    let mut id = || {
        bound += 1;
        bound - 1
    };
    let added = Added {
        entries: id(),
        structure: id(),
        array: id(),
        pointer: id(),
        entry: id(),
        word: module.word.unwrap_or_else(&mut id),
        boolean: module.boolean.unwrap_or_else(&mut id),
        one: id(),
        last_sampler: id(),
    };
    // Annotations stand before all types, so the body comes first: what it needs of them is known then.
    let (mut body, mut apart) = (Vec::new(), Vec::new());
    let mut out = words[..HEADER].to_vec();
    let mut all = instructions(&words).peekable();
    while let Some((opcode, operands)) = all.next_if(|(opcode, _)| !is_type(*opcode)) {
        match opcode {
            op::ENTRY_POINT if words[1] >= NAMES_ALL && module.views => {
                emit(&mut out, opcode, &[operands, &[added.entries]].concat());
            }
            _ => emit(&mut out, opcode, operands),
        }
    }
    let mut declared = false;
    for (opcode, operands) in all {
        if opcode == op::FUNCTION && !declared {
            declared = true;
            declare(&mut body, &module, &added, samplers);
        }
        match (opcode, operands) {
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [kind, it, variable, index, members @ ..])
                if module.variables.contains_key(variable) =>
            {
                let last = match module.variables[variable] {
                    Array::Samplers => added.last_sampler,
                    Array::Views => {
                        let (length, last) = (id(), id());
                        emit(&mut body, op::ARRAY_LENGTH, &[added.word, length, added.entries, 0]);
                        emit(&mut body, op::I_SUB, &[added.word, last, length, added.one]);
                        last
                    }
                };
                let (fits, inside) = (id(), id());
                emit(&mut body, op::U_LESS_THAN, &[added.boolean, fits, *index, last]);
                emit(&mut body, op::SELECT, &[added.word, inside, fits, *index, last]);
                emit(&mut body, opcode, &[&[*kind, *it, *variable, inside], members].concat());
                if module.apart.contains(it) || module.apart.contains(index) {
                    apart.push(inside);
                }
            }
            _ => emit(&mut body, opcode, operands),
        }
    }
    apart.iter().for_each(|index| emit(&mut out, op::DECORATE, &[*index, NON_UNIFORM]));
    if module.views {
        for word in 0..ENTRY_WORDS {
            emit(&mut out, op::MEMBER_DECORATE, &[added.entry, word, OFFSET, 4 * word]);
        }
        emit(&mut out, op::DECORATE, &[added.array, ARRAY_STRIDE, 4 * ENTRY_WORDS]);
        emit(&mut out, op::MEMBER_DECORATE, &[added.structure, 0, OFFSET, 0]);
        emit(&mut out, op::DECORATE, &[added.structure, BLOCK]);
        emit(&mut out, op::DECORATE, &[added.entries, DESCRIPTOR_SET, heaps.offsets.set]);
        emit(&mut out, op::DECORATE, &[added.entries, BINDING, heaps.offsets.binding]);
        emit(&mut out, op::DECORATE, &[added.entries, NON_WRITABLE]);
    }
    out.extend(body);
    out[BOUND] = bound;
    out
}

/// Whether an instruction makes a type: annotations stand before it.
pub(crate) fn is_type(opcode: u32) -> bool {
    (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER).contains(&opcode)
}

/// Types, constants and the buffer of entries, before the first function.
fn declare(out: &mut Vec<u32>, module: &Module, added: &Added, samplers: u32) {
    let Added { entries, structure, array, pointer, entry, word, boolean, one, last_sampler } = *added;
    if module.word.is_none() {
        emit(out, op::TYPE_INT, &[word, 32, 0]);
    }
    if module.boolean.is_none() {
        emit(out, op::TYPE_BOOL, &[boolean]);
    }
    emit(out, op::CONSTANT, &[word, one, 1]);
    emit(out, op::CONSTANT, &[word, last_sampler, samplers.saturating_sub(1)]);
    if module.views {
        emit(out, op::TYPE_STRUCT, &[&[entry][..], &[word; ENTRY_WORDS as usize]].concat());
        emit(out, op::TYPE_RUNTIME_ARRAY, &[array, entry]);
        emit(out, op::TYPE_STRUCT, &[structure, array]);
        emit(out, op::TYPE_POINTER, &[pointer, STORAGE_BUFFER, structure]);
        emit(out, op::VARIABLE, &[pointer, entries, STORAGE_BUFFER]);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn heaps() -> Heaps {
        Heaps {
            sampled_image: Slot { set: 0, binding: 2 },
            sampler: Slot { set: 3, binding: 0 },
            offsets: Slot { set: 0, binding: 0 },
            storage_buffer: Slot { set: 2, binding: 0 },
            uniform_buffer: Slot { set: 1, binding: 0 },
            ..Heaps { storage_image: Slot { set: 0, binding: 2 }, ..Heaps::default() }
        }
    }

    /// An array of textures, one of samplers and a buffer of another set, each indexed once by number 31.
    fn module(version: u32, apart: &[&[u32]]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, version, 0, 40, 0];
        let mut add = |opcode: u32, operands: &[u32]| emit(&mut words, opcode, operands);
        add(op::ENTRY_POINT, &[5, 9, 0, 8]);
        for (variable, set, binding) in [(20, 0, 2), (21, 3, 0), (22, 7, 0)] {
            add(op::DECORATE, &[variable, DESCRIPTOR_SET, set]);
            add(op::DECORATE, &[variable, BINDING, binding]);
        }
        apart.iter().for_each(|operands| add(op::DECORATE, operands));
        add(op::TYPE_INT, &[1, 32, 0]);
        for variable in [20, 21, 22] {
            add(op::VARIABLE, &[18, variable, 0]);
        }
        add(op::FUNCTION, &[2, 9, 0, 3]);
        for (result, variable) in [(30, 20), (32, 21), (33, 22)] {
            add(op::ACCESS_CHAIN, &[19, result, variable, 31, 7]);
        }
        words
    }

    #[test]
    fn an_index_beyond_becomes_the_last_elements() {
        let words = within_heaps(module(0x0001_0300, &[]), &heaps(), 2048);
        let all: Vec<(u32, &[u32])> = instructions(&words).collect();
        let has = |operands: &[u32]| all.contains(&(op::DECORATE, operands));
        // Numbers from 40 on: buffer, structure, array, pointer, entry, boolean, 1, 2047.
        assert!(has(&[40, DESCRIPTOR_SET, 0]) && has(&[40, BINDING, 0]) && has(&[42, ARRAY_STRIDE, 16]));
        assert!(all.contains(&(op::CONSTANT, &[1, 47, 2047])));
        let at = all.iter().position(|(opcode, _)| *opcode == op::FUNCTION).unwrap();
        assert_eq!(
            all[at + 1..],
            [
                (op::ARRAY_LENGTH, &[1, 48, 40, 0][..]),
                (op::I_SUB, &[1, 49, 48, 46]),
                (op::U_LESS_THAN, &[45, 50, 31, 49]),
                (op::SELECT, &[1, 51, 50, 31, 49]),
                (op::ACCESS_CHAIN, &[19, 30, 20, 51, 7]),
                (op::U_LESS_THAN, &[45, 52, 31, 47]),
                (op::SELECT, &[1, 53, 52, 31, 47]),
                (op::ACCESS_CHAIN, &[19, 32, 21, 53, 7]),
                (op::ACCESS_CHAIN, &[19, 33, 22, 31, 7]),
            ]
        );
        assert_eq!((all[0].1, words[BOUND]), (&[5, 9, 0, 8][..], 54));
    }

    #[test]
    fn what_differs_from_lane_to_lane_is_said_so() {
        for it in [30, 31] {
            let words = within_heaps(module(0x0001_0600, &[&[it, NON_UNIFORM]]), &heaps(), 2048);
            let all: Vec<(u32, &[u32])> = instructions(&words).collect();
            assert!(all.contains(&(op::DECORATE, &[51, NON_UNIFORM])), "{it}");
            assert_eq!(all[0].1, [5, 9, 0, 8, 40], "the entry point names the buffer");
        }
    }

    #[test]
    fn modules_that_index_no_heap_are_left_alone() {
        let elsewhere = Heaps { sampled_image: Slot { set: 9, binding: 9 }, ..Heaps::default() };
        let elsewhere = Heaps { sampler: Slot { set: 9, binding: 8 }, ..elsewhere };
        let whole = module(0x0001_0300, &[]);
        assert_eq!(within_heaps(whole.clone(), &elsewhere, 2048), whole);
        for length in 0..whole.len() {
            drop(within_heaps(whole[..length].to_vec(), &heaps(), 2048));
        }
    }
}
