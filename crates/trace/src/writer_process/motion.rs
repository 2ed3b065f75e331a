//! Whether a program moves: it ends frames, submits, or makes calls that do more than ask.
//!
//! Invariant: a program that never submitted anything or ended a frame does not hang. It loads, or waits for somebody.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::record::{Kind, Record};

/// What calls of a method tell of motion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// They hand work to the GPU.
    Submits,
    /// They ask how far something is: a program that hangs may make them for ever.
    Asks,
    /// They are motion.
    Other,
}

/// What was seen of motion.
#[derive(Debug, Default)]
pub(crate) struct Motion {
    /// By method; none where nobody watches.
    roles: Vec<Role>,
    /// Something was submitted, or a frame ended.
    begun: bool,
    /// The last motion, and whether its end was told already.
    last: Option<Instant>,
    moved: bool,
    told: bool,
    /// The last value that each fence was seen at.
    seen: HashMap<u32, u64>,
}

/// Fences whose values are remembered; beyond them all are forgotten.
const MOST_FENCES: usize = 1 << 16;

impl Motion {
    /// Watches.
    pub(crate) fn of(role: &dyn Fn(u16) -> Role) -> Motion {
        Motion { roles: (0..=u16::MAX).map(role).collect(), ..Motion::default() }
    }

    /// Something moved.
    #[inline]
    pub(crate) fn moves(&mut self) {
        self.moved = true;
    }

    /// A record was taken.
    pub(crate) fn note(&mut self, record: &Record<'_>) {
        if self.roles.is_empty() {
            return;
        }
        let role = || self.roles.get(usize::from(record.header.method)).copied().unwrap_or(Role::Other);
        self.moved |= match record.kind {
            Kind::Enter | Kind::Leave => {
                let role = role();
                self.begun |= role == Role::Submits;
                role != Role::Asks
            }
            Kind::Frame => {
                self.begun = true;
                true
            }
            Kind::Observe => {
                if self.seen.len() >= MOST_FENCES {
                    self.seen.clear();
                }
                let value = record.payload.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
                self.seen.insert(record.header.object, value) != Some(value)
            }
            _ => false,
        };
    }

    /// Whether nothing has moved for this long. Says so once for each time that something stood still.
    pub(crate) fn stands_still(&mut self, allowed: Duration, now: Instant) -> bool {
        if std::mem::take(&mut self.moved) {
            (self.last, self.told) = (Some(now), false);
        }
        let still = self.begun && !self.told && self.last.is_some_and(|last| now.duration_since(last) >= allowed);
        self.told |= still;
        still
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Header;

    const SUBMIT: u16 = 1;
    const ASK: u16 = 2;

    fn motion() -> Motion {
        Motion::of(&|method| match method {
            SUBMIT => Role::Submits,
            ASK => Role::Asks,
            _ => Role::Other,
        })
    }

    fn note(motion: &mut Motion, kind: Kind, method: u16, value: u64) {
        let header = Header { kind: kind as u8, method, object: 7, ..Header::default() };
        let payload = value.to_le_bytes();
        motion.note(&Record { header, kind, sequence: 0, ticks: 0, after: 0, payload: &payload });
    }

    #[test]
    fn a_program_that_only_asks_stands_still_and_is_told_of_once() {
        let (mut motion, allowed, zero) = (motion(), Duration::from_secs(5), Instant::now());
        let at = |seconds| zero + Duration::from_secs(seconds);
        note(&mut motion, Kind::Enter, 3, 0);
        assert!(!motion.stands_still(allowed, at(0)));
        assert!(!motion.stands_still(allowed, at(9)), "it has not begun: it loads");
        note(&mut motion, Kind::Enter, SUBMIT, 0);
        note(&mut motion, Kind::Observe, 0, 1);
        assert!(!motion.stands_still(allowed, at(10)));
        for second in 11..15 {
            note(&mut motion, Kind::Enter, ASK, 0);
            note(&mut motion, Kind::Observe, 0, 1);
            note(&mut motion, Kind::Leave, ASK, 0);
            assert!(!motion.stands_still(allowed, at(second)));
        }
        assert!(motion.stands_still(allowed, at(15)));
        assert!(!motion.stands_still(allowed, at(30)), "it was told already");
        note(&mut motion, Kind::Observe, 0, 2);
        assert!(!motion.stands_still(allowed, at(31)), "a fence rose");
        assert!(motion.stands_still(allowed, at(36)));
    }

    #[test]
    fn nobody_watches_unasked() {
        let mut motion = Motion::default();
        note(&mut motion, Kind::Frame, 0, 0);
        assert!(!motion.stands_still(Duration::ZERO, Instant::now()));
    }
}
