//! What counters of the driver counted, by their names.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A counter of the driver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverCounter {
    /// As the driver calls it.
    pub name: String,
    /// What it belongs to, in the driver's words.
    pub category: String,
    /// What it is, in the driver's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Of what, in a word.
    pub unit: String,
    /// What several operations count adds up: numbers and bytes do, shares and temperatures do not.
    pub adds: bool,
}

impl DriverCounter {
    /// Its category and name, as JSON and the page call it.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.category, self.name)
    }
}

/// What one replay counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DriverCounted {
    /// The counters of the replay.
    pub counters: Vec<DriverCounter>,
    /// In the order in which they were submitted.
    pub submissions: Vec<DriverCounts>,
    /// Calls of operations and submissions that were not counted, by reason.
    pub uncounted: BTreeMap<String, Vec<u64>>,
}

/// A call of `ExecuteCommandLists`, with what was counted in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriverCounts {
    /// Its number.
    pub call: u64,
    /// From 1.
    pub frame: u64,
    /// The queue, by its id in the trace.
    pub queue: u32,
    /// Its lists.
    pub lists: Vec<DriverList>,
}

/// A list by its id, with the calls of its operations, and a result of each counter.
pub type DriverList = (u32, Vec<(u64, Vec<Amount>)>);

/// A result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// A whole number.
    Whole(u64),
    /// A whole number below zero.
    Signed(i64),
    /// Any other number. A driver may give NaN or infinity, which JSON cannot hold: `None` stands for these.
    Real(Option<f64>),
}

impl Amount {
    /// As the closest number with a point.
    #[must_use]
    pub fn real(self) -> f64 {
        match self {
            Amount::Whole(number) => number as f64,
            Amount::Signed(number) => number as f64,
            Amount::Real(number) => number.unwrap_or(f64::NAN),
        }
    }

    /// Both together. Whole numbers stay exact, up to the largest that there is.
    #[must_use]
    pub fn plus(self, other: Amount) -> Amount {
        match (self, other) {
            (Amount::Whole(one), Amount::Whole(other)) => Amount::Whole(one.saturating_add(other)),
            (Amount::Whole(one), Amount::Signed(other)) | (Amount::Signed(other), Amount::Whole(one)) => {
                match one.checked_add_signed(other) {
                    Some(sum) => Amount::Whole(sum),
                    None => Amount::Signed(other.saturating_add_unsigned(one)),
                }
            }
            (Amount::Signed(one), Amount::Signed(other)) => Amount::Signed(one.saturating_add(other)),
            (one, other) => Amount::of(one.real() + other.real()),
        }
    }

    /// Of a number with a point.
    #[must_use]
    pub fn of(number: f64) -> Amount {
        Amount::Real(number.is_finite().then_some(number))
    }
}

/// What is known of a row: of several operations there is a sum, if the counter has sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Sum {
    /// Nothing was counted.
    #[default]
    None,
    /// Of one operation, or of several with a sum.
    One(Amount),
    /// Of several operations without one.
    Several,
}

impl Sum {
    /// With what another one has.
    #[must_use]
    pub fn with(self, other: Sum, adds: bool) -> Sum {
        match (self, other) {
            (Sum::None, one) | (one, Sum::None) => one,
            (Sum::One(one), Sum::One(other)) if adds => Sum::One(one.plus(other)),
            _ => Sum::Several,
        }
    }

    /// The number, where there is one.
    #[must_use]
    pub fn amount(self) -> Option<Amount> {
        match self {
            Sum::One(amount) => Some(amount),
            Sum::None | Sum::Several => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_kept_and_added_exactly() {
        let all = [Amount::Whole(u64::MAX - 1), Amount::Signed(-(1 << 62)), Amount::of(0.5), Amount::of(f64::NAN)];
        for amount in all {
            let text = serde_json::to_string(&amount).unwrap();
            assert_eq!(serde_json::from_str::<Amount>(&text).unwrap(), amount, "{text}");
        }
        assert_eq!(Amount::Whole(u64::MAX - 1).plus(Amount::Whole(1)), Amount::Whole(u64::MAX));
        assert_eq!(Amount::Whole(3).plus(Amount::Signed(-5)), Amount::Signed(-2));
        assert_eq!(Amount::Whole(3).plus(Amount::of(0.25)), Amount::of(3.25));
    }

    #[test]
    fn shares_have_no_sum() {
        let one = Sum::One(Amount::of(50.0));
        assert_eq!(Sum::None.with(one, false), one);
        assert_eq!((one.with(one, false), one.with(one, true)), (Sum::Several, Sum::One(Amount::of(100.0))));
        assert_eq!((one.with(one, false).with(one, false)).amount(), None);
    }
}
