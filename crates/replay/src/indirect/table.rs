//! The table that the translating shader searches: recorded address ranges, and their places on this device. Pure.

use std::ops::Range;

/// Ranges of recorded addresses, rising and without overlap, and where they begin here.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Moved {
    ranges: Vec<(Range<u64>, u64)>,
    /// Whether any lies elsewhere.
    elsewhere: bool,
}

impl Moved {
    /// Of such ranges, which rise and do not overlap, with where they begin here.
    pub(crate) fn of(places: &[(Range<u64>, u64)]) -> Self {
        let mut moved = Self::default();
        places.iter().for_each(|(range, here)| moved.push(range.clone(), *here));
        moved
    }

    /// Adds a range that begins at the end of the last one or after it.
    pub(crate) fn push(&mut self, range: Range<u64>, here: u64) {
        self.elsewhere |= range.start != here;
        if let Some((last, there)) = self.ranges.last_mut()
            && last.end == range.start
            && here.wrapping_sub(*there) == range.start - last.start
        {
            last.end = range.end;
            return;
        }
        self.ranges.push((range, here));
    }

    /// Whether every address is the same here as at capture.
    pub(crate) fn is_nothing(&self) -> bool {
        !self.elsewhere
    }

    /// Whether there are no ranges: nothing tells where those will lie that come.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many ranges there are.
    pub(crate) fn len(&self) -> u32 {
        self.ranges.len() as u32
    }

    /// Bytes of a range.
    pub(crate) const RANGE: usize = 24;

    /// Bytes of the number of ranges, behind them.
    pub(crate) const COUNT: usize = 8;

    /// As shaders read them: filled up to `room` with ranges behind all addresses, and then how many there are; `None` where there are
    /// more.
    pub(crate) fn bytes(&self, room: u32) -> Option<Vec<u8>> {
        (self.ranges.len() <= room as usize).then_some(())?;
        let size = room as usize * Self::RANGE;
        let mut bytes = Vec::with_capacity(size + Self::COUNT);
        let words = self.ranges.iter().flat_map(|(range, here)| [range.start, range.end, *here]);
        words.for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes.resize(size, u8::MAX);
        bytes.extend_from_slice(&(self.ranges.len() as u64).to_le_bytes());
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_moved_together_are_one() {
        let mut moved = Moved::default();
        moved.push(0x1000..0x2000, 0x1000);
        assert!(moved.is_nothing());
        moved.push(0x2000..0x3000, 0x2000);
        assert!(moved.is_nothing());
        assert_eq!(moved.len(), 1);
        moved.push(0x3000..0x3800, 0x9000);
        moved.push(0x3800..0x4000, 0x9800);
        moved.push(0x5000..0x6000, 0xa800);
        assert!(!moved.is_nothing());
        assert_eq!(moved.len(), 3);
        let words: Vec<u64> = moved
            .bytes(4)
            .unwrap()
            .chunks_exact(8)
            .map(|bytes| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte)))
            .collect();
        let behind = u64::MAX;
        let ranges =
            [0x1000, 0x3000, 0x1000, 0x3000, 0x4000, 0x9000, 0x5000, 0x6000, 0xa800, behind, behind, behind, 3];
        assert_eq!(words, ranges);
        assert_eq!(moved.bytes(2), None, "no room");
    }
}
