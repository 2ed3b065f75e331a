//! Time stamps: the processor's counter on the hot path, nanoseconds for people.
//!
//! Owns the reading of the counter, and the conversion of ticks to nanoseconds: a straight line through two instants at which
//! both clocks were read. Time stamps never decide the order of records.

/// The time stamp counter.
#[inline(always)]
pub fn ticks() -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every x86-64 processor has the instruction; it only reads a counter.
    return unsafe { core::arch::x86_64::_rdtsc() };
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    return crate::os::monotonic_ns();
}

/// One instant on three clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Instant3 {
    /// [`ticks`].
    pub ticks: u64,
    /// Nanoseconds since 1970.
    pub realtime_ns: u64,
    /// Nanoseconds of the monotonic clock.
    pub monotonic_ns: u64,
}

impl Instant3 {
    /// Now, on all three. The counter is read on both sides of the system's clock and the closest of a few tries is kept.
    pub fn now() -> Instant3 {
        let mut best = (u64::MAX, Instant3::default());
        for _ in 0..5 {
            let before = ticks();
            let monotonic_ns = crate::os::monotonic_ns();
            let after = ticks();
            let width = after.wrapping_sub(before);
            if width < best.0 {
                let ticks = before.wrapping_add(width / 2);
                best = (width, Instant3 { ticks, realtime_ns: crate::os::realtime_ns(), monotonic_ns });
            }
        }
        best.1
    }
}

/// Turns ticks into nanoseconds since the session began.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    /// When the session began.
    pub start: Instant3,
    /// Ticks in a second; 0 when unknown.
    pub frequency: u64,
}

impl Clock {
    /// The line through two instants. Its frequency is unknown when they are less than a microsecond apart.
    pub fn between(start: Instant3, end: Instant3) -> Clock {
        let ns = end.monotonic_ns.saturating_sub(start.monotonic_ns);
        let ticks = end.ticks.saturating_sub(start.ticks);
        let frequency = if ns < 1000 { 0 } else { (u128::from(ticks) * 1_000_000_000 / u128::from(ns)) as u64 };
        Clock { start, frequency }
    }

    /// Nanoseconds since the start; 0 before it and where the frequency is unknown.
    pub fn nanoseconds(&self, ticks: u64) -> u64 {
        if self.frequency == 0 {
            return 0;
        }
        let delta = ticks.saturating_sub(self.start.ticks);
        let (seconds, rest) = (delta / self.frequency, delta % self.frequency);
        // 64 bits are enough for every known processor, and a division of 128 bits would cost time for each event.
        let rest = match rest.checked_mul(1_000_000_000) {
            Some(product) => product / self.frequency,
            None => (u128::from(rest) * 1_000_000_000 / u128::from(self.frequency)) as u64,
        };
        seconds.saturating_mul(1_000_000_000).saturating_add(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_two_instants() {
        let start = Instant3 { ticks: 1000, realtime_ns: 0, monotonic_ns: 50 };
        let end = Instant3 { ticks: 1000 + 3_000_000, realtime_ns: 0, monotonic_ns: 50 + 1_000_000 };
        let clock = Clock::between(start, end);
        assert_eq!(clock.frequency, 3_000_000_000);
        assert_eq!(clock.nanoseconds(1000 + 3000), 1000);
        assert_eq!(clock.nanoseconds(10), 0);
        assert_eq!(clock.nanoseconds(u64::MAX), (u64::MAX - 1000) / 3);
        assert_eq!(Clock::between(start, start).nanoseconds(5000), 0);
    }
}
