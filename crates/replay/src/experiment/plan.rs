//! The pass over the trace that finds what is to be changed.

use std::collections::{BTreeMap, HashMap, HashSet};

use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{Operation, of_number};
use reprise_d3d12::types::D3D12_DESCRIPTOR_HEAP_TYPE;
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::state::descriptors::{View, ViewKind};
use reprise_timeline::state::lists::{Bound, Pipeline, begins_anew, records};
use reprise_timeline::{At, Call, Interests, Pass, State, argument};

use crate::report::experiment::{Experiment, ExperimentWish};

const RAN: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");
const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const SIGNATURE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
/// `D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE_CLEAR`.
const CLEARS: u32 = 2;

/// What happens to an operation.
#[derive(Clone, Debug)]
pub(super) enum Change {
    LeftOut,
    /// It runs another pipeline.
    Pipeline(Box<Draw>),
    /// It has other scissors; these are the program's.
    Scissors(Vec<[i32; 4]>),
}

/// A draw that runs another pipeline.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) pipeline: u32,
    /// The call that made it.
    pub(super) made: u64,
    pub(super) bound: Bound,
}

/// A descriptor that a shader reads a texture by: its heap, its place there, and what was made of it.
pub(super) type Placed = (u32, u32, std::sync::Arc<View>);

/// What is to be changed.
#[derive(Default)]
pub(crate) struct Plan {
    /// By the numbers of their calls.
    pub(super) changes: HashMap<u64, Change>,
    /// Calls that make pipelines which are wanted otherwise.
    pub(super) pipelines: HashSet<u64>,
    /// The first call of the frames, where views are changed, and those that are there before.
    pub(super) views: Option<(u64, Vec<Placed>)>,
    pub(super) unchanged: BTreeMap<String, Vec<u64>>,
}

/// One recording of a list.
#[derive(Default)]
struct Recording {
    operations: Vec<(u64, Result<Change, &'static str>)>,
    /// Of a bundle: whether it draws, and whether it dispatches.
    runs: [bool; 2],
    /// The call that began the last render pass that clears and has something of what is asked for.
    clearing: u64,
    /// A frame before those that are asked for runs it, too.
    is_early: bool,
}

/// Finds it, in a walk over the trace up to the end of the frames.
pub(crate) struct Finder<'w> {
    wish: &'w ExperimentWish,
    state: State,
    lists: HashMap<u32, Recording>,
    done: HashSet<u64>,
    plan: Plan,
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
        let frame = u64::from(at.frame) + 1;
        if self.wish.what == Experiment::Textures && self.plan.views.is_none() && frame >= self.wish.frames.0 {
            self.plan.views = Some((call.number, self.views()));
        }
        self.state.enter(call, at);
        if call.method == SUBMITTED.method() {
            let lists = SUBMITTED.of(call).map(|lists| lists.iter().map(|list| list.0).collect::<Vec<_>>());
            lists.unwrap_or_default().into_iter().for_each(|list| self.submit(list, frame));
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if begins_anew(call) {
            self.lists.remove(&call.object);
        } else if let Some(operation) = of_number(call.method.0).filter(|_| self.is_bundle(call.object)) {
            let runs = &mut self.lists.entry(call.object).or_default().runs;
            let draws = [Operation::Draw, Operation::Indirect].contains(&operation);
            let dispatches = operation.dispatches() || operation == Operation::Indirect;
            *runs = [runs[0] | draws, runs[1] | dispatches];
        } else if records(call.method)
            && self.is_asked(call.number)
            && let Some(operation) = of_number(call.method.0)
            && let Some(change) = self.change(call, operation)
        {
            self.lists.entry(call.object).or_default().operations.push((call.number, change));
        }
        self.state.call(call, at);
        if self.wish.what == Experiment::Clears && self.is_asked(call.number) {
            self.clears_by_itself(call);
        }
    }
}

impl<'w> Finder<'w> {
    pub(crate) fn new(wish: &'w ExperimentWish) -> Self {
        let (state, lists, done, plan) = (State::default(), HashMap::new(), HashSet::new(), Plan::default());
        Self { wish, state, lists, done, plan }
    }

    pub(crate) fn into_plan(self) -> Plan {
        self.plan
    }
}

impl Finder<'_> {
    fn is_asked(&self, number: u64) -> bool {
        let calls = &self.wish.calls;
        calls.is_empty() || calls.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }

    fn submit(&mut self, list: u32, frame: u64) {
        let Some(recording) = self.lists.get_mut(&list) else { return };
        recording.is_early |= frame < self.wish.frames.0;
        if frame < self.wish.frames.0 || frame > self.wish.frames.1 {
            return;
        }
        for (call, change) in &recording.operations {
            if !self.done.insert(*call) {
                continue;
            }
            let change = match (recording.is_early, change) {
                (true, _) => Err("frames before run the same list: ask for these frames, too"),
                (false, change) => change.clone(),
            };
            match change {
                Ok(change) => {
                    if let Change::Pipeline(draw) = &change {
                        self.plan.pipelines.insert(draw.made);
                    }
                    self.plan.changes.insert(*call, change);
                }
                Err(reason) => self.plan.unchanged.entry(reason.to_owned()).or_default().push(*call),
            }
        }
    }

    /// What becomes of an operation that is recorded next; nothing where it has not what is taken out.
    fn change(&self, call: &Call<'_>, operation: Operation) -> Option<Result<Change, &'static str>> {
        use Operation::{Bundle, Clear, Copy, Draw, Indirect, Resolve};
        let list = self.state.lists.get(call.object)?;
        if list.is_bundle() {
            return None;
        }
        let what = self.wish.what;
        let runs = match operation {
            Indirect => match SIGNATURE.of(call).ok().and_then(|id| self.state.lists.commands(id.0)) {
                Some(commands) if commands.dispatches => Operation::Dispatch,
                Some(_) => Draw,
                None => Indirect,
            },
            other => other,
        };
        let of_draws = !matches!(what, Experiment::Textures | Experiment::Copies | Experiment::Clears);
        match runs {
            Bundle if of_draws && self.runs(call, what == Experiment::Dispatches) => {
                Some(Err("what stands in a bundle is not changed: other lists may run it"))
            }
            Indirect if of_draws => Some(Err("indirect commands whose signature is not in the trace")),
            Draw => match what {
                Experiment::Draws => Some(Ok(Change::LeftOut)),
                Experiment::Scissor => {
                    let scissors = list.bound.scissors.as_ref().map(|set| set.value.clone()).unwrap_or_default();
                    // Without scissors nothing is drawn.
                    (!scissors.is_empty()).then_some(Ok(Change::Scissors(scissors)))
                }
                Experiment::PixelShader | Experiment::DepthWrites | Experiment::DepthTest | Experiment::Blending => {
                    Some(self.draw(&list.bound))
                }
                _ => None,
            },
            Copy | Resolve => (what == Experiment::Copies).then_some(Ok(Change::LeftOut)),
            Clear => (what == Experiment::Clears).then_some(Ok(Change::LeftOut)),
            other => (what == Experiment::Dispatches && other.dispatches()).then_some(Ok(Change::LeftOut)),
        }
    }

    fn is_bundle(&self, list: u32) -> bool {
        self.state.lists.get(list).is_some_and(|list| list.is_bundle())
    }

    /// Whether the bundle that a call runs has draws, or dispatches. Of one that is not in the trace nobody knows.
    fn runs(&self, call: &Call<'_>, dispatches: bool) -> bool {
        let bundle = RAN.of(call).ok().map(|bundle| bundle.0);
        let is_known = bundle.is_some_and(|bundle| self.is_bundle(bundle));
        let runs = bundle.and_then(|bundle| self.lists.get(&bundle)).map_or([false; 2], |recording| recording.runs);
        !is_known || runs[usize::from(dispatches)]
    }

    fn draw(&self, bound: &Bound) -> Result<Change, &'static str> {
        let pipeline = match bound.pipeline.as_ref().map(|pipeline| pipeline.value) {
            Some(Pipeline::State(pipeline)) if pipeline != 0 => pipeline,
            Some(Pipeline::Program { .. } | Pipeline::StateObject(_)) => {
                return Err("draws with a program of a state object");
            }
            _ => return Err("draws without a pipeline state"),
        };
        let made = self.state.objects.get(pipeline).ok_or("draws whose pipeline state is gone")?.creation().number;
        Ok(Change::Pipeline(Box::new(Draw { pipeline, made, bound: bound.clone() })))
    }

    /// What a render pass clears at its beginning is no operation of its own, and belongs to whatever stands in the pass.
    fn clears_by_itself(&mut self, call: &Call<'_>) {
        let Some(pass) = self.state.lists.get(call.object).and_then(|list| list.bound.pass.as_ref()) else { return };
        let mut begins = pass.value.colours.iter().chain(pass.value.depth.iter().flatten());
        let recording = self.lists.entry(call.object).or_default();
        let clears = !pass.value.resumes() && begins.any(|(begin, _)| *begin == CLEARS);
        if recording.clearing != pass.call && clears {
            recording.clearing = pass.call;
            let told = Err("render passes clear at their beginning by themselves");
            recording.operations.push((pass.call, told));
        }
    }

    /// All descriptors by which shaders read something, buffers too.
    fn views(&self) -> Vec<Placed> {
        let heaps = self.state.descriptors.heaps();
        let heaps = heaps.filter(|(_, heap)| heap.kind == D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV.0);
        let slots = heaps.flat_map(|(id, heap)| {
            let reads = heap.slots().filter(|(_, slot)| slot.view.kind == ViewKind::Shader && slot.view.resource != 0);
            reads.map(move |(at, slot)| (id, at, slot.view.clone()))
        });
        slots.collect()
    }
}
