//! A trace is the same, whether its writer compresses or threads beside it do.
#![allow(clippy::unwrap_used)]

mod common;

use std::io;

use common::*;
use reprise_trace::chunk::Compression;
use reprise_trace::clock::Instant3;
use reprise_trace::fact;
use reprise_trace::layout::{FileHeader, Footer};
use reprise_trace::read::Trace;
use reprise_trace::record::{Header, Kind, ORDERED, Record, SEQUENCE};
use reprise_trace::trace_writer::{Output, Progress, TraceWriter};

const END: Instant3 = Instant3 { ticks: 1, realtime_ns: 2, monotonic_ns: 3 };
/// Records, of some 1000 bytes each.
const RECORDS: u64 = 12_000;

/// A disk with so much room. Once it was full, somebody makes room.
struct Disk {
    bytes: Vec<u8>,
    room: usize,
}

impl Output for Disk {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reserve(bytes.len() as u64)?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        if self.bytes.len() as u64 + bytes <= self.room as u64 {
            return Ok(());
        }
        self.room = usize::MAX;
        Err(io::ErrorKind::StorageFull.into())
    }
}

/// A writer, and what was seen of it.
struct Recording<O: Output> {
    file: TraceWriter<O>,
    /// A flush left something under way.
    left_some: bool,
}

fn progress(thread: usize) -> Progress {
    Progress { stored_to: 8 * thread as u64, open: Vec::new() }
}

fn schema(methods: &[u16]) -> Vec<u8> {
    format!("{methods:?}").into_bytes()
}

impl<O: Output> Recording<O> {
    fn begin(out: O, compressors: usize, compression: Compression) -> Recording<O> {
        let mut file = TraceWriter::create(out, &FileHeader::default(), Default::default()).unwrap();
        file.set_end(END);
        file.set_compression(compression);
        file.set_compressors(compressors);
        for thread in 0..3 {
            assert_eq!(file.add_thread(thread, thread.into(), "a thread"), thread as usize);
        }
        Recording { file, left_some: false }
    }

    fn put(&mut self, thread: usize, kind: Kind, flags: u8, method: u16, sequence: u64, payload: &[u8]) {
        let header = Header { kind: kind as u8, flags, method, object: 9, ..Header::default() };
        self.file.record(thread, &Record { header, kind, sequence, ticks: 0, after: 0, payload }, false);
    }

    /// Calls with much and with little to find in them, blobs and memory, frames, and methods that come one after the other.
    fn go(&mut self, numbers: std::ops::Range<u64>) {
        for i in numbers {
            let thread = (i / 50 % 3) as usize;
            if i % 7 == 0 {
                self.file.blob(thread, 4, &noise(i / 2, 3000));
            }
            let kind = if i % 100 == 99 { Kind::Frame } else { Kind::Enter };
            self.put(thread, kind, SEQUENCE, (i / 200).min(12) as u16, i + 1, &noise(i, 400));
            self.put(thread, Kind::Enter, ORDERED, 70, 0, &[i.to_le_bytes(); 64].concat());
            if i % 31 == 0 {
                let words = [0u64.to_le_bytes(), 8192u64.to_le_bytes()].concat();
                self.put(thread, Kind::Memory, 0, 0, 0, &[words, noise(i, 4096), vec![7; 4096]].concat());
                let range = [fact::ADDRESS_RANGE, 0, i as u32, 0, 64, 0].map(u32::to_le_bytes).concat();
                self.put(thread, Kind::Fact, 0, 0, 0, &range);
            }
            if self.file.is_full(kind == Kind::Frame) {
                self.file.flush(false, progress).unwrap();
                self.left_some |= self.file.stored() < self.file.flushes();
                self.file.describe(&schema).unwrap();
            }
        }
    }

    fn finish(self) -> (O, Footer) {
        self.file.finish(vec![5], progress, &schema).unwrap()
    }
}

fn events(bytes: &[u8]) -> Vec<(Kind, u32, u64, Vec<u8>)> {
    let trace = Trace::from_bytes(bytes.to_vec()).unwrap();
    let (mut events, mut all) = (trace.events(), Vec::new());
    while let Some(event) = events.next().unwrap() {
        all.push((event.kind, event.thread, event.number, event.payload.to_vec()));
    }
    sound(&trace);
    all
}

#[test]
fn the_bytes_of_a_trace_are_the_same() {
    for compression in [Compression::Usual, Compression::Lz4, Compression::None, Compression::Level(9)] {
        let files = [0, 1, 3].map(|compressors| {
            let mut recording = Recording::begin(Vec::new(), compressors, compression);
            recording.go(0..RECORDS / 2);
            // Into another file, as a flight recorder goes on.
            assert!(recording.file.may_turn());
            let turned = recording.file.turn(Vec::new(), &FileHeader::default(), progress, &schema).unwrap();
            let (first, _) = turned.unwrap();
            recording.file.set_end(END);
            assert_eq!(recording.file.stored(), recording.file.flushes());
            recording.go(RECORDS / 2..RECORDS);
            // At this level a chunk takes longer than a thread is ever kept from its processor.
            let must = compressors > 0 && compression == Compression::Level(9);
            assert!(recording.left_some || !must, "{compressors} threads");
            assert!(!recording.left_some || compressors > 0, "{compression}");
            let (second, totals) = recording.finish();
            assert_eq!((totals.calls, totals.frames), (2 * RECORDS - RECORDS / 100, (RECORDS / 100) as u32));
            (first, second)
        });
        events(&files[0].0);
        events(&files[0].1);
        assert!(files[0].1.len() > 3 << 20, "{}", files[0].1.len());
        // Not `assert_eq`, which would print them.
        assert!(files[0] == files[1] && files[0] == files[2], "{compression}");
    }
}

#[test]
fn what_is_in_the_file_is_a_trace_at_any_time() {
    let mut whole = Recording::begin(Vec::new(), 0, Compression::Usual);
    whole.go(0..RECORDS);
    let whole = events(&whole.finish().0);
    for records in [RECORDS / 3, RECORDS / 2, RECORDS] {
        let mut recording = Recording::begin(Vec::new(), 2, Compression::Level(9));
        recording.go(0..records);
        let chunks = recording.file.stored();
        let killed = events(&recording.file.into_output().unwrap());
        assert!(whole.starts_with(&killed));
        assert_eq!(killed.is_empty(), chunks == 0);
    }
}

#[test]
fn a_full_disk_ends_the_trace_at_the_same_place() {
    for room in (8..14).map(|halves| halves << 19) {
        let traces = [0, 1, 3].map(|compressors| {
            let disk = Disk { bytes: Vec::new(), room };
            let mut recording = Recording::begin(disk, compressors, Compression::Level(5));
            recording.go(0..RECORDS);
            // Nothing waits for what is dropped.
            recording.file.flush(true, progress).unwrap();
            while recording.file.stored() < recording.file.flushes() {
                recording.file.collect().unwrap();
            }
            assert!(recording.file.cut().unwrap().contains("sequence number"));
            let (disk, totals) = recording.finish();
            let trace = Trace::from_bytes(disk.bytes.clone()).unwrap();
            let said = (trace.meta()["cut"].clone(), trace.address_ranges().unwrap(), trace.schema().to_vec());
            assert_eq!(trace.statistics().calls, totals.calls);
            let counts = (totals.calls, totals.frames, totals.gaps, totals.sequence, totals.blobs, totals.kinds);
            (counts, said, events(&disk.bytes))
        });
        assert_eq!(traces[0].2.last().unwrap().0, Kind::Gap);
        assert!(traces[0].0.0 > 100 && traces[0].0.0 < RECORDS, "{}", traces[0].0.0);
        assert_eq!(traces[0].0, traces[1].0);
        assert_eq!(traces[0].0, traces[2].0);
        assert!(traces[0] == traces[1] && traces[0] == traces[2]);
    }
}
