//! Warnings of draws and dispatches that a replay left out, because the library refuses their pipeline state. What a command shows of such a replay lacks
//! what they would have written. Invariant: the same is told once, however often and in whichever process it is played.

use reprise_replay::Report;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// What stands at the end of each warning.
const MISSING: &str = "What they would have written is missing; `reprise replay` has the reasons";

/// What a replay left out, and on which library, as a warning; `None`: nothing.
pub(crate) fn warning(report: &Report, library: Option<&str>) -> Option<String> {
    let work = &report.left_out_work;
    (!work.is_empty()).then(|| format!("on {}, {work}. {MISSING}", library.unwrap_or("our runtime")))
}

/// Warns of what a replay left out.
pub(crate) fn tell(report: &Report, library: Option<&str>) {
    if let Some(text) = warning(report, library) {
        warn(&text);
    }
}

/// Gives such a warning, of this process or of another one.
pub(crate) fn warn(text: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned()) {
        reprise_log::warning(text);
    }
}

/// Whether a line is such a warning.
#[cfg(unix)]
pub(crate) fn is_warning(line: &str) -> bool {
    line.trim_end().ends_with(MISSING)
}

/// Gives the warnings that a replay in another process said.
#[cfg(unix)]
pub(crate) fn pass_on(said: &str) {
    let lines = said.lines().filter(|line| is_warning(line));
    lines.for_each(|line| warn(line.trim().trim_start_matches("reprise: ")));
}
