//! What the API leaves open about a value.

/// What is open about a value: 0 nothing, else the first operation that it comes of, by [`Opens::get`](crate::Opens::get).
pub type Open = u32;

/// Set where the API bounds what is open: the rest is the number of a [`Range`].
pub(crate) const RANGED: Open = 1 << 31;

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
}

/// What is open about what comes of two values. Bounds hold as long as nothing else is open.
pub(crate) fn either(one: Open, other: Open) -> Open {
    if one == 0 || one & RANGED != 0 && other != 0 { other } else { one }
}
