//! The same duration, measured several times.

use serde_json::{Value as Json, json};

/// Durations in nanoseconds, one of each replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    pub(crate) fn add(&mut self, duration: f64) {
        self.0.push(duration);
        self.0.sort_by(f64::total_cmp);
    }

    pub(crate) fn least(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn most(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }

    /// The one in the middle, or halfway between the two that are.
    pub(crate) fn median(&self) -> f64 {
        let at = |index: usize| self.0.get(index).copied().unwrap_or(f64::NAN);
        let half = self.0.len() / 2;
        if self.0.len() % 2 == 1 { at(half) } else { f64::midpoint(at(half.wrapping_sub(1)), at(half)) }
    }

    /// Whether every one is longer than every one of the others. Of two times ten samples of equal things that happens once in 184,756
    /// times by chance, of two times five once in 252 (the rank-sum test's extreme).
    pub(crate) fn are_all_longer_than(&self, others: &Samples) -> bool {
        self.least() > others.most()
    }

    /// In milliseconds.
    pub(crate) fn json(&self) -> Json {
        json!({ "median": self.median() / 1e6, "least": self.least() / 1e6, "most": self.most() / 1e6 })
    }
}

impl FromIterator<f64> for Samples {
    fn from_iter<I: IntoIterator<Item = f64>>(durations: I) -> Self {
        let mut samples = Self::default();
        durations.into_iter().for_each(|duration| samples.add(duration));
        samples
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_stands_in_the_middle() {
        let of = |durations: &[f64]| durations.iter().copied().collect::<Samples>();
        assert_eq!(of(&[3.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(of(&[4.0, 1.0, 2.0, 9.0]).median(), 3.0);
        assert!(of(&[]).median().is_nan());
        assert_eq!((of(&[3.0, 1.0]).least(), of(&[3.0, 1.0]).most()), (1.0, 3.0));
        assert!(of(&[5.0, 6.0]).are_all_longer_than(&of(&[1.0, 4.0])));
        assert!(!of(&[5.0, 6.0]).are_all_longer_than(&of(&[1.0, 5.0])));
        assert!(!of(&[]).are_all_longer_than(&of(&[])));
    }
}
