//! The method of the device that says how a reserved resource is cut into tiles.

use core::ffi::c_void;

use reprise_com::{Object, Slots, guard};
use reprise_d3d12::types::{D3D12_PACKED_MIP_INFO, D3D12_SUBRESOURCE_TILING, D3D12_TILE_SHAPE};

use crate::resource::object::Resource;
use crate::resource::tiles::Tiles;
use crate::{Error, Result};

pub(crate) const TILE_METHODS: &Slots = &[("GetResourceTiling", get_resource_tiling as *const c_void)];

/// A resource that has tiles.
///
/// # Errors
/// The pointer is null, of another class, or of a resource that is not reserved.
///
/// # Safety
/// `pointer` is null or a COM pointer that is alive for `'a`.
pub(crate) unsafe fn reserved<'a>(pointer: *mut c_void) -> Result<(&'a Object<Resource>, &'a Tiles)> {
    // SAFETY: the caller passes null or a COM pointer that is alive.
    let resource = unsafe { Object::<Resource>::from_pointer(pointer) };
    let tiled = resource.and_then(|resource| Some((resource, resource.tiles.as_deref()?)));
    tiled.ok_or(Error::Invalid("tiles: the resource is not a reserved one"))
}

/// Resources that are not reserved have no tiles.
unsafe extern "C" fn get_resource_tiling(
    _device: *mut c_void,
    resource: *mut c_void,
    total: *mut u32,
    packed: *mut D3D12_PACKED_MIP_INFO,
    shape: *mut D3D12_TILE_SHAPE,
    count: *mut u32,
    first: u32,
    subresources: *mut D3D12_SUBRESOURCE_TILING,
) {
    guard((), || {
        // SAFETY: `reserved` looks whether the object is a reserved resource of ours; each place is null or has room: `subresources` for as
        // many elements as `count` says, the others for one.
        unsafe {
            let Ok((resource, tiles)) = reserved(resource) else {
                if !total.is_null() {
                    total.write(0);
                }
                if !count.is_null() {
                    count.write(0);
                }
                return;
            };
            let tiling = &tiles.tiling;
            if !total.is_null() {
                total.write(tiling.total());
            }
            if !packed.is_null() {
                packed.write(packed_levels(resource, tiles));
            }
            if !shape.is_null() {
                let [width, height, depth] = tiling.shape;
                shape.write(D3D12_TILE_SHAPE { WidthInTexels: width, HeightInTexels: height, DepthInTexels: depth });
            }
            if count.is_null() {
                return;
            }
            let there = (tiling.levels * tiling.layers).saturating_sub(first).min(*count);
            count.write(there);
            for at in 0..there {
                let row = match tiling.subresource(first + at) {
                    Some(([width, height, depth], start)) => D3D12_SUBRESOURCE_TILING {
                        WidthInTiles: width,
                        HeightInTiles: height as u16,
                        DepthInTiles: depth as u16,
                        StartTileIndexInOverallResource: start,
                    },
                    None => {
                        D3D12_SUBRESOURCE_TILING { StartTileIndexInOverallResource: u32::MAX, ..Default::default() }
                    }
                };
                if !subresources.is_null() {
                    subresources.add(at as usize).write(row);
                }
            }
        }
    });
}

fn packed_levels(resource: &Resource, tiles: &Tiles) -> D3D12_PACKED_MIP_INFO {
    if resource.buffer().is_some() {
        return D3D12_PACKED_MIP_INFO::default();
    }
    let (tiling, standard) = (&tiles.tiling, tiles.tiling.standard.len() as u32);
    let any = standard < tiling.levels;
    D3D12_PACKED_MIP_INFO {
        NumStandardMips: standard as u8,
        NumPackedMips: (tiling.levels - standard) as u8,
        NumTilesForPackedMips: tiling.packed,
        StartTileIndexInOverallResource: if any { tiling.first_packed() } else { 0 },
    }
}
