//! `reprise verify`: plays a trace and compares what it presents with what was presented at capture.

use super::replay;
use crate::dump::event;
use crate::exit::{self, Ended, Failure, OrExit};
use crate::open;
use crate::output::{self, Output};
use crate::progress::Progress;
use anyhow::Context;
use reprise_replay::{FrameLine, verify};
use reprise_trace::record::Kind;
use reprise_trace::{fact, frame_hash};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The frames of the capture are known by their hashes, which are in a trace that was captured with
--frame-hashes; other hashes, of a replay on another driver for one, are named with --hashes.

Examples:
  reprise capture --frame-hashes gears.txt -o gears.reprise -- vkd3d-gears
  reprise verify gears.reprise
  reprise verify --hashes other-driver.txt gears.reprise

Exit codes:
  0  every frame is equal
  1  frames differ, or the replay failed
  2  wrong usage, or there is nothing to compare with
  3  the trace cannot be read";

/// Play a trace and compare each frame with what was presented at capture
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expected frames, one `frame hash` a line [default: those in the trace]
    #[arg(long, value_name = "HASHES")]
    hashes: Option<PathBuf>,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let expected = match &arguments.hashes {
        Some(path) => from_file(path)?,
        None => from_trace(&arguments.source)?,
    };
    let mut options = arguments.runtime.options()?;
    options.frame_hashes = true;
    let report = replay::play(&arguments.source, options)?;
    let verdict = verify::compare(&expected, &report.hash_lines_for(&expected));
    let mut output = Output::new();
    let printed = if verdict.passed() {
        output.line(&format!("{} equal on {}", output::plural(verdict.equal, "frame"), report.runtime))
    } else {
        describe(&mut output, &verdict)
    };
    printed.and_then(|_| output.flush()).context("cannot write to standard output").or_exit(exit::FAILED)?;
    Ok(if verdict.passed() { 0 } else { exit::FAILED })
}

fn describe(output: &mut Output, verdict: &verify::Verdict) -> std::io::Result<bool> {
    const SHOWN: usize = 10;
    let frames = output::plural(verdict.mismatches.len() as u64, "frame");
    let Some(first) = verdict.mismatches.first() else {
        return output.line("nothing was compared: neither run has frames");
    };
    output.line(&format!("{frames} differ, the first is frame {}; {} equal", first.frame, verdict.equal))?;
    for mismatch in verdict.mismatches.iter().take(SHOWN) {
        output.line(&format!("  {mismatch}"))?;
    }
    if verdict.mismatches.len() > SHOWN {
        output.line(&format!("  and {} more", verdict.mismatches.len() - SHOWN))?;
    }
    Ok(true)
}

fn from_file(path: &Path) -> Result<Vec<FrameLine>, Failure> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    frame_hash::parse_lines(&text.or_exit(exit::USAGE)?)
        .with_context(|| path.display().to_string())
        .or_exit(exit::USAGE)
}

/// The hashes that the capture layer put into the trace: each stands before the boundary of the frame it is of.
fn from_trace(source: &open::Source) -> Result<Vec<FrameLine>, Failure> {
    let (trace, path) = (source.open()?, &source.trace);
    let mut progress = Progress::new("reading hashes");
    let mut lines: Vec<FrameLine> = Vec::new();
    let mut events = trace.events();
    while let Some(event) = events.next().with_context(|| path.display().to_string()).or_exit(exit::TRACE)? {
        let frame = event::frame(&event);
        progress.show(|| format!("frame {frame}"));
        if event.kind == Kind::Fact
            && let Some((fact::FRAME_HASH, bytes)) = event.fact()
            && let Some(hash) = event::hash(bytes)
        {
            lines.push(FrameLine { frame, hash });
        }
    }
    if lines.is_empty() {
        return Err(Failure::message(
            exit::USAGE,
            format!(
                "{}: no hashes to compare with: capture with --frame-hashes, or name a file with --hashes",
                path.display()
            ),
        ));
    }
    Ok(lines)
}
