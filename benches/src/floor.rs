//! The floor of capture: what storing a record costs a thread where another one reads it, and a time stamp beside that.
//!
//! A record is 48 bytes, as many as those of most light calls. The ring has the size of capture's; another thread copies what is
//! published, in bursts. Records come in bursts that the ring holds, so that no store waits for the reader. A new burst begins
//! once all of the last one is read, as in `thread_cost`. Several threads have a ring and a reader each, and begin each burst at once: so
//! what they cost each other by sharing cores, caches and memory is in their floor.

use crate::clock;
use core::hint::black_box;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use reprise_trace::ring::DEFAULT_CAPACITY;
use std::sync::Barrier;
use std::time::Duration;

/// Words of a record.
const WORDS: usize = 6;
/// Records of a burst: nine tenths of the ring.
const BURST: usize = DEFAULT_CAPACITY / 10 * 9 / (8 * WORDS);

/// A word with the cache lines around it to itself.
#[repr(align(128))]
struct Alone(AtomicU64);

struct Ring {
    head: Alone,
    tail: Alone,
    words: Box<[AtomicU64]>,
    ends: AtomicBool,
}

/// Nanoseconds of CPU time of the thread for a record.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// Storing it, and saying so.
    pub store: f64,
    /// The same with a time stamp among its words.
    pub stamped: f64,
}

/// Measures so many bursts of each kind, in turn, after one of each that does not count; the mean of so many threads.
pub fn measure(bursts: u32, threads: u32) -> Floor {
    let barrier = Barrier::new(threads as usize);
    let floors: Vec<Floor> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| Ring::new().measure(bursts, &barrier))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let mean = |of: fn(&Floor) -> f64| floors.iter().map(of).sum::<f64>() / f64::from(threads.max(1));
    Floor { store: mean(|floor| floor.store), stamped: mean(|floor| floor.stamped) }
}

impl Ring {
    fn new() -> Ring {
        Ring {
            head: Alone(AtomicU64::new(0)),
            tail: Alone(AtomicU64::new(0)),
            words: (0..DEFAULT_CAPACITY / 8).map(|_| AtomicU64::new(0)).collect(),
            ends: AtomicBool::new(false),
        }
    }

    /// As [`measure`], for the calling thread.
    fn measure(&self, bursts: u32, barrier: &Barrier) -> Floor {
        std::thread::scope(|scope| {
            scope.spawn(|| self.read());
            let (mut store, mut stamped) = (0, 0);
            for burst in 0..=bursts {
                let (one, other) = (self.burst(barrier, || 7), self.burst(barrier, reprise_trace::clock::ticks));
                if burst > 0 {
                    (store, stamped) = (store + one, stamped + other);
                }
            }
            self.ends.store(true, Ordering::Release);
            let records = f64::from(bursts.max(1)) * BURST as f64;
            Floor { store: store as f64 / records, stamped: stamped as f64 / records }
        })
    }

    /// Stores one burst, when all threads do; gives the thread's time for it.
    fn burst(&self, barrier: &Barrier, stamp: impl Fn() -> u64) -> u64 {
        let mut head = self.head.0.load(Ordering::Relaxed);
        while self.tail.0.load(Ordering::Acquire) != head {
            std::thread::sleep(Duration::from_micros(200));
        }
        barrier.wait();
        let (mut at, before) = (self.place(head), clock::thread());
        for number in 0..BURST as u64 {
            // The place is told without a division.
            let Some(record) = self.words.get(at..at + WORDS) else { break };
            at = if at + 2 * WORDS > self.words.len() { 0 } else { at + WORDS };
            let words = [0x0101_0028, number, stamp(), head, 3, 1];
            record.iter().zip(words).for_each(|(to, word)| to.store(word, Ordering::Relaxed));
            head += 1;
            self.head.0.store(head, Ordering::Release);
        }
        clock::passed(before, clock::thread())
    }

    /// Where a record begins. Only whole ones are in the ring, as many as fit.
    fn place(&self, record: u64) -> usize {
        (record % (self.words.len() / WORDS) as u64) as usize * WORDS
    }

    /// Copies what is published, until the end.
    fn read(&self) {
        let mut copied = Vec::new();
        while !self.ends.load(Ordering::Acquire) {
            let (tail, head) = (self.tail.0.load(Ordering::Relaxed), self.head.0.load(Ordering::Acquire));
            copied.clear();
            for record in tail..head {
                let at = self.place(record);
                let words = self.words.get(at..at + WORDS).unwrap_or(&[]);
                copied.extend(words.iter().map(|word| word.load(Ordering::Relaxed)));
            }
            black_box(&copied);
            self.tail.0.store(head, Ordering::Release);
            std::thread::sleep(Duration::from_micros(500));
        }
    }
}
