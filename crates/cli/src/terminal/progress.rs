//! Says how far a long command is, and how long the rest takes: one line on standard error, only on a terminal and only after a second.

use reprise_timeline::{Interests, Pass};
use reprise_trace::read::Event;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const SILENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(100);

/// The progress line of one command; it disappears when dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    next: Option<Instant>,
    shown: bool,
    /// Calls of the trace, for a pass over it.
    calls: u64,
    /// When parts were first counted, and at which.
    begun: Option<(Instant, u64)>,
}

impl Progress {
    /// `what` is being done, in words: `replaying`.
    pub(crate) fn new(what: &'static str) -> Progress {
        Progress::over(what, 0)
    }

    /// The same for a walk over a trace with so many calls.
    pub(crate) fn over(what: &'static str, calls: u64) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        Progress { what, next: terminal.then(|| Instant::now() + SILENCE), shown: false, calls, begun: None }
    }

    /// Shows the state, if it is time to; `state` is only asked then.
    pub(crate) fn show(&mut self, state: impl FnOnce() -> String) {
        let Some(next) = self.next else { return };
        let now = Instant::now();
        if now < next {
            return;
        }
        self.next = Some(now + STEP);
        self.shown = true;
        // Nothing depends on whether anybody sees it.
        let _ = write!(std::io::stderr(), "\r\x1b[K{}: {}", self.what, state());
    }

    /// The same where `done` parts of `of` are done: says how long the rest takes at this rate.
    pub(crate) fn show_part(&mut self, done: u64, of: u64, state: impl FnOnce() -> String) {
        if self.next.is_none() {
            return;
        }
        let (begun, first) = *self.begun.get_or_insert_with(|| (Instant::now(), done));
        self.show(|| match left(begun.elapsed(), done.saturating_sub(first), of.saturating_sub(first)) {
            Some(left) => format!("{}, {} left", state(), in_words(left)),
            None => state(),
        });
    }
}

/// How long the rest takes, if it goes on as it went. Nothing where nothing is done yet, or more than all.
fn left(passed: Duration, done: u64, of: u64) -> Option<Duration> {
    let rest = of.checked_sub(done)?;
    (done > 0).then(|| Duration::try_from_secs_f64(passed.as_secs_f64() * rest as f64 / done as f64).ok())?
}

/// As coarse as the guess is.
fn in_words(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..=99 => format!("{} s", seconds + 1),
        seconds @ 100..=5999 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

impl Pass for Progress {
    fn interests(&self) -> Interests {
        // Nobody looks: most events need not be read for this.
        if self.next.is_some() { Interests::new().events() } else { Interests::new() }
    }

    fn event(&mut self, event: &Event<'_>) {
        let calls = self.calls;
        self.show_part(event.number, calls, || format!("frame {}", event.frame + 1));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done() {
        let seconds = Duration::from_secs;
        for (passed, done, of, rest) in
            [(10, 1, 2, Some(10)), (10, 1, 11, Some(100)), (10, 5, 5, Some(0)), (10, 0, 5, None), (10, 6, 5, None)]
        {
            assert_eq!(left(seconds(passed), done, of), rest.map(seconds), "{done} of {of}");
        }
        // More than a duration can hold.
        assert_eq!(left(Duration::MAX, 1, u64::MAX), None);
    }

    #[test]
    fn words_are_coarse() {
        let words = [(0, "1 s"), (99, "100 s"), (100, "2 min"), (5999, "100 min"), (6000, "2 h"), (7201, "3 h")];
        for (seconds, said) in words {
            assert_eq!(in_words(Duration::from_secs(seconds)), said);
        }
    }
}
