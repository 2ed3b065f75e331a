//! The shared algorithms under `loom`, which runs each test in every order of memory accesses that the memory model allows.
//!
//! The code is that of the rings and the session; only the words and the memory are `loom`'s. Its cells fail a test when two
//! threads access them at a time, of which one writes: so a byte that is read before it is published shows.

use std::sync::atomic::Ordering;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;

use crate::clock::Instant3;
use crate::merge::{Item, Merge};
use crate::record::{AFTER, Header, Kind, SEQUENCE};
use crate::shared::instants::Instants;
use crate::shared::ring::position::{self, Room, Writing};
use crate::shared::sequence;
use crate::shared::table::{READY, Table};
use crate::shared::word::Word;

impl Word for AtomicU64 {
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    fn store(&self, value: u64, order: Ordering) {
        AtomicU64::store(self, value, order);
    }

    fn add(&self, value: u64, order: Ordering) -> u64 {
        self.fetch_add(value, order)
    }

    fn replace(&self, current: u64, new: u64) -> bool {
        self.compare_exchange(current, new, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

/// Runs a test in all orders with at most this many switches away from a thread that could go on. The known bugs of such
/// algorithms need two.
fn model(preemptions: usize, test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

/// A ring of 8-byte words in the model's memory.
struct Memory {
    head: AtomicU64,
    tail: AtomicU64,
    words: Vec<UnsafeCell<u64>>,
}

impl Memory {
    fn new(words: usize) -> Memory {
        let words = (0..words).map(|_| UnsafeCell::new(u64::MAX)).collect();
        Memory { head: AtomicU64::new(0), tail: AtomicU64::new(0), words }
    }

    fn capacity(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// Writes words of a record at the head, as a producer's caller does.
    fn write(&self, writing: &Writing, record: &[u64]) {
        for (at, value) in record.iter().enumerate() {
            // SAFETY: the model fails the test where another thread accesses the cell.
            self.words[writing.place() / 8 + at].with_mut(|word| unsafe { *word = *value });
        }
    }

    /// Reads the words from a position up to another one.
    fn read(&self, position: u64, end: u64) -> Vec<u64> {
        let place = |at: u64| (at % self.capacity()) as usize / 8;
        // SAFETY: the model fails the test where another thread writes to the cell.
        let word = |at| self.words[place(at)].with(|word| unsafe { *word });
        (position..end).step_by(8).map(word).collect()
    }

    /// Writes a record when there is room.
    fn put(&self, writing: &mut Writing, record: &[u64]) {
        let size = 8 * record.len() as u64;
        while !writing.fits(size) {
            match writing.look(&self.tail, size) {
                Room::Here => {}
                Room::Behind(lap) => {
                    // Zeros are pads here.
                    self.write(writing, &vec![0; lap as usize / 8]);
                    writing.publish(&self.head, lap);
                }
                Room::Full => thread::yield_now(),
                Room::Broken => panic!("a tail that no consumer can have"),
            }
        }
        self.write(writing, record);
        writing.publish(&self.head, size);
    }
}

/// Records of two words go through a ring of four and over its end: each comes out whole, once and in order, and no word is
/// read while it is written.
#[test]
fn a_ring_hands_over_what_was_written() {
    const RECORDS: u64 = 3;
    model(3, || {
        let ring = Arc::new(Memory::new(4));
        let producer = thread::spawn({
            let ring = Arc::clone(&ring);
            move || {
                let mut writing = Writing::at(0, ring.capacity());
                (1..=RECORDS).for_each(|number| ring.put(&mut writing, &[number; 2]));
            }
        });
        let (mut position, mut found) = (0, Vec::new());
        while found.len() < 2 * RECORDS as usize {
            let head = position::published(&ring.head);
            if head == position {
                thread::yield_now();
                continue;
            }
            found.extend(ring.read(position, head));
            position = head;
            position::release(&ring.tail, position);
        }
        producer.join().unwrap();
        assert_eq!(found, [1, 1, 2, 2, 3, 3]);
    });
}

/// A record of three words does not fit behind another one in a ring of four: a pad fills the end.
#[test]
fn a_pad_fills_the_end_of_a_ring() {
    model(3, || {
        let ring = Arc::new(Memory::new(4));
        let producer = thread::spawn({
            let ring = Arc::clone(&ring);
            move || {
                let mut writing = Writing::at(0, ring.capacity());
                (1..=2).for_each(|number| ring.put(&mut writing, &[number; 3]));
            }
        });
        let (mut position, mut found) = (0, Vec::new());
        while position < 56 {
            let head = position::published(&ring.head);
            if head == position {
                thread::yield_now();
                continue;
            }
            found.extend(ring.read(position, head));
            position = head;
            position::release(&ring.tail, position);
        }
        producer.join().unwrap();
        assert_eq!(found, [1, 1, 1, 0, 2, 2, 2]);
    });
}

/// Sequence numbers are dense, whoever takes them.
#[test]
fn sequence_numbers_are_given_out_once() {
    model(3, || {
        let counter = Arc::new(AtomicU64::new(1));
        let taker = |counter: Arc<AtomicU64>| move || [sequence::take(&*counter), sequence::take(&*counter)];
        let other = thread::spawn(taker(Arc::clone(&counter)));
        let mine = taker(Arc::clone(&counter))();
        let theirs = other.join().unwrap();
        assert!(mine[0] < mine[1] && theirs[0] < theirs[1]);
        let mut all = [mine, theirs].concat();
        all.sort_unstable();
        assert_eq!(all, [1, 2, 3, 4]);
        assert_eq!(sequence::next(&*counter), 5);
    });
}

/// The words of a record without payload; `number` is its sequence number, or the one that it comes behind.
fn record(method: u16, flags: u8, number: u64) -> [u64; 3] {
    let header = Header { size: 24, method, kind: Kind::Enter as u8, flags, ..Header::default() }.to_bytes();
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| header[at + byte]));
    [word(0), word(8), number]
}

/// One thread makes an object, a sequenced call, and tells another one, which uses it in a call without a number. Whatever the
/// writer sees of the two rings when it looks, it never takes the use before the making.
#[test]
fn what_depends_on_a_call_comes_after_it() {
    const MAKES: u16 = 1;
    const USES: u16 = 2;
    model(2, || {
        let rings = Arc::new([Memory::new(4), Memory::new(4)]);
        let counter = Arc::new(AtomicU64::new(1));
        let told = Arc::new(AtomicU64::new(0));
        let maker = thread::spawn({
            let (rings, counter, told) = (Arc::clone(&rings), Arc::clone(&counter), Arc::clone(&told));
            move || {
                let mut writing = Writing::at(0, rings[0].capacity());
                let number = sequence::take(&*counter);
                rings[0].put(&mut writing, &record(MAKES, SEQUENCE, number));
                told.store(1, Ordering::Release);
            }
        });
        let user = thread::spawn({
            let (rings, told) = (Arc::clone(&rings), Arc::clone(&told));
            move || {
                if told.load(Ordering::Acquire) == 1 {
                    let mut writing = Writing::at(0, rings[1].capacity());
                    let after = sequence::next(&*counter);
                    rings[1].put(&mut writing, &record(USES, AFTER, after));
                }
            }
        });
        let mut merge = Merge::default();
        let mut streams = [Vec::new(), Vec::new()];
        let mut order = Vec::new();
        for stream in 0..2 {
            assert_eq!(merge.add_stream(0), stream);
        }
        let mut look = |last: bool| {
            for _ in 0..1 + u32::from(last) {
                for (stream, ring) in rings.iter().enumerate() {
                    let head = position::published(&ring.head);
                    let new = ring.read(streams[stream].len() as u64, head);
                    streams[stream].extend(new.into_iter().flat_map(u64::to_le_bytes));
                    merge.advance(stream, head);
                }
            }
            while let Some(item) = merge.next(&mut streams[..]) {
                let Item::Record { record, late, .. } = item else { panic!("{item:?}") };
                assert!(!late);
                order.push(record.header.method);
            }
        };
        look(false);
        maker.join().unwrap();
        user.join().unwrap();
        look(true);
        assert!([&[MAKES][..], &[MAKES, USES]].contains(&&order[..]), "{order:?}");
    });
}

/// Words of a session's instants.
struct Noted {
    count: AtomicU64,
    slots: [[AtomicU64; 3]; 2],
}

impl Noted {
    fn instants(&self) -> Instants<'_, AtomicU64> {
        Instants { count: &self.count, slots: self.slots.each_ref() }
    }
}

fn instant(value: u64) -> Instant3 {
    Instant3 { ticks: value, realtime_ns: value, monotonic_ns: value }
}

/// A reader gets one of the instants that were noted, never half of one and half of another.
#[test]
fn an_instant_is_read_whole() {
    model(3, || {
        let slot = || [0; 3].map(AtomicU64::new);
        let noted = Arc::new(Noted { count: AtomicU64::new(0), slots: [slot(), slot()] });
        let writer = thread::spawn({
            let noted = Arc::clone(&noted);
            move || (1..=3).for_each(|value| noted.instants().note(instant(value)))
        });
        let found = noted.instants().last().unwrap();
        assert!((0..=3).any(|value| found == instant(value)), "{found:?}");
        writer.join().unwrap();
        assert_eq!(noted.instants().last(), Some(instant(3)));
    });
}

/// Two threads want rings while the writer gives up the place of one that is gone: no number is given out twice, and whoever
/// sees a ring in the table sees what its thread did before.
#[test]
fn each_ring_has_a_number_of_its_own() {
    model(2, || {
        let places: Arc<Vec<AtomicU64>> = Arc::new((0..2).map(|_| AtomicU64::new(0)).collect());
        let files = Arc::new([UnsafeCell::new(false), UnsafeCell::new(false)]);
        // Ring 0 is there and stored.
        assert_eq!(Table(&places[..]).claim(0), Some(0));
        Table(&places[..]).made(0, true);
        let claim = |thread: usize| {
            let (places, files) = (Arc::clone(&places), Arc::clone(&files));
            move || {
                let index = Table(&places[..]).claim(1);
                if let Some(index) = index {
                    // SAFETY: the model fails the test where another thread accesses the cell.
                    files[thread].with_mut(|made| unsafe { *made = true });
                    Table(&places[..]).made(index, true);
                }
                index
            }
        };
        let threads = [thread::spawn(claim(0)), thread::spawn(claim(1))];
        Table(&places[..]).remove(0);
        let claimed = threads.map(|thread| thread.join().unwrap());
        let mut numbers: Vec<u32> = claimed.into_iter().flatten().collect();
        numbers.sort_unstable();
        assert!(!numbers.is_empty() && numbers.iter().all(|number| [1, 2].contains(number)), "{numbers:?}");
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
        assert_eq!(Table(&places[..]).in_state(READY), numbers);
        assert!(numbers.iter().all(|number| Table(&places[..]).is_ready(*number)));
        for (file, number) in files.iter().zip(claimed) {
            // SAFETY: both threads have ended.
            assert_eq!(file.with(|made| unsafe { *made }), number.is_some());
        }
    });
}
