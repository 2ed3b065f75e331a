//! Queues, submissions and fences.

use super::Known;
use crate::argument::Damaged;
use crate::call::Call;
use crate::walk::{At, Interests};
use serde::{Deserialize, Serialize};

/// Queues, submissions and fences.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Queues {}

impl Queues {
    /// The calls and facts that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new()
    }

    /// A call begins.
    ///
    /// # Errors
    /// When an argument cannot be read; what was read before it is kept.
    pub(crate) fn enter(&mut self, _call: &Call<'_>, _at: &At, _known: Known<'_>) -> Result<(), Damaged> {
        Ok(())
    }

    /// A call is complete.
    ///
    /// # Errors
    /// As for [`Queues::enter`].
    pub(crate) fn call(&mut self, _call: &Call<'_>, _at: &At, _known: Known<'_>) -> Result<(), Damaged> {
        Ok(())
    }

    /// The program saw a fence at this completed value.
    pub(crate) fn observe(&mut self, _fence: u32, _value: u64, _at: &At) {}

    /// An object is gone.
    pub(crate) fn gone(&mut self, _object: u32) {}
}
