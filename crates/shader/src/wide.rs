//! Textures and typed buffers whose texels are one integer of 64 bits.
//!
//! The translator takes them from the heap's arrays, as it does all others. There a descriptor is of a pair of 32-bit integers, and
//! Vulkan lets no shader see it as one of 64. The runtime has the other view in arrays of the device
//! ([`Heaps::wide_image`](crate::Heaps::wide_image)), and the number of it beside the heap's descriptor
//! ([`Heaps::addresses`](crate::Heaps::addresses)). Here the module's variables become those arrays, and each index is replaced by the
//! number at that index. A number that is none of the array's becomes 0, which is null: descriptors of other kinds have addresses there.

use std::collections::{HashMap, HashSet};

use crate::Heaps;
use crate::facts::{BOUND, HEADER, emit, instructions};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const TYPE_VOID: u32 = 19;
    pub(super) const TYPE_BOOL: u32 = 20;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_IMAGE: u32 = 25;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(super) const TYPE_STRUCT: u32 = 30;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const TYPE_FORWARD_POINTER: u32 = 39;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const MEMBER_DECORATE: u32 = 72;
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
/// The dimension of images that are buffers.
const BUFFER: u32 = 5;
/// The storage class of buffers that shaders write.
const STORAGE_BUFFER: u32 = 12;
/// From this version on, entry points name all variables that they use.
const NAMES_ALL: u32 = 0x0001_0400;

/// What the pass must know of a module, by the numbers of its results.
#[derive(Default)]
struct Module {
    /// Unsigned integers of 32 bits, booleans, pairs of words.
    word: Option<u32>,
    boolean: Option<u32>,
    pair: Option<u32>,
    /// Variables that are arrays of images of 64-bit texels, and whether these are buffers.
    variables: HashMap<u32, bool>,
    /// Results that differ from lane to lane.
    apart: HashSet<u32>,
}

fn read(words: &[u32]) -> Module {
    let mut module = Module::default();
    // Types that lead to images of 64-bit texels, and whether these are buffers.
    let (mut longs, mut leads) = (HashSet::new(), HashMap::new());
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::DECORATE, [it, NON_UNIFORM]) => drop(module.apart.insert(*it)),
            (op::TYPE_BOOL, [it]) => module.boolean = Some(*it),
            (op::TYPE_INT, [it, 32, 0]) => module.word = Some(*it),
            (op::TYPE_INT, [it, 64, _]) => drop(longs.insert(*it)),
            (op::TYPE_VECTOR, [it, of, 2]) if module.word == Some(*of) => module.pair = Some(*it),
            (op::TYPE_IMAGE, [it, texel, dimension, ..]) if longs.contains(texel) => {
                leads.insert(*it, *dimension == BUFFER);
            }
            (op::TYPE_RUNTIME_ARRAY, [it, of]) | (op::TYPE_ARRAY, [it, of, _]) | (op::TYPE_POINTER, [it, _, of]) => {
                if let Some(buffers) = leads.get(of).copied() {
                    leads.insert(*it, buffers);
                }
            }
            (op::VARIABLE, [kind, it, ..]) => {
                if let Some(buffers) = leads.get(kind) {
                    module.variables.insert(*it, *buffers);
                }
            }
            (op::FUNCTION, _) => break,
            _ => {}
        }
    }
    module
}

/// The numbers of what the pass adds.
struct Added {
    /// The storage buffer of numbers, its type and the pointer to it.
    numbers: u32,
    structure: u32,
    array: u32,
    pointer: u32,
    /// The pointer to a word of it.
    word_pointer: u32,
    word: u32,
    boolean: u32,
    pair: u32,
    zero: u32,
    count: u32,
}

/// The module with its 64-bit texels from the arrays of the device; as it is where it has none, or the device no such arrays.
pub(crate) fn from_arrays(words: Vec<u32>, heaps: &Heaps) -> Vec<u32> {
    if heaps.wide_count == 0 || words.len() < HEADER {
        return words;
    }
    let module = read(&words);
    if module.variables.is_empty() {
        return words;
    }
    let mut bound = words[BOUND];
    let mut id = || {
        bound += 1;
        bound - 1
    };
    let added = Added {
        numbers: id(),
        structure: id(),
        array: id(),
        pointer: id(),
        word_pointer: id(),
        word: module.word.unwrap_or_else(&mut id),
        boolean: module.boolean.unwrap_or_else(&mut id),
        pair: module.pair.unwrap_or_else(&mut id),
        zero: id(),
        count: id(),
    };
    // Annotations stand before all types, so the body comes first: what it needs of them is known then.
    let (mut body, mut apart) = (Vec::new(), Vec::new());
    let mut out = words[..HEADER].to_vec();
    let mut all = instructions(&words).peekable();
    while let Some((opcode, operands)) = all.next_if(|(opcode, _)| !is_type(*opcode)) {
        match (opcode, operands) {
            (op::ENTRY_POINT, _) if words[1] >= NAMES_ALL => {
                emit(&mut out, opcode, &[operands, &[added.numbers]].concat());
            }
            (op::DECORATE, [it, what @ (DESCRIPTOR_SET | BINDING), _]) if module.variables.contains_key(it) => {
                let slot = if module.variables[it] { heaps.wide_texel } else { heaps.wide_image };
                emit(&mut out, opcode, &[*it, *what, if *what == BINDING { slot.binding } else { slot.set }]);
            }
            _ => emit(&mut out, opcode, operands),
        }
    }
    let mut declared = false;
    for (opcode, operands) in all {
        if opcode == op::FUNCTION && !declared {
            declared = true;
            declare(&mut body, &module, &added, heaps.wide_count);
        }
        match (opcode, operands) {
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [kind, it, variable, index])
                if module.variables.contains_key(variable) =>
            {
                let (place, read, fits, number) = (id(), id(), id(), id());
                let chain = [added.word_pointer, place, added.numbers, added.zero, *index, added.zero];
                emit(&mut body, op::ACCESS_CHAIN, &chain);
                emit(&mut body, op::LOAD, &[added.word, read, place]);
                emit(&mut body, op::U_LESS_THAN, &[added.boolean, fits, read, added.count]);
                emit(&mut body, op::SELECT, &[added.word, number, fits, read, added.zero]);
                emit(&mut body, opcode, &[*kind, *it, *variable, number]);
                if module.apart.contains(it) || module.apart.contains(index) {
                    apart.push(number);
                }
            }
            _ => emit(&mut body, opcode, operands),
        }
    }
    apart.iter().for_each(|number| emit(&mut out, op::DECORATE, &[*number, NON_UNIFORM]));
    emit(&mut out, op::DECORATE, &[added.array, ARRAY_STRIDE, 8]);
    emit(&mut out, op::MEMBER_DECORATE, &[added.structure, 0, OFFSET, 0]);
    emit(&mut out, op::DECORATE, &[added.structure, BLOCK]);
    emit(&mut out, op::DECORATE, &[added.numbers, DESCRIPTOR_SET, heaps.addresses.set]);
    emit(&mut out, op::DECORATE, &[added.numbers, BINDING, heaps.addresses.binding]);
    emit(&mut out, op::DECORATE, &[added.numbers, NON_WRITABLE]);
    out.extend(body);
    out[BOUND] = bound;
    out
}

fn is_type(opcode: u32) -> bool {
    (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER).contains(&opcode)
}

/// Types, constants and the buffer of numbers, before the first function.
fn declare(out: &mut Vec<u32>, module: &Module, added: &Added, count: u32) {
    let Added { numbers, structure, array, pointer, word_pointer, word, boolean, pair, zero, count: most } = *added;
    if module.word.is_none() {
        emit(out, op::TYPE_INT, &[word, 32, 0]);
    }
    if module.boolean.is_none() {
        emit(out, op::TYPE_BOOL, &[boolean]);
    }
    if module.pair.is_none() {
        emit(out, op::TYPE_VECTOR, &[pair, word, 2]);
    }
    emit(out, op::TYPE_RUNTIME_ARRAY, &[array, pair]);
    emit(out, op::TYPE_STRUCT, &[structure, array]);
    emit(out, op::TYPE_POINTER, &[pointer, STORAGE_BUFFER, structure]);
    emit(out, op::TYPE_POINTER, &[word_pointer, STORAGE_BUFFER, word]);
    emit(out, op::CONSTANT, &[word, zero, 0]);
    emit(out, op::CONSTANT, &[word, most, count]);
    emit(out, op::VARIABLE, &[pointer, numbers, STORAGE_BUFFER]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slot;

    fn heaps() -> Heaps {
        Heaps {
            addresses: Slot { set: 0, binding: 1 },
            wide_image: Slot { set: 5, binding: 0 },
            wide_texel: Slot { set: 5, binding: 1 },
            wide_count: 100,
            ..Heaps::default()
        }
    }

    /// Variable 20 is an array of textures of 64-bit texels, 21 one of buffers, 22 one of textures of words. Chain 30 is of the first.
    fn module(version: u32, decorations: &[&[u32]]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, version, 0, 40, 0];
        emit(&mut words, op::ENTRY_POINT, &[5, 9, 0, 8]);
        for set in [20, 21, 22] {
            emit(&mut words, op::DECORATE, &[set, DESCRIPTOR_SET, 1]);
            emit(&mut words, op::DECORATE, &[set, BINDING, 2]);
        }
        decorations.iter().for_each(|operands| emit(&mut words, op::DECORATE, operands));
        emit(&mut words, op::TYPE_INT, &[1, 32, 0]);
        emit(&mut words, op::TYPE_INT, &[2, 64, 0]);
        for (image, texel, dimension, variable) in [(10, 2, 1, 20), (11, 2, BUFFER, 21), (12, 1, 1, 22)] {
            emit(&mut words, op::TYPE_IMAGE, &[image, texel, dimension, 0, 0, 0, 2, 40]);
            emit(&mut words, op::TYPE_RUNTIME_ARRAY, &[image + 3, image]);
            emit(&mut words, op::TYPE_POINTER, &[image + 6, 0, image + 3]);
            emit(&mut words, op::VARIABLE, &[image + 6, variable, 0]);
        }
        emit(&mut words, op::FUNCTION, &[3, 9, 0, 4]);
        emit(&mut words, op::ACCESS_CHAIN, &[19, 30, 20, 31]);
        emit(&mut words, op::ACCESS_CHAIN, &[19, 32, 22, 31]);
        words
    }

    #[test]
    fn an_index_becomes_the_number_that_lies_there() {
        let words = from_arrays(module(0x0001_0300, &[]), &heaps());
        let all: Vec<(u32, &[u32])> = instructions(&words).collect();
        let first = |opcode: u32| all.iter().position(|it| it.0 == opcode).unwrap_or_default();
        let has = |operands: &[u32]| all.contains(&(op::DECORATE, operands));
        assert!(has(&[20, DESCRIPTOR_SET, 5]) && has(&[20, BINDING, 0]), "textures");
        assert!(has(&[21, DESCRIPTOR_SET, 5]) && has(&[21, BINDING, 1]), "buffers");
        assert!(has(&[22, DESCRIPTOR_SET, 1]) && has(&[22, BINDING, 2]), "of words: as it was");
        // Numbers from 40 on: buffer, structure, array, two pointers, boolean, pair, 0, 100.
        assert!(has(&[40, DESCRIPTOR_SET, 0]) && has(&[40, BINDING, 1]));
        let at = first(op::FUNCTION);
        assert_eq!(
            all[at + 1..],
            [
                (op::ACCESS_CHAIN, &[44, 49, 40, 47, 31, 47][..]),
                (op::LOAD, &[1, 50, 49]),
                (op::U_LESS_THAN, &[45, 51, 50, 48]),
                (op::SELECT, &[1, 52, 51, 50, 47]),
                (op::ACCESS_CHAIN, &[19, 30, 20, 52]),
                (op::ACCESS_CHAIN, &[19, 32, 22, 31]),
            ]
        );
        assert_eq!((all[0].1, words[BOUND]), (&[5, 9, 0, 8][..], 53));
        assert!(all[..first(op::TYPE_INT)].iter().all(|it| it.0 != op::DECORATE || it.1 != [52, NON_UNIFORM]));
    }

    #[test]
    fn what_differs_from_lane_to_lane_is_said_so() {
        for it in [30, 31] {
            let words = from_arrays(module(0x0001_0600, &[&[it, NON_UNIFORM]]), &heaps());
            let all: Vec<(u32, &[u32])> = instructions(&words).collect();
            assert!(all.contains(&(op::DECORATE, &[52, NON_UNIFORM])), "{it}");
            assert_eq!(all[0].1, [5, 9, 0, 8, 40], "the entry point names the buffer");
        }
    }

    #[test]
    fn other_modules_and_other_devices_are_left_alone() {
        let none = Heaps { wide_count: 0, ..heaps() };
        let whole = module(0x0001_0300, &[]);
        assert_eq!(from_arrays(whole.clone(), &none), whole);
        for length in 0..whole.len() {
            drop(from_arrays(whole[..length].to_vec(), &heaps()));
        }
        let plain = whole[..HEADER + 5].to_vec();
        assert_eq!(from_arrays(plain.clone(), &heaps()), plain);
    }
}
