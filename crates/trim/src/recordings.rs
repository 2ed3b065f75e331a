//! Lists and bundles that the frames run and that were recorded before: their calls, and what those name.
//!
//! Invariant: a recording is kept whole, from the call that began it to the one that closed it, with the bundles that it runs as they
//! were then.

use crate::error::{Error, Refusal};
use crate::references::References;
use crate::structures::{self, Spot};
use crate::survey::{AtCut, SET_PROGRAM, Stale, Survey};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_timeline::argument::{Argument, ObjectId};
use reprise_timeline::state::State;
use reprise_timeline::walk::{At, Interests, Pass, Walk};
use reprise_timeline::{Call, argument};
use reprise_trace::read::Trace;
use std::collections::{BTreeMap, BTreeSet, HashSet};

const BUNDLE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");
const TARGETS: MethodId = method("ID3D12GraphicsCommandList", "OMSetRenderTargets");
const ENDED: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "EndQuery", "pQueryHeap");
const ENDED_INDEX: Argument<u32> = argument!("ID3D12GraphicsCommandList", "EndQuery", "Index");

/// A descriptor that a call of a recording reads when it is recorded: its handle, and the call that made the view.
pub(crate) type Seen = (u64, u64);

/// What is kept of recordings.
#[derive(Default)]
pub(crate) struct Recordings {
    pub(crate) calls: HashSet<u64>,
    pub(crate) roots: BTreeSet<u32>,
    /// By call: descriptors that must be there when it is made.
    pub(crate) seen: BTreeMap<u64, Vec<Seen>>,
    /// Queries that they end.
    pub(crate) ended: HashSet<(u32, u32)>,
    /// Queries that they resolve, and did not end before.
    pub(crate) stale: Stale,
    pub(crate) any_buffer: bool,
    /// Their calls that a runtime makes only with acceleration structures that it knows.
    pub(crate) structures: BTreeSet<u64>,
    /// Where they read serialised acceleration structures.
    pub(crate) deserialised: BTreeSet<Spot>,
    /// Textures that they may use where nobody sees it, as in [`Survey`].
    pub(crate) hidden: BTreeSet<u32>,
    pub(crate) predicated: bool,
    pub(crate) refusals: Vec<Refusal>,
}

/// Goes over the trace up to the cut for the recordings that the frames run.
///
/// # Errors
/// A call of them cannot be read.
pub(crate) fn recordings(trace: &Trace, survey: &Survey<'_>, at: &AtCut) -> Result<Recordings, Error> {
    let mut lists: BTreeSet<u32> = survey.recordings.clone();
    loop {
        if lists.is_empty() {
            return Ok(Recordings::default());
        }
        let calls = lists.iter().filter_map(|list| at.state.lists.get(*list)).flat_map(|list| {
            let ends = [list.begun, list.closed.unwrap_or(0)];
            list.calls.iter().chain(ends).filter(|call| *call != 0)
        });
        let calls: HashSet<u64> = calls.filter(|call| !survey.left_out.contains(call)).collect();
        let mut reader = Reader {
            state: State::default(),
            at,
            bundles: BTreeSet::new(),
            error: None,
            found: Recordings { calls, ..Recordings::default() },
        };
        let mut walk = Walk::new(&[&mut reader]);
        let walked = walk.run(&mut trace.events_as_recorded().without_pages(), at.first, &mut [&mut reader]);
        walked.map_err(|error| Error::Trace(error.to_string()))?;
        if let Some(error) = reader.error {
            return Err(error);
        }
        let known = lists.len();
        lists.extend(reader.bundles);
        if lists.len() == known {
            return Ok(reader.found);
        }
    }
}

struct Reader<'a> {
    state: State,
    at: &'a AtCut,
    bundles: BTreeSet<u32>,
    error: Option<Error>,
    found: Recordings,
}

impl Reader<'_> {
    fn look(&mut self, call: &Call<'_>) -> Result<(), Error> {
        let references = References::of(call)?;
        let (hidden, predicated) = crate::survey::unseen(call, &references)?;
        let found = &mut self.found;
        found.hidden.extend(hidden);
        found.predicated |= predicated;
        found.roots.extend(&references.objects);
        if call.method == SET_PROGRAM {
            found.roots.extend(&self.at.programs);
        }
        let addresses = &self.state.addresses;
        found.roots.extend(references.gpu.iter().filter_map(|handle| Some(addresses.gpu(*handle)?.heap)));
        found.roots.extend(references.addresses.iter().filter_map(|at| Some(addresses.resource(*at)?.resource)));
        for handle in references.cpu {
            let Some(slot) = addresses.cpu(handle) else { continue };
            found.roots.insert(slot.heap);
            let count = if call.method == TARGETS { 8 } else { 1 };
            let increment = u64::from(addresses.increment(slot.heap).unwrap_or(0));
            for place in 0..count {
                let at = reprise_timeline::state::addresses::Slot { index: slot.index.saturating_add(place), ..slot };
                let Some(descriptor) = self.state.descriptors.get(at) else { continue };
                let view = &descriptor.view;
                let named = [view.resource, view.second];
                // A view of what is gone is none that the call reads.
                if named.iter().any(|id| *id != 0 && self.state.objects.get(*id).is_none()) {
                    continue;
                }
                found.roots.extend(named.into_iter().filter(|id| *id != 0));
                let seen = (handle.wrapping_add(u64::from(place) * increment), view.call);
                found.seen.entry(call.number).or_default().push(seen);
            }
        }
        found.any_buffer |= crate::survey::follows(call, &self.state)?;
        if structures::needs_structures(call.method) {
            found.structures.insert(call.number);
        }
        let read = structures::deserialises(call)?.and_then(|at| addresses.resource(at));
        found.deserialised.extend(read.map(|at| (at.resource, at.offset)));
        if call.method == ENDED.method() {
            found.ended.insert((ENDED.of(call)?.0, ENDED_INDEX.of(call)?));
        }
        for (query, kind) in crate::survey::resolved(call)? {
            if !found.ended.contains(&query) {
                found.stale.entry(query).or_insert((call.number, kind));
            }
        }
        if call.method == BUNDLE.method() {
            let ran = BUNDLE.of(call)?.0;
            if self.at.state.lists.get(ran).is_none_or(|bundle| bundle.begun > call.number) {
                let what = format!(
                    "the frames run this call, recorded before them, and bundle {ran} was recorded anew or released since"
                );
                found.refusals.push(Refusal::new(call.number, what));
            }
            self.bundles.insert(ran);
        }
        Ok(())
    }
}

impl Pass for Reader<'_> {
    fn interests(&self) -> Interests {
        self.state.interests().and(&Interests::new().every_call())
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if self.found.calls.contains(&call.number)
            && let Err(error) = self.look(call)
        {
            self.error.get_or_insert(error);
        }
        self.state.call(call, at);
    }
}
