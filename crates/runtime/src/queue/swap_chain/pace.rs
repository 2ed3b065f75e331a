//! A limit on the frames in a second, which DXVK's dxgi sets for displays that the program did not ask for.

use std::time::{Duration, Instant};

/// When the next frame may come.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Between two frames; `None` for no limit.
    interval: Option<Duration>,
    next: Option<Instant>,
}

impl Pace {
    /// Sets the rate, in frames in a second. Zero ends the limit. A negative one asks for a limit only where frames come faster than
    /// the display shows them; a queue that waits for the display has it anyway.
    pub(super) fn set(&mut self, rate: f64) {
        let interval = (rate > 0.0 && rate.is_finite()).then(|| Duration::from_secs_f64((1.0 / rate).min(1.0)));
        if interval != self.interval {
            *self = Pace { interval, next: None };
        }
    }

    /// How long a frame has to wait that comes now.
    pub(super) fn wait(&mut self, now: Instant) -> Duration {
        let Some(interval) = self.interval else { return Duration::ZERO };
        let due = self.next.map_or(now, |next| next.max(now));
        self.next = Some(due + interval);
        due - now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_no_faster_than_the_rate() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        let ms = Duration::from_millis;
        assert_eq!(pace.wait(start), Duration::ZERO);
        pace.set(100.0);
        assert_eq!(pace.wait(start), Duration::ZERO);
        assert_eq!(pace.wait(start + ms(4)), ms(6));
        assert_eq!(pace.wait(start + ms(10)), ms(10));
        // A late frame is not made up for.
        assert_eq!(pace.wait(start + ms(50)), Duration::ZERO);
        assert_eq!(pace.wait(start + ms(51)), ms(9));
        for none in [0.0, -60.0, f64::NAN, f64::INFINITY] {
            pace.set(none);
            assert_eq!(pace.wait(start), Duration::ZERO, "{none}");
        }
    }
}
