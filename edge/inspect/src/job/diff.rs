//! What two traces do not have in common, as `reprise diff --json` finds it.

use super::{Alignment, Job};
use crate::answer::{Deadline, Refused};
use crate::subject::Subject;
use reprise_trace::read::ReadError;
use reprise_view::diff::compare::compare;
use reprise_view::diff::report;
use reprise_view::diff::side::Compared;
use serde_json::Value as Json;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Why comparing stopped.
struct Stop(Refused);

impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Stop {
        Stop(error.into())
    }
}

pub(super) fn run(job: &Job, [a, b]: [&Subject; 2], into: &Mutex<Option<Arc<Alignment>>>) -> Result<Json, Refused> {
    let until = Deadline::after(Duration::from_secs(600));
    let surveys = [a.survey(&until)?, b.survey(&until)?];
    let mut alignment = Alignment::default();
    let frames = u64::from(a.trace.frame_count().max(b.trace.frame_count()));
    let summary = compare::<Stop>(
        [&a.trace, &b.trace],
        &Compared::default(),
        |difference, changes| {
            job.go_on().map_err(Stop)?;
            let mut json = report::json(difference, changes);
            let call = |side: &str| json[side]["call"].as_u64();
            let calls = [call("a"), call("b")];
            let rows = [0, 1].map(|side| calls[side].and_then(|call| surveys[side].row_of(call)));
            let frame = ["a", "b"].iter().find_map(|side| json[side]["frame"].as_u64()).unwrap_or_default();
            if calls.iter().any(Option::is_some) {
                alignment.add(frame, calls.map(Option::unwrap_or_default));
            }
            (json["row_a"], json["row_b"]) = (rows[0].into(), rows[1].into());
            // Beyond what is kept they are counted by the summary.
            let _ = job.found(json);
            Ok(true)
        },
        |frame| job.progress(frame, frames, || format!("frame {frame} of {frames}")),
    );
    let summary = summary.map_err(|stop| stop.0)?;
    job.go_on()?;
    *into.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(alignment));
    Ok(summary.json())
}
