//! Records from the rings come out of the trace in order, whole, and with their numbers.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use reprise_trace::fact;
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, ORDERED, SEQUENCE};
use reprise_trace::session::folder_beside;

/// Everything that an event says, owned.
#[derive(Debug, PartialEq, Clone)]
struct Seen {
    kind: Kind,
    number: u64,
    thread: u32,
    frame: u32,
    method: u16,
    object: u32,
    sequence: u64,
    payload: Vec<u8>,
}

fn all(trace: &Trace) -> Vec<Seen> {
    let mut events = trace.events();
    let mut seen = Vec::new();
    while let Some(e) = events.next().unwrap() {
        seen.push(Seen {
            kind: e.kind,
            number: e.number,
            thread: e.thread,
            frame: e.frame,
            method: e.method,
            object: e.object,
            sequence: e.sequence,
            payload: e.payload.to_vec(),
        });
    }
    seen
}

#[test]
fn one_thread_of_everything() {
    let folder = Folder::new();
    let output = folder.join("a.reprise");
    let session = session(&output);
    let writer = std::thread::spawn({
        let output = output.clone();
        move || write(&output)
    });
    let mut p = session.create_ring("main").unwrap();
    assert!(enter(&mut p, 1, 10, b"argument"));
    assert!(light(&mut p, 2, 11, 0, &[5, 6]));
    assert!(leave(&mut p, 1, 10, b"result!!"));
    let long = noise(1, 300_000);
    assert!(enter(&mut p, 3, 10, &long));
    let text = b"{\"adapter\":\"lavapipe\"}";
    let word = u64::from(fact::META).to_le_bytes();
    assert!(p.record(Kind::Fact, 0, 0, 0, 0, &[&word, text]));
    let mut range = u64::from(fact::ADDRESS_RANGE).to_le_bytes().to_vec();
    range.extend(0x7000_0000u64.to_le_bytes());
    range.extend(65536u64.to_le_bytes());
    assert!(p.record(Kind::Fact, 0, 0, 12, 0, &[&range]));
    assert!(frame(&mut p));
    let blob = noise(2, 200_001);
    assert!(p.blob(0, &blob) && p.blob(1, b"small") && p.blob(2, &blob));
    assert!(enter(&mut p, 4, 10, &[0; 24]));
    let memory = noise(3, 3 * 4096 + 100);
    assert!(p.memory(13, 2, 4000, &memory));
    assert!(p.memory(13, 2, 4000, &memory));
    assert!(p.memory(13, 0, 1, &[9]));
    session.close();
    let summary = writer.join().unwrap();
    assert_eq!((summary.calls, summary.frames, summary.gaps), (4, 1, 0));
    assert_eq!(summary.open, [3, 4], "neither call 3 nor call 4 was left");
    assert!(!folder_beside(&output).exists());

    let trace = Trace::open(&output).unwrap();
    sound(&trace);
    let s = trace.statistics();
    assert!(s.complete);
    assert_eq!((s.calls, s.frames, s.threads, s.gaps), (4, 1, 1, 0));
    assert_eq!(s.bytes, std::fs::metadata(&output).unwrap().len());
    assert_eq!(trace.api(), (7, 0x1234));
    assert_eq!(trace.schema(), b"[1, 2, 3, 4]");
    assert_eq!(trace.meta()["program"], "test");
    assert_eq!(trace.meta()["adapter"], "lavapipe");
    assert_eq!(trace.meta()["threads"][0]["name"], "main");
    assert_eq!(trace.address_ranges().unwrap(), [(12, 0x7000_0000, 65536)]);
    let seen = all(&trace);
    let brief: Vec<_> = seen.iter().map(|s| (s.kind, s.number, s.frame, s.method, s.object, s.sequence)).collect();
    use Kind::*;
    assert_eq!(
        brief,
        [
            (Enter, 1, 0, 1, 10, 1),
            (Enter, 2, 0, 2, 11, 0),
            (Leave, 1, 0, 1, 10, 2),
            (Enter, 3, 0, 3, 10, 3),
            (Fact, 3, 0, 0, 0, 0),
            (Fact, 3, 0, 0, 12, 0),
            (Frame, 3, 0, 0, 0, 4),
            (Enter, 4, 1, 4, 10, 5),
            (Memory, 4, 1, 0, 13, 6),
            (Memory, 4, 1, 0, 13, 7),
            (Memory, 4, 1, 0, 13, 8),
        ]
    );
    assert_eq!(seen[0].payload, b"argument");
    assert_eq!(seen[1].payload, [5u64.to_le_bytes(), 6u64.to_le_bytes()].concat());
    assert!(seen[3].payload == long);
    let mut events = trace.from_call(4);
    let event = events.next().unwrap().unwrap();
    assert!(event.open);
    assert_eq!(event.blobs.len(), 3);
    assert!(trace.blob(&event, 0).unwrap()[..] == blob[..]);
    assert_eq!(&trace.blob(&event, 1).unwrap()[..], b"small");
    assert_eq!(event.blobs[0].1, event.blobs[2].1, "equal contents are stored once");
    assert!(trace.blob(&event, 3).is_err());
    for _ in 0..2 {
        let event = events.next().unwrap().unwrap();
        assert_eq!(event.ordinal, 2);
        let (offset, bytes) = event.memory().unwrap();
        assert!(offset == 4000 && bytes == memory);
    }
    assert_eq!(events.next().unwrap().unwrap().memory().unwrap(), (1, &[9][..]));
    // Three whole pages, one blob, one small blob.
    assert_eq!(s.blobs, 5);
}

#[test]
fn a_thread_that_dies_in_a_light_call_is_told_from_one_that_dies_after_it() {
    for inside in [false, true] {
        let folder = Folder::new();
        let output = folder.join("a.reprise");
        let session = session(&output);
        let mut p = session.create_ring("").unwrap();
        light(&mut p, 2, 11, 0, &[]);
        light(&mut p, 2, 11, 1, &[]);
        if inside {
            p.enter_call();
        }
        session.close();
        assert_eq!(write(&output).open, if inside { vec![2] } else { vec![] });
        let trace = Trace::open(&output).unwrap();
        sound(&trace);
        let mut events = trace.events();
        assert!(!events.next().unwrap().unwrap().open);
        assert_eq!(events.next().unwrap().unwrap().open, inside);
        assert!(events.next().unwrap().is_none());
    }
}

#[test]
fn frames_and_calls_are_found_without_reading_from_the_start() {
    let folder = Folder::new();
    let output = folder.join("a.reprise");
    let session = session(&output);
    let writer = std::thread::spawn({
        let output = output.clone();
        move || write(&output)
    });
    let mut p = session.create_ring("main").unwrap();
    let (frames, calls) = (40u32, 500u32);
    for f in 0..frames {
        for c in 0..calls {
            // Incompressible, so that chunks are many.
            let words: Vec<u64> =
                noise(u64::from(f * calls + c), 64).as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
            assert!(light(&mut p, (c % 7) as u16, 11, f * calls + c, &words));
        }
        assert!(frame(&mut p));
    }
    drop(p);
    session.close();
    let summary = writer.join().unwrap();
    assert_eq!((summary.calls, summary.frames), (u64::from(frames * calls), frames));
    let trace = Trace::open(&output).unwrap();
    sound(&trace);
    let everything = all(&trace);
    assert_eq!(everything.len() as u32, frames * (calls + 1));
    for range in [0..1, 3..5, 39..40, 17..17, 38..99, 50..60] {
        let mut found = trace.frames(range.clone());
        let mut count = 0;
        while let Some(event) = found.next().unwrap() {
            assert!(range.contains(&event.frame));
            count += 1;
        }
        let expected = everything.iter().filter(|s| range.contains(&s.frame)).count();
        assert_eq!(count, expected, "{range:?}");
    }
    for call in [1, 2, 499, 500, 501, 12_345, 20_000] {
        let mut found = trace.from_call(call);
        let event = found.next().unwrap().unwrap();
        assert_eq!((event.kind, event.number), (Kind::Enter, call));
        let expected = everything.iter().find(|s| s.kind == Kind::Enter && s.number == call).unwrap();
        assert_eq!(event.payload, expected.payload);
    }
    assert!(trace.from_call(20_001).next().unwrap().is_none());
}

#[test]
fn many_threads_with_a_live_writer_lose_nothing() {
    let folder = Folder::new();
    let output = folder.join("a.reprise");
    let session = session(&output);
    let writer = std::thread::spawn({
        let output = output.clone();
        move || write(&output)
    });
    let per_thread = 20_000u32;
    std::thread::scope(|scope| {
        for t in 0..4u32 {
            let session = &session;
            scope.spawn(move || {
                let mut p = session.create_ring(&format!("t{t}")).unwrap();
                let mut ordinal = 0;
                for i in 0..per_thread {
                    assert!(light(&mut p, 1, 100 + t, ordinal, &[u64::from(i)]));
                    ordinal += 1;
                    if i % 16 == 0 {
                        assert!(p.record(Kind::Enter, 2, SEQUENCE | ORDERED, 100 + t, ordinal, &[]));
                        ordinal += 1;
                    }
                }
            });
        }
    });
    session.close();
    assert_eq!(writer.join().unwrap().gaps, 0);
    let trace = Trace::open(&output).unwrap();
    sound(&trace);
    let mut next = [0u64; 4];
    let mut events = trace.events();
    let mut sequence = 0;
    while let Some(e) = events.next().unwrap() {
        if e.kind == Kind::Enter && e.method == 1 {
            let t = (e.object - 100) as usize;
            assert_eq!(e.payload, next[t].to_le_bytes());
            next[t] += 1;
        }
        if e.sequence != 0 {
            assert_eq!(e.sequence, sequence + 1);
            sequence = e.sequence;
        }
    }
    assert_eq!(next, [u64::from(per_thread); 4]);
}
