//! `reprise diff --replay`: plays a trace twice, on two runtimes or devices, and says where they part.

use super::draws::{self, Draw, Found, Looked};
use crate::child_replay::picture_pipe::Message;
use crate::child_replay::process::ChildReplay;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output::{self, Output, Paint, painted};
use crate::terminal::progress::Progress;
use crate::trace::open::Source;
use anyhow::Context;
use reprise_d3d12::model::MethodId;
use reprise_view::api;
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::ffi::OsString;
use std::path::Path;

/// Which replays are compared.
#[derive(Debug, clap::Args)]
pub(crate) struct Replays {
    /// Play the one trace twice and compare what is presented and read back; names as for reprise replay
    #[arg(long)]
    pub(super) replay: bool,
    /// The first runtime [default: ours]
    #[arg(long, value_name = "LIBRARY")]
    runtime: Option<String>,
    /// The second runtime [default: the first]
    #[arg(long, value_name = "LIBRARY")]
    against_runtime: Option<String>,
    /// The Vulkan device of the first, where it is ours
    #[arg(long, value_name = "INDEX|NAME")]
    gpu: Option<String>,
    /// The Vulkan device of the second, where it is ours [default: that of the first]
    #[arg(long, value_name = "INDEX|NAME")]
    against_gpu: Option<String>,
    /// In the frame where they part, find the draw: compare what is bound at each, right after it
    #[arg(long)]
    targets: bool,
}

impl Replays {
    /// The first option that makes sense with `--replay` only, if one is given.
    pub(super) fn option(&self) -> Option<&'static str> {
        let given = [
            (self.runtime.is_some(), "--runtime"),
            (self.against_runtime.is_some(), "--against-runtime"),
            (self.gpu.is_some(), "--gpu"),
            (self.against_gpu.is_some(), "--against-gpu"),
            (self.targets, "--targets"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }
}

/// Where two replays part.
enum Parting {
    /// What they present.
    Frame(u64),
    /// What is read back: the call after which, its frame, the resource and the offset.
    Read { call: u64, frame: u64, resource: u32, offset: u64 },
    /// Only one of them has this: which one, and what.
    Alone(usize, String, u64),
}

pub(crate) fn run(replays: &Replays, file: &Path, as_json: bool) -> Ended {
    let trace = Source { rings: None, trace: file.to_path_buf() }.open()?;
    let first = replays.runtime.clone().unwrap_or_else(|| "ours".into());
    let second = replays.against_runtime.clone().unwrap_or_else(|| first.clone());
    let arguments = [
        arguments(&first, replays.gpu.as_ref()),
        arguments(&second, replays.against_gpu.as_ref().or(replays.gpu.as_ref().filter(|_| second == "ours"))),
    ];
    let mut progress = Progress::new("comparing");
    let start = |name: &String, arguments: &[OsString]| {
        let mut words = arguments.to_vec();
        words.extend(["--reads".into(), "--".into(), file.into()]);
        ChildReplay::start(name.clone(), words)
    };
    let mut sides = [start(&first, &arguments[0])?, start(&second, &arguments[1])?];
    let mut compared = [0; 2];
    let parting = part(&mut sides, &mut compared, &mut progress)?;
    let names = sides.each_ref().map(|side| side.runtime.clone());
    // Two that are not needed any more end here.
    drop(sides);
    let looked = match (&parting, replays.targets) {
        (Some(parting), true) => {
            let (frame, until) = parting.place();
            let draws = draws::of_frame(&trace, frame, until).or_exit(exit::TRACE)?;
            let tell = |call| progress.show(|| format!("call {call}"));
            draws::first_different([&arguments[0], &arguments[1]], file, frame, &draws, tell)?
        }
        _ => Looked::default(),
    };
    drop(progress);
    let mut output = Output::new();
    let lines = if as_json {
        vec![json(&parting, &looked, &names, compared).to_string()]
    } else {
        text(&parting, &looked, &names, compared, (replays.targets, output.colour()))
    };
    for line in lines {
        output.line(&line).context("cannot write to standard output").or_exit(exit::FAILED)?;
    }
    output.flush().context("cannot write to standard output").or_exit(exit::FAILED)?;
    Met::of(&trace).sound(file)?;
    Ok(if parting.is_some() { exit::DIFFERENT } else { 0 })
}

fn arguments(runtime: &str, gpu: Option<&String>) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["--runtime".into(), runtime.into()];
    if let Some(gpu) = gpu {
        words.extend(["--gpu".into(), gpu.into()]);
    }
    words
}

/// Follows both until they part; `compared` counts frames and reads.
fn part(
    sides: &mut [ChildReplay; 2],
    compared: &mut [u64; 2],
    progress: &mut Progress,
) -> Result<Option<Parting>, Failure> {
    loop {
        let [left, right] = sides;
        let parting = match (left.message()?, right.message()?) {
            (None, None) => return Ok(None),
            (Some(Message::Picture(frame, a)), Some(Message::Picture(other, b))) if frame == other => {
                progress.show(|| format!("frame {frame}"));
                compared[0] += 1;
                (a.hash() != b.hash()).then_some(Parting::Frame(frame))
            }
            (Some(Message::Read(a)), Some(Message::Read(b)))
                if (a.call, a.resource, a.offset) == (b.call, b.resource, b.offset) =>
            {
                compared[1] += 1;
                let (call, frame, resource, offset) = (a.call, a.frame, a.resource, a.offset);
                (a.hash != b.hash).then_some(Parting::Read { call, frame, resource, offset })
            }
            (Some(message), None) => Some(alone(0, &message)),
            (None, Some(message)) => Some(alone(1, &message)),
            (Some(a), Some(b)) => {
                // What comes first in the trace is what the other one lacks.
                let first = usize::from(place(&b) < place(&a));
                Some(alone(first, if first == 0 { &a } else { &b }))
            }
        };
        if parting.is_some() {
            return Ok(parting);
        }
    }
}

/// Frames end after what is read in them.
fn place(message: &Message) -> (u64, u64) {
    match message {
        Message::Picture(frame, _) => (*frame, u64::MAX),
        Message::Read(read) => (read.frame, read.call),
        Message::End(_) => (u64::MAX, u64::MAX),
    }
}

fn alone(side: usize, message: &Message) -> Parting {
    let what = match message {
        Message::Picture(frame, _) => format!("presents frame {frame}"),
        Message::Read(read) => {
            format!("lets resource {} be read at offset {} after call {}", read.resource, read.offset, read.call)
        }
        Message::End(_) => "ends".into(),
    };
    Parting::Alone(side, what, place(message).0)
}

impl Parting {
    /// The frame, and the call up to which something must be different.
    fn place(&self) -> (u64, Option<u64>) {
        match self {
            Parting::Frame(frame) | Parting::Alone(_, _, frame) => (*frame, None),
            Parting::Read { frame, call, .. } => (*frame, Some(*call)),
        }
    }

    fn in_words(&self, names: &[String; 2]) -> String {
        match self {
            Parting::Frame(frame) => format!("frame {frame} is the first that differs"),
            Parting::Read { call, frame, resource, offset } => format!(
                "what is read back is the first to differ: resource {resource} at offset {offset}, after call {call} in frame {frame}"
            ),
            Parting::Alone(side, what, _) => format!("only {} {what}", names[*side]),
        }
    }
}

fn draw_in_words(draw: &Draw) -> String {
    let submission = match draw.submission {
        Some((call, 0)) => format!(", first submitted by call {call}"),
        Some((call, before)) => format!(", first submitted by call {call}, behind {before} other lists"),
        None => String::new(),
    };
    format!("call {}, {} on list {}{submission}", draw.call, api::name(MethodId(draw.method)), draw.list)
}

/// Of what could not be compared, for people.
const TOLD: usize = 10;

fn text(
    parting: &Option<Parting>,
    looked: &Looked,
    names: &[String; 2],
    [frames, reads]: [u64; 2],
    (targets, colour): (bool, bool),
) -> Vec<String> {
    let [first, second] = names;
    let Some(parting) = parting else {
        return vec![format!(
            "equal on {first} and {second}: {frames} frames, {reads} times that something is read back"
        )];
    };
    let mut lines = vec![
        painted(colour, Paint::Alarm, &parting.in_words(names)),
        format!("  on {first} and {second}, after {frames} frames and {reads} times that something is read back"),
    ];
    match &looked.found {
        Some(Found { draw, files }) => {
            lines.push(format!("  the first draw that leaves something else: {}", draw_in_words(draw)));
            lines.extend(files.iter().map(|file| format!("    {file}")));
            lines.push(format!("  see reprise replay --dump-draw {}", draw.call));
        }
        None if targets => lines.push("  no draw recorded in that frame leaves something else in what is bound".into()),
        None => lines.push("  --targets looks for the draw".into()),
    }
    if !looked.missing.is_empty() {
        let count = output::plural(looked.missing.len() as u64, "content");
        lines.push(format!("  {count} of what is bound at draws up to there could not be compared:"));
        lines.extend(looked.missing.iter().take(TOLD).map(|(what, why)| format!("    {what}: {why}")));
    }
    lines
}

fn json(parting: &Option<Parting>, looked: &Looked, names: &[String; 2], [frames, reads]: [u64; 2]) -> Json {
    let place = parting.as_ref().map(|parting| match parting {
        Parting::Frame(frame) => json!({ "what": "frame", "frame": frame }),
        Parting::Read { call, frame, resource, offset } => {
            json!({ "what": "read", "frame": frame, "call": call, "resource": resource, "offset": offset })
        }
        Parting::Alone(side, what, frame) => {
            json!({ "what": "alone", "frame": frame, "runtime": names[*side], "why": what })
        }
    });
    let draw = looked.found.as_ref().map(|Found { draw, files }| {
        json!({
            "call": draw.call, "method": api::name(MethodId(draw.method)), "list": draw.list,
            "submission": draw.submission.map(|(call, _)| call), "files": files,
        })
    });
    json!({
        "equal": parting.is_none(), "runtimes": names, "frames": frames, "reads": reads, "first": place, "draw": draw,
        "not_compared": looked.missing.iter().map(|(what, why)| json!({ "what": what, "why": why })).collect::<Json>(),
    })
}
