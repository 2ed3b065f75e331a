//! The subresources that a view leads to.

use crate::subresource::{Shape, Subresources};
use reprise_d3d12::types::{D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION};
use reprise_timeline::state::descriptors::{View, ViewKind};

/// The address of the acceleration structure that a view is of; `None` for other views.
pub(crate) fn structure(view: &View) -> Option<u64> {
    let desc = view.desc::<D3D12_SHADER_RESOURCE_VIEW_DESC>()?;
    let is_structure = desc.ViewDimension == D3D12_SRV_DIMENSION::RAYTRACING_ACCELERATION_STRUCTURE;
    // SAFETY: all members of the union are numbers, which any bytes are.
    is_structure.then_some(unsafe { desc.Anonymous.RaytracingAccelerationStructure.Location })
}

const REST: u32 = u32::MAX;
const ALL: (u32, u32) = (0, REST);

/// What a view of a resource of this shape leads to.
pub(crate) fn subresources(view: &View, shape: Shape) -> Subresources {
    let parts = match view.kind {
        ViewKind::Shader => shader(view),
        _ => written(view),
    };
    match parts {
        Some((mips, slices, planes)) => shape.part(mips, slices, planes),
        // Views without a description begin at the first level; those of targets have only that one.
        None if matches!(view.kind, ViewKind::Target | ViewKind::Depth | ViewKind::Unordered) => {
            shape.part((0, 1), ALL, if view.kind == ViewKind::Depth { ALL } else { (0, 1) })
        }
        None => Subresources::All,
    }
}

type Parts = ((u32, u32), (u32, u32), (u32, u32));

/// Volumes have one subresource a level.
fn written(view: &View) -> Option<Parts> {
    let reach = view.reach()?;
    let planes = if view.kind == ViewKind::Depth { ALL } else { (reach.plane, 1) };
    Some(((reach.mip, 1), if reach.depth.is_some() { ALL } else { reach.slices }, planes))
}

fn shader(view: &View) -> Option<Parts> {
    let sampled = view.sampled()?;
    Some((sampled.mips, if sampled.is_volume { ALL } else { sampled.slices }, (sampled.plane, 1)))
}
