//! The plan of wanted frames: by number, while a file is there, or between triggers.
//!
//! A pure function from the plan and the frames that have ended to what changes next; [`crate::session::frames`] acts on it.

use crate::session::environment;
use reprise_environment::capture::{FRAMES, TRIGGER, TRIGGER_FILE, TRIGGER_FRAMES};
use reprise_trace::wanted_frames::{self, StopReason};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// What the user asked for.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    ranges: Vec<RangeInclusive<u64>>,
    file: Option<PathBuf>,
    signals: bool,
    most: Option<u64>,
}

/// Where a session stands in the plan.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Frames that have ended.
    pub(crate) ended: u64,
    /// The first frame of those that are wanted now.
    pub(crate) since: Option<u64>,
}

/// What changes between two frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Nothing,
    /// The next frame is wanted, the last one was not.
    Begin,
    /// The reverse, and more are wanted later.
    Pause,
    /// The reverse, and none are wanted any more.
    Stop(StopReason),
}

impl Plan {
    /// The plan that the environment asks for; `None` where all frames are wanted and none ends the recording.
    pub(crate) fn from_environment() -> Option<Plan> {
        let text = environment::get;
        let plan = Plan {
            ranges: text(FRAMES).map(|frames| ranges(&frames.to_string_lossy())).unwrap_or_default(),
            file: text(TRIGGER_FILE).map(|file| reprise_environment::path(file.as_ref())),
            signals: text(TRIGGER).is_some_and(|value| value == "1"),
            most: text(TRIGGER_FRAMES).and_then(|value| value.to_string_lossy().parse().ok()),
        };
        (!plan.ranges.is_empty() || plan.file.is_some() || plan.signals).then_some(plan)
    }

    /// Whether triggers ask for frames now; `triggers` is how many there were.
    pub(crate) fn triggered(&self, triggers: u32) -> bool {
        self.signals && triggers % 2 == 1 || self.file.as_ref().is_some_and(|file| file.exists())
    }

    /// What changes before frame `progress.ended + 1`.
    pub(crate) fn change(&self, progress: &Progress, triggered: impl FnOnce() -> bool) -> Change {
        let next = progress.ended + 1;
        if self.ranges.is_empty() {
            return match (progress.since, triggered()) {
                (None, true) => Change::Begin,
                (Some(since), _) if self.most.is_some_and(|most| next - since >= most) => {
                    Change::Stop(StopReason::Frames)
                }
                (Some(_), false) => Change::Stop(StopReason::Trigger),
                _ => Change::Nothing,
            };
        }
        let wanted = self.ranges.iter().any(|range| range.contains(&next));
        let later = self.ranges.iter().any(|range| *range.end() >= next);
        match (progress.since, wanted) {
            (None, true) => Change::Begin,
            (Some(_), false) if later => Change::Pause,
            (_, false) if !later => Change::Stop(StopReason::Frames),
            _ => Change::Nothing,
        }
    }
}

/// The frames that are written so; none, and a line about it, where that is wrong: the launcher has checked what it gives.
fn ranges(text: &str) -> Vec<RangeInclusive<u64>> {
    wanted_frames::ranges(text).unwrap_or_else(|wrong| {
        reprise_log::warning(format_args!("{FRAMES} is not heeded: {wrong}"));
        Vec::new()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays so many frames; the changes before each of them, and after the last, with the frame's number.
    fn changes(plan: &Plan, frames: u64, triggered: impl Fn(u64) -> bool) -> Vec<(u64, Change)> {
        let mut progress = Progress::default();
        let mut changes = Vec::new();
        for next in 1..=frames + 1 {
            let change = plan.change(&progress, || triggered(next));
            if change != Change::Nothing {
                changes.push((next, change));
            }
            match change {
                Change::Begin => progress.since = Some(next),
                Change::Pause => progress.since = None,
                Change::Stop(_) => return changes,
                Change::Nothing => {}
            }
            progress.ended += 1;
        }
        changes
    }

    fn by_number(text: &str) -> Plan {
        Plan { ranges: ranges(text), ..Plan::default() }
    }

    #[test]
    fn frames_by_number() {
        use Change::{Begin, Pause, Stop};
        let stop = Stop(StopReason::Frames);
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
        assert_eq!(changes(&plan, 9, |frame| (4..6).contains(&frame)), [(4, Begin), (6, Stop(StopReason::Trigger))]);
        assert_eq!(changes(&plan, 9, |_| false), []);
        let plan = Plan { signals: true, most: Some(3), ..Plan::default() };
        assert_eq!(changes(&plan, 9, |frame| frame >= 2), [(2, Begin), (5, Stop(StopReason::Frames))]);
        assert_eq!(changes(&plan, 9, |frame| frame == 2), [(2, Begin), (3, Stop(StopReason::Trigger))]);
    }

    #[test]
    fn a_signal_begins_and_the_next_one_ends() {
        let plan = Plan { signals: true, ..Plan::default() };
        assert_eq!([0, 1, 2, 3].map(|count| plan.triggered(count)), [false, true, false, true]);
        let none = Plan::default();
        assert!(!none.triggered(1));
    }
}
