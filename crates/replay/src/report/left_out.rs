//! Draws and dispatches that are left out, because their pipeline state is not here.

use std::collections::BTreeSet;
use std::fmt;

use crate::error::Place;

/// Draws and dispatches whose pipeline state the runtime here refused, or whose trace lacks it. Nothing of them reached the GPU, so what
/// follows from them in pictures, buffers and times is missing, too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LeftOutWork {
    first: Option<Place>,
    calls: BTreeSet<u64>,
}

impl LeftOutWork {
    pub(crate) fn add(&mut self, place: &Place) {
        if self.calls.insert(place.call) && self.first.is_none() {
            self.first = Some(place.clone());
        }
    }

    /// Whether all were made.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Whether this call is one of them.
    pub fn has(&self, call: u64) -> bool {
        self.calls.contains(&call)
    }

    /// Their calls.
    pub fn calls(&self) -> &BTreeSet<u64> {
        &self.calls
    }

    /// How many.
    pub fn count(&self) -> u64 {
        self.calls.len() as u64
    }
}

impl fmt::Display for LeftOutWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = &self.first else { return write!(f, "no draw or dispatch is left out") };
        match self.count() {
            1 => write!(f, "a draw or dispatch is left out, because its pipeline state was not made here: {first}"),
            count => write!(
                f,
                "{count} draws and dispatches are left out, because their pipeline states were not made here; the first is {first}"
            ),
        }
    }
}
