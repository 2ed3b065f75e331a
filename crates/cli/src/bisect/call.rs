//! The first call at which a bad candidate is not like the good one, where no picture shows it: the call that a replay does not come
//! back from, or the one from which on Vulkan's validation has something to say.

use crate::terminal::exit::{FAILED, Failure, OrExit, TRACE};
use crate::terminal::progress::Progress;
use crate::trace::open::Source;
use crate::trial::candidate::Candidate;
use crate::trial::outcome::Ending;
use crate::trial::play::Trials;
use anyhow::Context;
use reprise_d3d12::model::MethodId;
use reprise_trace::record::Kind;
use reprise_view::api;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A call of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Call {
    pub(crate) number: u64,
    /// Frames count from 1.
    pub(crate) frame: u64,
    pub(crate) method: String,
    /// What is known of it, in words.
    pub(crate) why: String,
}

/// The call in which the replay of a candidate ended, each call made where it stands and the GPU done with it before the next. `None` where
/// it plays to its end so.
///
/// # Errors
/// No process can be started, or the trace cannot be read.
pub(crate) fn of_the_end(trials: &Trials, bad: &Candidate) -> Result<Option<Call>, Failure> {
    let file = trials.folder.join("calls");
    let _ = std::fs::remove_file(&file);
    let mut playing = trials.start(bad, "calls", &["--calls".into(), (&file).into()])?;
    while playing.next().is_some() {}
    let (outcome, _) = playing.end(None)?;
    if matches!(outcome.ending, Ending::Completed | Ending::Absent) {
        return Ok(None);
    }
    let number = std::fs::read(&file).ok().and_then(|bytes| bytes.first_chunk().copied()).map_or(0, u64::from_le_bytes);
    let call = named(trials, number, outcome.to_string())?;
    // A submission is where the processor waits; which of its operations the GPU is at, a diagnosis says.
    match call.as_ref().filter(|call| outcome.ending != Ending::Crashed && call.method.ends_with(SUBMIT)) {
        Some(submission) => match diagnosed(trials, bad)? {
            Some(suspect) => named(
                trials,
                suspect,
                format!("the GPU is at it, in the submission by call {}; {outcome}", submission.number),
            ),
            None => Ok(call),
        },
        None => Ok(call),
    }
}

const SUBMIT: &str = "::ExecuteCommandLists";

/// The first operation that the GPU came to and has not done, as `replay --diagnose` finds it.
fn diagnosed(trials: &Trials, bad: &Candidate) -> Result<Option<u64>, Failure> {
    let path = trials.folder.join("diagnosis.json");
    let start = || -> std::io::Result<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["replay", "--diagnose", "--json", "--runtime", bad.runtime(&trials.runtime), "--"]);
        command.arg(&trials.trace).envs(bad.variables.clone()).stdin(Stdio::null()).stderr(Stdio::null());
        command.stdout(File::create(&path)?).spawn()
    };
    let mut replay = start().context("cannot start a replay").or_exit(FAILED)?;
    let began = Instant::now();
    while replay.try_wait().context("a replay cannot be waited for").or_exit(FAILED)?.is_none() {
        if began.elapsed() > trials.patience {
            // It may have ended by itself just now.
            let _ = replay.kill();
        }
        std::thread::sleep(STEP);
    }
    let json: Option<Json> = std::fs::read(&path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Ok(json.and_then(|json| json["diagnosis"]["suspects"][0].as_u64()))
}

/// How often a replay is asked whether it has ended.
const STEP: Duration = Duration::from_millis(10);

/// The first call after which a replay of the bad candidate that is stopped there has validation errors that the good one does not have.
///
/// # Errors
/// As [`of_the_end`].
pub(crate) fn of_validation(
    trials: &Trials,
    bad: &Candidate,
    expected: &BTreeSet<String>,
) -> Result<Option<Call>, Failure> {
    let errors_until = |call: u64| -> Result<Vec<String>, Failure> {
        let until: [OsString; 2] = ["--quit-after-call".into(), call.to_string().into()];
        let mut playing = trials.start(bad, "calls", &until)?;
        while playing.next().is_some() {}
        Ok(playing.end(Some(expected))?.0.errors)
    };
    let calls = Source::new(trials.trace.clone(), None).open()?.statistics().calls;
    let mut progress = Progress::new("looking for the call");
    // Without errors after `clean`, with some after `wrong`.
    let (mut clean, mut wrong, mut errors) = (0, calls, errors_until(calls)?);
    if errors.is_empty() {
        return Ok(None);
    }
    while clean + 1 < wrong {
        let middle = clean.midpoint(wrong);
        progress.show(|| format!("between calls {clean} and {wrong}"));
        let found = errors_until(middle)?;
        if found.is_empty() {
            clean = middle;
        } else {
            (wrong, errors) = (middle, found);
        }
    }
    drop(progress);
    named(trials, wrong, format!("validation errors from here on: {}", errors.join(", ")))
}

/// The call of this number, with its name.
fn named(trials: &Trials, number: u64, why: String) -> Result<Option<Call>, Failure> {
    let trace = Source::new(trials.trace.clone(), None).open()?;
    let mut events = trace.events();
    while let Some(event) = events.next().or_exit(TRACE)? {
        if event.kind == Kind::Enter && event.number == number {
            let (frame, method) = (u64::from(event.frame) + 1, api::name(MethodId(event.method)).to_string());
            return Ok(Some(Call { number, frame, method, why }));
        }
    }
    Ok(None)
}
