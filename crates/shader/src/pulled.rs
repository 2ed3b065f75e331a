//! Vertices and indices that a vertex shader reads from memory itself, where the GPU alone knows which buffers they lie in.
//!
//! The module's inputs become variables of its own, which are filled when the shader begins: from buffers whose addresses lie in the uniform
//! buffer of root arguments, behind these ([`INDEX`], [`DRAW`], [`SLOTS`]). What lies beyond a buffer's end is zero, as the API says.
//! Numbers of vertices and instances are what they are elsewhere, also where indices are read so and the draw has none.

pub(crate) mod code;
mod format;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::facts::{BOUND, HEADER, emit, instructions};
use crate::{Slot, TranslateError};
use code::{Code, op};
pub use format::{Format, Number};

/// The view of the index buffer in the block: address, size and format, at this vector of four words.
pub const INDEX: u32 = 16;
/// First index and base vertex of the draw, then the address where zeros lie.
pub const DRAW: u32 = 17;
/// Views of vertex buffers, one vector each: address, size and stride.
pub const SLOTS: u32 = 18;
/// Vectors of the block.
pub const VECTORS: u32 = 64;

/// An attribute of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Where the shader takes it.
    pub location: u32,
    /// The slot of its buffer.
    pub slot: u32,
    /// Where it begins in a vertex.
    pub offset: u32,
    /// What lies there.
    pub format: Format,
    /// `None` steps per vertex, `Some` per that many instances.
    pub step: Option<u32>,
}

const BUILT_IN: u32 = 11;
const LOCATION: u32 = 30;
const COMPONENT: u32 = 31;
const INPUT: u32 = 1;
const PRIVATE: u32 = 6;
const VERTEX_INDEX: u32 = 42;
const INSTANCE_INDEX: u32 = 43;
const BASE_VERTEX: u32 = 4424;
const BASE_INSTANCE: u32 = 4425;
const DRAW_PARAMETERS: u32 = 4427;
const PHYSICAL_ADDRESSES: u32 = 5347;
const PHYSICAL_64: u32 = 5348;
/// The first version that makes pointers of pairs of words. Entry points name all variables that they use.
const VERSION: u32 = 0x0001_0500;
/// `DXGI_FORMAT_R16_UINT`.
const NARROW: u32 = 57;

/// The module with inputs from memory; `indices`: the numbers of vertices, too. `block` is the uniform buffer.
///
/// # Errors
/// When the module takes inputs of a shape that no input layout fills, or is cut.
pub fn from_memory(
    words: Vec<u32>,
    attributes: &[Attribute],
    indices: bool,
    block: Slot,
) -> Result<Vec<u32>, TranslateError> {
    let module = Module::read(&words);
    if words.len() < HEADER {
        return Err(refused("a module that is cut"));
    }
    let mut code = Code::new(&words, block);
    let base = indices.then(|| code.draw(1));
    let vertex = match base {
        Some(base) => index(&mut code, base),
        None => built_in(&mut code, &module, VERTEX_INDEX),
    };
    let mut filled = Vec::new();
    for (id, built_in) in &module.built_ins {
        let value = match (*built_in, base) {
            (VERTEX_INDEX, Some(_)) => vertex,
            (BASE_VERTEX, Some(base)) => base,
            _ => continue,
        };
        let Some(input) = module.inputs.get(id) else { continue };
        filled.push(*id);
        let value = code.cast(value, input.part);
        code.store(*id, value);
    }
    for (id, (location, component)) in &module.places {
        let Some(input) = module.inputs.get(id).filter(|input| code.is_word(input.part)) else {
            return Err(refused("an input of a vertex that is no vector of 32-bit numbers"));
        };
        filled.push(*id);
        for row in 0..input.rows.unwrap_or(1) {
            let Some(attribute) = attributes.iter().find(|it| it.location == location + row) else { continue };
            let number = match attribute.step {
                None => vertex,
                Some(step) => instance(&mut code, &module, step),
            };
            let all = format::read(&mut code, attribute, number);
            let parts = (*component..*component + input.count).map(|at| all[(at & 3) as usize]);
            let parts: Vec<u32> = parts.map(|value| code.cast(value, input.part)).collect();
            let value = match parts[..] {
                [one] => one,
                _ => code.value(op::COMPOSITE_CONSTRUCT, input.vector, &parts),
            };
            let place = match input.rows {
                None => *id,
                Some(_) => code.element(*id, input.vector, row),
            };
            code.store(place, value);
        }
    }
    for (id, input) in module.inputs.iter().filter(|(id, _)| filled.contains(id)) {
        code.variable(*id, input.kind, PRIVATE);
        // For what leads into them.
        for kind in [input.vector, input.part] {
            code.of(op::TYPE_POINTER, &[PRIVATE, kind]);
        }
    }
    Ok(rewrite(&words, &code, &filled.into_iter().collect()))
}

fn refused(log: &str) -> TranslateError {
    TranslateError::Rejected { step: "reading vertices from memory", code: 0, log: log.to_owned() }
}

/// A number that Vulkan gives, as an unsigned word.
fn built_in(code: &mut Code, module: &Module, which: u32) -> u32 {
    let known = module.built_ins.iter().find(|(_, built_in)| **built_in == which);
    match known.and_then(|(id, _)| Some((*id, module.inputs.get(id)?))) {
        Some((id, input)) => {
            let value = code.value(op::LOAD, input.kind, &[id]);
            code.cast(value, code.word)
        }
        None => code.built_in(which),
    }
}

/// The number of the vertex: an index from memory, and the draw's base.
fn index(code: &mut Code, base: u32) -> u32 {
    // The module's own variable of this number will be another thing.
    let number = code.built_in(VERTEX_INDEX);
    let (view, first) = (code.view(INDEX), code.draw(0));
    let format = code.part(view, 3);
    let narrow = code.constant(NARROW);
    let narrow = code.test(op::I_EQUAL, format, narrow);
    let [two, four] = [2, 4].map(|value| code.constant(value));
    let size = code.value(op::SELECT, code.word, &[narrow, two, four]);
    let at = code.sum(first, number);
    let at = code.value(op::I_MUL, code.word, &[at, size]);
    let place = code.place(view, at, size);
    // Indices begin at multiples of their size.
    let word = code.load(place, 2);
    let half = code.bits(word, (0, 16), false);
    let index = code.value(op::SELECT, code.word, &[narrow, half, word]);
    code.sum(index, base)
}

/// The number of what steps per so many instances.
fn instance(code: &mut Code, module: &Module, step: u32) -> u32 {
    let number = built_in(code, module, INSTANCE_INDEX);
    if step == 1 {
        return number;
    }
    let base = built_in(code, module, BASE_INSTANCE);
    if step == 0 {
        return base;
    }
    let behind = code.value(op::I_SUB, code.word, &[number, base]);
    let step = code.constant(step);
    let steps = code.value(op::U_DIV, code.word, &[behind, step]);
    code.sum(base, steps)
}

/// An input variable.
struct Input {
    /// Its type; of a row; of a component.
    kind: u32,
    vector: u32,
    part: u32,
    /// Components of a row.
    count: u32,
    /// Rows of an array.
    rows: Option<u32>,
}

/// Inputs of a module, by the numbers of their variables.
#[derive(Default)]
struct Module {
    inputs: BTreeMap<u32, Input>,
    built_ins: BTreeMap<u32, u32>,
    /// Locations and first components.
    places: BTreeMap<u32, (u32, u32)>,
}

impl Module {
    fn read(words: &[u32]) -> Module {
        let mut module = Module::default();
        let (mut vectors, mut arrays, mut pointers) = (HashMap::new(), HashMap::new(), HashMap::new());
        let (mut constants, mut locations, mut components) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::DECORATE, [id, LOCATION, value]) => drop(locations.insert(*id, *value)),
                (op::DECORATE, [id, COMPONENT, value]) => drop(components.insert(*id, *value)),
                (op::DECORATE, [id, BUILT_IN, value]) => drop(module.built_ins.insert(*id, *value)),
                (op::TYPE_VECTOR, [id, part, count]) => drop(vectors.insert(*id, (*part, *count))),
                (op::TYPE_ARRAY, [id, row, length]) => drop(arrays.insert(*id, (*row, *length))),
                (op::CONSTANT, [_, id, value]) => drop(constants.insert(*id, *value)),
                (op::TYPE_POINTER, [id, INPUT, kind]) => drop(pointers.insert(*id, *kind)),
                (op::VARIABLE, [pointer, id, INPUT, ..]) => {
                    let Some(kind) = pointers.get(pointer).copied() else { continue };
                    let array = arrays.get(&kind);
                    let rows = array.and_then(|(_, length)| constants.get(length)).copied();
                    let vector = array.map_or(kind, |(row, _)| *row);
                    let (part, count) = vectors.get(&vector).copied().unwrap_or((vector, 1));
                    module.inputs.insert(*id, Input { kind, vector, part, count, rows });
                    if let Some(location) = locations.get(id) {
                        module.places.insert(*id, (*location, components.get(id).copied().unwrap_or(0)));
                    }
                }
                (op::FUNCTION, _) => break,
                _ => {}
            }
        }
        module
    }
}

/// The module with what the code adds. `filled`: inputs that are variables of the module's own now.
fn rewrite(words: &[u32], code: &Code, filled: &HashSet<u32>) -> Vec<u32> {
    let mut out = words[..HEADER].to_vec();
    out[BOUND] = code.bound;
    out[1] = out[1].max(VERSION);
    let pointees: HashMap<u32, u32> = instructions(words)
        .filter_map(|(opcode, operands)| match (opcode, operands) {
            (op::TYPE_POINTER, [id, INPUT, kind]) => Some((*id, *kind)),
            _ => None,
        })
        .collect();
    let is_global = |opcode: u32| (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER).contains(&opcode);
    let (mut capabilities, mut decorations, mut globals, mut entry, mut body) = (false, false, false, None, false);
    let mut inside = false;
    for (opcode, operands) in instructions(words) {
        if opcode != op::CAPABILITY && !core::mem::replace(&mut capabilities, true) {
            code.capabilities.iter().for_each(|capability| emit(&mut out, op::CAPABILITY, &[*capability]));
        }
        if is_global(opcode) && !core::mem::replace(&mut decorations, true) {
            out.extend(&code.decorations);
        }
        if opcode == op::FUNCTION {
            if !core::mem::replace(&mut globals, true) {
                out.extend(&code.globals);
            }
            inside = operands.get(1).copied() == entry && entry.is_some();
        }
        // The first block begins with its variables.
        if inside && !body && !matches!(opcode, op::FUNCTION | op::FUNCTION_PARAMETER | op::LABEL | op::VARIABLE) {
            body = true;
            out.extend(&code.body);
        }
        match (opcode, operands) {
            (op::MEMORY_MODEL, [_, model]) => {
                if let Some(import) = &code.import {
                    out.extend(import);
                }
                emit(&mut out, opcode, &[PHYSICAL_64, *model]);
            }
            (op::ENTRY_POINT, _) => {
                entry = operands.get(1).copied();
                let own = variables(words).filter(|variable| !operands.contains(variable));
                let all: Vec<u32> = operands.iter().copied().chain(own).chain(code.variables.iter().copied()).collect();
                emit(&mut out, opcode, &all);
            }
            (op::DECORATE, [target, ..]) | (op::VARIABLE, [_, target, ..]) if filled.contains(target) => {}
            (op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN, [pointer, id, from, rest @ ..])
                if filled.contains(from) =>
            {
                let pointer =
                    pointees.get(pointer).and_then(|kind| code.pointer_to(PRIVATE, *kind)).unwrap_or(*pointer);
                emit(&mut out, opcode, &[&[pointer, *id, *from], rest].concat());
            }
            _ => emit(&mut out, opcode, operands),
        }
    }
    out
}

/// The variables of a module that no function has to itself.
fn variables(words: &[u32]) -> impl Iterator<Item = u32> {
    let globals = instructions(words).take_while(|(opcode, _)| *opcode != op::FUNCTION);
    globals.filter(|(opcode, _)| *opcode == op::VARIABLE).filter_map(|(_, operands)| operands.get(1).copied())
}

#[cfg(test)]
mod tests;
