//! The encoder: writes commands into a Vulkan command buffer, and knows what the buffer has of the state.
//!
//! Invariants: commands that Vulkan wants outside of rendering end it first, and perform the clears that wait; consecutive copies and clears of a list are in
//! order, as the API promises, although it asks for no barriers between them.

mod block;
mod builds;
mod clears;
mod crumbs;
pub mod dirty;
pub mod graph;
mod heaps;
pub mod inflation;
mod kernels;
mod labels;
mod layouts;
mod micromaps;
mod predication;
mod scratch;
mod spans;
mod stream;
mod transfers;
mod uses;
pub mod vertex;
pub mod words;
mod workspace;

use core::any::Any;
use std::sync::Arc;

use ash::vk;

use crate::address::{Map, Near};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::families::Role;
use crate::logical::Logical;
use crate::memory::{CpuAccess, Nowhere};
use crate::scope::{Gathered, Scope};

pub use block::BLOCK;
pub use builds::{Build, inputs};
pub use clears::{Aspect, Clear};
pub use dirty::Dirty;
pub use heaps::Heaps;
pub use kernels::{Images, Push, push, rows};
pub use micromaps::{Chained, Linkage, MicromapCopy, MicromapInputs, chain};
pub use predication::Predicate;
pub use scratch::{ALIGNMENT, Piece};
pub use stream::{STREAM_SCOPE, StreamOutput, StreamTarget, TARGETS as STREAM_TARGETS};
pub use transfers::{Touch, Transfers};
pub use vertex::{VERTEX_BUFFERS, VertexBuffers};
pub use words::{WORDS, Words};

use builds::Builds;
use layouts::Layouts;
use scratch::Scratch;
use workspace::Workspace;

/// Writes into one command buffer at a time.
pub struct Encoder {
    /// The device; recorded work keeps it.
    pub device: Arc<Device>,
    /// The device's functions, at hand.
    pub logical: Arc<Logical>,
    /// GPU virtual addresses, at hand.
    pub addresses: Arc<Map>,
    /// Where the last vertex or index buffer was found.
    pub near: Near,
    /// Where the last root argument was found.
    pub near_roots: Near,
    /// What stands for root arguments that lead nowhere.
    pub nowhere: Nowhere,
    /// What the command buffer's queue can do.
    pub role: Role,
    /// The command buffer; null between two recordings, and for lists that only keep their commands.
    pub buffer: vk::CommandBuffer,
    /// Parts of the state that the command buffer lacks.
    pub dirty: Dirty,
    /// Rendering has begun.
    pub rendering: bool,
    /// What rendering may clear as it begins.
    clears: Vec<Clear>,
    transfers: Transfers,
    stream: StreamOutput,
    predicate: Option<Predicate>,
    /// Labels that have begun and not ended.
    labels: u32,
    layouts: Layouts,
    scratch: Scratch,
    /// Blocks of root arguments, which the process writes.
    blocks: Scratch,
    workspaces: Vec<Workspace>,
    /// Addresses of the heaps that the command buffer knows, where they are buffers: views and samplers, 0 is none. `None` while it
    /// knows nothing.
    heaps: Option<[u64; 2]>,
    builds: Builds,
    /// There are ray tracing pipelines: what is for compute shaders in barriers is for theirs, too.
    rays: bool,
}

impl Encoder {
    /// An encoder for queues of a role, without a command buffer.
    pub fn new(device: &Arc<Device>, role: Role) -> Encoder {
        Encoder {
            device: device.clone(),
            logical: device.logical.clone(),
            addresses: device.memory.addresses().clone(),
            near: Near::default(),
            near_roots: Near::default(),
            nowhere: if role == Role::Copy { Nowhere::default() } else { device.memory.nowhere() },
            role,
            buffer: vk::CommandBuffer::null(),
            dirty: Dirty::ALL,
            rendering: false,
            clears: Vec::new(),
            transfers: Transfers::default(),
            stream: StreamOutput::default(),
            predicate: None,
            labels: 0,
            layouts: Layouts::default(),
            scratch: Scratch::default(),
            blocks: Scratch::default(),
            workspaces: Vec::new(),
            heaps: None,
            builds: Builds::default(),
            rays: device.caps.has_ray_pipelines(),
        }
    }

    /// Begins anew in a command buffer.
    pub fn restart(&mut self, buffer: vk::CommandBuffer) {
        self.buffer = buffer;
        self.labels = 0;
        self.builds.clear();
        self.layouts.clear();
        self.reset_state();
    }

    /// Forgets all state, as a new command buffer has none. Labels stay, and so do the layouts of images.
    pub fn reset_state(&mut self) {
        self.dirty = Dirty::ALL;
        self.rendering = false;
        self.clears.clear();
        self.transfers.reset();
        self.stream = StreamOutput::default();
        self.predicate = None;
        self.forget_heaps();
    }

    /// What the recorded commands need until the GPU is done with them, besides the device.
    pub fn finish(&mut self) -> impl Any + Send + Sync + use<> {
        let memory = (core::mem::take(&mut self.scratch), core::mem::take(&mut self.blocks));
        (memory, core::mem::take(&mut self.workspaces))
    }

    /// A piece of memory that no other command of this list uses.
    ///
    /// # Errors
    /// The device is out of memory.
    pub fn scratch(&mut self, size: u64) -> Result<Piece> {
        let memory = &self.device.memory;
        self.scratch.take(size, |bytes| memory.scratch(CpuAccess::None, bytes))
    }

    /// Memory for generated commands, and its address. A list that has used much takes what it used first once more, behind a
    /// barrier, which ends rendering: lists with thousands of such commands would need gigabytes.
    ///
    /// # Errors
    /// The device has no memory of the right type.
    pub fn workspace(&mut self, needs: &vk::MemoryRequirements) -> Result<u64> {
        if let Some(address) = self.workspaces.last_mut().and_then(|workspace| workspace.take(needs)) {
            return Ok(address);
        }
        if self.workspaces.len() >= workspace::MOST {
            self.workspaces.rotate_left(1);
            let oldest = self.workspaces.last_mut();
            if let Some(address) = oldest.and_then(|workspace| workspace.take_again(needs)) {
                self.barriers(&Gathered { before: Scope::ALL, after: Scope::ALL });
                return Ok(address);
            }
        }
        self.workspaces.push(Workspace::new(&self.logical, needs)?);
        self.workspaces.last_mut().and_then(|workspace| workspace.take(needs)).ok_or(Error::Memory)
    }

    /// Ends rendering, if it has begun, and performs the clears that wait: what follows is recorded outside of rendering.
    #[inline]
    pub fn outside(&mut self) {
        self.end();
        if !self.clears.is_empty() {
            self.perform_clears();
        }
    }

    /// Ends rendering, if it has begun. Clears wait on, for rendering that begins next: nothing else may be recorded.
    #[inline]
    pub fn end(&mut self) {
        if self.rendering {
            self.end_rendering();
        }
    }

    fn end_rendering(&mut self) {
        self.end_streaming();
        self.rendering = false;
        self.dirty.set(Dirty::TARGETS);
        // SAFETY: rendering has begun in this command buffer.
        unsafe { self.logical.vk.cmd_end_rendering(self.buffer) };
    }

    /// Records barriers, and the transitions of images that wait for one.
    pub fn barriers(&mut self, gathered: &Gathered) {
        let mut memory = gathered.barrier(self.role);
        if self.builds.begun && memory.is_some() {
            self.flush_builds();
            let builds = if self.builds.micromaps { Scope::ALL } else { Scope::BUILDS };
            let wider = Gathered { before: gathered.before.or(builds), after: gathered.after.or(builds) };
            memory = wider.barrier(self.role);
            self.builds.are_ordered([wider.before.stages, wider.after.stages]);
            // The next draw and the next dispatch are looked at.
            self.dirty.set(Dirty::BUILDS);
        }
        if memory.is_none() && self.layouts.waiting.is_empty() {
            return;
        }
        self.outside();
        self.transition(memory);
    }

    /// Records a barrier, and the transitions of images that wait for one. Rendering has ended.
    fn transition(&mut self, memory: Option<vk::MemoryBarrier2<'static>>) {
        let mut images = core::mem::take(&mut self.layouts.waiting);
        if self.rays {
            for barrier in &mut images {
                barrier.src_stage_mask = with_rays(barrier.src_stage_mask);
                barrier.dst_stage_mask = with_rays(barrier.dst_stage_mask);
            }
        }
        self.record(memory, &images);
        // Given back, so that the next transitions need no memory.
        images.clear();
        self.layouts.waiting = images;
    }

    fn record(&self, mut memory: Option<vk::MemoryBarrier2<'static>>, images: &[vk::ImageMemoryBarrier2<'static>]) {
        if let Some(barrier) = memory.as_mut().filter(|_| self.rays) {
            barrier.src_stage_mask = with_rays(barrier.src_stage_mask);
            barrier.dst_stage_mask = with_rays(barrier.dst_stage_mask);
        }
        let info = vk::DependencyInfo::default().memory_barriers(memory.as_slice()).image_memory_barriers(images);
        // SAFETY: the command buffer is being recorded; the structure lives until the call returns.
        unsafe { self.logical.vk.cmd_pipeline_barrier2(self.buffer, &info) };
    }

    /// Records the transitions of images that wait for a barrier.
    #[inline]
    pub fn transitions(&mut self) {
        if !self.layouts.waiting.is_empty() {
            self.barriers(&Gathered::default());
        }
    }

    /// Before a copy or clear by Vulkan's transfer: outside of rendering, and after the ones before.
    pub fn transfer(&mut self) {
        self.outside();
        if self.builds.hold_up_copies() {
            self.builds_wait();
        }
        if self.transfers.add_unknown() {
            self.transfers_wait();
        }
        self.transitions();
        self.builds.add_transfer();
    }

    /// As [`Encoder::transfer`], for what touches these and nothing else: it waits only for those before that it has to.
    #[inline]
    pub fn transfer_between(&mut self, from: Touch, to: Touch) {
        self.outside();
        if self.builds.hold_up_copies() {
            self.builds_wait();
        }
        if self.transfers.add([from, to.written()]) {
            self.transfers_wait();
        }
        self.transitions();
        self.builds.add_transfer();
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

/// Stages with those of ray tracing pipelines beside compute shaders: the API's states and root arguments are the same for both.
fn with_rays(stages: vk::PipelineStageFlags2) -> vk::PipelineStageFlags2 {
    match stages.contains(vk::PipelineStageFlags2::COMPUTE_SHADER) {
        true => stages | vk::PipelineStageFlags2::RAY_TRACING_SHADER_KHR,
        false => stages,
    }
}
