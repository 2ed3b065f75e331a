//! The traces that are open.

use super::Shared;
use crate::answer::{Answered, Refused};
use crate::job::replay;
use crate::subject::Subject;
use reprise_view::damage::Met;
use reprise_view::summary::info::{self, Info};
use serde_json::{Value as Json, json};
use std::sync::atomic::Ordering;

/// All traces.
pub(crate) fn list(shared: &Shared) -> Answered {
    let traces: Vec<Json> = shared.subjects.iter().map(|subject| one(subject)).collect();
    let json = json!({ "version": env!("CARGO_PKG_VERSION"), "compare": traces.len() > 1, "replays": shared.replays(), "traces": traces });
    Ok(json.into())
}

fn one(subject: &Subject) -> Json {
    let trace = &subject.trace;
    let (statistics, meta) = (trace.statistics(), trace.meta());
    let survey = subject.survey_now();
    let met = Met::of(trace);
    let (list, more) = trace.damage();
    let threads: Vec<Json> = survey
        .iter()
        .flat_map(|survey| &survey.threads)
        .map(|(thread, of)| json!({ "thread": thread, "name": of.name, "calls": of.calls }))
        .collect();
    let done = if survey.is_some() { statistics.calls } else { subject.surveyed.load(Ordering::Relaxed) };
    let (program, error) = match replay::program() {
        Ok(program) => (Some(program.display().to_string()), None),
        Err(refused) => (None, Some(refused.why)),
    };
    let file = subject.file.file_name().map(|name| name.to_string_lossy().into_owned());
    json!({
        "t": subject.t,
        "identity": format!("{:032x}", subject.identity),
        "file": file,
        "path": subject.file.display().to_string(),
        "bytes": statistics.bytes,
        "program": meta.get("program"),
        "arguments": meta.get("arguments"),
        "adapter": meta.get("adapter").map(|adapter| adapter.get("name").unwrap_or(adapter)),
        "started_ns": trace.started_ns().to_string(),
        "duration_ns": statistics.duration_ns,
        "frames": trace.frame_count(),
        "divided": trace.is_by_submissions(),
        "frame_boundary": trace.chosen_ends().map(|ends| &ends.by),
        "calls": statistics.calls,
        "rows": survey.map_or(statistics.calls, |survey| survey.rows),
        "threads": threads,
        "complete": statistics.complete,
        "part": info::part(trace),
        "damage": { "places": list.len() as u64 + more, "list": met.json(), "more": more },
        "gaps": survey.map_or(&[][..], |survey| &survey.gaps),
        "surveyed": survey.is_some(),
        "survey": { "done": done, "of": statistics.calls },
        "replay": { "program": program, "error": error, "on": subject.side.json() },
        "measured": subject.has_times(),
        "dropped": subject.dropped,
    })
}

/// What `reprise info --json` says without reading all of the trace.
pub(crate) fn info(subject: &Subject) -> Result<Json, Refused> {
    let mut info = Info::of_index(&subject.trace);
    info.damage = Met::of(&subject.trace);
    info.model = subject.translation.clone();
    serde_json::from_str(&info.json()).map_err(Refused::damaged)
}
