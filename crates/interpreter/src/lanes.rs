//! Lanes of a draw at work: a vertex each, a primitive, a point of a patch, or pixels in quads.

use crate::fault::Fault;
use crate::group::{Group, Lane, Opens, Ran, Task};
use crate::kind::Kind;
use crate::module::Module;
use crate::open::Open;
use crate::resources::Resources;
use crate::stage::{Given, Left, Words, filled, ports};
use crate::value::Value;
use spirv::{BuiltIn, Decoration, StorageClass};
use std::collections::BTreeMap;

/// Runs the lanes of a wave with these inputs: a vertex, a primitive of a geometry shader or a point of a domain shader each, or pixels in
/// quads. Gives what each of them left.
///
/// # Errors
/// As [`run`](crate::run), and where an input is missing.
pub fn run_lanes(
    module: &Module,
    task: Task,
    given: &[Given],
    resources: &mut dyn Resources,
    opens: &mut Opens,
) -> Result<(Ran, Vec<Left>), Fault> {
    let mut group = Group::of_lanes(module, task, given, resources, opens)?;
    group.run()?;
    let left = (0..given.len()).map(|lane| group.left(lane)).collect::<Result<_, _>>()?;
    Ok((group.ran, left))
}

impl Group<'_> {
    /// What an input of a lane of a draw holds.
    pub(crate) fn given_input(&self, variable: u32, given: &Given) -> Result<Value, Fault> {
        let module = self.module;
        let kind = self.target(module.variables.get(&variable).map_or(0, |it| it.kind), 0)?;
        if let Some((of, count)) = module.of_vertices(variable, kind) {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            let given = given.vertices.iter().take(count).map(|words| self.given_words(variable, of, words));
            // Patches have room for the most points that there can be: what lies behind those that there are is open.
            return Ok(Value::of_parts(given.collect::<Result<_, _>>()?));
        }
        self.given_words(variable, kind, &given.words)
    }

    /// What an input, or an element of it, holds of these words.
    fn given_words(&self, variable: u32, kind: u32, words: &Words) -> Result<Value, Fault> {
        let module = self.module;
        let mut numbers = Vec::new();
        for (port, kind) in ports(module, variable, kind)? {
            let missing = || Fault::Unsupported { offset: 0, what: format!("the input {}", self.input_name(variable)) };
            let (bits, open) = *words.get(&port).ok_or_else(missing)?;
            let bits = match module.kind(kind, 0)? {
                Kind::Bool => u64::from(bits != 0),
                Kind::Integer { width: 32, .. } | Kind::Float { width: 32 } => bits,
                _ => {
                    let what = format!("the input {}, whose numbers are not of 32 bits", self.input_name(variable));
                    return Err(Fault::Unsupported { offset: 0, what });
                }
            };
            numbers.push((bits, open));
        }
        filled(module, kind, &mut numbers.into_iter())
    }

    fn input_name(&self, variable: u32) -> String {
        let built_in = self.module.decoration(variable, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
        built_in.map_or_else(|| self.module.name(variable), |built_in| format!("{built_in:?}"))
    }

    /// What a lane left.
    fn left(&self, lane: usize) -> Result<Left, Fault> {
        let (module, lane) = (self.module, &self.lanes[lane]);
        let emitted = lane.emitted.clone();
        let mut left = Left { words: BTreeMap::new(), emitted, discarded: lane.discarded, way: lane.way };
        for (id, variable) in &module.variables {
            if variable.class != StorageClass::Output as u32 {
                continue;
            }
            left.words.extend(self.output_words(lane, *id)?);
        }
        Ok(left)
    }

    /// The words of an output of a lane.
    pub(crate) fn output_words(&self, lane: &Lane, variable: u32) -> Result<Words, Fault> {
        let kind = self.target(self.module.variables.get(&variable).map_or(0, |it| it.kind), 0)?;
        // Blocks of built-ins have none of their own.
        let ports = ports(self.module, variable, kind)?;
        let mut numbers = Vec::new();
        flatten(lane.variables.get(&variable).unwrap_or(&Value::Nothing), &mut numbers);
        Ok(ports.into_iter().map(|(port, _)| port).zip(numbers).collect())
    }
}

/// The numbers of a value, each with what is open about it.
pub(crate) fn flatten(value: &Value, numbers: &mut Vec<(u64, Open)>) {
    match value {
        Value::Number(bits, open) => numbers.push((*bits, *open)),
        Value::Composite(parts) => parts.iter().for_each(|part| flatten(part, numbers)),
        _ => {}
    }
}
