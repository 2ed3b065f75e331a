//! What happens around single calls while a trace plays, beside the calls themselves.
//!
//! Invariant: `is_idle` says that nothing does, so that a plain replay pays one test per call; where something does, calls
//! are made one after another, in the order of the trace.

use crate::engine::Engine;
use crate::{Error, Options, Place};

/// Whether anything is to happen around calls.
pub(crate) fn is_idle(options: &Options<'_>) -> bool {
    options.break_at.is_empty()
}

impl Engine<'_, '_> {
    /// The call at `place` is made next.
    pub(crate) fn before_call(&mut self, place: &Place) -> Result<(), Error> {
        self.options.break_at.hit(place);
        Ok(())
    }

    /// The call at `place` was made, and what it gave is known.
    pub(crate) fn after_call(&mut self, _place: &Place) -> Result<(), Error> {
        Ok(())
    }
}
