//! Sets of frame numbers as a person writes them: `1-10,20`.
//!
//! Invariant: the ranges are kept as written; nothing is expanded, so a huge range costs nothing.

use std::fmt;
use std::str::FromStr;

/// Frames count from 1; both ends of a range belong to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FrameRanges(Vec<(u64, u64)>);

/// Text that names no set of frames.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameRangesError(String);

impl FrameRanges {
    /// Every frame.
    pub fn all() -> Self {
        Self(vec![(1, u64::MAX)])
    }

    /// Whether `frame` is one of them.
    pub fn contains(&self, frame: u64) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&frame))
    }

    /// Whether `frame` is the first of a range, or comes a multiple of `interval` after it; an interval of 0 is one of 1.
    pub fn contains_every(&self, frame: u64, interval: u64) -> bool {
        let mut around = self.0.iter().filter(|(first, last)| (first..=last).contains(&&frame));
        around.any(|&(first, _)| (frame - first).is_multiple_of(interval.max(1)))
    }

    /// First and last frame, where there is one range.
    pub fn single(&self) -> Option<(u64, u64)> {
        match self.0[..] {
            [range] => Some(range),
            _ => None,
        }
    }

    /// No frame at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// From the first frame asked for to the last.
    pub fn hull(&self) -> Option<(u64, u64)> {
        Some((self.0.iter().map(|&(first, _)| first).min()?, self.last()?))
    }

    /// The largest frame asked for.
    pub fn last(&self) -> Option<u64> {
        self.0.iter().map(|&(_, last)| last).max()
    }
}

impl FromStr for FrameRanges {
    type Err = FrameRangesError;

    /// `12`, `1-10`, `1-10,20`, `5-` (to the end), `all`.
    fn from_str(text: &str) -> Result<Self, FrameRangesError> {
        if text.trim() == "all" {
            return Ok(Self::all());
        }
        let error = |part: &str| {
            FrameRangesError(format!("{part:?} is no range of frames: write it like 1-10,20 (frames count from 1)"))
        };
        let number = |word: &str, part: &str| match word.trim().parse() {
            Ok(0) | Err(_) => Err(error(part)),
            Ok(number) => Ok(number),
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let range = match part.split_once('-') {
                None => (number(part, part)?, number(part, part)?),
                Some((first, last)) if last.trim().is_empty() => (number(first, part)?, u64::MAX),
                Some((first, last)) => (number(first, part)?, number(last, part)?),
            };
            if range.0 > range.1 {
                return Err(error(part));
            }
            ranges.push(range);
        }
        Ok(Self(ranges))
    }
}

impl fmt::Display for FrameRangesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FrameRangesError {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_they_name() {
        let ranges: FrameRanges = "1-3, 7,10-".parse().unwrap();
        let held: Vec<u64> = (0..12).filter(|&frame| ranges.contains(frame)).collect();
        assert_eq!(held, [1, 2, 3, 7, 10, 11]);
        assert_eq!("all".parse::<FrameRanges>().unwrap().last(), Some(u64::MAX));
        assert!(!FrameRanges::default().contains(1));
        assert_eq!(ranges.single(), None);
        assert_eq!("4-".parse::<FrameRanges>().unwrap().single(), Some((4, u64::MAX)));
    }

    #[test]
    fn intervals_count_from_the_start_of_each_range() {
        let ranges: FrameRanges = "10-20,31-34".parse().unwrap();
        let every = |interval| (0..50).filter(|&frame| ranges.contains_every(frame, interval)).collect::<Vec<u64>>();
        assert_eq!(every(2), [10, 12, 14, 16, 18, 20, 31, 33]);
        assert_eq!(every(100), [10, 31]);
        assert_eq!(every(0), every(1));
        assert_eq!(every(1).len(), 15);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "0", "3-1", "a", "1,,2", "-", "-4", "1-0", "99999999999999999999"] {
            assert!(text.parse::<FrameRanges>().is_err(), "{text}");
        }
    }
}
