//! What is bound to a list: the state that its next draw or dispatch uses.
//!
//! Plain values and references to the program's objects. What of it Vulkan's command buffer lacks, the encoder knows.

use ash::vk;
use reprise_com::Ref;
use reprise_d3d12::types::{D3D_PRIMITIVE_TOPOLOGY, D3D12_INDEX_BUFFER_VIEW, D3D12_RECT, D3D12_VIEWPORT};
use reprise_dxbc::root_signature::Kind;
use reprise_gpu::descriptor::record::Target;
use reprise_gpu::encoder::{Dirty, VertexBuffers, WORDS, Words};
use reprise_gpu::memory::Nowhere;

use crate::descriptor::heap::DescriptorHeap;
use crate::list::attachments::{Attachments, Wanted};
use crate::list::fixed_state::{TARGETS, VIEWPORTS};
use crate::list::graph_state::Program;
use crate::list::position_state::Pattern;
use crate::list::rate_state::{Rate, RateImage};
use crate::pipeline::{Graphics, PipelineState};
use crate::root::{Argument, RootSignature};
use crate::state_object::StateObject;

/// An address as two words.
pub(super) fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// What stands for the address of a root argument that leads nowhere.
pub(super) fn hole(nowhere: Nowhere, kind: Kind) -> u64 {
    if kind == Kind::Uav { nowhere.written } else { nowhere.read }
}

/// Words from the first one on, as shaders want them that trace rays: where a buffer's address leads nowhere, an acceleration
/// structure's is 0, which is none.
pub(super) fn traced<'a>(
    room: &'a mut [u32; WORDS],
    (first, words): (u32, &[u32]),
    signature: &RootSignature,
    nowhere: Nowhere,
) -> &'a [u32] {
    let room = &mut room[..words.len()];
    room.copy_from_slice(words);
    let holes = halves(nowhere.read);
    for argument in &signature.push.arguments {
        let Argument::Address { word, kind: Kind::Srv } = argument else { continue };
        let at = word.checked_sub(first).map(|at| at as usize..at as usize + 2);
        if let Some(pair) = at.and_then(|at| room.get_mut(at)).filter(|pair| **pair == holes) {
            pair.fill(0);
        }
    }
    room
}

/// Root arguments of graphics or of compute.
#[derive(Debug, Default)]
pub(super) struct Root {
    pub signature: Option<Ref<RootSignature>>,
    pub words: Words,
    /// Sets have to be bound (again).
    pub sets: bool,
    /// Vulkan has the words as shaders that trace rays want them.
    pub traced: bool,
}

/// What is bound. It holds what it refers to; once that is replaced, the recording keeps it.
pub(super) struct Bound {
    pub graphics: Root,
    pub compute: Root,
    /// Whose words Vulkan's push constants have: both bind points share them.
    pub pushed_for: vk::PipelineBindPoint,
    /// Graphics' sets and words are bound for mesh shaders, whose stages and layouts are others than those of vertices.
    pub meshes: bool,
    pub pipeline: Option<Ref<PipelineState>>,
    /// The pipeline of dispatches of rays.
    pub rays: Option<Ref<StateObject>>,
    /// The work graph of dispatches of graphs; the recording keeps it.
    pub program: Option<Program>,
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
    pub told_topology: (vk::PrimitiveTopology, Option<bool>),
    pub index: D3D12_INDEX_BUFFER_VIEW,
    pub vertex: VertexBuffers,
    /// Which of the dynamic state that only some pipelines have Vulkan knows.
    pub told: Told,
    /// Set by the list; pipelines have their own otherwise.
    pub depth_bias: Option<[f32; 3]>,
    /// Whether strips end at the largest index, where the list says so.
    pub strip_cut: Option<bool>,
    pub rate: Rate,
    pub rate_image: Option<RateImage>,
    /// Where samples lie, if the list says so.
    pub positions: Option<Pattern>,
    /// View instances that are drawn, one bit each, by pipeline states that ask.
    pub view_mask: u32,
    pub targets: [Option<Target>; TARGETS],
    pub target_count: usize,
    pub depth: Option<Target>,
    /// What rendering has begun with, or begins with next.
    pub attachments: Attachments,
    /// What the pipeline state for which the attachments were found wants; means nothing before rendering begins.
    pub wanted: Wanted,
    /// Vulkan's pipeline for them, while the pipeline is not dirty.
    pub vulkan: vk::Pipeline,
    /// [`Graphics::stages_to_tell`] of it: those that have the root arguments.
    pub told_stages: u8,
}

/// The dynamic state that has a value in the command buffer. A pipeline with a fixed value of its own takes it away. The next draw must
/// set it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Blend constants.
    pub blend: bool,
    /// The stencil reference.
    pub stencil: bool,
    /// The shading rate.
    pub rate: bool,
}

impl Told {
    /// A pipeline is bound: marks what it has and Vulkan lacks.
    pub(super) fn pipeline(&mut self, graphics: &Graphics, dirty: &mut Dirty) {
        for (told, has, part) in [
            (&mut self.blend, graphics.blend_constants, Dirty::BLEND),
            (&mut self.stencil, graphics.stencil_reference, Dirty::STENCIL),
            (&mut self.rate, graphics.rate, Dirty::RATE),
        ] {
            if has && !*told {
                dirty.set(part);
            }
            *told &= has;
        }
    }
}

/// Objects that are bound when a recording ends.
#[derive(Debug)]
#[allow(dead_code, reason = "held until dropped")]
pub(super) struct Last {
    pipeline: Option<Ref<PipelineState>>,
    rays: Option<Ref<StateObject>>,
    signatures: [Option<Ref<RootSignature>>; 2],
    heaps: [Option<Ref<DescriptorHeap>>; 2],
}

impl Root {
    fn reset(&mut self) {
        (self.signature, self.sets, self.traced) = (None, false, false);
        self.words = Words::default();
    }

    /// Addresses that are not set lead nowhere.
    pub(super) fn fill(&mut self, nowhere: Nowhere) {
        let Some(signature) = &self.signature else { return };
        for argument in &signature.push.arguments {
            if let Argument::Address { word, kind } = argument
                && self.words.all().get(*word as usize..*word as usize + 2) == Some(&[0; 2])
            {
                self.words.set(*word, &halves(hole(nowhere, *kind)));
            }
        }
    }
}

impl Bound {
    /// What is bound, which is nothing afterwards.
    pub(super) fn take(&mut self) -> Last {
        Last {
            pipeline: self.pipeline.take(),
            rays: self.rays.take(),
            signatures: [self.graphics.signature.take(), self.compute.signature.take()],
            heaps: [self.views.take(), self.samplers.take()],
        }
    }

    /// As [`Bound::default`], but writes only what may differ: of arrays, the elements that counts name.
    pub(super) fn reset(&mut self) {
        // All fields are named, so that a new one cannot be forgotten.
        let Bound {
            graphics,
            compute,
            pushed_for,
            meshes,
            pipeline,
            rays,
            program,
            views,
            samplers,
            viewports,
            viewport_count,
            scissors: _,
            scissor_count,
            blend,
            stencil,
            depth_bounds,
            topology,
            // It means nothing while the topology is dirty.
            told_topology: _,
            index,
            vertex,
            depth_bias,
            strip_cut,
            rate,
            rate_image,
            positions,
            view_mask,
            targets,
            target_count,
            depth,
            attachments,
            told,
            // It means nothing before rendering begins.
            wanted: _,
            // It means nothing while the pipeline is dirty.
            vulkan: _,
            told_stages,
        } = self;
        graphics.reset();
        compute.reset();
        *pushed_for = vk::PipelineBindPoint::RAY_TRACING_KHR;
        *meshes = false;
        *told_stages = 0;
        (*pipeline, *rays, *program, *views, *samplers) = (None, None, None, None, None);
        // The first viewport is looked at even where there are none.
        viewports[0] = D3D12_VIEWPORT::default();
        (*viewport_count, *scissor_count) = (0, 0);
        *told = Told::default();
        (*blend, *stencil, *depth_bounds) = ([1.0; 4], [0; 2], [0.0, 1.0]);
        *topology = D3D_PRIMITIVE_TOPOLOGY::default();
        *index = D3D12_INDEX_BUFFER_VIEW::default();
        vertex.reset();
        (*depth_bias, *strip_cut) = (None, None);
        (*rate, *rate_image, *positions, *view_mask) = (Rate::default(), None, None, 0);
        targets[..*target_count].fill(None);
        (*target_count, *depth) = (0, None);
        *attachments = Attachments::default();
    }
}

impl Default for Bound {
    fn default() -> Bound {
        Bound {
            graphics: Root::default(),
            compute: Root::default(),
            pushed_for: vk::PipelineBindPoint::RAY_TRACING_KHR,
            meshes: false,
            pipeline: None,
            rays: None,
            program: None,
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
            told: Told::default(),
            index: D3D12_INDEX_BUFFER_VIEW::default(),
            vertex: VertexBuffers::default(),
            depth_bias: None,
            strip_cut: None,
            rate: Rate::default(),
            rate_image: None,
            positions: None,
            view_mask: 0,
            targets: [None; TARGETS],
            target_count: 0,
            depth: None,
            attachments: Attachments::default(),
            wanted: Wanted::default(),
            vulkan: vk::Pipeline::null(),
            told_stages: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipeline that has its own blend constants takes the list's away from Vulkan; one with the list's needs them again.
    #[test]
    fn state_that_a_pipeline_took_away_is_told_again() {
        let with =
            |blend_constants, stencil_reference| Graphics { blend_constants, stencil_reference, ..Graphics::default() };
        let told = |blend, stencil| Told { blend, stencil, rate: false };
        let mut now = told(true, true);
        let none = Dirty::ALL.without(Dirty::ALL);
        // Each pipeline in turn: what it has, and what is marked for it. Nothing is told in between.
        for (graphics, marked, left) in [
            (with(true, true), none, told(true, true)),
            (with(false, true), none, told(false, true)),
            (with(true, true), Dirty::BLEND, told(false, true)),
            (with(true, false), Dirty::BLEND, told(false, false)),
            (with(false, false), none, Told::default()),
            (with(false, true), Dirty::STENCIL, Told::default()),
        ] {
            let mut dirty = none;
            now.pipeline(&graphics, &mut dirty);
            assert_eq!((dirty, now), (marked, left));
        }
    }
}
