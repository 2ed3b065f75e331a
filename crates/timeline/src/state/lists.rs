//! What every command list has set since its last reset.

use super::Known;
use crate::argument::Damaged;
use crate::call::Call;
use crate::walk::{At, Interests};
use serde::{Deserialize, Serialize};

/// What every command list has set since its last reset.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lists {}

impl Lists {
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
    /// As for [`Lists::enter`].
    pub(crate) fn call(&mut self, _call: &Call<'_>, _at: &At, _known: Known<'_>) -> Result<(), Damaged> {
        Ok(())
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, _object: u32) {}
}
