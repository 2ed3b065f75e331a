//! A reader that shows part of a long trace reads that part; before it, it reads only chunks that say what numbers stand for.
#![allow(clippy::unwrap_used)]

use reprise_trace::fact;
use reprise_trace::layout::FileHeader;
use reprise_trace::read::{Events, Trace};
use reprise_trace::record::{Header, Kind, LEAVES, ORDERED, Record, SEQUENCE};
use reprise_trace::trace_writer::{Progress, TraceWriter};

/// Gives out an object.
const CREATE: u16 = 5;
/// Returns, and gives out nothing.
const SIGNAL: u16 = 6;
/// Does not return.
const DRAW: u16 = 9;

/// One chunk for each of these.
const CHUNKS: [&str; 7] = ["create", "draw", "signal", "heap", "name", "frame", "draw"];

fn record(kind: Kind, method: u16, flags: u8, words: &[u64]) -> Vec<u8> {
    let size = (16 + 8 * words.len()) as u32;
    let mut bytes = Header { size, method, kind: kind as u8, flags, object: 1, ordinal: 0 }.to_bytes().to_vec();
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes
}

fn trace(knows: bool) -> Trace {
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    if knows {
        file.set_giving(&|method| method == CREATE);
    }
    let thread = file.add_thread(0, 1, "");
    let mut sequence = 0;
    let mut number = || {
        sequence += 1;
        sequence
    };
    for chunk in CHUNKS {
        let mut call = |method| {
            let enter = record(Kind::Enter, method, SEQUENCE | LEAVES, &[number(), 1]);
            vec![enter, record(Kind::Leave, method, SEQUENCE, &[number(), 0])]
        };
        let records = match chunk {
            "create" => call(CREATE),
            "signal" => call(SIGNAL),
            "heap" => vec![record(Kind::Fact, 0, 0, &[fact::DESCRIPTOR_HEAP.into(), 0x1000, 0x2000, 1 << 32 | 32])],
            "name" => vec![record(Kind::Fact, 0, 0, &[fact::THREAD_NAME.into(), 0x61])],
            "frame" => vec![record(Kind::Frame, 0, SEQUENCE, &[number(), 1])],
            _ => vec![record(Kind::Enter, DRAW, ORDERED, &[3])],
        };
        records.iter().for_each(|record| file.record(thread, &Record::parse(record).unwrap(), false));
        file.flush(false, |_| Progress::default()).unwrap();
    }
    Trace::from_bytes(file.finish(vec![], |_| Progress::default(), &|_| Vec::new()).unwrap().0).unwrap()
}

fn brief(mut events: Events<'_>) -> Vec<(Kind, u16, u64)> {
    let mut found = Vec::new();
    while let Some(event) = events.next().unwrap() {
        found.push((event.kind, event.method, event.number));
    }
    found
}

#[test]
fn chunks_without_names_are_left_out_before_what_is_shown() {
    let trace = trace(true);
    let create = [(Kind::Enter, CREATE, 1), (Kind::Leave, CREATE, 1)];
    let heap = [(Kind::Fact, 0, 3)];
    let last = [(Kind::Frame, 0, 3), (Kind::Enter, DRAW, 4)];
    // The second frame begins somewhere in the chunk with the end of the first.
    assert_eq!(brief(trace.events_known_from(1, 0)), [&create[..], &heap, &last].concat());
    assert_eq!(brief(trace.events_known_from(0, 4)), [&create[..], &heap, &last[1..]].concat());
    let all = brief(trace.events());
    assert_eq!(all.len(), 9);
    for (frame, call) in [(0, 0), (0, 1)] {
        assert_eq!(brief(trace.events_known_from(frame, call)), all);
    }
    assert_eq!(brief(trace.events_known_from(0, 3)), [&create[..], &all[3..]].concat());
}

#[test]
fn without_knowledge_of_the_api_all_that_returns_may_give() {
    let kinds: Vec<_> = brief(trace(false).events_known_from(1, 0)).iter().map(|event| event.1).collect();
    assert_eq!(kinds, [CREATE, CREATE, SIGNAL, SIGNAL, 0, 0, DRAW]);
}
