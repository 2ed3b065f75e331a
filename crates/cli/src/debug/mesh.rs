//! What amplification and mesh shaders of a draw give: groups at work, their vertices and primitives, and these as the rasteriser has them.

use super::invocation::Command;
use super::ports::ports;
use super::store::Store;
use crate::ours::{Compiled, Linked, VIEW};
use anyhow::Context;
use reprise_dxbc::signature::{self, Element};
use reprise_dxbc::{Container, Tag};
use reprise_interpreter::{
    BuiltIn, Fault, Meshlet, Module, Open, Opens, Payload, Port, Ran, Started, Task, Words, is_free, run_amplification,
    run_mesh,
};
use reprise_replay::{Mesh, MeshColumn, MeshStage};
use std::sync::Arc;

/// `D3D_PRIMITIVE_TOPOLOGY` of lists of lines and of triangles.
const LINES: u32 = 2;
const TRIANGLES: u32 = 4;

/// A group, in each direction.
pub(crate) type At = [u32; 3];

/// The shaders of a draw of meshes that come before the rasteriser.
pub(crate) struct Meshes {
    pub(crate) amplification: Option<Module>,
    pub(crate) mesh: Module,
    compiled: Compiled,
    /// Rows of what the mesh shader gives of vertices, and of primitives.
    vertices: Vec<Element>,
    primitives: Vec<Element>,
}

/// The groups that run: which lane of which one is watched, and how much all may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) groups: At,
    pub(crate) wave: u32,
    pub(crate) budget: u64,
    pub(crate) watched: Option<Watched>,
    /// No group but the watched one, and the one that starts it.
    pub(crate) alone: bool,
    /// Something else of the call writes, too, and does not run: other commands, other views, pixels.
    pub(crate) has_others: bool,
}

/// A lane that is watched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    /// It is of the amplification shader.
    pub(crate) of_amplification: bool,
    /// Of a mesh shader's lane the amplification shader's group that starts it; `None`: the first that starts such a group.
    pub(crate) parent: Option<At>,
    pub(crate) group: At,
    pub(crate) lane: u32,
}

/// A group of the mesh shader that ran.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// The amplification shader's group that started it.
    pub(crate) parent: Option<At>,
    pub(crate) group: At,
    pub(crate) meshlet: Meshlet,
}

/// What a run of all groups gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    /// Groups of the amplification shader, and what each starts.
    pub(crate) started: Vec<(At, Started)>,
    /// Groups of the mesh shader in their order.
    pub(crate) given: Vec<Given>,
    /// Of the watched lane.
    pub(crate) ran: Option<Ran>,
    /// The amplification shader's group that starts the watched one.
    pub(crate) parent: Option<At>,
    /// Groups in each direction of the dispatch that the watched one is of.
    pub(crate) groups: At,
    pub(crate) instructions: u64,
}

/// Why a run ends early: in which of the two shaders.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) of_amplification: bool,
    pub(crate) fault: Fault,
}

/// How exactly a word is known that a mesh shader gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    #[default]
    Exactly,
    /// The API leaves its last bits open.
    Nearly,
    /// It may be anything.
    Not,
}

impl Known {
    fn of(open: Open) -> Known {
        match open {
            0 => Known::Exactly,
            open if is_free(open) => Known::Not,
            _ => Known::Nearly,
        }
    }
}

/// Primitives as the rasteriser has them.
#[derive(Clone, Debug)]
pub(crate) struct Assembled {
    pub(crate) mesh: Mesh,
    /// Of each word of the mesh; of what a replay gave all are known, and none is here.
    known: Vec<Known>,
    /// The first word of a corner that is of the primitive, and the same at all corners.
    of_primitives: usize,
    /// Where each primitive comes from, in words.
    origins: Vec<String>,
}

impl From<Mesh> for Assembled {
    fn from(mesh: Mesh) -> Assembled {
        Assembled { of_primitives: usize::MAX, known: Vec::new(), origins: Vec::new(), mesh }
    }
}

impl Assembled {
    /// How exactly the words of a corner are known.
    pub(crate) fn known(&self, corner: u64) -> Vec<Known> {
        let words = self.mesh.stride as usize / 4;
        let from = usize::try_from(corner).unwrap_or(usize::MAX).saturating_mul(words);
        let own = self.known.get(from..).and_then(|known| known.get(..words));
        own.map_or_else(|| vec![Known::Exactly; words], <[Known]>::to_vec)
    }

    /// Whether a word of a corner is the primitive's.
    pub(crate) fn is_of_primitive(&self, word: usize) -> bool {
        word >= self.of_primitives
    }

    /// Where a primitive comes from.
    pub(crate) fn origin(&self, primitive: u32) -> Option<&str> {
        self.origins.get(primitive as usize).map(String::as_str)
    }
}

/// The groups of a dispatch, in the order in which they are numbered.
fn all([x, y, z]: At) -> impl Iterator<Item = At> {
    (0..z).flat_map(move |at_z| (0..y).flat_map(move |at_y| (0..x).map(move |at_x| [at_x, at_y, at_z])))
}

/// Whether a dispatch has a group.
fn has(groups: At, group: At) -> bool {
    groups.iter().zip(group).all(|(count, at)| at < *count)
}

pub(crate) fn three(at: At) -> String {
    format!("{},{},{}", at[0], at[1], at[2])
}

/// Rows of a part of a container.
fn rows(container: &[u8], tags: &[[u8; 4]]) -> anyhow::Result<Vec<Element>> {
    let container = Container::parse(container)?;
    match tags.iter().find_map(|tag| container.part(Tag(*tag))) {
        Some(part) => Ok(signature::parse(&part)?),
        None => Ok(Vec::new()),
    }
}

impl Meshes {
    /// The shaders of a pipeline, as the command has its root arguments.
    ///
    /// # Errors
    /// One cannot be translated or read.
    pub(super) fn of(command: &Command, amplification: Option<&Arc<[u8]>>, mesh: &[u8]) -> anyhow::Result<Meshes> {
        let read = |container: &[u8], stage: &'static str| -> anyhow::Result<(Compiled, Module)> {
            let compiled =
                command.compile(container, Linked::default()).with_context(|| format!("its {stage} shader"))?;
            let module = Module::read(&compiled.words).with_context(|| format!("its {stage} shader"))?;
            Ok((compiled, module))
        };
        let amplification = amplification.map(|container| read(container, "amplification")).transpose()?;
        let (compiled, module) = read(mesh, "mesh")?;
        Ok(Meshes {
            amplification: amplification.map(|(_, module)| module),
            mesh: module,
            compiled,
            vertices: rows(mesh, &[*b"OSG1"])?,
            primitives: rows(mesh, &[*b"PSG1"])?,
        })
    }

    /// They are of a view instance.
    pub(crate) fn be_of_view(&mut self, view: u32) {
        self.mesh.specialise(VIEW, view);
        self.amplification.iter_mut().for_each(|module| module.specialise(VIEW, view));
    }

    /// The shader of a stage.
    pub(crate) fn module(&self, of_amplification: bool) -> &Module {
        self.amplification.as_ref().filter(|_| of_amplification).unwrap_or(&self.mesh)
    }

    /// Runs the groups of the draw, one after the other.
    ///
    /// # Errors
    /// One of them ends early, or all together take more than the plan allows.
    pub(crate) fn run(&self, plan: &Plan, store: &mut Store<'_>, opens: &mut Opens) -> Result<Drawn, Ended> {
        let mut drawn = Drawn { groups: plan.groups, ..Drawn::default() };
        let Some(amplification) = &self.amplification else {
            self.meshes(plan, (None, plan.groups, &Payload::new()), &mut drawn, store, opens)?;
            return Ok(drawn);
        };
        for group in all(plan.groups) {
            let is_own = |watched: Watched| match watched.of_amplification {
                true => watched.group == group,
                false => watched.parent.is_none_or(|parent| parent == group),
            };
            if plan.alone && !plan.watched.is_some_and(is_own) {
                continue;
            }
            let watched = plan.watched.filter(|it| it.of_amplification && it.group == group).map(|it| it.lane);
            let task = self.task(plan, (plan.groups, group), watched, &drawn);
            store.begin_group();
            let ended = |fault| Ended { of_amplification: true, fault };
            let (ran, started) = run_amplification(amplification, task, store, opens).map_err(ended)?;
            drawn.instructions += ran.instructions;
            if watched.is_some() {
                drawn.ran = Some(ran);
            }
            if !(plan.alone && watched.is_some()) {
                self.meshes(plan, (Some(group), started.groups, &started.payload), &mut drawn, store, opens)?;
            }
            drawn.started.push((group, started));
            if plan.alone && drawn.ran.is_some() {
                break;
            }
        }
        Ok(drawn)
    }

    fn task(&self, plan: &Plan, (groups, group): (At, At), watched: Option<u32>, drawn: &Drawn) -> Task {
        let budget = plan.budget.saturating_sub(drawn.instructions);
        let (wave, alone) = (plan.wave, plan.alone || plan.has_others);
        Task { groups, group, wave, watched, alone, budget, ..Task::default() }
    }

    /// Runs the groups of the mesh shader that the draw starts, or a group of the amplification shader.
    fn meshes(
        &self,
        plan: &Plan,
        (parent, groups, payload): (Option<At>, At, &Payload),
        drawn: &mut Drawn,
        store: &mut Store<'_>,
        opens: &mut Opens,
    ) -> Result<(), Ended> {
        let is_own = |watched: &Watched| {
            !watched.of_amplification
                && drawn.ran.is_none()
                && (watched.parent.is_none() || watched.parent == parent)
                && has(groups, watched.group)
        };
        let own = plan.watched.filter(is_own);
        if own.is_some() {
            (drawn.parent, drawn.groups) = (parent, groups);
        }
        for group in all(groups) {
            let watched = own.filter(|watched| watched.group == group).map(|watched| watched.lane);
            if plan.alone && watched.is_none() {
                continue;
            }
            let task = self.task(plan, (groups, group), watched, drawn);
            store.begin_group();
            let ended = |fault| Ended { of_amplification: false, fault };
            let (ran, meshlet) = run_mesh(&self.mesh, task, payload, store, opens).map_err(ended)?;
            drawn.instructions += ran.instructions;
            if watched.is_some() {
                drawn.ran = Some(ran);
            }
            drawn.given.push(Given { parent, group, meshlet });
        }
        Ok(())
    }

    /// Where the words of the rows of primitives are.
    fn ports_of_primitives(&self) -> Vec<Vec<Port>> {
        let placed = self.primitives.iter().map(|row| {
            let named = self.compiled.of_primitives.iter();
            let mut named = named.filter(|(name, index, _)| *index == row.index && *name == row.semantic);
            let register = named.next().map_or(row.register, |(_, _, location)| *location);
            Element { register, ..row.clone() }
        });
        ports(&placed.collect::<Vec<_>>())
    }

    /// Rows of vertices or primitives that have something, with the places of their words; without what culls.
    pub(crate) fn placed(&self, of_primitives: bool) -> Vec<(Element, Vec<Port>)> {
        let (rows, ports) = match of_primitives {
            true => (&self.primitives, self.ports_of_primitives()),
            false => (&self.vertices, ports(&self.vertices)),
        };
        let kept = |(row, _): &(&Element, Vec<Port>)| row.mask != 0 && !is_cull(row);
        rows.iter().zip(ports).filter(kept).map(|(row, ports)| (row.clone(), ports)).collect()
    }

    /// The words of a vertex or a primitive by what the shader calls them.
    pub(crate) fn named<'w>(
        &'w self,
        words: &'w Words,
        of_primitive: bool,
    ) -> impl Iterator<Item = (&'w Element, Vec<(u64, Open)>)> {
        let (rows, ports) = match of_primitive {
            true => (&self.primitives, self.ports_of_primitives()),
            false => (&self.vertices, ports(&self.vertices)),
        };
        rows.iter().zip(ports).map(|(row, ports)| {
            let ports = if is_cull(row) { vec![CULLED] } else { ports };
            (row, ports.iter().filter_map(|port| words.get(port).copied()).collect())
        })
    }

    /// The primitives of all groups in their order, without those that are culled by what the shader says.
    ///
    /// # Errors
    /// In words: what the shader gives are no primitives.
    pub(crate) fn assembled(&self, drawn: &Drawn) -> Result<Assembled, String> {
        let kept = |row: &&Element| row.mask != 0 && !is_cull(row);
        let unsupported = |what: String| format!("unsupported: {what}");
        let (of_vertices, of_primitives) = (self.vertices.iter().filter(kept), self.primitives.iter().filter(kept));
        let (columns, stride) = MeshColumn::of(of_vertices.clone().chain(of_primitives)).map_err(unsupported)?;
        let of_primitives = of_vertices.map(|row| row.mask.count_ones() as usize).sum();
        let (of_vertex, of_primitive) = (ports(&self.vertices), self.ports_of_primitives());
        let places = |rows: &[Element], ports: Vec<Vec<Port>>| -> Vec<Port> {
            rows.iter().zip(ports).filter(|(row, _)| kept(row)).flat_map(|(_, ports)| ports).collect()
        };
        let (of_vertex, of_primitive) = (places(&self.vertices, of_vertex), places(&self.primitives, of_primitive));
        let (mut bytes, mut known, mut origins) = (Vec::new(), Vec::new(), Vec::new());
        let mut size = None;
        let mut put = |words: &Words, ports: &[Port]| {
            for port in ports {
                let (bits, open) = words.get(port).copied().unwrap_or_default();
                bytes.extend((bits as u32).to_le_bytes());
                known.push(Known::of(open));
            }
        };
        for Given { parent, group, meshlet } in &drawn.given {
            for (number, shape) in meshlet.primitives.iter().enumerate() {
                if shape.words.get(&CULLED).is_some_and(|(culled, _)| *culled != 0) {
                    continue;
                }
                size = Some(shape.corners.len() as u32);
                for corner in &shape.corners {
                    let vertex = meshlet.vertices.get(*corner as usize).ok_or_else(|| {
                        let group = three(*group);
                        format!(
                            "primitive {number} of the mesh shader's group {group} names vertex {corner} of {}",
                            meshlet.vertices.len()
                        )
                    })?;
                    put(vertex, &of_vertex);
                    put(&shape.words, &of_primitive);
                }
                let parent = parent.map_or_else(String::new, |parent| {
                    format!(", which the amplification shader's group {} starts", three(parent))
                });
                origins.push(format!("primitive {number} of the mesh shader's group {}{parent}", three(*group)));
            }
        }
        let topology = if size == Some(2) { LINES } else { TRIANGLES };
        let mesh = Mesh {
            submission: 0,
            stage: MeshStage::Mesh,
            topology,
            primitive: Some(size.unwrap_or(3)),
            columns,
            stride,
            per_instance: None,
            bytes,
            notes: Vec::new(),
            full: false,
            meshlets: None,
        };
        Ok(Assembled { mesh, known, of_primitives, origins })
    }
}

/// Where a primitive says that it is culled.
pub(super) const CULLED: Port = Port::BuiltIn(BuiltIn::CullPrimitiveEXT as u32, 0);

fn is_cull(row: &Element) -> bool {
    row.semantic.eq_ignore_ascii_case("SV_CullPrimitive")
}
