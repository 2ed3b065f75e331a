//! What the API leaves open about a value.

/// What is open about a value: 0 nothing, else the first operation that it comes of, by [`Opens::get`](crate::Opens::get). Of operations
/// that leave a value entirely open and such that leave its last bits open, the first of the former ([`is_free`]).
pub type Open = u32;

/// Set where the API bounds what is open: the rest, but for [`FREE`], is the number of a [`Range`].
pub(crate) const RANGED: Open = 1 << 31;

/// Set where a device may give any value. Otherwise what is open is small, and runs that [lean](Lean) tell what comes of it.
pub(crate) const FREE: Open = 1 << 30;

/// Whether a device may give any value, and not only one with other last bits.
pub fn is_free(open: Open) -> bool {
    open & FREE != 0
}

/// A float that a device may give as another one, within bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// What is open.
    pub open: Open,
    /// The value that the interpreter goes on with.
    pub value: f64,
    /// The least that a device may give.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
    /// What the value was made of is open, too: the bounds hold for what this run had of it.
    pub conditional: bool,
}

/// Which of the values that are right a run goes on with, where the API leaves the last bits open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lean {
    /// The nearest one.
    #[default]
    Nearest,
    /// Always the least.
    Less,
    /// Always the greatest.
    More,
    /// The least of one operation, the greatest of the next: what cancels out otherwise shows.
    InTurn,
}

impl Lean {
    /// All but the nearest one.
    pub const ASIDE: [Lean; 3] = [Lean::Less, Lean::More, Lean::InTurn];

    /// Where to: -1, 0 or 1.
    pub(crate) fn sign(self, open: Open) -> f64 {
        match self {
            Lean::Nearest => 0.0,
            Lean::Less => -1.0,
            Lean::More => 1.0,
            Lean::InTurn if open & 1 == 0 => -1.0,
            Lean::InTurn => 1.0,
        }
    }
}

/// What is open about what comes of two values. Bounds hold as long as nothing else is open.
pub fn either(one: Open, other: Open) -> Open {
    match (one, other) {
        (0, open) | (open, 0) => open,
        _ if is_free(one) != is_free(other) => {
            if is_free(one) {
                one
            } else {
                other
            }
        }
        _ if one & RANGED != 0 => other,
        _ => one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_anything_is_kept_in_either_order() {
        let (last_bits, free, ranged) = (1, 2 | FREE, 3 | RANGED);
        for (one, other, kept) in [
            (last_bits, free, free),
            (free, ranged, free),
            (ranged, last_bits, last_bits),
            (0, free, free),
            (0, ranged, ranged),
        ] {
            assert_eq!([either(one, other), either(other, one)], [kept; 2]);
        }
        // Of two of a kind the first.
        assert_eq!([either(1, 4), either(2 | FREE, 4 | FREE)], [1, 2 | FREE]);
    }
}
