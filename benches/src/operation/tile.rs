//! Tile mappings of a reserved buffer: a thousand in one call, and one in each of a thousand calls.

use super::{Operation, WIN64, scattered};
use crate::call;
use crate::com::{iid, slot};
use crate::make::{self, Maker, check};
use crate::queue::Queue;
use crate::stage::Stage;
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;

/// Tiles of 64 KiB.
const TILES: u32 = 1024;

pub(super) unsafe fn all(stage: &'static Stage, make: &Maker<WIN64>) -> Result<Vec<Operation>> {
    // SAFETY: a runtime's device, by the caller's promise; so below.
    let options = unsafe { make.feature::<D3D12_FEATURE_DATA_D3D12_OPTIONS>(D3D12_FEATURE::D3D12_OPTIONS)? };
    if options.is_none_or(|options| options.TiledResourcesTier < D3D12_TILED_RESOURCES_TIER::TIER_1) {
        return Ok(Vec::new());
    }
    let size = u64::from(TILES) << 16;
    let (desc, id, mut buffer) = (make::buffer_desc(size), iid("ID3D12Resource")?, core::ptr::null_mut());
    // SAFETY: everything pointed to is ours.
    let (heap, queue) = unsafe {
        let code = call!(WIN64, make.device, slot("ID3D12Device", "CreateReservedResource")?,
            (*const D3D12_RESOURCE_DESC, i32, *const c_void, *const Guid, *mut *mut c_void) -> i32,
            (&raw const desc, 0, core::ptr::null(), &raw const id, &raw mut buffer));
        check("CreateReservedResource", code)?;
        (make.memory(size)?, Queue::new(stage, make)?)
    };
    let update = slot("ID3D12CommandQueue", "UpdateTileMappings")?;
    let places: Vec<_> =
        (0..TILES).map(|i| D3D12_TILED_RESOURCE_COORDINATE { X: scattered(i, TILES), ..Default::default() }).collect();
    let one = D3D12_TILE_REGION_SIZE { NumTiles: 1, ..Default::default() };
    let (sizes, counts) = (vec![one; TILES as usize], vec![1u32; TILES as usize]);
    // Each time other tiles of the heap, so that no mapping is what it was.
    let offsets = |turn: u32| (0..TILES).map(|i| (i + turn) % TILES).collect::<Vec<u32>>();
    let offsets = [offsets(0), offsets(1)];
    let map = {
        let queue = queue.clone();
        move |first: usize, count: usize, turn: u32| {
            // SAFETY: tiles of the buffer and of the heap, in arrays of `TILES` each.
            unsafe {
                call!(WIN64, queue.pointer(), update,
                    (*mut c_void, u32, *const D3D12_TILED_RESOURCE_COORDINATE, *const D3D12_TILE_REGION_SIZE, *mut c_void, u32, *const u32, *const u32, *const u32, u32) -> (),
                    (buffer, count as u32, places[first..].as_ptr(), sizes.as_ptr(), heap, count as u32, core::ptr::null(),
                        offsets[(turn % 2) as usize][first..].as_ptr(), counts.as_ptr(), 0));
            }
        }
    };
    let (all, idle) = (map.clone(), move || queue.idle());
    Ok(vec![
        Operation::new("UpdateTileMappings of 1,024 tiles apart, all threads", 8, {
            let idle = idle.clone();
            move |number| {
                (0..number).for_each(|turn| all(0, TILES as usize, turn));
                idle();
            }
        })
        .after(idle.clone())
        .of_all_threads(),
        Operation::new("UpdateTileMappings of 1 tile, all threads", TILES, {
            let idle = idle.clone();
            move |number| {
                (0..number).for_each(|i| map((i % TILES) as usize, 1, i / TILES));
                idle();
            }
        })
        .after(idle)
        .of_all_threads(),
    ])
}
