//! How long a range of frames takes.
//!
//! Owns the two clocks, wall and processor. Invariant: a frame's time ends where the next one's begins, so that the times
//! of the frames add up to the whole. The times include what replay does besides: pictures, hashes, pauses.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// A measurement that is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The first frame and the one after the last.
    pub range: MeasureRange,
    /// Stop the replay after the last frame measured.
    pub quit: bool,
    /// Let all queues finish their work before the first frame begins and before the last one ends.
    pub flush: bool,
}

/// Frames from one up to, and without, another one; frames count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeasureRange {
    /// The first frame measured.
    pub start: u64,
    /// The frame at whose begin measuring ends.
    pub end: u64,
}

/// Measured times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measured {
    /// The first frame measured, and the one after the last: where the trace ended before the range, not the one asked for.
    pub range: MeasureRange,
    /// Of each frame, in order.
    pub frames: Vec<Duration>,
    /// Wall clock.
    pub total: Duration,
    /// Time that processors spent on this process in all of its threads; `None` where the system does not say.
    pub processor: Option<Duration>,
}

impl Measured {
    /// Frames a second.
    pub fn rate(&self) -> f64 {
        self.frames.len() as f64 / self.total.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// A measurement that waits for its first frame, is under way, or done.
pub(crate) struct Stopwatch {
    range: MeasureRange,
    started: Option<Started>,
    times: Vec<Duration>,
    done: Option<Measured>,
}

struct Started {
    at: Instant,
    last: Instant,
    processor: Option<Duration>,
}

impl Stopwatch {
    pub(crate) fn new(range: MeasureRange) -> Self {
        Self { range, started: None, times: Vec::new(), done: None }
    }

    /// Whether the frame after `ended` is where measuring begins or ends.
    pub(crate) fn is_edge(&self, ended: u64) -> bool {
        [self.range.start, self.range.end].contains(&(ended + 1))
    }

    /// Frame `ended` is over; 0: the first one begins.
    pub(crate) fn frame_ended(&mut self, ended: u64) {
        let now = Instant::now();
        if let (Some(started), None) = (&mut self.started, &self.done) {
            self.times.push(now - started.last);
            started.last = now;
        }
        if ended + 1 == self.range.start {
            self.started = Some(Started { at: now, last: now, processor: processor_time() });
        }
        if ended + 1 == self.range.end {
            self.done = self.measured();
        }
    }

    /// Whether the last frame of the range is over.
    pub(crate) fn is_done(&self) -> bool {
        self.done.is_some()
    }

    /// The measured times; of an unfinished range its complete frames.
    pub(crate) fn finish(mut self) -> Option<Measured> {
        self.done.take().or_else(|| self.measured())
    }

    fn measured(&mut self) -> Option<Measured> {
        let started = self.started.as_ref()?;
        let frames = core::mem::take(&mut self.times);
        let end = self.range.start + frames.len() as u64;
        let processor = processor_time().zip(started.processor).map(|(now, then)| now.saturating_sub(then));
        let range = MeasureRange { start: self.range.start, end };
        (!frames.is_empty()).then(|| Measured { range, frames, total: started.last - started.at, processor })
    }
}

/// The time that processors have spent on this process so far.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    (result == 0).then(|| Duration::new(seconds, time.tv_nsec as u32))
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}

impl FromStr for MeasureRange {
    type Err = String;

    /// `10-20`: frames 10 to 19.
    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('-').and_then(|(a, b)| a.trim().parse().ok().zip(b.trim().parse().ok()));
        match numbers {
            Some((start, end)) if 0 < start && start < end => Ok(Self { start, end }),
            _ => Err(format!("{text:?} is no range to measure: 10-20 measures frames 10 to 19 (frames count from 1)")),
        }
    }
}

impl fmt::Display for MeasureRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn measured(range: &str, frames: u64) -> Option<Measured> {
        let mut watch = Stopwatch::new(range.parse().unwrap());
        for ended in 0..=frames {
            watch.frame_ended(ended);
            assert_eq!(watch.is_done(), ended + 1 >= watch.range.end);
        }
        watch.finish()
    }

    #[test]
    fn the_end_is_not_in_the_range() {
        for (range, frames, measures) in [("1-4", 9, "1-4"), ("3-5", 9, "3-5"), ("8-99", 9, "8-10"), ("1-2", 1, "1-2")]
        {
            let measured = measured(range, frames).unwrap();
            assert_eq!(measured.range, measures.parse().unwrap());
            assert_eq!(measured.frames.len() as u64, measured.range.end - measured.range.start, "{range}");
            assert_eq!(measured.frames.iter().sum::<Duration>(), measured.total);
        }
        assert_eq!(measured("10-20", 9), None);
    }

    #[test]
    fn processor_time_is_that_of_work() {
        let before = processor_time();
        let mut sum = 0u64;
        (0..1_000_000u64).for_each(|number| sum = std::hint::black_box(sum ^ number));
        assert_eq!(cfg!(unix), processor_time() > before);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "5", "0-5", "5-5", "6-5", "5-", "-5", "a-b", "all"] {
            assert!(text.parse::<MeasureRange>().is_err(), "{text}");
        }
    }
}
