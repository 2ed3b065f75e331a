//! How many bytes copies and clears write, by what the calls say: boxes, rectangles, and descriptions of resources and views.
//!
//! Invariant: what cannot be known from the trace (a resource without a description, a view that is gone) is no number, never 0.

use reprise_d3d12::description::levels;
use reprise_d3d12::format;
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_BUFFER_UAV_FLAGS, D3D12_CLEAR_FLAGS, D3D12_RECT, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION,
    D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_TYPE, D3D12_TILE_REGION_SIZE, D3D12_UAV_DIMENSION,
    D3D12_UNORDERED_ACCESS_VIEW_DESC,
};
use reprise_timeline::argument::{Argument, CpuHandle, Many, ObjectId, One};
use reprise_timeline::state::descriptors::View;
use reprise_timeline::state::memory;
use reprise_timeline::{Call, State, argument};

/// Bytes of a tile.
const TILE: u64 = 64 << 10;

macro_rules! of {
    ($call:ident, $method:literal, $parameter:literal, $type:ty) => {{
        const ARGUMENT: Argument<$type> = argument!("ID3D12GraphicsCommandList", $method, $parameter);
        ARGUMENT.of($call).ok()?
    }};
}

/// Bytes that a call copies; `None` for other calls, and where they cannot be known.
pub(super) fn copied(call: &Call<'_>, name: &str, state: &State) -> Option<u64> {
    match name {
        "CopyBufferRegion" => Some(of!(call, "CopyBufferRegion", "NumBytes", u64)),
        "CopyResource" => whole(&desc(state, of!(call, "CopyResource", "pDstResource", ObjectId).0)?),
        "CopyTextureRegion" => {
            let from = of!(call, "CopyTextureRegion", "pSrc", One<D3D12_TEXTURE_COPY_LOCATION>)?;
            let part = of!(call, "CopyTextureRegion", "pSrcBox", One<D3D12_BOX>);
            region(&from, part.as_ref(), state)
        }
        "AtomicCopyBufferUINT" => Some(4),
        "AtomicCopyBufferUINT64" => Some(8),
        "CopyTiles" => {
            let size = of!(call, "CopyTiles", "pTileRegionSize", One<D3D12_TILE_REGION_SIZE>)?;
            Some(u64::from(size.NumTiles) * TILE)
        }
        _ => None,
    }
}

/// Bytes that a call clears, likewise.
pub(super) fn cleared(call: &Call<'_>, name: &str, state: &State) -> Option<u64> {
    let view = |handle: CpuHandle| Some(&state.descriptors.get(state.addresses.cpu(handle.0)?)?.view);
    match name {
        "ClearRenderTargetView" => {
            let view = view(of!(call, "ClearRenderTargetView", "RenderTargetView", CpuHandle))?;
            let rects = of!(call, "ClearRenderTargetView", "pRects", Many<D3D12_RECT>);
            let desc = desc(state, view.resource)?;
            let (format, part) = written(view, &desc)?;
            part.bytes(&desc, rects.iter(), plane_bytes(format, part.plane)?)
        }
        "ClearDepthStencilView" => {
            let view = view(of!(call, "ClearDepthStencilView", "DepthStencilView", CpuHandle))?;
            let flags = of!(call, "ClearDepthStencilView", "ClearFlags", D3D12_CLEAR_FLAGS);
            let rects = of!(call, "ClearDepthStencilView", "pRects", Many<D3D12_RECT>);
            let desc = desc(state, view.resource)?;
            let (format, part) = written(view, &desc)?;
            format::of(format)?;
            // Formats without stencil have one plane, and nothing of the other is cleared.
            let plane = |flag: D3D12_CLEAR_FLAGS, plane| match flags.0 & flag.0 {
                0 => 0,
                _ => plane_bytes(format, plane).unwrap_or(0),
            };
            let texel = plane(D3D12_CLEAR_FLAGS::DEPTH, 0) + plane(D3D12_CLEAR_FLAGS::STENCIL, 1);
            part.bytes(&desc, rects.iter(), texel)
        }
        "ClearUnorderedAccessViewUint" => {
            let view = view(of!(call, "ClearUnorderedAccessViewUint", "ViewCPUHandle", CpuHandle))?;
            let rects = of!(call, "ClearUnorderedAccessViewUint", "pRects", Many<D3D12_RECT>);
            unordered(view, state, rects.iter())
        }
        "ClearUnorderedAccessViewFloat" => {
            let view = view(of!(call, "ClearUnorderedAccessViewFloat", "ViewCPUHandle", CpuHandle))?;
            let rects = of!(call, "ClearUnorderedAccessViewFloat", "pRects", Many<D3D12_RECT>);
            unordered(view, state, rects.iter())
        }
        _ => None,
    }
}

/// The resource that a clear of a render target or of depth and stencil writes; `None` for other calls, and where the view is not known.
pub(super) fn target(call: &Call<'_>, name: &str, state: &State) -> Option<u32> {
    let handle = match name {
        "ClearRenderTargetView" => of!(call, "ClearRenderTargetView", "RenderTargetView", CpuHandle),
        "ClearDepthStencilView" => of!(call, "ClearDepthStencilView", "DepthStencilView", CpuHandle),
        _ => return None,
    };
    Some(state.descriptors.get(state.addresses.cpu(handle.0)?)?.view.resource)
}

fn desc(state: &State, resource: u32) -> Option<D3D12_RESOURCE_DESC1> {
    memory::resource(&state.objects.get(resource)?.creation()).ok()?
}

fn plane_bytes(format: u32, plane: u32) -> Option<u64> {
    Some(format::of(format)?.planes.get(plane as usize)?.bytes.into())
}

/// Texels of a level: across, down, deep.
fn extent(desc: &D3D12_RESOURCE_DESC1, level: u32) -> [u64; 3] {
    let down = |texels: u64| texels.checked_shr(level).unwrap_or(0).max(1);
    let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    let depth = if volume { u64::from(desc.DepthOrArraySize) } else { 1 };
    [down(desc.Width), down(desc.Height.into()), down(depth)]
}

fn layers(desc: &D3D12_RESOURCE_DESC1) -> u64 {
    let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    if volume { 1 } else { u64::from(desc.DepthOrArraySize).max(1) }
}

fn samples(desc: &D3D12_RESOURCE_DESC1) -> u64 {
    u64::from(desc.SampleDesc.Count).max(1)
}

/// Bytes of so many texels of a plane.
fn texels(format: u32, plane: u32, [width, height, depth]: [u64; 3]) -> Option<u64> {
    let format = format::of(format)?;
    let plane = format.planes.get(plane as usize)?;
    let across = width.div_ceil(u64::from(format.block_width) << plane.across);
    let down = height.div_ceil(u64::from(format.block_height) << plane.down);
    Some(across.saturating_mul(down).saturating_mul(depth).saturating_mul(plane.bytes.into()))
}

/// All of a resource.
fn whole(desc: &D3D12_RESOURCE_DESC1) -> Option<u64> {
    if desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
        return Some(desc.Width);
    }
    let format = desc.Format.0 as u32;
    let mut bytes = 0u64;
    for plane in 0..format::planes(format) {
        for level in 0..levels(desc) {
            bytes = bytes.saturating_add(texels(format, plane, extent(desc, level))?);
        }
    }
    Some(bytes.saturating_mul(layers(desc)).saturating_mul(samples(desc)))
}

/// What a copy of a region reads.
fn region(from: &D3D12_TEXTURE_COPY_LOCATION, part: Option<&D3D12_BOX>, state: &State) -> Option<u64> {
    let inside = |part: &D3D12_BOX| {
        let between = |from: u32, to: u32| u64::from(to.saturating_sub(from));
        [between(part.left, part.right), between(part.top, part.bottom), between(part.front, part.back)]
    };
    if from.Type == D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT {
        // SAFETY: the type says which member of the union is in use; all of its members are numbers.
        let footprint = unsafe { from.Anonymous.PlacedFootprint }.Footprint;
        let all = [footprint.Width, footprint.Height, footprint.Depth].map(u64::from);
        return texels(footprint.Format.0 as u32, 0, part.map_or(all, inside));
    }
    // SAFETY: all members of the union are numbers, and any bytes make a number.
    let index = unsafe { from.Anonymous.SubresourceIndex };
    let desc = desc(state, from.pResource as usize as u32)?;
    let levels = levels(&desc);
    let plane = u64::from(index / levels) / layers(&desc);
    let all = extent(&desc, index % levels);
    let bytes = texels(desc.Format.0 as u32, plane as u32, part.map_or(all, inside))?;
    Some(bytes.saturating_mul(samples(&desc)))
}

/// What of a texture a view leads to.
struct Part {
    level: u32,
    /// Layers, or slices of a volume.
    slices: u64,
    plane: u32,
}

impl Part {
    fn new(desc: &D3D12_RESOURCE_DESC1, level: u32, (first, count): (u32, u32), plane: u32) -> Part {
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let all = if volume { extent(desc, level)[2] } else { layers(desc) };
        Part { level, slices: u64::from(count).min(all.saturating_sub(first.into())), plane }
    }

    /// Bytes of the rectangles, or of all where there are none.
    fn bytes(&self, desc: &D3D12_RESOURCE_DESC1, rects: impl Iterator<Item = D3D12_RECT>, texel: u64) -> Option<u64> {
        let [width, height, _] = extent(desc, self.level);
        let (mut area, mut any) = (0u64, false);
        for rect in rects {
            let side = |from: i32, to: i32, most: u64| {
                let most = i64::try_from(most).unwrap_or(i64::MAX);
                (i64::from(to).min(most) - i64::from(from).max(0)).max(0) as u64
            };
            area = area.saturating_add(side(rect.left, rect.right, width) * side(rect.top, rect.bottom, height));
            any = true;
        }
        let area = if any { area } else { width.saturating_mul(height) };
        Some(area.saturating_mul(self.slices).saturating_mul(samples(desc)).saturating_mul(texel))
    }
}

/// The format and the part that a view writes: its own, or without a description all slices of the first level. `None` for buffers.
fn written(view: &View, desc: &D3D12_RESOURCE_DESC1) -> Option<(u32, Part)> {
    if view.bytes().is_empty() {
        return Some((desc.Format.0 as u32, Part::new(desc, 0, (0, u32::MAX), 0)));
    }
    let reach = view.reach()?;
    let format = if reach.format == 0 { desc.Format.0 as u32 } else { reach.format };
    Some((format, Part::new(desc, reach.mip, reach.depth.unwrap_or(reach.slices), reach.plane)))
}

fn unordered(view: &View, state: &State, rects: impl Iterator<Item = D3D12_RECT>) -> Option<u64> {
    let desc = desc(state, view.resource)?;
    let of = view.desc::<D3D12_UNORDERED_ACCESS_VIEW_DESC>();
    let Some(of) = of.filter(|of| of.ViewDimension == D3D12_UAV_DIMENSION::BUFFER) else {
        let (format, part) = written(view, &desc)?;
        return part.bytes(&desc, rects, plane_bytes(format, part.plane)?);
    };
    // SAFETY: the dimension says that this member of the union is in use, and it is of numbers.
    let it = unsafe { of.Anonymous.Buffer };
    let element = match it.StructureByteStride {
        0 if it.Flags.0 & D3D12_BUFFER_UAV_FLAGS::RAW.0 != 0 => 4,
        0 => plane_bytes(of.Format.0 as u32, 0)?,
        stride => stride.into(),
    };
    let all = u64::from(it.NumElements);
    let (mut count, mut any) = (0u64, false);
    for rect in rects {
        let (left, right) = (rect.left.max(0) as u64, rect.right.max(0) as u64);
        count = count.saturating_add(right.min(all).saturating_sub(left));
        any = true;
    }
    Some(if any { count } else { all }.saturating_mul(element))
}
