//! Parts of textures that calls write.

use reprise_d3d12::description::levels;
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_TYPE,
};
use reprise_timeline::State;
use reprise_timeline::state::descriptors::View;
use reprise_timeline::state::memory;

use crate::format::planes;
use crate::report::pixel::PixelPlace;
use crate::resource_dump::{ShotOf, part_of_view, slices};

/// A part of a texture.
#[derive(Clone, Debug, Default)]
pub(super) struct Area {
    /// `None`: all.
    pub(super) mip: Option<u32>,
    /// First and count; `None`: all.
    pub(super) slices: Option<(u32, u32)>,
    /// `None`: all.
    pub(super) plane: Option<u32>,
    /// Left, top, right, bottom; `None`: everywhere.
    pub(super) rects: Option<Vec<[i64; 4]>>,
    /// `DXGI_FORMAT` of the view; 0: that of the resource.
    pub(super) format: u32,
}

/// How a resource is made up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) mips: u32,
    /// Slices of an array.
    pub(super) slices: u32,
    /// Slices of a volume's depth.
    pub(super) depth: u32,
    pub(super) planes: u32,
    pub(super) size: Option<(u32, u32)>,
    pub(super) is_buffer: bool,
    /// No call of the trace made it: the swap chain did.
    pub(super) is_back_buffer: bool,
}

impl Shape {
    /// `None`: there is no such resource.
    pub(super) fn of(state: &State, resource: u32) -> Option<Self> {
        let object = state.objects.get(resource)?;
        let made: Option<D3D12_RESOURCE_DESC1> = memory::resource(&object.creation()).ok()?;
        let Some(made) = made else {
            let back =
                Self { mips: 1, slices: 1, depth: 1, planes: 1, size: None, is_buffer: false, is_back_buffer: true };
            return Some(back);
        };
        let volume = made.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let size = u32::from(made.DepthOrArraySize).max(1);
        Some(Self {
            mips: levels(&made),
            slices: if volume { 1 } else { size },
            depth: if volume { size } else { 1 },
            planes: planes(made.Format.0 as u32),
            size: Some((made.Width as u32, made.Height)),
            is_buffer: made.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER,
            is_back_buffer: false,
        })
    }

    /// Level, slice and plane of a subresource.
    fn parts(&self, subresource: u32) -> (u32, u32, u32) {
        let mip = subresource % self.mips;
        let slice = subresource / self.mips % self.slices;
        (mip, slice, subresource / self.mips / self.slices)
    }

    /// Of a level.
    pub(super) fn size_of(&self, mip: u32) -> Option<(u32, u32)> {
        self.size.map(|(width, height)| ((width >> mip.min(31)).max(1), (height >> mip.min(31)).max(1)))
    }
}

impl Area {
    /// What a view of a target covers: all of its levels and slices.
    pub(super) fn of_view(state: &State, view: &View, is_depth: bool) -> Option<(u32, Self)> {
        let of = match is_depth {
            true => ShotOf::Depth { stencil: false, slice: 0, sample: 0 },
            false => ShotOf::Target { slot: 0, slice: 0, sample: 0 },
        };
        let (resource, part) = part_of_view(view, &of).ok()?;
        let shape = Shape::of(state, resource)?;
        let made = if shape.depth > 1 { (shape.depth >> part.mip.min(31)).max(1) } else { shape.slices };
        let slices = slices(view, made);
        let area = Self { mip: Some(part.mip), slices: Some(slices), plane: None, rects: None, format: part.format };
        Some((resource, area))
    }

    /// One subresource.
    pub(super) fn of_subresource(shape: &Shape, subresource: u32) -> Self {
        let (mip, slice, plane) = shape.parts(subresource);
        let slices = (shape.depth == 1).then_some((slice, 1));
        Self { mip: Some(mip), slices, plane: (shape.planes > 1).then_some(plane), rects: None, format: 0 }
    }

    /// Whether it has the texel's subresource.
    pub(super) fn has(&self, place: &PixelPlace) -> bool {
        self.mip.is_none_or(|mip| mip == place.mip)
            && self.slices.is_none_or(|(first, count)| (first..first.saturating_add(count)).contains(&place.slice))
            && self.plane.is_none_or(|plane| plane == place.plane)
    }

    /// Whether its rectangles leave the texel out.
    pub(super) fn leaves_out(&self, (x, y): (u32, u32)) -> bool {
        let (x, y) = (i64::from(x), i64::from(y));
        let holds = |rect: &[i64; 4]| (rect[0]..rect[2]).contains(&x) && (rect[1]..rect[3]).contains(&y);
        self.rects.as_ref().is_some_and(|rects| !rects.iter().any(holds))
    }
}

/// Where a copy reads what it writes to a texel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) resource: u32,
    /// `None`: the same as it writes.
    pub(super) part: Option<(u32, u32, u32)>,
    /// What is added to column, row and slice.
    pub(super) step: [i64; 3],
}

impl Origin {
    /// What is read for this texel.
    pub(super) fn of(&self, place: &PixelPlace) -> Option<PixelPlace> {
        let (mip, slice, plane) = self.part.unwrap_or((place.mip, place.slice, place.plane));
        let moved = |from: u32, step: i64| u32::try_from(i64::from(from) + step).ok();
        let at = (moved(place.at.0, self.step[0])?, moved(place.at.1, self.step[1])?);
        let slice = if self.step[2] == 0 { slice } else { moved(place.slice, self.step[2])? };
        Some(PixelPlace { resource: self.resource, mip, slice, plane, at })
    }
}

/// What `CopyTextureRegion` writes, and where it reads that.
pub(super) fn of_copy(
    state: &State,
    to: &D3D12_TEXTURE_COPY_LOCATION,
    place: [u32; 3],
    from: &D3D12_TEXTURE_COPY_LOCATION,
    part: Option<D3D12_BOX>,
) -> Option<(u32, Area, Option<Origin>)> {
    // In a trace the pointer is an id.
    let resource = to.pResource as usize as u32;
    if to.Type != D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX {
        return None;
    }
    // SAFETY: every bit pattern is a value of both members, and the type says that it is this one.
    let subresource = unsafe { to.Anonymous.SubresourceIndex };
    let mut area = Area::of_subresource(&Shape::of(state, resource)?, subresource);
    let source = from.pResource as usize as u32;
    let is_texture = from.Type == D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX;
    let shape = Shape::of(state, source);
    let (whole, origin) = if is_texture {
        // SAFETY: as above.
        let index = unsafe { from.Anonymous.SubresourceIndex };
        let read = shape.map(|shape| shape.parts(index));
        let start = part.map_or([0; 3], |part| [part.left, part.top, part.front]);
        let step = std::array::from_fn(|at| i64::from(start[at]) - i64::from(place[at]));
        let whole = shape.and_then(|shape| shape.size_of(shape.parts(index).0));
        (whole, read.map(|part| Origin { resource: source, part: Some(part), step }))
    } else {
        // SAFETY: as above.
        let footprint = unsafe { from.Anonymous.PlacedFootprint.Footprint };
        (Some((footprint.Width, footprint.Height)), None)
    };
    let size = part.map(|part| (part.right.saturating_sub(part.left), part.bottom.saturating_sub(part.top))).or(whole);
    area.rects = size.map(|(width, height)| {
        let (x, y) = (i64::from(place[0]), i64::from(place[1]));
        vec![[x, y, x + i64::from(width), y + i64::from(height)]]
    });
    if let (None, Some(part)) = (area.slices, part) {
        area.slices = Some((place[2], part.back.saturating_sub(part.front)));
    }
    Some((resource, area, origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_has_its_subresources_and_leaves_out_what_is_beside_it() {
        let place = PixelPlace { resource: 1, mip: 1, slice: 2, plane: 0, at: (7, 9) };
        let area = Area { mip: Some(1), slices: Some((1, 2)), ..Area::default() };
        assert!(area.has(&place) && Area::default().has(&place));
        for other in
            [PixelPlace { mip: 0, ..place }, PixelPlace { slice: 3, ..place }, PixelPlace { slice: 0, ..place }]
        {
            assert!(!area.has(&other), "{other:?}");
        }
        assert!(!Area { plane: Some(1), ..area.clone() }.has(&place));
        let rects = Area { rects: Some(vec![[0, 0, 7, 9], [7, 9, 8, 10]]), ..area };
        assert!(!rects.leaves_out((7, 9)) && rects.leaves_out((8, 9)) && rects.leaves_out((7, 8)));
    }

    #[test]
    fn a_copy_is_followed_to_what_it_read() {
        let place = PixelPlace { resource: 1, mip: 0, slice: 4, plane: 0, at: (10, 20) };
        let origin = Origin { resource: 2, part: Some((3, 1, 0)), step: [-8, 5, 0] };
        let from = origin.of(&place).unwrap();
        assert_eq!((from.resource, from.mip, from.slice, from.at), (2, 3, 1, (2, 25)));
        assert_eq!(Origin { step: [-11, 0, 0], ..origin }.of(&place), None);
    }
}
