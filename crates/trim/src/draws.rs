//! Draws cut out: the submissions that run them, and the commands that are left out of these.
//!
//! The part begins with the submission that runs the first draw, whole up to there, because a draw needs what those before it made. It ends
//! with the submission that runs the last one. Invariant: no command that runs behind the last draw is in the part, but for those that
//! a list needs to be closed.

use crate::error::{Error, Refusal};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_QUERY_TYPE, D3D12_RENDER_PASS_FLAGS};
use reprise_timeline::argument::{Argument, ObjectId};
use reprise_timeline::state::State;
use reprise_timeline::state::lists::{Pass as RenderPass, records};
use reprise_timeline::state::queues;
use reprise_timeline::walk::{At, Interests, Pass, Walk};
use reprise_timeline::{Call, argument};
use reprise_trace::read::Trace;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const BEGIN_PASS: Argument<D3D12_RENDER_PASS_FLAGS> =
    argument!("ID3D12GraphicsCommandList4", "BeginRenderPass", "Flags");
const END_PASS: MethodId = method("ID3D12GraphicsCommandList4", "EndRenderPass");
const ENDED: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "EndQuery", "pQueryHeap");
const ENDED_TYPE: Argument<D3D12_QUERY_TYPE> = argument!("ID3D12GraphicsCommandList", "EndQuery", "Type");
const ENDED_INDEX: Argument<u32> = argument!("ID3D12GraphicsCommandList", "EndQuery", "Index");
/// `D3D12_COMMAND_LIST_TYPE_BUNDLE`.
const BUNDLE: u32 = 1;

/// What is cut out.
pub(crate) struct Found {
    /// From the submission that runs the first draw to the one that runs the last.
    pub(crate) calls: Range<u64>,
    /// Commands that run behind the last one.
    pub(crate) left_out: HashSet<u64>,
}

/// Looks for two commands, and for what runs behind the second one.
///
/// # Errors
/// The trace is damaged; no submission runs them, or not in this order; or what follows cannot be left out alone.
pub(crate) fn draws(trace: &Trace, first: u64, last: u64) -> Result<Found, Error> {
    let mut finder = Finder {
        state: State::default(),
        wanted: [first, last],
        places: [None; 2],
        from: None,
        passes: BTreeMap::new(),
        open: None,
        behind: Vec::new(),
        ran: BTreeSet::new(),
        found: None,
        error: None,
    };
    let mut walk = Walk::new(&[&mut finder]);
    let mut events = trace.events_as_recorded().without_pages();
    // Nothing that follows the submission of the last draw matters.
    while finder.found.is_none() && finder.error.is_none() {
        match events.next().map_err(|error| Error::Trace(error.to_string()))? {
            Some(event) => walk.event(&event, &mut [&mut finder]),
            None => {
                walk.finish(&mut [&mut finder]);
                break;
            }
        }
    }
    if let Some(error) = finder.error {
        return Err(error);
    }
    let missing = finder.wanted.iter().zip(&finder.places).find(|(_, place)| place.is_none());
    if let Some((call, _)) = missing {
        return Err(Error::Frames(format!("call {call} is no draw, dispatch or other command of a list")));
    }
    finder
        .found
        .ok_or_else(|| Error::Frames(format!("no submission of the trace runs call {first}, and then call {last}")))
}

/// Where a command was recorded: the list, and the call that began the recording.
#[derive(Clone, Copy)]
struct Place {
    list: u32,
    begun: u64,
}

/// What is under way in a list at the last draw.
struct Open {
    pass: bool,
    queries: BTreeSet<(u32, u32, u32)>,
}

struct Finder {
    state: State,
    wanted: [u64; 2],
    places: [Option<Place>; 2],
    /// The first submission that runs the first draw, with the list's place among its lists.
    from: Option<(u64, usize)>,
    /// Lists within render passes, with the passes' flags.
    passes: BTreeMap<u32, u32>,
    open: Option<Open>,
    /// Commands behind the last draw, in its list.
    behind: Vec<u64>,
    /// Recordings that ran since the first draw: list, and the call that began it.
    ran: BTreeSet<(u32, u64)>,
    found: Option<Found>,
    error: Option<Error>,
}

impl Finder {
    fn begun(&self, list: u32) -> u64 {
        self.state.lists.get(list).map_or(0, |list| list.begun)
    }

    fn recorded(&mut self, call: &Call<'_>) -> Result<(), Error> {
        let list = call.object;
        if call.method == BEGIN_PASS.method() {
            self.passes.insert(list, BEGIN_PASS.of(call)?.0);
        }
        // The pass that the call is in, begins or ends.
        let pass = self.passes.get(&list).copied();
        if call.method == END_PASS {
            self.passes.remove(&list);
        }
        let begun = self.begun(list);
        let is_last = |place: &Place| (place.list, place.begun) == (list, begun);
        if self.places[1].as_ref().is_some_and(is_last) && !self.closes(call)? {
            self.behind.push(call.number);
        }
        for at in 0..2 {
            if call.number != self.wanted[at] {
                continue;
            }
            let own = self.state.lists.get(list);
            if own.is_some_and(|own| own.kind == BUNDLE) {
                let what = "it is recorded into a bundle; name the ExecuteBundle that runs it";
                return Err(Error::Refused(Refusal::new(call.number, what)));
            }
            self.places[at] = Some(Place { list, begun });
            if at == 1 && pass.is_some_and(|flags| flags & RenderPass::SUSPENDS != 0) {
                let what =
                    "it is in a render pass that another list resumes; name a command behind that pass's end there";
                return Err(Error::Refused(Refusal::new(call.number, what)));
            }
        }
        Ok(())
    }

    /// What is under way in the list of the last draw, once the state has what the draw itself begins or ends.
    fn note_open(&mut self) {
        let Some(Place { list, .. }) = self.places[1] else { return };
        let queries = self.state.lists.get(list).map(|own| own.queries.keys().copied().collect()).unwrap_or_default();
        self.open = Some(Open { pass: self.passes.contains_key(&list), queries });
    }

    /// Whether a command ends what was under way at the last draw.
    fn closes(&mut self, call: &Call<'_>) -> Result<bool, Error> {
        let Some(open) = &mut self.open else { return Ok(false) };
        if call.method == END_PASS {
            return Ok(std::mem::take(&mut open.pass));
        }
        if call.method != ENDED.method() {
            return Ok(false);
        }
        Ok(open.queries.remove(&(ENDED.of(call)?.0, ENDED_TYPE.of(call)?.0 as u32, ENDED_INDEX.of(call)?)))
    }

    fn submitted(&mut self, call: &Call<'_>) -> Result<(), Error> {
        let lists: Vec<(u32, u64)> = queues::executed(call)?.into_iter().map(|list| (list, self.begun(list))).collect();
        let run = |place: Option<Place>| {
            let Place { list, begun } = place?;
            Some((call.number, lists.iter().position(|own| *own == (list, begun))?))
        };
        self.from = self.from.or(run(self.places[0]));
        let Some(from) = self.from else { return Ok(()) };
        // The list of the last draw may run before the first one, too.
        let to = run(self.places[1]).filter(|to| (from, self.wanted[0]) <= (*to, self.wanted[1]));
        let Some(to) = to else {
            self.ran.extend(lists);
            return Ok(());
        };
        let cut = &lists[to.1..];
        let again = |at: usize, list: &(u32, u64)| self.ran.contains(list) || lists[..to.1 + at].contains(list);
        if let Some((_, (list, _))) = cut.iter().enumerate().find(|(at, list)| again(*at, list)) {
            let what = format!(
                "it runs list {list}, which the part runs before it, too, so that its commands cannot be left out of one of them"
            );
            return Err(Error::Refused(Refusal::new(call.number, what)));
        }
        let others = cut[1..].iter().filter_map(|(list, _)| self.state.lists.get(*list));
        let left_out = self.behind.iter().copied().chain(others.flat_map(|list| list.calls.iter())).collect();
        self.found = Some(Found { calls: from.0..call.number + 1, left_out });
        Ok(())
    }
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        self.state.interests().and(&Interests::new().every_call())
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        let done = if records(call.method) {
            self.recorded(call)
        } else if call.method == EXECUTE {
            self.submitted(call)
        } else {
            Ok(())
        };
        if let Err(error) = done {
            self.error.get_or_insert(error);
        }
        self.state.call(call, at);
        if call.number == self.wanted[1] {
            self.note_open();
        }
    }
}
