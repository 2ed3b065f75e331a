//! The report of a replay: frames, differences, concessions, files, times.

pub mod diagnosis;
pub(crate) mod experiment;
mod files;
pub mod frame_comparison;
mod left_out;
pub(crate) mod lone_draw;
pub(crate) mod mesh;
pub(crate) mod outcome_comparison;
pub(crate) mod overdraw;
pub(crate) mod overlay;
pub(crate) mod pixel;
pub(crate) mod request;
pub(crate) mod result_code;
pub(crate) mod skipped;
mod stale;
pub(crate) mod timing;
pub(crate) mod uncompared;

pub use files::{Dumped, Replaced};
pub use left_out::LeftOutWork;
pub use skipped::Skipped;
pub use stale::Stale;
pub use uncompared::Uncompared;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::time::Duration;

use reprise_trace::frame_hash::{FrameHash, FrameLine};
use reprise_trace::read::Damage;

use crate::error::{Place, Subject};
use crate::marks::Look;
use crate::measure::Measured;
use crate::report::experiment::ExperimentReport;
use crate::report::mesh::Mesh;
use crate::report::overdraw::OverdrawReport;
use crate::report::overlay::Overlay;
use crate::report::pixel::PixelTests;
use crate::report::timing::TimingReport;
use crate::runtime::machine::Machine;

/// One presented frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Frames count from 1.
    pub number: u64,
    /// Of the presented picture, in pixels; 0 where nothing was read back.
    pub width: u32,
    /// As `width`.
    pub height: u32,
    /// `DXGI_FORMAT`.
    pub format: u32,
    /// Present when hashes were asked for and the frame had a picture.
    pub hash: Option<FrameHash>,
}

/// Something that was not as at capture, and did not stop the replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The first call of which it is true.
    pub place: Place,
    /// Both sides of it, in words.
    pub what: String,
    /// A value that is another one; `None` for differences of other kinds.
    pub change: Option<Change>,
    /// The arguments of the first call in words; empty where they say nothing.
    pub asked: String,
    /// How many calls of this method differ in just this way.
    pub count: u64,
}

/// A value that the program was told, and another one that replay is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// As the API's documentation names it: `D3D12_FEATURE_DATA_D3D12_OPTIONS.ResourceHeapTier`.
    pub field: String,
    /// At capture.
    pub recorded: String,
    /// Here.
    pub here: String,
}

/// An argument of a creation that asks for less than at capture, because this device refused the call as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Concession {
    /// The first call of which it is true.
    pub place: Place,
    /// The argument: what the program asked for, and what it is given here.
    pub change: Change,
    /// How many calls of this method ask for just this less.
    pub count: u64,
}

/// A question of the program whose answer here is another one, and on which no replay depends: which interfaces and features the
/// library knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The first call of which it is true.
    pub place: Place,
    /// What was asked for, and both answers.
    pub change: Change,
    /// How many calls of this method are answered in just this way.
    pub count: u64,
}

/// Heaps laid out anew because the device wants other sizes or alignments than that of the capture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Replanned {
    /// Heaps that are not as they were.
    pub heaps: u64,
    /// Placed resources and mapped ranges of tiles that lie elsewhere in them.
    pub resources: u64,
    /// Bytes of these heaps at capture.
    pub recorded_bytes: u64,
    /// And here.
    pub bytes: u64,
    /// Pairs that overlapped at capture and lie apart here.
    pub parted: u64,
}

/// Acceleration structures that need more room than where the program put them, in memory of replay's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MovedStructures {
    /// How many.
    pub count: u64,
    /// Bytes that they have.
    pub bytes: u64,
}

/// What lies at the addresses that it had at capture, where a trace keeps addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Addresses {
    /// Allocations that the runtime was asked to put where they were, and that are there: heaps, committed and reserved buffers.
    pub recorded: u64,
    /// Those that are elsewhere: of another runtime or driver, of another size here, or something lies there.
    pub elsewhere: u64,
    /// Buffers at their recorded addresses, those in heaps included.
    pub buffers_recorded: u64,
    /// Buffers elsewhere: also those in heaps that the trace keeps no place of.
    pub buffers_elsewhere: u64,
}

impl Addresses {
    /// Counts an allocation that has a place.
    pub(crate) fn count(&mut self, recorded: bool) {
        *(if recorded { &mut self.recorded } else { &mut self.elsewhere }) += 1;
    }

    /// Counts a buffer.
    pub(crate) fn count_buffer(&mut self, recorded: bool) {
        *(if recorded { &mut self.buffers_recorded } else { &mut self.buffers_elsewhere }) += 1;
    }
}

/// A stored value that was taken for an address, and changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guess {
    /// The last call before the bytes were recorded.
    pub call: u64,
    /// Its frame; frames count from 1.
    pub frame: u64,
    /// The buffer, by its id in the trace.
    pub resource: u32,
    /// Where the value lies in it.
    pub offset: u64,
    /// What the program stored.
    pub recorded: u64,
    /// What lies there now.
    pub here: u64,
}

/// What was guessed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guesses {
    /// Every value that was changed, in order.
    pub all: Vec<Guess>,
    /// Values that look like addresses and were left as they are: the new one would look like an address of the capture, too.
    pub left: u64,
    /// Calls that used memory as it is, because what they read there cannot be moved for sure.
    pub used: u64,
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// All of it, loading the runtime included.
    pub total: Duration,
    /// Waiting for fence values that the program had seen.
    pub fence_waits: Duration,
    /// Reading pictures back, hashing, writing PNGs.
    pub read_back: Duration,
}

/// What a replay found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Path or name of the library that ran it, and its calling convention.
    pub runtime: String,
    /// Adapter and driver of the capture.
    pub recorded_on: Machine,
    /// And those of the first device here, where the runtime says so.
    pub replayed_on: Option<Machine>,
    /// In order of presentation.
    pub frames: Vec<Frame>,
    /// Frames of the program that a flight recorder left out.
    pub left_out: u64,
    /// Pictures written as files.
    pub screenshots: u64,
    /// How many places of the trace are damaged; the events there are not played.
    pub damaged: u64,
    /// The damaged places of a trace file that the reader listed.
    pub damage: Vec<Damage>,
    /// The picture of a present that the trace ends in: the program died before it returned.
    pub unfinished: Option<Frame>,
    /// Calls of the trace, up to where the replay ended.
    pub calls: u64,
    /// Of these, made on the runtime.
    pub replayed: u64,
    /// The rest, by stated reason.
    pub skipped: BTreeMap<String, Skipped>,
    /// Equal ones are one; at most [`Report::MAX_DIFFERENCES`]; `difference_count` has them all.
    pub differences: Vec<Difference>,
    /// How many there were, each call counted.
    pub difference_count: u64,
    /// Arguments that ask for less than at capture. Equal ones are one; at most [`Report::MAX_DIFFERENCES`].
    pub concessions: Vec<Concession>,
    /// Questions whose answers differ from those at capture. Equal ones are one; at most [`Report::MAX_DIFFERENCES`].
    pub answers: Vec<Answer>,
    /// For a check: how many of these are calls that cannot be made here. `None` for a replay.
    pub refused: Option<u64>,
    /// Where each difference is.
    pub(crate) known: HashMap<(Subject, String), usize>,
    /// Bytes that the program saw the GPU write and that were compared with those here; `differences` names those that differ.
    pub compared_bytes: u64,
    /// Of these, bytes that work which was submitted here wrote or could have written: no others can show what the GPU makes of it.
    pub gpu_written_bytes: u64,
    /// Of the compared bytes, those that differ.
    pub different_bytes: u64,
    /// Of the compared bytes, those that differ by no more than [`crate::Options::read_steps`]. They are not among the former.
    pub near_bytes: u64,
    /// Bytes of records that the program mapped before it could know that the GPU had written them, and of which some are other ones here. They are
    /// not among the compared bytes: what was found there was there by chance.
    pub early_bytes: u64,
    /// What submitted work wrote and no record of the trace shows: by rising number of the memory's object.
    pub uncompared: Vec<Uncompared>,
    /// Bytes that the trace has as stores of the program, because the capture could not tell them from what the GPU wrote there. They
    /// were not stored over what the GPU writes here.
    pub untold_bytes: u64,
    /// Bytes that the program saw the GPU write and that were not compared: times of the GPU's clock, other ones in every run.
    pub time_bytes: u64,
    /// Bytes that the program saw the GPU write and that were not compared: sizes of acceleration structures, which are other ones here.
    pub size_bytes: u64,
    /// Shader tables that the GPU moved: one per table and dispatch that was recorded, or per table and indirect dispatch that was
    /// executed.
    pub moved_tables: u64,
    /// Identifiers of shaders that are other ones here, each answer counted.
    pub other_identifiers: u64,
    /// Instances of acceleration structures whose addresses the GPU translated, each build counted that was recorded.
    pub moved_instances: u64,
    /// Indirect commands whose arguments the GPU translated, each call counted that was recorded.
    pub moved_commands: u64,
    /// Acceleration structures that lie in memory of replay's own.
    pub moved_structures: MovedStructures,
    /// Descriptor tables that the program set to handles in no heap, and that were set so here.
    pub tables_nowhere: u64,
    /// What calls name that is not there; at most [`Report::MAX_DIFFERENCES`]. `stale_count` has them all.
    pub stale: Vec<Stale>,
    /// How many times there was such a thing.
    pub stale_count: u64,
    /// Pipeline states that the runtime here refused: what draws or dispatches with them was left out.
    pub refused_states: u64,
    /// Draws and dispatches that were left out for want of their pipeline state.
    pub left_out_work: LeftOutWork,
    /// Heaps that were laid out anew.
    pub replanned: Replanned,
    /// Where heaps and buffers lie; `None` where the trace keeps no addresses, or they are not asked for.
    pub addresses: Option<Addresses>,
    /// What was guessed; `None` where nothing was to be.
    pub guesses: Option<Guesses>,
    /// Calls that read addresses in memory, of which the GPU made a translated copy, because something lies elsewhere.
    pub translated: u64,
    /// Where the time went.
    pub timings: Timings,
    /// The frames are submissions, because nothing in the trace ended one.
    pub by_submissions: bool,
    /// How long each round of repeated frames took, the GPU's work included.
    pub rounds: Vec<Duration>,
    /// Frames that had another picture in a later round than in the first.
    pub unlike_rounds: BTreeSet<u64>,
    /// The measured times, where they were asked for and the trace has such frames.
    pub measured: Option<Measured>,
    /// What became of the shaders that were to replace the program's.
    pub replaced: Option<Replaced>,
    /// What became of each dump that was asked for, several where a draw was, and of RenderDoc's capture.
    pub dumped: Vec<Dumped>,
    /// What was counted, where [`Options::overdraw`](crate::Options::overdraw) asks for it, or why not.
    pub overdraw: Option<Result<OverdrawReport, String>>,
    /// What became of the fragments of draws at a pixel, where that was asked for.
    pub pixel: Option<PixelTests>,
    /// How long the GPU worked, where [`Options::timing`](crate::Options::timing) asks for it.
    pub timing: Option<TimingReport>,
    /// What became of an experiment, where [`Options::experiment`](crate::Options::experiment) asks for one.
    pub experiment: Option<ExperimentReport>,
    /// The vertices of each of [`Options::meshes`](crate::Options::meshes), or why there are none.
    pub meshes: Vec<Result<Mesh, String>>,
    /// The layers of each of [`Options::overlays`](crate::Options::overlays), or why there are none.
    pub overlays: Vec<Result<Overlay, String>>,
    /// What points showed, by their number, or why they show nothing.
    pub(crate) looks: HashMap<usize, Result<Look, String>>,
}

impl Frame {
    /// Its line in a frame hash file, if it has a hash.
    pub fn line(&self) -> Option<FrameLine> {
        Some(FrameLine { frame: self.number, hash: self.hash? })
    }
}

impl Report {
    /// So many differences are kept in words.
    pub const MAX_DIFFERENCES: usize = 1000;

    /// Adds a difference, to an equal one where there is one.
    pub(crate) fn add(&mut self, difference: Difference) {
        self.difference_count += 1;
        let key = (difference.place.method.clone(), difference.what.clone());
        if let Some(&at) = self.known.get(&key) {
            self.differences[at].count += 1;
        } else if self.differences.len() < Report::MAX_DIFFERENCES {
            self.known.insert(key, self.differences.len());
            self.differences.push(difference);
        }
    }

    /// Adds an argument that asks for less, to an equal one where there is one.
    pub(crate) fn concede(&mut self, place: &Place, change: Change) {
        let same = |other: &&mut Concession| other.place.method == place.method && other.change == change;
        if let Some(equal) = self.concessions.iter_mut().find(same) {
            equal.count += 1;
        } else if self.concessions.len() < Report::MAX_DIFFERENCES {
            self.concessions.push(Concession { place: place.clone(), change, count: 1 });
        }
    }

    /// Adds an answer, to an equal one where there is one.
    pub(crate) fn answer(&mut self, place: &Place, change: Change) {
        let same = |other: &&mut Answer| other.place.method == place.method && other.change == change;
        if let Some(equal) = self.answers.iter_mut().find(same) {
            equal.count += 1;
        } else if self.answers.len() < Report::MAX_DIFFERENCES {
            self.answers.push(Answer { place: place.clone(), change, count: 1 });
        }
    }

    /// Adds what a call names and is not there, to an equal one where there is one.
    pub(crate) fn note_stale(&mut self, new: Stale) {
        self.stale_count += 1;
        let same = |other: &&mut Stale| {
            (&other.place.method, other.missing, other.stead) == (&new.place.method, new.missing, new.stead)
        };
        if let Some(equal) = self.stale.iter_mut().find(same) {
            equal.count += 1;
        } else if self.stale.len() < Report::MAX_DIFFERENCES {
            self.stale.push(new);
        }
    }

    /// The frames that have a hash, as lines of a frame hash file.
    pub fn hash_lines(&self) -> Vec<FrameLine> {
        self.frames.iter().filter_map(Frame::line).collect()
    }

    /// The same for a comparison with `expected`: the capture may have hashed a frame whose present never returned.
    pub fn hash_lines_for(&self, expected: &[FrameLine]) -> Vec<FrameLine> {
        let unfinished = self.unfinished.as_ref().and_then(Frame::line);
        let wanted = unfinished.filter(|line| expected.iter().any(|other| other.frame == line.frame));
        self.hash_lines().into_iter().chain(wanted).collect()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)?;
        if !self.asked.is_empty() {
            write!(f, " ({})", self.asked)?;
        }
        f.write_str(&more_calls(self.count))
    }
}

impl fmt::Display for Concession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { field, recorded, here } = &self.change;
        write!(f, "{}: {field} {here} instead of {recorded}{}", self.place, more_calls(self.count))
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{}", self.place, self.change, more_calls(self.count))
    }
}

/// How many calls there are beside the first one, as the end of a sentence.
fn more_calls(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        2 => "; so is 1 more of these calls".to_owned(),
        more => format!("; so are {} more of these calls", more - 1),
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lost, gained] = [(&self.recorded, &self.here), (&self.here, &self.recorded)].map(|(one, other)| {
            let other: Vec<&str> = other.split('|').collect();
            one.split('|').filter(|name| !other.contains(name)).collect::<Vec<_>>().join("|")
        });
        // Of many flags only those that differ say something.
        let shared = self.recorded.contains('|') && lost.len() < self.recorded.len();
        match (shared, lost.as_str(), gained.as_str()) {
            (true, lost, "") => write!(f, "{} lacks {lost} here", self.field),
            (true, "", gained) => write!(f, "{} has {gained} here, too", self.field),
            (true, lost, gained) => write!(f, "{} lacks {lost} here, and has {gained}", self.field),
            _ => write!(f, "{} was {}, here {}", self.field, self.recorded, self.here),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_flags_those_that_differ_are_told() {
        let text = |recorded: &str, here: &str| {
            let [recorded, here] = [recorded, here].map(str::to_owned);
            Change { field: "F".into(), recorded, here }.to_string()
        };
        assert_eq!(text("A|B|C", "B"), "F lacks A|C here");
        assert_eq!(text("A|B", "A|B|C"), "F has C here, too");
        assert_eq!(text("A|B", "B|D"), "F lacks A here, and has D");
        assert_eq!(text("A|B", "NONE"), "F was A|B, here NONE");
        assert_eq!(text("1", "2"), "F was 1, here 2");
    }
}
