//! The choice whether lists are recorded ahead. It depends on what calls cost the walk while it plays.
//!
//! Handing a call to another thread costs the walk about as much as a cheap runtime takes to make it. So the walk begins by making
//! calls itself. Where they cost enough, it tries the other way for a stretch, keeps what was cheaper, and looks again, ever less
//! often. Reading the trace is a part of what calls cost in either way. Invariant: calls that cost less than the way to another thread never
//! take it; lanes that turn out more expensive are left at the end of a stretch.

/// Calls of lists in a stretch that is measured.
const STRETCH: u64 = 20_000;
/// A stretch with lanes ends where nothing is under way. After so many times its calls a trial waits for that, and the wait counts: what is
/// under way would make it look cheap. Later stretches end without, since each begins with what the last one left.
const LONGEST: u64 = 4;
/// Stretches before the next look, at first and at most.
const PATIENCE: (u64, u64) = (8, 128);
/// Nanoseconds that a call costs the walk when it hands it over, about: two copies of its words.
const WAY: f64 = 25.0;
/// The other way must take less than this share of the time.
const GAIN: f64 = 0.9;

/// What the walk does with calls of lists.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    step: Step,
    /// Stretches until the next look, after the one at hand.
    patience: u64,
    /// Calls and nanoseconds since the step began.
    calls: u64,
    time: u64,
    /// Calls that a stretch of the step has.
    length: u64,
    /// Stretches with lanes until the next look.
    left: u64,
    /// Nanoseconds of a call that the walk makes, its reading included, as in the time of the other way.
    here: f64,
    /// Calls of lists after which the way changes, whatever they cost, and how many of them are left.
    #[cfg(test)]
    turns: Option<(u32, u32)>,
}

#[cfg(test)]
thread_local! {
    /// For replays of this thread: calls of lists after which the way changes.
    pub(crate) static TURNS: core::cell::Cell<Option<u32>> = const { core::cell::Cell::new(None) };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// The walk makes all calls.
    Here,
    /// Lanes are tried.
    Trial,
    /// Lanes were cheaper.
    Ahead,
    /// The user wants lanes.
    Always,
}

impl Default for Choice {
    fn default() -> Choice {
        let patience = PATIENCE.0;
        Choice {
            step: Step::Here,
            patience,
            calls: 0,
            time: 0,
            length: STRETCH,
            left: 0,
            here: 0.0,
            #[cfg(test)]
            turns: TURNS.get().map(|calls| (calls, calls)),
        }
    }
}

impl Choice {
    /// Lanes without a look at the time.
    pub(crate) fn always() -> Choice {
        Choice { step: Step::Always, ..Choice::default() }
    }

    /// Whether calls go to lanes now.
    #[inline]
    pub(crate) fn is_ahead(&self) -> bool {
        self.step != Step::Here
    }

    /// Whether the time of calls is to be noted.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.step != Step::Always && !self.turns()
    }

    /// Whether a test changes the way.
    pub(crate) fn turns(&self) -> bool {
        #[cfg(test)]
        return self.turns.is_some();
        #[cfg(not(test))]
        false
    }

    /// Changes the way where a test wants that.
    #[cfg(test)]
    pub(crate) fn turn(&mut self) {
        let Some((calls, left)) = &mut self.turns else { return };
        *left -= 1;
        if *left == 0 {
            *left = *calls;
            self.step = if self.step == Step::Here { Step::Always } else { Step::Here };
        }
    }

    /// Whether lanes are to be waited for before so many more calls are noted.
    #[inline]
    pub(crate) fn is_overdue(&self, calls: u64) -> bool {
        self.step == Step::Trial && self.calls + calls >= self.length.saturating_mul(LONGEST)
    }

    /// So many calls, or waiting for them, took the walk so many nanoseconds. `settled`: no lane has calls to be made.
    pub(crate) fn note(&mut self, calls: u64, nanoseconds: u64, settled: bool) {
        self.calls += calls;
        self.time += nanoseconds;
        let enough = if settled { self.length } else { self.length.saturating_mul(LONGEST) };
        if self.calls < enough {
            return;
        }
        let cost = self.time as f64 / self.calls as f64;
        let looks = |length: u64| length.saturating_mul(STRETCH);
        (self.step, self.length) = match self.step {
            Step::Here => {
                self.here = cost;
                if cost > WAY { (Step::Trial, STRETCH) } else { (Step::Here, STRETCH) }
            }
            Step::Trial => {
                let patience = self.patience;
                self.patience = (2 * patience).min(PATIENCE.1);
                if cost < GAIN * self.here {
                    self.left = patience;
                    (Step::Ahead, STRETCH)
                } else {
                    (Step::Here, looks(patience))
                }
            }
            Step::Ahead => {
                self.left = self.left.saturating_sub(1);
                // What it costs without lanes may have changed, or what it costs with them.
                if self.left == 0 || cost >= self.here { (Step::Here, STRETCH) } else { (Step::Ahead, STRETCH) }
            }
            Step::Always => (Step::Always, u64::MAX),
        };
        (self.calls, self.time) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Plays so many calls that cost so much in either way, in portions; gives nanoseconds of all, and calls that went to lanes.
    fn play(choice: &mut Choice, calls: u64, here: f64, ahead: f64, portion: u64, noise: &[f64]) -> (f64, u64) {
        let (mut time, mut far) = (0.0, 0);
        for (at, _) in (0..calls).step_by(portion as usize).enumerate() {
            let lanes = choice.is_ahead();
            let cost = if lanes { ahead } else { here } * noise[at % noise.len()] * portion as f64;
            time += cost;
            far += if lanes { portion } else { 0 };
            choice.note(portion, cost as u64, at % 3 == 0);
        }
        (time, far)
    }

    proptest! {
        /// Against a replay that knew which way is cheaper.
        #[test]
        fn the_choice_costs_little(
            here in 5.0..200f64,
            share in 0.1..4f64,
            portion in 1..4000u64,
            noise in prop::collection::vec(0.97..1.03f64, 1..50),
        ) {
            let (calls, ahead) = (10_000_000, here * share);
            let (time, far) = play(&mut Choice::default(), calls, here, ahead, portion, &noise);
            let alone = here * calls as f64;
            // What is tried where it does not gain: some five stretches of five hundred.
            prop_assert!(time < alone * 1.08, "{time} of {alone}, {far} calls ahead");
            if here > 1.1 * WAY && share < 0.7 {
                prop_assert!(time < 1.25 * ahead * calls as f64, "{time}, and {} by lanes", ahead * calls as f64);
            }
            if here * 1.03 < WAY {
                prop_assert_eq!(far, 0);
            }
        }
    }

    #[test]
    fn what_changes_is_noticed() {
        let mut choice = Choice::default();
        let (_, far) = play(&mut choice, 2_000_000, 100.0, 30.0, 100, &[1.0]);
        assert!(far > 1_500_000);
        // Lanes are dear from here on: they are left at once, and then tried ever less often.
        let (_, far) = play(&mut choice, 14_000_000, 100.0, 300.0, 100, &[1.0]);
        assert!(far < 10 * STRETCH, "{far}");
        let (_, far) = play(&mut choice, 10_000_000, 100.0, 30.0, 100, &[1.0]);
        assert!(far > 5_000_000, "{far}");
    }

    #[test]
    fn the_user_may_want_lanes() {
        let mut choice = Choice::always();
        choice.note(u64::MAX / 2, u64::MAX / 2, true);
        assert!(choice.is_ahead() && !choice.is_open());
    }
}
