//! A part of a trace is shown with the names of what comes before it, without that being read.

use crate::bench::Bench;
use crate::programs;
use reprise_codec::{Codec, Wide, schema};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, Order};
use reprise_trace::chunk::{ChunkHeader, ChunkKind, HEADER, Names};
use reprise_trace::layout::FileHeader;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::{Header, Kind, LEAVES, Record, SEQUENCE};
use reprise_trace::trace_writer::{Progress, TraceWriter};

/// Records in a chunk.
const CHUNK: usize = 8;

fn record(event: &Event<'_>, kind: Kind, flags: u8, ordinal: u32, words: &[u64], bytes: &[u8]) -> Vec<u8> {
    let mut rest: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    rest.extend(bytes);
    rest.resize(rest.len().next_multiple_of(8), 0);
    let size = (16 + rest.len()) as u32;
    let (method, object) = (event.method, event.object);
    [&Header { size, method, kind: kind as u8, flags, object, ordinal }.to_bytes()[..], &rest].concat()
}

/// Writes a trace again, with a chunk for every few records.
fn in_chunks(trace: &Trace) -> Vec<u8> {
    let codec = Codec::new(MODEL, Wide::Bits32);
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    file.set_giving(&|method| codec.traits(MethodId(method)).output_objects);
    let thread = file.add_thread(0, 1, "");
    let (mut events, mut number, mut open) = (trace.events(), 0, Vec::new());
    while let Some(event) = events.next().unwrap() {
        for (blob, id) in event.blobs {
            let bytes = trace.blob_by_id(*id).unwrap();
            let piece = record(&event, Kind::Blob, 0, *blob, &[bytes.len() as u64, 0], &bytes);
            file.prefix(thread, &Record::parse(&piece).unwrap());
        }
        let returns = event.kind == Kind::Enter && MODEL.methods[usize::from(event.method)].order == Order::EnterLeave;
        let flags = if returns { SEQUENCE | LEAVES } else { SEQUENCE };
        if returns {
            open.push(event.number);
        } else if event.kind == Kind::Leave {
            open.pop();
        }
        number += 1;
        let whole = record(&event, event.kind, flags, event.ordinal, &[number], event.payload);
        file.record(thread, &Record::parse(&whole).unwrap(), false);
        if (number as usize).is_multiple_of(CHUNK) {
            file.flush(false, |_| Progress { stored_to: 0, open: open.clone() }).unwrap();
        }
    }
    file.finish(vec![], |_| Progress::default(), &|methods| schema::of(&MODEL, methods)).unwrap().0
}

/// Chunks of events that name nothing.
fn nameless(bytes: &[u8]) -> usize {
    let (mut at, mut count) = (64, 0);
    while let Some(header) = bytes.get(at..at + HEADER).and_then(|b| ChunkHeader::from_bytes(b.first_chunk()?).ok()) {
        count += usize::from(header.kind == ChunkKind::Events && header.names == Names::None);
        at += header.total() as usize;
    }
    count
}

#[test]
fn a_part_reads_as_in_the_whole() {
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    let bytes = in_chunks(&Trace::open(&bench.path("trace.reprise")).unwrap());
    assert!(nameless(&bytes) > 2, "nothing to leave out");
    std::fs::write(bench.path("chunks.reprise"), bytes).unwrap();
    let whole = bench.output(&["dump", "--json", "chunks.reprise"]);
    let of = |line: &str| -> (u64, u64) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let call = line["call"].as_u64().or(line["after_call"].as_u64()).unwrap();
        (call, line["frame"].as_u64().unwrap())
    };
    let lines: Vec<(&str, (u64, u64))> = whole.lines().map(|line| (line, of(line))).collect();
    let calls = lines.iter().map(|(_, (call, _))| *call).max().unwrap();
    for first in (1..=calls).step_by(calls as usize / 5) {
        let part = bench.output(&["dump", "--json", "--calls", &format!("{first}-{}", first + 9), "chunks.reprise"]);
        let here = lines.iter().filter(|(_, (call, _))| (first..first + 10).contains(call));
        let expected: Vec<&str> = here.map(|(line, _)| *line).collect();
        assert_eq!(part.lines().collect::<Vec<_>>(), expected, "from call {first}");
    }
    // What follows the end of the last frame has the next number, and only a range without an end has it.
    let last = lines.iter().map(|(_, (_, frame))| *frame).max().unwrap() - 1;
    for (frames, behind) in [(last.to_string(), 0), (format!("{last}-"), 1)] {
        let part = bench.output(&["dump", "--json", "--frames", &frames, "chunks.reprise"]);
        let here = lines.iter().filter(|(_, (_, frame))| (last..=last + behind).contains(frame));
        let expected: Vec<&str> = here.map(|(line, _)| *line).collect();
        assert_eq!(part.lines().collect::<Vec<_>>(), expected, "frames {frames}");
    }
}
