//! The state as a call found it: what is bound, how fences stand, what an object holds.
//!
//! The report is made first (`report`: the JSON format); the text for people is made from it.

mod activity;
mod bound;
mod object;
mod report;
mod scene;
mod structures;
mod tables;
mod text;

pub use report::{InstanceReport, ObjectRef, Report, StructureReport};
pub use structures::{KnownStructures, StructureBuild};
pub use text::{clean, in_short, object as object_in_words, write};

use crate::api;
use report::{
    BarrierReport, CallReport, Damaged, FenceReport, ListReport, QueryReport, QueueReport, QueueSignalReport,
    RunReport, SignalReport, ValueReport, WaitReport,
};
use reprise_d3d12::model::MethodId;
use reprise_timeline::index::{BundleRun, Index, IndexError, Moment};
use reprise_timeline::state::lists::{BarrierState, Bound, List, action, records};
use reprise_timeline::state::queues::{Fence, Queue, Wait};
use reprise_trace::read::Trace;
use scene::{Scene, submission};
use tables::Tables;

/// Why there is no report.
pub enum Refused {
    /// What was asked for is not there, in words.
    Asked(String),
    /// The trace.
    Trace(IndexError),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Asked(what) => f.write_str(what),
            Refused::Trace(error) => write!(f, "{error}"),
        }
    }
}

impl From<IndexError> for Refused {
    fn from(error: IndexError) -> Refused {
        match error {
            IndexError::NoCall { .. } => Refused::Asked(error.to_string()),
            error => Refused::Trace(error),
        }
    }
}

/// The state as a call found it, and an object's, if one is asked for.
///
/// # Errors
/// When there is no such call or object, or the trace cannot be read.
pub fn report(
    trace: &Trace,
    index: &mut Index,
    call: u64,
    object: Option<u32>,
    progress: &mut dyn FnMut(u64),
) -> Result<Report, Refused> {
    let moment = index.at(trace, call, progress)?;
    let codec = api::codec();
    let method = MethodId(moment.call.method);
    // A draw of a bundle is made in the lists that run the bundle: the first that is submitted says what it inherits.
    let bundle = moment.state.lists.get(moment.call.object).filter(|list| records(method) && list.is_bundle());
    let run = bundle.and_then(|list| index.chronicle().run_of(moment.call.object, list.begun, call).copied());
    let parent = match run {
        Some(run) => Some((run, index.at(trace, run.call, progress)?)),
        None => None,
    };
    let later = parent.as_ref().map(|(_, parent)| &parent.state);
    // Tables are read when the list runs, and what the program has stored to them is recorded then.
    let recording = run.map(|run| (run.list, run.list_begun)).or_else(|| {
        let list = moment.state.lists.get(moment.call.object)?;
        Some((moment.call.object, list.begun))
    });
    let ran = recording.and_then(|(list, begun)| index.chronicle().submission_of(list, begun, call));
    let until = ran.map_or(call, |submission| submission.call);
    let tables = tables::collect(trace, &moment.call, &moment.state, until).map_err(IndexError::from)?;
    let memory = &moment.state.memory;
    let shares = |id: u32| match memory.heap(id) {
        Some(_) => memory.in_heap(id).iter().any(|content| !memory.overlaps(content.resource).is_empty()),
        None => memory.resource(id).is_some() && !memory.overlaps(id).is_empty(),
    };
    let activity = match object.filter(|id| shares(*id)) {
        Some(_) => Some(activity::follow(trace, call, progress)?),
        None => None,
    };
    let activity = activity.as_ref();
    let scene = Scene { trace, index, state: &moment.state, later, call, codec: &codec, activity };
    scene.report(&moment, parent.as_ref(), tables.as_ref(), object)
}

impl Scene<'_> {
    fn report(
        &self,
        moment: &Moment,
        parent: Option<&(BundleRun, Moment)>,
        tables: Option<&Tables>,
        object: Option<u32>,
    ) -> Result<Report, Refused> {
        let (call, method) = (&moment.call, MethodId(moment.call.method));
        let list = self.state.lists.get(call.object);
        let within = list.and_then(|list| parent.and_then(|(run, parent)| self.within(list, run, parent)));
        let run = parent.map(|(run, _)| RunReport { call: run.call, list: run.list, begun: run.list_begun });
        let run = run.filter(|_| within.is_some());
        let settings = within.as_ref().or_else(|| list.map(|list| &list.bound));
        let bound = settings.map(|bound| self.bound(bound, action(method), run));
        let shader_tables = tables.map(|tables| self.tables(tables, settings));
        let structures = self.structures(call, bound.as_ref(), shader_tables.as_deref()).map_err(IndexError::from)?;
        let damaged = &self.state.damaged;
        Ok(Report {
            call: CallReport {
                call: call.number,
                thread: call.thread,
                frame: u64::from(call.frame) + 1,
                time_ns: call.time_ns,
                method: api::name(method),
                this: self.object(call.object),
                args: self.arguments(method, &call.payload, &call.blobs),
            },
            list: list.map(|list| self.list(call.object, list)),
            bound,
            shader_tables,
            structures,
            queue: self.state.queues.queue(call.object).map(|queue| self.queue(call.object, queue)),
            object: object.map(|id| self.about(id)).transpose().map_err(Refused::Asked)?,
            usage: None,
            fences: self.state.queues.fences().map(|(id, fence)| self.fence(id, fence)).collect(),
            damaged: damaged.first.as_ref().map(|(first, error)| Damaged {
                calls: damaged.calls,
                first: *first,
                error: error.clone(),
            }),
        })
    }

    /// What a bundle's command meets in the list that runs it.
    fn within(&self, bundle: &List, run: &BundleRun, parent: &Moment) -> Option<Bound> {
        let list = parent.state.lists.get(run.list)?;
        let same = |one, other| parent.state.lists.are_same(one, other);
        Some(Bound::within(&list.bound, &bundle.bound, same))
    }

    fn list(&self, id: u32, list: &List) -> ListReport {
        let chronicle = self.index.chronicle();
        let begun = (list.begun != 0).then_some(list.begun);
        let ran = begun.and_then(|begun| chronicle.submission_of(id, begun, self.call));
        let runs = begun.into_iter().flat_map(|begun| chronicle.runs_of(id, begun, self.call));
        let mut barriers = Vec::new();
        for (resource, states) in &list.states {
            let mut add = |subresource, state: BarrierState, call| {
                let state = match state {
                    BarrierState::Legacy(state) => self.name("D3D12_RESOURCE_STATES", state),
                    BarrierState::Layout(layout) => self.name("D3D12_BARRIER_LAYOUT", layout),
                };
                barriers.push(BarrierReport { resource: self.known(*resource), subresource, state, call });
            };
            if let Some(all) = states.all {
                add(None, all.value, all.call);
            }
            for (subresource, state) in &states.apart {
                add(Some(*subresource), state.value, state.call);
            }
        }
        ListReport {
            list: self.known(id),
            kind: self.name("D3D12_COMMAND_LIST_TYPE", list.kind),
            open: list.open,
            allocator: self.object(list.allocator),
            begun,
            closed: list.closed,
            calls: list.calls.len(),
            call_ranges: list.calls.runs().iter().map(|(first, count)| [*first, first + count - 1]).collect(),
            markers: self.markers(&list.markers),
            last_marker: list.last_marker.as_ref().map(|marker| self.marker(marker)),
            queries: list
                .queries
                .iter()
                .map(|((heap, kind, index), call)| QueryReport {
                    heap: self.known(*heap),
                    kind: self.name("D3D12_QUERY_TYPE", *kind),
                    index: *index,
                    call: *call,
                })
                .collect(),
            barriers,
            submission: ran.map(submission),
            run_by: runs.map(|run| RunReport { call: run.call, list: run.list, begun: run.list_begun }).collect(),
        }
    }

    fn queue(&self, id: u32, queue: &Queue) -> QueueReport {
        QueueReport {
            queue: self.known(id),
            kind: self.name("D3D12_COMMAND_LIST_TYPE", queue.kind),
            submissions: queue.submissions,
            last: queue.last.as_ref().map(submission),
            signal: queue.signal.map(|signal| SignalReport {
                fence: signal.fence,
                value: signal.value,
                call: signal.call,
            }),
            waits: queue.waits.iter().map(wait).collect(),
            markers: self.markers(&queue.markers),
        }
    }

    fn fence(&self, id: u32, fence: &Fence) -> FenceReport {
        let value = |(value, call)| ValueReport { value, call };
        FenceReport {
            fence: self.known(id),
            initial: fence.initial,
            reached: fence.reached,
            promised: fence.promised,
            signalled: fence.signalled.map(|(queue, value, call)| QueueSignalReport { queue, value, call }),
            set: fence.set.map(value),
            seen: fence.seen.map(value),
            waits: fence.waits.iter().map(wait).collect(),
        }
    }
}

fn wait(wait: &Wait) -> WaitReport {
    let queue = (wait.queue != 0).then_some(wait.queue);
    WaitReport { fence: wait.fence, value: wait.value, call: wait.call, queue }
}
