//! Views of targets as parts of their resources.
//!
//! Invariant: numbers are those of the view; whether the resource has such a part is judged where the resource is there.

use reprise_d3d12::types::{
    D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DSV_DIMENSION, D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RTV_DIMENSION,
};
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
    let (format, (mip, first)) = match of {
        ShotOf::Depth { .. } => view
            .desc()
            .map_or((0, (0, 0)), |desc: D3D12_DEPTH_STENCIL_VIEW_DESC| (desc.Format.0 as u32, of_depth(&desc))),
        _ => match view.desc::<D3D12_RENDER_TARGET_VIEW_DESC>() {
            Some(desc) => {
                (desc.Format.0 as u32, of_colour(&desc).ok_or("the target is a buffer: name it by --buffer")?)
            }
            None => (0, (0, 0)),
        },
    };
    Ok((view.resource, Part { mip, slice: first.saturating_add(slice), plane, sample, format }))
}

/// Whether a view of a colour has several slices, so that shaders can choose among them. `made` is how many its resource has.
pub(crate) fn has_slices(view: &View, made: u32) -> bool {
    slices(view, made).1 > 1
}

/// The first slice of a view of a colour, and how many it has. `made` is how many its resource has.
pub(crate) fn slices(view: &View, made: u32) -> (u32, u32) {
    let Some(desc) = view.desc::<D3D12_RENDER_TARGET_VIEW_DESC>() else { return (0, made) };
    let view = desc.Anonymous;
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    let (first, count) = unsafe {
        match desc.ViewDimension {
            D3D12_RTV_DIMENSION::TEXTURE1DARRAY => (view.Texture1DArray.FirstArraySlice, view.Texture1DArray.ArraySize),
            D3D12_RTV_DIMENSION::TEXTURE2DARRAY => (view.Texture2DArray.FirstArraySlice, view.Texture2DArray.ArraySize),
            D3D12_RTV_DIMENSION::TEXTURE2DMSARRAY => {
                (view.Texture2DMSArray.FirstArraySlice, view.Texture2DMSArray.ArraySize)
            }
            D3D12_RTV_DIMENSION::TEXTURE3D => (view.Texture3D.FirstWSlice, view.Texture3D.WSize),
            _ => (0, 1),
        }
    };
    (first, count.min(made.saturating_sub(first)))
}

/// The same of a view of depth.
pub(crate) fn slices_of_depth(view: &View, made: u32) -> (u32, u32) {
    let Some(desc) = view.desc::<D3D12_DEPTH_STENCIL_VIEW_DESC>() else { return (0, made) };
    let view = desc.Anonymous;
    // SAFETY: as above.
    let (first, count) = unsafe {
        match desc.ViewDimension {
            D3D12_DSV_DIMENSION::TEXTURE1DARRAY => (view.Texture1DArray.FirstArraySlice, view.Texture1DArray.ArraySize),
            D3D12_DSV_DIMENSION::TEXTURE2DARRAY => (view.Texture2DArray.FirstArraySlice, view.Texture2DArray.ArraySize),
            D3D12_DSV_DIMENSION::TEXTURE2DMSARRAY => {
                (view.Texture2DMSArray.FirstArraySlice, view.Texture2DMSArray.ArraySize)
            }
            _ => (0, 1),
        }
    };
    (first, count.min(made.saturating_sub(first)))
}

/// Level and first slice.
fn of_colour(desc: &D3D12_RENDER_TARGET_VIEW_DESC) -> Option<(u32, u32)> {
    let view = desc.Anonymous;
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    unsafe {
        Some(match desc.ViewDimension {
            D3D12_RTV_DIMENSION::TEXTURE1D => (view.Texture1D.MipSlice, 0),
            D3D12_RTV_DIMENSION::TEXTURE1DARRAY => (view.Texture1DArray.MipSlice, view.Texture1DArray.FirstArraySlice),
            D3D12_RTV_DIMENSION::TEXTURE2D => (view.Texture2D.MipSlice, 0),
            D3D12_RTV_DIMENSION::TEXTURE2DARRAY => (view.Texture2DArray.MipSlice, view.Texture2DArray.FirstArraySlice),
            D3D12_RTV_DIMENSION::TEXTURE2DMSARRAY => (0, view.Texture2DMSArray.FirstArraySlice),
            D3D12_RTV_DIMENSION::TEXTURE3D => (view.Texture3D.MipSlice, view.Texture3D.FirstWSlice),
            D3D12_RTV_DIMENSION::BUFFER => return None,
            _ => (0, 0),
        })
    }
}

/// The same of a depth buffer.
fn of_depth(desc: &D3D12_DEPTH_STENCIL_VIEW_DESC) -> (u32, u32) {
    let view = desc.Anonymous;
    // SAFETY: as above.
    unsafe {
        match desc.ViewDimension {
            D3D12_DSV_DIMENSION::TEXTURE1D => (view.Texture1D.MipSlice, 0),
            D3D12_DSV_DIMENSION::TEXTURE1DARRAY => (view.Texture1DArray.MipSlice, view.Texture1DArray.FirstArraySlice),
            D3D12_DSV_DIMENSION::TEXTURE2D => (view.Texture2D.MipSlice, 0),
            D3D12_DSV_DIMENSION::TEXTURE2DARRAY => (view.Texture2DArray.MipSlice, view.Texture2DArray.FirstArraySlice),
            D3D12_DSV_DIMENSION::TEXTURE2DMSARRAY => (0, view.Texture2DMSArray.FirstArraySlice),
            _ => (0, 0),
        }
    }
}
