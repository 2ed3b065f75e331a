//! `reprise info`: what is in a trace.

use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::output::Output;
use crate::trace::open;
use anyhow::Context;
use reprise_view::damage::Met;
use reprise_view::summary::info::Info;

const EXAMPLES: &str = "\
Info reads the whole file and checks it: every checksum, the index against the chunks, the footer
against what the chunks add up to. A long check says on a terminal how far it is; --brief leaves
it out.

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
    /// Only what the index knows: takes no time on any trace, checks nothing else, leaves out methods, gaps and blobs
    #[arg(long)]
    brief: bool,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let (trace, model) = arguments.source.open_translated()?;
    let mut info = Info::of_index(&trace);
    info.model = model;
    if !arguments.brief {
        arguments.source.check(&trace, |event| info.count(event))?;
        info.checked = true;
    }
    info.damage = Met::of(&trace);
    let mut output = Output::new();
    let lines = if arguments.json { vec![info.json()] } else { info.text(output.colour()) };
    for line in lines {
        if !output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    info.damage.sound(&arguments.source.trace)?;
    Ok(0)
}
