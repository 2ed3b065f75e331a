//! The objects that exist, and how each came to be.

use crate::call::Call;
use crate::walk::Interests;
use serde::{Deserialize, Serialize};

/// The objects that exist, and how each came to be.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Objects {}

impl Objects {
    /// The calls and facts that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new()
    }

    /// A call begins. Gives the objects that are gone from here on.
    pub(crate) fn enter(&mut self, _call: &Call<'_>) -> Vec<u32> {
        Vec::new()
    }
}

impl Objects {
    /// STUB.
    pub fn extent(&self, _: u32) -> Option<(u32, u32)> {
        None
    }
}
