//! What is wrong in what the program did, as `reprise lint` finds it.

use super::Job;
use crate::answer::Refused;
use crate::subject::Subject;
use reprise_lint::Linter;
use reprise_timeline::Walk;
use serde_json::{Value as Json, json};

/// Calls that are read at a time.
const STEP: u64 = 1 << 14;

pub(super) fn run(job: &Job, subject: &Subject) -> Result<Json, Refused> {
    let mut linter = Linter::new(&subject.trace);
    let last = subject.trace.statistics().calls;
    let mut walk = Walk::new(&[&mut linter]);
    let mut events = subject.trace.events();
    let mut next = STEP;
    while let Some(event) = events.next()? {
        if event.number >= next {
            next = event.number + STEP;
            job.go_on()?;
            job.progress(event.number, last, || format!("call {} of {last}", event.number));
        }
        walk.event(&event, &mut [&mut linter]);
    }
    walk.finish(&mut [&mut linter]);
    let (findings, left_out) = linter.finish();
    for finding in &findings {
        job.found(reprise_view::finding::json(finding));
    }
    Ok(json!({ "findings": findings.len(), "left_out": left_out }))
}
