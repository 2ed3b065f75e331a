//! One replay that is measured, and who makes it.

use crate::terminal::exit::Failure;
use reprise_replay::{ExperimentWish, TimeWish};
use reprise_times::Times;
use std::time::Duration;

/// What is asked of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured<'a> {
    pub(crate) wish: TimeWish,
    /// What the frames are played without.
    pub(crate) experiment: Option<&'a ExperimentWish>,
    /// So often the frames are played within the replay, and each round is measured.
    pub(crate) rounds: Option<u32>,
    /// Counters of the driver, by their places.
    pub(crate) counters: &'a [u32],
    /// What the program read back is compared.
    pub(crate) reads: bool,
}

impl Measured<'_> {
    /// A replay of the frames as they are.
    pub(crate) fn of(wish: TimeWish) -> Self {
        Self { wish, experiment: None, rounds: None, counters: &[], reads: false }
    }
}

/// What makes replays and measures them.
pub(crate) trait Replays {
    /// One replay; in words, how it ended without times.
    ///
    /// # Errors
    /// No replay can be begun, or it fails in this process.
    fn measure(&self, measured: &Measured<'_>) -> Result<Result<Times, String>, Failure>;

    /// Replays that are begun from here on are ended when they take longer, where they have processes of their own.
    fn wait_at_most(&mut self, patience: Duration);
}

/// Replays of a side that are not counted, where nobody says how many: the first one waits for shaders that the others find translated.
pub(crate) const WARM_UP: u32 = 1;

/// How long a replay of another process may take, where one like it took so long: twenty times that, and a minute at least.
pub(super) fn patience(took: Duration) -> Duration {
    const LONGEST: u32 = 20;
    const LEAST: Duration = Duration::from_secs(60);
    LEAST.max(took.saturating_mul(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_once_may_take_long_again() {
        let seconds = Duration::from_secs;
        assert_eq!(patience(Duration::from_millis(5)), seconds(60));
        assert_eq!((patience(seconds(3)), patience(seconds(4))), (seconds(60), seconds(80)));
        assert_eq!(patience(Duration::MAX), Duration::MAX);
    }
}
