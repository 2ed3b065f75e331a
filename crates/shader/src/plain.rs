//! Reads that do not compare, through samplers that do.
//!
//! A shader's instruction says whether it compares, whatever the sampler. A driver that asks the sampler compares with a
//! number that nobody gave where the two differ. For it an array of samplers has a second half ([`Target::plain_samplers`](crate::Target::plain_samplers)): each sampler
//! again, without its comparison. Instructions that do not compare take theirs there.

use std::collections::{HashMap, HashSet};

use crate::Slot;
use crate::bounds::is_type;
use crate::facts::{BOUND, HEADER, emit, instructions};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const SAMPLED_IMAGE: u32 = 86;
    pub(super) const I_ADD: u32 = 128;
    /// Those that compare: with and without levels of their own, projected, gathered, and the same with residency.
    pub(super) const COMPARING: [u32; 10] = [89, 90, 93, 94, 97, 307, 308, 311, 312, 315];
}
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const NON_UNIFORM: u32 = 5300;

/// What the pass must know of a module, by the numbers of its results.
#[derive(Default)]
struct Module {
    /// Unsigned integers of 32 bits.
    word: Option<u32>,
    /// Variables that are the heap's array of samplers.
    variables: HashSet<u32>,
    /// Elements of it that comparing instructions use.
    comparing: HashSet<u32>,
    /// Results that differ from lane to lane.
    apart: HashSet<u32>,
    /// Whether an element is used in another way.
    plain: bool,
}

fn read(words: &[u32], heap: Slot) -> Module {
    let mut module = Module::default();
    let mut places: HashMap<u32, [Option<u32>; 2]> = HashMap::new();
    // What a loaded sampler and an image with a sampler came from.
    let (mut elements, mut from) = (HashSet::new(), HashMap::new());
    for (opcode, operands) in instructions(words) {
        match (opcode, operands) {
            (op::DECORATE, [it, NON_UNIFORM]) => drop(module.apart.insert(*it)),
            (op::DECORATE, [it, DESCRIPTOR_SET, set]) => places.entry(*it).or_default()[0] = Some(*set),
            (op::DECORATE, [it, BINDING, binding]) => places.entry(*it).or_default()[1] = Some(*binding),
            (op::TYPE_INT, [it, 32, 0]) => module.word = Some(*it),
            (op::VARIABLE, [_, it, ..]) if places.get(it) == Some(&[Some(heap.set), Some(heap.binding)]) => {
                module.variables.insert(*it);
            }
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, it, variable, ..])
                if module.variables.contains(variable) =>
            {
                elements.insert(*it);
            }
            (op::LOAD, [_, it, source, ..]) | (op::SAMPLED_IMAGE, [_, it, _, source]) => {
                from.insert(*it, *source);
            }
            (opcode, [_, _, image, ..]) if op::COMPARING.contains(&opcode) => {
                let element = from.get(image).and_then(|sampler| from.get(sampler));
                module.comparing.extend(element);
            }
            _ => {}
        }
    }
    module.plain = elements.iter().any(|element| !module.comparing.contains(element));
    module
}

/// The module whose plain reads take samplers `first` elements further on; as it is where it has none.
pub(crate) fn of_second_half(words: Vec<u32>, heap: Slot, first: u32) -> Vec<u32> {
    if words.len() < HEADER {
        return words;
    }
    let module = read(&words, heap);
    if !module.plain {
        return words;
    }
    let mut bound = words[BOUND];
    let mut id = || {
        bound += 1;
        bound - 1
    };
    let (word, constant) = (module.word.unwrap_or_else(&mut id), id());
    let mut out = words[..HEADER].to_vec();
    let mut all = instructions(&words).peekable();
    while let Some((opcode, operands)) = all.next_if(|(opcode, _)| !is_type(*opcode)) {
        emit(&mut out, opcode, operands);
    }
    // Annotations stand before all types, so the body comes first: what it needs of them is known then.
    let mut body = Vec::new();
    let mut declared = false;
    for (opcode, operands) in all {
        if opcode == op::FUNCTION && !declared {
            declared = true;
            if module.word.is_none() {
                emit(&mut body, op::TYPE_INT, &[word, 32, 0]);
            }
            emit(&mut body, op::CONSTANT, &[word, constant, first]);
        }
        match (opcode, operands) {
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [kind, it, variable, index, members @ ..])
                if module.variables.contains(variable) && !module.comparing.contains(it) =>
            {
                let further = id();
                emit(&mut body, op::I_ADD, &[word, further, *index, constant]);
                emit(&mut body, opcode, &[&[*kind, *it, *variable, further], members].concat());
                if module.apart.contains(it) || module.apart.contains(index) {
                    emit(&mut out, op::DECORATE, &[further, NON_UNIFORM]);
                }
            }
            _ => emit(&mut body, opcode, operands),
        }
    }
    out.extend(body);
    out[BOUND] = bound;
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const HEAP: Slot = Slot { set: 3, binding: 0 };

    /// Two elements of an array of samplers, used by two instructions, and one of another array.
    fn module(reads: [u32; 2], apart: &[u32]) -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 60, 0];
        let mut add = |opcode: u32, operands: &[u32]| emit(&mut words, opcode, operands);
        for (variable, set) in [(20, 3), (21, 2)] {
            add(op::DECORATE, &[variable, DESCRIPTOR_SET, set]);
            add(op::DECORATE, &[variable, BINDING, 0]);
        }
        apart.iter().for_each(|it| add(op::DECORATE, &[*it, NON_UNIFORM]));
        add(op::TYPE_INT, &[1, 32, 0]);
        add(op::VARIABLE, &[18, 20, 0]);
        add(op::VARIABLE, &[18, 21, 0]);
        add(op::FUNCTION, &[2, 9, 0, 3]);
        for (at, opcode) in (0..).zip(reads) {
            add(op::ACCESS_CHAIN, &[19, 30 + at, 20, 26 + at]);
            add(op::LOAD, &[17, 40 + at, 30 + at]);
            add(op::SAMPLED_IMAGE, &[16, 50 + at, 15, 40 + at]);
            add(opcode, &[14, 55 + at, 50 + at, 13]);
        }
        add(op::ACCESS_CHAIN, &[19, 33, 21, 26]);
        words
    }

    const PLAIN: u32 = 88;
    const COMPARING: u32 = 90;

    fn elements(words: &[u32]) -> Vec<(u32, &[u32])> {
        let found = |opcode: &u32| [op::I_ADD, op::ACCESS_CHAIN, op::CONSTANT].contains(opcode);
        instructions(words).filter(|(opcode, _)| found(opcode)).collect()
    }

    #[test]
    fn plain_reads_take_samplers_further_on() {
        let words = of_second_half(module([COMPARING, PLAIN], &[]), HEAP, 2048);
        assert_eq!(
            elements(&words),
            [
                (op::CONSTANT, &[1, 60, 2048][..]),
                (op::ACCESS_CHAIN, &[19, 30, 20, 26]),
                (op::I_ADD, &[1, 61, 27, 60]),
                (op::ACCESS_CHAIN, &[19, 31, 20, 61]),
                (op::ACCESS_CHAIN, &[19, 33, 21, 26]),
            ]
        );
        assert_eq!(words[BOUND], 62);
    }

    #[test]
    fn what_differs_from_lane_to_lane_is_said_so() {
        for it in [27, 31] {
            let words = of_second_half(module([COMPARING, PLAIN], &[it]), HEAP, 2048);
            assert!(instructions(&words).any(|it| it == (op::DECORATE, &[61, NON_UNIFORM])), "{it}");
        }
    }

    #[test]
    fn modules_that_only_compare_are_left_alone() {
        let whole = module([COMPARING; 2], &[]);
        assert_eq!(of_second_half(whole.clone(), HEAP, 2048), whole);
        let other = module([PLAIN; 2], &[]);
        assert_eq!(of_second_half(other.clone(), Slot { set: 9, binding: 0 }, 2048), other);
        for length in 0..other.len() {
            drop(of_second_half(other[..length].to_vec(), HEAP, 2048));
        }
    }
}
