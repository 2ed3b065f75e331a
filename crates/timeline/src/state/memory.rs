//! Heaps, what lies in them, what is resident, and what is mapped.
//!
//! Sizes: a buffer covers its width in bytes; a texture covers what the program's device stated ([`fact::ALLOCATION`]), or where
//! the trace has no such statement the bytes of its texels, which no device needs fewer of.
//!
//! Invariant: what is listed is alive. Tile mappings are those of the calls, in the order of the calls: a queue may execute
//! them later.

mod contents;
mod description;
mod tiles;
mod tiling;

pub use contents::{Contents, PAGE};
pub use description::{InitialState, heap, initial_state, makes_heap, makes_resource, own_heap, placement, resource};
pub use tiles::{Run, Tiles};
pub use tiling::{TILE, Tiling, texel_bytes};

use super::Objects;
use crate::argument;
use crate::argument::{Argument, Damaged, Many, ObjectId, One};
use crate::call::Call;
use crate::walk::{Interests, Memory};
use description::{Allocation, HEAPS, RESOURCES};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_HEAP_FLAGS, D3D12_HEAP_TYPE, D3D12_RESOURCE_DIMENSION, D3D12_TILE_RANGE_FLAGS, D3D12_TILE_REGION_SIZE,
    D3D12_TILED_RESOURCE_COORDINATE,
};
use reprise_trace::fact;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MAP: Argument<u32> = argument!("ID3D12Resource", "Map", "Subresource");
const UNMAP: Argument<u32> = argument!("ID3D12Resource", "Unmap", "Subresource");
const MAKE_RESIDENT: Argument<Many<ObjectId>> = argument!("ID3D12Device", "MakeResident", "ppObjects");
const ENQUEUE_RESIDENT: Argument<Many<ObjectId>> = argument!("ID3D12Device3", "EnqueueMakeResident", "ppObjects");
const EVICT: Argument<Many<ObjectId>> = argument!("ID3D12Device", "Evict", "ppObjects");

const UPDATE_RESOURCE: Argument<ObjectId> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResource");
const UPDATE_STARTS: Argument<Many<D3D12_TILED_RESOURCE_COORDINATE>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResourceRegionStartCoordinates");
const UPDATE_SIZES: Argument<Many<D3D12_TILE_REGION_SIZE>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResourceRegionSizes");
const UPDATE_REGIONS: Argument<u32> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "NumResourceRegions");
const UPDATE_HEAP: Argument<ObjectId> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pHeap");
const UPDATE_RANGES: Argument<u32> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "NumRanges");
const UPDATE_FLAGS: Argument<Many<D3D12_TILE_RANGE_FLAGS>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pRangeFlags");
const UPDATE_OFFSETS: Argument<Many<u32>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pHeapRangeStartOffsets");
const UPDATE_COUNTS: Argument<Many<u32>> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pRangeTileCounts");

const COPY_TO: Argument<ObjectId> = argument!("ID3D12CommandQueue", "CopyTileMappings", "pDstResource");
const COPY_TO_START: Argument<One<D3D12_TILED_RESOURCE_COORDINATE>> =
    argument!("ID3D12CommandQueue", "CopyTileMappings", "pDstRegionStartCoordinate");
const COPY_FROM: Argument<ObjectId> = argument!("ID3D12CommandQueue", "CopyTileMappings", "pSrcResource");
const COPY_FROM_START: Argument<One<D3D12_TILED_RESOURCE_COORDINATE>> =
    argument!("ID3D12CommandQueue", "CopyTileMappings", "pSrcRegionStartCoordinate");
const COPY_SIZE: Argument<One<D3D12_TILE_REGION_SIZE>> =
    argument!("ID3D12CommandQueue", "CopyTileMappings", "pRegionSize");

/// Heaps, resources, mappings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memories {
    heaps: BTreeMap<u32, Heap>,
    resources: BTreeMap<u32, Resource>,
    tiles: BTreeMap<u32, Tiles>,
    mappings: BTreeMap<(u32, u32), Mapping>,
    /// References to residency, of the objects that have another number than one.
    residency: BTreeMap<u32, u32>,
    /// Bytes and alignment, as the program's device stated them.
    stated: BTreeMap<u32, (u64, u64)>,
    contents: Option<Contents>,
}

/// A heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heap {
    /// Bytes.
    pub size: u64,
    /// Bytes; 0 for the default.
    pub alignment: u64,
    /// A number of `D3D12_HEAP_TYPE`.
    pub kind: i32,
    /// Bits of `D3D12_HEAP_FLAGS`.
    pub flags: u32,
    /// The call that made it.
    pub call: u64,
}

/// A resource, as far as memory is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// Where it lies.
    pub place: Place,
    /// Bytes that it covers.
    pub size: u64,
    /// Bytes; 0 where nothing states it.
    pub alignment: u64,
    /// Whether it is a buffer.
    pub buffer: bool,
    /// The call that made it.
    pub call: u64,
}

/// Where a resource lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// In a heap of its own.
    Committed {
        /// A number of `D3D12_HEAP_TYPE`.
        kind: i32,
        /// Bits of `D3D12_HEAP_FLAGS`.
        flags: u32,
    },
    /// In a heap of the program.
    Placed {
        /// Id of the heap.
        heap: u32,
        /// Bytes from the heap's beginning.
        offset: u64,
    },
    /// In tiles, each of which may be mapped to a heap: see [`Memories::tiles`].
    Reserved,
}

/// A subresource that is, or was, mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// Where the program sees it, as stated last; 0 where nothing states it.
    pub address: u64,
    /// Bytes; 0 where they are not known.
    pub bytes: u64,
    /// A number of `D3D12_HEAP_TYPE`; 0 where it is not known.
    pub kind: u32,
    /// `Map` calls without their `Unmap`. The subresource is mapped while there are any.
    pub maps: u32,
}

/// Something that lies in a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    /// Bytes from the heap's beginning.
    pub offset: u64,
    /// Bytes that it covers.
    pub bytes: u64,
    /// The resource.
    pub resource: u32,
    /// For reserved resources: the first tile of the resource that lies here.
    pub tile: Option<u32>,
}

impl Content {
    /// Whether two of a heap share bytes.
    pub fn meets(&self, other: &Content) -> bool {
        self.offset < other.offset.saturating_add(other.bytes) && other.offset < self.offset.saturating_add(self.bytes)
    }
}

impl Memories {
    /// Keeps what mapped memory holds, too, as the program's stores and the capture layer's observations state it.
    pub fn with_contents() -> Memories {
        Memories { contents: Some(Contents::default()), ..Memories::default() }
    }

    /// The calls and facts that change it.
    pub(crate) fn interests() -> Interests {
        let made = RESOURCES.iter().map(|row| row.method()).chain(HEAPS.iter().map(|heap| heap.method()));
        let made: Vec<MethodId> = made.collect();
        let others = [MAP.method(), UNMAP.method(), MAKE_RESIDENT.method(), ENQUEUE_RESIDENT.method(), EVICT.method()];
        let tiles = [UPDATE_RESOURCE.method(), COPY_TO.method()];
        Interests::new().calls(&made).calls(&others).calls(&tiles).facts()
    }

    /// Whether stores to mapped memory are wanted.
    pub(crate) fn wants_memory(&self) -> bool {
        self.contents.is_some()
    }

    /// Heaps by rising id.
    pub fn heaps(&self) -> impl Iterator<Item = (u32, &Heap)> {
        self.heaps.iter().map(|(id, heap)| (*id, heap))
    }

    /// A heap.
    pub fn heap(&self, id: u32) -> Option<&Heap> {
        self.heaps.get(&id)
    }

    /// Resources by rising id.
    pub fn resources(&self) -> impl Iterator<Item = (u32, Resource)> {
        self.resources.iter().map(|(id, resource)| (*id, self.sized(*id, *resource)))
    }

    /// A resource.
    pub fn resource(&self, id: u32) -> Option<Resource> {
        self.resources.get(&id).map(|resource| self.sized(id, *resource))
    }

    fn sized(&self, id: u32, resource: Resource) -> Resource {
        match self.stated.get(&id) {
            Some(&(size, alignment)) if !resource.buffer => Resource { size, alignment, ..resource },
            _ => resource,
        }
    }

    /// The tiles of a reserved resource that are mapped.
    pub fn tiles(&self, resource: u32) -> Option<&Tiles> {
        self.tiles.get(&resource)
    }

    /// The subresources that are mapped now: resource, subresource, mapping.
    pub fn mapped(&self) -> impl Iterator<Item = (u32, u32, &Mapping)> {
        let mapped = self.mappings.iter().filter(|(_, mapping)| mapping.maps > 0);
        mapped.map(|((resource, subresource), mapping)| (*resource, *subresource, mapping))
    }

    /// What is known of a mapping of a subresource, also of one that has ended.
    pub fn mapping(&self, resource: u32, subresource: u32) -> Option<&Mapping> {
        self.mappings.get(&(resource, subresource))
    }

    /// Whether an object is resident, as far as the program asked for it.
    pub fn is_resident(&self, object: u32) -> bool {
        self.residency.get(&object).is_none_or(|references| *references > 0)
    }

    /// What mapped memory holds, if this was asked for.
    pub fn contents(&self) -> Option<&Contents> {
        self.contents.as_ref()
    }

    /// What lies in a heap, by rising offset.
    pub fn in_heap(&self, heap: u32) -> Vec<Content> {
        let mut all = Vec::new();
        for (resource, own) in self.resources() {
            match own.place {
                Place::Placed { heap: other, offset } if other == heap => {
                    all.push(Content { offset, bytes: own.size, resource, tile: None });
                }
                _ => {}
            }
        }
        for (resource, tiles) in &self.tiles {
            for (tile, run) in tiles.runs().filter(|(_, run)| run.heap == heap) {
                let bytes = if run.single { TILE } else { u64::from(run.count) * TILE };
                all.push(Content { offset: u64::from(run.tile) * TILE, bytes, resource: *resource, tile: Some(tile) });
            }
        }
        all.sort_by_key(|content| (content.offset, content.resource, content.tile));
        all
    }

    /// What shares bytes of a heap with a resource: the heap, the part of the resource, and the part of another one.
    pub fn overlaps(&self, resource: u32) -> Vec<(u32, Content, Content)> {
        let mut heaps: Vec<u32> = match self.resources.get(&resource).map(|own| own.place) {
            Some(Place::Placed { heap, .. }) => vec![heap],
            _ => self.tiles.get(&resource).into_iter().flat_map(|t| t.runs().map(|(_, run)| run.heap)).collect(),
        };
        heaps.sort_unstable();
        heaps.dedup();
        let mut all = Vec::new();
        for heap in heaps {
            let contents = self.in_heap(heap);
            for own in contents.iter().filter(|own| own.resource == resource) {
                let others = contents.iter().filter(|other| other.resource != resource && other.meets(own));
                all.extend(others.map(|other| (heap, *own, *other)));
            }
        }
        all
    }

    /// A call is complete.
    ///
    /// # Errors
    /// When its arguments or its outcome cannot be read.
    pub(crate) fn call(&mut self, call: &Call<'_>, objects: &Objects) -> Result<(), Damaged> {
        match call.method {
            method if method == MAP.method() => {
                if call.succeeded() {
                    let mapping = self.mappings.entry((call.object, MAP.of(call)?)).or_default();
                    mapping.maps = mapping.maps.saturating_add(1);
                }
            }
            method if method == UNMAP.method() => {
                if let Some(mapping) = self.mappings.get_mut(&(call.object, UNMAP.of(call)?)) {
                    mapping.maps = mapping.maps.saturating_sub(1);
                }
            }
            method if method == MAKE_RESIDENT.method() => {
                if call.succeeded() {
                    self.residency(MAKE_RESIDENT.of(call)?.iter(), objects, |count| count.saturating_add(1));
                }
            }
            method if method == ENQUEUE_RESIDENT.method() => {
                if call.succeeded() {
                    self.residency(ENQUEUE_RESIDENT.of(call)?.iter(), objects, |count| count.saturating_add(1));
                }
            }
            method if method == EVICT.method() => {
                if call.succeeded() {
                    self.residency(EVICT.of(call)?.iter(), objects, |count| count.saturating_sub(1));
                }
            }
            method if method == UPDATE_RESOURCE.method() => self.update_tiles(call, objects)?,
            method if method == COPY_TO.method() => self.copy_tiles(call, objects)?,
            _ => self.created(call)?,
        }
        Ok(())
    }

    /// Changes the residency references of live objects.
    fn residency(&mut self, ids: impl Iterator<Item = ObjectId>, objects: &Objects, change: impl Fn(u32) -> u32) {
        for ObjectId(id) in ids.filter(|id| objects.get(id.0).is_some()) {
            let count = change(self.residency.get(&id).copied().unwrap_or(1));
            match count {
                1 => _ = self.residency.remove(&id),
                count => _ = self.residency.insert(id, count),
            }
        }
    }

    fn created(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let Some(given) = call.given()?.first().map(|given| given.object) else { return Ok(()) };
        if let Some(desc) = heap(call)? {
            let heap = Heap {
                size: desc.SizeInBytes,
                alignment: desc.Alignment,
                kind: desc.Properties.Type.0,
                flags: desc.Flags.0,
                call: call.number,
            };
            self.evicted(given, desc.Flags);
            self.heaps.entry(given).or_insert(heap);
        } else if let Some(row) = RESOURCES.iter().find(|row| row.method() == call.method) {
            let Some(desc) = row.desc.of(call)? else { return Ok(()) };
            let buffer = desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER;
            let place = match row.allocation {
                Allocation::Committed(properties, flags) => {
                    let kind = properties.of(call)?.map_or(D3D12_HEAP_TYPE::default(), |properties| properties.Type);
                    let flags = flags.of(call)?;
                    self.evicted(given, flags);
                    Place::Committed { kind: kind.0, flags: flags.0 }
                }
                Allocation::Placed(heap, offset) => Place::Placed { heap: heap.of(call)?.0, offset: offset.of(call)? },
                Allocation::Reserved => Place::Reserved,
            };
            let size = if buffer { desc.Width } else { texel_bytes(&desc) };
            self.resources.entry(given).or_insert(Resource { place, size, alignment: 0, buffer, call: call.number });
        }
        Ok(())
    }

    /// Notes an object that is created evicted.
    fn evicted(&mut self, object: u32, flags: D3D12_HEAP_FLAGS) {
        if flags.0 & D3D12_HEAP_FLAGS::CREATE_NOT_RESIDENT.0 != 0 {
            self.residency.insert(object, 0);
        }
    }

    fn update_tiles(&mut self, call: &Call<'_>, objects: &Objects) -> Result<(), Damaged> {
        let ObjectId(resource) = UPDATE_RESOURCE.of(call)?;
        let Some(tiling) = tiling_of(resource, objects)? else { return Ok(()) };
        let (starts, sizes) = (UPDATE_STARTS.of(call)?, UPDATE_SIZES.of(call)?);
        let wrong = |what| UPDATE_STARTS.damaged(what);
        let mut tiles = Vec::new();
        let regions = UPDATE_REGIONS.of(call)? as usize;
        for region in 0..regions.min(starts.len().max(sizes.len()).max(1)) {
            match (starts.get(region), sizes.get(region)) {
                (None, None) => tiles.push((0, tiling.total())),
                (start, size) => {
                    let one = D3D12_TILE_REGION_SIZE { NumTiles: 1, ..Default::default() };
                    let runs = tiling.region(&start.unwrap_or_default(), &size.unwrap_or(one));
                    tiles.extend(runs.ok_or_else(|| wrong("a region of tiles that the resource does not have"))?);
                }
            }
        }
        let (heap, ranges) = (UPDATE_HEAP.of(call)?.0, UPDATE_RANGES.of(call)? as usize);
        let (flags, offsets, counts) = (UPDATE_FLAGS.of(call)?, UPDATE_OFFSETS.of(call)?, UPDATE_COUNTS.of(call)?);
        if ranges > 1 && counts.len() < ranges {
            return Err(UPDATE_COUNTS.damaged("there are fewer counts than ranges"));
        }
        let mut tiles = tiles.into_iter();
        let mut rest = (0, 0);
        let own = self.tiles.entry(resource).or_default();
        for range in 0..ranges {
            let flag = flags.get(range).unwrap_or_default();
            let (mut tile, mut left) = (offsets.get(range).unwrap_or(0), counts.get(range).unwrap_or(u32::MAX));
            while left > 0 {
                if rest.1 == 0 {
                    match tiles.next() {
                        Some(next) => rest = next,
                        None => break,
                    }
                    continue;
                }
                let count = rest.1.min(left);
                let single = flag == D3D12_TILE_RANGE_FLAGS::REUSE_SINGLE_TILE;
                match flag {
                    D3D12_TILE_RANGE_FLAGS::SKIP => {}
                    D3D12_TILE_RANGE_FLAGS::NULL => own.clear(rest.0, count),
                    // Memory of no heap: the runtime refuses it.
                    _ if heap == 0 => own.clear(rest.0, count),
                    _ => own.map(rest.0, Run { count, heap, tile, single, call: call.number }),
                }
                tile = if single { tile } else { tile.saturating_add(count) };
                left -= count;
                rest = (rest.0 + count, rest.1 - count);
            }
        }
        Ok(())
    }

    fn copy_tiles(&mut self, call: &Call<'_>, objects: &Objects) -> Result<(), Damaged> {
        let (ObjectId(to), ObjectId(from)) = (COPY_TO.of(call)?, COPY_FROM.of(call)?);
        let (Some(to_tiling), Some(from_tiling)) = (tiling_of(to, objects)?, tiling_of(from, objects)?) else {
            return Ok(());
        };
        let Some(size) = COPY_SIZE.of(call)? else { return Ok(()) };
        let region = |tiling: &Tiling, start: Option<D3D12_TILED_RESOURCE_COORDINATE>| {
            let runs = tiling.region(&start.unwrap_or_default(), &size);
            runs.ok_or_else(|| COPY_SIZE.damaged("a region of tiles that the resource does not have"))
        };
        let to_runs = region(&to_tiling, COPY_TO_START.of(call)?)?;
        let from_runs = region(&from_tiling, COPY_FROM_START.of(call)?)?;
        // The source as it is before the copy: the two may be the same resource.
        let source = self.tiles.get(&from).cloned().unwrap_or_default();
        let own = self.tiles.entry(to).or_default();
        // Both regions have the same shape, so the same runs.
        for ((to, count), (from, _)) in to_runs.into_iter().zip(from_runs) {
            own.clear(to, count);
            for (first, run) in source.between(from, count) {
                own.map(to + (first - from), Run { call: call.number, ..run });
            }
        }
        Ok(())
    }

    /// The capture layer states something of an object.
    pub(crate) fn fact(&mut self, object: u32, kind: u32, bytes: &[u8]) {
        let word = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u64::from_le_bytes(*b));
        let half = |at: usize| bytes.get(at..).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b));
        match kind {
            fact::ALLOCATION => {
                if let (Some(size), Some(alignment)) = (word(0), word(8)) {
                    self.stated.insert(object, (size, alignment));
                }
            }
            fact::MAPPING => {
                if let (Some(address), Some(bytes), Some(sub), Some(kind)) = (word(0), word(8), half(16), half(20)) {
                    let mapping = self.mappings.entry((object, sub)).or_default();
                    (mapping.address, mapping.bytes, mapping.kind) = (address, bytes, kind);
                }
            }
            _ => {}
        }
    }

    /// Bytes of mapped memory are known.
    pub(crate) fn stored(&mut self, memory: &Memory<'_>) {
        if let Some(contents) = &mut self.contents {
            contents.store(memory.resource, memory.subresource, memory.offset, memory.bytes);
        }
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        if self.heaps.remove(&object).is_some() {
            self.tiles.values_mut().for_each(|tiles| tiles.forget(object));
        }
        if self.resources.remove(&object).is_some() {
            self.tiles.remove(&object);
        }
        let subresources: Vec<_> = self.mappings.range((object, 0)..=(object, u32::MAX)).map(|(key, _)| *key).collect();
        for key in subresources {
            self.mappings.remove(&key);
        }
        if let Some(contents) = &mut self.contents {
            contents.forget(object);
        }
        self.residency.remove(&object);
        self.stated.remove(&object);
    }
}

/// How a reserved resource is cut into tiles; `None` where nothing says so.
fn tiling_of(id: u32, objects: &Objects) -> Result<Option<Tiling>, Damaged> {
    let Some(object) = objects.get(id) else { return Ok(None) };
    Ok(resource(&object.creation())?.map(|desc| Tiling::of(&desc)))
}
