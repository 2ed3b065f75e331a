//! A queue's clock beside the CPU's, which all queues have in common.
//!
//! A queue's time stamps count from an instant of its own. `GetClockCalibration` reads its clock and the CPU's at the same instant. Two such
//! readings, when the queue is first given something and when the replay ends, bring each stamp onto the CPU's clock, where stamps of several
//! queues can be compared, and take out how much faster one clock runs than the other.
//!
//! Invariant: a place is either on the clock that all queues share, or there is none.

use std::time::{Duration, Instant};

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use crate::runtime::Runtime;

const CALIBRATION: MethodId = method("ID3D12CommandQueue", "GetClockCalibration");
/// So far apart readings have to lie before the speeds of the two clocks are compared: each reading may be some microseconds off.
const LEAST_APART: f64 = 1e8;
/// A reading that took longer may be off by that much, so another one is made.
const QUICK: Duration = Duration::from_micros(50);
/// So often.
const TRIES: u32 = 4;

/// Both clocks at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    /// Ticks of the queue's clock.
    gpu: u64,
    /// Nanoseconds since the replay began to time.
    cpu: f64,
}

/// The clock of a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// Nanoseconds of a tick.
    tick: f64,
    first: Reading,
}

impl Clock {
    /// Reads it; `None` where the library cannot, or fails to.
    ///
    /// # Safety
    /// The queue is alive.
    pub(super) unsafe fn new(runtime: &Runtime, queue: u64, tick: f64, epoch: Instant) -> Option<Self> {
        // SAFETY: as the caller promises.
        let first = unsafe { read(runtime, queue, epoch) }?;
        Some(Self { tick, first })
    }

    /// Nanoseconds from the first reading to a stamp; a stamp may lie before it.
    pub(super) fn since_first(&self, stamp: u64) -> f64 {
        signed(self.first.gpu, stamp) * self.tick
    }

    /// What [`since_first`](Clock::since_first) is on the CPU's clock, in nanoseconds since the replay began to time, once the clocks were read
    /// again. Of a queue that is gone there is the first reading alone.
    ///
    /// # Safety
    /// The queue, if there is one, is alive.
    pub(super) unsafe fn shared(&self, runtime: &Runtime, queue: Option<u64>, epoch: Instant) -> Shared {
        // SAFETY: as the caller promises.
        self.between(queue.and_then(|queue| unsafe { read(runtime, queue, epoch) }))
    }

    fn between(&self, last: Option<Reading>) -> Shared {
        let speed = last.and_then(|last| {
            let (gpu, cpu) = (self.since_first(last.gpu), last.cpu - self.first.cpu);
            (gpu > LEAST_APART && cpu > LEAST_APART).then_some(cpu / gpu)
        });
        Shared { begin: self.first.cpu, speed: speed.unwrap_or(1.0) }
    }
}

/// How a queue's clock lies on the one that all queues share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    /// When the queue's clock was first read.
    begin: f64,
    /// Nanoseconds of the CPU's clock in one of the queue's.
    speed: f64,
}

impl Shared {
    pub(super) fn at(&self, since_first: f64) -> f64 {
        self.begin + since_first * self.speed
    }
}

/// Both clocks. The CPU's is read here and not taken from the library, because the unit of that is the library's own outside Windows. It is that
/// of the middle of the call.
///
/// # Safety
/// The queue is alive.
unsafe fn read(runtime: &Runtime, queue: u64, epoch: Instant) -> Option<Reading> {
    let mut closest: Option<(Duration, Reading)> = None;
    for _ in 0..TRIES {
        let (mut gpu, mut cpu) = (0u64, 0u64);
        let places = [core::ptr::from_mut(&mut gpu) as u64, core::ptr::from_mut(&mut cpu) as u64];
        let before = Instant::now();
        // SAFETY: the queue is alive, as the caller promises; both places are ours.
        let result = unsafe { runtime.call(queue, CALIBRATION, &places) } as i32;
        let took = before.elapsed();
        // Libraries whose device has no such clocks may succeed, and read none.
        if result < 0 || gpu == 0 {
            return None;
        }
        let middle = before.saturating_duration_since(epoch) + took / 2;
        if closest.is_none_or(|(best, _)| took < best) {
            closest = Some((took, Reading { gpu, cpu: middle.as_nanos() as f64 }));
        }
        if took < QUICK {
            break;
        }
    }
    closest.map(|(_, reading)| reading)
}

/// Ticks from one to another, which may be earlier. Counters wrap.
fn signed(from: u64, to: u64) -> f64 {
    to.wrapping_sub(from) as i64 as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_lie_on_the_shared_clock_also_before_the_first_reading_and_over_a_wrap() {
        let clock = Clock { tick: 40.0, first: Reading { gpu: u64::MAX - 1, cpu: 5e6 } };
        let shared = clock.between(None);
        assert_eq!(shared.at(clock.since_first(u64::MAX - 101)), 5e6 - 4000.0);
        assert_eq!(shared.at(clock.since_first(8)), 5e6 + 400.0);
    }

    #[test]
    fn a_clock_that_runs_fast_is_slowed_down_where_the_readings_are_far_apart() {
        let clock = Clock { tick: 1.0, first: Reading { gpu: 1 << 60, cpu: 1e6 } };
        let later =
            |gpu: u64, cpu: f64| clock.between(Some(Reading { gpu: (1u64 << 60).wrapping_add(gpu), cpu: 1e6 + cpu }));
        // A thousandth too fast, over a second; over a millisecond nothing can be said of that.
        let slowed = later(1_001_000_000, 1e9).at(clock.since_first((1 << 60) + 500_500_000));
        assert!((slowed - (1e6 + 5e8)).abs() < 1e-3, "{slowed}");
        assert_eq!(later(1_001_000, 1e6).at(500_500.0), 1e6 + 500_500.0);
        // A clock that goes back says nothing of its speed.
        assert_eq!(later(0u64.wrapping_sub(1 << 40), 1e9).at(7.0), 1e6 + 7.0);
    }
}
