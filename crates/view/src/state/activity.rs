//! Which of the resources that share memory hold contents, as a call found them.
//!
//! The index does not have it: what lists do when they run is followed from the beginning of the trace, as `lint` follows it.

use super::report::ActivityReport;
use super::scene::Scene;
use crate::api;
use reprise_d3d12::model::MethodId;
use reprise_lint::Linter;
use reprise_timeline::activity::{Active, Activity};
use reprise_timeline::index::IndexError;
use reprise_timeline::walk::{Pass, Walk};
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;

/// Calls between two reports of progress.
const STEP: u64 = 1 << 16;

/// Everything that was submitted before a call, followed.
///
/// # Errors
/// The trace cannot be read.
pub(super) fn follow(trace: &Trace, call: u64, progress: &mut dyn FnMut(u64)) -> Result<Activity, IndexError> {
    let mut linter = Linter::new(trace);
    let mut walk = Walk::new(&[&mut linter as &mut dyn Pass]);
    let mut events = trace.events().without_pages();
    while let Some(event) = events.next()? {
        if event.kind == Kind::Enter {
            if event.number >= call {
                break;
            }
            if event.number % STEP == 0 {
                progress(event.number);
            }
        }
        walk.event(&event, &mut [&mut linter]);
    }
    Ok(linter.activity().clone())
}

impl Scene<'_> {
    /// How a resource stands that shares memory, or did; `None` for one that has its memory alone.
    pub(super) fn active(&self, resource: u32) -> Option<ActivityReport> {
        let activity = self.activity?;
        let told = |state, call: u64, other: Option<u32>| ActivityReport {
            state,
            call: (call != 0).then_some(call),
            method: (call != 0).then(|| self.method(call)).flatten(),
            other: other.map(|other| self.known(other)),
        };
        if let Some(call) = activity.doubt(resource) {
            return Some(told("ambiguous", call, None));
        }
        Some(match activity.of(resource)? {
            Active::Never => told("unused", 0, None),
            Active::Since(call) => told("active", call, None),
            Active::Until { by, call } => told("inactive", call, Some(by)),
        })
    }

    /// The method of a call.
    fn method(&self, call: u64) -> Option<String> {
        let mut events = self.trace.from_call(call);
        let event = events.next().ok().flatten()?;
        (event.kind == Kind::Enter && event.number == call).then(|| api::name(MethodId(event.method)))
    }
}
