//! `reprise diff`: what two traces do not have in common.

mod replays;

#[cfg(unix)]
pub(crate) use replays::variable;

use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::Output;
use crate::terminal::progress::Progress;
use crate::trace::boundary::Boundary;
use crate::trace::open::Source;
use anyhow::Context;
use reprise_trace::read::{ReadError, Trace};
use reprise_view::damage::Met;
use reprise_view::diff::compare::{Summary, compare};
use reprise_view::diff::report::{self, Lines};
use reprise_view::diff::side::Compared;
use reprise_view::dump::filter;
use std::io;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Frames belong together by their number; within a frame calls are aligned thread by thread. Objects belong together by the
calls that gave them out, not by their ids; addresses and descriptor handles are compared by the object that they point into;
contents by their hash. Not compared is what differs in every run: times, pointers of the program, event handles, window
and Vulkan handles, counts of references, fence values that were seen.

A line with - is a call that only the first trace has, one with + only the second; one with ! both have, not the same,
and what has changed follows. With --json each difference is an object a line (difference, a, b, changes), and the last
line is the summary.

Memory: at most 65,536 calls or 32 MiB of each trace at a time, and the objects of both. A frame that is longer is compared
in pieces, and what found no partner in one goes on into the next.

Examples:
  reprise diff before.reprise after.reprise | less -R
  reprise diff --summary before.reprise after.reprise    how much, in which frames, of which methods
  reprise diff --ignore GetCompletedValue --ignore 'Set*Name' a.reprise b.reprise
  reprise diff --json a.reprise b.reprise | jq -c 'select(.difference == \"changed\") | .changes'

With --replay one trace is played twice, each time in a process of its own, and what is presented and what the program
reads back is compared, up to the first difference (with --all, to the end). --targets then plays again, to find the operation of that frame that
left the difference: a draw, dispatch, copy, resolve or clear that reads the same on both and writes something else. It says
which target, which pixels (where they are, how many, the largest difference, the first one's values on both) and what was bound
there, and gives the commands that show it. Few replays are needed: each pair divides what is left by 32. What one of the
replays cannot write is listed (with --json: not_compared), and taken neither for equal nor for different.

  reprise diff --replay --against-runtime vkd3d gears.reprise
  reprise diff --replay --gpu 0 --against-gpu 1 --targets gears.reprise
  reprise diff --replay --env VK_DRIVER_FILES=/a/icd.json --against-env VK_DRIVER_FILES=/b/icd.json gears.reprise
  reprise diff --replay --against-runtime vkd3d --all gears.reprise      every frame that differs, and by how much
  reprise diff --replay gears.reprise                    twice the same: does it play the same each time?

Exit codes: 0 the same, 1 different, 2 trouble: wrong usage, a trace that cannot be read or is
damaged, or a replay that failed.";

/// Compare two traces call by call, or two replays of one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Only say how much differs
    #[arg(long)]
    summary: bool,
    /// Leave out calls of these methods: a name, or Interface::Name; * stands for anything; repeatable
    #[arg(long, value_name = "PATTERN")]
    ignore: Vec<String>,
    /// Compare calls only: not what was stored to mapped memory, nor hashes of frames
    #[arg(long)]
    calls_only: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    boundary: Boundary,
    /// The first trace
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second trace; none with --replay
    #[arg(value_name = "B")]
    b: Option<PathBuf>,
    #[command(flatten)]
    replays: replays::Replays,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let wrong = |message: String| Err(Failure::message(exit::TROUBLE, message));
    let replays = &arguments.replays;
    let compared = match (&arguments.b, replays.replay) {
        (Some(b), false) => match replays.option() {
            None => traces(arguments, [&arguments.a, b]),
            Some(option) => wrong(format!("{option} is for --replay, which compares two replays of one trace")),
        },
        (None, true) if arguments.summary || arguments.calls_only || !arguments.ignore.is_empty() => {
            wrong("--summary, --ignore and --calls-only are for two traces, not for --replay".into())
        }
        (None, true) => replays::run(replays, &arguments.a, &arguments.boundary, arguments.json),
        (Some(_), true) => wrong("--replay plays one trace twice: name one".into()),
        (None, false) => wrong("name two traces, or one and --replay".into()),
    };
    compared.map_err(|failure| failure.with_code(exit::TROUBLE))
}

fn traces(arguments: &Arguments, files: [&PathBuf; 2]) -> Ended {
    // Each has its own calls that end frames.
    let open = |file: &PathBuf| Source::new(file.clone(), None).by(&arguments.boundary).open_to_count();
    let traces = [open(files[0])?, open(files[1])?];
    let ignored = match &arguments.ignore[..] {
        [] => Vec::new(),
        patterns => filter::methods(patterns, "--ignore")?,
    };
    let compared = Compared { ignored, calls_only: arguments.calls_only };
    let mut output = Output::new();
    let told = tell(arguments, &traces, &compared, files, &mut output);
    let summary = match told {
        // Nobody reads any more: there is a difference, which was the question.
        Err(Stop::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(exit::DIFFERENT),
        Err(Stop::Write(error)) => return Err(error).context("cannot write to standard output").or_exit(exit::TROUBLE),
        Err(Stop::Trace(error)) => return Err(error).or_exit(exit::TROUBLE),
        Ok(summary) => summary,
    };
    for ((trace, file), undecoded) in traces.iter().zip(files).zip(summary.undecoded) {
        Met::of(trace).and_undecoded(undecoded).sound(file)?;
    }
    Ok(if summary.is_equal() { 0 } else { exit::DIFFERENT })
}

/// Why telling stopped.
enum Stop {
    Write(io::Error),
    Trace(ReadError),
}

impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Stop {
        Stop::Trace(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Write(error)
    }
}

/// Prints the differences and the summary.
fn tell(
    arguments: &Arguments,
    [a, b]: &[Trace; 2],
    compared: &Compared,
    files: [&PathBuf; 2],
    output: &mut Output,
) -> Result<Summary, Stop> {
    let names = files.map(|file| file.display().to_string());
    let colour = output.colour();
    let mut lines = Lines::new(colour);
    let mut first = true;
    let frames = u64::from(a.frame_count().max(b.frame_count()));
    let mut progress = Progress::new("comparing");
    let summary = compare::<Stop>(
        [a, b],
        compared,
        |difference, changes| {
            if arguments.summary {
                return Ok(true);
            }
            if arguments.json {
                return written(output, &report::json(difference, changes).to_string());
            }
            if std::mem::take(&mut first) {
                lines
                    .heads(names.each_ref().map(String::as_str))
                    .iter()
                    .try_for_each(|line| written(output, line).map(|_| ()))?;
            }
            lines.of(difference, changes).iter().try_for_each(|line| written(output, line).map(|_| ()))?;
            Ok(true)
        },
        |frame| progress.show_part(frame, frames, || format!("frame {frame} of {frames}")),
    )?;
    drop(progress);
    if arguments.json {
        written(output, &serde_json::json!({ "summary": summary.json() }).to_string())?;
    } else if arguments.summary || !summary.is_equal() {
        summary.lines(colour).iter().try_for_each(|line| written(output, line).map(|_| ()))?;
    }
    output.flush()?;
    Ok(summary)
}

/// Writes a line; a reader that went away is an error here, to stop at once.
fn written(output: &mut Output, line: &str) -> Result<bool, Stop> {
    match output.line(line)? {
        true => Ok(true),
        false => Err(Stop::Write(io::ErrorKind::BrokenPipe.into())),
    }
}
