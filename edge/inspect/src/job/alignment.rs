//! Which call of one trace stands beside a call of the other, from the differences of both.
//!
//! Only differences are kept. Calls that are the same in both follow each other in the same order within a frame, so the place of one is counted
//! from the frame's beginning, less the calls that only the other trace has. Threads interleave in another way in each run: the place is where the
//! call would be if they interleaved alike.

use std::collections::BTreeMap;

/// Differences by frame.
#[derive(Debug, Default)]
pub(crate) struct Alignment {
    frames: BTreeMap<u64, Vec<Difference>>,
}

/// The calls of both traces; 0 where a trace has no such call.
type Difference = [u64; 2];

impl Alignment {
    /// Takes a difference of a frame.
    pub(crate) fn add(&mut self, frame: u64, calls: [u64; 2]) {
        self.frames.entry(frame).or_default().push(calls);
    }

    /// The call beside a call of trace `t`, and whether there is one. The number is 0 for a call that does not differ: then its place has to be
    /// counted.
    pub(crate) fn beside(&self, t: usize, frame: u64, call: u64) -> (u64, bool) {
        let (own, other) = if t == 0 { (0, 1) } else { (1, 0) };
        let all = self.frames.get(&frame).map_or(&[][..], Vec::as_slice);
        match all.iter().find(|difference| difference[own] == call) {
            Some(difference) if difference[other] == 0 => (0, false),
            Some(difference) => (difference[other], true),
            None => (0, true),
        }
    }

    /// How many calls of the frame before a call only its own trace has, and how many only the other trace has.
    pub(crate) fn before(&self, t: usize, frame: u64, call: u64) -> (u64, u64) {
        let (own, other) = if t == 0 { (0, 1) } else { (1, 0) };
        let all = self.frames.get(&frame).map_or(&[][..], Vec::as_slice);
        let (mut only_own, mut only_other) = (0, 0);
        // Differences come in the order of both sides, thread by thread.
        let mut reached = 0;
        for difference in all {
            if difference[own] != 0 {
                reached = difference[own];
                only_own += u64::from(difference[other] == 0 && difference[own] < call);
            } else if reached < call {
                only_other += 1;
            }
        }
        (only_own, only_other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_side_lacks_shifts_the_rest() {
        let mut alignment = Alignment::default();
        // Call 5 only in the first; 8 and 9 only in the second, behind the first's 7; 10 is the second's 12, otherwise.
        for difference in [[5, 0], [7, 6], [0, 8], [0, 9], [10, 12]] {
            alignment.add(1, difference);
        }
        assert_eq!(alignment.beside(0, 1, 5), (0, false));
        assert_eq!(alignment.beside(0, 1, 10), (12, true));
        assert_eq!(alignment.beside(1, 1, 12), (10, true));
        assert_eq!(alignment.before(0, 1, 9), (1, 2));
        assert_eq!(alignment.before(0, 1, 4), (0, 0));
    }
}
