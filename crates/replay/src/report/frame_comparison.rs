//! The comparison of two runs' frames by their hashes.

use std::collections::BTreeMap;
use std::fmt;

use reprise_trace::frame_hash::{FrameHash, FrameLine};

/// A frame that is not the same in both runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Frames count from 1.
    pub frame: u64,
    /// `None`: this run does not have the frame.
    pub expected: Option<FrameHash>,
    /// As `expected`.
    pub actual: Option<FrameHash>,
}

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Frames with the same hash in both.
    pub equal: u64,
    /// In frame order.
    pub mismatches: Vec<Mismatch>,
}

impl Verdict {
    /// Something was compared, and all of it is equal.
    pub fn passed(&self) -> bool {
        self.equal > 0 && self.mismatches.is_empty()
    }
}

/// Compares two runs frame by frame; a frame that only one of them has is a mismatch.
pub fn compare(expected: &[FrameLine], actual: &[FrameLine]) -> Verdict {
    let mut frames: BTreeMap<u64, (Option<FrameHash>, Option<FrameHash>)> = BTreeMap::new();
    for line in expected {
        frames.entry(line.frame).or_default().0 = Some(line.hash);
    }
    for line in actual {
        frames.entry(line.frame).or_default().1 = Some(line.hash);
    }
    let mut verdict = Verdict::default();
    for (frame, (expected, actual)) in frames {
        if expected == actual {
            verdict.equal += 1;
        } else {
            verdict.mismatches.push(Mismatch { frame, expected, actual });
        }
    }
    verdict
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.expected, self.actual) {
            (Some(expected), Some(actual)) => write!(f, "frame {}: expected {expected}, got {actual}", self.frame),
            (Some(_), None) => write!(f, "frame {}: missing", self.frame),
            _ => write!(f, "frame {}: not expected", self.frame),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(frame: u64, hash: u128) -> FrameLine {
        FrameLine { frame, hash: FrameHash(hash) }
    }

    #[test]
    fn every_way_to_differ_is_named() {
        let verdict = compare(&[line(1, 1), line(2, 2), line(3, 3)], &[line(2, 9), line(1, 1), line(4, 4)]);
        assert_eq!(verdict.equal, 1);
        let words: Vec<String> = verdict.mismatches.iter().map(ToString::to_string).collect();
        assert!(words[0].starts_with("frame 2: expected 0"), "{words:?}");
        assert_eq!(words[1..], ["frame 3: missing", "frame 4: not expected"]);
        assert!(!verdict.passed());
    }

    #[test]
    fn nothing_compared_is_no_success() {
        assert!(!compare(&[], &[]).passed());
        assert!(compare(&[line(1, 7)], &[line(1, 7)]).passed());
    }
}
