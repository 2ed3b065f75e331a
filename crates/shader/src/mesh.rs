//! Mesh shaders for drivers that lose stores to single components of what mesh shaders give (Mesa's lavapipe, 25.0).
//!
//! DXIL stores component by component. Here each thread keeps a copy of the vectors, and stores them whole whenever a component
//! changes. So a vector is right where one thread stores all of it, as compilers for this API make it.

use std::collections::HashMap;

use crate::facts::{BOUND, HEADER, emit, instructions};

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const STORE: u32 = 62;
    pub(super) const ACCESS_CHAIN: u32 = 65;
    pub(super) const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
}
const OUTPUT: u32 = 3;
const PRIVATE: u32 = 6;

/// Types and places of a module, by the numbers of their results.
#[derive(Default)]
struct Module {
    /// Vectors: the type of their components.
    vectors: HashMap<u32, u32>,
    /// Arrays: the type of their elements.
    arrays: HashMap<u32, u32>,
    /// Pointers: what they lead to.
    pointers: HashMap<u32, u32>,
    /// What the shader gives: the type of its pointer.
    outputs: HashMap<u32, u32>,
    /// Components of vectors in outputs.
    components: HashMap<u32, Component>,
}

/// A component of a vector in an output.
#[derive(Clone)]
struct Component {
    output: u32,
    /// From the output to the component.
    indices: Vec<u32>,
    vector: u32,
}

/// The copy of an output, and the types of pointers into both.
#[derive(Clone, Copy)]
struct Kept {
    variable: u32,
    /// To a component and to a vector of the copy, and to a vector of the output.
    pointers: [u32; 3],
}

impl Module {
    fn read(words: &[u32]) -> Module {
        let mut module = Module::default();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::TYPE_VECTOR, [id, of, ..]) => drop(module.vectors.insert(*id, *of)),
                (op::TYPE_ARRAY, [id, of, ..]) => drop(module.arrays.insert(*id, *of)),
                (op::TYPE_POINTER, [id, _, of]) => drop(module.pointers.insert(*id, *of)),
                (op::VARIABLE, [pointer, id, OUTPUT, ..]) => drop(module.outputs.insert(*id, *pointer)),
                (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [_, id, output, indices @ ..]) => {
                    if let Some(vector) = module.vector(*output, indices) {
                        let component = Component { output: *output, indices: indices.to_vec(), vector };
                        module.components.insert(*id, component);
                    }
                }
                _ => {}
            }
        }
        module
    }

    /// The type of the vector of which the indices name a component.
    fn vector(&self, output: u32, indices: &[u32]) -> Option<u32> {
        let (_, arrays) = indices.split_last()?;
        let mut kind = *self.pointers.get(self.outputs.get(&output)?)?;
        for _ in arrays {
            kind = *self.arrays.get(&kind)?;
        }
        self.vectors.contains_key(&kind).then_some(kind)
    }
}

/// The module with whole stores; as it is where it has no others.
pub(crate) fn with_whole_stores(words: Vec<u32>) -> Vec<u32> {
    let module = Module::read(&words);
    let Some(header) = words.get(..HEADER).filter(|_| !module.components.is_empty()) else { return words };
    let mut bound = header[BOUND];
    let mut id = || {
        bound += 1;
        bound - 1
    };
    let (mut copies, mut declarations) = (HashMap::new(), Vec::new());
    let mut components: Vec<&Component> = module.components.values().collect();
    components.sort_by_key(|component| component.output);
    for Component { output, vector, .. } in components {
        if copies.contains_key(output) {
            continue;
        }
        let (whole, [scalar, own, given], variable) = (id(), [id(), id(), id()], id());
        let pointee = |pointer: &u32| module.pointers.get(pointer).copied();
        let Some(kind) = module.outputs.get(output).and_then(pointee) else { continue };
        let component = module.vectors.get(vector).copied().unwrap_or_default();
        emit(&mut declarations, op::TYPE_POINTER, &[whole, PRIVATE, kind]);
        emit(&mut declarations, op::TYPE_POINTER, &[scalar, PRIVATE, component]);
        emit(&mut declarations, op::TYPE_POINTER, &[own, PRIVATE, *vector]);
        emit(&mut declarations, op::TYPE_POINTER, &[given, OUTPUT, *vector]);
        emit(&mut declarations, op::VARIABLE, &[whole, variable, PRIVATE]);
        copies.insert(*output, Kept { variable, pointers: [scalar, own, given] });
    }
    let mut variables: Vec<u32> = copies.values().map(|copy| copy.variable).collect();
    variables.sort_unstable();
    let mut out = header.to_vec();
    for (opcode, operands) in instructions(&words) {
        if opcode == op::FUNCTION {
            out.append(&mut declarations);
        }
        match (opcode, operands) {
            // It names all variables that it uses.
            (op::ENTRY_POINT, _) => emit(&mut out, opcode, &[operands, &variables].concat()),
            (op::STORE, [place, value, ..]) => match module.components.get(place) {
                Some(component) => {
                    if let Some(copy) = copies.get(&component.output) {
                        store(&mut out, &mut id, component, *copy, *value);
                    }
                }
                None => emit(&mut out, opcode, operands),
            },
            _ => emit(&mut out, opcode, operands),
        }
    }
    out[BOUND] = bound;
    out
}

/// Stores a component to the copy, and then the vector that it is in.
fn store(out: &mut Vec<u32>, id: &mut impl FnMut() -> u32, component: &Component, copy: Kept, value: u32) {
    let Component { output, indices, vector } = component;
    let Kept { variable, pointers: [scalar, own, given] } = copy;
    let place = &indices[..indices.len() - 1];
    let (changed, from, whole, to) = (id(), id(), id(), id());
    emit(out, op::ACCESS_CHAIN, &[&[scalar, changed, variable], &indices[..]].concat());
    emit(out, op::STORE, &[changed, value]);
    emit(out, op::ACCESS_CHAIN, &[&[own, from, variable], place].concat());
    emit(out, op::LOAD, &[*vector, whole, from]);
    emit(out, op::ACCESS_CHAIN, &[&[given, to, *output], place].concat());
    emit(out, op::STORE, &[to, whole]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with an output of two vectors (number 10), of which a component of the second is stored, and a scalar (number 11).
    fn module() -> Vec<u32> {
        let mut words = vec![0x0723_0203, 0x0001_0400, 0, 40, 0];
        emit(&mut words, op::ENTRY_POINT, &[5365, 20, 0, 10, 11]);
        emit(&mut words, op::TYPE_VECTOR, &[2, 1, 4]);
        emit(&mut words, op::TYPE_ARRAY, &[3, 2, 30]);
        emit(&mut words, op::TYPE_POINTER, &[4, OUTPUT, 3]);
        emit(&mut words, op::TYPE_POINTER, &[5, OUTPUT, 1]);
        emit(&mut words, op::VARIABLE, &[4, 10, OUTPUT]);
        emit(&mut words, op::VARIABLE, &[5, 11, OUTPUT]);
        emit(&mut words, op::FUNCTION, &[6, 20, 0, 7]);
        emit(&mut words, op::ACCESS_CHAIN, &[5, 21, 10, 31, 32]);
        emit(&mut words, op::STORE, &[21, 33]);
        emit(&mut words, op::STORE, &[11, 33]);
        words
    }

    #[test]
    fn a_component_is_stored_with_its_vector() {
        let words = with_whole_stores(module());
        assert_eq!(words[BOUND], 49);
        let all: Vec<(u32, &[u32])> = instructions(&words).collect();
        assert_eq!(all[0], (op::ENTRY_POINT, &[5365, 20, 0, 10, 11, 44][..]));
        let declared = all.iter().position(|it| *it == (op::VARIABLE, &[40, 44, PRIVATE])).unwrap();
        assert!(all[declared + 1].0 == op::FUNCTION, "before functions");
        assert_eq!(
            all[all.len() - 7..],
            [
                (op::ACCESS_CHAIN, &[41, 45, 44, 31, 32][..]),
                (op::STORE, &[45, 33]),
                (op::ACCESS_CHAIN, &[42, 46, 44, 31]),
                (op::LOAD, &[2, 47, 46]),
                (op::ACCESS_CHAIN, &[43, 48, 10, 31]),
                (op::STORE, &[48, 47]),
                (op::STORE, &[11, 33]),
            ]
        );
    }

    #[test]
    fn whatever_is_cut_off_harms_nobody() {
        let whole = module();
        for length in 0..whole.len() {
            with_whole_stores(whole[..length].to_vec());
        }
        let none = whole[..HEADER + 6].to_vec();
        assert_eq!(with_whole_stores(none.clone()), none);
    }
}
