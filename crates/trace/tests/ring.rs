//! One thread writes a ring, another reads it and gives it back: what comes out is what went in, whatever the sizes and
//! however often the ring is full. Also run under Miri, which sees what races:
//! `MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p reprise-trace --test ring`.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use reprise_trace::os::Mapping;
use reprise_trace::record::{AFTER, Kind, ORDERED, Record, SEQUENCE, TICKS};
use reprise_trace::ring::{CONTROL, Producer, Ring};
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

fn consume(ring: &Ring) {
    // Until it is full: it would be late now and then, but nobody promises that.
    while ring.waits().0 == 0 {
        std::thread::yield_now();
    }
    let (mut position, mut next, mut sequence, mut state) = (0, 0u64, 0, 7);
    while next < COUNT {
        let head = ring.head();
        while position < head {
            // SAFETY: this is the consumer; `position..head` is published and not given back.
            let record = Record::parse(unsafe { ring.published(position, head) }).unwrap();
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
    let ring = Arc::new(Ring::create(Mapping::anonymous(CONTROL + 1024), 3, 5, "a name").unwrap());
    assert_eq!((ring.index(), ring.thread_id(), ring.name()), (3, 5, "a name".to_owned()));
    let mut producer = Producer::new(Arc::clone(&ring), session);
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
    consume(&ring);
    writer.join().unwrap();
    assert!(ring.is_closed());
    assert_eq!(ring.head(), ring.tail());
    assert_eq!(ring.lost(), 0);
    assert!(ring.waits().0 > 0, "the ring was never full: the test tests nothing");
}

#[test]
fn what_is_too_large_is_refused_and_long_payloads_go_in_parts() {
    let session = Arc::new(SessionPage::anonymous());
    let ring = Arc::new(Ring::create(Mapping::anonymous(CONTROL + 4096), 0, 0, "").unwrap());
    let mut producer = Producer::new(Arc::clone(&ring), session);
    assert!(producer.begin(Kind::Enter, 0, 0, 0, 0, 4096).is_none());
    assert!(!producer.has_stopped(), "one record, not the thread");
    let long: Vec<u8> = (0..2500u32).map(|i| i as u8).collect();
    assert!(producer.record(Kind::Enter, 9, SEQUENCE, 1, 0, &[&long[..7], &[], &long[7..2000], &long[2000..]]));
    let (mut position, head, mut joined) = (0, ring.head(), Vec::new());
    let mut kinds = Vec::new();
    while position < head {
        // SAFETY: nobody writes meanwhile, nothing was given back.
        let record = Record::parse(unsafe { ring.published(position, head) }).unwrap();
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
        assert!(Ring::open(Mapping::anonymous(len)).is_err());
    }
    for capacity in [0, 1000, 1023, 32 << 20] {
        assert!(Ring::create(Mapping::anonymous(CONTROL + capacity), 0, 0, "").is_err(), "{capacity}");
    }
}
