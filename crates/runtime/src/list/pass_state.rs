//! The render passes of a list.

use reprise_com::Ref;
use reprise_d3d12::types::{
    D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_SUBRESOURCE_PARAMETERS as Part, D3D12_RESOLVE_MODE, DXGI_FORMAT,
};

use crate::resource::object::Resource;

/// What a list knows of its passes.
#[derive(Default)]
pub(super) struct Passes {
    /// The one that has begun.
    pub(super) open: Option<Pass>,
    /// The last one is to be resumed: how many targets it had.
    pub(super) suspended: Option<u32>,
}

/// A pass.
pub(super) struct Pass {
    pub(super) targets: u32,
    pub(super) suspends: bool,
    pub(super) resolves: Vec<Resolve>,
}

/// A resolve at the end of a pass.
pub(super) struct Resolve {
    pub(super) from: Ref<Resource>,
    pub(super) to: Ref<Resource>,
    pub(super) part: Part,
    pub(super) format: DXGI_FORMAT,
    pub(super) mode: D3D12_RESOLVE_MODE,
}
