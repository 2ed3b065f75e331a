#![allow(clippy::unwrap_used)]

use super::*;

const BLOCK: Slot = Slot { set: 7, binding: 0 };
const UNORM: Format =
    Format { number: Number::Unorm, places: [(0, 0, 8), (1, 8, 8), (2, 16, 8), (3, 24, 8)], count: 4 };
const WORDS: Format =
    Format { number: Number::Uint, places: [(0, 0, 32), (1, 32, 32), (2, 64, 32), (3, 96, 32)], count: 2 };

/// A shader of SPIR-V 1.3 that takes a vector of floats at location 2 (number 10), a word at component 1 of location 3 (number 11), and
/// the vertex's number (number 12).
fn module() -> Vec<u32> {
    let mut words = vec![0x0723_0203, 0x0001_0300, 0, 40, 0];
    emit(&mut words, op::CAPABILITY, &[1]);
    emit(&mut words, op::MEMORY_MODEL, &[0, 1]);
    // "main", and the word that ends it.
    emit(&mut words, op::ENTRY_POINT, &[0, 20, 0x6e69_616d, 0, 10, 11, 12]);
    emit(&mut words, op::DECORATE, &[10, LOCATION, 2]);
    emit(&mut words, op::DECORATE, &[11, LOCATION, 3]);
    emit(&mut words, op::DECORATE, &[11, COMPONENT, 1]);
    emit(&mut words, op::DECORATE, &[12, BUILT_IN, VERTEX_INDEX]);
    emit(&mut words, op::TYPE_VOID, &[1]);
    emit(&mut words, 33, &[2, 1]);
    emit(&mut words, op::TYPE_FLOAT, &[3, 32]);
    emit(&mut words, op::TYPE_VECTOR, &[4, 3, 4]);
    emit(&mut words, op::TYPE_INT, &[5, 32, 0]);
    for (pointer, kind) in [(6, 4), (7, 5), (8, 3)] {
        emit(&mut words, op::TYPE_POINTER, &[pointer, INPUT, kind]);
    }
    emit(&mut words, op::CONSTANT, &[5, 9, 1]);
    for (pointer, id) in [(6, 10), (7, 11), (7, 12)] {
        emit(&mut words, op::VARIABLE, &[pointer, id, INPUT]);
    }
    emit(&mut words, op::FUNCTION, &[1, 20, 0, 2]);
    emit(&mut words, op::LABEL, &[21]);
    emit(&mut words, op::ACCESS_CHAIN, &[8, 22, 10, 9]);
    emit(&mut words, op::LOAD, &[3, 23, 22]);
    emit(&mut words, op::LOAD, &[5, 24, 11]);
    emit(&mut words, op::LOAD, &[5, 25, 12]);
    emit(&mut words, 253, &[]);
    emit(&mut words, 56, &[]);
    words
}

const ATTRIBUTES: [Attribute; 2] = [
    Attribute { location: 2, slot: 4, offset: 8, format: UNORM, step: None },
    Attribute { location: 3, slot: 5, offset: 0, format: WORDS, step: Some(3) },
];

/// What leads to variables of a storage class.
fn variables_of(words: &[u32], class: u32) -> Vec<u32> {
    let all = instructions(words).filter(|(opcode, operands)| *opcode == op::VARIABLE && operands[2] == class);
    all.map(|(_, operands)| operands[1]).collect()
}

#[test]
fn inputs_become_variables_that_are_filled_first() {
    let words = from_memory(module(), &ATTRIBUTES, false, BLOCK).unwrap();
    assert_eq!(words[1], VERSION);
    assert_eq!(variables_of(&words, PRIVATE), [10, 11]);
    let inputs = variables_of(&words, INPUT);
    assert!(inputs.contains(&12) && inputs.len() == 3, "its own, and the numbers of instances: {inputs:?}");
    let all: Vec<(u32, &[u32])> = instructions(&words).collect();
    assert!(!all.iter().any(|(opcode, operands)| *opcode == op::DECORATE && matches!(operands[0], 10 | 11)));
    // Stores come before what reads them.
    let at = |wanted: &dyn Fn(u32, &[u32]) -> bool| all.iter().position(|(opcode, of)| wanted(*opcode, of)).unwrap();
    let reads = at(&|opcode, of| opcode == op::LOAD && of[1] == 24);
    for variable in [10, 11] {
        assert!(at(&|opcode, of| opcode == op::STORE && of[0] == variable) < reads);
    }
    let chain = all[at(&|opcode, of| opcode == op::ACCESS_CHAIN && of[1] == 22)].1;
    let pointer = all[at(&|opcode, of| opcode == op::TYPE_POINTER && of[0] == chain[0])].1;
    assert_eq!(pointer[1..], [PRIVATE, 3]);
    let entry = all[at(&|opcode, _| opcode == op::ENTRY_POINT)].1;
    for variable in [variables_of(&words, PRIVATE), inputs, variables_of(&words, 2)].concat() {
        assert_eq!(entry.iter().filter(|it| **it == variable).count(), 1, "{variable}");
    }
}

/// Where indices are read, the vertex's number is a variable, too, and Vulkan's is another one.
#[test]
fn numbers_of_vertices_are_indices() {
    let words = from_memory(module(), &ATTRIBUTES, true, BLOCK).unwrap();
    assert_eq!(variables_of(&words, PRIVATE), [10, 11, 12]);
    let numbers: Vec<u32> = instructions(&words)
        .filter(|(opcode, of)| *opcode == op::DECORATE && of[1..] == [BUILT_IN, VERTEX_INDEX])
        .map(|(_, of)| of[0])
        .collect();
    assert!(numbers.len() == 1 && !numbers.contains(&12), "{numbers:?}");
}

#[test]
fn what_no_layout_fills_is_refused_and_what_is_cut_harms_nobody() {
    let mut wide = module();
    let float = wide.windows(3).position(|it| it[1..] == [3, 32]).unwrap();
    wide[float + 2] = 16;
    assert!(from_memory(wide, &ATTRIBUTES, false, BLOCK).is_err());
    let whole = module();
    for length in 0..whole.len() {
        for indices in [false, true] {
            drop(from_memory(whole[..length].to_vec(), &ATTRIBUTES, indices, BLOCK));
        }
    }
}
