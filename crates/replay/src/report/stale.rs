//! Arguments that named what was not there.

use std::fmt;

use crate::error::Place;
use crate::stead::{Missing, Stead};

/// Something that calls name and that is not there. Calls of one method that name such things, and get the same in their place, are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stale {
    /// The first call.
    pub place: Place,
    /// What kind of thing.
    pub missing: Missing,
    /// What the first call names, in words.
    pub what: String,
    /// What replay does in its place.
    pub stead: Stead,
    /// How many times it was so.
    pub count: u64,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.what, self.stead)?;
        match self.count {
            0 | 1 => Ok(()),
            count => write!(f, " ({count} times)"),
        }
    }
}
