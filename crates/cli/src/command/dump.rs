//! `reprise dump`: the calls of a trace, one a line.

use crate::dump::Dump;
use crate::exit::{self, Ended, Failure, OrExit};
use crate::open;
use crate::output::Output;
use crate::progress::Progress;
use anyhow::Context;
use std::ops::RangeInclusive;

const EXAMPLES: &str = "\
Each call is one line: number, frame (from 1), thread, object, arguments by name, result. What a call gave back stands
under its parameter's name. Everything else that happened is a line too: bytes the program stored to mapped memory, fence
values it saw, frame boundaries, facts about the program's device, and gaps, where something is missing.

Examples:
  reprise dump gears.reprise | less -R                    everything, for people
  reprise dump --frames 3-4 gears.reprise                 two frames
  reprise dump --json gears.reprise | jq -c 'select(.method == \"ID3D12Device::CreateCommittedResource\")'
  reprise dump --json gears.reprise | jq 'select(.returned == false)'
                                                          the calls that never returned: where it hung or crashed

With --json a call has call, thread, frame, time_ns, method, this, args, result (and returned: false instead of result when
it never returned); anything else has event, and after_call, the number of the last call before it.

Exit codes: 0 success, 2 wrong usage, 3 the trace cannot be read or parts of it are damaged.";

/// Print the calls of a trace, one a line
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// These frames only, counted from 1: 3 or 3-7 or 3-
    #[arg(long, value_name = "A-B", value_parser = frames)]
    frames: Option<RangeInclusive<u64>>,
    #[command(flatten)]
    source: open::Source,
}

fn frames(text: &str) -> Result<RangeInclusive<u64>, String> {
    let number = |text: &str| text.parse::<u64>().ok().filter(|number| *number > 0);
    let (first, last) = match text.split_once('-') {
        None => (number(text), number(text)),
        Some((first, "")) => (number(first), Some(u64::MAX)),
        Some((first, last)) => (number(first), number(last)),
    };
    match (first, last) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err("must be a frame or a range of frames, counted from 1: 3 or 3-7 or 3-".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.look()?;
    let mut output = Output::new();
    let frames = arguments.frames.clone().unwrap_or(1..=u64::MAX);
    let mut dump = Dump::new(frames, arguments.json, output.colour());
    let mut progress = Progress::new("reading");
    let mut events = trace.events();
    let place = || arguments.source.trace.display().to_string();
    let write = |output: &mut Output, line: &str| {
        output.line(line).context("cannot write to standard output").or_exit(exit::FAILED)
    };
    while let Some(event) = events.next().with_context(place).or_exit(exit::TRACE)? {
        if dump.is_done(&event) {
            break;
        }
        progress.show(|| format!("frame {}", crate::dump::event::frame(&event)));
        dump.event(&event);
        while let Some(line) = dump.next() {
            if !write(&mut output, &line)? {
                return Ok(0);
            }
        }
    }
    while let Some(line) = dump.rest() {
        if !write(&mut output, &line)? {
            return Ok(0);
        }
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    match dump.damaged() {
        0 => Ok(0),
        count => Err(Failure::message(
            exit::TRACE,
            format!("{}: {count} places are damaged; the lines say which", arguments.source.trace.display()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_count_from_one() {
        assert_eq!(frames("3"), Ok(3..=3));
        assert_eq!(frames("3-7"), Ok(3..=7));
        assert_eq!(frames("3-"), Ok(3..=u64::MAX));
        for wrong in ["", "0", "-3", "7-3", "a", "1-b", "0-3", "1,2"] {
            assert!(frames(wrong).is_err(), "{wrong}");
        }
    }
}
