//! Every prefix of a small trace, and every flipped byte: the reader gives an error or a partial reading that names the missing
//! part; it never panics, loops without end, or allocates more than the bytes can stand for.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, LazyLock};

use common::*;
use proptest::prelude::*;
use reprise_trace::chunk::{ChunkHeader, ChunkKind, Encoder, Packing};
use reprise_trace::layout::FileHeader;
use reprise_trace::merge::{Item, Merge};
use reprise_trace::os::Mapping;
use reprise_trace::read::{Event, Events, Trace};
use reprise_trace::record::{Header, Kind, ORDERED, Record};
use reprise_trace::ring::{CONTROL, Consumer, Producer};
use reprise_trace::session::SessionPage;
use reprise_trace::trace_writer::{Progress, TraceWriter};

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

/// The same sort of trace with a chunk for every few records, so that calls are open where chunks begin.
fn small_in_chunks() -> Vec<u8> {
    let page = Arc::new(SessionPage::anonymous());
    let ring = |i| Producer::create(Mapping::anonymous(CONTROL + (64 << 10)), i, 1, "", Arc::clone(&page)).unwrap();
    let [mut p, mut q] = [ring(0), ring(1)];
    let rings = [&p, &q].map(|producer| Consumer::new(Arc::clone(producer.ring())));
    for f in 0..3u32 {
        assert!(enter(&mut p, 1, 10, &noise(5, 40)) && p.blob(f, &noise(1 + u64::from(f % 2), 300)));
        assert!(enter(&mut p, 3, 10, &[1; 8]) && light(&mut q, 2, 11, f, &[3]));
        assert!(p.memory(12, 0, u64::from(f) * 100, &vec![f as u8; 5000]));
        assert!(leave(&mut p, 3, 10, b"12345678") && frame(&mut q) && leave(&mut p, 1, 10, b"1"));
    }
    let mut streams = rings.each_ref().map(|ring| {
        let mut bytes = Vec::new();
        assert!(ring.copy(0, ring.head(), &mut bytes));
        bytes
    });
    let mut merge = Merge::default();
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    for (i, stream) in streams.iter().enumerate() {
        file.add_thread(i as u32, 1, "");
        merge.add_stream(0);
        (0..2).for_each(|_| merge.advance(i, stream.len() as u64));
    }
    let mut count = 0;
    while let Some(item) = merge.next(&mut streams[..]) {
        match item {
            Item::Prefix { stream, record } => file.prefix(stream, &record),
            Item::Record { stream, record, late, .. } => file.record(stream, &record, late),
            Item::Gap(gap) => panic!("{gap:?}"),
        }
        count += 1;
        if count % 4 == 0 {
            file.flush(false, |t| Progress { stored_to: merge.position(t), open: merge.open_calls(t, 0) }).unwrap();
        }
    }
    file.finish(vec![], |_| Progress::default(), &|_| b"schema".to_vec()).unwrap().0
}

/// All events of a reader that wants memory in pieces, in brief, with the pieces put together as in an event of memory.
fn in_pieces(events: Events<'_>) -> Vec<String> {
    let (mut events, mut found) = (events.in_pieces(), Vec::new());
    while let Some(event) = events.next().unwrap() {
        let (mut kind, mut payload) = (event.kind, event.payload.to_vec());
        if kind == Kind::Pages {
            let (offset, len) = event.memory_range().unwrap();
            let mut end = offset;
            (kind, payload) = (Kind::Memory, payload[..16].to_vec());
            for (at, bytes) in event.pieces() {
                assert!(at == end && !bytes.is_empty());
                payload.extend(bytes);
                end += bytes.len() as u64;
            }
            assert_eq!(end - offset, len);
            payload.resize(payload.len().next_multiple_of(8), 0);
        }
        found.push(format!("{kind:?} {} {} {} {payload:?}", event.number, event.frame, event.sequence));
    }
    found
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
    assert_eq!(trace.events_and_blobs_ahead(in_pieces), found, "in pieces, read ahead");
    let _ = (trace.schema().len(), trace.meta(), trace.address_ranges().map(|r| r.len()));
    let mut one = trace.frames(1..2);
    while one.next().unwrap().is_some() {}
    let mut one = trace.from_call(5);
    while one.next().unwrap().is_some() {}
    Some(found)
}

#[test]
fn every_prefix_is_read_as_far_as_it_goes() {
    every_prefix(&small());
    every_prefix(&small_in_chunks());
}

fn every_prefix(bytes: &[u8]) {
    assert!(bytes.len() < 8192, "{}", bytes.len());
    let whole = read_all(bytes.to_vec()).unwrap();
    assert!(whole.len() >= 20);
    assert!(!whole.iter().any(|e| e.starts_with("Gap")));
    let mut longest = 0;
    for len in 0..bytes.len() {
        let Some(found) = read_all(bytes[..len].to_vec()) else {
            assert!(len < 64, "a trace of {len} bytes is not opened");
            continue;
        };
        let events: Vec<_> = found.iter().filter(|e| !e.starts_with("Gap")).collect();
        let other = events.iter().zip(&whole).find(|(a, b)| *a != b);
        assert!(other.is_none(), "{len} bytes: {other:#?}");
        assert!(events.len() >= longest, "more bytes, fewer events");
        longest = events.len();
    }
    assert_eq!(longest, whole.len(), "without the tables all events are still there");
}

#[test]
fn every_flipped_byte_gives_an_error_or_what_is_sound() {
    every_flip(&small(), &[0x01, 0x80, 0xff]);
    every_flip(&small_in_chunks(), &[0x41]);
}

fn every_flip(bytes: &[u8], flips: &[u8]) {
    let whole = read_all(bytes.to_vec()).unwrap();
    let (mut refused, mut complete) = (0, 0);
    for at in 0..bytes.len() {
        for &flip in flips {
            let mut bad = bytes.to_vec();
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
    assert!(refused == 64 * flips.len() && complete > 1000, "{refused} {complete}");
}

/// What a check of everything finds, in words.
fn found(trace: &Trace) -> Vec<String> {
    let mut last = 0;
    trace
        .check(
            |_| {},
            |checked| {
                assert!(checked.bytes <= checked.of && checked.bytes >= last, "{checked:?}");
                last = checked.bytes;
            },
        )
        .unwrap();
    trace.damage().0.iter().map(ToString::to_string).collect()
}

#[test]
fn sound_traces_are_sound() {
    let empty = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    let empty = empty.finish(vec![], |_| Progress::default(), &|_| Vec::new()).unwrap().0;
    let bytes = [empty, small(), small_in_chunks(), repaired()];
    for (at, bytes) in bytes.into_iter().enumerate() {
        let trace = Trace::from_bytes(bytes).unwrap();
        assert!(trace.statistics().complete && trace.damage().0.is_empty(), "{at}");
        assert_eq!(found(&trace), [""; 0], "{at}");
    }
}

/// A repaired trace has the schema of the methods that occur, although its writer never came to write one.
#[test]
fn a_repaired_trace_has_the_schema_of_its_methods() {
    let trace = Trace::from_bytes(repaired()).unwrap();
    assert_eq!(trace.schema(), b"[1, 2, 3]");
}

/// A trace whose writer dies is described as far as the writer had come; the next schema takes its place.
#[test]
fn an_unfinished_trace_has_the_schema_of_what_is_stored() {
    let words = |methods: &[u16]| format!("{methods:?}").into_bytes();
    let call = |method| {
        let header = Header { size: 16, method, kind: Kind::Enter as u8, flags: ORDERED, object: 1, ordinal: 0 };
        header.to_bytes().to_vec()
    };
    let written = |calls: &[u16]| {
        let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
        let thread = file.add_thread(0, 1, "");
        for method in calls {
            file.record(thread, &Record::parse(&call(*method)).unwrap(), false);
            file.flush(false, |_| Progress::default()).unwrap();
            file.describe(&words).unwrap();
        }
        file
    };
    for (calls, expected) in [(&[7][..], &b"[7]"[..]), (&[7, 7], b"[7]"), (&[7, 9], b"[7, 9]")] {
        let unfinished = Trace::from_bytes(written(calls).into_output().unwrap()).unwrap();
        assert!(!unfinished.statistics().complete);
        assert_eq!(unfinished.schema(), expected, "{calls:?}");
        let (finished, _) = written(calls).finish(vec![], |_| Progress::default(), &words).unwrap();
        let schemas = chunks(&finished).iter().filter(|(header, _)| header.kind == ChunkKind::Schema).count();
        assert_eq!(schemas, if calls == [7, 9] { 2 } else { 1 }, "{calls:?}");
        let finished = Trace::from_bytes(finished).unwrap();
        finished.check(|_| {}, |_| {}).unwrap();
        assert!(finished.damage().0.is_empty(), "{calls:?}");
        assert_eq!(finished.schema(), expected, "{calls:?}");
    }
}

/// The same sort of trace after its writer died and it was repaired: nothing is lost.
fn repaired() -> Vec<u8> {
    let bytes = small_in_chunks();
    // Up to where the schema begins.
    let chunks = chunks(&bytes);
    let end = chunks.iter().take_while(|(header, _)| header.kind != ChunkKind::Schema);
    let end = 64 + end.map(|(header, _)| header.total() as usize).sum::<usize>();
    let folder = Folder::new();
    let (damaged, output) = (folder.join("a.reprise"), folder.join("b.reprise"));
    std::fs::write(&damaged, &bytes[..end]).unwrap();
    reprise_trace::repair(&damaged, None, &output, &|_, methods| format!("{methods:?}").into_bytes()).unwrap();
    std::fs::read(&output).unwrap()
}

#[test]
fn every_flipped_bit_is_named_with_its_place() {
    // In the smallest one every bit, in the others one bit of each byte.
    for (bytes, every) in [(small_in_chunks(), true), (small(), false), (repaired(), false)] {
        // Where each part of the file begins: its header, the chunks, the trailer.
        let mut begins = vec![0, 64];
        for (header, _) in chunks(&bytes) {
            begins.push(begins[begins.len() - 1] + header.total());
        }
        assert_eq!(begins[begins.len() - 1] + 32, bytes.len() as u64);
        for bit in (0..8 * bytes.len()).filter(|bit| every || bit % 8 == bit / 8 * 5 % 8) {
            let at = bit / 8;
            let mut bad = bytes.clone();
            bad[at] ^= 1 << (bit % 8);
            let trace = match Trace::from_bytes(bad) {
                Ok(trace) => trace,
                Err(error) => {
                    assert!(at < 64, "bit {bit}: {error}");
                    continue;
                }
            };
            let found = found(&trace);
            let part = begins.iter().rev().find(|begin| **begin <= at as u64).unwrap();
            assert!(found.iter().any(|text| text.starts_with(&format!("offset {part},"))), "bit {bit}: {found:?}");
            assert!(at >= 64, "bit {bit}: the header is damaged and was read");
        }
    }
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
    for i in 0..90_000u32 {
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
    assert!((60_000..90_000).contains(&calls), "{calls}");
    assert_eq!((gaps, last), (1, 90_000), "numbers go on behind the damage");
    let repaired = folder.join("b.reprise");
    let summary = reprise_trace::repair(&output, None, &repaired, &|_, _| Vec::new()).unwrap();
    assert_eq!(summary.gaps, 1);
    let again = Trace::open(&repaired).unwrap();
    assert!(again.statistics().complete);
    assert_eq!(count(&again), (calls, gaps, last));
    assert_eq!(again.schema(), trace.schema());
}

/// The chunks of a trace, decompressed.
fn chunks(bytes: &[u8]) -> Vec<(ChunkHeader, Vec<u8>)> {
    let (mut at, mut found) = (64, Vec::new());
    while let Ok(header) = ChunkHeader::from_bytes(bytes[at..at + 64].first_chunk().unwrap()) {
        let end = at + header.total() as usize;
        found.push((header, header.decode(bytes[at + 64..end].to_vec()).unwrap()));
        at = end;
        if header.kind == ChunkKind::Footer {
            break;
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Checksums guard against accidents, not against somebody: contents that lie, with sums that are right.
    #[test]
    fn contents_that_lie_are_found_out(
        in_chunks in any::<bool>(),
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        header_change in prop::option::of((0..6usize, any::<u32>())),
    ) {
        static SMALL: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [small(), small_in_chunks()]);
        let small = &SMALL[usize::from(in_chunks)];
        let mut chunks = chunks(small);
        let at = which.index(chunks.len());
        let (header, payload) = &mut chunks[at];
        for (place, value) in &changes {
            if !payload.is_empty() {
                let place = place.index(payload.len());
                payload[place] = *value;
            }
        }
        let mut bytes = small[..64].to_vec();
        let mut encoder = Encoder::new().unwrap();
        if let Some((field, value)) = header_change {
            match field {
                0 => header.first = value.into(),
                1 => header.sequence = value.into(),
                2 => header.frame = value,
                3 => header.count = value,
                4 => header.records = value.min(payload.len() as u32),
                _ => header.first = u64::MAX >> 3,
            }
        }
        for (header, payload) in &mut chunks {
            bytes.extend(encoder.encode(header, payload).unwrap());
        }
        bytes.extend(&small[small.len() - 32..]);
        let _ = read_all_lenient(bytes);
    }
}

/// As `read_all`, for contents of which nothing is known.
fn read_all_lenient(bytes: Vec<u8>) -> usize {
    let len = bytes.len();
    let Ok(trace) = Trace::from_bytes(bytes) else { return 0 };
    let mut count = 0;
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        let _ = (event.memory(), event.fact(), event.gap_text(), event.time_ns);
        event.blobs.iter().for_each(|(number, _)| drop(trace.blob(&event, *number)));
        count += 1;
        assert!(count <= 4 * len, "more events than there can be");
    }
    let _ = trace.address_ranges();
    let mut some = trace.frames(1..2);
    while some.next().unwrap().is_some() {}
    let mut some = trace.from_call(5);
    while some.next().unwrap().is_some() {}
    count
}

/// Not a test: writes what the fuzzer starts from.
#[test]
#[ignore = "writes fuzz/corpus"]
fn no_test_seeds() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/");
    for target in ["trace", "ring"] {
        std::fs::create_dir_all(format!("{corpus}{target}")).unwrap();
    }
    let bytes = small();
    std::fs::write(format!("{corpus}trace/small"), &bytes).unwrap();
    std::fs::write(format!("{corpus}trace/unfinished"), &bytes[..bytes.len() / 2]).unwrap();
    std::fs::write(format!("{corpus}trace/raw"), uncompressed(&bytes, &[])).unwrap();
    let folder = Folder::new();
    let session = session(&folder.join("ring"));
    let mut p = session.create_ring("").unwrap();
    for i in 0..3 {
        assert!(light(&mut p, 1, 2, i, &[1, 2]) && enter(&mut p, 2, 1, &[1; 20]) && p.blob(i, &[3; 40]));
        assert!(p.memory(4, 0, 4000, &[1; 5000]) && leave(&mut p, 2, 1, &[]) && frame(&mut p));
    }
    let (ring, mut data) = (Consumer::new(Arc::clone(p.ring())), Vec::new());
    assert!(ring.copy(0, ring.head(), &mut data));
    std::fs::write(format!("{corpus}ring/records"), [&data[..], &data].concat()).unwrap();
    let Some(traces) = std::env::var_os("REPRISE_FUZZ_TRACES") else { return };
    for entry in std::fs::read_dir(traces).unwrap() {
        seeds_of_trace(corpus, &entry.unwrap().path());
    }
}

/// Seeds out of a real trace: the whole for `replay`, its schema, its blobs, and a call of each method. A seed of `translate`
/// is the length of the schema, the schema, an enter payload, and as many bytes of a leave payload.
fn seeds_of_trace(corpus: &str, path: &std::path::Path) {
    let put = |target: &str, name: String, bytes: &[u8]| {
        std::fs::create_dir_all(format!("{corpus}{target}")).unwrap();
        std::fs::write(format!("{corpus}{target}/{name}"), bytes).unwrap();
    };
    let name = path.file_stem().unwrap().to_string_lossy();
    let bytes = std::fs::read(path).unwrap();
    put("replay", name.to_string(), &uncompressed(&bytes, &[ChunkKind::Schema]));
    let trace = Trace::from_bytes(bytes).unwrap();
    put("schema", name.to_string(), trace.schema());
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        for (number, _) in event.blobs {
            let blob = trace.blob(&event, *number).unwrap();
            if !blob.starts_with(b"DXBC") {
                continue;
            }
            put("container", format!("{name}-{}-{number}", event.number), &blob);
            // The part of a serialised root signature: its tag, its size, its contents.
            let part = blob.windows(4).rposition(|tag| tag == b"RTS0").and_then(|at| blob.get(at + 8..));
            if let Some(part) = part {
                put("root_signature", format!("{name}-{}-{number}", event.number), part);
            }
        }
        if event.kind == Kind::Enter {
            let head = event.method.to_le_bytes();
            let call = [&head[..], &[0xff], event.payload].concat();
            put("rebuild", format!("{}", event.method), &call);
            put("call", format!("{}", event.method), &[&head[..], &[0xff; 2], event.payload].concat());
            if let Ok(length) = u16::try_from(trace.schema().len()) {
                let mut payloads = event.payload.to_vec();
                payloads.resize(event.payload.len().next_multiple_of(8) * 2, 0);
                let seed = [&length.to_le_bytes()[..], trace.schema(), &payloads].concat();
                put("translate", format!("{}", event.method), &seed);
            }
        }
    }
}

/// A trace with all payloads raw, which a fuzzer can alter without breaking a compressed stream, and without what a reader
/// can find again.
fn uncompressed(bytes: &[u8], left_out: &[ChunkKind]) -> Vec<u8> {
    let mut raw = bytes[..64].to_vec();
    for (mut header, payload) in chunks(bytes) {
        if matches!(header.kind, ChunkKind::Index | ChunkKind::Footer) || left_out.contains(&header.kind) {
            continue;
        }
        (header.packing, header.stored, header.raw) = (Packing::None, payload.len() as u32, payload.len() as u32);
        raw.extend(header.to_bytes());
        raw.extend(payload);
    }
    raw
}

#[test]
fn chunks_that_begin_within_calls_are_read_like_any_other() {
    let trace = Trace::from_bytes(small_in_chunks()).unwrap();
    let mut events = trace.events();
    let mut open: Vec<Vec<(u64, u16)>> = vec![Vec::new(); 2];
    let (mut leaves, mut numbers) = (0, 0);
    while let Some(e) = events.next().unwrap() {
        match e.kind {
            Kind::Enter => {
                numbers += 1;
                assert_eq!(e.number, numbers);
                if e.method != 2 {
                    open[e.thread as usize].push((e.number, e.method));
                }
            }
            Kind::Leave => {
                leaves += 1;
                assert_eq!(open[e.thread as usize].pop(), Some((e.number, e.method)));
            }
            _ => {}
        }
    }
    assert_eq!((numbers, leaves), (9, 6));
    // From any call on, the same events with the same numbers follow.
    let brief = |mut events: reprise_trace::read::Events<'_>| {
        let mut found = Vec::new();
        while let Some(e) = events.next().unwrap() {
            found.push(format!("{:?} {} {} {} {:?}", e.kind, e.number, e.frame, e.sequence, e.payload));
        }
        found
    };
    let all = brief(trace.events());
    assert_eq!(trace.events_ahead(brief), all);
    assert_eq!(trace.events_and_blobs_ahead(brief), all);
    assert_eq!(trace.events_and_blobs_ahead(in_pieces), all);
    // What the program stored is left out, and nothing else.
    let (mut events, mut rest, mut left_out) = (trace.events().without_pages(), all.iter(), 0);
    while let Some(event) = events.next().unwrap() {
        let other = rest.next().unwrap();
        if event.kind == Kind::Pages {
            assert!(other.starts_with("Memory") && event.pieces().next().is_none());
            left_out += 1;
        } else {
            assert!(other.starts_with(&format!("{:?} {} ", event.kind, event.number)));
        }
    }
    assert!(rest.next().is_none() && left_out > 0, "{left_out}");
    assert!(trace.events_and_blobs_ahead(|mut events| events.next().unwrap().is_some()));
    // Whoever stops early does not wait for the rest.
    assert!(trace.events_ahead(|mut events| events.next().unwrap().is_some()));
    for call in 1..=9 {
        let some = brief(trace.from_call(call));
        assert!(some[0].starts_with(&format!("Enter {call} ")));
        assert_eq!(some[..], all[all.len() - some.len()..], "from call {call}");
    }
}

/// A thread whose ring could not be made is named once, whether the writer did so before it died or not.
#[test]
fn a_thread_without_a_ring_is_named_in_what_is_left() {
    let folder = Folder::new();
    let (output, left) = (folder.join("a.reprise"), folder.join("left"));
    let session = session(&output);
    let mut p = session.create_ring("main").unwrap();
    assert!(enter(&mut p, 1, 10, b"argument") && leave(&mut p, 1, 10, b"result!!"));
    // The next ring's name is taken.
    let rings = reprise_trace::session::folder_beside(&output);
    std::fs::write(rings.join("ring-1"), "").unwrap();
    assert!(session.create_ring("other").is_err());
    std::fs::create_dir(&left).unwrap();
    for name in ["session", "ring-0"] {
        std::fs::copy(rings.join(name), left.join(name)).unwrap();
    }
    drop(p);
    session.close();
    write(&output);
    let whole = std::fs::read(&output).unwrap();
    assert!(whole.len() > 500);
    for len in (64..whole.len()).step_by(5) {
        std::fs::write(&output, &whole[..len]).unwrap();
        let trace = Trace::open_with_rings(&output, &left).unwrap();
        assert_eq!(trace.meta()["rings_not_read"], serde_json::Value::Null, "{len} bytes");
        let mut named = 0;
        let mut events = trace.events();
        while let Some(event) = events.next().unwrap() {
            named += u32::from(event.kind == Kind::Gap && event.gap_text().starts_with("thread 1 is not recorded"));
        }
        assert_eq!(named, 1, "{len} bytes of {}", whole.len());
    }
}
