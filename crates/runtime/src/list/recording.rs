//! What a list that is open records: its command buffer, its state, what it keeps.
//!
//! Invariants: commands that Vulkan wants outside of rendering end it first; consecutive copies and clears of a list are in
//! order, as the API promises, although it asks for no barriers between them.

use core::ffi::c_void;
use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D12_COMMAND_LIST_TYPE, D3D12_INDEX_BUFFER_VIEW, D3D12_RECT, D3D12_VIEWPORT,
};

use crate::command_signature::CommandSignature;
use crate::descriptor::handle::CpuHandle;
use crate::descriptor::heap::DescriptorHeap;
use crate::device::Device;
use crate::list::bundle::Command;
use crate::list::counting::Counting;
use crate::list::draw::Attachments;
use crate::list::generated::Workspace;
use crate::list::kept::Kept;
use crate::list::pass::Passes;
use crate::list::predication::Predicate;
use crate::list::scratch::Scratch;
use crate::list::state::{Dirty, TARGETS, VIEWPORTS, VertexBuffers, Words};
use crate::list::stream_output::StreamOutput;
use crate::list::transfers::{Touch, Transfers};
use crate::list::{CommandAllocator, CommandList, Pool};
use crate::list_type::role;
use crate::pipeline::PipelineState;
use crate::query::QueryHeap;
use crate::resource::object::Resource;
use crate::root::RootSignature;
use crate::{Error, Result};
use reprise_gpu::address::Near;
use reprise_gpu::descriptor::record::Record;
use reprise_gpu::descriptor::record::Target;
use reprise_gpu::families::Role;
use reprise_gpu::image::Image;
use reprise_gpu::scope::{Gathered, Scope};
use reprise_log::warning_once;

/// Root arguments of graphics or of compute.
#[derive(Debug, Default)]
pub(super) struct Root {
    pub signature: Option<Ref<RootSignature>>,
    pub words: Words,
    /// Sets have to be bound (again).
    pub sets: bool,
}

/// State of a recording. What it refers to it holds, and [`Kept`] does once it is replaced.
pub(super) struct State {
    pub dirty: Dirty,
    pub graphics: Root,
    pub compute: Root,
    /// Whose words Vulkan's push constants have: both bind points share them.
    pub pushed_for: vk::PipelineBindPoint,
    pub pipeline: Option<Ref<PipelineState>>,
    pub views: Option<Ref<DescriptorHeap>>,
    pub samplers: Option<Ref<DescriptorHeap>>,
    pub viewports: [D3D12_VIEWPORT; VIEWPORTS],
    pub viewport_count: usize,
    pub scissors: [D3D12_RECT; VIEWPORTS],
    pub scissor_count: usize,
    pub blend: [f32; 4],
    pub stencil: [u32; 2],
    pub depth_bounds: [f32; 2],
    pub topology: D3D_PRIMITIVE_TOPOLOGY,
    /// What Vulkan was told of it, and whether strips end; means nothing while the topology is dirty.
    pub told_topology: (vk::PrimitiveTopology, bool),
    pub index: D3D12_INDEX_BUFFER_VIEW,
    pub vertex: VertexBuffers,
    /// Set by the list; pipelines have their own otherwise.
    pub depth_bias: Option<[f32; 3]>,
    /// As above: whether strips end at the largest index.
    pub strip_cut: Option<bool>,
    pub stream: StreamOutput,
    pub predicate: Option<Predicate>,
    /// Events that have begun and not ended.
    pub events: u32,
    pub targets: [Option<Target>; TARGETS],
    pub target_count: usize,
    pub depth: Option<Target>,
    /// Rendering has begun.
    pub rendering: bool,
    /// With attachments of these formats.
    pub attachments: Attachments,
    /// What copies and clears have touched that is not available yet to the next one.
    pub transfers: Transfers,
}

impl Default for State {
    fn default() -> State {
        State {
            dirty: Dirty::ALL,
            graphics: Root::default(),
            compute: Root::default(),
            pushed_for: vk::PipelineBindPoint::RAY_TRACING_KHR,
            pipeline: None,
            views: None,
            samplers: None,
            viewports: [D3D12_VIEWPORT::default(); VIEWPORTS],
            viewport_count: 0,
            scissors: [D3D12_RECT::default(); VIEWPORTS],
            scissor_count: 0,
            blend: [1.0; 4],
            stencil: [0; 2],
            depth_bounds: [0.0, 1.0],
            topology: D3D_PRIMITIVE_TOPOLOGY::default(),
            told_topology: Default::default(),
            index: D3D12_INDEX_BUFFER_VIEW::default(),
            vertex: VertexBuffers::default(),
            depth_bias: None,
            strip_cut: None,
            stream: StreamOutput::default(),
            predicate: None,
            events: 0,
            targets: [None; TARGETS],
            target_count: 0,
            depth: None,
            rendering: false,
            attachments: Attachments::default(),
            transfers: Transfers::default(),
        }
    }
}

/// What a list records.
pub(crate) struct Recording {
    pub(super) device: Arc<reprise_gpu::Device>,
    /// The device that makes the list's own resources.
    pub(super) owner: Ref<Device>,
    pub(super) kind: D3D12_COMMAND_LIST_TYPE,
    /// What its queues can do; a bundle runs where graphics lists do.
    pub(super) role: Role,
    /// Where it records; `Some` also says that the list is open.
    pub(super) allocator: Option<Ref<CommandAllocator>>,
    pub(super) buffer: vk::CommandBuffer,
    /// The first call that could not be recorded; `Close` gives it.
    pub(super) failed: Option<Error>,
    pub(super) state: State,
    /// Where the last vertex or index buffer was found.
    pub(super) near: Near,
    /// A bundle's commands.
    pub(super) commands: Vec<Command>,
    /// Images that this list names and that had no submission yet.
    pub(super) images: Vec<Arc<Image>>,
    pub(super) pipelines: Kept<PipelineState>,
    pub(super) roots: Kept<RootSignature>,
    pub(super) heaps: Kept<DescriptorHeap>,
    pub(super) queries: Kept<QueryHeap>,
    pub(super) counting: Counting,
    pub(super) passes: Passes,
    pub(super) signatures: Kept<CommandSignature>,
    pub(super) workspaces: Vec<Workspace>,
    pub(super) scratch: Scratch,
}

impl Recording {
    pub(super) fn new(device: &Object<Device>, kind: D3D12_COMMAND_LIST_TYPE) -> Recording {
        Recording {
            device: device.gpu.clone(),
            owner: device.keep(),
            kind,
            role: role(kind).unwrap_or(Role::Graphics),
            allocator: None,
            buffer: vk::CommandBuffer::null(),
            failed: None,
            state: State { dirty: Dirty::ALL.or(Dirty::DEFERRED), ..State::default() },
            near: Near::default(),
            commands: Vec::new(),
            images: Vec::new(),
            pipelines: Kept::default(),
            roots: Kept::default(),
            heaps: Kept::default(),
            queries: Kept::default(),
            counting: Counting::default(),
            passes: Passes::default(),
            signatures: Kept::default(),
            workspaces: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Begins anew in a command buffer.
    pub(super) fn restart(&mut self, allocator: Ref<CommandAllocator>, buffer: vk::CommandBuffer) {
        self.allocator = Some(allocator);
        self.buffer = buffer;
        self.failed = None;
        self.state = State::default();
        if self.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE {
            self.state.dirty.set(Dirty::DEFERRED);
        }
        self.commands.clear();
    }

    /// Forgets all state, as a new list has none; what it referred to is kept.
    pub(super) fn reset_state(&mut self) {
        self.settle();
        self.state = State { events: self.state.events, ..State::default() };
    }

    /// Lets the state refer to nothing.
    fn settle(&mut self) {
        let state = &mut self.state;
        self.pipelines.exchange(&mut state.pipeline, None);
        for root in [&mut state.graphics.signature, &mut state.compute.signature] {
            self.roots.exchange(root, None);
        }
        for heap in [&mut state.views, &mut state.samplers] {
            self.heaps.exchange(heap, None);
        }
    }

    /// What the recording kept, for whoever submits it; and the images that it may be the first to use.
    pub(super) fn finish(&mut self, pool: Arc<Pool>) -> (Vec<Arc<Image>>, Box<dyn core::any::Any + Send + Sync>) {
        self.settle();
        self.state.dirty.set(Dirty::DEFERRED);
        let kept = (
            pool,
            core::mem::take(&mut self.pipelines),
            core::mem::take(&mut self.roots),
            core::mem::take(&mut self.heaps),
            core::mem::take(&mut self.queries),
            core::mem::take(&mut self.counting).kept,
            core::mem::take(&mut self.signatures),
            core::mem::take(&mut self.workspaces),
            core::mem::take(&mut self.scratch),
        );
        (core::mem::take(&mut self.images), Box::new(kept))
    }

    /// Runs a method of a list of any kind but bundles.
    ///
    /// # Safety
    /// `this` is a list of ours, and the program calls no other method of it meanwhile.
    #[inline]
    pub(super) unsafe fn on_list(this: *mut c_void, body: impl FnOnce(&mut Recording) -> Result<()>) {
        // SAFETY: by contract.
        unsafe {
            Self::on_any(this, |recording| {
                if recording.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE {
                    return Err(Error::Fail("a bundle cannot record this call"));
                }
                body(recording)
            });
        }
    }

    /// Fails on lists whose queues do not draw.
    pub(super) fn draws(&self) -> Result<()> {
        match self.kind {
            D3D12_COMMAND_LIST_TYPE::DIRECT => Ok(()),
            _ => Err(Error::Fail("only direct lists record this call")),
        }
    }

    /// Fails on lists whose queues only copy.
    pub(super) fn computes(&self) -> Result<()> {
        match self.kind {
            D3D12_COMMAND_LIST_TYPE::COPY => Err(Error::Fail("a copy list cannot record this call")),
            _ => Ok(()),
        }
    }

    /// As [`Recording::on_list`], for methods that render passes do not allow.
    ///
    /// # Safety
    /// As there.
    #[inline]
    pub(super) unsafe fn outside_pass(this: *mut c_void, body: impl FnOnce(&mut Recording) -> Result<()>) {
        // SAFETY: by contract.
        unsafe {
            Self::on_list(this, |recording| match recording.in_pass() {
                true => Err(Error::Fail("a render pass does not allow this call")),
                false => body(recording),
            });
        }
    }

    /// Runs a method of a list or a bundle. A call on a closed list does nothing; one that fails makes `Close` fail.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[inline]
    pub(super) unsafe fn on_any(this: *mut c_void, body: impl FnOnce(&mut Recording) -> Result<()>) {
        reprise_com::guard((), || {
            // SAFETY: by contract.
            let recording = unsafe { Object::<CommandList>::this(this).recording() };
            if recording.allocator.is_none() {
                reprise_log::debug(|| "a command on a closed list does nothing".into());
                return;
            }
            if let Err(error) = body(recording) {
                recording.refuse(error);
            }
        });
    }

    /// Records a command by `now`; a bundle keeps what `later` gives. Straight-line code where the list is open and `now` is.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[inline(always)]
    pub(super) unsafe fn record(
        this: *mut c_void,
        now: impl FnOnce(&mut Recording) -> Result<()>,
        later: impl FnOnce() -> Command,
    ) {
        reprise_com::guard((), || {
            // SAFETY: by contract.
            let recording = unsafe { Object::<CommandList>::this(this).recording() };
            if recording.state.dirty.has(Dirty::DEFERRED) {
                // SAFETY: as above; the reference is not used any more.
                unsafe { Self::keep(this, later()) };
            } else if let Err(error) = now(recording) {
                recording.refuse(error);
            }
        });
    }

    /// As [`Recording::record`], for what records itself.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[inline(always)]
    pub(super) unsafe fn command(this: *mut c_void, command: Command) {
        // SAFETY: by contract.
        unsafe { Self::record(this, |recording| command.record(recording), || command.clone()) };
    }

    /// Keeps a bundle's command.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[cold]
    unsafe fn keep(this: *mut c_void, command: Command) {
        // SAFETY: by contract.
        unsafe {
            Self::on_any(this, |recording| {
                recording.commands.push(command);
                Ok(())
            });
        }
    }

    /// A call is not recorded.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, error: Error) {
        match error {
            // The API leaves open what this does, and its runtimes do nothing: the list stays good.
            Error::Call(why) => warning_once("a command list leaves out", why),
            error => self.fail(error),
        }
    }

    /// A call could not be recorded.
    #[cold]
    pub(super) fn fail(&mut self, error: Error) {
        match error.unsupported() {
            Some(what) => warning_once("not supported in command lists, so that Close fails:", what),
            None => reprise_log::debug(|| format!("command list: {error}")),
        }
        self.failed.get_or_insert(error);
    }

    /// A resource is used: an image's first use makes it leave `UNDEFINED`.
    #[inline]
    pub(super) fn uses(&mut self, resource: &Object<Resource>) {
        if let Some(image) = resource.image().filter(|image| !image.is_begun()) {
            self.first_use(image);
        }
    }

    /// An image is used that no submission has taken out of `UNDEFINED` yet.
    #[cold]
    pub(super) fn first_use(&mut self, image: &Arc<Image>) {
        /// Images to look back for this one.
        const LOOK_BACK: usize = 8;
        if !self.images.iter().rev().take(LOOK_BACK).any(|known| Arc::ptr_eq(known, image)) {
            self.images.push(image.clone());
        }
    }

    /// A target is used.
    pub(super) fn uses_target(&mut self, target: &Target) {
        // SAFETY: the program keeps the resources of targets that it uses; a target names none of another class.
        if let Some(resource) = unsafe { Object::<Resource>::from_pointer(target.resource) } {
            self.uses(resource);
        }
    }

    /// Ends rendering, if it has begun: what follows is recorded outside of it.
    pub(super) fn outside(&mut self) {
        if self.state.rendering {
            self.end_streaming();
            self.state.rendering = false;
            self.state.dirty.set(Dirty::TARGETS);
            // SAFETY: rendering has begun in this command buffer.
            unsafe { self.device.vk.cmd_end_rendering(self.buffer) };
        }
    }

    /// Records barriers.
    pub(super) fn barriers(&mut self, gathered: &Gathered) {
        self.barriers_and(gathered, &[]);
    }

    /// Records barriers, and those of images.
    pub(super) fn barriers_and(&mut self, gathered: &Gathered, images: &[vk::ImageMemoryBarrier2<'_>]) {
        let memory = gathered.barrier(self.role);
        if memory.is_none() && images.is_empty() {
            return;
        }
        self.outside();
        let info = vk::DependencyInfo::default().memory_barriers(memory.as_slice()).image_memory_barriers(images);
        // SAFETY: the structure lives until the call returns.
        unsafe { self.device.vk.cmd_pipeline_barrier2(self.buffer, &info) };
    }

    /// Before a copy or clear by Vulkan's transfer: outside of rendering, and after the ones before.
    pub(super) fn transfer(&mut self) {
        self.outside();
        if self.state.transfers.add_unknown() {
            self.transfers_wait();
        }
    }

    /// As [`Recording::transfer`], for what touches these and nothing else: it waits only for those before that it has to.
    #[inline]
    pub(super) fn transfer_between(&mut self, from: Touch, to: Touch) {
        self.outside();
        if self.state.transfers.add([from, to.written()]) {
            self.transfers_wait();
        }
    }

    /// A barrier between copies.
    fn transfers_wait(&mut self) {
        let copies = Scope {
            stages: vk::PipelineStageFlags2::ALL_TRANSFER,
            access: vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE,
        };
        self.barriers(&Gathered { before: copies, after: copies });
    }
}

/// The target that a CPU handle names; `None` for null handles and other descriptors.
///
/// # Safety
/// The handle is null or one of a heap that is alive.
pub(super) unsafe fn target(handle: u64) -> Option<Target> {
    let handle = CpuHandle::new(handle)?;
    // SAFETY: by contract; the program does not write the descriptor meanwhile.
    let record = unsafe { &*core::ptr::with_exposed_provenance::<Record>(handle.record()) };
    record.target()
}
