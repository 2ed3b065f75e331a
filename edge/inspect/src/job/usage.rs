//! How resources are used: around a call, all uses of one, and who wrote each last; as `reprise state --object` and the table `uses` tell it.

use super::Job;
use crate::answer::Refused;
use crate::subject::Subject;
use reprise_view::uses::{self, LastWrites, UseReport};
use serde_json::{Value as Json, json};

/// What every walk tells, and whether it goes on.
fn progress<'j>(job: &'j Job, subject: &Subject) -> impl FnMut(u64) -> bool + use<'j> {
    let last = subject.trace.statistics().calls;
    move |call| {
        job.progress(call, last, || format!("call {call} of {last}"));
        job.go_on().is_ok()
    }
}

/// A resource around a call: its subresources, the write before it and the next one.
pub(super) fn around(job: &Job, subject: &Subject, call: u64, object: u32) -> Result<Json, Refused> {
    let asked = uses::Asked::of(&subject.trace, subject.index()?.get()?, call, object)?;
    let asked =
        asked.ok_or_else(|| Refused::missing(format!("object {object} is no resource that exists at call {call}")))?;
    let report = uses::around(&subject.trace, asked, &mut progress(job, subject))?;
    job.go_on()?;
    serde_json::to_value(report).map_err(Refused::unavailable)
}

/// All uses of a resource, in the order in which they happen.
pub(super) fn all(job: &Job, subject: &Subject, object: u32) -> Result<Json, Refused> {
    let mut failed = None;
    let mut count = 0u64;
    uses::each(&subject.trace, Some(object), &mut progress(job, subject), &mut |_, used| {
        count += 1;
        match serde_json::to_value(UseReport::from(used)) {
            Ok(item) => job.found(item),
            Err(error) => {
                failed = Some(Refused::unavailable(error));
                false
            }
        }
    })?;
    job.go_on()?;
    failed.map_or(Ok(json!({ "uses": count })), Err)
}

/// The last write of every resource in the whole trace. What is found is kept with the trace: lists of objects are sorted by it.
pub(super) fn last_writes(job: &Job, subject: &Subject) -> Result<Json, Refused> {
    if subject.last_writes().is_none() {
        let found = LastWrites::of(&subject.trace, &mut progress(job, subject))?;
        job.go_on()?;
        subject.keep_last_writes(found.iter().collect());
    }
    Ok(json!({ "resources": subject.last_writes().map_or(0, |all| all.len()) }))
}
