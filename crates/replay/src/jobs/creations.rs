//! Pipelines that other threads make while the walk over the trace goes on.
//!
//! A creation is handed over where its call stands. The walk waits for it where its object is first used, or at the end; until
//! then its id stands for a job. Invariants: references keep everything alive that a job passes to the runtime, until the job
//! is done. An object is under its id before anything asks for it.

use std::collections::VecDeque;
use std::sync::Arc;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use crate::call::creation::can_be_missed;
use crate::call::{Called, Ready};
use crate::jobs::workers::{Job, Workers};
use crate::resolve::ids::IdMap;
use crate::resolve::objects::{Objects, Virtual};
use crate::runtime::Runtime;
use crate::runtime::com::Com;

/// The result of a job: the call as it was made, or why it could not be made.
type Outcome = Result<Called, String>;

/// A creation that was handed over.
pub(crate) struct StartedCreation {
    job: Job<Outcome>,
    method: MethodId,
    /// References that keep its arguments alive.
    kept: Vec<u64>,
}

/// A creation whose object was waited for.
pub(crate) struct FinishedCreation {
    /// The id that the capture gave it.
    pub(crate) id: u32,
    /// Its object is under the id, and not in here any more.
    pub(crate) called: Outcome,
}

/// Creations under way.
#[derive(Default)]
pub(crate) struct Creations {
    /// `None`: all calls are made where they stand.
    workers: Option<Workers>,
    started: IdMap<StartedCreation>,
    /// Ids in the order of their calls; some may be done.
    order: VecDeque<u32>,
    /// Creations that are done, and not yet compared with the capture.
    finished: Vec<FinishedCreation>,
}

/// Calls that only make something which takes long, from their arguments alone.
const CREATIONS: [MethodId; 4] = [
    method("ID3D12Device", "CreateGraphicsPipelineState"),
    method("ID3D12Device", "CreateComputePipelineState"),
    method("ID3D12Device2", "CreatePipelineState"),
    method("ID3D12Device5", "CreateStateObject"),
];

/// Creations under way at most, for each thread: each holds its shaders in memory.
const MOST: usize = 32;

impl Creations {
    /// `threads` of them, the walk's own included, so that one thread alone makes all calls itself.
    pub(crate) fn new(threads: usize) -> Self {
        // The walk hands out jobs and does none itself: so many threads work beside it.
        let workers = (threads > 1).then(|| Workers::new(threads));
        Self { workers: workers.filter(|workers| workers.count() > 0), ..Self::default() }
    }

    /// Whether calls of this method are handed over.
    pub(crate) fn takes(&self, method: MethodId) -> bool {
        self.workers.is_some() && CREATIONS.contains(&method)
    }

    /// Hands a call over. `used` are the objects that it is passed, `this` among them. `before` runs on the
    /// thread that makes the call, right before it.
    pub(crate) fn start(
        &self,
        runtime: &Arc<Runtime>,
        ready: Ready,
        used: Vec<u64>,
        before: impl FnOnce(&Runtime) + Send + 'static,
    ) -> Option<StartedCreation> {
        let method = ready.method;
        used.iter().for_each(|&pointer| runtime.add_reference(pointer));
        let runtime = Arc::clone(runtime);
        // SAFETY: the references keep everything that the call is passed alive until it is waited for.
        let job = self.workers.as_ref()?.start(move || unsafe {
            before(&runtime);
            ready.make(&runtime)
        });
        Some(StartedCreation { job, method, kept: used })
    }

    /// The object of a creation has this id. Gives the id of one to wait for, where too many are under way.
    #[must_use]
    pub(crate) fn expect(&mut self, id: u32, started: StartedCreation) -> Option<u32> {
        self.started.insert(id, started);
        self.order.push_back(id);
        let most = MOST * self.workers.as_ref().map_or(1, Workers::count);
        (self.started.len() > most).then(|| self.oldest()).flatten()
    }

    /// The creation that has been under way for longest.
    pub(crate) fn oldest(&mut self) -> Option<u32> {
        while let Some(id) = self.order.pop_front() {
            if self.started.contains_key(&id) {
                return Some(id);
            }
        }
        None
    }

    /// Whether the id stands for a creation under way.
    pub(crate) fn is_pending(&self, id: u32) -> bool {
        self.started.contains_key(&id)
    }

    /// If the id stands for a creation, waits for it and puts its object under the id.
    #[cold]
    pub(crate) fn finish(&mut self, id: u32, objects: &mut Objects, runtime: &Runtime) -> bool {
        let Some(started) = self.started.remove(&id) else { return false };
        let method = started.method;
        let mut called = started.wait(runtime);
        if let Ok(called) = &mut called {
            called.given.retain(|given| {
                let made = given.pointer != 0;
                if made {
                    objects.given(runtime, id, given.interface, given.pointer);
                }
                !made
            });
            // Whoever asks for it is told.
            if can_be_missed(method, called.result as u32) && !objects.contains(id) {
                objects.given_virtual(id, Virtual::LeftOut);
            }
        }
        self.finished.push(FinishedCreation { id, called });
        true
    }

    /// Whether something is done since it was last taken.
    #[inline]
    pub(crate) fn has_finished(&self) -> bool {
        !self.finished.is_empty()
    }

    /// Creations that are done since this was last asked.
    pub(crate) fn take_finished(&mut self) -> Vec<FinishedCreation> {
        core::mem::take(&mut self.finished)
    }
}

impl FinishedCreation {
    /// Whether no object came out.
    pub(crate) fn failed(&self) -> bool {
        self.called.as_ref().map_or(true, |called| !called.given.is_empty())
    }
}

impl StartedCreation {
    /// Waits for the call, and lets its arguments go.
    pub(crate) fn wait(self, runtime: &Runtime) -> Outcome {
        let called = self.job.wait().unwrap_or_else(|| Err("the thread that made this call died in it".into()));
        self.kept.iter().for_each(|&pointer| runtime.release(pointer));
        called
    }
}

/// Names of objects under way wait for them.
pub(crate) const SET_NAME: MethodId = method("ID3D12Object", "SetName");
