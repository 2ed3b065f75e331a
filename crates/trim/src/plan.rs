//! What the new trace has of the time before its frames, decided before anything is written.
//!
//! Invariant: a plan is made only where everything that the frames need can be made again. What cannot is a refusal.

use crate::Warning;
use crate::error::{Error, Refusal};
use crate::inputs::INSTANCE;
use crate::made::Needed;
use crate::recordings::{Recordings, Seen};
use crate::structures::{Build, Spot, Step, Structure};
use crate::survey::{AtCut, Survey, is_a};
use crate::texels::Samples;
use reprise_codec::Value;
use reprise_d3d12::method;
use reprise_d3d12::types::{
    D3D12_CONSTANT_BUFFER_VIEW_DESC, D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION,
    D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION, DXGI_FORMAT,
};
use reprise_lint::{Held, Standing};
use reprise_timeline::activity::Active;
use reprise_timeline::codec;
use reprise_timeline::state::State;
use reprise_timeline::state::addresses::{HeapStart, Slot};
use reprise_timeline::state::descriptors::{View, ViewKind};
use reprise_timeline::state::memory::{self, InitialState, Place};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Descriptor heaps by type: those of targets are read descriptor by descriptor.
const TARGET_HEAPS: [i32; 2] = [2, 3];
/// `D3D12_QUERY_TYPE_TIMESTAMP`.
const TIMESTAMP: i32 = 2;

/// What the new trace has.
pub(crate) struct Plan {
    pub(crate) first: u64,
    pub(crate) needed: Needed,
    /// Calls of the frames that are left out.
    pub(crate) dropped: HashSet<u64>,
    /// By call: descriptors that are written right before it.
    pub(crate) seen: BTreeMap<u64, Vec<Seen>>,
    /// Descriptors that are written where the frames begin.
    pub(crate) descriptors: Vec<Seen>,
    /// Calls whose payloads write descriptors.
    pub(crate) views: HashSet<u64>,
    /// The device that everything belongs to; 0 where there is none.
    pub(crate) device: u32,
    pub(crate) contents: Vec<Restored>,
    /// Queues that map tiles before anything is copied.
    pub(crate) tiling: BTreeSet<u32>,
    /// Resource, subresource, address, bytes, heap type, and how often it is mapped.
    pub(crate) mapped: Vec<(u32, u32, u64, u64, u32, u32)>,
    /// Objects with references that the program took beside the first one.
    pub(crate) references: Vec<(u32, u32)>,
    /// Objects that the program had let go of.
    pub(crate) released: Vec<u32>,
    /// Fences and their values.
    pub(crate) fences: Vec<(u32, u64)>,
    /// What queues are given that they had not done, in the order of the calls.
    pub(crate) held: Vec<Held>,
    /// Submissions among it, by their calls: payloads of enter and leave.
    pub(crate) submissions: BTreeMap<u64, Payloads>,
    /// Swap chain, method, number of the buffer that is next.
    pub(crate) next: Vec<(u32, u16, u32)>,
    /// Query heap and index of timestamps that are ended anew.
    pub(crate) timestamps: Vec<(u32, u32)>,
    /// Acceleration structures, in the order in which they were made.
    pub(crate) structures: Vec<(Spot, Structure)>,
    /// Structures that are serialised, and where.
    pub(crate) serialised: Vec<(Spot, Structure)>,
    /// The first call from before that is recorded again only once structures are there.
    pub(crate) first_use: Option<u64>,
    /// By buffer with an address: the first one, and the call from which on the buffer has memory, `u64::MAX` where that is its tiles'.
    pub(crate) addresses: BTreeMap<u32, (u64, u64)>,
    /// No buffer has this address or a higher one.
    pub(crate) free: u64,
    /// Descriptor heaps of trimming's own begin at this CPU handle or a higher one.
    pub(crate) free_handle: u64,
    /// By type of heap: bytes from a descriptor to the next one, as the program knows them.
    pub(crate) increments: BTreeMap<i32, u32>,
    pub(crate) warnings: Vec<Warning>,
}

impl Plan {
    /// Queues that are not done, each with the first call that it has not done.
    pub(crate) fn held(&self) -> Vec<(u32, u64)> {
        let mut first = BTreeMap::new();
        self.held.iter().for_each(|held| _ = first.entry(held.queue).or_insert(held.call));
        first.into_iter().collect()
    }

    /// The builds that make structures again, each once, by their calls.
    pub(crate) fn builds(&self) -> BTreeMap<u64, &Build> {
        let steps = self.structures.iter().chain(&self.serialised).flat_map(|(_, made)| made.steps.iter().flatten());
        let builds = steps.filter_map(|step| match step {
            Step::Build(build, _) => Some((build.call, &**build)),
            Step::Compact => None,
        });
        builds.collect()
    }
}

/// Payloads of a call's enter and leave.
pub(crate) type Payloads = (Box<[u8]>, Option<Box<[u8]>>);

/// A resource that gets its contents and states back.
pub(crate) struct Restored {
    pub(crate) resource: u32,
    pub(crate) how: How,
}

/// How contents get there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// The processor stores them.
    Stores,
    /// A list copies them; the resource needs no barriers.
    Copy,
    /// Nothing is needed.
    Nothing,
    /// A list copies them, between barriers.
    Moved(Moves),
}

/// Barriers of a texture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Moves {
    /// As the creation leaves it.
    pub(crate) from: InitialState,
    /// Where the frames begin, by subresource.
    pub(crate) to: Vec<Standing>,
    /// How subresources stand there in a replay of the trace. That is elsewhere only where a flight recorder left out what moved them.
    pub(crate) replayed: Vec<Standing>,
    /// It lies in a heap of the program's.
    pub(crate) placed: bool,
    /// The frames may find what it held.
    pub(crate) with_contents: bool,
    /// Where it shares memory: the call that used it last.
    pub(crate) since: u64,
    /// Where it has several samples a texel: what has to be drawn.
    pub(crate) samples: Option<Samples>,
    /// Where it is a map of sampler feedback.
    pub(crate) feedback: Option<Feedback>,
}

/// A map of sampler feedback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Feedback {
    /// Texels of a region in each direction.
    pub(crate) regions: [u32; 2],
    /// Levels and slices of the bytes that it decodes to.
    pub(crate) levels: u16,
    pub(crate) slices: u16,
}

impl Feedback {
    /// Of a texture's description, where it is one.
    fn of(desc: &D3D12_RESOURCE_DESC1) -> Option<Feedback> {
        let finest = desc.Format == DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE;
        let used = desc.Format == DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE;
        let regions = [desc.SamplerFeedbackMipRegion.Width, desc.SamplerFeedbackMipRegion.Height];
        let levels = if finest { 1 } else { desc.MipLevels };
        (finest || used).then_some(Feedback { regions, levels, slices: desc.DepthOrArraySize })
    }
}

impl Moves {
    /// Whether the texture stands where its creation left it.
    pub(crate) fn stands(&self) -> bool {
        let from = initially(self.from);
        self.to.iter().all(|to| *to == from)
    }
}

/// How a texture stands where its creation leaves it.
fn initially(from: InitialState) -> Standing {
    match from {
        InitialState::State(state) => Standing::State(state),
        InitialState::Layout(layout) => Standing::Layout(layout),
    }
}

/// Decides what the new trace has.
///
/// # Errors
/// The first thing that cannot be made again, by its call.
pub(crate) fn plan(survey: &Survey<'_>, at: &AtCut, recordings: Recordings) -> Result<Plan, Error> {
    let mut refusals: Vec<Refusal> = survey.refusals.clone();
    refusals.extend(recordings.refusals);
    let state = &at.state;
    let mut roots: BTreeSet<u32> = survey.roots.union(&recordings.roots).copied().collect();
    if survey.any_buffer || recordings.any_buffer {
        let buffers = state.memory.resources().filter(|(_, own)| own.buffer).map(|(id, _)| id);
        roots.extend(buffers.filter(|id| state.addresses.of_resource(*id).is_some()));
    }
    let slots_of = |heap: u32| -> Vec<(Slot, std::sync::Arc<View>)> {
        let Some(own) = state.descriptors.heap(heap) else { return Vec::new() };
        let whole = !TARGET_HEAPS.contains(&own.kind) || survey.copied.contains(&heap);
        let slots = own.slots().map(|(index, descriptor)| (Slot { heap, index }, descriptor.view.clone()));
        slots.filter(|(slot, view)| (whole || survey.slots.contains(slot)) && is_alive(state, view)).collect()
    };
    let needed = survey.made.close(roots, |id, leads| {
        for (_, view) in slots_of(id) {
            leads.extend(shown(state, &view));
        }
        // Instances are in memory: any bottom level may be one.
        if survey.structures.of(id).any(|(_, made)| made.is_top) {
            leads.extend(survey.structures.buffers());
        }
    });
    let mut visible: HashSet<u32> = HashSet::new();
    for heap in needed.objects.iter().copied() {
        let is_seen = state.descriptors.heap(heap).is_some_and(|own| !TARGET_HEAPS.contains(&own.kind));
        if is_seen {
            visible.extend(slots_of(heap).into_iter().flat_map(|(_, view)| [view.resource, view.second]));
        }
    }
    visible.extend(&recordings.hidden);
    let finds = |id: u32| recordings.predicated || survey.finds(id, visible.contains(&id));
    let mut plan = Plan {
        first: at.first,
        dropped: HashSet::new(),
        seen: recordings.seen,
        descriptors: Vec::new(),
        views: HashSet::new(),
        device: 0,
        contents: Vec::new(),
        tiling: BTreeSet::new(),
        mapped: Vec::new(),
        references: Vec::new(),
        released: Vec::new(),
        fences: Vec::new(),
        held: at.held.clone(),
        submissions: BTreeMap::new(),
        next: Vec::new(),
        timestamps: Vec::new(),
        structures: Vec::new(),
        serialised: Vec::new(),
        first_use: recordings.structures.first().copied(),
        addresses: BTreeMap::new(),
        free: 0,
        warnings: Vec::new(),
        free_handle: survey.heaps.values().map(end_of).max().unwrap_or(0),
        increments: survey.increments(),
        needed,
    };
    let is_needed = |id: u32| plan.needed.objects.contains(&id);
    for (call, names) in &survey.minor {
        if names.iter().any(|id| survey.made.get(*id).is_some() && !is_needed(*id)) {
            plan.dropped.insert(*call);
        }
    }
    for heap in plan.needed.objects.iter().copied().filter(|id| state.descriptors.heap(*id).is_some()) {
        let Some((start, increment)) = start_of(state, heap) else { continue };
        let handle = |slot: Slot| start + u64::from(slot.index) * increment;
        plan.descriptors.extend(slots_of(heap).into_iter().map(|(slot, view)| (handle(slot), view.call)));
    }
    plan.views = plan.descriptors.iter().chain(plan.seen.values().flatten()).map(|(_, call)| *call).collect();
    let tiled = survey.tiled.iter().filter(|(call, _)| plan.needed.calls.contains(call));
    plan.tiling = tiled.map(|(_, queue)| *queue).collect();
    let devices: Vec<u32> =
        plan.needed.objects.iter().copied().filter(|id| is_a(&survey.made, *id, "ID3D12Device")).collect();
    match devices[..] {
        [] => {}
        [device] => plan.device = device,
        [_, second, ..] => refusals.push(Refusal::new(
            survey.made.get(second).map_or(0, |made| made.call),
            "the frames use several devices; only those of one are cut out so far",
        )),
    }
    for id in plan.needed.objects.clone() {
        let made = survey.made.get(id).map_or(0, |made| made.call);
        match state.objects.get(id) {
            Some(object) if object.outside > 1 => plan.references.push((id, object.outside - 1)),
            Some(object) if object.outside == 1 => {}
            _ => plan.released.push(id),
        }
        if is_a(&survey.made, id, "ID3D12VideoDecoder") || is_a(&survey.made, id, "ID3D12ProtectedSession") {
            refusals.push(Refusal::new(made, "what video and protected sessions leave cannot be restored"));
        }
        if let Some(value) = at.fences.get(&id) {
            let initial = state.queues.fence(id).map_or(0, |fence| fence.initial);
            if *value != initial {
                plan.fences.push((id, *value));
            }
        }
        if is_a(&survey.made, id, "ID3D12Resource") && state.objects.get(id).is_some() {
            match restored(survey, at, id, &finds) {
                Ok(found) => {
                    plan.warnings.extend(warning(at, id, &found));
                    plan.contents.push(Restored { resource: id, how: found });
                }
                Err(refusal) => refusals.push(refusal),
            }
        }
        if let Some(next) = next_buffer(survey, at, id) {
            plan.next.push(next);
        }
    }
    // Later objects need earlier ones, so they are released first.
    plan.released.reverse();
    plan.held.sort_by_key(|held| held.call);
    let held = plan.held.iter().filter_map(|held| Some((held.call, survey.submissions.get(&held.call)?)));
    plan.submissions = held.map(|(call, it)| (call, (it.enter.clone(), it.leave.clone()))).collect();
    let mapped = state.memory.mapped().filter(|(resource, ..)| plan.needed.objects.contains(resource));
    plan.mapped = mapped.map(|(id, sub, map)| (id, sub, map.address, map.bytes, map.kind, map.maps)).collect();
    // A recording may run before or behind what ends a query; where it ends one itself, it resolves what is new.
    let own = survey.stale.iter().filter(|(query, _)| !recordings.ended.contains(*query));
    let stale: BTreeMap<_, _> = recordings.stale.iter().chain(own).collect();
    for ((heap, index), (call, kind)) in stale {
        if *kind == TIMESTAMP {
            plan.timestamps.push((*heap, *index));
        // A query that nothing ended has no result, there or in the whole.
        } else if survey.ended_before.contains(&(*heap, *index)) {
            let what = format!("it resolves query {index} of heap {heap}, which ended before the frames begin");
            refusals.push(Refusal::new(*call, what));
        }
    }
    let read = survey.deserialised.iter().chain(&recordings.deserialised);
    structures(survey, at, read, &mut plan, &mut refusals);
    plan.needed.calls.extend(recordings.calls);
    refusals.sort_by_key(|refusal| refusal.call);
    match refusals.into_iter().next() {
        Some(refusal) => Err(Error::Refused(refusal)),
        None => Ok(plan),
    }
}

/// Plans what is built again.
fn structures<'s>(
    survey: &Survey<'_>,
    at: &AtCut,
    deserialised: impl Iterator<Item = &'s Spot>,
    plan: &mut Plan,
    refusals: &mut Vec<Refusal>,
) {
    let all = &survey.structures;
    for buffer in plan.needed.objects.iter().copied() {
        for (offset, made) in all.of(buffer) {
            if let Some(what) = all.cannot(made) {
                let what = format!(
                    "it makes an acceleration structure in buffer {buffer}, which the frames use, and which cannot be built again: {what}"
                );
                refusals.push(Refusal::new(made.call, what));
            }
            plan.structures.push(((buffer, offset), made.clone()));
        }
    }
    plan.structures.sort_by_key(|(_, made)| made.run);
    let serialised = deserialised.filter_map(|at| Some((*at, all.serialised(*at)?.clone())));
    plan.serialised = serialised.filter(|(at, _)| plan.needed.objects.contains(&at.0)).collect();
    if let Some(call) = all.lost.filter(|_| !plan.structures.is_empty()) {
        refusals
            .push(Refusal::new(call, "it builds an acceleration structure in memory that no buffer of the trace has"));
    }
    let buffers = at.state.memory.resources().filter(|(_, own)| own.buffer);
    let lies = buffers.filter_map(|(id, _)| Some((id, at.state.addresses.of_resource(id)?)));
    for (id, (start, bytes)) in lies {
        let is_tiled = at.state.memory.resource(id).is_some_and(|own| own.place == Place::Reserved);
        let made = survey.made.get(id).map_or(0, |made| made.call);
        plan.addresses.insert(id, (start, if is_tiled { u64::MAX } else { made }));
        plan.free = plan.free.max(start.saturating_add(bytes));
    }
}

/// Where instances lie that pointers lead to, as a build read these.
///
/// # Errors
/// One leads nowhere.
pub(crate) fn instances(build: &Build, pointers: &[u8]) -> Result<Vec<(u32, u64, u64)>, Refusal> {
    let find = |pointer: u64| {
        let addresses = build.by_pointers.as_ref()?;
        let at = addresses.resource(pointer)?;
        let (_, bytes) = addresses.of_resource(at.resource)?;
        (at.offset + INSTANCE <= bytes).then_some((at.resource, at.offset, INSTANCE))
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let found = pointers.chunks_exact(8).map(number).map(|pointer| find(pointer).ok_or(pointer));
    found.collect::<Result<_, u64>>().map_err(|pointer| {
        Refusal::new(build.call, format!("it reads an instance at {pointer:#x}, and no buffer of the trace lies there"))
    })
}

/// Whether what a view shows still exists.
fn is_alive(state: &State, view: &View) -> bool {
    let is_there = |address: u64| address == 0 || state.addresses.resource(address).is_some();
    [view.resource, view.second].iter().all(|id| *id == 0 || state.objects.get(*id).is_some())
        && address(view).is_none_or(is_there)
}

/// The address by which a view names its resource, where it names it so.
fn address(view: &View) -> Option<u64> {
    match view.kind {
        ViewKind::Constants => view.desc::<D3D12_CONSTANT_BUFFER_VIEW_DESC>().map(|desc| desc.BufferLocation),
        ViewKind::Shader => view.desc::<D3D12_SHADER_RESOURCE_VIEW_DESC>().and_then(|desc| {
            let structure = desc.ViewDimension == D3D12_SRV_DIMENSION::RAYTRACING_ACCELERATION_STRUCTURE;
            // SAFETY: the dimension says that this member of the union is in use; its bytes were read from the trace.
            if structure { Some(unsafe { desc.Anonymous.RaytracingAccelerationStructure.Location }) } else { None }
        }),
        _ => None,
    }
}

/// The resources that a view shows.
fn shown(state: &State, view: &View) -> Vec<u32> {
    let mut all: Vec<u32> = [view.resource, view.second].into_iter().filter(|id| *id != 0).collect();
    all.extend(address(view).and_then(|address| Some(state.addresses.resource(address)?.resource)));
    all
}

/// The CPU handle behind the last descriptor of a heap.
fn end_of(heap: &HeapStart) -> u64 {
    heap.cpu.saturating_add(u64::from(heap.count) * u64::from(heap.increment))
}

/// The first CPU handle of a heap, and the bytes between handles.
fn start_of(state: &State, heap: u32) -> Option<(u64, u64)> {
    state.addresses.heap_start(heap).map(|(start, increment)| (start, u64::from(increment)))
}

/// How a resource gets its contents back.
fn restored(survey: &Survey<'_>, at: &AtCut, id: u32, finds: &dyn Fn(u32) -> bool) -> Result<How, Refusal> {
    let state = &at.state;
    let made = survey.made.get(id).map_or(0, |made| made.call);
    let refuse = |what: String| Refusal::new(made, what);
    let creation = state.objects.get(id).map(|object| object.creation());
    let described = creation.as_ref().and_then(|call| memory::resource(call).ok()).flatten();
    let (Some(desc), Some(own)) = (described, state.memory.resource(id)) else {
        // A buffer of a swap chain.
        let known = |standing: &Standing| if *standing == Standing::Unknown { Standing::State(0) } else { *standing };
        let to = at.standing.get(&id).map_or_else(|| vec![Standing::State(0)], |to| to.iter().map(known).collect());
        let with_contents = survey.presents_any || finds(id);
        let from = InitialState::State(0);
        return Ok(How::Moved(Moves {
            from,
            replayed: to.clone(),
            to,
            placed: false,
            with_contents,
            since: 0,
            samples: None,
            feedback: None,
        }));
    };
    let heap = match own.place {
        Place::Committed { kind, .. } => kind,
        Place::Placed { heap, .. } => state.memory.heap(heap).map_or(0, |heap| heap.kind),
        Place::Reserved => 0,
    };
    if own.buffer {
        let only = D3D12_RESOURCE_STATES::RAYTRACING_ACCELERATION_STRUCTURE.0;
        let initial = creation.as_ref().and_then(|call| memory::initial_state(call).ok()).flatten();
        if initial == Some(InitialState::State(only)) {
            // It holds nothing but structures, for good.
            return Ok(How::Nothing);
        }
        return Ok(if heap == D3D12_HEAP_TYPE::UPLOAD.0 { How::Stores } else { How::Copy });
    }
    // A clear may be of some slices of a volume, and leave what the others held.
    let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    let tiled = own.place == Place::Reserved;
    let (active, since) = match at.activity.of(id) {
        None => (true, 0),
        Some(Active::Since(call)) => (true, call),
        // A reserved resource may have tiles that it shares with nothing: these keep their contents.
        Some(Active::Never | Active::Until { .. }) => (tiled, 0),
    };
    // Where only the GPU knows which one was used last, all of them are taken. Those that were certainly used come last.
    let doubted = at.activity.doubt(id).is_some();
    let with_contents = (active || doubted) && (volume || finds(id));
    if with_contents && let Some(what) = cannot(&desc) {
        return Err(refuse(format!("texture {id} {what}, and the frames may find what it held")));
    }
    if desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_SIMULTANEOUS_ACCESS.0 != 0 {
        return Ok(if with_contents { How::Copy } else { How::Nothing });
    }
    let from = creation.as_ref().and_then(|call| memory::initial_state(call).ok()).flatten();
    let (Some(from), Some(to)) = (from, at.standing.get(&id).cloned()) else {
        return Err(refuse(format!("the states of texture {id} are not known")));
    };
    let is_open = |standing: &Standing| *standing == Standing::Unknown;
    let replayed = to.iter().map(|it| if is_open(it) { initially(from) } else { *it }).collect();
    let mut to = to;
    for (index, open) in (0..).zip(&mut to).filter(|(_, standing)| is_open(standing)) {
        // Common allows what is not followed, but for writes of shaders.
        let writes = desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0 != 0;
        *open = match survey.supposed(id, index) {
            Some(Standing::Unknown) if !writes || !finds(id) => Standing::State(D3D12_RESOURCE_STATES::COMMON.0),
            None | Some(Standing::Unknown) => {
                let what = "is not known where the frames begin, and what they do with it does not tell: begin with another frame";
                return Err(refuse(format!("the state of texture {id} {what}")));
            }
            Some(standing) => standing,
        };
    }
    let placed = !matches!(own.place, Place::Committed { .. });
    Ok(How::Moved(Moves {
        from,
        to,
        replayed,
        placed,
        with_contents,
        since,
        samples: Samples::of(&desc),
        feedback: Feedback::of(&desc),
    }))
}

/// That it is not known whether a resource has its memory.
fn warning(at: &AtCut, id: u32, how: &How) -> Option<Warning> {
    let call = at.activity.doubt(id)?;
    let taken = matches!(how, How::Moved(Moves { with_contents: true, .. }) | How::Stores | How::Copy);
    let what = format!(
        "resource {id} shares memory with others, and call {call} may have used it or one of them: only the GPU knows which. What all of them \
         held is in the new trace; if it was used last, it may show something else there"
    );
    taken.then_some(Warning { resource: id, call, what })
}

/// Why the contents of a texture cannot be restored.
fn cannot(desc: &D3D12_RESOURCE_DESC1) -> Option<&'static str> {
    let video =
        D3D12_RESOURCE_FLAGS::VIDEO_DECODE_REFERENCE_ONLY.0 | D3D12_RESOURCE_FLAGS::VIDEO_ENCODE_REFERENCE_ONLY.0;
    if Samples::of(desc).is_some_and(|samples| samples.access(0).is_none()) {
        Some("has several samples a texel, and a format that is not drawn anew yet")
    } else if desc.Flags.0 & video != 0 {
        Some("is a reference of video, which no copy can restore")
    } else if desc.Dimension == D3D12_RESOURCE_DIMENSION::UNKNOWN {
        Some("has no dimension")
    } else {
        None
    }
}

/// The number of the buffer that a swap chain presents next, where a reader would not count to it.
fn next_buffer(survey: &Survey<'_>, at: &AtCut, id: u32) -> Option<(u32, u16, u32)> {
    let chain = survey.chains.get(&id)?;
    let creation = at.state.objects.get(id)?.creation();
    let arguments = codec().decode_enter(creation.method, creation.enter.bytes).ok()?;
    let number = |name: &str| arguments.members.iter().find_map(|member| number(&member.value, name));
    let count = number("BufferCount").unwrap_or(1).max(1);
    // `DXGI_SWAP_EFFECT_FLIP_SEQUENTIAL`; Vulkan's chains always go round.
    let vulkan = is_a(&survey.made, id, "IDXGIVkSwapChain");
    let flips = vulkan || number("SwapEffect").unwrap_or(0) >= 3;
    let (told, method) = match chain.told {
        Some(told) => told,
        None if flips && vulkan => (0, method("IDXGIVkSwapChain", "GetImageIndex").0),
        None if flips => (0, method("IDXGISwapChain3", "GetCurrentBackBufferIndex").0),
        None => return None,
    };
    Some((id, method, ((u64::from(told) + u64::from(chain.presents)) % u64::from(count)) as u32))
}

/// A number of a structure, at any depth.
fn number(value: &Value<'_>, name: &str) -> Option<u32> {
    match value {
        Value::Struct(_, members) => members.iter().find_map(|member| match &member.value {
            Value::Unsigned(value) if member.field.name == name => Some(*value as u32),
            Value::Enum(_, value) if member.field.name == name => Some(*value),
            value => number(value, name),
        }),
        Value::Array(values) => values.iter().find_map(|value| number(value, name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
