//! Heaps, what lies in them, and what is mapped.

use crate::walk::Interests;
use serde::{Deserialize, Serialize};

/// Heaps, what lies in them, and what is mapped.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memories {}

impl Memories {
    /// The calls and facts that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new()
    }
}
