//! The pass over the trace that finds what is bound at draws whose tests are wanted.

use std::collections::{BTreeMap, HashMap, HashSet};

use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::state::lists::{Action, Bound, action};
use reprise_timeline::{At, Call, Interests, Pass, State, argument};

use crate::input::source::{Blobs, Source, walk};
use crate::opened;
use crate::pipeline_origin::{Key, Origin};
use crate::report::lone_draw::LoneDraw;
use crate::report::pixel::{PixelDraw, PixelDraws};

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const SIGNATURE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");

/// What is bound at a draw.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) origin: Origin,
    /// Of the target that is looked at.
    pub(crate) slot: Option<u32>,
    pub(crate) bound: Bound,
    pub(crate) is_indirect: bool,
    /// One of the draws that the call makes, and what the list has bound.
    pub(crate) lone: Option<(LoneDraw, Bound)>,
}

/// All that is wanted.
#[derive(Default)]
pub(crate) struct Plan {
    /// By call.
    pub(super) draws: HashMap<u64, Result<Draw, String>>,
    /// Calls that make their pipelines: of which, and the slots of the targets that are looked at.
    pub(super) pipelines: HashMap<u64, BTreeMap<(Key, Option<u32>), Origin>>,
    /// Calls that set their targets.
    pub(super) sets: HashSet<u64>,
    /// By call that submits them.
    pub(super) submissions: HashMap<u64, Vec<PixelDraw>>,
    /// The lists of these submissions.
    pub(super) lists: HashSet<u32>,
}

struct Finder<'p> {
    asked: &'p PixelDraws,
    blobs: &'p dyn Blobs,
    wanted: HashSet<u64>,
    state: State,
    plan: Plan,
}

/// # Errors
/// The trace cannot be read.
pub(crate) fn plan(source: &mut dyn Source, blobs: &dyn Blobs, asked: &PixelDraws) -> Result<Plan, String> {
    let wanted = asked.draws.iter().map(|draw| draw.call).collect();
    let last = asked.draws.iter().map(|draw| draw.submission).max().unwrap_or(0);
    let mut finder = Finder { asked, blobs, wanted, state: State::default(), plan: Plan::default() };
    let is_over = std::rc::Rc::new(std::cell::Cell::new(false));
    let mut pass = Ending { finder: &mut finder, last, is_over: is_over.clone() };
    walk(source, &mut [&mut pass], |_| is_over.get())?;
    Ok(finder.plan)
}

/// Ends behind the last submission.
struct Ending<'f, 'p> {
    finder: &'f mut Finder<'p>,
    last: u64,
    is_over: std::rc::Rc<std::cell::Cell<bool>>,
}

impl Pass for Ending<'_, '_> {
    fn interests(&self) -> Interests {
        let every: Vec<MethodId> = (0..MODEL.methods.len()).map(|method| MethodId(method as u16)).collect();
        self.finder.state.interests().and(&Interests::new().enters(&every).every_call())
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.finder.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.finder.state.enter(call, at);
        if call.method == SUBMITTED.method() {
            let draws = self.finder.asked.draws.iter().filter(|draw| draw.submission == call.number);
            let draws: Vec<PixelDraw> = draws.cloned().collect();
            if !draws.is_empty() {
                self.finder.plan.submissions.insert(call.number, draws);
                let lists = SUBMITTED.of(call).map(|lists| lists.iter().collect::<Vec<_>>());
                self.finder.plan.lists.extend(lists.into_iter().flatten().map(|list| list.0));
            }
            self.is_over.set(call.number >= self.last);
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if self.finder.wanted.contains(&call.number) {
            let draw = self.finder.draw(call);
            if let Ok(draw) = &draw {
                let key = (draw.origin.key(), draw.slot);
                let pipelines = self.finder.plan.pipelines.entry(draw.origin.call).or_default();
                pipelines.entry(key).or_insert_with(|| draw.origin.clone());
                self.finder.plan.sets.extend(draw.bound.targets.as_ref().map(|targets| targets.call));
            }
            self.finder.plan.draws.insert(call.number, draw);
        }
        self.finder.state.call(call, at);
    }
}

impl Finder<'_> {
    fn draw(&self, call: &Call<'_>) -> Result<Draw, String> {
        let asked = self.asked.draws.iter().find(|it| it.call == call.number);
        Draw::of(&self.state, self.blobs, call, asked.and_then(|it| it.slot), asked.and_then(|it| it.lone.as_ref()))
    }
}

impl Draw {
    /// What is bound at a draw, or why its tests cannot be told apart.
    pub(crate) fn of(
        state: &State,
        blobs: &dyn Blobs,
        call: &Call<'_>,
        slot: Option<u32>,
        lone: Option<&LoneDraw>,
    ) -> Result<Self, String> {
        let list = state.lists.get(call.object).ok_or("the trace does not have the list of this draw")?;
        let bound = lone.map_or(&list.bound, |lone| &*lone.bound);
        if let Some(lone) = lone {
            lone.check(&list.bound)?;
        }
        if list.is_bundle() {
            return Err("draws of bundles are not tested one by one: `reprise edit -e 'every ExecuteBundle: unroll'` makes a trace in which they are draws of lists".into());
        }
        let is_indirect = lone.is_none() && action(call.method) == Some(Action::Indirect);
        if is_indirect {
            let signature = SIGNATURE.of(call).map_err(|error| error.to_string())?;
            let commands = state.lists.commands(signature.0).ok_or("its command signature is not in the trace")?;
            if commands.dispatches {
                return Err("its commands draw nothing".into());
            }
            if !commands.changes.is_empty() {
                return Err("its commands set root arguments or buffers".into());
            }
        }
        if !list.queries.is_empty() {
            return Err("a query is open, which would count what is drawn once more".into());
        }
        if bound.streams().next().is_some() {
            return Err("its vertices go to stream output, and would twice".into());
        }
        if opened::is_closed(bound) && bound.predication.as_ref().is_some_and(|set| set.value.is_some()) {
            return Err("it has a predicate, which cannot be changed in a render pass".into());
        }
        if bound.scissors.as_ref().is_none_or(|set| set.value.is_empty()) {
            return Err("no scissor rectangle is set".into());
        }
        let origin = Origin::of(state, blobs, bound)?;
        let lone = lone.map(|lone| (lone.clone(), list.bound.clone()));
        Ok(Draw { origin, slot, bound: bound.clone(), is_indirect, lone })
    }
}
