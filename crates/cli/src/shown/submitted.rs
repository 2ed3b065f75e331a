//! Which texture shows a frame of a trace that presents nothing, where each submission is a frame unless the user says otherwise: the largest
//! one that it drew to, or else wrote, as the last submission of the frame that did so leaves it.

use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION};
use reprise_timeline::State;
use reprise_timeline::state::memory;
use reprise_trace::read::{ReadError, Trace};
use reprise_view::uses;
use std::collections::BTreeMap;

/// The texture of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Submitted {
    /// The call of `ExecuteCommandLists`.
    pub(crate) call: u64,
    pub(crate) resource: u32,
    /// The first subresource that it wrote.
    pub(crate) mip: u32,
    pub(crate) slice: u32,
    pub(crate) plane: u32,
    /// What it was chosen by: how it was written, then its texels.
    rank: (u8, u64),
}

/// The textures of submissions by frame, from 1; submissions that wrote none are left out.
///
/// # Errors
/// The trace cannot be read.
pub(crate) fn textures(trace: &Trace) -> Result<BTreeMap<u64, Submitted>, ReadError> {
    let mut all: BTreeMap<u64, Submitted> = BTreeMap::new();
    uses::each(trace, None, &mut |_| true, &mut |state, used| {
        // What is drawn to says more than what is copied to, and depth least.
        let class = match used.role.name() {
            "render_target" | "resolve_destination" => 3,
            "clear" | "keep" => 2,
            "unordered_access" | "copy_destination" => 1,
            "depth_write" => 0,
            _ => return true,
        };
        let (Some((.., call)), Some(part)) = (used.submission, used.parts.first()) else { return true };
        let Some(desc) = texture(state, used.resource) else { return true };
        let (mip, slice, plane) = (part.mips.0, part.layers.0, part.planes.0);
        let texels = (desc.Width >> mip).max(1).saturating_mul(u64::from(desc.Height >> mip).max(1));
        let own = Submitted { call, resource: used.resource, mip, slice, plane, rank: (class, texels) };
        let known = all.entry(u64::from(used.frame) + 1).or_insert(own);
        // A frame that ends otherwise has several submissions: the later one leaves what the frame comes to.
        if (own.rank, own.call) > (known.rank, known.call) {
            *known = own;
        }
        true
    })?;
    Ok(all)
}

/// The description of a texture that still exists; nothing of buffers and of what has one row only.
fn texture(state: &State, id: u32) -> Option<D3D12_RESOURCE_DESC1> {
    let creation = state.objects.get(id)?.creation();
    let desc = memory::resource(&creation).ok()??;
    let flat =
        desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE2D || desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    flat.then_some(desc)
}
