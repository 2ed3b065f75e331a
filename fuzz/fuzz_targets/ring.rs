//! Arbitrary bytes as the records of two threads: the merge gives everything that is sound, and the file that comes of it
//! can be read.
#![no_main]

use reprise_trace::trace_writer::{Progress, TraceWriter};
use reprise_trace::layout::FileHeader;
use reprise_trace::merge::{Item, Merge, Resolved};
use reprise_trace::read::Trace;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (a, b) = bytes.split_at(bytes.len() / 2);
    let mut streams = [a.to_vec(), b.to_vec()];
    let mut merge = Merge::default();
    let Ok(mut file) = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()) else { return };
    for (i, stream) in streams.iter().enumerate() {
        merge.add_stream(0);
        file.add_thread(i as u32, 1, "");
        merge.advance(i, stream.len() as u64);
        merge.advance(i, stream.len() as u64);
    }
    loop {
        if let Some(thread) = merge.running().filter(|&thread| file.takes_plainly(thread)) {
            merge.take_light(&mut streams[..], |header, record| file.light(thread, header, record));
        }
        match merge.next(&mut streams[..]) {
            Some(Item::Prefix { stream, record }) => file.prefix(stream, &record),
            Some(Item::Record { stream, record, late, .. }) => file.record(stream, &record, late),
            Some(Item::Gap(gap)) => file.gap(gap.stream, &gap),
            None => match merge.resolve(&mut streams[..]) {
                Resolved::Nothing => break,
                Resolved::Ready => {}
                Resolved::Gap(gap) => file.gap(gap.stream, &gap),
            },
        }
    }
    assert!(merge.is_drained());
    let calls = merge.calls();
    let Ok((bytes, _)) = file.finish(Vec::new(), |_| Progress::default(), &|_| Vec::new()) else { return };
    let trace = Trace::from_bytes(bytes).expect("what was written can be read");
    let mut events = trace.events();
    let mut last = 0;
    while let Some(event) = events.next().expect("what was written can be read") {
        last = last.max(event.number);
    }
    assert_eq!(last, calls);
});
