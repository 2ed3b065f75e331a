//! What a trace places into heaps over their lives, known before the first heap is made.
//!
//! Found by one walk over the trace, which looks at creations, questions for sizes and tile mappings only, and which is made
//! only where the trace's schema says that something is placed. Invariant: what cannot be read is left out here; the replay of
//! its call says what is wrong with it. Memory grows with the placements of the trace, not with its calls.

use std::collections::HashMap;
use std::sync::LazyLock;

use reprise_codec::arena::Arena;
use reprise_codec::rebuild::Resolver;
use reprise_codec::{Codec, Texels};
use reprise_d3d12::MODEL;
use reprise_d3d12::description::{newer, older};
use reprise_d3d12::model::{BlobKind, InterfaceId, Method, MethodId, Role, StructId, Type};
use reprise_d3d12::struct_;
use reprise_d3d12::types::{
    D3D12_HEAP_DESC, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_TILE_RANGE_FLAGS,
    D3D12_TILE_REGION_SIZE, DXGI_FORMAT,
};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::input::outcome::{recorded_id, succeeded};
use crate::input::source::Source;
use crate::input::values;

/// Bytes of a tile.
pub(crate) const TILE: u64 = 64 << 10;

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
    /// Walks over the events until `stop` says that no more are played.
    pub(crate) fn of(source: &mut dyn Source, codec: &Codec, stop: impl Fn(&Event<'_>) -> bool) -> Self {
        let mut walk = Walk {
            codec,
            arena: Arena::new(),
            open: HashMap::new(),
            heaps: HashMap::new(),
            told: HashMap::new(),
            found: Self::default(),
        };
        // Damage ends the walk as it ends the replay, which says so.
        while let Ok(Some(event)) = source.next() {
            if stop(&event) {
                break;
            }
            walk.event(&event);
        }
        walk.found.heaps.retain(|_, heap| !heap.contents.is_empty());
        let told = walk.told;
        for heap in walk.found.heaps.values_mut() {
            for content in &mut heap.contents {
                if let ContentKind::Resource(asked) = &content.kind
                    && content.extent == 0
                {
                    let told = told.get(&key(&asked.desc)).copied();
                    content.extent = told.unwrap_or_else(|| texel_bytes(&asked.desc)).max(1);
                }
            }
        }
        walk.found
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

/// A call between its enter and its leave.
struct Open {
    method: MethodId,
    interest: Interest,
    enter: Vec<u8>,
}

struct Walk<'c> {
    codec: &'c Codec,
    arena: Arena,
    open: HashMap<u64, Open>,
    /// The call that made each heap.
    heaps: HashMap<u32, u64>,
    /// What the program was told of sizes, by description.
    told: HashMap<Key, u64>,
    found: Placements,
}

impl Walk<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let interest = interest(event.method);
        match event.kind {
            Kind::Enter if interest == Interest::Tiles => _ = self.tiles(event),
            Kind::Enter if interest != Interest::None => {
                let open = Open { method: MethodId(event.method), interest, enter: event.payload.to_vec() };
                self.open.insert(event.number, open);
            }
            Kind::Leave => {
                let Some(open) = self.open.remove(&event.number) else { return };
                _ = self.leave(event, &open);
            }
            _ => {}
        }
    }

    fn leave(&mut self, event: &Event<'_>, open: &Open) -> Option<()> {
        let method = open.method.get();
        let outcome = self.codec.decode_leave(open.method, &open.enter, event.payload).ok()?;
        if !succeeded(&outcome) {
            return None;
        }
        self.arena.clear();
        let words = self.codec.rebuild(open.method, &open.enter, &mut Ids, &mut self.arena).ok()?.words;
        let word = |name: &str| Some(words[method.params.iter().position(|field| field.name == name)?]);
        match open.interest {
            Interest::Heap => {
                // SAFETY: the codec rebuilt the description of a heap behind the word, or null.
                let desc = unsafe { (word("pDesc")? as *const D3D12_HEAP_DESC).as_ref()? };
                let outputs = 0..method.params.len();
                let id = outputs.map(|param| recorded_id(open.method, &outcome, (param, 0))).find(|&id| id != 0)?;
                self.heaps.insert(id, event.number);
                self.found.heaps.insert(event.number, Heap { size: desc.SizeInBytes, contents: Vec::new() });
            }
            Interest::Placed => {
                let heap = *self.heaps.get(&(word("pHeap")? as u32))?;
                // SAFETY: the codec rebuilt these arguments for this method.
                let asked = unsafe { asked(method, &words) }?;
                // What was told of a texture may come later in the trace.
                let extent = if asked.is_buffer() { asked.desc.Width } else { 0 };
                let kind = ContentKind::Resource(Box::new(asked));
                let content = Content { offset: word("HeapOffset")?, extent, kind };
                self.place(event.number, heap, [Some(content)])?;
            }
            Interest::Sizes => {
                let count = word("numResourceDescs")? as usize;
                // SAFETY: the codec rebuilt as many descriptions.
                let descs = unsafe { descriptions(method, &words, count) };
                let told = |value| values::structure(value).and_then(|sizes| values::number_at(sizes, "SizeInBytes"));
                let of = |name: &str| outcome.outputs.iter().find(|member| member.field.name == name);
                let each = match of("pResourceAllocationInfo1").map(|member| &member.value) {
                    Some(reprise_codec::Value::Array(each)) => each.iter().map(told).collect(),
                    Some(one) => vec![told(one)],
                    None if count == 1 => vec![of("result").and_then(|member| told(&member.value))],
                    None => Vec::new(),
                };
                for (desc, told) in descs.iter().zip(each) {
                    let Some(size) = told.filter(|&size| size != u64::MAX) else { continue };
                    let least = self.told.entry(key(desc)).or_insert(size);
                    *least = size.min(*least);
                }
            }
            Interest::Tiles | Interest::None => {}
        }
        Some(())
    }

    fn tiles(&mut self, event: &Event<'_>) -> Option<()> {
        let method = MethodId(event.method);
        self.arena.clear();
        let words = self.codec.rebuild(method, event.payload, &mut Ids, &mut self.arena).ok()?.words;
        let word = |name: &str| Some(words[method.get().params.iter().position(|field| field.name == name)?]);
        let heap = *self.heaps.get(&(word("pHeap")? as u32))?;
        let ranges = word("NumRanges")? as usize;
        // SAFETY: the codec rebuilt arrays of as many elements as the counts say, or null.
        let (flags, starts, counts, regions) = unsafe {
            (
                array::<D3D12_TILE_RANGE_FLAGS>(word("pRangeFlags")?, ranges),
                array::<u32>(word("pHeapRangeStartOffsets")?, ranges),
                array::<u32>(word("pRangeTileCounts")?, ranges),
                array::<D3D12_TILE_REGION_SIZE>(word("pResourceRegionSizes")?, word("NumResourceRegions")? as usize),
            )
        };
        // Without counts there is one range at most. A damaged trace may state more: no array bounds their number then.
        if ranges > 1 && counts.is_empty() {
            return None;
        }
        let size = self.found.heaps.get(&heap)?.size;
        let mapped: u64 = regions.iter().map(|region| u64::from(region.NumTiles)).sum();
        let contents = (0..ranges).map(|range| {
            let flags = flags.get(range).copied().unwrap_or_default();
            if flags == D3D12_TILE_RANGE_FLAGS::NULL || flags == D3D12_TILE_RANGE_FLAGS::SKIP {
                return None;
            }
            let offset = u64::from(starts.get(range).copied().unwrap_or(0)) * TILE;
            // One range without a count takes all tiles; those of a whole resource are not known here.
            let all = if regions.is_empty() { size.saturating_sub(offset) / TILE } else { mapped };
            let tiles = match counts.get(range) {
                _ if flags == D3D12_TILE_RANGE_FLAGS::REUSE_SINGLE_TILE => 1,
                Some(&count) => u64::from(count),
                None => all,
            };
            (tiles > 0).then_some(Content { offset, extent: tiles.saturating_mul(TILE), kind: ContentKind::Tiles })
        });
        self.place(event.number, heap, contents.collect::<Vec<_>>())
    }

    fn place(&mut self, call: u64, heap: u64, contents: impl IntoIterator<Item = Option<Content>>) -> Option<()> {
        let list = &mut self.found.heaps.get_mut(&heap)?.contents;
        let mut add = |content| {
            list.push(content);
            list.len() - 1
        };
        let places = contents.into_iter().map(|content| content.map(&mut add)).collect();
        self.found.places.insert(call, (heap, places));
        Some(())
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

/// The bytes of a texture's texels: no device needs fewer.
fn texel_bytes(desc: &D3D12_RESOURCE_DESC1) -> u64 {
    let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    let layers = if volume { 1 } else { u64::from(desc.DepthOrArraySize) };
    let desc = D3D12_RESOURCE_DESC { MipLevels: desc.MipLevels.max(1), ..older(desc) };
    let samples = u64::from(desc.SampleDesc.Count).max(1);
    // More levels than 32 have no texels of their own.
    let levels = (0..u32::from(desc.MipLevels).min(32)).filter_map(|level| Texels::of(&desc, level));
    let bytes = levels.map(|texels| {
        let blocks = u64::from(texels.width.div_ceil(texels.block_width.max(1)))
            .saturating_mul(u64::from(texels.height.div_ceil(texels.block_height.max(1))));
        blocks.saturating_mul(u64::from(texels.depth)).saturating_mul(u64::from(texels.block_bytes))
    });
    bytes.fold(0, u64::saturating_add).saturating_mul(layers).saturating_mul(samples)
}

/// Numbers stay as recorded, objects are their ids: nothing is passed on.
struct Ids;

impl Resolver for Ids {
    fn object(&mut self, id: u32, _interface: InterfaceId) -> Result<u64, String> {
        Ok(id.into())
    }

    fn word(&mut self, _role: Role, value: u64) -> Result<u64, String> {
        Ok(value)
    }

    fn blob(&mut self, _number: u32, _kind: BlobKind) -> Result<&[u8], String> {
        Err("these calls have no blobs".into())
    }
}
