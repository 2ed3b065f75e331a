//! Which calls to show, as the command line says it.

use super::range::{self, Range};
use crate::terminal::exit::Failure;
use crate::terminal::output;
use crate::trace::open;
use reprise_trace::read::Trace;
use reprise_view::dump::filter;

/// What to show, as the command line says it.
#[derive(Debug, clap::Args)]
pub(crate) struct Selection {
    /// These frames only, counted from 1: 3 or 3-7 or 3-
    #[arg(long, value_name = "A-B", value_parser = range::frames)]
    frames: Option<Range>,
    /// These calls only, by number, and what happened right after each of them: 120 or 120-150 or 120-
    #[arg(long, value_name = "A-B", value_parser = range::calls)]
    calls: Option<Range>,
    /// These threads only, by the numbers that the lines show: 1,3
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    threads: Vec<u32>,
    /// Calls of these methods only: a name, or Interface::Name; * stands for anything, case does not matter; repeatable
    #[arg(long = "methods", value_name = "PATTERN")]
    methods: Vec<String>,
    /// Only calls on these objects, calls that take or give them (also by an address or handle), and what else is said of them
    #[arg(long, value_name = "ID,ID", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    objects: Vec<u32>,
}

impl Selection {
    /// For [`filter::Filter`], of a trace. What follows the end of the last frame is of none; frames without an end go on to the trace's.
    ///
    /// # Errors
    /// A usage failure where the trace does not have the first of the frames.
    pub(crate) fn selected(&self, trace: &Trace, source: &open::Source) -> Result<filter::Selection, Failure> {
        let mut frames = self.frames;
        if let Some((first, last)) = &mut frames {
            source.has_frame(trace, *first)?;
            if *last != u64::MAX {
                *last = (*last).min(u64::from(trace.frame_count()).max(1));
            }
        }
        Ok(filter::Selection {
            frames: frames.map(|(first, last)| first..=last),
            calls: self.calls.map(|(first, last)| first..=last),
            threads: self.threads.clone(),
            methods: self.methods.clone(),
            objects: self.objects.clone(),
        })
    }

    /// Says on standard error that nothing of the trace is meant.
    pub(crate) fn tell_nothing(&self, trace: &Trace) {
        let all = trace.statistics();
        let (calls, frames) = (output::plural(all.calls, "call"), output::plural(trace.frame_count().into(), "frame"));
        reprise_log::warning(format_args!("nothing of the trace is meant: it has {calls} in {frames}"));
    }
}
