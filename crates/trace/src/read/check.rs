//! The check of a whole trace: every byte of the file, and whether its parts say the same.
//!
//! The calling thread walks through the events; other threads check the remaining chunks meanwhile, which in large traces are
//! nearly all bytes. What is checked:
//!
//! - every byte belongs to the header, a chunk or the trailer, and every checksum is right;
//! - chunks in the index are those in the file;
//! - chunks of events decode, and each begins where the one before it ends;
//! - blobs have the hashes and lengths in their tables, and every blob that an event names is there;
//! - meta is JSON, and the address table has the length that its header says;
//! - the footer says what the chunks add up to.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::file::blobs;
use crate::file::chunk::ChunkKind;
use crate::file::layout::{self, Entry, Footer, KINDS, RANGE};
use crate::read::damage::{Damage, Place};
use crate::read::error::ReadError;
use crate::read::event::Event;
use crate::read::index::{self, Stretch, Tables};
use crate::read::trace::{Trace, parse_meta};
use crate::record::Kind;

/// How far a check is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checked {
    /// Bytes of the file that are checked.
    pub bytes: u64,
    /// Bytes of the file.
    pub of: u64,
}

/// Most threads that check beside the calling one.
const MOST_THREADS: usize = 8;

impl Trace {
    /// Reads and checks the whole file, and gives every event in order to `each`. Afterwards [`Trace::damage`] lists all
    /// damage. `progress` is called now and then, on the calling thread.
    ///
    /// # Errors
    /// As [`Events::next`](crate::read::Events::next). Damage is no error.
    pub fn check(&self, mut each: impl FnMut(&Event<'_>), mut progress: impl FnMut(Checked)) -> Result<(), ReadError> {
        let rest: Vec<Entry> = self.stretches.iter().filter_map(unwalked).collect();
        let work = Work { trace: self, entries: &rest, next: AtomicUsize::new(0), bytes: AtomicU64::new(0) };
        let here = std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = (here - 1).min(MOST_THREADS).min(rest.len());
        let of = self.source.len();
        let counted = std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| while work.one() {});
            }
            let counted = self.walk(&mut each, |walked| {
                progress(Checked { bytes: walked + work.bytes.load(Ordering::Relaxed), of });
            });
            let walked = counted.as_ref().map_or(0, |counted| counted.bytes);
            while work.one() {
                progress(Checked { bytes: walked + work.bytes.load(Ordering::Relaxed), of });
            }
            counted
        })?;
        if let Some(tables) = &self.tables {
            self.check_places(tables);
            // What was lost is missing in the sums, too.
            if self.damage.is_empty() {
                self.check_totals(tables, &counted);
            }
        }
        Ok(())
    }

    /// Walks through the events and adds up what they come to.
    fn walk(&self, each: &mut impl FnMut(&Event<'_>), mut progress: impl FnMut(u64)) -> Result<Counted, ReadError> {
        let mut counted = Counted::default();
        let mut events = self.events_as_recorded();
        let mut read = 0;
        while let Some(event) = events.next()? {
            counted.event(self, &event);
            each(&event);
            let (ticks, now) = (events.ticks(), events.stretches_read());
            counted.ticks(ticks);
            if now != read {
                let new = self.events.get(read..now).unwrap_or(&[]);
                counted.bytes += new.iter().map(Stretch::bytes).sum::<u64>();
                read = now;
                progress(counted.bytes);
            }
        }
        // Sequence numbers begin at 1, also where no chunk says so.
        (counted.calls, counted.sequence, counted.frames) =
            if self.events.is_empty() { (0, 1, 0) } else { events.reached() };
        Ok(counted)
    }

    /// Checks that chunks, tables and trailer follow each other without space between.
    fn check_places(&self, tables: &Tables) {
        let mut end = layout::HEADER as u64;
        let chunks = tables.entries.iter().chain(&tables.pages).chain([&tables.place]);
        for chunk in chunks {
            self.check_space(end, chunk.offset);
            end = end.max(chunk.offset + chunk.header.total());
        }
        self.check_space(end, self.source.base_len().saturating_sub(layout::TRAILER as u64));
    }

    fn check_space(&self, end: u64, next: u64) {
        if end != next {
            let place = Place::Bytes { offset: end.min(next), len: end.abs_diff(next) };
            let what = "the index has no chunk there, or two that overlap";
            self.damage.note(Damage { place, what: what.into() });
        }
    }

    /// Checks the footer.
    fn check_totals(&self, tables: &Tables, counted: &Counted) {
        let Footer { ticks, places, kinds, open, .. } = &tables.footer;
        let t = &tables.footer;
        let wrong = |field: &str, stated: u64, found: u64| {
            let kind = ChunkKind::Footer;
            let what = format!("it says {field} {stated}, the chunks come to {found}");
            self.damage.note(Damage { place: Place::Chunk { offset: tables.place.offset, kind }, what });
        };
        let blobs =
            self.blobs.iter().map(|entry| entry.header.first + u64::from(entry.header.count)).max().unwrap_or(0);
        let sums = [
            ("frames", t.frames.into(), counted.frames.into()),
            ("calls", t.calls, counted.calls),
            ("next sequence number", t.sequence, counted.sequence),
            ("blobs", t.blobs, blobs),
            ("gaps", t.gaps, counted.gaps),
            ("first ticks", ticks.0, counted.first_ticks),
            ("last ticks", ticks.1, counted.last_ticks),
        ];
        for (field, stated, found) in sums.into_iter().filter(|(_, stated, found)| stated != found) {
            wrong(field, stated, found);
        }
        // Where the disk or the size that was asked for ended the trace, earlier writers counted what the rings had.
        let cut = self.meta.get("cut").is_some() || self.meta.pointer("/stopped/because") == Some(&"size".into());
        for kind in [Kind::Enter, Kind::Leave, Kind::Memory, Kind::Observe, Kind::Frame, Kind::Fact] {
            let (stated, found) = (kinds[kind as usize].0, counted.kinds[kind as usize]);
            if stated != found && !cut {
                wrong(&format!("records of kind {kind:?}"), stated, found);
            }
        }
        let threads = (counted.recorded.len() as u64, counted.threads.len() as u64);
        if !(threads.0..=threads.1).contains(&t.threads.into()) {
            wrong("threads", t.threads.into(), threads.0);
        }
        if let Some(call) = open.iter().find(|call| !(1..=t.calls).contains(*call)) {
            wrong("a call that never ended,", *call, t.calls);
        }
        for (place, kind) in places.iter().zip([ChunkKind::Schema, ChunkKind::Meta, ChunkKind::Ranges]) {
            let last = tables.entries.iter().rev().find(|entry| entry.header.kind == kind);
            let found = last.map_or(0, |entry| entry.offset);
            if *place != found {
                wrong(&format!("place of the {} chunk", kind.name()), *place, found);
            }
        }
    }
}

/// A chunk that the walk through the events does not read.
fn unwalked(stretch: &Stretch) -> Option<Entry> {
    match stretch {
        Stretch::Chunk(entry) if entry.header.kind != ChunkKind::Events => Some(*entry),
        _ => None,
    }
}

/// What the events of a trace come to.
#[derive(Default)]
struct Counted {
    /// Bytes of the chunks walked through.
    bytes: u64,
    calls: u64,
    sequence: u64,
    frames: u32,
    gaps: u64,
    first_ticks: u64,
    last_ticks: u64,
    kinds: [u64; KINDS],
    threads: HashSet<u32>,
    /// Threads of which something is there beside gaps, which the writer may have put in.
    recorded: HashSet<u32>,
    last_thread: Option<(u32, bool)>,
}

impl Counted {
    fn event(&mut self, trace: &Trace, event: &Event<'_>) {
        let is_gap = event.kind == Kind::Gap;
        self.kinds[event.kind as usize % KINDS] += 1;
        self.gaps += u64::from(is_gap);
        if self.last_thread != Some((event.thread, is_gap)) {
            self.last_thread = Some((event.thread, is_gap));
            self.threads.insert(event.thread);
            if !is_gap {
                self.recorded.insert(event.thread);
            }
        }
        for (_, id) in event.blobs {
            if trace.chunk_of_blob(*id).is_none() {
                let what = format!("no chunk has it; it belongs to call {}", event.number);
                trace.damage.note(Damage { place: Place::Blob { id: *id }, what });
            }
        }
    }

    /// Takes the last time stamp of the event's thread into account; 0 for none.
    fn ticks(&mut self, ticks: u64) {
        if ticks != 0 {
            self.first_ticks = if self.first_ticks == 0 { ticks } else { self.first_ticks.min(ticks) };
            self.last_ticks = self.last_ticks.max(ticks);
        }
    }
}

/// The chunks that several threads check, each taking the next one.
struct Work<'t> {
    trace: &'t Trace,
    entries: &'t [Entry],
    next: AtomicUsize,
    /// Bytes of the chunks that are checked.
    bytes: AtomicU64,
}

impl Work<'_> {
    /// Checks the next chunk. False when there is none.
    fn one(&self) -> bool {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(entry) = self.entries.get(at) else { return false };
        self.trace.sound(self.check(entry));
        self.bytes.fetch_add(entry.header.total(), Ordering::Relaxed);
        true
    }

    fn check(&self, entry: &Entry) -> Result<(), Damage> {
        let payload = index::payload(&self.trace.source, entry)?;
        let count = entry.header.count;
        let wrong =
            |what: String| Damage { place: Place::Chunk { offset: entry.offset, kind: entry.header.kind }, what };
        match entry.header.kind {
            ChunkKind::Blobs => blobs::check(&payload, count).map_err(wrong),
            ChunkKind::Meta => parse_meta(entry, &payload).map(|_| ()),
            ChunkKind::Ranges if payload.len() as u64 != u64::from(count) * RANGE as u64 => {
                Err(wrong(format!("it has {} bytes for {count} ranges", payload.len())))
            }
            ChunkKind::Footer if self.trace.tables.is_none() && Footer::from_bytes(&payload).is_none() => {
                Err(wrong("its fields do not fit its length".into()))
            }
            _ => Ok(()),
        }
    }
}
