//! Whether what a runtime made of a program is what the processor makes of it.

use crate::exact::Precision;
use crate::interpret::Word;
use crate::layout::{COMMON, SLOTS};
use std::fmt;

/// The first word that differs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// Of the output.
    pub word: usize,
    /// What it has to be.
    pub expected: u32,
    /// What it is.
    pub found: u32,
    /// Words that differ.
    pub count: usize,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, expected, found, count } = *self;
        match word.checked_sub(COMMON) {
            Some(own) => write!(f, "word {} of thread {}", own % SLOTS + COMMON, own / SLOTS)?,
            None => write!(f, "word {word} of all threads")?,
        }
        let [real, other] = [expected, found].map(f32::from_bits);
        write!(f, " is 0x{found:08x} ({other:?}) and not 0x{expected:08x} ({real:?}); {count} words differ")
    }
}

/// Compares all words; `None` where they agree.
pub fn compare(expected: &[Word], found: &[u32]) -> Option<Difference> {
    // A word that is missing is a wrong one.
    let found = found.iter().copied().chain(std::iter::repeat(0xdead_dead));
    let mut wrong = expected.iter().zip(found).enumerate().filter(|(_, (expected, found))| !agrees(expected, *found));
    let (word, (first, found)) = wrong.next()?;
    Some(Difference { word, expected: first.bits, found, count: 1 + wrong.count() })
}

/// How far off what is not exact may be, of what is larger than 1, and of what is not.
const NEAR: f32 = 1.0 / 512.0;

fn agrees(expected: &Word, found: u32) -> bool {
    if expected.bits == found {
        return true;
    }
    let [right, found] = [expected.bits, found].map(f32::from_bits);
    match expected.precision {
        Precision::BITS => false,
        // The sign of 0 is not certain.
        Precision::Exact { .. } | Precision::Rounded | Precision::Wild => right == found,
        Precision::Near => (right - found).abs() <= NEAR * right.abs().max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(value: f32, precision: Precision) -> Word {
        Word { bits: value.to_bits(), precision }
    }

    #[test]
    fn each_word_is_compared_as_exactly_as_it_is_known() {
        let of = |precision, right: f32, found: f32| compare(&[word(right, precision)], &[found.to_bits()]).is_none();
        let exact = Precision::Exact { whole: 8, fraction: 2 };
        assert!(of(exact, 0.0, -0.0));
        assert!(!of(exact, 1.0, 1.000_000_1));
        assert!(!of(Precision::BITS, 0.0, -0.0));
        assert!(!of(Precision::Rounded, 1e10, f32::NAN));
        assert!(of(Precision::Near, 1000.0, 1001.0));
        assert!(!of(Precision::Near, 1.0, 1.01));
        assert!(!of(Precision::Near, 1.0, f32::NAN));
    }

    #[test]
    fn what_is_missing_differs() {
        let exact = word(1.0, Precision::BITS);
        let difference = compare(&[exact, exact], &[exact.bits]).map(|difference| (difference.word, difference.count));
        assert_eq!(difference, Some((1, 1)));
    }
}
