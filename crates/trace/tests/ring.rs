//! One thread writes a ring, another reads it and gives it back: what comes out is what went in, whatever the sizes and
//! however often the ring is full. Also run under Miri, which sees what races:
//! `MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p reprise-trace --test ring`.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use reprise_trace::os::Mapping;
use reprise_trace::record::{AFTER, Kind, ORDERED, Record, SEQUENCE, TICKS};
use reprise_trace::ring::{CONTROL, Consumer, Producer, Ring};
use reprise_trace::session::SessionPage;

const COUNT: u64 = if cfg!(miri) { 200 } else { 40_000 };

fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) % below
}

/// Length and first byte of the payload of record `i`.
fn payload(i: u64) -> (usize, u8) {
    let mut state = i;
    (random(&mut state, 200) as usize, i as u8)
}

fn consume(ring: &mut Consumer) {
    // Until it is full: it would be late now and then, but nobody promises that.
    while ring.waits().0 == 0 {
        std::thread::yield_now();
    }
    let (mut position, mut next, mut sequence, mut state) = (0, 0u64, 0, 7);
    let mut bytes = Vec::new();
    while next < COUNT {
        let head = ring.head();
        bytes.clear();
        let start = position;
        assert!(ring.copy(start, head, &mut bytes));
        while position < head {
            let record = Record::parse(&bytes[(position - start) as usize..]).unwrap();
            if record.kind != Kind::Pad {
                let (len, first) = payload(next);
                assert_eq!(record.payload.len(), len.next_multiple_of(8));
                assert!(record.payload[..len].iter().all(|&b| b == first), "record {next}");
                assert!(record.payload[len..].iter().all(|&b| b == 0), "padding of record {next}");
                if record.sequence != 0 {
                    sequence += 1;
                    assert_eq!(record.sequence, sequence);
                }
                assert_eq!(record.header.ordinal, next as u32);
                next += 1;
            }
            position += u64::from(record.header.size);
            // Now at once, now late.
            if random(&mut state, 3) == 0 {
                ring.release(position);
            }
        }
        ring.release(position);
        std::thread::yield_now();
    }
}

#[test]
fn what_goes_in_comes_out() {
    let session = Arc::new(SessionPage::anonymous());
    let mut producer = Producer::create(Mapping::anonymous(CONTROL + 1024), 3, 5, "a name", session).unwrap();
    let mut ring = Consumer::new(Arc::clone(producer.ring()));
    assert_eq!((ring.index(), ring.thread_id(), ring.name()), (3, 5, "a name".to_owned()));
    let writer = std::thread::spawn(move || {
        for i in 0..COUNT {
            let flags = [0, SEQUENCE, SEQUENCE | TICKS, ORDERED | AFTER, AFTER | TICKS][(i % 5) as usize];
            let (len, first) = payload(i);
            let to = producer.begin(Kind::Observe, 0, flags, 1, i as u32, len).unwrap();
            // SAFETY: `begin` gave room for so many bytes.
            unsafe { to.write_bytes(first, len) };
            producer.publish();
        }
    });
    consume(&mut ring);
    writer.join().unwrap();
    assert!(ring.is_closed());
    assert_eq!(ring.head(), ring.tail());
    assert_eq!(ring.lost(), 0);
    assert!(ring.waits().0 > 0, "the ring was never full: the test tests nothing");
}

#[test]
fn what_is_too_large_is_refused_and_long_payloads_go_in_parts() {
    let session = Arc::new(SessionPage::anonymous());
    let mut producer = Producer::create(Mapping::anonymous(CONTROL + 4096), 0, 0, "", session).unwrap();
    let ring = Consumer::new(Arc::clone(producer.ring()));
    assert!(producer.begin(Kind::Enter, 0, 0, 0, 0, 4096).is_none());
    assert!(!producer.has_stopped(), "one record, not the thread");
    let long: Vec<u8> = (0..2500u32).map(|i| i as u8).collect();
    assert!(producer.record(Kind::Enter, 9, SEQUENCE, 1, 0, &[&long[..7], &[], &long[7..2000], &long[2000..]]));
    let (mut position, head, mut joined) = (0, ring.head(), Vec::new());
    let (mut kinds, mut bytes) = (Vec::new(), Vec::new());
    assert!(ring.copy(0, head, &mut bytes));
    while position < head {
        let record = Record::parse(&bytes[position as usize..]).unwrap();
        kinds.push(record.kind);
        joined.extend_from_slice(record.payload);
        position += u64::from(record.header.size);
    }
    assert_eq!(kinds, [Kind::Part, Kind::Part, Kind::Enter]);
    assert!(joined[..2500] == long && joined.len() == 2504);
}

#[test]
fn a_file_that_is_no_ring_is_refused() {
    for len in [0, 100, CONTROL, CONTROL + 1024] {
        assert!(Ring::open(Mapping::anonymous(len).into_mapping()).is_err());
    }
    for capacity in [0, 1000, 1023, 32 << 20] {
        let session = Arc::new(SessionPage::anonymous());
        let made = Producer::create(Mapping::anonymous(CONTROL + capacity), 0, 0, "", session);
        assert!(made.is_err(), "{capacity}");
    }
}

#[test]
fn only_what_is_published_and_not_given_back_is_copied() {
    let session = Arc::new(SessionPage::anonymous());
    let mut producer = Producer::create(Mapping::anonymous(CONTROL + 1024), 0, 0, "", session).unwrap();
    let mut ring = Consumer::new(Arc::clone(producer.ring()));
    let mut bytes = Vec::new();
    for round in 0..10u8 {
        assert!(producer.record(Kind::Observe, 0, 0, 1, 0, &[&[round; 200]]));
        let (tail, head) = (ring.tail(), ring.head());
        for (position, end) in
            [(head, head + 8), (tail, head + 8), (tail.wrapping_sub(8), head), (head, tail), (tail + 1, head)]
        {
            assert!(!ring.copy(position, end, &mut bytes) && bytes.is_empty(), "{position} {end}");
        }
        // Pads, where the record went over the end.
        assert!(ring.copy(tail, head, &mut bytes));
        assert_eq!(bytes.len() as u64, head - tail);
        assert_eq!(bytes[bytes.len() - 200..], [round; 200]);
        bytes.clear();
        for wrong in [tail.wrapping_sub(8), head + 8] {
            ring.release(wrong);
            assert_eq!(ring.tail(), tail);
        }
        ring.release(head);
        assert_eq!((ring.tail(), ring.head()), (head, head));
    }
}
