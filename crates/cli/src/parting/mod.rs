//! Two replays of one trace, on two runtimes, drivers or environments: where they part.
//!
//! Both run in processes of their own, beside each other, up to the first difference in what they present or the program reads back
//! (`part`). Then `origin` looks for the operation that left the difference, among those of the frame (`operations`): it replays again and
//! has what operations read and write dumped. `contents` compares two dumps, `report` tells all of it.
//!
//! Invariant: an operation is named only where dumps of both replays show it: what it wrote differs.

mod contents;
mod operations;
mod origin;
pub(crate) mod report;

use crate::child_replay::picture_pipe::Message;
use crate::child_replay::process::{Around, ChildReplay};
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::progress::Progress;
use crate::trace::open::Source;
use origin::Origin;
use reprise_view::damage::Met;
use std::collections::BTreeMap;
use std::ffi::OsString;
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
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Look for the operation, too.
    pub(crate) targets: bool,
    /// A replay that takes longer is ended.
    pub(crate) patience: Option<Duration>,
}

/// Where two replays part.
#[derive(Clone, Debug)]
enum Parting {
    /// What they present.
    Frame(u64),
    /// What is read back: the call after which, its frame, the resource and the offset.
    Read { call: u64, frame: u64, resource: u32, offset: u64 },
    /// Only one of them has this: which one, and what.
    Alone(usize, String, u64),
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Parted {
    parting: Option<Parting>,
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

impl Parted {
    pub(crate) fn is_equal(&self) -> bool {
        self.parting.is_none()
    }
}

/// Plays the trace on both, and looks for what they do not have in common.
///
/// # Errors
/// A replay fails, or the trace cannot be read.
pub(crate) fn compare(sides: [&Side; 2], file: &Path, options: Options) -> Result<Parted, Failure> {
    let trace = Source { rings: None, trace: file.to_path_buf() }.open()?;
    let mut progress = Progress::new("comparing");
    let start = |side: &Side| {
        let mut words = side.arguments();
        words.extend(["--reads".into(), "--".into(), file.into()]);
        let around = Around { variables: side.variables.clone(), said: None, patience: options.patience };
        ChildReplay::start(side.runtime.clone(), words, around)
    };
    let mut replays = [start(sides[0])?, start(sides[1])?];
    let mut compared = [0; 2];
    let parting = part(&mut replays, &mut compared, &mut progress)?;
    let names = replays.each_ref().map(|replay| replay.runtime.clone());
    // Two that are not needed any more end here.
    drop(replays);
    let mut origin = Origin::default();
    let mut bound = None;
    if let Some(parting) = parting.as_ref().filter(|_| options.targets) {
        let (frame, until) = parting.place();
        let operations = operations::of_frame(&trace, frame, until).or_exit(exit::TRACE)?;
        let known = match parting {
            Parting::Read { resource, .. } => Some(*resource),
            _ => None,
        };
        origin = origin::find(sides, file, frame, &operations, known, |said| progress.show(|| said.to_owned()))?;
        bound = origin.found.as_ref().and_then(|found| report::bound(&trace, found.operation.call));
    }
    drop(progress);
    Met::of(&trace).sound(file)?;
    let sides = sides.map(Clone::clone);
    Ok(Parted { parting, origin, looked: options.targets, names, sides, compared, trace: file.to_path_buf(), bound })
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
        Message::End { .. } => (u64::MAX, u64::MAX),
    }
}

fn alone(side: usize, message: &Message) -> Parting {
    let what = match message {
        Message::Picture(frame, _) => format!("presents frame {frame}"),
        Message::Read(read) => {
            format!("lets resource {} be read at offset {} after call {}", read.resource, read.offset, read.call)
        }
        Message::End { .. } => "ends".into(),
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
}

/// What could not be compared, and why.
type Missing = BTreeMap<String, String>;
