//! Views of targets as parts of their resources.
//!
//! Invariant: numbers are those of the view; whether the resource has such a part is judged where the resource is there.

use reprise_d3d12::types::{D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RTV_DIMENSION};
use reprise_timeline::argument::{Argument, CpuHandle};
use reprise_timeline::state::descriptors::View;
use reprise_timeline::{Call, State, argument};

use super::shot::ShotOf;

const COLOUR: Argument<CpuHandle> = argument!("ID3D12GraphicsCommandList", "ClearRenderTargetView", "RenderTargetView");
const DEPTH: Argument<CpuHandle> = argument!("ID3D12GraphicsCommandList", "ClearDepthStencilView", "DepthStencilView");

/// A subresource, in the words of views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    pub(crate) mip: u32,
    /// Of an array, or of a volume's depth.
    pub(crate) slice: u32,
    pub(crate) plane: u32,
    pub(crate) sample: u32,
    /// `DXGI_FORMAT` of the view; 0: that of the resource.
    pub(crate) format: u32,
}

/// What a clear clears, where the shot is of it.
pub(crate) fn cleared(state: &State, call: &Call<'_>, of: &ShotOf) -> Option<Result<(u32, Part), String>> {
    let view = match of {
        ShotOf::Target { slot: 0, .. } if call.method == COLOUR.method() => COLOUR,
        ShotOf::Depth { .. } if call.method == DEPTH.method() => DEPTH,
        _ => return None,
    };
    let handle = view.of(call).ok()?;
    let slot = state.addresses.cpu(handle.0);
    let descriptor = slot.and_then(|slot| state.descriptors.get(slot));
    Some(match descriptor {
        Some(descriptor) => part(&descriptor.view, of),
        None => Err("the descriptor of what it clears was never written".into()),
    })
}

/// The resource of a view, and the part that a shot of it shows.
pub(crate) fn part(view: &View, of: &ShotOf) -> Result<(u32, Part), String> {
    let (slice, sample, plane) = match of {
        ShotOf::Target { slice, sample, .. } => (*slice, *sample, 0),
        ShotOf::Depth { slice, sample, stencil } => (*slice, *sample, u32::from(*stencil)),
        _ => (0, 0, 0),
    };
    if view.resource == 0 {
        return Err("a null view is bound there".into());
    }
    let is_buffer = |desc: &D3D12_RENDER_TARGET_VIEW_DESC| desc.ViewDimension == D3D12_RTV_DIMENSION::BUFFER;
    if !matches!(of, ShotOf::Depth { .. }) && view.desc().as_ref().is_some_and(is_buffer) {
        return Err("the target is a buffer: name it by --buffer".into());
    }
    let (format, mip, (first, _)) =
        view.reach().map_or((0, 0, (0, 0)), |reach| (reach.format, reach.mip, reach.depth.unwrap_or(reach.slices)));
    Ok((view.resource, Part { mip, slice: first.saturating_add(slice), plane, sample, format }))
}

/// Whether a view of a target has several slices, so that shaders can choose among them. `made` is how many its resource has.
pub(crate) fn has_slices(view: &View, made: u32) -> bool {
    slices(view, made).1 > 1
}

/// The first slice of a view of a target or of depth, and how many it has. `made` is how many its resource has.
pub(crate) fn slices(view: &View, made: u32) -> (u32, u32) {
    if view.bytes().is_empty() {
        return (0, made);
    }
    let (first, count) = view.reach().map_or((0, 1), |reach| reach.depth.unwrap_or(reach.slices));
    (first, count.min(made.saturating_sub(first)))
}
