//! Arbitrary bytes as a trace: no panic, no endless loop, bounded memory.
#![no_main]

use reprise_trace::read::Trace;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(trace) = Trace::from_bytes(bytes.to_vec()) else { return };
    let mut events = trace.events();
    let mut count = 0u64;
    while let Ok(Some(event)) = events.next() {
        let _ = (event.memory(), event.fact(), event.gap_text());
        for (number, _) in event.blobs.iter().take(4) {
            let _ = trace.blob(&event, *number);
        }
        count += 1;
        if count > 100_000 {
            return;
        }
    }
    let _ = trace.address_ranges();
    for mut some in [trace.frames(1..2), trace.from_call(3)] {
        for _ in 0..100 {
            if !matches!(some.next(), Ok(Some(_))) {
                break;
            }
        }
    }
});
