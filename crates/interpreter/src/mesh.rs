//! Groups of amplification and mesh shaders: what they hand on.
//!
//! Outputs of a mesh shader are arrays that all lanes of the group write, and so is the payload of an amplification shader.

use crate::fault::Fault;
use crate::group::{Group, Opens, Ran, Task};
use crate::kind::Kind;
use crate::lanes::flatten;
use crate::module::{Instruction, Module};
use crate::open::{Open, either};
use crate::resources::Resources;
use crate::stage::{Payload, Words, filled, ports};
use crate::value::Value;
use spirv::{BuiltIn, Decoration, ExecutionModel, StorageClass};

/// The groups of the mesh shader that a group of an amplification shader starts.
#[derive(Clone, Debug, Default)]
pub struct Started {
    /// How many, in each direction.
    pub groups: [u32; 3],
    /// What is open about that.
    pub open: Open,
    /// What they are given.
    pub payload: Payload,
}

/// What a group of a mesh shader gives.
#[derive(Clone, Debug, Default)]
pub struct Meshlet {
    /// Words of each vertex.
    pub vertices: Vec<Words>,
    /// Primitives in their order.
    pub primitives: Vec<Shape>,
    /// What is open about how many there are.
    pub open: Open,
}

/// A primitive of a mesh shader's group.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// Numbers of its vertices in the group: two or three.
    pub corners: Vec<u32>,
    /// What is open about these.
    pub open: Open,
    /// What the primitive has itself.
    pub words: Words,
}

/// Runs a group of an amplification shader.
///
/// # Errors
/// As [`run`](crate::run), and where lanes start other groups than others.
pub fn run_amplification(
    module: &Module,
    task: Task,
    resources: &mut dyn Resources,
    opens: &mut Opens,
) -> Result<(Ran, Started), Fault> {
    let mut group = Group::of_shared(module, task, &Payload::new(), resources, opens)?;
    group.run()?;
    let (groups, open) = group.asked.unwrap_or_default();
    let mut payload = Payload::new();
    if let Some(id) = module.payload() {
        flatten(group.shared.get(&id).unwrap_or(&Value::Nothing), &mut payload);
    }
    Ok((group.ran, Started { groups, open, payload }))
}

/// Runs a group of a mesh shader, with what the amplification shader's group hands to it, if there is one.
///
/// # Errors
/// As [`run`](crate::run), and where lanes give other numbers of vertices and primitives than others, or more than the shader declares.
pub fn run_mesh(
    module: &Module,
    task: Task,
    payload: &Payload,
    resources: &mut dyn Resources,
    opens: &mut Opens,
) -> Result<(Ran, Meshlet), Fault> {
    let mut group = Group::of_shared(module, task, payload, resources, opens)?;
    group.run()?;
    let meshlet = group.meshlet()?;
    Ok((group.ran, meshlet))
}

impl Module {
    /// Whether all lanes of a group share a variable of this class.
    pub(crate) fn is_shared(&self, class: u32) -> bool {
        match StorageClass::from_u32(class) {
            Some(StorageClass::Workgroup | StorageClass::TaskPayloadWorkgroupEXT) => true,
            Some(StorageClass::Output) => {
                [ExecutionModel::MeshEXT, ExecutionModel::TessellationControl].iter().any(|it| self.model == *it as u32)
            }
            _ => false,
        }
    }

    fn payload(&self) -> Option<u32> {
        let is_payload = |class: u32| class == StorageClass::TaskPayloadWorkgroupEXT as u32;
        self.variables.iter().find(|(_, variable)| is_payload(variable.class)).map(|(id, _)| *id)
    }
}

impl Group<'_> {
    /// Puts in what the amplification shader hands on.
    pub(crate) fn take_payload(&mut self, payload: &Payload) -> Result<(), Fault> {
        let module = self.module;
        if module.model != ExecutionModel::MeshEXT as u32 {
            return Ok(());
        }
        let Some(id) = module.payload() else { return Ok(()) };
        let kind = self.target(module.variables.get(&id).map_or(0, |it| it.kind), 0)?;
        let mut numbers = payload.iter().copied();
        let value = filled(module, kind, &mut numbers).ok().filter(|_| numbers.next().is_none());
        let value = value.ok_or_else(|| Fault::Unsupported {
            offset: 0,
            what: "a payload of another shape than the amplification shader's".to_owned(),
        })?;
        self.shared.insert(id, value);
        Ok(())
    }

    /// `OpEmitMeshTasksEXT` of lanes, which end here.
    pub(crate) fn start_meshes(&mut self, active: &[usize], instruction: &Instruction) -> Result<(), Fault> {
        for lane in active {
            let [x, y, z] = [0, 1, 2].map(|at| self.number(*lane, instruction, at));
            self.ask(*lane, instruction, [x?, y?, z?])?;
            self.end(*lane, instruction);
        }
        Ok(())
    }

    /// `OpSetMeshOutputsEXT` of a lane.
    pub(crate) fn set_mesh_outputs(&mut self, lane: usize, instruction: &Instruction) -> Result<(), Fault> {
        let [vertices, primitives] = [0, 1].map(|at| self.number(lane, instruction, at));
        self.ask(lane, instruction, [vertices?, primitives?, (0, 0)])
    }

    /// Numbers that have to be the same in all lanes.
    fn ask(&mut self, lane: usize, instruction: &Instruction, numbers: [(u64, Open); 3]) -> Result<(), Fault> {
        let asked = numbers.map(|(number, _)| number as u32);
        let open = numbers.iter().fold(self.lanes[lane].way, |open, (_, own)| either(open, *own));
        match &mut self.asked {
            Some((known, _)) if *known != asked => {
                let what = format!("lanes of a group that ask for {known:?} and {asked:?}, which the API leaves open");
                Err(Fault::Unsupported { offset: instruction.offset, what })
            }
            Some((_, known)) => {
                *known = either(*known, open);
                Ok(())
            }
            none => {
                *none = Some((asked, open));
                Ok(())
            }
        }
    }

    /// What the group gave.
    fn meshlet(&self) -> Result<Meshlet, Fault> {
        let module = self.module;
        let ([vertices, primitives, _], open) = self.asked.unwrap_or_default();
        let mut meshlet = Meshlet {
            vertices: vec![Words::new(); vertices as usize],
            primitives: vec![Shape::default(); primitives as usize],
            open,
        };
        for (id, variable) in &module.variables {
            if variable.class != StorageClass::Output as u32 {
                continue;
            }
            let kind = self.target(variable.kind, 0)?;
            let Kind::Array { of, count: Some(most) } = module.kind(kind, 0)? else {
                return Err(module.malformed(0, format!("{} is no array of outputs", module.name(*id))));
            };
            let built_in = module.decoration(*id, Decoration::BuiltIn).and_then(BuiltIn::from_u32);
            let is_index =
                matches!(built_in, Some(BuiltIn::PrimitiveTriangleIndicesEXT | BuiltIn::PrimitiveLineIndicesEXT));
            let is_of_primitive = is_index || module.decoration(*id, Decoration::PerPrimitiveEXT).is_some();
            let count = if is_of_primitive { primitives } else { vertices };
            if count > *most {
                let what = format!("{count} vertices or primitives of {most} that the mesh shader declares");
                return Err(Fault::Unsupported { offset: 0, what });
            }
            let Some(Value::Composite(elements)) = self.shared.get(id) else { continue };
            let ports = ports(module, *id, *of)?;
            for (at, element) in elements.iter().enumerate().take(count as usize) {
                let mut numbers = Vec::new();
                flatten(element, &mut numbers);
                if is_index {
                    let shape = &mut meshlet.primitives[at];
                    shape.corners = numbers.iter().map(|(number, _)| *number as u32).collect();
                    shape.open = element.open();
                    continue;
                }
                let words = match is_of_primitive {
                    true => &mut meshlet.primitives[at].words,
                    false => &mut meshlet.vertices[at],
                };
                words.extend(ports.iter().map(|(port, _)| *port).zip(numbers));
            }
        }
        Ok(meshlet)
    }
}

#[cfg(test)]
mod tests;
