//! Which frames are wanted, and the end of the recording while the program goes on.
//!
//! Owns the plan (frame numbers, a trigger file, signals that reach the launcher) and its state. What comes before the first
//! wanted frame is recorded too, since a trace must replay; facts say which frames are wanted. Invariants: without a plan a
//! frame boundary costs a few loads; a fact about the next frame stands right behind the boundary, written by the thread that
//! ended the frame before; the end is one record, so it is one place in the order of all threads, and after it every call is
//! passed on without a look at the plan.

use crate::session::Active;
use crate::{record, session};
use reprise_trace::fact;
use reprise_trace::wanted::{self, Reason};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Environment: the wanted frames, counted from 1: `A`, `A-B`, several with commas between.
pub(crate) const FRAMES: &str = "REPRISE_FRAMES";
/// Environment: frames are wanted that begin while this file is there.
pub(crate) const TRIGGER_FILE: &str = "REPRISE_TRIGGER_FILE";
/// Environment: 1 where each trigger of the session begins or ends what is wanted.
pub(crate) const TRIGGER: &str = "REPRISE_TRIGGER";
/// Environment: so many frames are wanted from a trigger on.
pub(crate) const TRIGGER_FRAMES: &str = "REPRISE_TRIGGER_FRAMES";
/// Environment: `submissions` where each ExecuteCommandLists ends a frame, and presents do not.
pub(crate) const BOUNDARY: &str = "REPRISE_FRAME_BOUNDARY";

/// What the user asked for.
#[derive(Debug, Default)]
struct Plan {
    ranges: Vec<RangeInclusive<u64>>,
    file: Option<PathBuf>,
    signals: bool,
    most: Option<u64>,
}

/// Where a session stands.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Frames that have ended.
    ended: u64,
    /// The first frame of those that are wanted now.
    since: Option<u64>,
}

/// What changes between two frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    Nothing,
    /// The next frame is wanted, the last one was not.
    Begin,
    /// The reverse, and more are wanted later.
    Pause,
    /// The reverse, and none are wanted any more.
    Stop(Reason),
}

impl Plan {
    fn from_environment() -> Option<Plan> {
        let text = crate::environment::get;
        let plan = Plan {
            ranges: text(FRAMES).map(|frames| ranges(&frames.to_string_lossy())).unwrap_or_default(),
            file: text(TRIGGER_FILE).map(PathBuf::from),
            signals: text(TRIGGER).is_some_and(|value| value == "1"),
            most: text(TRIGGER_FRAMES).and_then(|value| value.to_string_lossy().parse().ok()),
        };
        (!plan.ranges.is_empty() || plan.file.is_some() || plan.signals).then_some(plan)
    }

    /// Whether triggers ask for frames now; `triggers` is how many there were.
    fn triggered(&self, triggers: u32) -> bool {
        self.signals && triggers % 2 == 1 || self.file.as_ref().is_some_and(|file| file.exists())
    }

    /// What changes before frame `state.ended + 1`.
    fn change(&self, state: &State, triggered: impl FnOnce() -> bool) -> Change {
        let next = state.ended + 1;
        if self.ranges.is_empty() {
            return match (state.since, triggered()) {
                (None, true) => Change::Begin,
                (Some(since), _) if self.most.is_some_and(|most| next - since >= most) => Change::Stop(Reason::Frames),
                (Some(_), false) => Change::Stop(Reason::Trigger),
                _ => Change::Nothing,
            };
        }
        let wanted = self.ranges.iter().any(|range| range.contains(&next));
        let later = self.ranges.iter().any(|range| *range.end() >= next);
        match (state.since, wanted) {
            (None, true) => Change::Begin,
            (Some(_), false) if later => Change::Pause,
            (_, false) if !later => Change::Stop(Reason::Frames),
            _ => Change::Nothing,
        }
    }
}

/// The frames that are written so; none, and a line about it, where that is wrong: the launcher has checked what it gives.
fn ranges(text: &str) -> Vec<RangeInclusive<u64>> {
    wanted::frames(text).unwrap_or_else(|wrong| {
        session::say(&format!("{FRAMES} is not heeded: {wrong}"));
        Vec::new()
    })
}

fn plan() -> Option<&'static Plan> {
    static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
    PLAN.get_or_init(Plan::from_environment).as_ref()
}

/// Whether submissions end frames, and presents do not.
pub(crate) fn by_submissions() -> bool {
    static BY: OnceLock<bool> = OnceLock::new();
    *BY.get_or_init(|| crate::environment::get(BOUNDARY).is_some_and(|value| value == "submissions"))
}

/// Whether the frame that is under way is wanted: pictures of others are not taken.
pub(crate) fn is_wanted() -> bool {
    plan().is_none() || session::current().is_some_and(|active| lock(active).since.is_some())
}

fn lock(active: &Active) -> std::sync::MutexGuard<'_, State> {
    active.frames.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Says whether the first frame is wanted. Called once for each session, before its first call is recorded.
pub(crate) fn begin(active: &Active) {
    if let Some(plan) = plan() {
        step(active, plan, &mut lock(active));
    }
}

/// Ends a frame: `write` records the boundary.
pub(crate) fn frame(write: impl FnOnce()) {
    let Some(active) = session::current() else { return };
    let Some(plan) = plan() else {
        write();
        if active.session.is_finished() {
            session::stop(active);
        }
        return;
    };
    // Held over both, so that frames are numbered here as they are in the trace.
    let mut state = lock(active);
    if active.is_stopped() {
        return;
    }
    write();
    state.ended += 1;
    step(active, plan, &mut state);
    if active.session.is_finished() {
        session::stop(active);
    }
}

fn step(active: &Active, plan: &Plan, state: &mut State) {
    let say = |kind, word: u32| record::fact(0, kind, &u64::from(word).to_le_bytes());
    match plan.change(state, || plan.triggered(active.session.triggers())) {
        Change::Nothing => {}
        Change::Begin => {
            state.since = Some(state.ended + 1);
            say(fact::WANTED, 1);
        }
        Change::Pause => {
            state.since = None;
            say(fact::WANTED, 0);
        }
        Change::Stop(reason) => {
            state.since = None;
            say(fact::STOP, reason as u32);
            session::stop(active);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays so many frames; the changes before each of them, and after the last, with the frame's number.
    fn changes(plan: &Plan, frames: u64, triggered: impl Fn(u64) -> bool) -> Vec<(u64, Change)> {
        let mut state = State::default();
        let mut changes = Vec::new();
        for next in 1..=frames + 1 {
            let change = plan.change(&state, || triggered(next));
            if change != Change::Nothing {
                changes.push((next, change));
            }
            match change {
                Change::Begin => state.since = Some(next),
                Change::Pause => state.since = None,
                Change::Stop(_) => return changes,
                Change::Nothing => {}
            }
            state.ended += 1;
        }
        changes
    }

    fn by_number(text: &str) -> Plan {
        Plan { ranges: ranges(text), ..Plan::default() }
    }

    #[test]
    fn frames_by_number() {
        use Change::{Begin, Pause, Stop};
        let stop = Stop(Reason::Frames);
        assert_eq!(changes(&by_number("3-4"), 9, |_| false), [(3, Begin), (5, stop)]);
        assert_eq!(changes(&by_number("1"), 9, |_| false), [(1, Begin), (2, stop)]);
        assert_eq!(changes(&by_number("2-3,6-6"), 9, |_| false), [(2, Begin), (4, Pause), (6, Begin), (7, stop)]);
        // In any order, and touching.
        assert_eq!(changes(&by_number("4-5,2-3"), 9, |_| false), [(2, Begin), (6, stop)]);
        assert_eq!(changes(&by_number("8-9"), 5, |_| false), []);
        assert_eq!(ranges("7,0-3"), []);
    }

    #[test]
    fn frames_by_trigger() {
        use Change::{Begin, Stop};
        let plan = Plan { signals: true, ..Plan::default() };
        assert_eq!(changes(&plan, 9, |frame| (4..6).contains(&frame)), [(4, Begin), (6, Stop(Reason::Trigger))]);
        assert_eq!(changes(&plan, 9, |_| false), []);
        let plan = Plan { signals: true, most: Some(3), ..Plan::default() };
        assert_eq!(changes(&plan, 9, |frame| frame >= 2), [(2, Begin), (5, Stop(Reason::Frames))]);
        assert_eq!(changes(&plan, 9, |frame| frame == 2), [(2, Begin), (3, Stop(Reason::Trigger))]);
    }

    #[test]
    fn a_signal_begins_and_the_next_one_ends() {
        let plan = Plan { signals: true, ..Plan::default() };
        assert_eq!([0, 1, 2, 3].map(|count| plan.triggered(count)), [false, true, false, true]);
        let none = Plan::default();
        assert!(!none.triggered(1));
    }
}
