//! All placements of resources and tiles into heaps over a whole trace, known before the first heap is made.
//!
//! One pass over the trace finds them; it reads creations, queries of sizes and tile mappings. It runs only if the trace's
//! schema has a call that places something. Invariant: an unreadable call is left out here; its replay reports the error.
//! Memory grows with the placements of the trace, not with its calls.

use std::collections::HashMap;
use std::sync::LazyLock;

use reprise_d3d12::description::newer;
use reprise_d3d12::model::{Method, StructId, Type};
use reprise_d3d12::types::{
    D3D12_RESOURCE_ALLOCATION_INFO, D3D12_RESOURCE_ALLOCATION_INFO1, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1,
    D3D12_RESOURCE_DIMENSION, D3D12_TILE_RANGE_FLAGS, D3D12_TILE_REGION_SIZE, DXGI_FORMAT,
};
use reprise_d3d12::{MODEL, struct_};
use reprise_timeline::argument::{Argument, Damaged, Elements, Many, ObjectId, Out, OutMany};
pub(crate) use reprise_timeline::state::memory::TILE;
use reprise_timeline::state::memory::{self, texel_bytes};
use reprise_timeline::{At, Call, Interests, Pass, argument};
use reprise_trace::read::Event;

use crate::input::source::{Source, walk};

/// A heap and what lies in it.
pub(crate) struct Heap {
    /// As recorded.
    pub(crate) size: u64,
    pub(crate) contents: Vec<Content>,
}

/// Something that lies in a heap.
#[derive(Clone)]
pub(crate) struct Content {
    /// Bytes from the start of the heap, as recorded.
    pub(crate) offset: u64,
    /// Bytes that it covers, as far as the trace knows: a buffer's own, what the program was told of a texture, or its texels.
    pub(crate) extent: u64,
    pub(crate) kind: ContentKind,
}

/// What it is.
#[derive(Clone)]
pub(crate) enum ContentKind {
    Resource(Box<Asked>),
    /// Tiles that a reserved resource maps.
    Tiles,
}

/// A resource as its creation describes it.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) desc: D3D12_RESOURCE_DESC1,
    pub(crate) casts: Vec<DXGI_FORMAT>,
    /// The creation takes the older description.
    pub(crate) older: bool,
}

impl Asked {
    pub(crate) fn is_buffer(&self) -> bool {
        self.desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER
    }
}

/// Everything that the trace places.
#[derive(Default)]
pub(crate) struct Placements {
    /// By number of the call that makes the heap.
    pub(crate) heaps: HashMap<u64, Heap>,
    /// By number of the call that places a resource or maps tiles: the heap's call, and which of its contents each is. A tile
    /// range without memory has none.
    pub(crate) places: HashMap<u64, (u64, Vec<Option<usize>>)>,
}

/// Whether the trace's schema names a method that places resources; one without a schema may.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const PLACING: [&[u8]; 1] = [b"::CreatePlacedResource"];
    schema.is_empty() || PLACING.iter().any(|name| schema.windows(name.len()).any(|window| window == *name))
}

impl Placements {
    /// Walks over the events, with another pass, until `stop` says that no more are played.
    pub(crate) fn of(source: &mut dyn Source, other: &mut dyn Pass, stop: impl Fn(&Event<'_>) -> bool) -> Self {
        let mut finder = Finder::default();
        // Damage ends the walk as it ends the replay, which says so.
        let _ = walk(source, &mut [&mut finder, other], stop);
        let Finder { mut found, told, .. } = finder;
        found.heaps.retain(|_, heap| !heap.contents.is_empty());
        for heap in found.heaps.values_mut() {
            for content in &mut heap.contents {
                if let ContentKind::Resource(asked) = &content.kind
                    && content.extent == 0
                {
                    let told = told.get(&key(&asked.desc)).copied();
                    content.extent = told.unwrap_or_else(|| texel_bytes(&asked.desc)).max(1);
                }
            }
        }
        found
    }
}

/// Why a method matters to where things lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interest {
    None,
    /// Makes a heap.
    Heap,
    /// Makes a resource in a heap.
    Placed,
    /// Maps tiles of a reserved resource to a heap.
    Tiles,
    /// Tells sizes.
    Sizes,
}

/// Why a method matters.
pub(crate) fn interest(method: u16) -> Interest {
    static TABLE: LazyLock<Vec<Interest>> = LazyLock::new(|| MODEL.methods.iter().map(interest_of).collect());
    TABLE.get(usize::from(method)).copied().unwrap_or(Interest::None)
}

fn interest_of(method: &Method) -> Interest {
    let interface = method.interface.map_or("", |id| id.get().name);
    let device = interface.strip_prefix("ID3D12Device").is_some_and(|version| version.parse::<u32>().is_ok());
    match (interface, method.name) {
        ("ID3D12CommandQueue", "UpdateTileMappings") => Interest::Tiles,
        (_, name) if !device && interface != "ID3D12Device" || name.contains("Shared") => Interest::None,
        (_, "CreateHeap" | "CreateHeap1") => Interest::Heap,
        (_, name) if name.starts_with("CreatePlacedResource") => Interest::Placed,
        (_, name) if name.starts_with("GetResourceAllocationInfo") => Interest::Sizes,
        _ => Interest::None,
    }
}

const CASTS: Argument<Many<DXGI_FORMAT>> = argument!("ID3D12Device10", "CreatePlacedResource2", "pCastableFormats");

const TILES_HEAP: Argument<ObjectId> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pHeap");
const TILES_RANGES: Argument<u32> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "NumRanges");
const TILES_FLAGS: Argument<Many<D3D12_TILE_RANGE_FLAGS>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pRangeFlags");
const TILES_STARTS: Argument<Many<u32>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pHeapRangeStartOffsets");
const TILES_COUNTS: Argument<Many<u32>> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pRangeTileCounts");
const TILES_REGIONS: Argument<Many<D3D12_TILE_REGION_SIZE>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResourceRegionSizes");

/// The descriptions that a question for sizes is about.
enum Descs {
    Older(Argument<Many<D3D12_RESOURCE_DESC>>),
    Newer(Argument<Many<D3D12_RESOURCE_DESC1>>),
}

/// A method that tells sizes.
struct Sizes {
    descs: Descs,
    /// The size of all together.
    all: Argument<Out<D3D12_RESOURCE_ALLOCATION_INFO>>,
    /// The size of each.
    each: Option<Argument<OutMany<D3D12_RESOURCE_ALLOCATION_INFO1>>>,
}

macro_rules! sizes {
    ($form:ident $interface:literal $method:literal $each:expr) => {
        Sizes {
            descs: Descs::$form(argument!($interface, $method, "pResourceDescs")),
            all: argument!($interface, $method, "result"),
            each: $each,
        }
    };
    ($form:ident $interface:literal $method:literal) => {
        sizes!($form $interface $method Some(argument!($interface, $method, "pResourceAllocationInfo1")))
    };
}

static SIZES: [Sizes; 4] = [
    sizes!(Older "ID3D12Device" "GetResourceAllocationInfo" None),
    sizes!(Older "ID3D12Device4" "GetResourceAllocationInfo1"),
    sizes!(Newer "ID3D12Device8" "GetResourceAllocationInfo2"),
    sizes!(Newer "ID3D12Device12" "GetResourceAllocationInfo3"),
];

/// The pass that finds placements.
#[derive(Default)]
struct Finder {
    /// The call that made each heap.
    heaps: HashMap<u32, u64>,
    /// What the program was told of sizes, by description.
    told: HashMap<Key, u64>,
    found: Placements,
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        Interests::new().calls_where(|method| interest(method.0) != Interest::None)
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        // What cannot be read is left out.
        let _ = match interest(call.method.0) {
            Interest::Tiles => self.tiles(call),
            _ if !call.succeeded() => Ok(()),
            Interest::Heap => self.heap(call),
            Interest::Placed => self.placed(call),
            Interest::Sizes => self.sizes(call),
            Interest::None => Ok(()),
        };
    }
}

impl Finder {
    fn heap(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        if let (Some(desc), Some(given)) = (memory::heap(call)?, call.given()?.first()) {
            self.heaps.insert(given.object, call.number);
            self.found.heaps.insert(call.number, Heap { size: desc.SizeInBytes, contents: Vec::new() });
        }
        Ok(())
    }

    fn placed(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let (Some((heap, offset)), Some(desc)) = (memory::placement(call)?, memory::resource(call)?) else {
            return Ok(());
        };
        let casts = if call.method == CASTS.method() { CASTS.of(call)?.iter().collect() } else { Vec::new() };
        let asked = Asked { desc, casts, older: takes(call.method.get(), OLDER).is_some() };
        // What was told of a texture may come later in the trace.
        let extent = if asked.is_buffer() { asked.desc.Width } else { 0 };
        let kind = ContentKind::Resource(Box::new(asked));
        self.place(call.number, heap, [Some(Content { offset, extent, kind })]);
        Ok(())
    }

    fn sizes(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let Some(sizes) = SIZES.iter().find(|sizes| sizes.all.method() == call.method) else { return Ok(()) };
        let descs: Vec<D3D12_RESOURCE_DESC1> = match &sizes.descs {
            Descs::Older(descs) => descs.of(call)?.iter().map(|desc| newer(&desc)).collect(),
            Descs::Newer(descs) => descs.of(call)?.iter().collect(),
        };
        let each = sizes.each.map_or(Ok(Elements::default()), |each| each.of(call))?;
        let told: Vec<u64> = if !each.is_empty() {
            each.iter().map(|info| info.SizeInBytes).collect()
        } else if descs.len() == 1 {
            sizes.all.of(call)?.iter().map(|info| info.SizeInBytes).collect()
        } else {
            Vec::new()
        };
        for (desc, size) in descs.iter().zip(told).filter(|(_, size)| *size != u64::MAX) {
            let least = self.told.entry(key(desc)).or_insert(size);
            *least = size.min(*least);
        }
        Ok(())
    }

    fn tiles(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let (heap, ranges) = (TILES_HEAP.of(call)?.0, TILES_RANGES.of(call)? as usize);
        let (flags, starts) = (TILES_FLAGS.of(call)?, TILES_STARTS.of(call)?);
        let (counts, regions) = (TILES_COUNTS.of(call)?, TILES_REGIONS.of(call)?);
        // Without counts there is one range at most. A damaged trace may state more: no array bounds their number then.
        if ranges > 1 && counts.len() < ranges {
            return Ok(());
        }
        let Some(size) = self.heaps.get(&heap).and_then(|made| self.found.heaps.get(made)).map(|heap| heap.size) else {
            return Ok(());
        };
        let mapped: u64 = regions.iter().map(|region| u64::from(region.NumTiles)).sum();
        let contents = (0..ranges).map(|range| {
            let flags = flags.get(range).unwrap_or_default();
            if flags == D3D12_TILE_RANGE_FLAGS::NULL || flags == D3D12_TILE_RANGE_FLAGS::SKIP {
                return None;
            }
            let offset = u64::from(starts.get(range).unwrap_or(0)) * TILE;
            // One range without a count takes all tiles; those of a whole resource are not known here.
            let all = if regions.is_empty() { size.saturating_sub(offset) / TILE } else { mapped };
            let tiles = match counts.get(range) {
                _ if flags == D3D12_TILE_RANGE_FLAGS::REUSE_SINGLE_TILE => 1,
                Some(count) => u64::from(count),
                None => all,
            };
            (tiles > 0).then_some(Content { offset, extent: tiles.saturating_mul(TILE), kind: ContentKind::Tiles })
        });
        self.place(call.number, heap, contents.collect::<Vec<_>>());
        Ok(())
    }

    /// Notes what a call puts into a heap, if the trace made that heap.
    fn place(&mut self, call: u64, heap: u32, contents: impl IntoIterator<Item = Option<Content>>) {
        let Some(&heap) = self.heaps.get(&heap) else { return };
        let Some(list) = self.found.heaps.get_mut(&heap).map(|heap| &mut heap.contents) else { return };
        let mut add = |content| {
            list.push(content);
            list.len() - 1
        };
        let places = contents.into_iter().map(|content| content.map(&mut add)).collect();
        self.found.places.insert(call, (heap, places));
    }
}

/// What a creation asks for.
///
/// # Safety
/// The words are arguments of this method, rebuilt by the codec.
pub(crate) unsafe fn asked(method: &Method, words: &[u64]) -> Option<Asked> {
    let word = |name: &str| Some(words[method.params.iter().position(|field| field.name == name)?]);
    // SAFETY: the codec rebuilt the words: null or a description, and null or the stated number of formats.
    unsafe {
        let desc = *descriptions(method, words, 1).first()?;
        let count = word("NumCastableFormats").unwrap_or(0) as usize;
        let casts = array::<DXGI_FORMAT>(word("pCastableFormats").unwrap_or(0), count).to_vec();
        Some(Asked { desc, casts, older: takes(method, OLDER).is_some() })
    }
}

/// The parameter that leads to structures of this type.
fn takes(method: &Method, wanted: StructId) -> Option<usize> {
    method
        .params
        .iter()
        .position(|field| matches!(field.ty, Type::Pointer(to) if matches!(to.ty, Type::Struct(id) if id == wanted)))
}

const OLDER: StructId = struct_("D3D12_RESOURCE_DESC");
const NEWER: StructId = struct_("D3D12_RESOURCE_DESC1");

/// The resource descriptions among the arguments, in the newer form.
///
/// # Safety
/// The words are arguments of this method, rebuilt by the codec, with so many descriptions.
unsafe fn descriptions(method: &Method, words: &[u64], count: usize) -> Vec<D3D12_RESOURCE_DESC1> {
    // SAFETY: the codec rebuilt the words, with `count` descriptions behind the parameter.
    unsafe {
        match (takes(method, OLDER), takes(method, NEWER)) {
            (Some(at), _) => array::<D3D12_RESOURCE_DESC>(words[at], count).iter().map(newer).collect(),
            (_, Some(at)) => array::<D3D12_RESOURCE_DESC1>(words[at], count).to_vec(),
            _ => Vec::new(),
        }
    }
}

/// # Safety
/// `pointer` is null or leads to `count` elements.
unsafe fn array<'a, T>(pointer: u64, count: usize) -> &'a [T] {
    if pointer == 0 || count == 0 {
        return &[];
    }
    // SAFETY: the pointer is not null, so it leads to `count` elements, says the caller.
    unsafe { core::slice::from_raw_parts(pointer as *const T, count) }
}

/// A description but for its alignment, which programs change to ask what is possible.
pub(crate) type Key = [u64; 10];

/// See [`Key`].
pub(crate) fn key(desc: &D3D12_RESOURCE_DESC1) -> Key {
    [
        desc.Dimension.0 as u64,
        desc.Width,
        desc.Height.into(),
        desc.DepthOrArraySize.into(),
        desc.MipLevels.into(),
        desc.Format.0 as u64,
        desc.SampleDesc.Count.into(),
        desc.SampleDesc.Quality.into(),
        desc.Layout.0 as u64,
        desc.Flags.0 as u64,
    ]
}
