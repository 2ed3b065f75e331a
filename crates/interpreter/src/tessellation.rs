//! Hull shaders: a lane for each point that a patch gets, and what they share.
//!
//! All lanes of a patch write its points and its constants. The translator makes one shader of both phases: points are made first, and
//! behind a barrier the first lane makes the constants.

use crate::fault::Fault;
use crate::geometry::MOST_POINTS;
use crate::group::{Group, Opens, Ran, Task};
use crate::kind::Kind;
use crate::lanes::flatten;
use crate::module::{Instruction, Module};
use crate::resources::Resources;
use crate::stage::{Given, Words, ports};
use crate::value::Value;
use spirv::{BuiltIn, Decoration, ExecutionModel, Op, StorageClass};

/// What the translator calls the function that makes the constants.
const CONSTANTS: &str = "%patch_main";

/// What a hull shader gives.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// Words of each point.
    pub points: Vec<Words>,
    /// What the patch has itself.
    pub constants: Words,
}

/// Runs the lanes of a patch: one for each point that it gets, all with the same points that go in.
///
/// # Errors
/// As [`run`](crate::run), and where an input is missing.
pub fn run_patch(
    module: &Module,
    task: Task,
    given: &[Given],
    resources: &mut dyn Resources,
    opens: &mut Opens,
) -> Result<(Ran, Patch), Fault> {
    if module.model != ExecutionModel::TessellationControl as u32 {
        return Err(module.malformed(0, "a hull shader is none".to_owned()));
    }
    let mut group = Group::of_lanes(module, task, given, resources, opens)?;
    group.run()?;
    let patch = group.patch(given.len())?;
    Ok((group.ran, patch))
}

impl Module {
    /// Whether the constants of a patch begin at a word: where its lanes wait for each other, or its function is called.
    pub fn begins_constants(&self, word: u32) -> bool {
        let is_called = |instruction: &Instruction| {
            let called = instruction.operands.first().filter(|_| instruction.op == Op::FunctionCall);
            called.is_some_and(|id| self.name(*id) == CONSTANTS)
        };
        self.instruction(word).is_some_and(|it| it.op == Op::ControlBarrier || is_called(it))
    }

    /// Whether an output is the patch's.
    fn is_of_patch(&self, variable: u32) -> bool {
        let built_in = self.decoration(variable, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        self.decoration(variable, Decoration::Patch).is_some()
            || matches!(built_in, Some(BuiltIn::TessLevelOuter | BuiltIn::TessLevelInner))
    }
}

impl Group<'_> {
    /// What the lanes gave.
    fn patch(&self, points: usize) -> Result<Patch, Fault> {
        let module = self.module;
        let mut patch = Patch { points: vec![Words::new(); points.min(MOST_POINTS as usize)], constants: Words::new() };
        for (id, variable) in &module.variables {
            if variable.class != StorageClass::Output as u32 {
                continue;
            }
            let kind = self.target(variable.kind, 0)?;
            let value = self.shared.get(id).unwrap_or(&Value::Nothing);
            if module.is_of_patch(*id) {
                let mut numbers = Vec::new();
                flatten(value, &mut numbers);
                let ports = ports(module, *id, kind)?;
                patch.constants.extend(ports.into_iter().map(|(port, _)| port).zip(numbers));
                continue;
            }
            let Kind::Array { of, .. } = module.kind(kind, 0)? else {
                return Err(module.malformed(0, format!("{} is no array of outputs", module.name(*id))));
            };
            let Value::Composite(elements) = value else { continue };
            let ports = ports(module, *id, *of)?;
            for (words, element) in patch.points.iter_mut().zip(elements.iter()) {
                let mut numbers = Vec::new();
                flatten(element, &mut numbers);
                words.extend(ports.iter().map(|(port, _)| *port).zip(numbers));
            }
        }
        Ok(patch)
    }
}

#[cfg(test)]
mod tests;
