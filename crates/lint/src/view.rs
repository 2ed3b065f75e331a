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
    let desc: D3D12_SHADER_RESOURCE_VIEW_DESC = view.desc()?;
    let union = desc.Anonymous;
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    let (mips, slices, plane) = unsafe {
        match desc.ViewDimension {
            D3D12_SRV_DIMENSION::TEXTURE1D => ((union.Texture1D.MostDetailedMip, union.Texture1D.MipLevels), (0, 1), 0),
            D3D12_SRV_DIMENSION::TEXTURE1DARRAY => {
                let it = union.Texture1DArray;
                ((it.MostDetailedMip, it.MipLevels), (it.FirstArraySlice, it.ArraySize), 0)
            }
            D3D12_SRV_DIMENSION::TEXTURE2D => {
                let it = union.Texture2D;
                ((it.MostDetailedMip, it.MipLevels), (0, 1), it.PlaneSlice)
            }
            D3D12_SRV_DIMENSION::TEXTURE2DARRAY => {
                let it = union.Texture2DArray;
                ((it.MostDetailedMip, it.MipLevels), (it.FirstArraySlice, it.ArraySize), it.PlaneSlice)
            }
            D3D12_SRV_DIMENSION::TEXTURE2DMS => ((0, 1), (0, 1), stencil(desc.Format.0)),
            D3D12_SRV_DIMENSION::TEXTURE2DMSARRAY => {
                let it = union.Texture2DMSArray;
                ((0, 1), (it.FirstArraySlice, it.ArraySize), stencil(desc.Format.0))
            }
            D3D12_SRV_DIMENSION::TEXTURE3D => ((union.Texture3D.MostDetailedMip, union.Texture3D.MipLevels), ALL, 0),
            D3D12_SRV_DIMENSION::TEXTURECUBE => {
                ((union.TextureCube.MostDetailedMip, union.TextureCube.MipLevels), (0, 6), 0)
            }
            D3D12_SRV_DIMENSION::TEXTURECUBEARRAY => {
                let it = union.TextureCubeArray;
                ((it.MostDetailedMip, it.MipLevels), (it.First2DArrayFace, it.NumCubes.saturating_mul(6)), 0)
            }
            _ => return None,
        }
    };
    Some((mips, slices, (plane, 1)))
}

/// The plane that a format reads: X32_TYPELESS_G8X24_UINT and X24_TYPELESS_G8_UINT are of stencil.
fn stencil(format: i32) -> u32 {
    u32::from(matches!(format, 22 | 47))
}
