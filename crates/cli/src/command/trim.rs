//! `reprise trim`: frames of a trace as a trace of their own.

use super::replay;
use crate::options::adapter;
use crate::options::range::{self, Range};
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{bytes, plural};
use crate::terminal::place;
use crate::terminal::whole_file::Whole;
use crate::trace::notes::Carried;
use crate::trace::open;
use anyhow::Context;
use reprise_replay::{BuildInputs, ResourceContents, Snapshot, SnapshotPart, WantedBuild, WantedContents};
use reprise_trace::read::Trace;
use reprise_trace::trace_writer::FileOutput;
use reprise_trim::{Content, Cut, Error, Given, Inputs, Played, Request, Take, Trimmed, Wanted, Warning};
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::path::PathBuf;

const EXAMPLES: &str = "\
The new trace holds the frames, the calls that made what they use, and the contents that all of it had where they begin. Contents come
from a replay up to there, on this machine. It is a trace like any other: every command reads it, every runtime plays it, and it can be
cut again. Its frames count from 1; `info` says which they were, and which call was the first.

What cannot be cut soundly is refused, with the call and the reason: docs/trim.md has the list. Another first frame may do.

Examples:
  reprise trim --frames 100-102 game.reprise             into game.frames-100-102.reprise
  reprise trim --frames 100 -o one.reprise game.reprise  a single frame
  reprise trim --submissions 7 game.reprise              one submission; 7-9 are three, and what is between them
  reprise trim --draws 1234-1260 game.reprise            the submissions that run these calls, up to the draw that is call 1260
  reprise trim --frames 100-102 --gpu 1 game.reprise     the replay up to frame 100 on the second device of `reprise gpus`
  reprise verify game.frames-100-102.reprise             its frames, where the capture has hashes

Exit codes: 0 success, 1 the trace cannot be cut there, the replay failed, or a file cannot be written, 2 wrong usage, 3 the trace cannot
be read or is damaged.";

/// Cut frames out of a trace, into a trace of their own
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The frames: N or A-B, counted from 1; submissions, where the trace has no frame boundaries
    #[arg(long, value_name = "A-B", value_parser = range::frames, required_unless_present_any = ["submissions", "draws"])]
    frames: Option<Range>,
    /// In place of frames: submissions, N, A-B or A-, counted from 1 over all queues
    #[arg(long, visible_alias = "submission", value_name = "A-B", value_parser = range::submissions, conflicts_with = "frames")]
    submissions: Option<Range>,
    /// In place of frames: draws, dispatches or other commands of lists, N or A-B, by the numbers of their calls. The trace has the submissions
    /// that run them, and nothing that runs after B
    #[arg(long, value_name = "A-B", value_parser = range::calls, conflicts_with_all = ["frames", "submissions"])]
    draws: Option<Range>,
    /// The trace to write [default: NAME.frames-A-B.reprise]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the trace if it exists; it stays until there is a new one
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    /// One JSON object: what was written
    #[arg(long)]
    json: bool,
    /// Say nothing on success
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    let trace = arguments.source.open()?;
    let (cut, words) = cut(arguments, &trace)?;
    let output =
        arguments.output.clone().unwrap_or_else(|| arguments.source.trace.with_extension(format!("{words}.reprise")));
    arguments.source.spare(&output)?;
    place::free(&output, arguments.force)?;
    let notes = Carried::of(&arguments.source.trace, &trace, &output, arguments.force, arguments.quiet)?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    Met::of(&trace).sound(&arguments.source.trace)?;
    let cannot = || format!("cannot write {}", output.display());
    let whole = Whole::begin(&output).with_context(cannot).or_exit(exit::FAILED)?;
    let file = FileOutput::of(whole.writer().with_context(cannot).or_exit(exit::FAILED)?);
    let mut contents = |played: Played, request: &Request, take: &mut Take<'_>| {
        let mut options = arguments.runtime.options().map_err(|failure| failure.to_string())?;
        match played {
            Played::Frames(frames) => options.quit_after_frame = Some(frames.into()),
            Played::Calls(call) => options.quit_after_call = Some(call),
        }
        let wanted =
            |it: &Wanted| WantedContents { resource: it.resource, states: it.states.clone(), regions: it.regions };
        let read = |it: &reprise_trim::WantedBuild| WantedBuild {
            call: it.call,
            list: it.list,
            enter: it.enter.clone(),
            reads: it.reads.clone(),
        };
        let give = |part: SnapshotPart<'_>| match part {
            SnapshotPart::Contents(ResourceContents { resource, bytes, subresources, apart }) => {
                take(Given::Content(Content { resource, bytes, subresources, apart }))
            }
            SnapshotPart::Build(BuildInputs { call, sizes, bytes }) => {
                take(Given::Inputs(Inputs { call, sizes, bytes }))
            }
        };
        options.snapshot = Some(Snapshot {
            device: request.device,
            held: request.held.clone(),
            builds: request.builds.iter().map(read).collect(),
            resources: request.resources.iter().map(wanted).collect(),
            give: Box::new(give),
        });
        let played = reprise_replay::play(&trace, &mut options);
        let played = match played {
            // Nothing was given yet.
            Err(reprise_replay::Error::Late { .. }) => {
                options.recorded_addresses = false;
                reprise_replay::play(&trace, &mut options)
            }
            played => played,
        };
        played.map(|_| ()).map_err(|error| error.to_string())
    };
    let trimmed = reprise_trim::trim(&trace, cut, &mut contents, file);
    // What is damaged was left out, and whatever else is wrong may be so for that reason.
    Met::of(&trace).sound(&arguments.source.trace)?;
    let trimmed = trimmed.map_err(|error| failure(arguments, error))?;
    whole.finish().with_context(cannot).or_exit(exit::FAILED)?;
    // Frames begin anew at 1. Submissions that bring contents back would be frames, too.
    let (first, last) = arguments.frames.unwrap_or((1, u64::MAX));
    // Notes name the frames that the trace has by itself.
    let by_frames = arguments.frames.is_some() && trace.chosen_ends().is_none();
    let frame = |old: u64| (by_frames && (first..=last).contains(&old)).then(|| old - first + 1);
    let noted = notes.put(&trace, &output, &trimmed.numbers, frame);
    if arguments.json {
        let mut said = report(arguments, &output, &trimmed);
        said["notes"] = json!(noted.as_ref().ok());
        replay::print(&said.to_string())?;
    }
    if !arguments.quiet {
        trimmed.warnings.iter().for_each(|warning| tell(&warning.what));
        if !arguments.json {
            say(arguments, &output, &trimmed);
        }
    }
    // The trace is there, and what it is was said.
    noted.map(|_| 0)
}

/// What is cut out, and how a file of it is named.
fn cut(arguments: &Arguments, trace: &Trace) -> Result<(Cut, String), Failure> {
    let words = |one: &str, (first, last): (u64, u64)| match first == last {
        true => format!("{one}-{first}"),
        false if last == u64::MAX => format!("{one}s-{first}-end"),
        false => format!("{one}s-{first}-{last}"),
    };
    if let Some((first, last)) = arguments.submissions {
        return Ok((Cut::Submissions(first, last), words("submission", (first, last))));
    }
    if let Some((first, last)) = arguments.draws {
        if last == u64::MAX {
            return Err(Failure::message(exit::USAGE, "--draws takes the calls of a first and a last draw: N or A-B"));
        }
        return Ok((Cut::Draws(first, last), words("draw", (first, last))));
    }
    let (first, last) = arguments.frames.unwrap_or((1, u64::MAX));
    if trace.is_by_submissions() {
        if !arguments.quiet {
            tell("the trace has no frame boundaries: submissions stand for frames");
        }
        return Ok((Cut::Submissions(first, last), words("submission", (first, last))));
    }
    // `A-` is up to the last frame.
    let last = if last == u64::MAX { trace.frame_count().into() } else { last };
    let number = |frame: u64| u32::try_from(frame).context("--frames").or_exit(exit::USAGE);
    Ok((Cut::Frames(number(first)?, number(last)?), words("frame", (first, last))))
}

fn failure(arguments: &Arguments, error: Error) -> Failure {
    let trace = arguments.source.trace.display();
    match error {
        Error::Trace(what) => Failure::message(exit::TRACE, format!("{trace}: {what}")),
        Error::Frames(what) => Failure::message(exit::USAGE, format!("{trace}: {what}")),
        Error::Refused(refusal) => Failure::message(exit::FAILED, format!("{trace} cannot be cut there: {refusal}")),
        error => Failure::message(exit::FAILED, error),
    }
}

fn tell(warning: &str) {
    let _ = writeln!(std::io::stderr(), "reprise: {warning}");
}

/// What the new trace has, for programs. Sizes are in bytes.
fn report(arguments: &Arguments, output: &std::path::Path, trimmed: &Trimmed) -> Json {
    let warning = |it: &Warning| json!({ "resource": it.resource, "call": it.call, "text": it.what });
    json!({
        "output": output.display().to_string(),
        "bytes": trimmed.bytes,
        "whole_bytes": std::fs::metadata(&arguments.source.trace).map_or(0, |file| file.len()),
        "frames": trimmed.frames,
        "calls": trimmed.calls,
        "calls_before": trimmed.before,
        "resources": trimmed.resources,
        "contents_bytes": trimmed.contents,
        "warnings": trimmed.warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}

fn say(arguments: &Arguments, output: &std::path::Path, trimmed: &Trimmed) {
    let whole = std::fs::metadata(&arguments.source.trace).map_or(0, |file| file.len());
    let _ = writeln!(
        std::io::stderr(),
        "reprise: {}: {}, {} of {}; {}, {} of them before the frames; {} restored, {}",
        output.display(),
        plural(trimmed.frames.into(), "frame"),
        bytes(trimmed.bytes),
        bytes(whole),
        plural(trimmed.calls, "call"),
        trimmed.before,
        plural(trimmed.resources, "resource"),
        bytes(trimmed.contents),
    );
}
