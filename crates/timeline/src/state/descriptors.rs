//! What each slot of each descriptor heap holds, and the call that wrote it.

use crate::walk::Interests;
use serde::{Deserialize, Serialize};

/// What each slot of each descriptor heap holds, and the call that wrote it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Descriptors {}

impl Descriptors {
    /// The calls and facts that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new()
    }
}

/// STUB.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Descriptor {}

impl Descriptors {
    /// STUB.
    pub fn at_cpu(&self, _: crate::argument::CpuHandle) -> Option<&Descriptor> {
        None
    }
}
