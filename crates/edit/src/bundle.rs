//! What bundles record, for lists that run them.

use crate::dropping::is_command;
use crate::plan::{Content, New, Plan};
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
    /// The pipeline state that it began with, as the trace has it.
    pub(crate) pipeline: Option<u32>,
    /// The calls, as the trace has them.
    commands: Vec<(u64, New)>,
    /// The call that closed it.
    closed: Option<u64>,
}

impl Bundle {
    /// The calls, as a plan leaves them, with all that stands between its begin and its end.
    pub(crate) fn planned(&self, plan: &Plan) -> Vec<New> {
        let mut all: Vec<New> = plan.after.get(&self.begun).into_iter().flatten().cloned().collect();
        for (call, command) in &self.commands {
            all.extend(plan.before.get(call).into_iter().flatten().cloned());
            match plan.changed.get(call) {
                _ if plan.dropped.contains(call) => {}
                Some(changed) => {
                    let (enter, blobs) = (changed.enter.clone(), changed.blobs.clone());
                    all.push(New { enter, blobs, ..command.clone() });
                }
                None => all.push(command.clone()),
            }
            all.extend(plan.after.get(call).into_iter().flatten().cloned());
        }
        all.extend(self.closed.and_then(|closed| plan.before.get(&closed)).into_iter().flatten().cloned());
        all
    }
}

impl Bundles {
    /// Nothing is kept where no edit wants it.
    pub(crate) fn new(is_wanted: bool) -> Bundles {
        Bundles { is_wanted, ..Bundles::default() }
    }

    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// The recording of a bundle that began with this call; none where the trace does not have its end.
    pub(crate) fn of(&self, id: u32, begun: u64) -> Option<&Bundle> {
        self.recorded.get(&id).filter(|bundle| bundle.begun == begun)
    }

    /// A call, with the state before it.
    pub(crate) fn note(&mut self, state: &State, event: &Event<'_>, method: &Method) {
        let Some(list) = state.lists.get(event.object).filter(|list| list.is_bundle()) else { return };
        let closes = method.name == "Close";
        if !self.is_wanted || !is_command(method) && !closes {
            return;
        }
        let bundle = self.recorded.entry(event.object).or_default();
        if bundle.begun != list.begun {
            let pipeline = match list.bound.pipeline.as_ref().map(|set| set.value) {
                Some(Pipeline::State(pipeline)) if pipeline != 0 => Some(pipeline),
                _ => None,
            };
            *bundle = Bundle { begun: list.begun, pipeline, commands: Vec::new(), closed: None };
        }
        if closes {
            bundle.closed = Some(event.number);
            return;
        }
        let blobs = event.blobs.iter().map(|(number, id)| (*number, Content::Recorded(*id))).collect();
        let id = MethodId(event.method);
        let new = New { method: id, object: event.object, enter: event.payload.to_vec(), blobs, by: 0 };
        bundle.commands.push((event.number, new));
    }
}
