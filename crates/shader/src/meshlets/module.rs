//! The module of a mesh or amplification shader: its output variables, the access chains into them, and its built-in inputs.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{HEAD, INPUT, Layout, OUTPUT, Output, Port, refused};
use crate::TranslateError;
use crate::facts::instructions;
use crate::pulled::code::op as known;

/// Numbers of the SPIR-V specification.
pub(super) mod op {
    pub(crate) const EXECUTION_MODE: u32 = 16;
    pub(crate) const TYPE_RUNTIME_ARRAY: u32 = 29;
    pub(crate) const COPY_MEMORY: u32 = 63;
    pub(crate) const U_LESS_THAN: u32 = 176;
    pub(crate) const CONTROL_BARRIER: u32 = 224;
    pub(crate) const ATOMIC_ADD: u32 = 234;
    pub(crate) const PHI: u32 = 245;
    pub(crate) const SELECTION_MERGE: u32 = 247;
    pub(crate) const BRANCH: u32 = 249;
    pub(crate) const BRANCH_CONDITIONAL: u32 = 250;
    pub(crate) const START: u32 = 5294;
    pub(crate) const SET_COUNTS: u32 = 5295;
}
const MEMORY_MODEL: u32 = 14;
const BUILT_IN: u32 = 11;
const LOCATION: u32 = 30;
const COMPONENT: u32 = 31;
const PER_PRIMITIVE: u32 = 5271;
/// Built-ins that are the vertices of points, lines and triangles.
const INDICES: [u32; 3] = [5294, 5295, 5296];
/// Execution modes.
const MOST_VERTICES: u32 = 26;
const MOST_PRIMITIVES: u32 = 5270;
const POINTS: u32 = 27;
const LINES: u32 = 5269;
const TRIANGLES: u32 = 5298;
/// No output has more elements, rows or components, so that nothing here overflows.
const MOST: u32 = 1 << 10;

/// An output variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) place: Output,
    /// Elements.
    pub(super) count: u32,
    /// The type of a component.
    pub(super) scalar: u32,
    pub(super) is_truth: bool,
    has_rows: bool,
    is_vector: bool,
}

/// What a pointer leads to: numbers of constants or values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) index: u32,
    pub(super) row: Option<u32>,
    pub(super) component: Option<u32>,
    /// All components.
    pub(super) is_whole: bool,
}

#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) entry: u32,
    pub(super) model: u32,
    inputs: HashMap<u32, u32>,
    constants: HashMap<u32, u32>,
    outputs: BTreeMap<u32, Variable>,
    /// What leads from an output to a part of it.
    chains: HashMap<u32, (u32, Vec<u32>)>,
    /// All pointers to outputs, by numbers of types and of values.
    pointers: HashSet<u32>,
    most: [u32; 2],
    corners: u32,
    words: u32,
}

/// Types, while a module is read.
#[derive(Default)]
struct Types {
    words: HashSet<u32>,
    truths: HashSet<u32>,
    vectors: HashMap<u32, (u32, u32)>,
    arrays: HashMap<u32, (u32, u32)>,
    pointers: HashMap<u32, (u32, u32)>,
}

impl Module {
    pub(super) fn read(words: &[u32]) -> Result<Module, TranslateError> {
        let mut module = Module { words: HEAD, ..Module::default() };
        let mut types = Types::default();
        let (mut built_ins, mut locations, mut components) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut of_primitives = HashSet::new();
        for (opcode, operands) in instructions(words) {
            match (opcode, operands) {
                (MEMORY_MODEL, [_, model]) => module.model = *model,
                (known::ENTRY_POINT, [_, id, ..]) if module.entry == 0 => module.entry = *id,
                (op::EXECUTION_MODE, [_, MOST_VERTICES, count]) => module.most[0] = *count,
                (op::EXECUTION_MODE, [_, MOST_PRIMITIVES, count]) => module.most[1] = *count,
                (op::EXECUTION_MODE, [_, POINTS]) => module.corners = 1,
                (op::EXECUTION_MODE, [_, LINES]) => module.corners = 2,
                (op::EXECUTION_MODE, [_, TRIANGLES]) => module.corners = 3,
                (known::DECORATE, [id, BUILT_IN, value]) => drop(built_ins.insert(*id, *value)),
                (known::DECORATE, [id, LOCATION, value]) => drop(locations.insert(*id, *value)),
                (known::DECORATE, [id, COMPONENT, value]) => drop(components.insert(*id, *value)),
                (known::DECORATE, [id, PER_PRIMITIVE]) => drop(of_primitives.insert(*id)),
                (known::TYPE_INT | known::TYPE_FLOAT, [id, 32, ..]) => drop(types.words.insert(*id)),
                (known::TYPE_BOOL, [id]) => drop(types.truths.insert(*id)),
                (known::TYPE_VECTOR, [id, of, count]) => drop(types.vectors.insert(*id, (*of, *count))),
                (known::TYPE_ARRAY, [id, of, count]) => {
                    let count = module.constants.get(count).copied().unwrap_or(0);
                    types.arrays.insert(*id, (*of, count));
                }
                (known::TYPE_POINTER, [id, class, of]) => {
                    types.pointers.insert(*id, (*class, *of));
                    if *class == OUTPUT {
                        module.pointers.insert(*id);
                    }
                }
                (known::CONSTANT, [_, id, value]) => drop(module.constants.insert(*id, *value)),
                (known::VARIABLE, [_, id, INPUT, ..]) => {
                    if let Some(which) = built_ins.get(id) {
                        module.inputs.insert(*which, *id);
                    }
                }
                (known::VARIABLE, [pointer, id, OUTPUT, ..]) => {
                    let port = match (built_ins.get(id), locations.get(id)) {
                        (Some(which), _) => Port::BuiltIn(*which),
                        (None, Some(at)) => Port::Location(*at, components.get(id).copied().unwrap_or(0)),
                        (None, None) => return Err(refused("an output that is neither a system value nor a location")),
                    };
                    let is_index = matches!(port, Port::BuiltIn(which) if INDICES.contains(&which));
                    let kind = types.pointers.get(pointer).map_or(0, |(_, of)| *of);
                    module.add(*id, (port, is_index || of_primitives.contains(id)), kind, &types)?;
                }
                (known::ACCESS_CHAIN | known::IN_BOUNDS_ACCESS_CHAIN, [pointer, id, base, indices @ ..])
                    if module.pointers.contains(pointer) =>
                {
                    module.pointers.insert(*id);
                    module.chains.insert(*id, (*base, indices.to_vec()));
                }
                _ => {}
            }
        }
        module.pointers.extend(module.outputs.keys());
        Ok(module)
    }

    /// Takes in an output, and gives it its words.
    fn add(
        &mut self,
        variable: u32,
        (port, of_primitives): (Port, bool),
        kind: u32,
        types: &Types,
    ) -> Result<(), TranslateError> {
        let (of, count) = *types.arrays.get(&kind).ok_or_else(|| refused("an output that is no array"))?;
        let (row, rows) = types.arrays.get(&of).copied().map_or((of, None), |(of, rows)| (of, Some(rows)));
        let (scalar, width) = types.vectors.get(&row).copied().map_or((row, None), |(of, width)| (of, Some(width)));
        let is_truth = types.truths.contains(&scalar);
        if !is_truth && !types.words.contains(&scalar) {
            return Err(refused("outputs that are not of 32 bits: not supported"));
        }
        let (rows, width, has_rows, is_vector) =
            (rows.unwrap_or(1), width.unwrap_or(1), rows.is_some(), width.is_some());
        if [count, rows, width].iter().any(|it| !(1..=MOST).contains(it)) {
            return Err(refused("an output whose size is not known"));
        }
        let place = Output { port, of_primitives, first: self.words, rows, width };
        // One more, for what lies behind the end.
        self.words = (u64::from(self.words) + u64::from(count + 1) * u64::from(rows) * u64::from(width))
            .try_into()
            .ok()
            .filter(|words| *words < 1 << 24)
            .ok_or_else(|| refused("more outputs than there is room for"))?;
        self.outputs.insert(variable, Variable { place, count, scalar, is_truth, has_rows, is_vector });
        Ok(())
    }

    pub(super) fn layout(&self) -> Layout {
        let outputs = self.outputs.values().map(|output| output.place.clone()).collect();
        Layout { words: self.words, most: self.most, corners: self.corners, outputs }
    }

    /// The variable of a number that Vulkan gives.
    pub(super) fn input(&self, which: u32) -> Option<u32> {
        self.inputs.get(&which).copied()
    }

    pub(super) fn constant(&self, id: u32) -> Option<u32> {
        self.constants.get(&id).copied()
    }

    pub(super) fn is_output(&self, pointer: u32) -> bool {
        self.pointers.contains(&pointer)
    }

    /// What a pointer leads to, if it leads to an output.
    ///
    /// # Errors
    /// It leads to more than a row.
    pub(super) fn element(&self, pointer: u32) -> Result<Option<(&Variable, Element)>, TranslateError> {
        if !self.is_output(pointer) {
            return Ok(None);
        }
        let unknown = || refused("an output that is stored in a form that is not known");
        let (base, indices) = self.chains.get(&pointer).ok_or_else(unknown)?;
        let output = self.outputs.get(base).ok_or_else(unknown)?;
        let (index, rest) = indices.split_first().ok_or_else(unknown)?;
        let (row, rest) = match (output.has_rows, rest) {
            (false, rest) => (None, rest),
            (true, [row, rest @ ..]) => (Some(*row), rest),
            (true, []) => return Err(unknown()),
        };
        let component = match (output.is_vector, rest) {
            (_, []) => None,
            (true, [component]) => Some(*component),
            _ => return Err(unknown()),
        };
        let is_whole = component.is_none();
        Ok(Some((output, Element { index: *index, row, component, is_whole })))
    }
}
