//! Single draws that are wanted: the pass over the trace that finds them, the calls that make their pipelines, and the submissions that run
//! them.
//!
//! Invariant: a wish has its draw, or the reason why there is none.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{MODEL, method};
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::{At, Call, Interests, Pass, State, argument};

use crate::input::source::{Source, walk};

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");

/// A draw that is wanted: its call, and the call that submits its list; `None`: the first that does.
pub(crate) type Wish = (u64, Option<u64>);

/// What has to be known of a draw beside what its user wants to know.
pub(crate) trait Drawn: Clone {
    /// The call that made its pipeline.
    fn made(&self) -> u64;
}

/// All draws that are wanted.
pub(crate) struct Plan<D> {
    /// By number of the wish.
    pub(crate) draws: Vec<Result<D, String>>,
    /// Wishes by the call that draws, and by the call that makes the pipeline.
    pub(crate) calls: HashMap<u64, Vec<usize>>,
    pub(crate) pipelines: BTreeMap<u64, Vec<usize>>,
    /// By the call that submits them: wishes, and whether an earlier one ran them already.
    pub(crate) submitted: HashMap<u64, Vec<(usize, bool)>>,
}

/// Why a call has no vertices and no layers, where it is no draw.
pub(crate) fn no_draw(method: MethodId) -> String {
    let name = MODEL.methods.get(usize::from(method.0)).map_or("the call", |method| method.name);
    match name {
        "ExecuteBundle" => "ExecuteBundle runs a bundle: its draws are calls of the bundle, and this is not supported for draws of bundles; \
                            `show --target` shows what the bundle left"
            .into(),
        name => format!("{name} draws nothing: ask at a draw, or at ExecuteIndirect"),
    }
}

/// Why a list's copies or draws were never made: the submission that was asked for, and those that run the list.
pub(crate) fn not_submitted(wanted: Option<u64>, by: &[u64]) -> String {
    let Some(wanted) = wanted.filter(|_| !by.is_empty()) else {
        return "its command list was never submitted after this call".into();
    };
    let calls: Vec<String> = by.iter().take(8).map(u64::to_string).collect();
    let (which, more) = (calls.join(", "), if by.len() > 8 { ", …" } else { "" });
    match by {
        [_] => format!("call {wanted} does not submit its command list: call {which} does"),
        _ => format!("call {wanted} does not submit its command list: calls {which}{more} do"),
    }
}

struct Finder<'w, D> {
    wishes: &'w [Wish],
    /// What is to be known of a wish's draw, or why it cannot be had.
    look: &'w mut dyn FnMut(usize, &State, &Call<'_>) -> Result<D, String>,
    state: State,
    /// By list: wishes that no submission has met yet, and whether one ran the list already.
    lists: HashMap<u32, Vec<(usize, bool)>>,
    /// By list: the calls that submit its recording.
    runs: HashMap<u32, Vec<u64>>,
    draws: Vec<Option<Result<D, String>>>,
    submitted: HashMap<u64, Vec<(usize, bool)>>,
    last_call: u64,
    is_over: Rc<Cell<bool>>,
}

/// Finds the draws; `look` says of each, by number of the wish, what is to be known, or why it cannot be had.
///
/// # Errors
/// The trace cannot be read.
pub(crate) fn plan<D: Drawn>(
    source: &mut dyn Source,
    wishes: &[Wish],
    look: &mut dyn FnMut(usize, &State, &Call<'_>) -> Result<D, String>,
) -> Result<Plan<D>, String> {
    let is_over = Rc::new(Cell::new(false));
    let mut finder = Finder {
        wishes,
        look,
        state: State::default(),
        lists: HashMap::new(),
        runs: HashMap::new(),
        draws: vec![None; wishes.len()],
        submitted: HashMap::new(),
        last_call: 0,
        is_over: is_over.clone(),
    };
    walk(source, &mut [&mut finder], |_| is_over.get())?;
    Ok(finder.finish())
}

impl<D: Drawn> Pass for Finder<'_, D> {
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
        for (index, (wished, _)) in self.wishes.iter().enumerate() {
            if *wished == call.number {
                let draw = (self.look)(index, &self.state, call);
                if draw.is_ok() {
                    self.lists.entry(call.object).or_default().push((index, false));
                }
                self.draws[index] = Some(draw);
            }
        }
        self.state.call(call, at);
    }
}

impl<D: Drawn> Finder<'_, D> {
    fn submit(&mut self, list: u32, call: u64) {
        let Some(open) = self.lists.get_mut(&list) else { return };
        self.runs.entry(list).or_default().push(call);
        for (index, ran) in std::mem::take(open) {
            if self.wishes[index].1.is_none_or(|wanted| wanted == call) {
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
        let runs = self.runs.remove(&list).unwrap_or_default();
        for (index, _) in self.lists.remove(&list).into_iter().flatten() {
            self.draws[index] = Some(Err(not_submitted(self.wishes[index].1, &runs)));
        }
    }

    fn end_early(&mut self) {
        if self.lists.is_empty() && self.draws.iter().all(Option::is_some) {
            self.is_over.set(true);
        }
    }

    fn finish(mut self) -> Plan<D> {
        let open: Vec<u32> = self.lists.keys().copied().collect();
        open.into_iter().for_each(|list| self.give_up(list));
        let none = format!("the trace has no such call that returned (its last one is {})", self.last_call);
        let draws: Vec<_> = self.draws.into_iter().map(|draw| draw.unwrap_or_else(|| Err(none.clone()))).collect();
        let (calls, pipelines) = (HashMap::new(), BTreeMap::new());
        let mut plan = Plan { draws: Vec::new(), calls, pipelines, submitted: self.submitted };
        for (index, draw) in draws.iter().enumerate() {
            if let Ok(draw) = draw {
                plan.calls.entry(self.wishes[index].0).or_default().push(index);
                plan.pipelines.entry(draw.made()).or_default().push(index);
            }
        }
        plan.draws = draws;
        plan
    }
}
