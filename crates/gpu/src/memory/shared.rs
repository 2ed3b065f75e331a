//! What all memory of a device shares.

use std::sync::Arc;

use crate::address;
use crate::logical::Logical;
use crate::memory::micromaps::Micromaps;
use crate::memory::structures::Structures;
use crate::memory::zero::Fills;

/// The device, its addresses, and the fills that wait. `M` is an allocation, which holds this.
#[derive(Debug)]
pub(super) struct Shared<M> {
    /// The device.
    pub(crate) logical: Arc<Logical>,
    /// GPU virtual addresses.
    pub(crate) addresses: Arc<address::Map>,
    /// Acceleration structures, by their addresses.
    pub(crate) structures: Structures,
    /// Opacity micromaps, by theirs.
    pub(crate) micromaps: Micromaps,
    /// Memory that a submission has to make zero.
    pub(crate) fills: Fills<M>,
}
