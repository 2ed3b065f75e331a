//! From an event of a pixel's history to the command that runs its shader.

use crate::divergence::report::word;
use reprise_replay::PixelEvent;
use std::path::Path;

/// What the commands of one history have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    pub(crate) trace: &'a Path,
    /// The library that played it, where one was named.
    pub(crate) runtime: Option<&'a str>,
}

impl Link<'_> {
    /// The command that debugs a thread of a dispatch, with `X,Y,Z` where the thread is not known; of an indirect call of this command of its.
    pub(super) fn thread(&self, event: &PixelEvent, thread: Option<[u32; 3]>, number: Option<usize>) -> String {
        let thread = thread.map_or_else(|| "X,Y,Z".to_owned(), |thread| thread.map(|at| at.to_string()).join(","));
        let trace = word(&self.trace.display().to_string());
        let mut line =
            format!("reprise debug {trace} {} --thread {thread} --submission {}", event.call, event.submission);
        if let Some(number) = number.filter(|number| *number != 0) {
            line.push_str(&format!(" --command {number}"));
        }
        if let Some(runtime) = self.runtime {
            line.push_str(&format!(" --runtime {}", word(runtime)));
        }
        line
    }
}
