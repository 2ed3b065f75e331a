//! Every prefix of a small trace, and every byte of it flipped: an error or a partial reading that says what is missing;
//! never a panic, an endless loop, or more memory than the bytes can stand for.
#![allow(clippy::unwrap_used)]

mod common;

use common::*;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind;

/// A trace of several chunks, a few KiB long.
fn small() -> Vec<u8> {
    let folder = Folder::new();
    let output = folder.join("a.reprise");
    let session = session(&output);
    let mut p = session.create_ring("main").unwrap();
    let mut q = session.create_ring("other").unwrap();
    for f in 0..3u32 {
        assert!(p.blob(f, &noise(1 + u64::from(f % 2), 300)));
        assert!(enter(&mut p, 1, 10, &noise(5, 40)));
        assert!(p.memory(12, 0, u64::from(f) * 100, &vec![f as u8; 9000]));
        assert!(leave(&mut p, 1, 10, b"12345678"));
        for i in 0..4 {
            assert!(light(&mut q, 2, 11, f * 4 + i, &[u64::from(i), 3]));
        }
        assert!(frame(&mut p));
    }
    session.close();
    write(&output);
    std::fs::read(&output).unwrap()
}

/// Touches everything there is; gives the events in brief.
fn read_all(bytes: Vec<u8>) -> Option<Vec<String>> {
    let len = bytes.len();
    // An error must say something.
    let trace = Trace::from_bytes(bytes).inspect_err(|e| assert!(e.to_string().len() > 10)).ok()?;
    let mut found = Vec::new();
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        let brief = |e: &Event<'_>| format!("{:?} {} {} {} {:?}", e.kind, e.number, e.frame, e.sequence, e.payload);
        found.push(brief(&event));
        for (number, _) in event.blobs {
            if let Ok(blob) = trace.blob(&event, *number) {
                assert_eq!(blob.len(), 300);
            }
        }
        assert!(found.len() <= len, "more events than bytes");
    }
    let _ = (trace.schema().len(), trace.meta(), trace.address_ranges().map(|r| r.len()));
    let mut one = trace.frames(1..2);
    while one.next().unwrap().is_some() {}
    let mut one = trace.from_call(5);
    while one.next().unwrap().is_some() {}
    Some(found)
}

#[test]
fn every_prefix_is_read_as_far_as_it_goes() {
    let bytes = small();
    assert!(bytes.len() < 8192, "{}", bytes.len());
    let whole = read_all(bytes.clone()).unwrap();
    assert!(whole.len() >= 3 * 8);
    assert!(!whole.iter().any(|e| e.starts_with("Gap")));
    let mut longest = 0;
    for len in 0..bytes.len() {
        let Some(found) = read_all(bytes[..len].to_vec()) else {
            assert!(len < 64, "a trace of {len} bytes is not opened");
            continue;
        };
        let events: Vec<_> = found.iter().filter(|e| !e.starts_with("Gap")).collect();
        assert!(events.iter().zip(&whole).all(|(a, b)| *a == b), "{len} bytes");
        assert!(events.len() >= longest, "more bytes, fewer events");
        longest = events.len();
    }
    assert_eq!(longest, whole.len(), "without the tables all events are still there");
}

#[test]
fn every_flipped_byte_gives_an_error_or_what_is_sound() {
    let bytes = small();
    let whole = read_all(bytes.clone()).unwrap();
    let (mut refused, mut complete) = (0, 0);
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bad = bytes.clone();
            bad[at] ^= flip;
            let Some(found) = read_all(bad) else {
                assert!(at < 64, "byte {at} flipped: not opened");
                refused += 1;
                continue;
            };
            let events: Vec<_> = found.iter().filter(|e| !e.starts_with("Gap")).collect();
            // What is left is part of what was there, in the same order.
            let mut rest = whole.iter();
            assert!(events.iter().all(|e| rest.any(|w| w == *e)), "byte {at} flipped by {flip:#x}");
            if events.len() == whole.len() {
                complete += 1;
            } else {
                assert!(found.len() > events.len(), "byte {at} flipped: loss without a gap");
            }
        }
    }
    assert!(refused > 100 && complete > 1000, "{refused} {complete}");
}

#[test]
fn a_damaged_chunk_costs_that_chunk_and_repair_names_it() {
    let folder = Folder::new();
    let output = folder.join("a.reprise");
    let session = session(&output);
    let writer = std::thread::spawn({
        let output = output.clone();
        move || write(&output)
    });
    let mut p = session.create_ring("main").unwrap();
    for i in 0..30_000u32 {
        let words: Vec<u64> = noise(i.into(), 32).as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        assert!(light(&mut p, 1, 11, i, &words));
        if i % 1000 == 999 {
            assert!(frame(&mut p));
        }
    }
    session.close();
    writer.join().unwrap();
    let mut bytes = std::fs::read(&output).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&output, &bytes).unwrap();
    let count = |trace: &Trace| {
        let (mut calls, mut gaps, mut last) = (0, 0, 0);
        let mut events = trace.events();
        while let Some(e) = events.next().unwrap() {
            calls += u64::from(e.kind == Kind::Enter);
            gaps += u64::from(e.kind == Kind::Gap);
            last = last.max(e.number);
        }
        (calls, gaps, last)
    };
    let trace = Trace::open(&output).unwrap();
    let (calls, gaps, last) = count(&trace);
    assert!((20_000..30_000).contains(&calls), "{calls}");
    assert_eq!((gaps, last), (1, 30_000), "numbers go on behind the damage");
    let repaired = folder.join("b.reprise");
    let summary = reprise_trace::repair(&output, None, &repaired, &|_| Vec::new()).unwrap();
    assert_eq!(summary.gaps, 1);
    let again = Trace::open(&repaired).unwrap();
    assert!(again.statistics().complete);
    assert_eq!(count(&again), (calls, gaps, last));
    assert_eq!(again.schema(), trace.schema());
}
