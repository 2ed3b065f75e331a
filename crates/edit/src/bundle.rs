//! What bundles record, for lists that run them.

use crate::dropping::is_command;
use crate::plan::{Content, New};
use reprise_d3d12::model::{Method, MethodId};
use reprise_timeline::State;
use reprise_timeline::state::lists::Pipeline;
use reprise_trace::read::Event;
use std::collections::{HashMap, HashSet};

/// What bundles have recorded so far.
#[derive(Debug, Default)]
pub(crate) struct Bundles {
    /// Some edit unrolls one.
    is_wanted: bool,
    recorded: HashMap<u32, Bundle>,
    /// The calls that are unrolled.
    pub(crate) unrolled: HashSet<u64>,
}

/// A recording.
#[derive(Debug, Default)]
pub(crate) struct Bundle {
    /// The call with which it began.
    begun: u64,
    /// The pipeline state that it began with.
    pub(crate) pipeline: Option<u32>,
    /// The calls, as the trace has them.
    pub(crate) commands: Vec<(u64, New)>,
}

impl Bundles {
    /// Nothing is kept where no edit wants it.
    pub(crate) fn new(is_wanted: bool) -> Bundles {
        Bundles { is_wanted, ..Bundles::default() }
    }

    /// The recording of a bundle that began with this call; none where it has no command.
    pub(crate) fn of(&self, id: u32, begun: u64) -> Option<&Bundle> {
        self.recorded.get(&id).filter(|bundle| bundle.begun == begun)
    }

    /// A call, with the state before it.
    pub(crate) fn note(&mut self, state: &State, event: &Event<'_>, method: &Method) {
        let Some(list) = state.lists.get(event.object).filter(|list| list.is_bundle()) else { return };
        if !self.is_wanted || !is_command(method) {
            return;
        }
        let bundle = self.recorded.entry(event.object).or_default();
        if bundle.begun != list.begun {
            let pipeline = match list.bound.pipeline.as_ref().map(|set| set.value) {
                Some(Pipeline::State(pipeline)) if pipeline != 0 => Some(pipeline),
                _ => None,
            };
            *bundle = Bundle { begun: list.begun, pipeline, commands: Vec::new() };
        }
        let blobs = event.blobs.iter().map(|(number, id)| (*number, Content::Recorded(*id))).collect();
        let id = MethodId(event.method);
        let new = New { method: id, object: event.object, enter: event.payload.to_vec(), blobs, by: 0 };
        bundle.commands.push((event.number, new));
    }
}
