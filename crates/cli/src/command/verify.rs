//! `reprise verify`: plays a trace and compares what it presents with what was presented at capture.

use super::replay;
use crate::exit::{self, Ended, Failure, OrExit};
use crate::output::{self, Output};
use anyhow::Context;
use reprise_replay::{FrameLine, verify};
use reprise_trace::frame_hash;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The frames of the capture are known by their hashes: from FILE.hashes beside the trace (`reprise capture --frame-hashes`
writes such a file), or from the file named with --hashes, which may come from another replay.

Examples:
  reprise capture --frame-hashes gears.reprise.hashes -o gears.reprise -- vkd3d-gears
  reprise verify gears.reprise
  reprise verify --hashes other-driver.txt gears.reprise

Exit codes: 0 every frame is equal, 1 frames differ or the replay failed, 2 wrong usage, 3 the trace cannot be read.";

/// Play a trace and compare each frame with what was presented at capture
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expected frames, one `frame hash` a line [default: FILE.hashes]
    #[arg(long, value_name = "HASHES")]
    hashes: Option<PathBuf>,
    #[command(flatten)]
    runtime: replay::Runtime,
    /// The trace
    #[arg(value_name = "FILE")]
    trace: PathBuf,
}

/// Where hashes of a trace are looked for when none are named.
pub(crate) fn hashes_beside(trace: &Path) -> PathBuf {
    let mut path = trace.as_os_str().to_owned();
    path.push(".hashes");
    path.into()
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let expected = expected(arguments)?;
    let mut options = arguments.runtime.options()?;
    options.frame_hashes = true;
    let report = replay::play(&arguments.trace, options)?;
    let verdict = verify::compare(&expected, &report.hash_lines());
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

fn expected(arguments: &Arguments) -> Result<Vec<FrameLine>, Failure> {
    let path = arguments.hashes.clone().unwrap_or_else(|| hashes_beside(&arguments.trace));
    if arguments.hashes.is_none() && !path.exists() {
        // A wrong name of the trace itself is the more likely mistake.
        std::fs::metadata(&arguments.trace)
            .with_context(|| format!("cannot read {}", arguments.trace.display()))
            .or_exit(exit::TRACE)?;
        return Err(Failure::message(
            exit::USAGE,
            format!(
                "there is nothing to compare with: {} does not exist; capture with --frame-hashes, or name a file with --hashes",
                path.display()
            ),
        ));
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()));
    let text = text.or_exit(exit::USAGE)?;
    frame_hash::parse_lines(&text).with_context(|| path.display().to_string()).or_exit(exit::USAGE)
}
