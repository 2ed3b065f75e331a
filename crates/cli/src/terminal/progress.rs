//! Says how far a long command is: one line on standard error, only on a terminal and only after a second.

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
}

impl Progress {
    /// `what` is being done, in words: `replaying`.
    pub(crate) fn new(what: &'static str) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        Progress { what, next: terminal.then(|| Instant::now() + SILENCE), shown: false }
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
}

impl Pass for Progress {
    fn interests(&self) -> Interests {
        // Nobody looks: most events need not be read for this.
        if self.next.is_some() { Interests::new().events() } else { Interests::new() }
    }

    fn event(&mut self, event: &Event<'_>) {
        self.show(|| format!("frame {}", event.frame + 1));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
