//! The pass over the trace that finds the draws, what is bound there, and the submissions that run them.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{MODEL, method};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Version;
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::state::bindings::root_signature;
use reprise_timeline::state::lists::{Action, Bound, Pipeline, action};
use reprise_timeline::{At, Call, Interests, Pass, State, argument};

use super::primitive;
use crate::input::source::{Blobs, Source, walk};
use crate::report::mesh::MeshWish;

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const SIGNATURE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
const VERTICES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawInstanced", "VertexCountPerInstance");
const INSTANCES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawInstanced", "InstanceCount");
const INDICES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawIndexedInstanced", "IndexCountPerInstance");
const INDEXED_INSTANCES: Argument<u32> =
    argument!("ID3D12GraphicsCommandList", "DrawIndexedInstanced", "InstanceCount");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");

/// The first type of queries that count what our draw does, too: statistics of pipelines and of stream output. Occlusion counts
/// samples, and our draw has none.
const COUNTING: u32 = 3;

/// A draw whose vertices are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) pipeline: u32,
    /// The call that made the pipeline.
    pub(crate) made: u64,
    /// The root signature that is bound, its id and its contents.
    pub(crate) signature: u32,
    pub(crate) root: (RootSignature, Version),
    /// What is set there.
    pub(crate) bound: Bound,
    /// `D3D_PRIMITIVE_TOPOLOGY`.
    pub(crate) topology: u32,
    /// Vertices of an instance, instances, and whether indices name them; `None` where only the GPU knows them.
    pub(crate) counts: Option<(u64, u64, bool)>,
}

/// All draws that are wanted.
#[derive(Default)]
pub(crate) struct Plan {
    /// By number of the wish.
    pub(crate) draws: Vec<Result<Draw, String>>,
    /// Wishes by the call that draws, and by the call that makes the pipeline.
    pub(crate) calls: HashMap<u64, Vec<usize>>,
    pub(crate) pipelines: BTreeMap<u64, Vec<usize>>,
    /// By the call that submits them: wishes, and whether an earlier one ran them already.
    pub(crate) submitted: HashMap<u64, Vec<(usize, bool)>>,
}

struct Finder<'b> {
    blobs: &'b dyn Blobs,
    wishes: &'b [MeshWish],
    state: State,
    /// By list: wishes that no submission has met yet, and whether one ran the list already.
    lists: HashMap<u32, Vec<(usize, bool)>>,
    draws: Vec<Option<Result<Draw, String>>>,
    submitted: HashMap<u64, Vec<(usize, bool)>>,
    last_call: u64,
    is_over: Rc<Cell<bool>>,
}

/// # Errors
/// The trace cannot be read.
pub(crate) fn plan(source: &mut dyn Source, blobs: &dyn Blobs, wishes: &[MeshWish]) -> Result<Plan, String> {
    let is_over = Rc::new(Cell::new(false));
    let mut finder = Finder {
        blobs,
        wishes,
        state: State::default(),
        lists: HashMap::new(),
        draws: vec![None; wishes.len()],
        submitted: HashMap::new(),
        last_call: 0,
        is_over: is_over.clone(),
    };
    walk(source, &mut [&mut finder], |_| is_over.get())?;
    Ok(finder.finish())
}

impl Pass for Finder<'_> {
    fn interests(&self) -> Interests {
        let every: Vec<MethodId> = (0..MODEL.methods.len()).map(|method| MethodId(method as u16)).collect();
        self.state.interests().and(&Interests::new().enters(&every).every_call())
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.last_call = call.number;
        self.state.enter(call, at);
        if call.method == SUBMITTED.method() {
            let lists = SUBMITTED.of(call).map(|lists| lists.iter().collect::<Vec<_>>());
            lists.into_iter().flatten().for_each(|list| self.submit(list.0, call.number));
        }
        self.end_early();
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if call.method == RESET && call.succeeded() {
            self.give_up(call.object);
        }
        for (index, wish) in self.wishes.iter().enumerate() {
            if wish.call == call.number {
                let draw = self.draw(call);
                if draw.is_ok() {
                    self.lists.entry(call.object).or_default().push((index, false));
                }
                self.draws[index] = Some(draw);
            }
        }
        self.state.call(call, at);
    }
}

impl Finder<'_> {
    /// A draw with what is bound there, or why its vertices cannot be had.
    fn draw(&self, call: &Call<'_>) -> Result<Draw, String> {
        let action = match action(call.method) {
            Some(Action::DrawMesh) => {
                return Err("mesh shaders have no vertex stage, and stream output cannot take what they give".into());
            }
            Some(action @ (Action::Draw | Action::DrawIndexed | Action::Indirect)) => action,
            _ => {
                return Err(
                    "the call draws nothing: ask at DrawInstanced, DrawIndexedInstanced or ExecuteIndirect".into()
                );
            }
        };
        let list = self.state.lists.get(call.object).ok_or("the trace does not have the list of this draw")?;
        let bound = &list.bound;
        if list.is_bundle() {
            return Err("the draw stands in a bundle, where no stream output can be set: not supported".into());
        }
        if list.queries.keys().any(|(_, kind, _)| *kind >= COUNTING) {
            return Err(
                "a query of statistics is open at the draw, which would count a second draw: not supported".into()
            );
        }
        let pipeline = match bound.pipeline.as_ref().map(|pipeline| pipeline.value) {
            Some(Pipeline::State(pipeline)) if pipeline != 0 => pipeline,
            Some(Pipeline::Program(_) | Pipeline::StateObject(_)) => {
                return Err("the draw uses a program of a state object: not supported".into());
            }
            _ => return Err("no pipeline is bound at the draw".into()),
        };
        let made = self.state.objects.get(pipeline).ok_or("the pipeline of the draw is gone")?.creation().number;
        let signature = bound.graphics.signature.map(|signature| signature.value).filter(|id| *id != 0);
        let signature = signature.ok_or("no root signature is bound at the draw")?;
        let root = root_signature(|place| self.blobs.at(place), &self.state, signature)?;
        let topology = bound.topology.map_or(0, |topology| topology.value);
        let counts = match action {
            Action::Indirect => {
                let signature = SIGNATURE.of(call).map_err(|error| error.to_string())?;
                let commands =
                    self.state.lists.commands(signature.0).ok_or("its command signature is not in the trace")?;
                if commands.dispatches {
                    return Err("the indirect call draws nothing".into());
                }
                if !commands.changes.is_empty() {
                    return Err("the indirect call sets root arguments or buffers, for the program's root signature only: not supported".into());
                }
                None
            }
            Action::DrawIndexed => {
                let (count, instances) = (INDICES.of(call), INDEXED_INSTANCES.of(call));
                Some((count, instances, true))
            }
            _ => Some((VERTICES.of(call), INSTANCES.of(call), false)),
        };
        let counts = match counts {
            Some((count, instances, indexed)) => {
                let damaged = |error: reprise_timeline::Damaged| error.to_string();
                Some((u64::from(count.map_err(damaged)?), u64::from(instances.map_err(damaged)?), indexed))
            }
            None => None,
        };
        if topology == 0 {
            return Err("no primitive topology is set at the draw".into());
        }
        Ok(Draw { pipeline, made, signature, root, bound: bound.clone(), topology, counts })
    }

    fn submit(&mut self, list: u32, call: u64) {
        let Some(open) = self.lists.get_mut(&list) else { return };
        for (index, ran) in std::mem::take(open) {
            if self.wishes[index].submission.is_none_or(|wanted| wanted == call) {
                self.submitted.entry(call).or_default().push((index, ran));
            } else {
                open.push((index, true));
            }
        }
        if open.is_empty() {
            self.lists.remove(&list);
        }
    }

    /// The recording of a list is over.
    fn give_up(&mut self, list: u32) {
        for (index, _) in self.lists.remove(&list).into_iter().flatten() {
            let why = match self.wishes[index].submission {
                Some(submission) => format!("call {submission} does not submit the list of the draw"),
                None => "its command list was never submitted after this call".into(),
            };
            self.draws[index] = Some(Err(why));
        }
    }

    fn end_early(&mut self) {
        if self.lists.is_empty() && self.draws.iter().all(Option::is_some) {
            self.is_over.set(true);
        }
    }

    fn finish(mut self) -> Plan {
        let open: Vec<u32> = self.lists.keys().copied().collect();
        open.into_iter().for_each(|list| self.give_up(list));
        let none = format!("the trace has no such call that returned (its last one is {})", self.last_call);
        let draws: Vec<_> = self.draws.into_iter().map(|draw| draw.unwrap_or_else(|| Err(none.clone()))).collect();
        let mut plan = Plan { submitted: self.submitted, ..Plan::default() };
        for (index, draw) in draws.iter().enumerate() {
            if let Ok(draw) = draw {
                plan.calls.entry(self.wishes[index].call).or_default().push(index);
                plan.pipelines.entry(draw.made).or_default().push(index);
            }
        }
        plan.draws = draws;
        plan
    }
}

impl Draw {
    /// Vertices that stream output makes of the draw where no stage behind the vertex stage changes their number: of a primitive, of
    /// an instance, and of all.
    pub(super) fn listed(&self) -> Option<(u32, u64, u64)> {
        let (count, instances, _) = self.counts?;
        let (primitive, each) = primitive::of_topology(self.topology, count)?;
        Some((primitive, each, each.saturating_mul(instances)))
    }
}
