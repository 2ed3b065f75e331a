//! Two replays of one trace, on two runtimes, drivers or environments: where they diverge.
//!
//! Both run in processes of their own, beside each other, up to the first difference in what they present or the program reads back,
//! or to the end where all differences are asked for (`part`). Then `origin` looks for the operation that left the difference, among those of the frame (`operations`): it replays again and
//! has what operations read and write dumped. `contents` compares two dumps, `report` tells all of it.
//!
//! Invariant: an operation is named only where dumps of both replays show it: what it wrote differs.

mod contents;
mod operations;
mod origin;
pub(crate) mod report;
pub(crate) mod wanted;

use crate::child_replay::picture_pipe::Message;
use crate::child_replay::process::{Around, ChildReplay};
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::progress::Progress;
use crate::trace::boundary::Boundary;
use crate::trace::open::Source;
use origin::Origin;
use reprise_replay::{Unlike, unlike};
use reprise_view::damage::Met;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// What one of the two replays plays on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// As `--runtime` takes it.
    pub(crate) runtime: String,
    /// Of our own runtime.
    pub(crate) gpu: Option<String>,
    /// Of its environment.
    pub(crate) variables: Vec<(String, String)>,
}

impl Side {
    /// The options of a replay.
    fn arguments(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["--runtime".into(), (&self.runtime).into()];
        if let Some(gpu) = self.gpu.as_ref().filter(|_| self.runtime == "ours") {
            words.extend(["--gpu".into(), gpu.into()]);
        }
        words
    }
}

/// How they are compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    /// Look for the operation that left the first difference, too.
    pub(crate) targets: bool,
    /// Continue after the first difference.
    pub(crate) all: bool,
    /// Say how far it is, and each difference as soon as it is known, as lines of JSON on standard error.
    pub(crate) lines: bool,
    /// A replay that takes longer is ended.
    pub(crate) patience: Option<Duration>,
    /// What ends frames.
    pub(crate) boundary: Boundary,
}

/// Differences that are kept; more are counted.
const KEPT: usize = 10_000;

/// Where two replays diverge.
#[derive(Clone, Debug)]
enum Divergence {
    /// What they present, and how the pictures differ.
    Frame(u64, Option<Unlike>),
    /// What is read back: the call after which, its frame, the resource and the offset.
    Read { call: u64, frame: u64, resource: u32, offset: u64 },
    /// Only one of them has this: which one, and what.
    Alone(usize, String, u64),
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// The first difference, and all others where they were asked for, in the order in which the replays came to them.
    divergences: Vec<Divergence>,
    /// Whether all were asked for; how many there are beyond those that are kept.
    all: bool,
    more: u64,
    origin: Origin,
    /// Whether an origin was looked for.
    looked: bool,
    names: [String; 2],
    sides: [Side; 2],
    /// Frames, and times that something is read back.
    compared: [u64; 2],
    trace: std::path::PathBuf,
    /// What is bound at the operation, as `reprise state` has it: lines, and JSON.
    bound: Option<(Vec<String>, serde_json::Value)>,
}

impl Comparison {
    pub(crate) fn is_equal(&self) -> bool {
        self.divergences.is_empty()
    }

    /// Neither replay presents a frame or reads anything back: that nothing differs says nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        self.is_equal() && self.compared == [0; 2]
    }
}

/// Plays the trace on both, and looks for what they do not have in common.
///
/// # Errors
/// A replay fails, or the trace cannot be read.
pub(crate) fn compare(sides: [&Side; 2], file: &Path, options: Options) -> Result<Comparison, Failure> {
    let trace = Source::new(file.to_path_buf(), None).by(&options.boundary).open()?;
    let mut say = Say { progress: Progress::new("comparing"), lines: options.lines };
    let start = |side: &Side| {
        let mut words = side.arguments();
        words.extend(options.boundary.words());
        words.extend(["--reads".into(), "--".into(), file.into()]);
        let (variables, patience) = (side.variables.clone(), options.patience);
        let around = Around { variables, said: None, patience, wanted: Some(wanted::is_wanted) };
        ChildReplay::start(side.runtime.clone(), words, around)
    };
    let mut replays = [start(sides[0])?, start(sides[1])?];
    let mut compared = [0; 2];
    let names = replays.each_ref().map(|replay| replay.runtime.clone());
    let (mut divergences, mut more) = (Vec::new(), 0);
    follow(&mut replays, &mut compared, &mut say, |say, divergence| {
        say.line(|| json!({ "difference": divergence.json(&names) }));
        match divergences.len() < KEPT {
            true => divergences.push(divergence),
            false => more += 1,
        }
        options.all
    })?;
    // A library says its name at its end.
    let names = replays.each_ref().map(|replay| replay.runtime.clone());
    // Two that are not needed any more end here.
    drop(replays);
    let mut origin = Origin::default();
    let mut bound = None;
    if let Some(divergence) = divergences.first().filter(|_| options.targets) {
        let (frame, until) = divergence.place();
        // What a program reads behind a submission any submission before may have written.
        let submitted = trace.is_by_submissions() || trace.chosen_ends().is_some();
        let frames = if submitted { 1..=frame } else { frame..=frame };
        let operations = operations::of_frames(&trace, &frames, until).or_exit(exit::TRACE)?;
        let known = match divergence {
            Divergence::Read { resource, .. } => Some(*resource),
            _ => None,
        };
        origin = origin::find(sides, file, &frames, &operations, known, |said| say.show(|| said.to_owned()))?;
        bound = origin.found.as_ref().and_then(|found| report::bound(&trace, found.operation.call));
    }
    drop(say);
    Met::of(&trace).sound(file)?;
    let (sides, trace, all, looked) = (sides.map(Clone::clone), file.to_path_buf(), options.all, options.targets);
    Ok(Comparison { divergences, all, more, origin, looked, names, sides, compared, trace, bound })
}

/// Says how far the comparison is: to a person on a terminal, and to a program in lines of JSON.
struct Say {
    progress: Progress,
    lines: bool,
}

impl Say {
    fn show(&mut self, state: impl Fn() -> String) {
        self.line(|| json!({ "at": state() }));
        self.progress.show(state);
    }

    fn line(&self, line: impl FnOnce() -> Json) {
        if self.lines {
            // Nothing depends on whether anybody reads it.
            let _ = writeln!(std::io::stderr(), "{}", line());
        }
    }
}

/// Follows both, as long as `found` wants more differences; `compared` counts frames and reads.
fn follow(
    sides: &mut [ChildReplay; 2],
    compared: &mut [u64; 2],
    say: &mut Say,
    mut found: impl FnMut(&Say, Divergence) -> bool,
) -> Result<(), Failure> {
    loop {
        let [left, right] = sides;
        let divergence = match (left.message()?, right.message()?) {
            (None, None) => return Ok(()),
            (Some(Message::Picture(frame, a)), Some(Message::Picture(other, b))) if frame == other => {
                say.show(|| format!("frame {frame}"));
                compared[0] += 1;
                (a.hash() != b.hash()).then(|| Divergence::Frame(frame, unlike(&a, &b, 0)))
            }
            (Some(Message::Read(a)), Some(Message::Read(b)))
                if (a.call, a.resource, a.offset) == (b.call, b.resource, b.offset) =>
            {
                compared[1] += 1;
                let (call, frame, resource, offset) = (a.call, a.frame, a.resource, a.offset);
                (a.hash != b.hash).then_some(Divergence::Read { call, frame, resource, offset })
            }
            (a, b) => {
                // What comes first in the trace is what the other one lacks. Nothing behind it can be set against each other.
                let alone = match (a, b) {
                    (Some(a), Some(b)) if place(&b) < place(&a) => alone(1, &b),
                    (Some(message), _) => alone(0, &message),
                    (None, Some(message)) => alone(1, &message),
                    (None, None) => return Ok(()),
                };
                found(say, alone);
                return Ok(());
            }
        };
        if let Some(divergence) = divergence
            && !found(say, divergence)
        {
            return Ok(());
        }
    }
}

/// Frames end after what is read in them.
fn place(message: &Message) -> (u64, u64) {
    match message {
        Message::Picture(frame, _) => (*frame, u64::MAX),
        Message::Read(read) => (read.frame, read.call),
        Message::End { .. } => (u64::MAX, u64::MAX),
    }
}

fn alone(side: usize, message: &Message) -> Divergence {
    let what = match message {
        Message::Picture(frame, _) => format!("presents frame {frame}"),
        Message::Read(read) => {
            format!("lets resource {} be read at offset {} after call {}", read.resource, read.offset, read.call)
        }
        Message::End { .. } => "ends".into(),
    };
    Divergence::Alone(side, what, place(message).0)
}

impl Divergence {
    /// The frame, and the call up to which something must be different.
    fn place(&self) -> (u64, Option<u64>) {
        match self {
            Divergence::Frame(frame, _) | Divergence::Alone(_, _, frame) => (*frame, None),
            Divergence::Read { frame, call, .. } => (*frame, Some(*call)),
        }
    }
}

/// What could not be compared, and why.
type Missing = BTreeMap<String, String>;
