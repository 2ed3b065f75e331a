//! Which bytes of memory that the CPU sees submitted work could have written, as of a point of the trace.
//!
//! Lists are followed by their calls; what a list writes counts from its submission on. There are two kinds of knowledge. A copy, a
//! resolve, an answer or a word names its bytes: it surely writes them, unless predication is on. Whatever shaders can reach (a buffer
//! with an unordered view, a target of stream output, memory of acceleration structures) work *may* write, as a whole.
//!
//! Bytes are those of the memory, so placed resources that share a heap share them. Memory that no CPU sees is left out. A write to a
//! reserved resource may go to any byte of the heaps that its tiles were mapped to. Limits: what another process, another device or a
//! video encoder writes is not known.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC, D3D12_CPU_PAGE_PROPERTY, D3D12_HEAP_PROPERTIES,
    D3D12_HEAP_TYPE, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_STREAM_OUTPUT_BUFFER_VIEW,
};
use reprise_timeline::argument::{Argument, Damaged, GpuAddress, Many, ObjectId, One};
use reprise_timeline::state::{memory, queues};
use reprise_timeline::{At, Call, Interests, Pass, Walk, argument};
use reprise_trace::fact;
use reprise_trace::read::Event;

use super::clock::{EXECUTE, RESETS};
use super::commands::{self, Written, range, told_bytes};
use super::shaders::{Anywhere, ROOTS, VIEWS};
use super::spans::Spans;
use super::under_way::UnderWay;
use crate::report::uncompared::Uncompared;
use crate::resolve::address::AddressMap;

/// The program asks to see memory.
pub(super) const MAP: MethodId = method("ID3D12Resource", "Map");
const RELEASE: MethodId = method("IUnknown", "Release");

macro_rules! list {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

const PREDICATE: Argument<ObjectId> = list!("SetPredication", "pBuffer");
const STREAM_OUT: Argument<Many<D3D12_STREAM_OUTPUT_BUFFER_VIEW>> = list!("SOSetTargets", "pViews");
const BUILD: Argument<One<D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC>> =
    argument!("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure", "pDesc");
const COPY_STRUCTURE: Argument<GpuAddress> =
    argument!("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure", "DestAccelerationStructureData");
/// Commands that write somewhere in a resource.
const SOMEWHERE: [Argument<ObjectId>; 4] = [
    list!("ClearUnorderedAccessViewUint", "pResource"),
    list!("ClearUnorderedAccessViewFloat", "pResource"),
    list!("ResolveSubresource", "pDstResource"),
    argument!("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion", "pDstResource"),
];
const TILES: Argument<ObjectId> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResource");
const TILES_HEAP: Argument<ObjectId> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pHeap");
const TILES_TO: Argument<ObjectId> = argument!("ID3D12CommandQueue", "CopyTileMappings", "pDstResource");
const TILES_FROM: Argument<ObjectId> = argument!("ID3D12CommandQueue", "CopyTileMappings", "pSrcResource");

/// Whether all CPU-visible memory of a trace is mapped by calls that its schema names; one without a schema may map.
pub(crate) fn are_in(schema: &[u8]) -> bool {
    const MAP: &[u8] = b"ID3D12Resource::Map";
    schema.is_empty() || schema.windows(MAP.len()).any(|window| window == MAP)
}

/// Follows what submitted work writes.
#[derive(Default)]
pub(crate) struct GpuWrites {
    writes: Writes,
    /// `None` where the trace maps nothing.
    walk: Option<Walk>,
}

/// Bytes that work wrote.
#[derive(Default, Debug)]
pub(crate) struct Marks {
    /// Surely.
    pub(crate) surely: Vec<Range<u64>>,
    /// Perhaps; some of these are among the sure ones, too.
    pub(crate) perhaps: Vec<Range<u64>>,
}

/// The pass that follows them.
#[derive(Default)]
struct Writes {
    lists: HashMap<u32, List>,
    /// Those that a CPU may see bytes of: not in such a heap, or reserved.
    resources: HashMap<u32, Resource>,
    /// Heaps that no CPU sees.
    hidden: HashSet<u32>,
    /// Bytes of the others.
    heaps: HashMap<u32, u64>,
    addresses: AddressMap,
    /// Resources that shaders write through views or root descriptors.
    reached: HashSet<u32>,
    anywhere: Anywhere,
    /// What was written and not stored over by the program, by memory.
    written: HashMap<u32, Spans>,
    /// What was written and not seen by any record of the trace, by memory: surely, and perhaps. Stays when the memory goes.
    unseen: [HashMap<u32, Spans>; 2],
    /// What was surely written, not seen, and then stored over, by memory.
    lost: HashMap<u32, Spans>,
    /// What of it the program cannot know to be there yet.
    under_way: UnderWay,
}

/// What a list writes when it is submitted.
#[derive(Default, Clone)]
struct List {
    writes: Vec<Write>,
    /// What follows may be left out by the GPU.
    predicated: bool,
    /// Shaders may write to whatever has an address.
    anywhere: bool,
}

#[derive(Clone)]
struct Write {
    resource: u32,
    range: Range<u64>,
    surely: bool,
}

/// Where a resource lies.
#[derive(Default)]
struct Resource {
    /// The heap, or the resource's own id.
    memory: u32,
    offset: u64,
    bytes: u64,
    buffer: bool,
    /// Shaders may write to it: by its flags.
    unordered: bool,
    /// It is a texture that work writes without a copy: as a target, or by a view.
    target: bool,
    /// Of a reserved resource: heaps that its tiles were mapped to, with their bytes.
    tiles: Option<BTreeMap<u32, u64>>,
}

impl GpuWrites {
    /// From the beginning of a trace.
    pub(crate) fn follow(&mut self) {
        self.walk = Some(Walk::new(&[&mut self.writes]));
    }

    /// Whether calls of a method have to be given.
    #[inline]
    pub(crate) fn wants(&self, method: u16) -> bool {
        self.walk.as_ref().is_some_and(|walk| walk.wants(method))
    }

    /// Takes the next event of the trace.
    #[inline]
    pub(crate) fn event(&mut self, event: &Event<'_>) {
        if let Some(walk) = &mut self.walk {
            walk.event(event, &mut [&mut self.writes]);
        }
    }

    /// How many bytes of a range of a mapped subresource submitted work could have written since the program last stored there.
    pub(crate) fn written(&self, resource: u32, bytes: &Range<u64>) -> u64 {
        let Some((memory, bytes)) = self.writes.place(resource, bytes) else { return 0 };
        let parts = self.writes.written.get(&memory).map(|spans| spans.within(&bytes)).unwrap_or_default();
        parts.iter().map(|part| part.end - part.start).sum()
    }

    /// What of a range of a mapped subresource submitted work wrote, or may have written, and no record has shown since.
    pub(crate) fn unseen(&self, resource: u32, bytes: &Range<u64>) -> Marks {
        let Some((memory, moved)) = self.writes.place(resource, bytes) else { return Marks::default() };
        let distance = moved.start.wrapping_sub(bytes.start);
        let back = |part: Range<u64>| part.start.wrapping_sub(distance)..part.end.wrapping_sub(distance);
        let [surely, perhaps] = self.writes.unseen.each_ref().map(|marks| {
            let parts = marks.get(&memory).map(|spans| spans.within(&moved)).unwrap_or_default();
            parts.into_iter().map(back).collect()
        });
        Marks { surely, perhaps }
    }

    /// Whether the program could not know that work which writes these bytes, or may, has ended.
    pub(crate) fn is_under_way(&self, resource: u32, bytes: &Range<u64>) -> bool {
        let place = self.writes.place(resource, bytes);
        place.is_some_and(|(memory, bytes)| self.writes.under_way.is_writing(memory, &bytes))
    }

    /// A record shows what these bytes hold.
    pub(crate) fn seen(&mut self, resource: u32, bytes: &Range<u64>) {
        let Some((memory, bytes)) = self.writes.place(resource, bytes) else { return };
        for marks in &mut self.writes.unseen {
            if let Some(spans) = marks.get_mut(&memory) {
                spans.remove(&bytes);
                if spans.all().is_empty() {
                    marks.remove(&memory);
                }
            }
        }
    }

    /// The program stored these bytes: no record can show any more what work wrote there.
    pub(crate) fn stored(&mut self, resource: u32, bytes: &Range<u64>) {
        let Some((memory, place)) = self.writes.place(resource, bytes) else { return };
        if let Some(spans) = self.writes.written.get_mut(&memory) {
            spans.remove(&place);
        }
        let [surely, _] = &self.writes.unseen;
        let lost = surely.get(&memory).map(|spans| spans.within(&place)).unwrap_or_default();
        if !lost.is_empty() {
            let spans = self.writes.lost.entry(memory).or_default();
            lost.into_iter().for_each(|part| spans.insert(part));
        }
        self.seen(resource, bytes);
    }

    /// What work wrote up to here and no record has shown, by memory. A byte counts once.
    pub(crate) fn uncompared(&self) -> Vec<Uncompared> {
        let Writes { unseen: [surely, perhaps], lost, .. } = &self.writes;
        let memories: BTreeSet<u32> = surely.keys().chain(perhaps.keys()).chain(lost.keys()).copied().collect();
        let each = memories.into_iter().map(|memory| {
            let mut sure = Spans::default();
            let parts = [surely, lost].into_iter().filter_map(|marks| marks.get(&memory));
            parts.flat_map(Spans::all).for_each(|part| sure.insert(part.clone()));
            let mut maybe = perhaps.get(&memory).cloned().unwrap_or_default();
            sure.all().iter().for_each(|part| maybe.remove(part));
            Uncompared::new(memory, sure.all(), maybe.all())
        });
        each.flatten().collect()
    }
}

impl Pass for Writes {
    fn interests(&self) -> Interests {
        let others = [PREDICATE.method(), STREAM_OUT.method(), COPY_STRUCTURE.method(), EXECUTE.method()];
        let tiles = [TILES.method(), TILES_TO.method()];
        let named = VIEWS.iter().chain(&SOMEWHERE).map(Argument::method);
        let enters: Vec<MethodId> = commands::methods()
            .into_iter()
            .chain(others)
            .chain(tiles)
            .chain(named)
            .chain(ROOTS.iter().map(Argument::method))
            .chain(Anywhere::COMMANDS)
            .chain(RESETS)
            .chain([MAP])
            .collect();
        let makes = |method| memory::makes_resource(method) || memory::makes_heap(method);
        Interests::new()
            .enters(&enters)
            .calls(&[RELEASE, Anywhere::MAKES])
            .calls(queues::METHODS)
            .calls_where(makes)
            .facts()
            .observed()
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        let word = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|it| u64::from_le_bytes(*it));
        if let (fact::ADDRESS_RANGE, Some(start), Some(size)) = (kind, word(0), word(8)) {
            self.addresses.insert(object, start, size);
        }
    }

    fn enter(&mut self, call: &Call<'_>, _at: &At) {
        // Nothing is learnt from what cannot be read.
        let _ = self.begins(call);
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        if call.method == RELEASE {
            if call.result() == Some(0) {
                self.gone(call.object);
            }
        } else if queues::METHODS.contains(&call.method) {
            for (fence, value, happening) in queues::happenings(call).unwrap_or_default() {
                self.under_way.happens(fence, value, happening);
            }
        } else if call.method == Anywhere::MAKES {
            self.anywhere.made(call);
        } else if call.succeeded() {
            let _ = self.made(call);
        }
    }

    fn observe(&mut self, fence: u32, value: u64, _at: &At) {
        self.under_way.saw(fence, value);
    }
}

impl Writes {
    /// What a call of a list will write, and what a submission writes.
    fn begins(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let method = call.method;
        if RESETS.contains(&method) {
            self.lists.remove(&call.object);
        } else if method == EXECUTE.method() {
            self.under_way.submits(call.object);
            EXECUTE.of(call)?.iter().for_each(|list| self.submit(call.object, list.0));
        } else if method == PREDICATE.method() {
            self.list(call).predicated = PREDICATE.of(call)?.0 != 0;
        } else if method == TILES.method() {
            let (resource, heap) = (TILES.of(call)?.0, TILES_HEAP.of(call)?.0);
            let tiles = self.resources.get_mut(&resource).and_then(|own| own.tiles.as_mut());
            if let (Some(tiles), Some(bytes)) = (tiles, self.heaps.get(&heap)) {
                tiles.insert(heap, *bytes);
            }
        } else if method == TILES_TO.method() {
            let (to, from) = (TILES_TO.of(call)?.0, TILES_FROM.of(call)?.0);
            let heaps = self.resources.get(&from).and_then(|resource| resource.tiles.clone()).unwrap_or_default();
            if let Some(tiles) = self.resources.get_mut(&to).and_then(|own| own.tiles.as_mut()) {
                tiles.extend(heaps);
            }
        } else if let Some(address) = ROOTS.iter().find(|root| root.method() == method) {
            let reached = self.addresses.resolve(address.of(call)?.0).map(|place| place.resource);
            self.reached.extend(reached.filter(|resource| self.resources.contains_key(resource)));
        } else if VIEWS.iter().any(|view| view.method() == method) {
            for view in VIEWS.iter().filter(|view| view.method() == method) {
                let resource = view.of(call)?.0;
                if self.resources.contains_key(&resource) {
                    self.reached.insert(resource);
                }
            }
        } else if Anywhere::COMMANDS.contains(&method) {
            let anywhere = self.anywhere.has(call);
            self.list(call).anywhere |= anywhere;
        } else {
            for write in self.writes(call)? {
                if self.resources.contains_key(&write.resource) {
                    let list = self.list(call);
                    let surely = write.surely && !list.predicated;
                    list.writes.push(Write { surely, ..write });
                }
            }
        }
        Ok(())
    }

    fn list(&mut self, call: &Call<'_>) -> &mut List {
        self.lists.entry(call.object).or_default()
    }

    /// What a command writes.
    fn writes(&self, call: &Call<'_>) -> Result<Vec<Write>, Damaged> {
        let sure = |resource, range| Write { resource, range, surely: true };
        let somewhere = |resource| Write { resource, range: 0..u64::MAX, surely: false };
        let at = |address: u64, bytes: u64, surely: bool| {
            let place = self.addresses.resolve(address)?;
            Some(Write { resource: place.resource, range: range(place.offset, bytes), surely })
        };
        if let Some(resource) = SOMEWHERE.iter().find(|argument| argument.method() == call.method) {
            return Ok(vec![somewhere(resource.of(call)?.0)]);
        }
        if call.method == STREAM_OUT.method() {
            let views = STREAM_OUT.of(call)?;
            let parts = |view: D3D12_STREAM_OUTPUT_BUFFER_VIEW| {
                [at(view.BufferLocation, view.SizeInBytes, false), at(view.BufferFilledSizeLocation, 8, false)]
            };
            return Ok(views.iter().flat_map(parts).flatten().collect());
        }
        if call.method == COPY_STRUCTURE.method() {
            return Ok(at(COPY_STRUCTURE.of(call)?.0, u64::MAX, false).into_iter().collect());
        }
        let mut all = Vec::new();
        if call.method == BUILD.method()
            && let Some(desc) = BUILD.of(call)?
        {
            let places = [desc.DestAccelerationStructureData, desc.ScratchAccelerationStructureData];
            all.extend(places.into_iter().filter_map(|address| at(address, u64::MAX, false)));
        }
        all.extend(commands::written(call)?.into_iter().filter_map(|written| match written {
            Written::Queries(_, buffer, range) | Written::Texels(buffer, range, _) => Some(sure(buffer, range)),
            Written::Tiles(resource, range) => Some(Write { resource, range, surely: false }),
            Written::Copy { to, offset, from: _, range } => {
                let bytes = range.end - range.start;
                // Of a whole texture, too.
                Some(Write { surely: self.is_buffer(to), ..sure(to, commands::range(offset, bytes)) })
            }
            Written::Texture(texture) => Some(somewhere(texture)),
            Written::Answers(question, structures) => {
                at(question.DestBuffer, told_bytes(&question).saturating_mul(structures.into()), true)
            }
            Written::Word(address) => at(address, 4, true),
        }));
        Ok(all)
    }

    fn is_buffer(&self, resource: u32) -> bool {
        self.resources.get(&resource).is_some_and(|resource| resource.buffer)
    }

    /// A list runs, now or soon.
    fn submit(&mut self, queue: u32, list: u32) {
        let own = self.lists.remove(&list).unwrap_or_default();
        for write in &own.writes {
            self.write(queue, write);
        }
        self.reach(queue, own.anywhere);
        self.lists.insert(list, own);
    }

    /// Work that may draw or dispatch writes what shaders reach: by views and root descriptors, or with `anywhere` by addresses, too.
    fn reach(&mut self, queue: u32, anywhere: bool) {
        let is_reached =
            |id: &u32, own: &Resource| self.reached.contains(id) || own.target || (anywhere && own.unordered);
        let all = self.resources.iter().filter(|(id, own)| is_reached(id, own)).map(|(id, _)| *id);
        for resource in all.collect::<Vec<_>>() {
            self.write(queue, &Write { resource, range: 0..u64::MAX, surely: false });
        }
    }

    fn write(&mut self, queue: u32, write: &Write) {
        let Some(own) = self.resources.get(&write.resource) else { return };
        let (places, surely) = match &own.tiles {
            None => (self.place(write.resource, &write.range).into_iter().collect(), write.surely),
            // Any of its tiles.
            Some(heaps) => (heaps.iter().map(|(heap, bytes)| (*heap, 0..*bytes)).collect::<Vec<_>>(), false),
        };
        for (memory, bytes) in places {
            self.under_way.writes(queue, memory, bytes.clone());
            self.written.entry(memory).or_default().insert(bytes.clone());
            self.unseen[usize::from(!surely)].entry(memory).or_default().insert(bytes);
        }
    }

    /// The memory that bytes of a resource lie in, and where there.
    fn place(&self, resource: u32, bytes: &Range<u64>) -> Option<(u32, Range<u64>)> {
        let own = self.resources.get(&resource)?;
        let (start, end) = (bytes.start.min(own.bytes), bytes.end.min(own.bytes));
        Some((own.memory, own.offset.saturating_add(start)..own.offset.saturating_add(end)))
    }

    /// A heap or a resource is made.
    fn made(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let Some(given) = call.given()?.first().map(|given| given.object) else { return Ok(()) };
        if let Some(heap) = memory::heap(call)? {
            if is_hidden(&heap.Properties) {
                self.hidden.insert(given);
            } else {
                self.heaps.insert(given, heap.SizeInBytes);
            }
            return Ok(());
        }
        let Some(desc) = memory::resource(call)? else { return Ok(()) };
        let placed = memory::placement(call)?;
        let own_heap = memory::own_heap(call)?;
        if own_heap.is_some_and(|heap| is_hidden(&heap)) || placed.is_some_and(|(heap, _)| self.hidden.contains(&heap))
        {
            return Ok(());
        }
        let has = |flag: D3D12_RESOURCE_FLAGS| desc.Flags.0 & flag.0 != 0;
        let buffer = desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER;
        let unordered = has(D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
        let drawn = has(D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET) || has(D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL);
        // How a texture's bytes lie is the driver's business: offsets within subresources say nothing of the memory.
        let (memory, offset) = placed.filter(|_| buffer).unwrap_or((given, 0));
        let bytes = if buffer { desc.Width } else { u64::MAX };
        let target = !buffer && (drawn || unordered);
        let tiles = (placed.is_none() && own_heap.is_none()).then(BTreeMap::new);
        self.resources.insert(given, Resource { memory, offset, bytes, buffer, unordered, target, tiles });
        Ok(())
    }

    fn gone(&mut self, object: u32) {
        self.lists.remove(&object);
        self.resources.remove(&object);
        self.hidden.remove(&object);
        self.heaps.remove(&object);
        self.addresses.remove(object);
        self.reached.remove(&object);
        self.written.remove(&object);
    }
}

/// Whether no CPU sees memory of such a heap.
fn is_hidden(heap: &D3D12_HEAP_PROPERTIES) -> bool {
    match heap.Type {
        D3D12_HEAP_TYPE::DEFAULT => true,
        D3D12_HEAP_TYPE::CUSTOM => heap.CPUPageProperty == D3D12_CPU_PAGE_PROPERTY::NOT_AVAILABLE,
        _ => false,
    }
}
