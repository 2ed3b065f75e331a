//! The operations of frames, in the order in which the GPU comes to them.

use reprise_codec::Value;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation;
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use reprise_view::api;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Whether an operation writes what two replays can be compared by. Acceleration structures lie otherwise on each GPU, and what ends a render
/// pass writes what its draws are looked at for.
fn is_compared(method: u16) -> bool {
    use operation::Operation::{Barrier, Build, Discard, PassEnd};
    operation::of_number(method).is_some_and(|operation| !matches!(operation, Barrier | Discard | Build | PassEnd))
}

/// An operation of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) call: u64,
    pub(super) method: u16,
    pub(super) list: u32,
    /// The submission that runs it in the frame, and how many lists run before it there.
    pub(super) submission: (u64, usize),
}

impl Operation {
    /// Whether a dump of what is bound at it can be had: not of bundles, meta commands and single words.
    pub(super) fn is_dumped(&self) -> bool {
        use operation::Operation::{Bundle, Meta, Write};
        !matches!(operation::of_number(self.method), Some(Bundle | Meta | Write))
    }
}

/// The operations that these frames submit, in the order of execution on each queue, up to a call; frames count from 1.
///
/// # Errors
/// The trace cannot be read.
pub(super) fn of_frames(
    trace: &Trace,
    frames: &RangeInclusive<u64>,
    until: Option<u64>,
) -> anyhow::Result<Vec<Operation>> {
    let codec = api::codec();
    let end = u32::try_from(*frames.end()).unwrap_or(u32::MAX);
    // What each list has recorded, which it may submit again and again; what is submitted in the frame.
    let mut recorded: HashMap<u32, Vec<Operation>> = HashMap::new();
    let mut submitted = Vec::new();
    let mut events = trace.frames(0..end);
    while let Some(event) = events.next()? {
        if event.kind != Kind::Enter || until.is_some_and(|until| event.number > until) {
            continue;
        }
        let Some(method) = api::method(event.method) else { continue };
        let (call, list) = (event.number, event.object);
        if is_compared(event.method) {
            let operation = Operation { call, method: event.method, list, submission: (0, 0) };
            recorded.entry(list).or_default().push(operation);
        } else if method.name == "Reset" {
            recorded.remove(&list);
        } else if method.name == "ExecuteCommandLists" {
            let arguments = codec.decode_enter(MethodId(event.method), event.payload)?;
            let lists = arguments.members.iter().find_map(|member| match &member.value {
                Value::Array(lists) => Some(lists),
                _ => None,
            });
            for (place, list) in lists.into_iter().flatten().enumerate() {
                let Value::Object(id, _) = list else { continue };
                let operations = recorded.get(id).filter(|_| frames.contains(&(u64::from(event.frame) + 1)));
                let at = |operation: &Operation| Operation { submission: (call, place), ..operation.clone() };
                submitted.extend(operations.into_iter().flatten().map(at));
            }
        }
    }
    Ok(submitted)
}
