//! What the API leaves open about a value.

/// What is open about a value: 0 nothing, else the first operation that it comes of, by [`Opens::get`](crate::Opens::get).
pub type Open = u32;

/// What is open about what comes of two values.
pub(crate) fn either(one: Open, other: Open) -> Open {
    if one == 0 { other } else { one }
}
