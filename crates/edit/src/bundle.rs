//! What bundles record, for lists that run them.

use crate::dropping::is_command;
use crate::plan::{Content, New};
use reprise_d3d12::model::{Method, MethodId};
use reprise_timeline::State;
use reprise_timeline::state::lists::Pipeline;
use reprise_trace::read::Event;
use std::collections::HashMap;

/// What bundles have recorded so far.
#[derive(Debug, Default)]
pub(crate) struct Bundles(HashMap<u32, Bundle>);

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
    /// The recording of a bundle that began with this call; none where it has no command.
    pub(crate) fn of(&self, id: u32, begun: u64) -> Option<&Bundle> {
        self.0.get(&id).filter(|bundle| bundle.begun == begun)
    }

    /// A call, with the state before it.
    pub(crate) fn note(&mut self, state: &State, event: &Event<'_>, method: &Method) {
        let Some(list) = state.lists.get(event.object).filter(|list| list.is_bundle()) else { return };
        if !is_command(method) {
            return;
        }
        let bundle = self.0.entry(event.object).or_default();
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
