//! Methods of queues that change what tiles of reserved resources are mapped to.

use core::ffi::c_void;

use reprise_com::result::DXGI_ERROR_INVALID_CALL;
use reprise_com::{Object, Slots, guard};
use reprise_d3d12::types::{
    D3D12_TILE_RANGE_FLAGS, D3D12_TILE_REGION_SIZE as Size, D3D12_TILED_RESOURCE_COORDINATE as Coordinate,
};
use reprise_gpu::sparse::Mapping;

use crate::queue::object::CommandQueue;
use crate::queue::tile_range::{Ranges, Source};
use crate::queue::tile_update::Update;
use crate::resource::heap::Heap;
use crate::resource::tile_methods::reserved;
use crate::resource::tiles::Tiles;
use crate::resource::tiling::TILE;
use crate::{Error, Result};

pub(super) const QUEUE_METHODS: &Slots = &[
    ("UpdateTileMappings", update_tile_mappings as *const c_void),
    ("CopyTileMappings", copy_tile_mappings as *const c_void),
];

/// # Safety
/// The pointer is null or leads to so many elements that stay as they are for `'a`.
unsafe fn array<'a, T>(pointer: *const T, count: u32) -> Option<&'a [T]> {
    // SAFETY: the caller passes a pointer to so many elements, where it is not null.
    (!pointer.is_null()).then(|| unsafe { core::slice::from_raw_parts(pointer, count as usize) })
}

/// Gives a change to a queue; one that the API does not allow removes the device, as for lists.
///
/// # Safety
/// `queue` is a queue of ours.
unsafe fn on_queue(queue: *mut c_void, name: &str, make: impl FnOnce() -> Result<Update>) {
    guard((), || {
        // SAFETY: the caller passes a queue of ours.
        let queue = unsafe { Object::<CommandQueue>::this(queue) };
        match make() {
            Ok(update) => {
                update.foretell();
                queue.gpu.bind(Box::new(update));
            }
            Err(error) => {
                reprise_log::error(format_args!("{name}: {error}"));
                queue.device().remove(DXGI_ERROR_INVALID_CALL);
            }
        }
    });
}

unsafe extern "C" fn update_tile_mappings(
    queue: *mut c_void,
    resource: *mut c_void,
    region_count: u32,
    starts: *const Coordinate,
    sizes: *const Size,
    heap: *mut c_void,
    range_count: u32,
    flags: *const D3D12_TILE_RANGE_FLAGS,
    offsets: *const u32,
    counts: *const u32,
    _hazards: u32,
) {
    // SAFETY: the slot is of a queue's vtable; `reserved` looks at the resource, the heap is null or one that the program holds, and each
    // array is null or has as many elements as the count beside it.
    unsafe {
        on_queue(queue, "UpdateTileMappings", || {
            let (resource, tiles) = reserved(resource)?;
            let touched =
                tiles.tiling.regions(region_count, array(starts, region_count), array(sizes, region_count))?;
            let ranges = Ranges {
                count: range_count,
                flags: array(flags, range_count),
                offsets: array(offsets, range_count),
                counts: array(counts, range_count),
            };
            let pairs = ranges.pair(&touched)?;
            let base = match Object::<Heap>::from_pointer(heap) {
                Some(heap) => Some(base(heap, tiles, &pairs)?),
                None if pairs.iter().all(|pair| pair.1 == Source::Null) => None,
                None => return Err(Error::Invalid("tiles are mapped to no heap")),
            };
            Ok(Update::Map(resource.keep(), pairs, base))
        });
    }
}

/// Where a heap's tiles begin, if it has those that are named and can hold them.
fn base(heap: &Heap, tiles: &Tiles, pairs: &[(u32, Source)]) -> Result<Mapping> {
    let last = pairs.iter().filter_map(|pair| match pair.1 {
        Source::Heap(tile) => Some(tile),
        Source::Null => None,
    });
    if last.max().is_some_and(|last| (u64::from(last) + 1) * TILE > heap.slice.size) {
        return Err(Error::Invalid("tiles are mapped to a place outside of the heap"));
    }
    if tiles.types & (1 << heap.slice.allocation().type_index) == 0 {
        return Err(Error::Unsupported("tiles of this resource in a heap of this type"));
    }
    Ok(Mapping { slice: heap.slice.clone(), offset: heap.slice.offset })
}

unsafe extern "C" fn copy_tile_mappings(
    queue: *mut c_void,
    to: *mut c_void,
    to_start: *const Coordinate,
    from: *mut c_void,
    from_start: *const Coordinate,
    size: *const Size,
    _hazards: u32,
) {
    // SAFETY: the slot is of a queue's vtable; `reserved` looks at both resources, and the structures are null or readable: each is taken
    // as an array of one.
    unsafe {
        on_queue(queue, "CopyTileMappings", || {
            let ((to, to_tiles), (from, from_tiles)) = (reserved(to)?, reserved(from)?);
            let region =
                |tiles: &Tiles, start: *const Coordinate| tiles.tiling.regions(1, array(start, 1), array(size, 1));
            let (targets, sources) = (region(to_tiles, to_start)?, region(from_tiles, from_start)?);
            if targets.len() != sources.len() || to_tiles.types != from_tiles.types {
                return Err(Error::Invalid("mappings are copied between resources that differ"));
            }
            Ok(Update::Copy(to.keep(), from.keep(), targets.into_iter().zip(sources).collect()))
        });
    }
}
