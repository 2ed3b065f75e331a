//! The comparison of two hash files, line by line: no code is shared with what made them.

use anyhow::{Context, Result};
use std::path::Path;

/// What the comparison found.
pub(super) struct Verdict {
    /// Frames that were presented at capture.
    pub(super) captured: usize,
    /// Of these, frames with the same line from the replay.
    pub(super) equal: usize,
    /// Lines that only one of the files has.
    pub(super) different: usize,
    /// The first frame that differs.
    pub(super) first: Option<String>,
}

impl Verdict {
    pub(super) fn compare(captured: &Path, replayed: &Path) -> Result<Verdict> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read the hashes {}", path.display()))
        };
        Ok(Verdict::of(&read(captured)?, &read(replayed)?))
    }

    fn of(captured: &str, replayed: &str) -> Verdict {
        let (left, right): (Vec<&str>, Vec<&str>) = (captured.lines().collect(), replayed.lines().collect());
        let equal = left.iter().zip(&right).filter(|(left, right)| left == right).count();
        let first = (0..left.len().max(right.len())).find(|&index| left.get(index) != right.get(index));
        let first = first.and_then(|index| left.get(index).or(right.get(index)));
        let first = first.and_then(|line| line.split_whitespace().next()).map(str::to_owned);
        Verdict { captured: left.len(), equal, different: left.len().max(right.len()) - equal, first }
    }

    pub(super) fn passed(&self) -> bool {
        self.equal > 0 && self.different == 0
    }

    pub(super) fn line(&self) -> String {
        let first = self.first.as_ref().map(|first| format!(", the first that differs is frame {first}"));
        format!("{} of {} frames equal{}", self.equal, self.captured, first.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_frame_is_a_difference() {
        assert!(Verdict::of("1 a\n2 b\n", "1 a\n2 b\n").passed());
        assert!(!Verdict::of("", "").passed());
        let short = Verdict::of("1 a\n2 b\n", "1 a\n");
        assert_eq!((short.passed(), short.first.as_deref()), (false, Some("2")));
        let other = Verdict::of("1 a\n2 b\n3 c\n", "1 a\n2 x\n3 c\n");
        assert_eq!((other.equal, other.different, other.first.as_deref()), (2, 1, Some("2")));
    }
}
