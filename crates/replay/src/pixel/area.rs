//! Parts of textures that calls write.

use reprise_d3d12::description::levels;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_RESOLVE_MODE, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_TEXTURE_COPY_LOCATION,
    D3D12_TEXTURE_COPY_TYPE, RECT,
};
use reprise_timeline::State;
use reprise_timeline::state::descriptors::{View, ViewKind};
use reprise_timeline::state::memory;

use crate::format::planes;
use crate::report::pixel::PixelPlace;
use crate::resource_dump::{ShotOf, part_of_view, slices};

/// A part of a texture.
#[derive(Clone, Debug, Default, PartialEq)]
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
    pub(super) samples: u32,
    pub(super) size: Option<(u32, u32)>,
    pub(super) is_buffer: bool,
    /// No call of the trace made it: the swap chain did.
    pub(super) is_back_buffer: bool,
}

/// Resources whose size the call does not say either, and that no swap chain made.
const SHARED: MethodId = method("ID3D12Device", "OpenSharedHandle");

impl Shape {
    /// `None`: there is no such resource.
    pub(super) fn of(state: &State, resource: u32) -> Option<Self> {
        let object = state.objects.get(resource)?;
        let made: Option<D3D12_RESOURCE_DESC1> = memory::resource(&object.creation()).ok()?;
        let Some(made) = made else {
            // Devices and queues are no resources either way.
            let is_resource = object.interface().get().name.starts_with("ID3D12Resource");
            let is_back_buffer = object.method() != SHARED;
            let one = Self {
                mips: 1,
                slices: 1,
                depth: 1,
                planes: 1,
                samples: 1,
                size: None,
                is_buffer: false,
                is_back_buffer,
            };
            return is_resource.then_some(one);
        };
        let volume = made.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let size = u32::from(made.DepthOrArraySize).max(1);
        Some(Self {
            mips: levels(&made),
            slices: if volume { 1 } else { size },
            depth: if volume { size } else { 1 },
            planes: planes(made.Format.0 as u32),
            samples: made.SampleDesc.Count.max(1),
            size: Some((made.Width as u32, made.Height)),
            is_buffer: made.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER,
            is_back_buffer: false,
        })
    }

    /// Level, slice and plane of a subresource.
    pub(super) fn parts(&self, subresource: u32) -> (u32, u32, u32) {
        let mip = subresource % self.mips;
        let slice = subresource / self.mips % self.slices;
        (mip, slice, subresource / self.mips / self.slices)
    }

    /// Slices of a level: of an array, or of a volume's depth.
    pub(super) fn slices_of(&self, mip: u32) -> u32 {
        if self.depth > 1 { (self.depth >> mip.min(31)).max(1) } else { self.slices }
    }

    /// Of a level.
    pub(super) fn size_of(&self, mip: u32) -> Option<(u32, u32)> {
        self.size.map(|(width, height)| ((width >> mip.min(31)).max(1), (height >> mip.min(31)).max(1)))
    }
}

impl Area {
    /// What a view of a target covers: all of its levels and slices. `None`: it is null, or of a buffer.
    ///
    /// # Errors
    /// Its resource is not known.
    pub(super) fn of_view(state: &State, view: &View, is_depth: bool) -> Result<Option<(u32, Self)>, ()> {
        let of = match is_depth {
            true => ShotOf::Depth { stencil: false, slice: 0, sample: 0 },
            false => ShotOf::Target { slot: 0, slice: 0, sample: 0 },
        };
        let Ok((resource, part)) = part_of_view(view, &of) else { return Ok(None) };
        let shape = Shape::of(state, resource).ok_or(())?;
        Ok(Some((resource, Self::of_part(view, &shape, part.mip))))
    }

    /// The same of an unordered view. `None`: it is null, or of another kind.
    pub(super) fn of_unordered(state: &State, view: &View) -> Option<(u32, Self)> {
        if view.kind != ViewKind::Unordered || view.resource == 0 {
            return None;
        }
        let shape = Shape::of(state, view.resource);
        let area = shape
            .map_or_else(Self::default, |shape| Self::of_part(view, &shape, view.reach().map_or(0, |reach| reach.mip)));
        Some((view.resource, area))
    }

    fn of_part(view: &View, shape: &Shape, mip: u32) -> Self {
        let reach = view.reach();
        // Views of depth lead to both planes.
        let plane = reach.filter(|_| shape.planes > 1 && view.kind != ViewKind::Depth).map(|reach| reach.plane);
        let format = reach.map_or(0, |reach| reach.format);
        Self { mip: Some(mip), slices: Some(slices(view, shape.slices_of(mip))), plane, rects: None, format }
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
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// What `CopyTextureRegion` writes, and where it reads that. `None`: it writes a buffer.
///
/// # Errors
/// What it writes is not known.
pub(super) fn of_copy(
    state: &State,
    to: &D3D12_TEXTURE_COPY_LOCATION,
    place: [u32; 3],
    from: &D3D12_TEXTURE_COPY_LOCATION,
    part: Option<D3D12_BOX>,
) -> Result<Option<(u32, Area, Option<Origin>)>, ()> {
    // In a trace the pointer is an id.
    let resource = to.pResource as usize as u32;
    if to.Type != D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX {
        return Ok(None);
    }
    // SAFETY: every bit pattern is a value of both members, and the type says that it is this one.
    let subresource = unsafe { to.Anonymous.SubresourceIndex };
    let mut area = Area::of_subresource(&Shape::of(state, resource).ok_or(())?, subresource);
    let source = from.pResource as usize as u32;
    let is_texture = from.Type == D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX;
    let shape = Shape::of(state, source);
    let (whole, origin) = if is_texture {
        // SAFETY: every bit pattern is a value of both members, and the type says that it is this one.
        let index = unsafe { from.Anonymous.SubresourceIndex };
        let read = shape.map(|shape| shape.parts(index));
        let start = part.map_or([0; 3], |part| [part.left, part.top, part.front]);
        let step = std::array::from_fn(|at| i64::from(start[at]) - i64::from(place[at]));
        let whole = shape.and_then(|shape| shape.size_of(shape.parts(index).0));
        (whole, read.map(|part| Origin { resource: source, part: Some(part), step }))
    } else {
        // SAFETY: every bit pattern is a value of both members, and the type is not that of the other one.
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
    Ok(Some((resource, area, origin)))
}

/// What `ResolveSubresourceRegion` writes of a subresource from a place on, and where it reads that.
pub(super) fn of_region(
    (to, written, [x, y]): (&Shape, u32, [u32; 2]),
    (resource, from, source): (u32, &Shape, u32),
    part: Option<RECT>,
    mode: D3D12_RESOLVE_MODE,
) -> (Area, Option<Origin>) {
    let mut area = Area::of_subresource(to, written);
    // What feedback is encoded to is of another size.
    let same_size =
        [D3D12_RESOLVE_MODE::DECOMPRESS, D3D12_RESOLVE_MODE::MIN, D3D12_RESOLVE_MODE::MAX, D3D12_RESOLVE_MODE::AVERAGE];
    if !same_size.contains(&mode) {
        return (area, None);
    }
    let read = from.parts(source);
    let part = part.map(|it| [it.left, it.top, it.right, it.bottom].map(i64::from));
    let whole = from.size_of(read.0).map(|(width, height)| [0, 0, i64::from(width), i64::from(height)]);
    let (x, y) = (i64::from(x), i64::from(y));
    area.rects = part.or(whole).map(|[left, top, right, bottom]| vec![[x, y, x + right - left, y + bottom - top]]);
    let [left, top, ..] = part.unwrap_or_default();
    (area, Some(Origin { resource, part: Some(read), step: [left - x, top - y, 0] }))
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

    #[test]
    fn a_resolved_region_is_written_where_it_is_put_and_read_where_it_lies() {
        let flat = |mips, planes| Shape {
            mips,
            slices: 3,
            depth: 1,
            planes,
            samples: 1,
            size: Some((64, 32)),
            is_buffer: false,
            is_back_buffer: false,
        };
        let (to, from) = (flat(2, 1), flat(1, 1));
        let part = RECT { left: 10, top: 4, right: 20, bottom: 12 };
        let (area, origin) = of_region((&to, 4, [3, 5]), (9, &from, 1), Some(part), D3D12_RESOLVE_MODE::AVERAGE);
        assert_eq!((area.mip, area.slices, area.rects.clone()), (Some(0), Some((2, 1)), Some(vec![[3, 5, 13, 13]])));
        let place = PixelPlace { resource: 8, mip: 0, slice: 2, plane: 0, at: (12, 12) };
        assert!(area.has(&place) && !area.leaves_out(place.at) && area.leaves_out((13, 12)));
        let read = origin.unwrap().of(&place).unwrap();
        assert_eq!((read.resource, read.mip, read.slice, read.at), (9, 0, 1, (19, 11)));
        let (area, origin) = of_region((&to, 0, [1, 2]), (9, &from, 0), None, D3D12_RESOLVE_MODE::MAX);
        assert_eq!((area.rects, origin.unwrap().step), (Some(vec![[1, 2, 65, 34]]), [-1, -2, 0]));
        let encoded = D3D12_RESOLVE_MODE::ENCODE_SAMPLER_FEEDBACK;
        assert_eq!(of_region((&to, 0, [0; 2]), (9, &from, 0), None, encoded).1, None);
    }
}
