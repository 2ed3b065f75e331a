//! What numbers of the program stand for: GPU addresses, and CPU and GPU descriptor handles.

use crate::walk::Interests;
use serde::{Deserialize, Serialize};

/// What numbers of the program stand for: GPU addresses, and CPU and GPU descriptor handles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Addresses {}

impl Addresses {
    /// The calls and facts that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new()
    }
}

impl Addresses {
    /// STUB.
    pub fn increment_at(&self, _: crate::argument::CpuHandle) -> Option<u64> {
        None
    }
}
