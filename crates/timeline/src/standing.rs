//! The calls before a point of a recording that calls after the point can depend on: these calls *stand*.
//!
//! [`Standing`] reads a recording up to the point and notes for each thing that lives the calls that made it what it is. [`plan`] keeps
//! those calls, and what their arguments need, and nothing else. Invariants:
//!
//! - An object that exists at the point exists in the plan, by the call that gave it out, with the references that the program holds.
//! - A descriptor that was written holds what it held. So do a mapped subresource, one that the CPU wrote by calls, a fence, a list
//!   that can still be executed.
//! - A handle of a shared object that may be open leads to its object.
//! - What is kept grows with what lives, not with the number of calls. (Two exceptions: tile mappings of a resource, until one call
//!   maps all of it; descriptors that are copied back and forth.)
//! - What only the GPU wrote is not there.

mod fate;
mod lives;
mod needs;
mod shared;
mod texels;

use crate::argument;
use crate::argument::{Argument, Many, ObjectId, One, Text};
use crate::call::Call;
use crate::state::{State, descriptors};
use crate::walk::{At, Interests, Memory, Pass, Walk};
use fate::Fate;
use lives::Lives;
use needs::Needs;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::types::{D3D12_BOX, D3D12_TILE_REGION_SIZE, D3D12_TILED_RESOURCE_COORDINATE};
use reprise_trace::excerpt::{From, Plan, Put, Reduce, Store};
use reprise_trace::fact;
use reprise_trace::read::{Event, ReadError, Trace};
use shared::Handles;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

const RESET_ALLOCATOR: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "Reset", "pAllocator");
const FIRST_ALLOCATOR: Argument<ObjectId> = argument!("ID3D12Device", "CreateCommandList", "pCommandAllocator");
const MAP: Argument<u32> = argument!("ID3D12Resource", "Map", "Subresource");
const UNMAP: Argument<u32> = argument!("ID3D12Resource", "Unmap", "Subresource");
const SIGNAL: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Signal", "pFence");
const SIGNAL_VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Signal", "Value");
const SET_VALUE: Argument<u64> = argument!("ID3D12Fence", "Signal", "Value");
const WAIT: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Wait", "pFence");
const WAIT_VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Wait", "Value");
const FIRST_VALUE: Argument<u64> = argument!("ID3D12Device", "CreateFence", "InitialValue");
const TILES_OF: Argument<ObjectId> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResource");
const TILES_AT: Argument<Many<D3D12_TILED_RESOURCE_COORDINATE>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResourceRegionStartCoordinates");
const TILES_SIZES: Argument<Many<D3D12_TILE_REGION_SIZE>> =
    argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResourceRegionSizes");
const TILES_TO: Argument<ObjectId> = argument!("ID3D12CommandQueue", "CopyTileMappings", "pDstResource");
const TILES_FROM: Argument<ObjectId> = argument!("ID3D12CommandQueue", "CopyTileMappings", "pSrcResource");
const RESIDENT: Argument<Many<ObjectId>> = argument!("ID3D12Device", "MakeResident", "ppObjects");
const RESIDENT_SOON: Argument<Many<ObjectId>> = argument!("ID3D12Device3", "EnqueueMakeResident", "ppObjects");
const EVICTED: Argument<Many<ObjectId>> = argument!("ID3D12Device", "Evict", "ppObjects");
const DATA_KIND: Argument<One<Guid>> = argument!("ID3D12Object", "SetPrivateData", "guid");
const DATA_INTERFACE_KIND: Argument<One<Guid>> = argument!("ID3D12Object", "SetPrivateDataInterface", "guid");
const EXPORT: Argument<Text> = argument!("ID3D12StateObjectProperties", "GetShaderIdentifier", "pExportName");
const TEXELS_OF: Argument<u32> = argument!("ID3D12Resource", "WriteToSubresource", "DstSubresource");
const TEXELS_AT: Argument<One<D3D12_BOX>> = argument!("ID3D12Resource", "WriteToSubresource", "pDstBox");
const STORED: Argument<Text> = argument!("ID3D12PipelineLibrary", "StorePipeline", "pName");

/// The number of a call.
type Number = u64;
/// The number of an event of the recording, from 0.
type Index = u64;

/// Reduces recordings to what still stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct StillStanding;

impl Reduce for StillStanding {
    fn plan(&self, inputs: &[Trace], from: From) -> Result<Plan, ReadError> {
        plan(inputs, from)
    }
}

/// Plans an excerpt of a recording: whole from `from` on, and before that what still stands there.
///
/// # Errors
/// When a trace cannot be read.
pub fn plan(inputs: &[Trace], from: From) -> Result<Plan, ReadError> {
    let mut standing = Standing::default();
    let mut walk = Walk::new(&[&mut standing]);
    'reading: for (number, input) in inputs.iter().enumerate() {
        let mut events = input.events_as_recorded();
        while let Some(event) = events.next()? {
            if from.has_begun(number, &event) {
                break 'reading;
            }
            walk.event(&event, &mut [&mut standing]);
        }
    }
    Ok(standing.plan())
}

/// A call that may be kept.
#[derive(Debug, Default)]
struct Kept {
    enter: Index,
    leave: Option<Index>,
    /// Facts that stand behind it.
    facts: Vec<Index>,
    thread: u32,
    /// Objects that its arguments name, its own object among them.
    objects: Vec<u32>,
    /// Calls without which it would do something else.
    calls: Vec<Number>,
}

/// What a list holds.
#[derive(Debug, Default)]
struct Content {
    allocator: u32,
    closed: bool,
    /// The first close of a list that was made open.
    first_close: Option<Recorded>,
    calls: Vec<Recorded>,
    /// The enter payloads of the calls, one behind the other.
    payloads: Vec<u8>,
}

/// A call of a list.
#[derive(Clone, Copy, Debug)]
struct Recorded {
    enter: Index,
    leave: Option<Index>,
    thread: u32,
    method: MethodId,
    payload: usize,
    length: usize,
}

/// How a subresource was mapped.
#[derive(Debug, Default)]
struct Maps {
    /// Maps that are open.
    open: Vec<Number>,
    /// The last map that ended, its end, and the event at which that began.
    last: Option<(Number, Number, Index)>,
}

/// A pass that notes what stands.
#[derive(Debug)]
struct Standing {
    state: State,
    /// The number of the next event.
    next: Index,
    thread: u32,
    /// Calls that have begun and not returned: their enters and objects.
    open: HashMap<Number, (Index, u32)>,
    calls: HashMap<Number, Kept>,
    /// The last complete call of each thread.
    last: HashMap<u32, Number>,
    objects: HashMap<u32, Lives>,
    handles: Handles,
    contents: HashMap<u32, Content>,
    /// By heap: the call that wrote each slot; 0 for none.
    slots: HashMap<u32, Vec<Number>>,
    maps: BTreeMap<(u32, u32), Maps>,
    /// By fence: the last call that set its value (0: none), that value, and the value that the program saw.
    fences: HashMap<u32, (Number, u64, u64)>,
    waits: Vec<(Number, u32, u64)>,
    tiles: HashMap<u32, Vec<Number>>,
    /// Events that stand whatever comes of calls.
    always: Vec<Index>,
    /// The event that names each thread.
    names: HashMap<u32, Index>,
}

impl Default for Standing {
    fn default() -> Standing {
        let mut state = State::with_contents();
        state.note_gone();
        Standing {
            state,
            next: 0,
            thread: 0,
            open: HashMap::new(),
            calls: HashMap::new(),
            last: HashMap::new(),
            objects: HashMap::new(),
            handles: Handles::default(),
            contents: HashMap::new(),
            slots: HashMap::new(),
            maps: BTreeMap::new(),
            fences: HashMap::new(),
            waits: Vec::new(),
            tiles: HashMap::new(),
            always: Vec::new(),
            names: HashMap::new(),
        }
    }
}

impl Pass for Standing {
    fn interests(&self) -> Interests {
        let all = 0..u16::try_from(MODEL.methods.len()).unwrap_or(u16::MAX);
        let all: Vec<MethodId> = all.map(MethodId).collect();
        self.state.interests().every_call().enters(&all).facts().memory_if(true).observed().gaps().events()
    }

    fn event(&mut self, event: &Event<'_>) {
        (self.next, self.thread) = (self.next + 1, event.thread);
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.open.insert(call.number, (self.next - 1, call.object));
        self.state.enter(call, at);
        // Another thread may be given the object again before this release returns.
        self.forget_gone();
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        let opened = self.open.remove(&call.number);
        let (enter, _) = opened.unwrap_or((self.next - 1, call.object));
        // A call whose leave is missing is where its enter is.
        let leave = call.leave().map(|_| self.next - 1);
        self.take(call, enter, leave, at);
        self.last.insert(call.thread, call.number);
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], at: &At) {
        let here = self.next - 1;
        match kind {
            fact::META | fact::REMOVAL | fact::STILL => self.always.push(here),
            fact::THREAD_NAME => _ = self.names.insert(self.thread, here),
            fact::LEFT_OUT => {}
            _ => {
                let call = self.last.get(&self.thread).and_then(|call| self.calls.get_mut(call));
                call.into_iter().for_each(|call| call.facts.push(here));
            }
        }
        self.state.fact(object, kind, bytes, at);
    }

    fn memory(&mut self, memory: &Memory<'_>, at: &At) {
        // What the GPU wrote is not put back.
        if !memory.observed {
            self.state.memory(memory, at);
        }
    }

    fn observe(&mut self, fence: u32, value: u64, _at: &At) {
        self.fences.entry(fence).or_default().2 = value;
    }

    fn gap(&mut self, _event: &Event<'_>, _at: &At) {
        self.always.push(self.next - 1);
    }
}

impl Standing {
    /// Takes a complete call.
    fn take(&mut self, call: &Call<'_>, enter: Index, leave: Option<Index>, at: &At) {
        let fate = Fate::of(call.method);
        if matches!(fate, Fate::Copies) {
            // Before the copy: what it reads.
            self.copies(call, enter, leave);
        }
        self.state.call(call, at);
        match fate {
            Fate::Over | Fate::Copies => {}
            Fate::Gives => self.gives(call, enter, leave),
            Fate::AddRef => {
                if let Some(lives) = self.objects.get_mut(&call.object) {
                    lives.last().acquired(call.number, None);
                    self.keep(call, enter, leave);
                }
            }
            Fate::Release => self.releases(call, enter, leave),
            Fate::Reset if call.succeeded() => {
                let content = self.contents.entry(call.object).or_default();
                let Content { allocator, first_close, .. } = *content;
                *content = Content { allocator, first_close, ..Content::default() };
                if let Ok(ObjectId(allocator)) = RESET_ALLOCATOR.of(call) {
                    content.allocator = allocator;
                }
                self.record(call, enter, leave);
            }
            Fate::Close if call.succeeded() => {
                self.record(call, enter, leave);
                let content = self.contents.entry(call.object).or_default();
                content.closed = true;
                let was_made_open = content.calls.first().is_some_and(|first| Fate::of(first.method) != Fate::Reset);
                if let Some(close) = content.calls.last().filter(|_| was_made_open) {
                    content.first_close.get_or_insert(*close);
                }
            }
            Fate::Reset | Fate::Close => {}
            Fate::Recorded => self.record(call, enter, leave),
            Fate::AllocatorReset => {
                let of_it = self.contents.values_mut().filter(|content| content.allocator == call.object);
                of_it.filter(|content| content.closed).for_each(Content::void);
            }
            Fate::Writes => {
                if (leave.is_none() || call.succeeded())
                    && let Ok(Some(slot)) = descriptors::written(call, &self.state.addresses)
                {
                    self.keep(call, enter, leave);
                    self.write(slot.heap, slot.index, call.number);
                }
            }
            Fate::Map => {
                if let (Ok(subresource), true) = (MAP.of(call), call.succeeded()) {
                    self.keep(call, enter, leave);
                    self.maps.entry((call.object, subresource)).or_default().open.push(call.number);
                }
            }
            Fate::Unmap => {
                if let Ok(subresource) = UNMAP.of(call)
                    && let Some(maps) = self.maps.get_mut(&(call.object, subresource))
                    && let Some(map) = maps.open.pop()
                {
                    maps.last = Some((map, call.number, enter));
                    self.keep(call, enter, leave);
                    self.calls.entry(map).and_modify(|kept| kept.calls.push(call.number));
                }
            }
            Fate::Signal => {
                if let (Ok(ObjectId(fence)), Ok(value), true) =
                    (SIGNAL.of(call), SIGNAL_VALUE.of(call), succeeded(call))
                {
                    self.keep(call, enter, leave);
                    self.set(fence, value, call.number);
                }
            }
            Fate::SetValue => {
                if let (Ok(value), true) = (SET_VALUE.of(call), succeeded(call)) {
                    self.keep(call, enter, leave);
                    self.set(call.object, value, call.number);
                }
            }
            Fate::Wait => {
                if let (Ok(ObjectId(fence)), Ok(value), true) = (WAIT.of(call), WAIT_VALUE.of(call), succeeded(call))
                    && self.fences.get(&fence).is_none_or(|(_, now, _)| *now < value)
                {
                    self.keep(call, enter, leave);
                    self.waits.push((call.number, fence, value));
                }
            }
            Fate::Tiles => self.maps_tiles(call, enter, leave),
            Fate::MakeResident | Fate::Evict if succeeded(call) => {
                self.keep(call, enter, leave);
                self.residency(call, fate == Fate::MakeResident);
            }
            Fate::MakeResident | Fate::Evict => {}
            Fate::Texels => {
                if let (Ok(subresource), Ok(place), true) = (TEXELS_OF.of(call), TEXELS_AT.of(call), succeeded(call)) {
                    // The API wants the subresource mapped.
                    let map = self.maps.get(&(call.object, subresource)).and_then(|maps| maps.open.last().copied());
                    self.keep(call, enter, leave).calls.extend(map);
                    let life = self.objects.entry(call.object).or_default().last();
                    life.texels.entry(subresource).or_default().write(call.number, place);
                }
            }
            Fate::Shares if succeeded(call) => {
                let namer = self.handles.given(call);
                self.keep(call, enter, leave).calls.extend(namer);
            }
            Fate::Shares => {}
            Fate::LastStands => {
                if succeeded(call) {
                    self.keep(call, enter, leave);
                    let key = (call.method.0, told_apart(call));
                    self.objects.entry(call.object).or_default().last().last.insert(key, call.number);
                }
            }
        }
        self.forget_gone();
    }

    fn forget_gone(&mut self) {
        for object in self.state.take_gone() {
            self.gone(object);
        }
    }

    /// Notes a call, so that it can be kept.
    fn keep(&mut self, call: &Call<'_>, enter: Index, leave: Option<Index>) -> &mut Kept {
        let Needs { mut objects, .. } = Needs::of(call.method, call.enter.bytes, &self.state.addresses);
        objects.push(call.object);
        let kept = Kept { enter, leave, thread: call.thread, objects, ..Kept::default() };
        self.calls.entry(call.number).insert_entry(kept).into_mut()
    }

    fn gives(&mut self, call: &Call<'_>, enter: Index, leave: Option<Index>) {
        let given = call.given().unwrap_or_default();
        if given.is_empty() {
            return;
        }
        let shared = self.handles.opened(call);
        self.keep(call, enter, leave).calls.extend(shared);
        for given in given {
            let (object, here) = (given.object, self.next - 1);
            if self.objects.entry(object).or_default().given(call.number, given.interface.0, here) {
                if let Ok(ObjectId(allocator)) = FIRST_ALLOCATOR.of(call) {
                    self.contents.insert(object, Content { allocator, ..Content::default() });
                }
                if let Ok(value) = FIRST_VALUE.of(call) {
                    self.fences.insert(object, (0, value, value));
                }
            }
        }
    }

    fn releases(&mut self, call: &Call<'_>, enter: Index, leave: Option<Index>) {
        let Some(lives) = self.objects.get_mut(&call.object) else { return };
        let life = lives.at(enter);
        let Some(life) = lives.get_mut(life).filter(|life| life.birth != 0) else { return };
        if life.released(call.number, call.result() == Some(0)) {
            self.keep(call, enter, leave);
        }
    }

    fn record(&mut self, call: &Call<'_>, enter: Index, leave: Option<Index>) {
        let content = self.contents.entry(call.object).or_default();
        let (payload, length) = (content.payloads.len(), call.enter.bytes.len());
        content.payloads.extend_from_slice(call.enter.bytes);
        content.calls.push(Recorded { enter, leave, thread: call.thread, method: call.method, payload, length });
    }

    fn write(&mut self, heap: u32, index: u32, call: Number) {
        let slots = self.slots.entry(heap).or_default();
        if slots.len() <= index as usize {
            slots.resize(index as usize + 1, 0);
        }
        slots[index as usize] = call;
    }

    fn copies(&mut self, call: &Call<'_>, enter: Index, leave: Option<Index>) {
        let mut runs = Vec::new();
        if descriptors::copied(call, &self.state.addresses, &mut |to, from, count| runs.push((to, from, count)))
            .is_err()
        {
            return;
        }
        let mut sources = HashSet::new();
        for (to, from, count) in runs {
            for index in 0..count {
                let source =
                    self.slots.get(&from.heap).and_then(|slots| slots.get(from.index.saturating_add(index) as usize));
                let source = source.copied().unwrap_or(0);
                let written = if source == 0 { 0 } else { call.number };
                if source != 0 {
                    sources.insert(source);
                }
                let capacity = self.state.descriptors.heap(to.heap).map_or(0, |heap| heap.count);
                let place = to.index.saturating_add(index);
                if place < capacity {
                    self.write(to.heap, place, written);
                }
            }
        }
        // A copy within one heap may read what it wrote itself.
        sources.remove(&call.number);
        self.keep(call, enter, leave).calls = sources.into_iter().collect();
    }

    /// A fence has another value, or will have.
    fn set(&mut self, fence: u32, value: u64, call: Number) {
        let entry = self.fences.entry(fence).or_default();
        (entry.0, entry.1) = (call, value);
        self.waits.retain(|(_, other, wanted)| *other != fence || *wanted > value);
    }

    fn maps_tiles(&mut self, call: &Call<'_>, enter: Index, leave: Option<Index>) {
        if let Ok(ObjectId(resource)) = TILES_OF.of(call) {
            self.keep(call, enter, leave);
            let none = |count: Result<usize, _>| count == Ok(0);
            let whole = none(TILES_AT.of(call).map(|starts| starts.len()))
                && none(TILES_SIZES.of(call).map(|sizes| sizes.len()));
            let calls = self.tiles.entry(resource).or_default();
            if whole {
                calls.clear();
            }
            calls.push(call.number);
        } else if let (Ok(ObjectId(to)), Ok(ObjectId(from))) = (TILES_TO.of(call), TILES_FROM.of(call)) {
            let source = self.tiles.get(&from).cloned().unwrap_or_default();
            self.keep(call, enter, leave).calls = source;
            self.tiles.entry(to).or_default().push(call.number);
        }
    }

    fn residency(&mut self, call: &Call<'_>, more: bool) {
        let objects = match call.method {
            method if method == RESIDENT.method() => RESIDENT.of(call),
            method if method == RESIDENT_SOON.method() => RESIDENT_SOON.of(call),
            _ => EVICTED.of(call),
        };
        let Ok(objects) = objects else { return };
        let mut counterparts = Vec::new();
        for ObjectId(object) in objects.iter() {
            let Some(lives) = self.objects.get_mut(&object) else { continue };
            let life = lives.last();
            match life.residency.last() {
                Some((earlier, other)) if *other != more => {
                    counterparts.push(*earlier);
                    life.residency.pop();
                }
                _ => life.residency.push((call.number, more)),
            }
        }
        // The earlier call may stand for other objects. Then both do.
        for earlier in counterparts {
            self.calls.entry(earlier).and_modify(|kept| kept.calls.push(call.number));
        }
    }

    fn gone(&mut self, object: u32) {
        self.contents.remove(&object);
        self.fences.remove(&object);
        self.tiles.remove(&object);
        let maps: Vec<_> = self.maps.range((object, 0)..=(object, u32::MAX)).map(|(key, _)| *key).collect();
        maps.iter().for_each(|key| _ = self.maps.remove(key));
        if let Some(lives) = self.objects.get_mut(&object) {
            lives.last().ends();
        }
    }
}

impl Content {
    /// What it held can be executed no more: it stays closed.
    fn void(&mut self) {
        let last = self.calls.last().copied();
        let first = self.calls.first().copied().filter(|first| Fate::of(first.method) == Fate::Reset);
        self.calls = first.into_iter().chain(last).collect();
    }
}

/// Whether a call gave a success, where it gives anything back.
fn succeeded(call: &Call<'_>) -> bool {
    call.leave().is_none() || call.succeeded()
}

/// Tells calls of one method and object apart, each of which leaves something behind.
fn told_apart(call: &Call<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let kind = |kind: Argument<One<Guid>>| kind.of(call).ok().flatten().map(|kind| format!("{kind:?}"));
    match call.method {
        method if method == DATA_KIND.method() => kind(DATA_KIND).hash(&mut hasher),
        method if method == DATA_INTERFACE_KIND.method() => kind(DATA_INTERFACE_KIND).hash(&mut hasher),
        method if method == EXPORT.method() => EXPORT.of(call).ok().flatten().hash(&mut hasher),
        method if method == STORED.method() => STORED.of(call).ok().flatten().hash(&mut hasher),
        _ => {}
    }
    hasher.finish()
}

/// What is to be kept, as far as it is known.
struct Marks<'s> {
    standing: &'s Standing,
    plan: Plan,
    calls: HashSet<Number>,
    /// Objects, and which of their lives.
    objects: HashSet<(u32, usize)>,
    /// Threads of kept calls.
    threads: HashSet<u32>,
    /// Objects and calls whose own needs are still to be marked.
    ahead: Vec<Ahead>,
}

enum Ahead {
    Object(u32, usize),
    Call(Number),
}

impl Standing {
    /// What to keep of the events so far.
    fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        plan.whole_from = self.next;
        let (calls, objects, threads) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut marks = Marks { standing: self, plan, calls, objects, threads, ahead: Vec::new() };
        marks.object(0, self.next);
        self.state.objects.iter().for_each(|(id, _)| marks.object(id, self.next));
        self.handles.calls().for_each(|call| marks.call(call));
        self.waits.iter().for_each(|(call, ..)| marks.call(*call));
        for (enter, object) in self.open.values() {
            marks.plan.keep(*enter);
            marks.object(*object, *enter);
        }
        marks.run();
        let Marks { mut plan, threads, .. } = marks;
        self.always.iter().for_each(|event| plan.keep(*event));
        let named = self.names.iter().filter(|(thread, _)| threads.contains(thread));
        named.for_each(|(_, event)| plan.keep(*event));
        plan.put = self.puts();
        plan
    }

    /// What sums up stores and observed values that are left out.
    fn puts(&self) -> Vec<(Index, Put)> {
        let mut puts = Vec::new();
        for ((resource, subresource), maps) in &self.maps {
            let at = match (maps.open.is_empty(), maps.last) {
                (false, _) => self.next,
                (true, Some((.., at))) => at,
                (true, None) => continue,
            };
            puts.extend(self.stores(*resource, *subresource).into_iter().map(|store| (at, Put::Store(store))));
        }
        let mut fences: Vec<_> =
            self.fences.iter().filter(|(_, (call, set, seen))| *call != 0 && seen <= set).collect();
        fences.sort_unstable();
        puts.extend(
            fences.into_iter().map(|(fence, (.., seen))| (self.next, Put::Observe { fence: *fence, value: *seen })),
        );
        puts.sort_by_key(|(at, _)| *at);
        puts
    }

    /// What a subresource holds, in runs of pages.
    fn stores(&self, resource: u32, subresource: u32) -> Vec<Store> {
        let memory = &self.state.memory;
        let Some(contents) = memory.contents() else { return Vec::new() };
        let stated = memory.mapping(resource, subresource).map_or(0, |mapping| mapping.bytes);
        let size = if stated > 0 { stated } else { memory.resource(resource).map_or(0, |own| own.size) };
        let mut stores: Vec<Store> = Vec::new();
        for (offset, bytes) in contents.pages(resource, subresource) {
            let bytes = &bytes[..bytes.len().min(usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX))];
            match stores.last_mut().filter(|last| last.offset + last.bytes.len() as u64 == offset) {
                _ if bytes.is_empty() => {}
                Some(last) => last.bytes.extend_from_slice(bytes),
                None => stores.push(Store { resource, subresource, offset, bytes: bytes.to_vec() }),
            }
        }
        stores
    }
}

impl Marks<'_> {
    /// Marks an object, in the life that it had for a call that began at this event.
    fn object(&mut self, object: u32, enter: Index) {
        let life = self.standing.objects.get(&object).map_or(0, |lives| lives.at(enter));
        if self.objects.insert((object, life)) {
            self.ahead.push(Ahead::Object(object, life));
        }
    }

    fn call(&mut self, call: Number) {
        if call != 0 && self.calls.insert(call) {
            self.ahead.push(Ahead::Call(call));
        }
    }

    fn run(&mut self) {
        while let Some(next) = self.ahead.pop() {
            match next {
                Ahead::Object(object, life) => self.needs_of_object(object, life),
                Ahead::Call(call) => self.needs_of_call(call),
            }
        }
    }

    fn event(&mut self, enter: Index, leave: Option<Index>, thread: u32) {
        self.plan.keep(enter);
        leave.into_iter().for_each(|leave| self.plan.keep(leave));
        self.threads.insert(thread);
    }

    fn needs_of_call(&mut self, call: Number) {
        let standing = self.standing;
        let Some(kept) = standing.calls.get(&call) else { return };
        self.event(kept.enter, kept.leave, kept.thread);
        kept.facts.iter().for_each(|fact| self.plan.keep(*fact));
        kept.objects.iter().for_each(|object| self.object(*object, kept.enter));
        kept.calls.iter().for_each(|call| self.call(*call));
    }

    fn needs_of_object(&mut self, object: u32, life: usize) {
        let standing = self.standing;
        let life = standing.objects.get(&object).and_then(|lives| lives.get(life));
        life.into_iter().flat_map(|life| life.calls()).for_each(|call| self.call(call));
        let maps = standing.maps.range((object, 0)..=(object, u32::MAX)).map(|(_, maps)| maps);
        for maps in maps {
            maps.open.iter().for_each(|call| self.call(*call));
            if let (true, Some((map, unmap, _))) = (maps.open.is_empty(), maps.last) {
                self.call(map);
                self.call(unmap);
            }
        }
        standing.slots.get(&object).into_iter().flatten().for_each(|call| self.call(*call));
        standing.tiles.get(&object).into_iter().flatten().for_each(|call| self.call(*call));
        standing.fences.get(&object).into_iter().for_each(|(call, ..)| self.call(*call));
        if let Some(content) = standing.contents.get(&object) {
            self.content(content);
        }
    }

    /// Marks what a list holds: all of it, unless it can be executed no more, because something in it is gone.
    fn content(&mut self, content: &Content) {
        let state = &self.standing.state;
        let mut objects = HashSet::new();
        let mut lost = false;
        for recorded in &content.calls {
            let payload = content.payloads.get(recorded.payload..recorded.payload + recorded.length).unwrap_or(&[]);
            let needs = Needs::of(recorded.method, payload, &state.addresses);
            lost |= needs.lost || needs.objects.iter().any(|object| state.objects.get(*object).is_none());
            objects.extend(needs.objects.into_iter().map(|object| (object, recorded.enter)));
        }
        if lost && content.closed {
            let mut void = Content { calls: content.calls.clone(), ..Content::default() };
            void.void();
            // The allocator of a reset may be gone as well.
            for recorded in &void.calls {
                let payload = content.payloads.get(recorded.payload..recorded.payload + recorded.length).unwrap_or(&[]);
                let needs = Needs::of(recorded.method, payload, &state.addresses);
                needs.objects.into_iter().for_each(|object| self.object(object, recorded.enter));
                self.event(recorded.enter, recorded.leave, recorded.thread);
            }
            content.first_close.iter().for_each(|close| self.event(close.enter, close.leave, close.thread));
            return;
        }
        content.calls.iter().for_each(|recorded| self.event(recorded.enter, recorded.leave, recorded.thread));
        content.first_close.iter().for_each(|close| self.event(close.enter, close.leave, close.thread));
        objects.into_iter().for_each(|(object, enter)| self.object(object, enter));
    }
}
