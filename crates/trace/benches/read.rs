//! What reading costs: opening a trace with as many chunks as one of 24 GiB has, and walking through events.
//!
//! Method: 100,000 chunks of events (24 GiB before compression at the usual 256 KiB; small here, since opening reads only the
//! tables) are opened ten times from a file in the page cache; then a trace of 2 million light calls is read through once.
//! `cargo bench -p reprise-trace --bench read`. Prints one line each.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use reprise_trace::layout::FileHeader;
use reprise_trace::read::Trace;
use reprise_trace::record::{Header, Kind, ORDERED, Record, SEQUENCE};
use reprise_trace::trace_writer::{Progress, TraceWriter};

fn call(i: u32) -> Vec<u8> {
    let header = Header { size: 40, method: 3, kind: Kind::Enter as u8, flags: ORDERED, object: 1, ordinal: i };
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend(u64::from(i).to_le_bytes());
    bytes.extend([7; 16]);
    bytes
}

fn frame(i: u32) -> Vec<u8> {
    let header = Header { size: 32, kind: Kind::Frame as u8, flags: SEQUENCE, ..Header::default() };
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend(u64::from(i + 1).to_le_bytes());
    bytes.extend([0; 8]);
    bytes
}

fn trace(frames: u32, calls: u32) -> Vec<u8> {
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    let main = file.add_thread(0, 1, "main");
    for f in 0..frames {
        for c in 0..calls {
            file.record(main, &Record::parse(&call(f * calls + c)).unwrap(), false);
        }
        file.record(main, &Record::parse(&frame(f)).unwrap(), false);
        file.flush(true, |_| Progress::default()).unwrap();
    }
    file.finish(Vec::new(), |_| Progress::default(), &|_| Vec::new()).unwrap().0
}

fn main() {
    let path = std::env::temp_dir().join(format!("reprise-bench-{}.reprise", std::process::id()));
    std::fs::write(&path, trace(100_000, 1)).unwrap();
    let mut times = Vec::new();
    for _ in 0..10 {
        let start = Instant::now();
        let trace = Trace::open(&path).unwrap();
        assert_eq!(trace.frames(77_777..77_778).next().unwrap().unwrap().number, 77_778);
        times.push(start.elapsed());
    }
    times.sort();
    println!("open 100,000 chunks and find a frame: {:.1?} (median of 10)", times[5]);
    let bytes = trace(200, 10_000);
    let trace = Trace::from_bytes(bytes).unwrap();
    let (mut events, mut count, start) = (trace.events(), 0u64, Instant::now());
    while events.next().unwrap().is_some() {
        count += 1;
    }
    println!("read {count} events: {:.1} ns each", start.elapsed().as_nanos() as f64 / count as f64);
    std::fs::remove_file(&path).unwrap();
}
