//! `reprise repair`: makes a complete trace of an unfinished or damaged one.

use super::replay;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::{output, place};
use crate::trace::notes::Carried;
use crate::trace::open;
use anyhow::Context;
use reprise_codec::schema;
use reprise_trace::rewriter::Numbers;
use reprise_view::api;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
A trace is unfinished when its writer was killed, or the machine went down; info, dump and replay
read it all the same. Repair rewrites it: sound parts are copied, what the rings still hold is added,
what is missing is named, and the index is made anew. The damaged file is left as it is.
Notes beside it go along.

Examples:
  reprise repair bug.reprise                      into bug.repaired.reprise
  reprise repair -o whole.reprise bug.reprise
  reprise repair --rings /dev/shm/reprise-7-bug.reprise.rings bug.reprise
                                                  the rings are elsewhere: capture said where
  reprise repair --json bug.reprise               frames, calls and gaps, for programs

Exit codes:
  0  success
  2  wrong usage
  3  the file is no trace, or nothing of it can be read";

/// Make a complete trace of an unfinished or damaged one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The trace to write [default: NAME.repaired.reprise]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the trace to write if it exists
    #[arg(short, long)]
    force: bool,
    /// The folder with the rings of the capture [default: TRACE.rings, if it is there]
    #[arg(long, value_name = "DIR")]
    rings: Option<PathBuf>,
    /// One JSON object: what was written, and what is missing in it
    #[arg(long)]
    json: bool,
    /// The damaged trace
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let damaged = &arguments.trace;
    std::fs::metadata(damaged).with_context(|| damaged.display().to_string()).or_exit(exit::TRACE)?;
    let output = arguments.output.clone().unwrap_or_else(|| damaged.with_extension("repaired.reprise"));
    let source = open::Source::new(damaged.clone(), arguments.rings.clone());
    source.spare(&output)?;
    place::free(&output, arguments.force)?;
    let rings = arguments.rings.as_deref();
    rings.map_or(Ok(()), reprise_view::open::check_rings)?;
    // Without a schema of its own a trace gets one of the model that it was recorded with, which this build must know.
    let build = reprise_view::open::build(damaged, rings)?;
    // What another build recorded is described by that build's words alone.
    let described = |stored: &[u8], methods: &[u16]| match stored {
        [] => schema::of_build(build, methods).unwrap_or_default(),
        stored if schema::is_of(api::model(), stored) => schema::of(api::model(), methods),
        stored => stored.to_vec(),
    };
    // What nobody can open has no notes, and repair says why.
    let whole = source.open().ok();
    let carried = |trace| Carried::of(damaged, trace, &output, arguments.force, false);
    let notes = whole.as_ref().map(carried).transpose()?;
    let summary = reprise_trace::repair(damaged, rings, &output, &described);
    let summary = summary.context("cannot repair the trace").or_exit(exit::TRACE)?;
    // Chunks are copied as they are: calls keep their numbers.
    let noted = match (notes, &whole) {
        (Some(notes), Some(whole)) => notes.put(whole, &output, &Numbers::same(), Some),
        _ => Ok(0),
    };
    if arguments.json {
        let said = json!({ "output": output.display().to_string(), "frames": summary.frames, "calls": summary.calls,
            "bytes": summary.bytes, "gaps": summary.gaps, "notes": noted.as_ref().ok() });
        replay::print(&said.to_string())?;
        return noted.map(|_| 0);
    }
    let _ = writeln!(
        std::io::stderr(),
        "reprise: {}: {}, {}, {}, {}",
        output.display(),
        output::plural(summary.frames.into(), "frame"),
        output::plural(summary.calls, "call"),
        output::bytes(summary.bytes),
        output::plural(summary.gaps, "gap"),
    );
    noted.map(|_| 0)
}
