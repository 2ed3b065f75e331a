//! Views of targets as parts of their resources.
//!
//! Invariant: numbers are those of the view; whether the resource has such a part is judged where the resource is there
//! ([`Part::subresource`]).

use reprise_d3d12::types::{
    D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RTV_DIMENSION,
};
use reprise_timeline::argument::{Argument, CpuHandle};
use reprise_timeline::state::descriptors::View;
use reprise_timeline::{Call, State, argument};

use super::pass;
use super::shot::ShotOf;
use crate::format::planes;

const COLOUR: Argument<CpuHandle> = argument!("ID3D12GraphicsCommandList", "ClearRenderTargetView", "RenderTargetView");
const DEPTH: Argument<CpuHandle> = argument!("ID3D12GraphicsCommandList", "ClearDepthStencilView", "DepthStencilView");

/// Why a target that is bound cannot be shown: of its handle the trace has no view.
pub(crate) fn unknown_view(slot: Option<u32>) -> String {
    let what = slot.map_or_else(|| "the depth buffer".to_owned(), |slot| format!("target {slot}"));
    format!(
        "{what} is bound by a handle at which the trace has no view: none was made there, or its resource is gone; name the texture by \
         --resource ID"
    )
}

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

impl Part {
    /// What a shot of a texture names.
    pub(crate) fn of(of: &ShotOf) -> Option<Part> {
        let ShotOf::Texture { mip, slice, plane, sample, .. } = *of else { return None };
        Some(Part { mip, slice, plane, sample, format: 0 })
    }

    /// Its number among the subresources of a texture; the slices of a volume are in one.
    ///
    /// # Errors
    /// The texture has no such part.
    pub(crate) fn subresource(&self, resource: u32, desc: &D3D12_RESOURCE_DESC) -> Result<u32, String> {
        let has = |what: &str, number: u32, count: u32| match number < count {
            true => Ok(()),
            false => Err(format!("resource {resource} has no {what} {number}: it has {count}, from 0 on")),
        };
        let mips = u32::from(desc.MipLevels).max(1);
        has("mip", self.mip, mips)?;
        let size = u32::from(desc.DepthOrArraySize).max(1);
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let slices = if volume { (size >> self.mip.min(31)).max(1) } else { size };
        has("slice", self.slice, slices)?;
        has("plane", self.plane, planes(desc.Format.0 as u32))?;
        has("sample", self.sample, desc.SampleDesc.Count.max(1))?;
        let (slice, all) = if volume { (0, 1) } else { (self.slice, size) };
        // Numbers of mips and slices have 16 bits each, and a hostile trace has the largest.
        let number =
            u64::from(self.mip) + u64::from(mips) * (u64::from(slice) + u64::from(all) * u64::from(self.plane));
        u32::try_from(number).map_err(|_| format!("resource {resource} has more subresources than there are numbers"))
    }
}

/// The target that a call names itself, where the shot is of it: what a clear clears, and what a render pass sets where it begins.
pub(crate) fn named(state: &State, call: &Call<'_>, of: &ShotOf) -> Option<Result<(u32, Part), String>> {
    let handle = match of {
        ShotOf::Target { slot: 0, .. } if call.method == COLOUR.method() => COLOUR.of(call).ok()?.0,
        ShotOf::Depth { .. } if call.method == DEPTH.method() => DEPTH.of(call).ok()?.0,
        _ => pass::target(call, of)?.ptr,
    };
    let slot = state.addresses.cpu(handle);
    let descriptor = slot.and_then(|slot| state.descriptors.get(slot));
    Some(match descriptor {
        Some(descriptor) => part(&descriptor.view, of),
        None => Err("the descriptor of the target that it names was never written".into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_the_texture_lacks_have_no_number() {
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            DepthOrArraySize: 4,
            MipLevels: 3,
            ..Default::default()
        };
        let part = |mip, slice| Part { mip, slice, plane: 0, sample: 0, format: 0 }.subresource(7, &desc);
        assert_eq!((part(0, 0), part(2, 3)), (Ok(0), Ok(11)));
        // As a view with the largest first slice says.
        let lacks = |what: &str| Err(format!("resource 7 has no {what}, from 0 on"));
        assert_eq!(part(0, u32::MAX), lacks("slice 4294967295: it has 4"));
        assert_eq!((part(0, 4), part(3, 0)), (lacks("slice 4: it has 4"), lacks("mip 3: it has 3")));
        let volume = D3D12_RESOURCE_DESC { Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE3D, ..desc };
        let part = |mip, slice| Part { mip, slice, plane: 0, sample: 0, format: 0 }.subresource(7, &volume);
        assert_eq!((part(1, 1), part(1, 2)), (Ok(1), lacks("slice 2: it has 2")));
    }
}
