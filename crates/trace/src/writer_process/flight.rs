//! The flight recorder: the last frames of a recording without end.
//!
//! The writer writes segments, files of some frames each. Segments that are older than what is wanted are reduced, together with what
//! earlier segments left, to the base: what is still needed of them ([`crate::excerpt`]). A thread of its own does that. Written out is an
//! excerpt of base and segments.
//!
//! Invariants: on the disk lie at most the wanted frames (or [`Flight::bytes`] of them), as many bytes again or twice the base that wait to
//! be reduced, the base, and the base being made. A file that bears a trace's name is a whole trace. No file is written over.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Map, json};

use crate::excerpt::{self, From, Orders, Reduce};
use crate::file::chunk::Compression;
use crate::file::layout::{FileHeader, Footer};
use crate::read::Trace;
use crate::shared::session::Session;
use crate::trace_writer::{FileOutput, is_end};
use crate::writer_process::api::{Gives, SchemaOf};
use crate::writer_process::drain::Drain;

/// What a flight recorder keeps, and when it writes.
pub struct Flight {
    /// Frames that are kept whole.
    pub frames: u32,
    /// Bytes that these frames may take on the disk; where they need more, fewer are kept.
    pub bytes: u64,
    /// The folder of the segments. It is made, and goes in the end.
    pub folder: PathBuf,
    /// The last frames are written whenever this file appears.
    pub trigger: Option<PathBuf>,
    /// They are written at the end of the program, however it ended.
    pub at_end: bool,
    /// Says what of earlier frames is needed.
    pub reduce: Arc<dyn Reduce>,
    /// Whether the program ended well. Asked once, when it is gone.
    pub ended_well: Box<dyn Fn() -> bool>,
    /// Told of each trace as soon as it is there, or why it is not.
    pub told: Box<dyn Fn(&Written) + Send + Sync>,
}

/// Why a flight recorder wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The user asked for it.
    Trigger,
    /// A device was removed.
    Removed,
    /// Nothing moved any more.
    Hang,
    /// The program ended badly: it crashed, was killed, or said that it failed.
    Ended,
    /// The program ended, and its end was to be written in any case.
    End,
}

impl Reason {
    /// Its name in the meta.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Trigger => "trigger",
            Reason::Removed => "removed",
            Reason::Hang => "hang",
            Reason::Ended => "ended badly",
            Reason::End => "end",
        }
    }
}

/// A trace that a flight recorder has written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// Why it was written.
    pub reason: Reason,
    /// Its first frame that is whole, counted from 1 as the program made them.
    pub first_frame: u64,
    /// Its totals; or why it could not be written.
    pub outcome: Result<Footer, String>,
    /// Its bytes.
    pub bytes: u64,
}

/// A segment turns when it has so many bytes, or has been written to for [`TURN_AFTER`], if it has a quarter of the frames.
const TURN: u64 = 1 << 20;
const TURN_AFTER: Duration = Duration::from_secs(1);
/// Bytes of old segments that are worth the work to reduce them, where the base has fewer.
const WORTH: u64 = 1 << 20;
/// What a program does when its device is removed is written, too, if it comes within this time.
const AFTERMATH: Duration = Duration::from_secs(1);

/// A file that goes with the last of its owners, unless it is kept.
#[derive(Debug)]
struct Doomed {
    path: PathBuf,
    is_kept: AtomicBool,
}

impl Doomed {
    fn new(path: PathBuf) -> Arc<Doomed> {
        Arc::new(Doomed { path, is_kept: AtomicBool::new(false) })
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        if !*self.is_kept.get_mut() {
            // An untidy folder is no reason to end.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A part of the recording, in a trace of its own.
#[derive(Clone, Debug)]
struct Segment {
    file: Arc<Doomed>,
    bytes: u64,
    frames: u32,
}

/// What a thread that writes files needs.
#[derive(Clone)]
struct Tools {
    reduce: Arc<dyn Reduce>,
    schema: Arc<SchemaOf>,
    gives: Arc<Gives>,
    compression: Compression,
}

impl Tools {
    /// Writes an excerpt of segments.
    fn write(
        &self,
        segments: &[Segment],
        from: From,
        about: Map<String, serde_json::Value>,
        path: &Path,
    ) -> io::Result<(Footer, u64)> {
        let open = |segment: &Segment| Trace::open(&segment.file.path).map_err(io::Error::other);
        let inputs = segments.iter().map(open).collect::<io::Result<Vec<Trace>>>()?;
        let plan = self.reduce.plan(&inputs, from).map_err(io::Error::other)?;
        let orders = Orders { about, compression: self.compression, schema: &*self.schema, gives: &*self.gives };
        let (out, totals) = excerpt::write(&inputs, &plan, FileOutput::create(path)?, orders)?;
        Ok((totals, out.finish()?))
    }
}

/// Old segments being reduced: how many, and what comes of them.
struct Reduction {
    count: usize,
    thread: JoinHandle<io::Result<Segment>>,
}

/// How many of the segments, from the oldest on, are not wanted whole, where so many frames and bytes are wanted. Of a segment the number of
/// frames that end in it is given, and its bytes. It begins anywhere in a frame, so the first of the frames that end in it may have begun
/// before.
fn old(segments: impl DoubleEndedIterator<Item = (u32, u64)> + ExactSizeIterator, wanted: u32, most: u64) -> usize {
    let (mut frames, mut bytes) = (0, 0);
    for (index, segment) in segments.enumerate().rev() {
        if frames > wanted || bytes >= most {
            return index + 1;
        }
        frames += segment.0;
        bytes += segment.1;
    }
    0
}

/// The first frame that is whole, counted from 1, in a trace of segments in which so many of the `ended` frames end. `from` is the first
/// one that is wanted, from 0. With `older` segments before these, the first of their frames may have begun there.
fn first_whole(ended: u32, from: u32, frames: u32, older: bool) -> u64 {
    let there = ended.saturating_sub(frames) + u32::from(older);
    u64::from(from.max(there)) + 1
}

/// The recorder's files.
pub(super) struct Recorder {
    flight: Flight,
    tools: Tools,
    header: FileHeader,
    output: PathBuf,
    base: Option<Segment>,
    segments: VecDeque<Segment>,
    /// Number of the file that is made next.
    next: u64,
    /// Frames that had ended when the present segment began, and when that was.
    begun: (u32, Instant),
    current: PathBuf,
    reduction: Option<Reduction>,
    /// The disk had no room for a base: the segments stay until the trace ends.
    is_full: bool,
    writing: Vec<JoinHandle<Written>>,
    written: Vec<Written>,
    /// Names of traces that are written, or will be.
    promised: Vec<PathBuf>,
    triggers: u32,
    file_was_there: bool,
    /// A removal that is to be written, and when.
    due: Option<(Reason, Instant)>,
}

impl Recorder {
    /// Makes the folder and the first segment's file.
    ///
    /// # Errors
    /// They cannot be made; the folder is there already.
    pub(super) fn begin(
        flight: Flight,
        (schema, gives): (Arc<SchemaOf>, Arc<Gives>),
        compression: Compression,
        header: FileHeader,
        output: PathBuf,
    ) -> io::Result<(Recorder, FileOutput)> {
        std::fs::create_dir(&flight.folder)?;
        let tools = Tools { reduce: Arc::clone(&flight.reduce), schema, gives, compression };
        let mut recorder = Recorder {
            flight,
            tools,
            header,
            output,
            base: None,
            segments: VecDeque::new(),
            next: 0,
            begun: (0, Instant::now()),
            current: PathBuf::new(),
            reduction: None,
            is_full: false,
            writing: Vec::new(),
            written: Vec::new(),
            promised: Vec::new(),
            triggers: 0,
            file_was_there: false,
            due: None,
        };
        let first = recorder.new_segment()?;
        Ok((recorder, first))
    }

    fn new_segment(&mut self) -> io::Result<FileOutput> {
        self.current = self.new_path("segment");
        FileOutput::create(&self.current)
    }

    fn new_path(&mut self, name: &str) -> PathBuf {
        self.next += 1;
        self.flight.folder.join(format!("{name}-{}.reprise", self.next))
    }

    /// Does what is due between two looks at the rings.
    ///
    /// # Errors
    /// A segment cannot be written or reduced.
    pub(super) fn step(&mut self, session: &Session, drain: &mut Drain<FileOutput>) -> io::Result<()> {
        let (frames, bytes) = (drain.file().totals().frames, drain.file().bytes());
        let (since, at) = self.begun;
        let enough = frames - since >= (self.flight.frames / 4).max(1) && (bytes >= TURN || at.elapsed() >= TURN_AFTER);
        if enough || bytes >= (self.flight.bytes / 8).max(TURN) {
            self.turn(drain)?;
        }
        self.reduce(session)?;
        if drain.take_removed() && self.due.is_none() {
            self.due = Some((Reason::Removed, Instant::now() + AFTERMATH));
        }
        let mut reason = self.due.filter(|(_, when)| Instant::now() >= *when).map(|(reason, _)| reason);
        let triggers = session.triggers();
        if triggers != self.triggers {
            self.triggers = triggers;
            reason = Some(Reason::Trigger);
        }
        let is_there = self.flight.trigger.as_ref().is_some_and(|file| file.exists());
        if is_there && !std::mem::replace(&mut self.file_was_there, is_there) {
            reason = Some(Reason::Trigger);
        }
        self.file_was_there = is_there;
        if let Some(reason) = reason {
            self.write_soon(drain, reason)?;
        }
        let (done, writing) = std::mem::take(&mut self.writing).into_iter().partition(JoinHandle::is_finished);
        self.writing = writing;
        self.collect(done);
        Ok(())
    }

    /// Writes the last frames now, while the program goes on.
    ///
    /// # Errors
    /// The present segment cannot be finished.
    pub(super) fn write_soon(&mut self, drain: &mut Drain<FileOutput>, reason: Reason) -> io::Result<()> {
        if !self.turn(drain)? {
            // A blob waits for its record; soon it will be there.
            self.due = Some((reason, Instant::now()));
            return Ok(());
        }
        self.due = None;
        let job = self.job(drain.file().totals().frames, reason);
        self.writing.push(std::thread::spawn(job));
        Ok(())
    }

    /// The program has ended. Writes what is to be written, and gives all that was.
    ///
    /// # Errors
    /// The last segment cannot be finished.
    pub(super) fn finish(mut self, drain: Drain<FileOutput>) -> io::Result<Vec<Written>> {
        let mut drain = drain;
        drain.take_all()?;
        let removed = drain.take_removed() || self.due.is_some_and(|(reason, _)| reason == Reason::Removed);
        let (out, totals) = drain.finish(&*self.tools.schema)?;
        self.note(out, &totals)?;
        if let Some(reduction) = self.reduction.take() {
            self.reduced(reduction)?;
        }
        let reason = match self.due {
            _ if removed => Some(Reason::Removed),
            Some((reason, _)) => Some(reason),
            None if !(self.flight.ended_well)() => Some(Reason::Ended),
            None => self.flight.at_end.then_some(Reason::End),
        };
        if let Some(reason) = reason {
            let job = self.job(totals.frames, reason);
            self.writing.push(std::thread::spawn(job));
        }
        let rest = std::mem::take(&mut self.writing);
        self.collect(rest);
        if self.written.iter().any(|written| written.outcome.is_err()) {
            // What could not be written is in them.
            self.base.iter().chain(&self.segments).for_each(|segment| segment.file.is_kept.store(true, Relaxed));
        }
        (self.base, self.segments) = (None, VecDeque::new());
        let _ = std::fs::remove_dir(&self.flight.folder);
        Ok(self.written)
    }

    fn collect(&mut self, jobs: Vec<JoinHandle<Written>>) {
        // A panic there was printed.
        for written in jobs.into_iter().filter_map(|job| job.join().ok()) {
            (self.flight.told)(&written);
            self.written.push(written);
        }
    }

    /// Ends the present segment, if it can end here.
    fn turn(&mut self, drain: &mut Drain<FileOutput>) -> io::Result<bool> {
        if !drain.file().may_turn() {
            return Ok(false);
        }
        let ended = std::mem::take(&mut self.current);
        let out = self.new_segment()?;
        let next = std::mem::replace(&mut self.current, ended);
        let Some((out, totals)) = drain.turn(out, &self.header, &*self.tools.schema)? else {
            drop(Doomed::new(next));
            return Ok(false);
        };
        self.note(out, &totals)?;
        (self.current, self.begun) = (next, (totals.frames, Instant::now()));
        Ok(true)
    }

    /// Takes a finished segment in.
    fn note(&mut self, out: FileOutput, totals: &Footer) -> io::Result<()> {
        let file = Doomed::new(std::mem::take(&mut self.current));
        let frames = totals.frames - self.begun.0;
        self.segments.push_back(Segment { file, bytes: out.finish()?, frames });
        Ok(())
    }

    /// How many segments, from the oldest on, are not wanted whole.
    fn old(&self) -> usize {
        let segments = self.segments.iter().map(|segment| (segment.frames, segment.bytes));
        old(segments, self.flight.frames, self.flight.bytes)
    }

    /// Reduces old segments, where that is worth the work.
    fn reduce(&mut self, session: &Session) -> io::Result<()> {
        if let Some(reduction) = self.reduction.take_if(|reduction| reduction.thread.is_finished()) {
            self.reduced(reduction)?;
        }
        let count = if self.is_full { 0 } else { self.old() };
        let old: u64 = self.segments.iter().take(count).map(|segment| segment.bytes).sum();
        let base = self.base.as_ref().map_or(0, |base| base.bytes);
        if old < base.max(WORTH) {
            return Ok(());
        }
        if let Some(reduction) = self.reduction.take() {
            // The disk is bounded, whatever the program does: it waits where reducing takes longer than recording.
            if old < 2 * base.max(WORTH) + self.flight.bytes {
                self.reduction = Some(reduction);
                return Ok(());
            }
            while !reduction.thread.is_finished() {
                session.beat();
                std::thread::sleep(Duration::from_millis(1));
            }
            return self.reduced(reduction);
        }
        let inputs: Vec<Segment> = self.base.iter().chain(self.segments.iter().take(count)).cloned().collect();
        let (path, tools) = (self.new_path("base"), self.tools.clone());
        let thread = std::thread::spawn(move || {
            let file = Doomed::new(path);
            let from = From { input: usize::MAX, ..From::default() };
            let (_, bytes) = tools.write(&inputs, from, Map::new(), &file.path)?;
            Ok(Segment { file, bytes, frames: 0 })
        });
        self.reduction = Some(Reduction { count, thread });
        Ok(())
    }

    fn reduced(&mut self, reduction: Reduction) -> io::Result<()> {
        match reduction.thread.join().map_err(|_| io::Error::other("reducing old frames failed"))? {
            Err(error) if is_end(&error) => self.is_full = true,
            base => {
                self.base = Some(base?);
                self.segments.drain(..reduction.count);
            }
        }
        Ok(())
    }

    /// Writes the last frames, of those that have `ended`, into a file of its own.
    fn job(&mut self, ended: u32, reason: Reason) -> impl FnOnce() -> Written + Send + 'static {
        let segments: Vec<Segment> = self.base.iter().chain(&self.segments).cloned().collect();
        // Those that are too much for the bytes that are allowed.
        let (mut bytes, mut input) = (0, segments.len().saturating_sub(1));
        while input > usize::from(self.base.is_some()) && bytes + segments[input - 1].bytes <= self.flight.bytes {
            input -= 1;
            bytes += segments[input].bytes;
        }
        let frame = ended.saturating_sub(self.flight.frames);
        let frames = segments[input..].iter().map(|segment| segment.frames).sum();
        let first_frame = first_whole(ended, frame, frames, input > 0);
        let path = self.free_path();
        let (tools, wanted, folder) = (self.tools.clone(), self.flight.frames, self.flight.folder.clone());
        move || {
            let part = path.with_added_extension("part");
            let about = json!({
                "frames": wanted,
                "first_frame": first_frame,
                "reason": reason.name(),
            });
            let about = Map::from_iter([("flight_recorder".to_owned(), about)]);
            let outcome = tools.write(&segments, From { frame, input, call: 0 }, about, &part);
            let outcome = outcome.and_then(|done| std::fs::rename(&part, &path).map(|()| done));
            if outcome.is_err() {
                let _ = std::fs::remove_file(&part);
            }
            let bytes = outcome.as_ref().map_or(0, |(_, bytes)| *bytes);
            let kept = |error| format!("{error}; what was recorded of them is kept in {}", folder.display());
            let outcome = outcome.map(|(totals, _)| totals).map_err(kept);
            Written { path, reason, first_frame, outcome, bytes }
        }
    }

    /// The name of the next trace: the output's, which replaces a file that is there, and then numbered ones that are free.
    fn free_path(&mut self) -> PathBuf {
        let stem = self.output.file_stem().unwrap_or_default().to_os_string();
        let mut number = 1;
        loop {
            let path = match number {
                1 => self.output.clone(),
                _ => {
                    let mut name = stem.clone();
                    name.push(format!("-{number}.reprise"));
                    self.output.with_file_name(name)
                }
            };
            if (number == 1 || !path.exists()) && !self.promised.contains(&path) {
                self.promised.push(path.clone());
                return path;
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Frames of so many events, and segments that begin anywhere: what is called whole is in the segments that are kept, and as many
        /// frames as are wanted.
        #[test]
        fn frames_that_are_called_whole_are(
            frames in prop::collection::vec(1..5usize, 1..30),
            mut turns in prop::collection::vec(0..100usize, 0..12),
            wanted in 1..6u32,
        ) {
            let ends: Vec<usize> = frames.iter().scan(0, |end, events| { *end += events; Some(*end) }).collect();
            let events = ends.last().copied().unwrap_or(0);
            turns.retain(|turn| *turn <= events);
            turns.extend([0, events]);
            turns.sort_unstable();
            // An event belongs to the segment of the turn before it; the last event of a frame ends it.
            let ended_in = |turns: &[usize]| ends.iter().filter(|end| turns[0] < **end && **end <= turns[1]).count() as u32;
            let segments: Vec<(u32, u64)> = turns.windows(2).map(|turns| (ended_in(turns), 1)).collect();
            let old = old(segments.iter().copied(), wanted, u64::MAX);
            let kept = segments[old..].iter().map(|segment| segment.0).sum();
            let ended = ends.len() as u32;
            let first = first_whole(ended, ended.saturating_sub(wanted), kept, old > 0);
            let begins = match first { 1 => 0, first => ends[first as usize - 2] };
            prop_assert!(begins >= turns[old], "frame {first} begins at {begins}, what is kept at {}", turns[old]);
            prop_assert_eq!(u64::from(ended) + 1 - first, u64::from(wanted.min(ended)));
        }
    }
}
