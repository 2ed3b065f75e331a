//! The work graph that is bound to a list.

use std::sync::Arc;

use reprise_d3d12::types::D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE;

use crate::state_object::graph::Graph;

/// The graph that dispatches mean.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) graph: Arc<Graph>,
    /// The memory that the program gives it: address and bytes.
    pub(super) backing: (u64, u64),
    /// Local root arguments.
    pub(super) table: D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE,
}
