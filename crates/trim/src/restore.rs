//! The calls that stand between the creations and the frames: they give every object the contents and the state that it had at the cut.
//!
//! They are calls like a program's own: buffers that are filled and copied from, barriers, signals, descriptors. So any runtime plays them and
//! any tool reads them, without knowing of trimming. Invariant: after them, the queue that copied has done its work, and all objects
//! that were made for the copies are released.

mod feedback;
mod rebuild;
mod samples;

use crate::error::Error;
use crate::output::Output;
use crate::plan::{How, Moves, Plan, Restored};
use crate::{Content, Footprint, Wanted, WantedBuild};
use rebuild::Rebuilding;
pub(crate) use rebuild::{AllTaken, Taken};
use reprise_d3d12::description;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_lint::{Held, HeldWhat, Standing};
use reprise_timeline::state::lists::BarrierState;
use reprise_timeline::state::memory::InitialState;
use reprise_trace::{apart, fact};
use samples::Drawing;
use std::collections::HashMap;

/// A buffer to copy from has so many bytes, more where one resource needs more.
const STAGING: u64 = 8 << 20;
/// Places of textures in buffers (`D3D12_TEXTURE_DATA_PLACEMENT_ALIGNMENT`), in bytes.
const PLACEMENT: u64 = 512;

const S_OK: u64 = 0;
const ALL: u32 = u32::MAX;

/// Payloads of calls that write descriptors, by call.
pub(crate) type Views = HashMap<u64, View>;

/// A call that writes a descriptor.
pub(crate) struct View {
    pub(crate) object: u32,
    pub(crate) method: MethodId,
    pub(crate) enter: Vec<u8>,
    pub(crate) leave: Option<Vec<u8>>,
}

/// What is to be taken of resources, in the states that they have where the frames begin.
pub(crate) fn wanted(plan: &Plan) -> Vec<Wanted> {
    // Textures come last: where one shares memory with a buffer, the memory holds the texture's contents then. Buffers in which acceleration
    // structures are built come first.
    let is_texture = |restored: &&Restored| matches!(restored.how, How::Moved(_));
    let (mut textures, mut others): (Vec<_>, Vec<_>) = plan.contents.iter().partition(is_texture);
    // Of textures that share memory the one that was used last is restored last, so the memory holds its contents.
    textures.sort_by_key(|restored| match &restored.how {
        How::Moved(moves) => moves.since,
        _ => 0,
    });
    others.sort_by_key(|restored| !holds_structures(plan, restored.resource));
    let state = |standing: &Standing| match standing {
        Standing::State(state) | Standing::Split { before: state, .. } => *state,
        Standing::Layout(layout) => BarrierState::Layout(*layout).legacy(),
        Standing::Unknown => 0,
    };
    let finds = |how: &How| match how {
        How::Moved(moves) => moves.with_contents,
        How::Stores | How::Copy => true,
        How::Nothing => false,
    };
    let all = others.into_iter().chain(textures).filter(|restored| finds(&restored.how));
    all.map(|restored| Wanted {
        resource: restored.resource,
        states: match &restored.how {
            How::Moved(moves) => moves.replayed.iter().map(state).collect(),
            How::Copy | How::Stores | How::Nothing => Vec::new(),
        },
        regions: match &restored.how {
            How::Moved(moves) => moves.feedback.map(|feedback| feedback.regions),
            How::Copy | How::Stores | How::Nothing => None,
        },
    })
    .collect()
}

fn holds_structures(plan: &Plan, buffer: u32) -> bool {
    plan.structures.iter().any(|((resource, _), _)| *resource == buffer)
}

/// The builds whose inputs are to be taken.
pub(crate) fn wanted_builds(plan: &Plan) -> Vec<WantedBuild> {
    let builds = plan.builds().into_iter().map(|(call, build)| WantedBuild {
        call,
        list: build.list,
        enter: build.enter.clone(),
        reads: build.reads.iter().map(|read| (read.resource, read.offset, read.bytes)).collect(),
    });
    builds.collect()
}

/// Writes a descriptor as a call wrote it, at another handle.
///
/// # Errors
/// The output cannot be written.
pub(crate) fn descriptor(output: &mut Output<'_>, view: &View, handle: u64) -> Result<(), Error> {
    let place = view.method.get().params.iter().find(|param| param.name == "DestDescriptor").map(|param| param.offset);
    let mut enter = view.enter.clone();
    if let Some(to) = place.and_then(|at| enter.get_mut(at as usize..)).and_then(|rest| rest.first_chunk_mut::<8>()) {
        *to = handle.to_le_bytes();
    }
    output.again(view.object, view.method, &enter, view.leave.as_deref())
}

/// Objects of trimming's own.
struct Own {
    queue: u32,
    fence: u32,
    allocator: u32,
    list: u32,
}

/// Copies under way.
pub(crate) struct Restorer<'p> {
    plan: &'p Plan,
    how: HashMap<u32, &'p How>,
    own: Option<Own>,
    /// A buffer to copy from: its id, its bytes, and how many of them are used.
    staging: Option<(u32, u64, u64)>,
    /// The last value of the fence.
    value: u64,
    next: u32,
    /// Buffers of trimming's own have this address or a higher one.
    free: u64,
    rebuilding: Rebuilding,
    drawing: Drawing,
    /// Buffers whose contents hold bytes that comparisons treat apart, and the payload that tells of them.
    apart: Vec<(u32, Vec<u8>)>,
}

impl<'p> Restorer<'p> {
    /// New objects have ids from `next` on.
    pub(crate) fn new(plan: &'p Plan, next: u32) -> Restorer<'p> {
        let how = plan.contents.iter().map(|restored| (restored.resource, &restored.how)).collect();
        Restorer {
            plan,
            how,
            own: None,
            staging: None,
            value: 0,
            next,
            free: plan.free,
            rebuilding: Rebuilding::default(),
            drawing: Drawing::default(),
            apart: Vec::new(),
        }
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Makes an object; `words` gets pointers to the interface id and to the id.
    fn create(
        &mut self,
        output: &mut Output<'_>,
        class: &str,
        make: MethodId,
        words: impl FnOnce(u64, u64) -> Vec<u64>,
    ) -> Result<u32, Error> {
        let (id, iid) = (self.id(), interface_id(class));
        let slot = u64::from(id);
        let words = words((&raw const iid) as u64, (&raw const slot) as u64);
        // SAFETY: the callers' words are arguments of the method; interface id and id live until the call is written.
        unsafe { output.call(self.plan.device, make, &words, S_OK)? };
        Ok(id)
    }

    /// A resource of trimming's own, with memory of its own.
    fn committed(
        &mut self,
        output: &mut Output<'_>,
        heap: D3D12_HEAP_TYPE,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<u32, Error> {
        let heap = D3D12_HEAP_PROPERTIES { Type: heap, CreationNodeMask: 1, VisibleNodeMask: 1, ..Default::default() };
        let (heap, desc, state) = ((&raw const heap) as u64, std::ptr::from_ref(desc) as u64, u64::from(state.0));
        let make = method("ID3D12Device", "CreateCommittedResource");
        self.create(output, "ID3D12Resource", make, |iid, id| vec![heap, 0, desc, state, 0, iid, id])
    }

    fn begin(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        if self.own.is_some() {
            return Ok(());
        }
        let desc = D3D12_COMMAND_QUEUE_DESC::default();
        let desc = (&raw const desc) as u64;
        let queue =
            self.create(output, "ID3D12CommandQueue", method("ID3D12Device", "CreateCommandQueue"), |iid, id| {
                vec![desc, iid, id]
            })?;
        let fence =
            self.create(output, "ID3D12Fence", method("ID3D12Device", "CreateFence"), |iid, id| vec![0, 0, iid, id])?;
        let make = method("ID3D12Device", "CreateCommandAllocator");
        let allocator = self.create(output, "ID3D12CommandAllocator", make, |iid, id| vec![0, iid, id])?;
        let list = self.create(
            output,
            "ID3D12GraphicsCommandList",
            method("ID3D12Device", "CreateCommandList"),
            |iid, id| vec![0, 0, allocator.into(), 0, iid, id],
        )?;
        self.own = Some(Own { queue, fence, allocator, list });
        // Tiles are mapped in the order of their queue; what is copied to them comes after.
        let is_early = self.is_early();
        for mapping in self.plan.tiling.iter().filter(|_| !is_early) {
            self.value += 1;
            // SAFETY: the words are arguments of these methods, plain numbers all of them.
            unsafe {
                output.call(*mapping, method("ID3D12CommandQueue", "Signal"), &[fence.into(), self.value], S_OK)?;
                output.call(fence, method("ID3D12Fence", "GetCompletedValue"), &[], self.value)?;
            }
        }
        Ok(())
    }

    /// A call on the list of trimming's own.
    fn record(&mut self, output: &mut Output<'_>, method: MethodId, words: &[u64]) -> Result<(), Error> {
        let Some(own) = &self.own else { return Ok(()) };
        // SAFETY: the callers' words are arguments of the method, in memory that lives until it returns.
        unsafe { output.call(own.list, method, words, S_OK) }
    }

    /// Runs what is recorded, and waits for it. The list records again afterwards, if it is to.
    fn run(&mut self, output: &mut Output<'_>, again: bool) -> Result<(), Error> {
        self.value += 1;
        let Some(Own { queue, fence, allocator, list }) = self.own else { return Ok(()) };
        let lists = [u64::from(list)];
        // SAFETY: the words are arguments of these methods; the array lives until they are written.
        unsafe {
            output.call(list, method("ID3D12GraphicsCommandList", "Close"), &[], S_OK)?;
            let execute = method("ID3D12CommandQueue", "ExecuteCommandLists");
            output.call(queue, execute, &[1, (&raw const lists) as u64], S_OK)?;
            output.call(queue, method("ID3D12CommandQueue", "Signal"), &[fence.into(), self.value], S_OK)?;
            output.call(fence, method("ID3D12Fence", "GetCompletedValue"), &[], self.value)?;
            if again {
                output.call(allocator, method("ID3D12CommandAllocator", "Reset"), &[], S_OK)?;
                output.call(list, method("ID3D12GraphicsCommandList", "Reset"), &[allocator.into(), 0], S_OK)?;
            }
        }
        if let Some((_, _, used)) = &mut self.staging {
            *used = 0;
        }
        self.free_inputs();
        self.free_texels();
        Ok(())
    }

    /// Room for so many bytes: the buffer and the offset.
    fn room(&mut self, output: &mut Output<'_>, bytes: u64) -> Result<(u32, u64), Error> {
        self.begin(output)?;
        if let Some((id, size, used)) = &mut self.staging
            && *size - *used >= bytes
        {
            let at = *used;
            *used += bytes.next_multiple_of(PLACEMENT).min(*size - *used);
            return Ok((*id, at));
        }
        if self.staging.is_some_and(|(_, _, used)| used > 0) {
            self.run(output, true)?;
        }
        if self.staging.is_some_and(|(_, size, _)| size < bytes) {
            self.drop_staging(output)?;
        }
        let (id, size) = match self.staging {
            Some((id, size, _)) => (id, size),
            None => {
                let wanted = bytes.max(STAGING);
                (self.make_staging(output, wanted)?, wanted)
            }
        };
        self.staging = Some((id, size, bytes.next_multiple_of(PLACEMENT).min(size)));
        Ok((id, 0))
    }

    fn make_staging(&mut self, output: &mut Output<'_>, bytes: u64) -> Result<u32, Error> {
        let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::default());
        let id = self.committed(output, D3D12_HEAP_TYPE::UPLOAD, &desc, D3D12_RESOURCE_STATES::GENERIC_READ)?;
        map(output, id, 0, 0)?;
        Ok(id)
    }

    fn drop_staging(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        if let Some((id, ..)) = self.staging.take() {
            unmap(output, id)?;
            release(output, id)?;
        }
        Ok(())
    }

    /// Gives a resource its contents.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn content(&mut self, output: &mut Output<'_>, content: &Content<'_>) -> Result<(), Error> {
        let Some(how) = self.how.get(&content.resource).copied() else { return Ok(()) };
        let resource = content.resource;
        if !content.apart.is_empty() {
            self.apart.push((resource, apart::payload(content.apart)));
        }
        if !holds_structures(self.plan, resource) {
            self.rebuild(output)?;
        }
        if *how == How::Stores {
            map(output, resource, 0, 0)?;
            output.memory(resource, 0, content.bytes)?;
            return unmap(output, resource);
        }
        if let How::Moved(moves @ Moves { samples: Some(samples), .. }) = how {
            self.enter(output, resource, moves)?;
            self.draw(output, resource, samples, content)?;
            return self.leave(output, resource, moves);
        }
        if let How::Moved(moves @ Moves { feedback: Some(feedback), .. }) = how {
            self.enter(output, resource, moves)?;
            self.encode(output, resource, feedback, content)?;
            return self.leave(output, resource, moves);
        }
        let (staging, at) = self.room(output, content.bytes.len() as u64)?;
        output.memory(staging, at, content.bytes)?;
        if content.subresources.is_empty() {
            let copy = method("ID3D12GraphicsCommandList", "CopyBufferRegion");
            return self.record(output, copy, &[resource.into(), 0, staging.into(), at, content.bytes.len() as u64]);
        }
        if let How::Moved(moves) = how {
            self.enter(output, resource, moves)?;
        }
        for (subresource, footprint) in content.subresources {
            self.copy_texture(output, resource, *subresource, staging, at, footprint)?;
        }
        match how {
            How::Moved(moves) => self.leave(output, resource, moves),
            _ => Ok(()),
        }
    }

    fn copy_texture(
        &mut self,
        output: &mut Output<'_>,
        resource: u32,
        subresource: u32,
        staging: u32,
        at: u64,
        footprint: &Footprint,
    ) -> Result<(), Error> {
        let to = D3D12_TEXTURE_COPY_LOCATION {
            pResource: resource as usize as *mut _,
            Type: D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX,
            Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 { SubresourceIndex: subresource },
        };
        let placed = Footprint { Offset: footprint.Offset + at, ..*footprint };
        let from = D3D12_TEXTURE_COPY_LOCATION {
            pResource: staging as usize as *mut _,
            Type: D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT,
            Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 { PlacedFootprint: placed },
        };
        let copy = method("ID3D12GraphicsCommandList", "CopyTextureRegion");
        self.record(output, copy, &[(&raw const to) as u64, 0, 0, 0, (&raw const from) as u64, 0])
    }

    /// The barriers before a copy into a texture.
    fn enter(&mut self, output: &mut Output<'_>, resource: u32, moves: &Moves) -> Result<(), Error> {
        self.begin(output)?;
        if moves.placed && moves.with_contents {
            let aliasing = D3D12_RESOURCE_ALIASING_BARRIER {
                pResourceBefore: std::ptr::null_mut(),
                pResourceAfter: resource as usize as *mut _,
            };
            let barrier = D3D12_RESOURCE_BARRIER {
                Type: D3D12_RESOURCE_BARRIER_TYPE::ALIASING,
                Anonymous: D3D12_RESOURCE_BARRIER_2 { Aliasing: aliasing },
                ..Default::default()
            };
            self.barriers(output, &[barrier])?;
        }
        match moves.from {
            InitialState::State(state) => {
                let barriers = transition(resource, ALL, state, through(moves).0, NONE);
                self.barriers(output, barriers.as_slice())
            }
            InitialState::Layout(layout) => self.layout(output, resource, ALL, layout, through(moves).1),
        }
    }

    /// The barriers behind a copy into a texture, to where it stands when the frames begin.
    fn leave(&mut self, output: &mut Output<'_>, resource: u32, moves: &Moves) -> Result<(), Error> {
        let (copied, copied_layout) = through(moves);
        let alike = moves.to.first().filter(|first| moves.to.iter().all(|to| to == *first));
        let each: Vec<(u32, Standing)> = match alike {
            Some(standing) => vec![(ALL, *standing)],
            None => (0..).zip(moves.to.iter().copied()).collect(),
        };
        let common = D3D12_BARRIER_LAYOUT::COMMON.0 as u32;
        for (subresource, standing) in each {
            match (moves.from, standing) {
                (InitialState::State(_), Standing::State(state)) => {
                    let barriers = transition(resource, subresource, copied, state, NONE);
                    self.barriers(output, barriers.as_slice())?;
                }
                (InitialState::State(_), Standing::Split { before, after }) => {
                    let barriers = transition(resource, subresource, copied, before, NONE);
                    self.barriers(output, barriers.as_slice())?;
                    let begin = D3D12_RESOURCE_BARRIER_FLAGS::BEGIN_ONLY;
                    let barriers = transition(resource, subresource, before, after, begin);
                    self.barriers(output, barriers.as_slice())?;
                }
                (InitialState::State(_), Standing::Layout(layout)) => {
                    // From states to layouts and back the way is by common.
                    let barriers = transition(resource, subresource, copied, 0, NONE);
                    self.barriers(output, barriers.as_slice())?;
                    self.layout(output, resource, subresource, common, layout)?;
                }
                (InitialState::Layout(_), Standing::Layout(layout)) => {
                    self.layout(output, resource, subresource, copied_layout, layout)?;
                }
                (InitialState::Layout(_), Standing::State(state)) => {
                    self.layout(output, resource, subresource, copied_layout, common)?;
                    let barriers = transition(resource, subresource, 0, state, NONE);
                    self.barriers(output, barriers.as_slice())?;
                }
                (InitialState::Layout(_), Standing::Split { before, after }) => {
                    self.layout(output, resource, subresource, copied_layout, common)?;
                    let barriers = transition(resource, subresource, 0, before, NONE);
                    self.barriers(output, barriers.as_slice())?;
                    let begin = D3D12_RESOURCE_BARRIER_FLAGS::BEGIN_ONLY;
                    let barriers = transition(resource, subresource, before, after, begin);
                    self.barriers(output, barriers.as_slice())?;
                }
                (_, Standing::Unknown) => {}
            }
        }
        Ok(())
    }

    fn barriers(&mut self, output: &mut Output<'_>, barriers: &[D3D12_RESOURCE_BARRIER]) -> Result<(), Error> {
        if barriers.is_empty() {
            return Ok(());
        }
        let barrier = method("ID3D12GraphicsCommandList", "ResourceBarrier");
        self.record(output, barrier, &[barriers.len() as u64, barriers.as_ptr() as u64])
    }

    /// An enhanced barrier.
    fn layout(
        &mut self,
        output: &mut Output<'_>,
        resource: u32,
        subresource: u32,
        before: u32,
        after: u32,
    ) -> Result<(), Error> {
        if before == after {
            return Ok(());
        }
        let undefined = before == D3D12_BARRIER_LAYOUT::UNDEFINED.0 as u32;
        let barrier = D3D12_TEXTURE_BARRIER {
            SyncBefore: D3D12_BARRIER_SYNC::ALL,
            SyncAfter: D3D12_BARRIER_SYNC::ALL,
            AccessBefore: if undefined { D3D12_BARRIER_ACCESS::NO_ACCESS } else { D3D12_BARRIER_ACCESS::COMMON },
            AccessAfter: D3D12_BARRIER_ACCESS::COMMON,
            LayoutBefore: D3D12_BARRIER_LAYOUT(before as i32),
            LayoutAfter: D3D12_BARRIER_LAYOUT(after as i32),
            pResource: resource as usize as *mut _,
            Subresources: D3D12_BARRIER_SUBRESOURCE_RANGE { IndexOrFirstMipLevel: subresource, ..Default::default() },
            Flags: D3D12_TEXTURE_BARRIER_FLAGS::default(),
        };
        let group = D3D12_BARRIER_GROUP {
            Type: D3D12_BARRIER_TYPE::TEXTURE,
            NumBarriers: 1,
            Anonymous: D3D12_BARRIER_GROUP_2 { pTextureBarriers: &raw const barrier },
        };
        self.record(output, method("ID3D12GraphicsCommandList7", "Barrier"), &[1, (&raw const group) as u64])
    }

    /// Runs what is recorded, and lets go of all that is trimming's own.
    fn end(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        self.run(output, false)?;
        self.drop_staging(output)?;
        self.drop_memory(output)?;
        self.drop_drawing(output)?;
        if let Some(Own { queue, fence, allocator, list }) = self.own.take() {
            for id in [list, allocator, fence, queue] {
                release(output, id)?;
            }
        }
        Ok(())
    }

    /// Restores everything but contents: states of textures, descriptors, mappings, fences, waits, swap chains, references.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn finish(mut self, output: &mut Output<'_>, views: &Views) -> Result<(), Error> {
        let plan = self.plan;
        self.rebuild(output)?;
        self.serialise(output)?;
        for Restored { resource, how } in &plan.contents {
            let How::Moved(moves) = how else { continue };
            if !moves.with_contents && !moves.stands() {
                self.enter(output, *resource, moves)?;
                self.leave(output, *resource, moves)?;
            }
        }
        if !plan.timestamps.is_empty() {
            self.begin(output)?;
        }
        for (heap, index) in &plan.timestamps {
            let end = method("ID3D12GraphicsCommandList", "EndQuery");
            self.record(output, end, &[u64::from(*heap), 2, u64::from(*index)])?;
        }
        self.end(output)?;
        // After the copies, which write the same bytes.
        for (buffer, payload) in &self.apart {
            output.fact(*buffer, fact::APART, payload)?;
        }
        for (handle, call) in &plan.descriptors {
            if let Some(view) = views.get(call) {
                descriptor(output, view, *handle)?;
            }
        }
        for (resource, subresource, address, bytes, kind, maps) in &plan.mapped {
            for _ in 0..*maps {
                map(output, *resource, *subresource, *address)?;
            }
            let mut said = Vec::new();
            said.extend_from_slice(&address.to_le_bytes());
            said.extend_from_slice(&bytes.to_le_bytes());
            said.extend_from_slice(&subresource.to_le_bytes());
            said.extend_from_slice(&kind.to_le_bytes());
            output.fact(*resource, fact::MAPPING, &said)?;
        }
        // SAFETY: the words are arguments of these methods, plain numbers all of them.
        unsafe {
            for (fence, value) in &plan.fences {
                output.call(*fence, method("ID3D12Fence", "Signal"), &[*value], S_OK)?;
            }
            for Held { queue, call, what } in &plan.held {
                let (name, fence, value) = match what {
                    HeldWhat::Wait(fence, value) => (method("ID3D12CommandQueue", "Wait"), *fence, *value),
                    HeldWhat::Signal(fence, value) => (method("ID3D12CommandQueue", "Signal"), *fence, *value),
                    HeldWhat::Submission => {
                        if let Some((enter, leave)) = plan.submissions.get(call) {
                            let execute = method("ID3D12CommandQueue", "ExecuteCommandLists");
                            output.again(*queue, execute, enter, leave.as_deref())?;
                        }
                        continue;
                    }
                };
                output.call(*queue, name, &[u64::from(fence), value], S_OK)?;
            }
            for (chain, index, next) in &plan.next {
                output.call(*chain, MethodId(*index), &[], u64::from(*next))?;
            }
            for (object, more) in &plan.references {
                for count in 0..*more {
                    output.call(*object, method("IUnknown", "AddRef"), &[], u64::from(count) + 2)?;
                }
            }
        }
        plan.released.iter().try_for_each(|object| release(output, *object))
    }
}

/// The state and the layout in which a texture gets its contents.
fn through(moves: &Moves) -> (u32, u32) {
    match moves.feedback {
        Some(_) => (D3D12_RESOURCE_STATES::RESOLVE_DEST.0, D3D12_BARRIER_LAYOUT::RESOLVE_DEST.0 as u32),
        None => (D3D12_RESOURCE_STATES::COPY_DEST.0, D3D12_BARRIER_LAYOUT::COPY_DEST.0 as u32),
    }
}

const NONE: D3D12_RESOURCE_BARRIER_FLAGS = D3D12_RESOURCE_BARRIER_FLAGS::NONE;

/// A barrier, where there is something to change.
fn transition(
    resource: u32,
    subresource: u32,
    before: u32,
    after: u32,
    flags: D3D12_RESOURCE_BARRIER_FLAGS,
) -> Option<D3D12_RESOURCE_BARRIER> {
    let transition = D3D12_RESOURCE_TRANSITION_BARRIER {
        pResource: resource as usize as *mut _,
        Subresource: subresource,
        StateBefore: D3D12_RESOURCE_STATES(before),
        StateAfter: D3D12_RESOURCE_STATES(after),
    };
    (before != after).then_some(D3D12_RESOURCE_BARRIER {
        Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION,
        Flags: flags,
        Anonymous: D3D12_RESOURCE_BARRIER_2 { Transition: transition },
    })
}

fn interface_id(name: &str) -> reprise_d3d12::model::Guid {
    interface(name).get().iid
}

/// Maps a subresource at an address of the program's.
fn map(output: &mut Output<'_>, resource: u32, subresource: u32, address: u64) -> Result<(), Error> {
    let words = [u64::from(subresource), 0, (&raw const address) as u64];
    // SAFETY: the words are arguments of the method; the address lives until the call is written.
    unsafe { output.call(resource, method("ID3D12Resource", "Map"), &words, S_OK) }
}

fn unmap(output: &mut Output<'_>, resource: u32) -> Result<(), Error> {
    // SAFETY: the words are arguments of the method.
    unsafe { output.call(resource, method("ID3D12Resource", "Unmap"), &[0, 0], S_OK) }
}

/// Lets go of the last reference.
fn release(output: &mut Output<'_>, object: u32) -> Result<(), Error> {
    // SAFETY: the method has no arguments.
    unsafe { output.call(object, method("IUnknown", "Release"), &[], 0) }
}
