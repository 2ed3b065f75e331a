//! The same duration, measured several times, and whether it is longer than another one.

use serde_json::{Value as Json, json};

/// Of comparisons of equal things the share that may name something.
const CHANCE: f64 = 0.001;
/// Clocks of GPUs are so exact that equal things differ by a thousandth in every replay: from this share on a difference is told.
const TOLD: f64 = 0.01;
/// More samples are not ranked: counting their orders would take long.
const MOST_RANKED: usize = 60;

/// Durations in nanoseconds, one of each replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Of fewer replays on each side chance puts all of one before all of the other too often.
    pub const FEWEST: usize = 5;

    /// Adds one.
    pub fn add(&mut self, duration: f64) {
        self.0.push(duration);
        self.0.sort_by(f64::total_cmp);
    }

    /// The shortest; NaN where there is none.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.0.first().copied().unwrap_or(f64::NAN)
    }

    /// The longest; NaN where there is none.
    #[must_use]
    pub fn most(&self) -> f64 {
        self.0.last().copied().unwrap_or(f64::NAN)
    }

    /// The one in the middle, or halfway between the two that are; NaN where there is none.
    #[must_use]
    pub fn median(&self) -> f64 {
        let at = |index: usize| self.0.get(index).copied().unwrap_or(f64::NAN);
        let half = self.0.len() / 2;
        if self.0.len() % 2 == 1 { at(half) } else { f64::midpoint(at(half.wrapping_sub(1)), at(half)) }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether these are surely longer than the others, where so many things are compared, and by enough to speak of.
    #[must_use]
    pub fn are_told_longer_than(&self, others: &Samples, compared: usize) -> bool {
        self.are_longer_by(TOLD, others, compared)
    }

    /// Whether these are surely longer than the others, where so many things are compared, and by such a share.
    #[must_use]
    pub fn are_longer_by(&self, share: f64, others: &Samples, compared: usize) -> bool {
        self.are_longer_than(others, compared) && self.median() >= others.median() * (1.0 + share)
    }

    /// Whether these are longer than the others, where so many things are compared: every one is longer than every one of the others, or so
    /// many are that among all things that are compared, were they equal, chance would name one in less than [`CHANCE`] of comparisons. Of two
    /// times ten samples of one equal thing the first happens once in 184,756 times, of two times five once in 252.
    #[must_use]
    pub fn are_longer_than(&self, others: &Samples, compared: usize) -> bool {
        if self.0.is_empty() || others.0.is_empty() {
            return false;
        }
        // Of so few samples no order is that unlikely: none is counted.
        let (own, theirs) = (self.0.len(), others.0.len());
        let one: f64 = (1..=own).map(|at| at as f64 / (theirs + at) as f64).product();
        let enough = |chance: f64| chance * compared.max(1) as f64 <= CHANCE;
        self.least() > others.most() || (enough(one) && enough(self.chance(others)))
    }

    /// How likely it is that so few of the others are as long as these, or fewer, were both samples of equal things: the rank-sum test of Mann
    /// and Whitney, exact, one-sided; ties count as if the others were longer. `1` where there are too many samples for counting.
    fn chance(&self, others: &Samples) -> f64 {
        let (own, theirs) = (self.0.len(), others.0.len());
        if own.max(theirs) > MOST_RANKED {
            return 1.0;
        }
        let inverted: usize = self.0.iter().map(|one| others.0.iter().filter(|other| *other >= one).count()).sum();
        // Of all orders of so many of both kinds: the share with so many inversions. `row[j]` is for `i` of these and `j` of the others.
        let mut rows: Vec<Vec<f64>> = vec![vec![1.0]; theirs + 1];
        for i in 1..=own {
            let mut next: Vec<Vec<f64>> = vec![vec![1.0]];
            for j in 1..=theirs {
                let mut ways = vec![0.0; i * j + 1];
                // The longest of all is one of these, or one of the others, which is then longer than all of these.
                let (a, b) = (i as f64 / (i + j) as f64, j as f64 / (i + j) as f64);
                rows[j].iter().enumerate().for_each(|(at, share)| ways[at] += share * a);
                next[j - 1].iter().enumerate().for_each(|(at, share)| ways[at + i] += share * b);
                next.push(ways);
            }
            rows = next;
        }
        rows.last().map_or(1.0, |shares| shares.iter().take(inverted + 1).sum())
    }

    /// In milliseconds.
    #[must_use]
    pub fn json(&self) -> Json {
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
        assert!(of(&[5.0, 6.0]).are_longer_than(&of(&[1.0, 4.0]), 1000));
        assert!(!of(&[5.0, 6.0]).are_longer_than(&of(&[1.0, 5.0]), 1));
        assert!(!of(&[]).are_longer_than(&of(&[]), 1) && !of(&[1.0]).are_longer_than(&of(&[]), 1));
    }

    /// One of ten replays that was disturbed on either side hides nothing, unless many things are compared. The shares are those of the tables of
    /// the test's authors: of 184,756 orders, 1 has no inversion, 1 has one, 2 have two, 3 have three.
    #[test]
    fn a_disturbed_replay_hides_nothing() {
        let of = |from: f64| (0..10).map(|at| from + f64::from(at)).collect::<Samples>();
        let (mut short, long) = (of(100.0), of(200.0));
        let share = |inverted: f64| inverted / 184_756.0;
        assert!((long.chance(&short) - share(1.0)).abs() < 1e-12);
        // One that took longer than three of the others.
        short.0[9] = 202.5;
        assert!((long.chance(&short) - share(1.0 + 1.0 + 2.0 + 3.0)).abs() < 1e-12);
        assert!(long.are_longer_than(&short, 26) && !long.are_longer_than(&short, 27));
        assert!(!short.are_longer_than(&long, 1));
        // Equal things: half of all orders are as good.
        assert!(of(100.0).chance(&of(100.5)) > 0.4);
    }
}
