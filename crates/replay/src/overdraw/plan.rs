//! The pass over the trace that finds the draws of a frame, and what is bound there.

use std::collections::{BTreeMap, HashMap, HashSet};

use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::state::lists::{Pipeline, action, begins_anew, records};
use reprise_timeline::state::memory;
use reprise_timeline::{At, Call, Interests, Pass, State, argument};

use super::pipeline::Variant;
use crate::input::source::{Source, walk};
use crate::opened;
use crate::report::overdraw::Overdraw;
use crate::resource_dump::{Part, ShotOf, States, has_slices, part_of_view};

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");

/// Views of depth that have a stencil beside it.
pub(crate) const D32_FLOAT_S8X24_UINT: u32 = 20;
pub(crate) const D24_UNORM_S8_UINT: u32 = 45;

/// A part of a texture.
pub(crate) type Place = (u32, Part);

/// A draw that is counted.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) call: u64,
    pub(crate) pipeline: u32,
    /// The call that made the pipeline.
    pub(crate) made: u64,
    /// The call that set the targets, if one did.
    pub(crate) set: u64,
    pub(crate) colour: Option<Place>,
    pub(crate) depth: Option<Place>,
    /// `D3D12_RESOURCE_STATES` of the depth there.
    pub(crate) state: u32,
    pub(crate) variant: Variant,
}

/// All draws of the frame.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) frame: u64,
    pub(crate) draws: HashMap<u64, Draw>,
    /// Their calls, in the order of the submissions.
    pub(crate) order: Vec<u64>,
    /// Calls that make their pipelines, and that set their targets.
    pub(crate) pipelines: BTreeMap<u64, Vec<Variant>>,
    pub(crate) sets: HashSet<u64>,
    pub(crate) left_out: BTreeMap<String, Vec<u64>>,
}

type Noted = Result<(Draw, States), (u64, &'static str)>;

struct Finder {
    asked: Overdraw,
    state: State,
    /// Draws of each list since it was reset: with the states that the list's barriers say, or the call and why it cannot be counted.
    lists: HashMap<u32, Vec<Noted>>,
    states: HashMap<u32, States>,
    plan: Plan,
}

/// # Errors
/// The trace cannot be read.
pub(crate) fn plan(source: &mut dyn Source, asked: Overdraw) -> Result<Plan, String> {
    let plan = Plan { frame: asked.frame, ..Plan::default() };
    let mut finder = Finder { asked, state: State::default(), lists: HashMap::new(), states: HashMap::new(), plan };
    walk(source, &mut [&mut finder], |event| u64::from(event.frame) >= asked.frame)?;
    let Plan { draws, pipelines, sets, .. } = &mut finder.plan;
    for draw in draws.values() {
        let variants = pipelines.entry(draw.made).or_default();
        if !variants.contains(&draw.variant) {
            variants.push(draw.variant);
        }
        sets.insert(draw.set);
    }
    Ok(finder.plan)
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        let every: Vec<MethodId> = (0..MODEL.methods.len()).map(|method| MethodId(method as u16)).collect();
        self.state.interests().and(&Interests::new().enters(&every).every_call())
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.state.enter(call, at);
        if call.method == SUBMITTED.method() {
            let is_wanted = u64::from(at.frame) + 1 == self.asked.frame;
            let lists = SUBMITTED.of(call).map(|lists| lists.iter().collect::<Vec<_>>());
            lists.into_iter().flatten().for_each(|list| self.submit(list.0, is_wanted));
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if begins_anew(call) {
            self.lists.remove(&call.object);
        } else if records(call.method) && (self.asked.calls.0..=self.asked.calls.1).contains(&call.number) {
            let name = MODEL.methods.get(usize::from(call.method.0)).map_or("", |row| row.name);
            if action(call.method).is_some_and(|action| action.draws())
                || matches!(name, "ExecuteIndirect" | "ExecuteBundle")
            {
                let draw = self.draw(call, name).map_err(|reason| (call.number, reason));
                self.lists.entry(call.object).or_default().push(draw);
            }
        }
        self.state.call(call, at);
        if let Ok(Some(initial)) = memory::initial_state(call) {
            let made = call.given().unwrap_or_default();
            self.states.extend(made.into_iter().map(|made| (made.object, States::initial(initial))));
        }
    }
}

impl Finder {
    /// A draw with what is bound there, or why it cannot be counted.
    fn draw(&self, call: &Call<'_>, name: &str) -> Result<(Draw, States), &'static str> {
        match name {
            "ExecuteIndirect" => return Err("indirect commands: their draws are not known when the list is recorded"),
            "ExecuteBundle" => return Err("bundles: what they draw is not counted"),
            _ => {}
        }
        let list = self.state.lists.get(call.object).ok_or("draws of lists that the trace does not have")?;
        let bound = &list.bound;
        if list.is_bundle() {
            return Err("bundles: what they draw is not counted");
        }
        if opened::is_closed(bound) {
            return Err("draws in render passes that cannot be opened, so that targets cannot be set");
        }
        if !list.queries.is_empty() {
            return Err("draws while a query is open, which would count them twice");
        }
        if bound.streams().next().is_some() {
            return Err("draws with stream output, which would have their vertices twice");
        }
        let pipeline = match bound.pipeline.as_ref().map(|pipeline| pipeline.value) {
            Some(Pipeline::State(pipeline)) => pipeline,
            Some(Pipeline::Program { .. } | Pipeline::StateObject(_)) => {
                return Err("draws with a program of a state object, which are not supported yet");
            }
            None => return Err("draws without a pipeline state"),
        };
        let made = self.state.objects.get(pipeline).ok_or("draws whose pipeline is gone")?.creation().number;
        let targets = bound.targets.as_ref().ok_or("draws without targets")?;
        let colour = targets.value.colours.first().and_then(|target| target.descriptor.as_ref());
        let slices = |resource: u32| {
            let made = memory::resource(&self.state.objects.get(resource)?.creation()).ok()??;
            Some(u32::from(made.DepthOrArraySize))
        };
        if colour.is_some_and(|it| has_slices(&it.view, slices(it.view.resource).unwrap_or(1))) {
            return Err("draws to several slices, among which shaders choose");
        }
        let colour =
            colour.and_then(|view| part_of_view(&view.view, &ShotOf::Target { slot: 0, slice: 0, sample: 0 }).ok());
        let depth = targets.value.depth.as_ref().and_then(|target| target.descriptor.as_ref());
        let depth = depth
            .and_then(|view| part_of_view(&view.view, &ShotOf::Depth { stencil: false, slice: 0, sample: 0 }).ok());
        if colour.is_none() && depth.is_none() {
            return Err("draws without targets");
        }
        let format = depth.and_then(|(resource, part)| {
            let made = || Some(memory::resource(&self.state.objects.get(resource)?.creation()).ok()??.Format.0 as u32);
            if part.format == 0 { made() } else { Some(part.format) }
        });
        let variant = match format {
            None | Some(19..=22 | 39..=41) => Variant { view: D32_FLOAT_S8X24_UINT, has_depth: depth.is_some() },
            Some(44..=47) => Variant { view: D24_UNORM_S8_UINT, has_depth: true },
            Some(_) => return Err("draws with a depth buffer of 16 bits"),
        };
        let states = depth.and_then(|(resource, _)| list.states.get(&resource)).map(States::of).unwrap_or_default();
        let draw = Draw { call: call.number, pipeline, made, set: targets.call, colour, depth, state: 0, variant };
        Ok((draw, states))
    }

    fn submit(&mut self, id: u32, is_wanted: bool) {
        for draw in self.lists.get(&id).into_iter().flatten().filter(|_| is_wanted) {
            match draw {
                Ok((draw, states)) => {
                    let resource = draw.depth.map_or(0, |(resource, _)| resource);
                    let before = self.states.get(&resource).cloned().unwrap_or_else(|| States::all(0));
                    // Both planes of a depth buffer are in one state, or the one of depth decides.
                    let subresource = draw.depth.map_or(0, |(_, part)| part.mip);
                    let state = before.then(states).get(subresource).unwrap_or(0);
                    if self.plan.draws.insert(draw.call, Draw { state, ..draw.clone() }).is_none() {
                        self.plan.order.push(draw.call);
                    }
                }
                Err((call, reason)) => {
                    let calls = self.plan.left_out.entry((*reason).to_owned()).or_default();
                    if !calls.contains(call) {
                        calls.push(*call);
                    }
                }
            }
        }
        let Some(list) = self.state.lists.get(id) else { return };
        for (&resource, barriers) in &list.states {
            let states = self.states.entry(resource).or_insert_with(|| States::all(0));
            *states = states.then(&States::of(barriers));
        }
    }
}
