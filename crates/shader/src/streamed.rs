//! Stream output: where outputs, and parts of them, go in buffers.
//!
//! Vulkan writes a variable as a whole to one place. What goes to a buffer in parts, to several places, or lies in an array gets
//! variables of its own, into which the shader copies whenever a vertex is complete. The translator only marks variables: it names an
//! output by its first semantic index, and says nothing of clip distances.

use std::collections::{BTreeSet, HashMap};

use crate::facts::{BOUND, HEADER, emit, instructions};
use crate::{Stage, StreamOutput, TranslateError};

/// The translator is told this, and which question it was, in place of an offset.
pub(crate) const MARK: u32 = 0x4000_0000;

/// Numbers of the SPIR-V specification.
mod op {
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const EXECUTION_MODE: u32 = 16;
    pub(super) const CAPABILITY: u32 = 17;
    /// All types have numbers from here to the last, and stand behind all decorations.
    pub(super) const TYPE_VOID: u32 = 19;
    pub(super) const TYPE_VECTOR: u32 = 23;
    pub(super) const TYPE_ARRAY: u32 = 28;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const TYPE_FORWARD_POINTER: u32 = 39;
    pub(super) const CONSTANT: u32 = 43;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const LOAD: u32 = 61;
    pub(super) const STORE: u32 = 62;
    pub(super) const DECORATE: u32 = 71;
    pub(super) const COMPOSITE_CONSTRUCT: u32 = 80;
    pub(super) const COMPOSITE_EXTRACT: u32 = 81;
    pub(super) const EMIT_VERTEX: u32 = 218;
    pub(super) const EMIT_STREAM_VERTEX: u32 = 220;
    pub(super) const RETURN: u32 = 253;
}
const OUTPUT: u32 = 3;
const TRANSFORM_FEEDBACK: u32 = 53;
const XFB: u32 = 11;
/// Decorations.
const BUILT_IN: u32 = 11;
const STREAM: u32 = 29;
const LOCATION: u32 = 30;
const COMPONENT: u32 = 31;
const OFFSET: u32 = 35;
const XFB_BUFFER: u32 = 36;
const XFB_STRIDE: u32 = 37;
/// Builtins that are arrays of all clip or cull distances, and their semantics.
const DISTANCES: [(u32, &str); 2] = [(3, "SV_ClipDistance"), (4, "SV_CullDistance")];
/// Locations that every device has between stages, of four components each (`maxVertexOutputComponents`).
const LOCATIONS: u32 = 32;

/// An output that the translator asked for: its semantic, and its first index.
pub(crate) type Asked = (String, u32);

/// Types, decorations and outputs of a module, by the numbers of their results.
#[derive(Default)]
struct Module {
    marks: HashMap<u32, u32>,
    built_ins: HashMap<u32, u32>,
    streams: HashMap<u32, u32>,
    locations: HashMap<u32, u32>,
    /// The type of components, and how many.
    vectors: HashMap<u32, (u32, u32)>,
    /// The type of elements, and the constant with their number.
    arrays: HashMap<u32, (u32, u32)>,
    pointers: HashMap<u32, u32>,
    constants: HashMap<u32, u32>,
    /// Variables of outputs and their types, in the module's order.
    outputs: Vec<(u32, u32)>,
    entry: u32,
    has_capability: bool,
    has_mode: bool,
}

/// A variable's type: rows of vectors or scalars.
#[derive(Clone, Copy)]
struct Shape {
    /// The whole.
    kind: u32,
    /// How many rows, where it is an array.
    rows: Option<u32>,
    /// The type of a component, and how many a row has.
    component: u32,
    width: Option<u32>,
}

/// A part of a variable that goes to a buffer.
struct Part<'a> {
    row: u32,
    to: &'a StreamOutput,
}

/// A variable of which parts are copied.
struct Copied<'a> {
    variable: u32,
    shape: Shape,
    /// Each with the variable that it gets, and that variable's type.
    parts: Vec<(Part<'a>, u32, u32)>,
}

impl Module {
    fn read(words: &[u32]) -> Module {
        let mut module = Module::default();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (op::CAPABILITY, [TRANSFORM_FEEDBACK]) => module.has_capability = true,
                (op::ENTRY_POINT, [_, function, ..]) => module.entry = *function,
                (op::EXECUTION_MODE, [_, XFB]) => module.has_mode = true,
                (op::DECORATE, [id, OFFSET, place]) if *place & MARK != 0 => {
                    module.marks.insert(*id, *place & !MARK);
                }
                (op::DECORATE, [id, BUILT_IN, which]) => drop(module.built_ins.insert(*id, *which)),
                (op::DECORATE, [id, STREAM, stream]) => drop(module.streams.insert(*id, *stream)),
                (op::DECORATE, [id, LOCATION, location]) => drop(module.locations.insert(*id, *location)),
                (op::TYPE_VECTOR, [id, of, count]) => drop(module.vectors.insert(*id, (*of, *count))),
                (op::TYPE_ARRAY, [id, of, count]) => drop(module.arrays.insert(*id, (*of, *count))),
                (op::TYPE_POINTER, [id, _, to]) => drop(module.pointers.insert(*id, *to)),
                (op::CONSTANT, [_, id, value]) => drop(module.constants.insert(*id, *value)),
                (op::VARIABLE, [pointer, id, OUTPUT, ..]) => {
                    module.outputs.extend(module.pointers.get(pointer).map(|kind| (*id, *kind)));
                }
                (op::FUNCTION, _) => break,
                _ => {}
            }
        }
        module
    }

    fn shape(&self, kind: u32) -> Shape {
        let (rows, row) = match self.arrays.get(&kind) {
            Some((of, count)) => (Some(self.constants.get(count).copied().unwrap_or(1)), *of),
            None => (None, kind),
        };
        match self.vectors.get(&row) {
            Some((component, width)) => Shape { kind, rows, component: *component, width: Some(*width) },
            None => Shape { kind, rows, component: row, width: None },
        }
    }

    /// What of an output goes to buffers.
    fn parts<'a>(&self, variable: u32, shape: Shape, outputs: &'a [StreamOutput], asked: &[Asked]) -> Vec<Part<'a>> {
        let distances = self.built_ins.get(&variable).and_then(|it| DISTANCES.iter().find(|(which, _)| which == it));
        let (name, first, rows) = match (self.marks.get(&variable).and_then(|at| asked.get(*at as usize)), distances) {
            (Some((name, first)), _) => (name.as_str(), *first, shape.rows.unwrap_or(1)),
            (None, Some((_, name))) => (*name, 0, 1),
            (None, None) => return Vec::new(),
        };
        let stream = self.streams.get(&variable).copied().unwrap_or(0);
        let of = |to: &&StreamOutput| to.stream == stream && to.semantic.eq_ignore_ascii_case(name);
        let part = |to: &'a StreamOutput| Some(Part { row: to.index.checked_sub(first)?, to });
        outputs.iter().filter(of).filter_map(part).filter(|part| part.row < rows).collect()
    }

    fn is_distance(&self, variable: u32) -> bool {
        self.built_ins.get(&variable).is_some_and(|it| DISTANCES.iter().any(|(which, _)| which == it))
    }
}

/// Hands out what new variables need.
struct Maker {
    bound: u32,
    /// Vectors that the module has or has got: by the type of components and their number.
    vectors: HashMap<(u32, u32), u32>,
    /// Locations that are begun, by type and stream: the location, and how many components are taken.
    begun: HashMap<(u32, u32), (u32, u32)>,
    next_location: u32,
    declarations: Vec<u32>,
    decorations: Vec<u32>,
}

impl Maker {
    fn id(&mut self) -> u32 {
        self.bound += 1;
        self.bound - 1
    }

    /// The type of so many components.
    fn kind(&mut self, component: u32, count: u32) -> u32 {
        if count == 1 {
            return component;
        }
        if let Some(kind) = self.vectors.get(&(component, count)) {
            return *kind;
        }
        let kind = self.id();
        emit(&mut self.declarations, op::TYPE_VECTOR, &[kind, component, count]);
        self.vectors.insert((component, count), kind);
        kind
    }

    fn decorate(&mut self, variable: u32, decoration: u32, value: u32) {
        emit(&mut self.decorations, op::DECORATE, &[variable, decoration, value]);
    }

    fn place(&mut self, variable: u32, to: &StreamOutput) {
        self.decorate(variable, OFFSET, to.offset);
        self.decorate(variable, XFB_STRIDE, to.stride);
        self.decorate(variable, XFB_BUFFER, to.buffer);
    }

    /// A variable for a part, with a place between stages that nobody reads; its number and type.
    fn variable(&mut self, component: u32, to: &StreamOutput) -> Result<(u32, u32), TranslateError> {
        let key = (component, to.stream);
        let (location, taken) = match self.begun.get(&key) {
            Some((location, taken)) if taken + to.count <= 4 => (*location, *taken),
            _ => {
                self.next_location += 1;
                (self.next_location - 1, 0)
            }
        };
        if location >= LOCATIONS {
            return Err(TranslateError::Rejected {
                step: "stream output",
                code: 0,
                log: format!("{} parts of outputs are more than there are places for between stages", to.semantic),
            });
        }
        self.begun.insert(key, (location, taken + to.count));
        let kind = self.kind(component, to.count);
        let (pointer, variable) = (self.id(), self.id());
        emit(&mut self.declarations, op::TYPE_POINTER, &[pointer, OUTPUT, kind]);
        emit(&mut self.declarations, op::VARIABLE, &[pointer, variable, OUTPUT]);
        self.decorate(variable, LOCATION, location);
        if taken != 0 {
            self.decorate(variable, COMPONENT, taken);
        }
        if to.stream != 0 {
            self.decorate(variable, STREAM, to.stream);
        }
        self.place(variable, to);
        Ok((variable, kind))
    }
}

/// The module whose outputs go where they are declared to go; as it is where none is.
///
/// # Errors
/// When the shader lacks what is declared, or when there are no places left between the stages for parts of outputs.
pub(crate) fn into_buffers(
    words: Vec<u32>,
    stage: Stage,
    outputs: &[StreamOutput],
    asked: &[Asked],
) -> Result<Vec<u32>, TranslateError> {
    let Some(header) = words.get(..HEADER).filter(|_| !outputs.is_empty()) else { return Ok(words) };
    let module = Module::read(&words);
    // Rows of an array have a location each.
    let ends = |(id, kind): &(u32, u32)| Some(module.locations.get(id)? + module.shape(*kind).rows.unwrap_or(1));
    let mut maker = Maker {
        bound: header[BOUND],
        vectors: module.vectors.iter().map(|(id, key)| (*key, *id)).collect(),
        begun: HashMap::new(),
        next_location: module.outputs.iter().filter_map(ends).max().unwrap_or(0),
        declarations: Vec::new(),
        decorations: Vec::new(),
    };
    let (mut copied, mut found) = (Vec::new(), 0);
    let mut given = BTreeSet::new();
    for (variable, kind) in &module.outputs {
        let shape = module.shape(*kind);
        let mut parts = module.parts(*variable, shape, outputs, asked);
        // What DXBC gives to the rasteriser and to the next stage (SV_RenderTargetArrayIndex) is two variables: one of them is enough.
        parts.retain(|part| given.insert(core::ptr::from_ref(part.to)));
        let width = shape.width.unwrap_or(1);
        let wide = if module.is_distance(*variable) { shape.rows.unwrap_or(1) } else { width };
        found +=
            parts.iter().filter(|part| part.to.first.checked_add(part.to.count).is_some_and(|end| end <= wide)).count();
        match parts.as_slice() {
            [Part { to, .. }] if shape.rows.is_none() && (to.first, to.count) == (0, width) => {
                maker.place(*variable, to);
            }
            [] => {}
            _ => {
                let parts = parts.into_iter().map(|part| {
                    let (variable, kind) = maker.variable(shape.component, part.to)?;
                    Ok((part, variable, kind))
                });
                copied.push(Copied { variable: *variable, shape, parts: parts.collect::<Result<_, _>>()? });
            }
        }
    }
    if found != outputs.len() {
        let log = format!("{} of {} declared outputs are none of the shader's", outputs.len() - found, outputs.len());
        return Err(TranslateError::Rejected { step: "stream output", code: 0, log });
    }
    Ok(write(&words, &module, maker, stage, &copied))
}

fn write(words: &[u32], module: &Module, mut maker: Maker, stage: Stage, copied: &[Copied]) -> Vec<u32> {
    let variables: Vec<u32> = copied.iter().flat_map(|it| it.parts.iter().map(|(_, variable, _)| *variable)).collect();
    let mut out = words[..HEADER].to_vec();
    let is_needed = !maker.decorations.is_empty();
    if is_needed && !module.has_capability {
        emit(&mut out, op::CAPABILITY, &[TRANSFORM_FEEDBACK]);
    }
    let mut function = 0;
    for (opcode, operands) in instructions(words) {
        if (op::TYPE_VOID..=op::TYPE_FORWARD_POINTER).contains(&opcode) {
            out.append(&mut maker.decorations);
        }
        match (opcode, operands) {
            // It names all variables that it uses.
            (op::ENTRY_POINT, [_, entry, ..]) => {
                emit(&mut out, opcode, &[operands, &variables].concat());
                if is_needed && !module.has_mode {
                    emit(&mut out, op::EXECUTION_MODE, &[*entry, XFB]);
                }
                continue;
            }
            (op::DECORATE, [id, OFFSET | XFB_STRIDE | XFB_BUFFER, ..]) if module.marks.contains_key(id) => continue,
            (op::FUNCTION, [_, id, ..]) => {
                out.append(&mut maker.declarations);
                function = *id;
            }
            (op::EMIT_VERTEX | op::EMIT_STREAM_VERTEX, _) => copy(&mut out, &mut maker, module, copied),
            (op::RETURN, _) if stage != Stage::Geometry && function == module.entry => {
                copy(&mut out, &mut maker, module, copied);
            }
            _ => {}
        }
        emit(&mut out, opcode, operands);
    }
    out[BOUND] = maker.bound;
    out
}

/// Copies the parts of all outputs, which are complete.
fn copy(out: &mut Vec<u32>, maker: &mut Maker, module: &Module, copied: &[Copied]) {
    for Copied { variable, shape, parts } in copied {
        let whole = maker.id();
        emit(out, op::LOAD, &[shape.kind, whole, *variable]);
        for (Part { row, to }, target, kind) in parts {
            let components: Vec<u32> = (to.first..to.first + to.count)
                .map(|component| {
                    // All distances are one array of numbers.
                    let indices: &[u32] = match (shape.rows, shape.width) {
                        (Some(_), None) if module.is_distance(*variable) => &[component],
                        (Some(_), None) => &[*row],
                        (Some(_), Some(_)) => &[*row, component],
                        (None, Some(_)) => &[component],
                        (None, None) => return whole,
                    };
                    let id = maker.id();
                    emit(out, op::COMPOSITE_EXTRACT, &[&[shape.component, id, whole], indices].concat());
                    id
                })
                .collect();
            let value = match components.as_slice() {
                [one] => *one,
                several => {
                    let id = maker.id();
                    emit(out, op::COMPOSITE_CONSTRUCT, &[&[*kind, id], several].concat());
                    id
                }
            };
            emit(out, op::STORE, &[*target, value]);
        }
    }
}
