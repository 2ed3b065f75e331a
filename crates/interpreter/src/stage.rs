//! What lanes of a draw begin with and what they leave, and where a shader has its inputs and outputs.

use crate::fault::Fault;
use crate::kind::Kind;
use crate::module::{Module, Variable};
use crate::open::Open;
use crate::value::Value;
use spirv::{Decoration, ExecutionModel, StorageClass};
use std::collections::BTreeMap;

/// Words by their places, each with what is open about it.
pub type Words = BTreeMap<Port, (u64, Open)>;

/// What a group of an amplification shader hands to the groups that it starts: its numbers, one after the other.
pub type Payload = Vec<(u64, Open)>;

/// A word of an input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Port {
    /// A component of a location: between stages, from vertex buffers, to targets.
    Location {
        /// Location; of inputs of vertices the register.
        location: u32,
        /// From 0 to 3.
        component: u32,
        /// Of two outputs to one target which one: 0 or 1.
        source: u32,
    },
    /// The same of one corner of the pixel's primitive, from 0 to 2.
    Corner {
        /// Location.
        location: u32,
        /// From 0 to 3.
        component: u32,
        /// Which corner.
        corner: u32,
    },
    /// A part of what the API has a name for: the built-in's number in SPIR-V, and which of its numbers.
    BuiltIn(u32, u32),
}

/// What a lane begins with.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Words by their places. What the shader reads and is not here ends the run.
    pub words: Words,
    /// Of geometry, hull and domain shaders the words of each vertex of the primitive, or point of the patch, that goes in.
    pub vertices: Vec<Words>,
    /// The lane is there for derivatives alone: what it writes to resources is lost.
    pub helper: bool,
}

/// What a lane left.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// All words of outputs, also those that were never written, which are 0.
    pub words: Words,
    /// Of a geometry shader what it emitted, in its order.
    pub emitted: Vec<Emitted>,
    /// The lane discarded its fragment.
    pub discarded: bool,
    /// What is open about whether it did.
    pub way: Open,
}

/// A vertex that a geometry shader emitted, or the end of a strip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// Stream.
    pub stream: u32,
    /// Words of the vertex; `None`: a strip ends.
    pub vertex: Option<Words>,
    /// What is open about whether it is emitted.
    pub open: Open,
}

/// A word of an input, as the shader declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Where it is.
    pub port: Port,
    /// It is a float.
    pub is_float: bool,
    /// How a pixel's value comes of those of the corners.
    pub way: Interpolation,
    /// The input's name in the module.
    pub name: String,
}

/// How a pixel's value comes of those of the primitive's corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interpolation {
    /// That of the first corner.
    pub flat: bool,
    /// Without perspective.
    pub linear: bool,
    /// At the centroid of the covered samples.
    pub centroid: bool,
    /// At the sample.
    pub sample: bool,
}

/// The most numbers of an input or output: 32 registers of four.
const MOST_NUMBERS: usize = 128;

/// Where the numbers of a variable are, in order, with their types.
pub(crate) fn ports(module: &Module, variable: u32, kind: u32) -> Result<Vec<(Port, u32)>, Fault> {
    let part = |decoration| module.decoration(variable, decoration).unwrap_or(0);
    let mut numbers = Vec::new();
    collect(module, kind, &mut 0, 0, &mut numbers)?;
    let built_in = module.decoration(variable, Decoration::BuiltIn);
    let (location, component) = (part(Decoration::Location), part(Decoration::Component));
    let source = part(Decoration::Index);
    if module.decoration(variable, Decoration::PerVertexKHR).is_some()
        && let Kind::Array { of, count: Some(corners @ 1..=3) } = module.kind(kind, 0)?
    {
        let mut numbers = Vec::new();
        collect(module, *of, &mut 0, 0, &mut numbers)?;
        let of_corner = |corner: u32| {
            let port = move |(row, index, kind): &(u32, u32, u32)| {
                (
                    Port::Corner {
                        location: location.wrapping_add(*row),
                        component: component.wrapping_add(*index),
                        corner,
                    },
                    *kind,
                )
            };
            numbers.iter().map(port).collect::<Vec<_>>()
        };
        return Ok((0..*corners).flat_map(of_corner).collect());
    }
    let port = |(at, (row, index, kind)): (usize, (u32, u32, u32))| match built_in {
        Some(number) => (Port::BuiltIn(number, at as u32), kind),
        None => (
            Port::Location { location: location.wrapping_add(row), component: component.wrapping_add(index), source },
            kind,
        ),
    };
    Ok(numbers.into_iter().enumerate().map(port).collect())
}

/// The numbers of a type: which location it is of, counted from the first, which component, and its type.
fn collect(
    module: &Module,
    kind: u32,
    row: &mut u32,
    index: u32,
    numbers: &mut Vec<(u32, u32, u32)>,
) -> Result<(), Fault> {
    if numbers.len() >= MOST_NUMBERS {
        return Err(Fault::Unsupported {
            offset: 0,
            what: format!("an input or output of more than {MOST_NUMBERS} numbers"),
        });
    }
    match module.kind(kind, 0)? {
        Kind::Bool | Kind::Integer { .. } | Kind::Float { .. } => numbers.push((*row, index, kind)),
        Kind::Vector { of, count, matrix: false } => {
            for index in 0..*count {
                collect(module, *of, row, index, numbers)?;
            }
        }
        Kind::Array { of, count: Some(count) } => {
            for _ in 0..(*count).min(MOST_NUMBERS as u32 + 1) {
                collect(module, *of, row, 0, numbers)?;
                *row += 1;
            }
        }
        other => return Err(Fault::Unsupported { offset: 0, what: format!("an input or output that is {other:?}") }),
    }
    Ok(())
}

/// The value of a type whose numbers follow each other here.
pub(crate) fn filled(
    module: &Module,
    kind: u32,
    numbers: &mut impl Iterator<Item = (u64, Open)>,
) -> Result<Value, Fault> {
    let (of, count) = match module.kind(kind, 0)? {
        Kind::Vector { of, count, .. } | Kind::Array { of, count: Some(count) } => (*of, *count),
        Kind::Structure { members } => {
            let parts: Result<_, _> = members.iter().map(|member| filled(module, *member, numbers)).collect();
            return Ok(Value::of_parts(parts?));
        }
        _ => {
            let none = || module.malformed(0, "an input has too few numbers".to_owned());
            let (bits, open) = numbers.next().ok_or_else(none)?;
            return Ok(Value::Number(bits, open));
        }
    };
    let parts = (0..count).map(|_| filled(module, of, numbers));
    Ok(Value::of_parts(parts.collect::<Result<_, _>>()?))
}

impl Module {
    /// The stage: `Vertex`, `Fragment`, `GLCompute`.
    pub fn stage(&self) -> String {
        spirv::ExecutionModel::from_u32(self.model).map_or_else(|| "unknown".to_owned(), |model| format!("{model:?}"))
    }

    /// The names of the variables that are outputs; of an amplification shader of its payload.
    pub fn outputs(&self) -> Vec<String> {
        let hands_on = self.model == ExecutionModel::TaskEXT as u32;
        let is_output = |variable: &Variable| match StorageClass::from_u32(variable.class) {
            Some(StorageClass::Output) => true,
            Some(StorageClass::TaskPayloadWorkgroupEXT) => hands_on,
            _ => false,
        };
        self.variables.iter().filter(|(_, variable)| is_output(variable)).map(|(id, _)| self.name(*id)).collect()
    }

    /// The inputs of the shader.
    ///
    /// # Errors
    /// When one is of a type that no input has.
    pub fn inputs(&self) -> Result<Vec<Declared>, Fault> {
        let mut all = Vec::new();
        for (id, variable) in &self.variables {
            if variable.class != StorageClass::Input as u32 {
                continue;
            }
            let to = match self.kind(variable.kind, 0)? {
                Kind::Pointer { to, .. } => *to,
                other => return Err(self.malformed(0, format!("{other:?} is no pointer"))),
            };
            let has = |decoration| self.decoration(*id, decoration).is_some();
            let way = Interpolation {
                flat: has(Decoration::Flat),
                linear: has(Decoration::NoPerspective),
                centroid: has(Decoration::Centroid),
                sample: has(Decoration::Sample),
            };
            let is_float = |kind: u32| matches!(self.kinds.get(&kind), Some(Kind::Float { .. }));
            for (port, kind) in ports(self, *id, to)? {
                all.push(Declared { port, is_float: is_float(kind), way, name: self.name(*id) });
            }
        }
        all.sort_by_key(|declared| declared.port);
        Ok(all)
    }
}
