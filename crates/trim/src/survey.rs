//! One walk over a trace, up to the end of the frames that are kept: what was made before them, how everything stands where they
//! begin, and what they name.
//!
//! Invariant: an object from before is needed if a call of the frames names it, unless that call has no effect without the object
//! ([`minor`]).

use crate::error::{Error, Refusal};
use crate::inputs::BUILD;
use crate::made::Made;
use crate::range::{Part, Place};
use crate::references::References;
use crate::structures::{self, COPY as COPY_STRUCTURE, Spot, Structures};
use reprise_d3d12::model::{InterfaceId, MethodId, Order};
use reprise_d3d12::types::{D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DISCARD_REGION, D3D12_QUERY_TYPE};
use reprise_d3d12::{MODEL, interface, method};
use reprise_lint::{Held, HeldWhat, Linter, Standing};
use reprise_timeline::activity::Activity;
use reprise_timeline::argument::{Argument, ObjectId, One};
use reprise_timeline::state::addresses::{HeapStart, Slot};
use reprise_timeline::state::lists::{Pipeline, records};
use reprise_timeline::state::memory::TILE;
use reprise_timeline::state::{State, queues};
use reprise_timeline::walk::{At, Interests, Memory, Pass, Walk};
use reprise_timeline::{Call, argument, codec};
use reprise_trace::fact;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
const BUNDLE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");
const TARGETS: MethodId = method("ID3D12GraphicsCommandList", "OMSetRenderTargets");
const INDIRECT: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
const UPDATE_TILES: Argument<ObjectId> = argument!("ID3D12CommandQueue", "UpdateTileMappings", "pResource");
const COPY_TILES: Argument<ObjectId> = argument!("ID3D12CommandQueue", "CopyTileMappings", "pDstResource");
const MAKE_HEAP: Argument<One<D3D12_DESCRIPTOR_HEAP_DESC>> =
    argument!("ID3D12Device", "CreateDescriptorHeap", "pDescriptorHeapDesc");
const COPY: MethodId = method("ID3D12Device", "CopyDescriptors");
const COPY_SIMPLE: MethodId = method("ID3D12Device", "CopyDescriptorsSimple");
const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
/// Names its program by an identifier, not by the state object.
pub(crate) const SET_PROGRAM: MethodId = method("ID3D12GraphicsCommandList10", "SetProgram");
/// Calls that count references: the state has what they do from where they begin.
const COUNTED: [MethodId; 2] = [method("IUnknown", "AddRef"), method("IUnknown", "Release")];
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const RESIDENT: MethodId = method("ID3D12Device", "MakeResident");
const ENDED: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "EndQuery", "pQueryHeap");
const ENDED_INDEX: Argument<u32> = argument!("ID3D12GraphicsCommandList", "EndQuery", "Index");
const RESOLVED: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ResolveQueryData", "pQueryHeap");
const RESOLVED_TYPE: Argument<D3D12_QUERY_TYPE> = argument!("ID3D12GraphicsCommandList", "ResolveQueryData", "Type");
const RESOLVED_START: Argument<u32> = argument!("ID3D12GraphicsCommandList", "ResolveQueryData", "StartIndex");
const RESOLVED_COUNT: Argument<u32> = argument!("ID3D12GraphicsCommandList", "ResolveQueryData", "NumQueries");

/// Commands whose arguments in memory may have addresses of any buffer.
const FOLLOW: [MethodId; 6] = [
    BUILD,
    COPY_STRUCTURE,
    method("ID3D12GraphicsCommandList4", "DispatchRays"),
    method("ID3D12GraphicsCommandList10", "DispatchGraph"),
    method("ID3D12GraphicsCommandList4", "ExecuteMetaCommand"),
    method("ID3D12GraphicsCommandList4", "InitializeMetaCommand"),
];

/// Calls on objects that matter only where the object does.
const MINOR: [MethodId; 14] = [
    method("IUnknown", "QueryInterface"),
    method("IUnknown", "AddRef"),
    method("IUnknown", "Release"),
    method("ID3D12Object", "GetPrivateData"),
    method("ID3D12Object", "SetPrivateData"),
    method("ID3D12Object", "SetPrivateDataInterface"),
    method("ID3D12Object", "SetName"),
    method("ID3D12DeviceChild", "GetDevice"),
    RESIDENT,
    method("ID3D12Device", "Evict"),
    method("ID3D12Device1", "SetResidencyPriority"),
    method("ID3D12Resource", "Map"),
    method("ID3D12Resource", "Unmap"),
    method("ID3D12Resource", "GetGPUVirtualAddress"),
];

/// Functions that a replay of the frames still needs, by how their names begin.
const FUNCTIONS: [&str; 4] =
    ["vkCreateSwapchain", "vkGetSwapchainImages", "vkd3d_acquire_vk_queue", "D3D12EnableExperimentalFeatures"];

/// Most queries that a resolve is looked through for.
const MOST_QUERIES: u32 = 1 << 20;
/// Render targets of a list.
const MOST_TARGETS: u32 = 8;

/// Whether calls of a method need nothing that they name.
fn minor(method: MethodId) -> bool {
    MINOR.contains(&method)
}

/// How everything stands where the frames begin, all queues being done.
pub(crate) struct AtCut {
    /// The first call behind the cut.
    pub(crate) first: u64,
    pub(crate) state: State,
    /// By resource, where it is followed.
    pub(crate) standing: HashMap<u32, Vec<Standing>>,
    /// Values of fences.
    pub(crate) fences: BTreeMap<u32, u64>,
    /// What queues have not done, each in its order.
    pub(crate) held: Vec<Held>,
    /// Which of the resources that share memory hold contents.
    pub(crate) activity: Activity,
    /// State objects that were asked for identifiers of programs.
    pub(crate) programs: BTreeSet<u32>,
}

/// What a walk found.
pub(crate) struct Survey<'t> {
    linter: Linter<'t>,
    /// What the linter is to be given.
    wanted: Interests,
    part: Part,
    /// Commands that are in the part of the trace, and not in the new one.
    pub(crate) left_out: HashSet<u64>,
    pub(crate) made: Made,
    pub(crate) at_cut: Option<AtCut>,
    /// Objects that the frames name.
    pub(crate) roots: BTreeSet<u32>,
    /// Descriptors of targets that they name, and heaps of such that they copy from.
    pub(crate) slots: BTreeSet<Slot>,
    pub(crate) copied: BTreeSet<u32>,
    /// Lists and bundles whose recordings from before they run or go on with.
    pub(crate) recordings: BTreeSet<u32>,
    /// A call of the frames may reach any buffer.
    pub(crate) any_buffer: bool,
    /// Textures that the frames may use in ways that the linter does not follow ([`unseen`]).
    pub(crate) hidden: BTreeSet<u32>,
    /// Clears may be left out: commands are predicated.
    pub(crate) predicated: bool,
    /// A frame ended, and the trace does not tell which picture it shows.
    pub(crate) presents_any: bool,
    /// The frame under way has told its picture.
    told: bool,
    /// Calls of the frames that are kept only with all that they name.
    pub(crate) minor: Vec<(u64, Box<[u32]>)>,
    /// Queries that the frames resolve before they end them.
    pub(crate) stale: Stale,
    ended: HashSet<Query>,
    /// Queries that commands from before end.
    pub(crate) ended_before: HashSet<Query>,
    /// Submissions from before that have not run, by their calls.
    pub(crate) submissions: BTreeMap<u64, Submission>,
    /// Acceleration structures where the frames begin.
    pub(crate) structures: Structures,
    /// Where calls of the frames read serialised ones.
    pub(crate) deserialised: BTreeSet<Spot>,
    /// Calls that map tiles, with their queues.
    pub(crate) tiled: BTreeMap<u64, u32>,
    /// Tiles of heaps that were mapped before the cut, and are not mapped there: what they hold is in no resource.
    lost_tiles: HashSet<(u32, u32)>,
    /// By swap chain: the number of the buffer that is next.
    pub(crate) chains: BTreeMap<u32, Chain>,
    /// State objects that were asked for identifiers of programs.
    programs: BTreeSet<u32>,
    /// Descriptor heaps, as they were made: where they begin, and their types.
    pub(crate) heaps: BTreeMap<u32, HeapStart>,
    kinds: BTreeMap<u32, i32>,
    pub(crate) refusals: Vec<Refusal>,
    /// The greatest id.
    pub(crate) greatest: u32,
    /// The greatest number of a thread.
    pub(crate) threads: u32,
    /// Questions whose answers are known.
    asked: HashSet<(u32, u16, Box<[u8]>)>,
    closed: HashSet<u32>,
    /// Calls that have not returned: the method and the thread.
    open: BTreeMap<u64, (u16, u32)>,
    /// Those that are under way where the frames begin.
    open_at_cut: BTreeSet<u64>,
    /// Those of them that return in the frames: what they do, they do there.
    pub(crate) under_way: BTreeSet<u64>,
    /// The last call that began.
    begun: u64,
    /// Calls within which the last frame ended: the rest of them is of that frame.
    presenting: BTreeSet<u64>,
    error: Option<Error>,
}

/// A submission.
pub(crate) struct Submission {
    pub(crate) enter: Box<[u8]>,
    pub(crate) leave: Option<Box<[u8]>>,
    /// Lists, and the calls that began what they held.
    lists: Vec<(u32, u64)>,
}

/// A query: its heap and index.
pub(crate) type Query = (u32, u32);

/// Queries that are resolved, each with the first call that does it and the type.
pub(crate) type Stale = BTreeMap<Query, (u64, i32)>;

/// What is known of a swap chain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Chain {
    /// The number that the program was told last, and the method.
    pub(crate) told: Option<(u32, u16)>,
    /// Presents since then, or since its buffers were made.
    pub(crate) presents: u32,
}

/// Walks over a trace up to the end of the part that is kept.
///
/// # Errors
/// The trace is damaged, or a call of the frames cannot be read.
pub(crate) fn survey(trace: &Trace, part: Part, left_out: HashSet<u64>) -> Result<Survey<'_>, Error> {
    let mut linter = Linter::new(trace);
    linter.note_runs();
    let mut survey = Survey {
        wanted: linter.interests(),
        linter,
        part: part.clone(),
        left_out,
        made: Made::default(),
        at_cut: None,
        roots: BTreeSet::new(),
        slots: BTreeSet::new(),
        copied: BTreeSet::new(),
        recordings: BTreeSet::new(),
        any_buffer: false,
        hidden: BTreeSet::new(),
        predicated: false,
        presents_any: false,
        told: false,
        minor: Vec::new(),
        stale: BTreeMap::new(),
        ended: HashSet::new(),
        ended_before: HashSet::new(),
        submissions: BTreeMap::new(),
        structures: Structures::default(),
        deserialised: BTreeSet::new(),
        tiled: BTreeMap::new(),
        lost_tiles: HashSet::new(),
        chains: BTreeMap::new(),
        programs: BTreeSet::new(),
        heaps: BTreeMap::new(),
        kinds: BTreeMap::new(),
        refusals: Vec::new(),
        greatest: 0,
        threads: 0,
        asked: HashSet::new(),
        closed: HashSet::new(),
        open: BTreeMap::new(),
        open_at_cut: BTreeSet::new(),
        under_way: BTreeSet::new(),
        begun: 0,
        presenting: BTreeSet::new(),
        error: None,
    };
    let mut part = part;
    let mut walk = Walk::new(&[&mut survey]);
    let mut events = trace.events_as_recorded().without_pages();
    while let Some(event) = events.next().map_err(|error| Error::Trace(error.to_string()))? {
        let place = part.place(&event);
        // That a flight recorder left out what was before belongs to that.
        let is_bound = || event.fact().is_some_and(|(kind, bytes)| fact::is_whole_from_here(kind, bytes));
        if place == Place::Within && survey.at_cut.is_none() && !(event.kind == Kind::Fact && is_bound()) {
            survey.cut(if event.kind == Kind::Enter { event.number } else { survey.begun + 1 });
        }
        match place {
            Place::End => break,
            Place::Behind => continue,
            Place::Before | Place::Within => walk.event(&event, &mut [&mut survey]),
        }
        if let Some(error) = survey.error.take() {
            return Err(error);
        }
    }
    Ok(survey)
}

impl Survey<'_> {
    /// Everything up to here is before the frames.
    fn cut(&mut self, first: u64) {
        let linter = &self.linter;
        let state = linter.state().clone();
        let standing = state.objects.iter().filter_map(|(id, _)| Some((id, linter.standing(id)?))).collect();
        let fences = state.queues.fences().filter_map(|(id, _)| Some((id, linter.fence(id)?))).collect();
        for (call, (method, _)) in &self.open {
            let row = MODEL.methods.get(usize::from(*method));
            let is_queue =
                row.and_then(|row| row.interface).is_some_and(|of| of.derives_from(interface("ID3D12CommandQueue")));
            let is_counted = COUNTED.iter().any(|counted| counted.0 == *method);
            if self.presenting.contains(call) || is_counted {
                continue;
            }
            if !is_queue || SIGNAL.0 == *method {
                self.open_at_cut.insert(*call);
            } else {
                let what = "the call is under way on another thread where the frames begin; begin with another frame";
                self.refusals.push(Refusal::new(*call, what));
            }
        }
        // What tiles hold that are mapped now is in the resources that they are mapped to.
        for heap in self.lost_tiles.iter().map(|(heap, _)| *heap).collect::<BTreeSet<u32>>() {
            for content in state.memory.in_heap(heap) {
                let tiles = content.offset / TILE..(content.offset + content.bytes).div_ceil(TILE);
                tiles.for_each(|tile| _ = self.lost_tiles.remove(&(heap, tile as u32)));
            }
        }
        let activity = linter.activity().clone();
        let held = linter.held();
        self.at_cut = Some(AtCut {
            first,
            state,
            standing,
            fences,
            activity,
            held: held.clone(),
            programs: self.programs.clone(),
        });
        self.hold(held);
        self.linter.note_firsts();
    }

    /// What queues have not done where the frames begin is done in them.
    fn hold(&mut self, held: Vec<Held>) {
        let Some(at) = &self.at_cut else { return };
        for Held { queue, call, what } in held {
            self.roots.insert(queue);
            let HeldWhat::Submission = what else {
                let (HeldWhat::Wait(fence, _) | HeldWhat::Signal(fence, _)) = what else { continue };
                self.roots.insert(fence);
                continue;
            };
            for (list, begun) in self.submissions.get(&call).into_iter().flat_map(|submission| &submission.lists) {
                self.roots.insert(*list);
                self.recordings.insert(*list);
                let own = at.state.lists.get(*list);
                if own.is_none_or(|own| own.begun != *begun) {
                    let what = format!(
                        "it waits in queue {queue} where the frames begin, and list {list} of it was recorded anew or released since"
                    );
                    self.refusals.push(Refusal::new(call, what));
                } else if own.is_some_and(|own| own.calls.iter().any(|call| self.left_out.contains(&call))) {
                    let what = format!(
                        "it waits in queue {queue} where the part begins, and list {list} of it runs again behind the last draw, where its \
                         commands are left out"
                    );
                    self.refusals.push(Refusal::new(call, what));
                }
            }
        }
    }

    /// By type of heap: bytes from a descriptor to the next one.
    pub(crate) fn increments(&self) -> BTreeMap<i32, u32> {
        self.heaps.iter().filter_map(|(id, heap)| Some((*self.kinds.get(id)?, heap.increment))).collect()
    }

    fn first(&self) -> u64 {
        self.at_cut.as_ref().map_or(u64::MAX, |at| at.first)
    }

    /// Whether a use in the frames may have found what a texture held before them. `visible`: shaders may see it.
    pub(crate) fn finds(&self, texture: u32, visible: bool) -> bool {
        let followed = !self.predicated && self.linter.held().is_empty();
        visible || !followed || self.hidden.contains(&texture) || self.linter.finds(texture)
    }

    /// The state of a subresource that is not known where the frames begin, by what they do with it: see [`Linter::supposed`].
    pub(crate) fn supposed(&self, texture: u32, index: u32) -> Option<Standing> {
        self.linter.supposed(texture, index)
    }

    /// Tiles were mapped: notes them before the cut, and looks behind it whether they hold what no resource has.
    fn mapped_tiles(&mut self, call: &Call<'_>) -> Result<(), Error> {
        let resource = UPDATE_TILES.of(call)?.0;
        let Some(tiles) = self.linter.state().memory.tiles(resource) else { return Ok(()) };
        for (_, run) in tiles.runs().filter(|(_, run)| run.call == call.number) {
            let count = if run.single { 1 } else { run.count };
            for tile in run.tile..run.tile.saturating_add(count) {
                if self.at_cut.is_none() {
                    self.lost_tiles.insert((run.heap, tile));
                } else if self.lost_tiles.contains(&(run.heap, tile)) {
                    let what = format!(
                        "it maps tile {tile} of heap {}, which was mapped before the frames begin and is not mapped where they do: what it \
                         holds is in no resource there",
                        run.heap
                    );
                    self.refusals.push(Refusal::new(call.number, what));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// A call begins in the frames.
    fn uses(&mut self, call: &Call<'_>) -> Result<(), Error> {
        if self.left_out.contains(&call.number) {
            return Ok(());
        }
        if MODEL.methods.get(usize::from(call.method.0)).is_none() {
            self.refusals.push(Refusal::new(call.number, "today's API model does not have this call"));
            return Ok(());
        }
        let references = References::of(call)?;
        if minor(call.method) {
            self.minor.push((call.number, references.objects.into()));
            return Ok(());
        }
        let state = self.linter.state();
        self.roots.extend(&references.objects);
        if call.method == SET_PROGRAM {
            self.roots.extend(&self.programs);
        }
        for handle in &references.cpu {
            let Some(slot) = state.addresses.cpu(*handle) else { continue };
            self.roots.insert(slot.heap);
            if call.method == COPY || call.method == COPY_SIMPLE {
                self.copied.insert(slot.heap);
            }
            let count = if call.method == TARGETS { MOST_TARGETS } else { 1 };
            self.slots.extend((slot.index..slot.index.saturating_add(count)).map(|index| Slot { index, ..slot }));
        }
        let heaps = references.gpu.iter().filter_map(|handle| Some(state.addresses.gpu(*handle)?.heap));
        self.roots.extend(heaps);
        let buffers = references.addresses.iter().filter_map(|at| Some(state.addresses.resource(*at)?.resource));
        self.roots.extend(buffers);
        let first = self.first();
        let from_before = |list: u32| {
            state
                .lists
                .get(list)
                .is_some_and(|own| own.begun != 0 && own.begun < first && !self.under_way.contains(&own.begun))
        };
        if (records(call.method) || call.method == CLOSE) && from_before(call.object) {
            self.recordings.insert(call.object);
        }
        let mut runs = queues::executed(call)?;
        if call.method == BUNDLE.method() {
            runs.push(BUNDLE.of(call)?.0);
        }
        self.recordings.extend(runs.into_iter().filter(|list| from_before(*list)));
        self.any_buffer |= follows(call, state)?;
        let (hidden, predicated) = unseen(call, &references)?;
        self.hidden.extend(hidden);
        self.predicated |= predicated;
        let read = structures::deserialises(call)?.and_then(|at| state.addresses.resource(at));
        self.deserialised.extend(read.map(|at| (at.resource, at.offset)));
        if call.method == ENDED.method() {
            self.ended.insert((ENDED.of(call)?.0, ENDED_INDEX.of(call)?));
        }
        for ((heap, index), kind) in resolved(call)? {
            if self.made.get(heap).is_some() && !self.ended.contains(&(heap, index)) {
                self.stale.entry((heap, index)).or_insert((call.number, kind));
            }
        }
        Ok(())
    }

    /// Submissions may have run: before the cut, they leave acceleration structures.
    fn follow_runs(&mut self) {
        for call in self.linter.take_runs() {
            if self.at_cut.is_none() {
                self.submissions.remove(&call);
                self.structures.ran(call);
            }
        }
    }

    /// A call that began before the frames is complete.
    fn before(&mut self, call: &Call<'_>) -> Result<(), Error> {
        let Some(row) = MODEL.methods.get(usize::from(call.method.0)) else { return Ok(()) };
        if call.leave().is_some() && !call.succeeded() {
            return Ok(());
        }
        match call.method {
            RESET => self.structures.begin(call.object),
            it if it == ENDED.method() => _ = self.ended_before.insert((ENDED.of(call)?.0, ENDED_INDEX.of(call)?)),
            BUILD | COPY_STRUCTURE => self.structures.record(call, &self.linter.state().addresses)?,
            EXECUTE => {
                let lists = queues::executed(call)?;
                self.structures.submit(call.number, &lists);
                let begun = |list: u32| self.linter.state().lists.get(list).map_or(0, |own| own.begun);
                let submission = Submission {
                    enter: call.enter.bytes.into(),
                    leave: call.leave().map(|leave| leave.bytes.into()),
                    lists: lists.into_iter().map(|list| (list, begun(list))).collect(),
                };
                self.submissions.insert(call.number, submission);
            }
            _ => {}
        }
        let given = call.given()?;
        if given.iter().any(|given| self.made.get(given.object).is_none()) {
            let names = References::of(call)?.objects;
            given.iter().for_each(|given| self.made.give(given.object, call.number, given.interface.0, &names));
            return Ok(());
        }
        let through = row.interface;
        let is = |name: &str| through.is_some_and(|through| through.derives_from(interface(name)));
        match call.method {
            it if it == UPDATE_TILES.method() => {
                let names = References::of(call)?.objects;
                self.made.change(UPDATE_TILES.of(call)?.0, call.number, &names);
                self.tiled.insert(call.number, call.object);
            }
            it if it == COPY_TILES.method() => {
                let names = References::of(call)?.objects;
                self.made.change(COPY_TILES.of(call)?.0, call.number, &names);
                self.tiled.insert(call.number, call.object);
            }
            // A list is created recording. It is closed as it was, because its allocator serves one recording list at a time.
            CLOSE if self.closed.insert(call.object) => self.made.change(call.object, call.number, &[]),
            RESIDENT => self.made.note(call.number, &References::of(call)?.objects),
            _ if through.is_none()
                && FUNCTIONS.iter().any(|name| row.name.starts_with(name))
                && self.is_new(0, call) =>
            {
                self.made.note(call.number, &References::of(call)?.objects);
            }
            _ if matches!(row.name, "SetName" | "SetPipelineStackSize") => {
                self.made.change(call.object, call.number, &[]);
            }
            _ if is("ID3D12StateObjectProperties")
                && row.name.ends_with("Identifier")
                && self.is_new(call.object, call) =>
            {
                if row.name == "GetProgramIdentifier" {
                    self.programs.insert(call.object);
                }
                self.made.change(call.object, call.number, &[]);
            }
            _ if is("IDXGISwapChain") || is("IDXGIVkSwapChain") => self.chain(call, row.name)?,
            _ if answers(row.name) && self.is_new(call.object, call) => {
                self.made.change(call.object, call.number, &[]);
            }
            _ => {}
        }
        Ok(())
    }

    /// A call of a swap chain.
    fn chain(&mut self, call: &Call<'_>, name: &str) -> Result<(), Error> {
        let chain = self.chains.entry(call.object).or_default();
        match name {
            "Present" | "Present1" => {
                // `DXGI_PRESENT_TEST` and `DXGI_PRESENT_DO_NOT_SEQUENCE` move nothing.
                let arguments = codec().decode_enter(call.method, call.enter.bytes);
                let flags = arguments.ok().and_then(|arguments| {
                    let flags = arguments.members.into_iter().find(|member| member.field.name.ends_with("Flags"))?;
                    match flags.value {
                        reprise_codec::Value::Unsigned(flags) => Some(flags),
                        reprise_codec::Value::Enum(_, flags) => Some(flags.into()),
                        _ => None,
                    }
                });
                if flags.unwrap_or(0) & 3 == 0 {
                    chain.presents = chain.presents.saturating_add(1);
                }
            }
            "GetCurrentBackBufferIndex" | "GetImageIndex" => {
                let index = call.result().unwrap_or(0) as u32;
                *chain = Chain { told: Some((index, call.method.0)), presents: 0 };
            }
            "ResizeBuffers" | "ResizeBuffers1" | "ChangeProperties" => {
                *chain = Chain::default();
                self.made.change(call.object, call.number, &References::of(call)?.objects);
            }
            "SetSourceSize" => self.made.change(call.object, call.number, &[]),
            name if name.starts_with("GetDesc") && self.is_new(call.object, call) => {
                self.made.change(call.object, call.number, &[]);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether such a question was not asked before, or had another answer.
    fn is_new(&mut self, object: u32, call: &Call<'_>) -> bool {
        let answer = call.leave().map_or(&[][..], |leave| leave.bytes);
        self.asked.insert((object, call.method.0, [call.enter.bytes, answer].concat().into()))
    }

    fn fail(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }
}

/// The queries that a call resolves, with their type.
///
/// # Errors
/// The arguments cannot be read.
pub(crate) fn resolved(call: &Call<'_>) -> Result<Vec<(Query, i32)>, Error> {
    if call.method != RESOLVED.method() {
        return Ok(Vec::new());
    }
    let (heap, kind) = (RESOLVED.of(call)?.0, RESOLVED_TYPE.of(call)?.0);
    let (start, count) = (RESOLVED_START.of(call)?, RESOLVED_COUNT.of(call)?.min(MOST_QUERIES));
    Ok((start..start.saturating_add(count)).map(|index| ((heap, index), kind)).collect())
}

/// Whether commands of a call may reach buffers by addresses in memory.
pub(crate) fn follows(call: &Call<'_>, state: &State) -> Result<bool, Error> {
    if FOLLOW.contains(&call.method) {
        return Ok(true);
    }
    if call.method != INDIRECT.method() {
        return Ok(false);
    }
    use reprise_timeline::state::lists::Change;
    let draws = state
        .lists
        .get(call.object)
        .and_then(|list| list.bound.pipeline.as_ref())
        .is_some_and(|pipeline| matches!(pipeline.value, Pipeline::State(_)));
    let signature = state.lists.commands(INDIRECT.of(call)?.0);
    let plain = |change: &Change| matches!(change, Change::Constants(..));
    Ok(!draws || signature.is_none_or(|signature| !signature.changes.iter().all(plain)))
}

/// The textures that a call may use in ways that the linter does not follow; and whether commands behind it are predicated.
///
/// # Errors
/// The arguments cannot be read.
pub(crate) fn unseen(call: &Call<'_>, references: &References) -> Result<(Vec<u32>, bool), Error> {
    const DISCARDED: Argument<One<D3D12_DISCARD_REGION>> =
        argument!("ID3D12GraphicsCommandList", "DiscardResource", "pRegion");
    const RATES: MethodId = method("ID3D12GraphicsCommandList5", "RSSetShadingRateImage");
    const PREDICATE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "SetPredication", "pBuffer");
    if call.method == PREDICATE.method() {
        return Ok((Vec::new(), PREDICATE.of(call)?.0 != 0));
    }
    let row = call.method.get();
    let shows = row.params.iter().any(|param| param.name == "DestDescriptor")
        && !row.name.contains("RenderTargetView")
        && !row.name.contains("DepthStencilView");
    let in_part = call.method == DISCARDED.method() && DISCARDED.of(call)?.is_some_and(|region| region.NumRects > 0);
    let hidden = shows || in_part || call.method == RATES;
    Ok((if hidden { references.objects.clone() } else { Vec::new() }, false))
}

/// Questions whose answers tell a replay what the program's numbers stand for.
fn answers(name: &str) -> bool {
    matches!(
        name,
        "GetDescriptorHandleIncrementSize"
            | "GetCPUDescriptorHandleForHeapStart"
            | "GetGPUDescriptorHandleForHeapStart"
            | "GetGPUVirtualAddress"
    )
}

/// The interface that an object was given out as.
pub(crate) fn is_a(made: &Made, id: u32, name: &str) -> bool {
    made.get(id).is_some_and(|object| InterfaceId(object.interface).derives_from(interface(name)))
}

impl Pass for Survey<'_> {
    fn interests(&self) -> Interests {
        let all: Vec<MethodId> = (0..MODEL.methods.len()).map(|method| MethodId(method as u16)).collect();
        self.wanted.clone().and(&Interests::new().enters(&all).every_call().events().frames().gaps().facts().observed())
    }

    fn event(&mut self, event: &Event<'_>) {
        if event.is_damage() {
            self.error.get_or_insert(Error::Trace(format!("the trace is damaged: {}", event.gap_text())));
        }
        self.greatest = self.greatest.max(event.object);
        self.threads = self.threads.max(event.thread);
        match event.kind {
            Kind::Enter => {
                self.begun = event.number;
                let returns = |row: &reprise_d3d12::model::Method| row.order == Order::EnterLeave;
                if MODEL.methods.get(usize::from(event.method)).is_some_and(returns) {
                    self.open.insert(event.number, (event.method, event.thread));
                }
            }
            Kind::Frame => {
                let open = self.open.iter().filter(|(_, (_, thread))| *thread == event.thread);
                self.presenting = open.map(|(call, _)| *call).collect();
            }
            _ => {}
        }
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        if !self.part.is_before(call.number, call.frame) {
            let used = self.uses(call);
            self.fail(used);
        }
        if self.wanted.has_enter(call.method) {
            self.linter.enter(call, at);
        }
        self.follow_runs();
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if MODEL.methods.get(usize::from(call.method.0)).is_some()
            && let Ok(given) = call.given()
        {
            given.iter().for_each(|given| self.greatest = self.greatest.max(given.object));
            if call.method == MAKE_HEAP.method()
                && let Ok(Some(desc)) = MAKE_HEAP.of(call)
            {
                self.kinds.extend(given.iter().map(|given| (given.object, desc.Type.0)));
            }
        }
        // What a call names means what it meant before the call changed it.
        self.open.remove(&call.number);
        if self.open_at_cut.contains(&call.number) {
            // One whose leave is missing is in neither part.
            if call.leave().is_some() {
                self.under_way.insert(call.number);
                let used = self.uses(call);
                self.fail(used);
            }
        } else if self.part.is_before(call.number, call.frame) {
            let noted = self.before(call);
            self.fail(noted);
        }
        if self.wanted.has_call(call.method) {
            self.linter.call(call, at);
        }
        self.follow_runs();
        let tiled = [UPDATE_TILES, COPY_TILES].iter().find(|tiles| tiles.method() == call.method);
        if let Some(Ok(resource)) = tiled.map(|tiles| tiles.of(call)) {
            self.linter.note_tiles(resource.0);
        }
        if call.method == UPDATE_TILES.method() {
            let mapped = self.mapped_tiles(call);
            self.fail(mapped);
        }
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], at: &At) {
        self.linter.fact(object, kind, bytes, at);
        if fact::is_whole_from_here(kind, bytes) && self.at_cut.is_some() {
            let what = "the flight recorder left calls of it out; begin with a frame that `reprise info` calls whole";
            self.refusals.push(Refusal::new(0, what));
        }
        if kind == fact::DESCRIPTOR_HEAP {
            self.heaps.extend(HeapStart::from_fact(bytes).map(|heap| (object, heap)));
        }
        if kind == fact::PRESENT && self.at_cut.is_some() {
            self.linter.present(object);
            self.told = true;
        }
    }

    fn memory(&mut self, memory: &Memory<'_>, at: &At) {
        self.linter.memory(memory, at);
    }

    fn observe(&mut self, fence: u32, value: u64, at: &At) {
        self.linter.observe(fence, value, at);
        self.follow_runs();
    }

    fn damaged(&mut self, event: &Event<'_>, at: &At) {
        Pass::damaged(&mut self.linter, event, at);
    }

    fn frame(&mut self, at: &At) {
        self.linter.frame(at);
        self.presents_any |= self.at_cut.is_some() && !self.told;
        self.told = false;
    }
}
