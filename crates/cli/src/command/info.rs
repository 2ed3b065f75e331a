//! `reprise info`: what is in a trace.

use crate::summary::info::Info;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{self, Output};
use crate::terminal::progress::Progress;
use crate::trace::open;
use anyhow::Context;

const EXAMPLES: &str = "\
Examples:
  reprise info gears.reprise
  reprise info --json gears.reprise | jq .frames
  reprise info --brief huge.reprise               at once, whatever its size: without methods and gaps

Exit codes: 0 success, 2 wrong usage, 3 the trace cannot be read, or parts of it are damaged.";

/// Show what is in a trace
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// Only what the index knows: takes no time on any trace, leaves out methods, gaps and blobs
    #[arg(long)]
    brief: bool,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.look()?;
    let mut info = Info::of_index(&trace);
    if !arguments.brief {
        let mut progress = Progress::new("counting");
        let mut events = trace.events();
        let place = || arguments.source.trace.display().to_string();
        while let Some(event) = events.next().with_context(place).or_exit(exit::TRACE)? {
            progress.show(|| format!("frame {}", crate::dump::event::frame(&event)));
            info.count(&event);
        }
    }
    let mut output = Output::new();
    let lines = if arguments.json { vec![info.json()] } else { info.text(output.colour()) };
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    match info.damaged() {
        0 => Ok(0),
        count => {
            let message = format!("{}: {}", arguments.source.trace.display(), output::damaged(count));
            Err(Failure::message(exit::TRACE, message))
        }
    }
}
