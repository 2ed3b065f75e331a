//! What takes longer than on the other side, and whether it still does when both sides are measured anew.
//!
//! A load of the machine comes and goes, and a process has its memory in places of its own: both make all replays of a side slower, so no number
//! of replays of one process tells them from the side. A later measurement shares no load and no process with an earlier one.
//!
//! Invariant: what is slower was slower in each of the measurements.

use super::group::Table;
use super::row::Row;
use std::collections::BTreeSet;

/// Measurements that have to agree. With two, `bisect --slower` called a candidate slower than itself in 2 of 20 searches on lavapipe: copies of a
/// hundredth of the whole took 1.9 times as long in two processes, one after the other.
const MEASUREMENTS: u32 = 3;

/// The whole, and rows by their labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slower {
    is_whole: bool,
    rows: BTreeSet<String>,
    /// Rows that are slower by any amount: they explain a difference, and make none.
    by_any: BTreeSet<String>,
}

impl Slower {
    /// What is slower by at least so much, as a share.
    pub(crate) fn of(table: &Table, rows: &[Row], least: f64) -> Self {
        let labels = |least| table.slower(rows, least).map(Row::label).collect();
        Self { is_whole: table.is_wholly_slower(least), rows: labels(least), by_any: labels(0.0) }
    }

    pub(crate) fn is_none(&self) -> bool {
        !self.is_whole && self.rows.is_empty()
    }

    /// Whether the whole is, not only a part of it.
    #[cfg(not(windows))]
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    #[cfg(not(windows))]
    pub(crate) fn has(&self, row: &Row) -> bool {
        self.rows.contains(&row.label())
    }

    /// Whether a row is slower, by whatever.
    #[cfg(not(windows))]
    pub(crate) fn has_by_any(&self, row: &Row) -> bool {
        self.by_any.contains(&row.label())
    }

    fn and(self, other: &Self) -> Self {
        let both = |mut of: BTreeSet<String>, others: &BTreeSet<String>| {
            of.retain(|row| others.contains(row));
            of
        };
        Self {
            is_whole: self.is_whole && other.is_whole,
            rows: both(self.rows, &other.rows),
            by_any: both(self.by_any, &other.by_any),
        }
    }
}

/// What was measured last, and what came of all measurements.
#[derive(Debug)]
pub(crate) struct Decided<M> {
    pub(crate) measured: M,
    pub(crate) slower: Slower,
    /// How often both sides were measured.
    pub(crate) measurements: u32,
}

/// Measures both sides, and again as long as something is slower in all measurements so far, up to [`MEASUREMENTS`] times. `measure` is given how
/// many measurements were made before.
///
/// # Errors
/// Those of `measure`.
pub(crate) fn decide<M, E>(
    mut measure: impl FnMut(u32) -> Result<M, E>,
    slower: impl Fn(&M) -> Slower,
) -> Result<Decided<M>, E> {
    let first = measure(0)?;
    let mut decided = Decided { slower: slower(&first), measured: first, measurements: 1 };
    while !decided.slower.is_none() && decided.measurements < MEASUREMENTS {
        let measured = measure(decided.measurements)?;
        let slower = decided.slower.and(&slower(&measured));
        decided = Decided { measured, slower, measurements: decided.measurements + 1 };
    }
    Ok(decided)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// The measurements, each as what is slower in it; empty is the whole.
    fn after(measurements: &[&[&str]]) -> (Vec<String>, u32) {
        let slower = |rows: &&[&str]| Slower {
            is_whole: rows.contains(&""),
            rows: rows.iter().filter(|row| !row.is_empty()).map(|&row| row.to_owned()).collect(),
            ..Slower::default()
        };
        let measure = |before: u32| Ok::<_, Infallible>(measurements[before as usize]);
        let Ok(Decided { slower, measurements, .. }) = decide(measure, slower);
        (slower.is_whole.then(String::new).into_iter().chain(slower.rows).collect(), measurements)
    }

    #[test]
    fn what_is_slower_is_so_in_every_measurement() {
        let whole_and_draws: &[&str] = &["", "draws"];
        let answer = |rows: &[&str]| rows.iter().map(|&row| row.to_owned()).collect::<Vec<_>>();
        assert_eq!(after(&[&[]]), (answer(&[]), 1));
        assert_eq!(after(&[whole_and_draws; 3]), (answer(whole_and_draws), 3));
        assert_eq!(after(&[&["copies"], &[]]), (answer(&[]), 2));
        // Twice is not enough, nor is something else each time.
        assert_eq!(after(&[&["copies"], &["copies"], &[]]), (answer(&[]), 3));
        assert_eq!(after(&[&["copies"], &["draws"]]), (answer(&[]), 2));
        assert_eq!(after(&[&["copies", "draws"], &["draws", "clears"], &["clears", "draws"]]), (answer(&["draws"]), 3));
        assert_eq!(after(&[whole_and_draws, &["draws"], whole_and_draws]), (answer(&["draws"]), 3));
    }

    #[test]
    fn what_explains_a_difference_is_slower_in_every_measurement_too() {
        let rows = |rows: &[&str]| rows.iter().map(|&row| row.to_owned()).collect::<BTreeSet<_>>();
        let draws = |by_any: &[&str]| Slower { is_whole: false, rows: rows(&["draws"]), by_any: rows(by_any) };
        let measurements = [draws(&["draws", "copies"]), draws(&["draws", "clears"]), draws(&["draws", "copies"])];
        let measure = |before: u32| Ok::<_, Infallible>(measurements[before as usize].clone());
        let Ok(Decided { slower, .. }) = decide(measure, Slower::clone);
        assert_eq!(slower, draws(&["draws"]));
        // Alone they are no reason to measure again.
        assert!(Slower { by_any: rows(&["copies"]), ..Slower::default() }.is_none());
    }
}
