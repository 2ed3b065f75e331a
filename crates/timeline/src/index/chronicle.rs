//! The histories of a whole trace: submissions, runs of bundles, fence events, lives of objects.
//!
//! Invariant: everything is in the order of the trace.

use crate::argument;
use crate::argument::{Argument, Damaged, ObjectId};
use crate::call::Call;
use crate::state::State;
use crate::state::queues::{Happening, Submission, executed, happenings};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The histories of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chronicle {
    /// Number of the last call.
    pub calls: u64,
    /// Every `ExecuteCommandLists`.
    pub submissions: Vec<Submission>,
    /// Every `ExecuteBundle`.
    pub bundles: Vec<BundleRun>,
    /// What happened to fences. A value that is seen again and again is there once.
    pub fences: Vec<FenceEvent>,
    /// Every object that the trace gives out, by id: its lives, in their order. The buffers of a swap chain are often released and got again.
    pub lives: BTreeMap<u32, Vec<Life>>,
}

/// A call of `ExecuteBundle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleRun {
    /// The call.
    pub call: u64,
    /// The list that runs it.
    pub list: u32,
    /// The call with which the list's recording began.
    pub list_begun: u64,
    /// The bundle.
    pub bundle: u32,
    /// The call with which the bundle's recording began.
    pub begun: u64,
}

/// Something that happened to a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FenceEvent {
    /// The fence.
    pub fence: u32,
    /// The call in which, or after which, it happened.
    pub call: u64,
    /// The value.
    pub value: u64,
    /// What.
    pub happening: Happening,
}

/// An object's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// The call that gave it out first.
    pub created: u64,
    /// The call that released it for good.
    pub released: Option<u64>,
}

const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");

impl Chronicle {
    /// A call is complete, and `state` has taken it in.
    ///
    /// # Errors
    /// When an argument cannot be read.
    pub(super) fn call(&mut self, call: &Call<'_>, state: &State) -> Result<(), Damaged> {
        if call.method == BUNDLE {
            const RAN: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");
            let bundle = RAN.of(call)?.0;
            let begun = |list| state.lists.get(list).map_or(0, |list| list.begun);
            let (list, list_begun) = (call.object, begun(call.object));
            self.bundles.push(BundleRun { call: call.number, list, list_begun, bundle, begun: begun(bundle) });
            return Ok(());
        }
        if !executed(call)?.is_empty() {
            let last = state.queues.queue(call.object).and_then(|queue| queue.last.clone());
            self.submissions.extend(last.filter(|last| last.call == call.number));
            return Ok(());
        }
        for (fence, value, happening) in happenings(call)? {
            self.fence(FenceEvent { fence, call: call.number, value, happening });
        }
        Ok(())
    }

    /// A value of a fence was seen.
    pub(super) fn observe(&mut self, fence: u32, value: u64, call: u64) {
        self.fence(FenceEvent { fence, call, value, happening: Happening::Seen });
    }

    fn fence(&mut self, event: FenceEvent) {
        let is_seen = event.happening == Happening::Seen;
        // Programs ask in loops: the last event of this fence among the latest few tells that nothing is new.
        let last = self.fences.iter().rev().take(8).find(|other| other.fence == event.fence);
        if !(is_seen && last.is_some_and(|last| (last.value, last.happening) == (event.value, event.happening))) {
            self.fences.push(event);
        }
    }

    /// A call gave out an object.
    pub(super) fn given(&mut self, object: u32, call: u64) {
        if object != 0 {
            let lives = self.lives.entry(object).or_default();
            if lives.last().is_none_or(|life| life.released.is_some()) {
                lives.push(Life { created: call, released: None });
            }
        }
    }

    /// An object is gone.
    pub(super) fn gone(&mut self, object: u32, call: u64) {
        if let Some(life) = self.lives.get_mut(&object).and_then(|lives| lives.last_mut()) {
            life.released = Some(call);
        }
    }

    /// From the first time that an object was given out to the last time that it was released; nothing where the trace has none of this id.
    pub fn life(&self, object: u32) -> Option<Life> {
        let lives = self.lives_of(object);
        Some(Life { created: lives.first()?.created, released: lives.last()?.released })
    }

    /// All lives of an object, in their order.
    pub fn lives_of(&self, object: u32) -> &[Life] {
        self.lives.get(&object).map_or(&[], Vec::as_slice)
    }

    /// The first submission from a call on that runs a recording of a list.
    pub fn submission_of(&self, list: u32, begun: u64, from: u64) -> Option<&Submission> {
        let first = self.submissions.partition_point(|submission| submission.call < from);
        let runs = |submission: &&Submission| submission.lists.iter().any(|ran| (ran.list, ran.begun) == (list, begun));
        self.submissions[first..].iter().find(runs)
    }

    /// The runs of a bundle's recording from a call on.
    pub fn runs_of(&self, bundle: u32, begun: u64, from: u64) -> impl Iterator<Item = &BundleRun> {
        let first = self.bundles.partition_point(|run| run.call < from);
        self.bundles[first..].iter().filter(move |run| (run.bundle, run.begun) == (bundle, begun))
    }

    /// The first run of a bundle's recording from a call on that a submission runs; where none is submitted, the first one.
    pub fn run_of(&self, bundle: u32, begun: u64, from: u64) -> Option<&BundleRun> {
        let is_submitted = |run: &&BundleRun| self.submission_of(run.list, run.list_begun, run.call).is_some();
        self.runs_of(bundle, begun, from).find(is_submitted).or_else(|| self.runs_of(bundle, begun, from).next())
    }

    /// What happened to a fence before a call.
    pub fn fence_before(&self, fence: u32, call: u64) -> impl Iterator<Item = &FenceEvent> {
        self.fences.iter().filter(move |event| event.fence == fence && event.call < call)
    }
}
