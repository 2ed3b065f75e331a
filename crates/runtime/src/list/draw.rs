//! Draws, dispatches and dispatches of meshes: what is dirty goes to Vulkan, then the command.
//!
//! Invariant: when a command is recorded, Vulkan has all of the state that the command uses.

use core::ffi::c_void;

use ash::vk;
use reprise_com::Slots;
use reprise_d3d12::types::{D3D12_DSV_FLAGS, D3D12_VIEWPORT, DXGI_FORMAT};

use crate::descriptor::DescriptorHeap;
use crate::list::attachments::{Attachments, Rules, Wanted};
use crate::list::bound::{Root, traced};
use crate::list::command::Command;
use crate::list::fixed_state::{
    Bounds, TARGETS, VIEWPORTS, is_cut, kind, reaches, scissor, topology, unit, viewport, within,
};
use crate::list::recording::Recording;
use crate::list::views::Draws;
use crate::pipeline::{Graphics, PipelineState};
use crate::root::Work;
use crate::{Error, Result};
use reprise_gpu::descriptor::record::Target;
use reprise_gpu::encoder::{Aspect, Dirty, Heaps, WORDS};
use reprise_gpu::scope::{Gathered, Scope};
use reprise_log::warning_once;

/// Methods that draw and dispatch.
pub(super) const LIST_METHODS: &Slots = &[
    ("DrawInstanced", draw_instanced as *const c_void),
    ("DrawIndexedInstanced", draw_indexed_instanced as *const c_void),
    ("Dispatch", dispatch as *const c_void),
    ("DispatchMesh", dispatch_mesh as *const c_void),
];

/// No pipeline state of mesh shaders was made then.
pub(super) const NO_MESHES: Error = Error::Unsupported("mesh shaders: the device has none");
pub(super) const MISSING: Error = Error::Call("a draw or dispatch without a pipeline state of its kind");
/// Groups of a dispatch in a direction.
const GROUPS: u32 = 65535;
/// Groups of a dispatch of meshes in all. Vulkan demands of devices to have as many, and as many in a direction as the API.
const MESH_GROUPS: u64 = 1 << 22;

/// What draws write of depth and stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Writes {
    depth: bool,
    /// Bits of front and back faces.
    stencil: [u32; 2],
}

impl Writes {
    /// What is left of it through a view of these `D3D12_DSV_FLAGS`.
    fn through(self, flags: u32) -> Writes {
        let allows = |flag: D3D12_DSV_FLAGS| flags & flag.0 == 0;
        Writes {
            depth: self.depth && allows(D3D12_DSV_FLAGS::READ_ONLY_DEPTH),
            stencil: if allows(D3D12_DSV_FLAGS::READ_ONLY_STENCIL) { self.stencil } else { [0; 2] },
        }
    }
}

impl Recording {
    #[inline(always)]
    pub(super) fn draw(&mut self, vertices: u32, instances: u32, vertex: u32, instance: u32) -> Result<()> {
        let draw = |list: &Recording| {
            // SAFETY: all state is set.
            unsafe { list.encoder.logical.vk.cmd_draw(list.encoder.buffer, vertices, instances, vertex, instance) };
        };
        self.flush_graphics(false)?.times(self, draw)
    }

    #[inline(always)]
    pub(super) fn draw_indexed(
        &mut self,
        indices: u32,
        instances: u32,
        index: u32,
        vertex: i32,
        instance: u32,
    ) -> Result<()> {
        let draw = |list: &Recording| {
            let vk = &list.encoder.logical.vk;
            // SAFETY: all state is set.
            unsafe { vk.cmd_draw_indexed(list.encoder.buffer, indices, instances, index, vertex, instance) };
        };
        self.flush_graphics(true)?.times(self, draw)
    }

    #[inline(always)]
    pub(super) fn dispatch(&mut self, [x, y, z]: [u32; 3]) -> Result<()> {
        // Drivers of the API look at these two.
        if y > GROUPS || z > GROUPS {
            return Err(Error::Call("more groups in a direction than the API has"));
        }
        let caps = &self.encoder.device.caps;
        if x > caps.limits.max_compute_work_group_count[0] && !caps.runs_more_groups() {
            return Err(Error::Call("a dispatch of more groups than the device has"));
        }
        self.flush_compute()?;
        // SAFETY: all state is set.
        unsafe { self.encoder.logical.vk.cmd_dispatch(self.encoder.buffer, x, y, z) };
        Ok(())
    }

    pub(super) fn dispatch_mesh(&mut self, groups: [u32; 3]) -> Result<()> {
        let all = groups.iter().fold(1u64, |all, count| all.saturating_mul((*count).into()));
        if groups.iter().any(|count| *count > GROUPS) || all > MESH_GROUPS {
            return Err(Error::Call("DispatchMesh of more groups than the API has"));
        }
        let device = self.encoder.logical.clone();
        let mesh = device.ext.mesh_shader.as_ref().ok_or(NO_MESHES)?;
        let [x, y, z] = groups;
        // SAFETY: all state is set, and a pipeline of mesh shaders is bound.
        let draw = |list: &Recording| unsafe { mesh.cmd_draw_mesh_tasks(list.encoder.buffer, x, y, z) };
        self.flush_meshes()?.times(self, draw)
    }

    /// Runs a body with the pipeline for a bind point.
    pub(super) fn with_pipeline(
        &mut self,
        point: vk::PipelineBindPoint,
        body: impl FnOnce(&mut Recording, &PipelineState) -> Result<()>,
    ) -> Result<()> {
        // Taken out and put back: counting would cost more than all the rest.
        let pipeline = self.bound.pipeline.take().ok_or(MISSING)?;
        let result = if pipeline.bind_point() == point { body(self, &pipeline) } else { Err(MISSING) };
        self.bound.pipeline = Some(pipeline);
        result
    }

    /// The pipeline that is bound, after a flush.
    pub(super) fn bound(&self) -> Result<vk::Pipeline> {
        let pipeline = self.bound.pipeline.as_ref().ok_or(MISSING)?;
        Ok(if pipeline.graphics.is_some() { self.bound.vulkan } else { pipeline.pipeline })
    }

    /// Everything that a dispatch uses.
    #[inline(always)]
    pub(super) fn flush_compute(&mut self) -> Result<()> {
        self.encoder.outside();
        if self.encoder.dirty.has(Dirty::DISPATCH) { self.flush_dirty_compute() } else { Ok(()) }
    }

    fn flush_dirty_compute(&mut self) -> Result<()> {
        self.computes()?;
        if self.encoder.dirty.take(Dirty::LAYOUTS) {
            self.encoder.rest_copied();
        }
        if self.encoder.dirty.take(Dirty::DISPATCHED_BUILDS) {
            self.encoder.see_builds(Dirty::DISPATCHED_BUILDS);
        }
        let point = vk::PipelineBindPoint::COMPUTE;
        if self.encoder.dirty.has(Dirty::COMPUTE) {
            self.with_pipeline(point, |list, pipeline| {
                RootState::split(&mut list.bound, point).check(pipeline)?;
                // SAFETY: the recording keeps the pipeline.
                unsafe { list.encoder.logical.vk.cmd_bind_pipeline(list.encoder.buffer, point, pipeline.pipeline) };
                list.encoder.dirty.take(Dirty::COMPUTE);
                Ok(())
            })?;
        }
        self.flush_root(point)?;
        self.flush_record(point)
    }

    /// The record of what is drawn or dispatched next.
    #[inline]
    fn flush_record(&mut self, point: vk::PipelineBindPoint) -> Result<()> {
        if !self.encoder.dirty.has(Dirty::RECORD) {
            return Ok(());
        }
        let (root, work) = match point {
            vk::PipelineBindPoint::COMPUTE => (&self.bound.compute, Work::Compute),
            _ if self.bound.meshes => (&self.bound.graphics, Work::Meshes),
            _ => (&self.bound.graphics, Work::Vertices),
        };
        let layout = root.signature.as_ref().map(|signature| signature.layout_for(work)).unwrap_or_default();
        self.begin_record(point, layout, None)
    }

    /// Everything that a draw uses; `indexed` says whether the index buffer is used.
    #[inline(always)]
    pub(super) fn flush_graphics(&mut self, indexed: bool) -> Result<Draws> {
        let needs = if indexed { Dirty::DRAW_INDEXED } else { Dirty::DRAW };
        if self.encoder.dirty.has(needs) { self.flush_dirty_graphics(needs) } else { Ok(Draws::Once) }
    }

    /// Everything that a dispatch of meshes uses.
    pub(super) fn flush_meshes(&mut self) -> Result<Draws> {
        self.draws()?;
        let graphics = self.bound.pipeline.as_ref().and_then(|pipeline| pipeline.graphics.as_ref());
        if !graphics.is_some_and(|graphics| graphics.meshes) {
            return Err(Error::Call("DispatchMesh without a pipeline state of mesh shaders"));
        }
        match self.encoder.dirty.has(Dirty::DRAW_MESHES) {
            true => self.flush_dirty_graphics(Dirty::DRAW_MESHES),
            false => Ok(Draws::Once),
        }
    }

    /// As [`Recording::flush_graphics`], when something of it is dirty.
    fn flush_dirty_graphics(&mut self, needs: Dirty) -> Result<Draws> {
        self.draws()?;
        if self.encoder.dirty.has(needs.without(Dirty::GRAPHICS_ROOT).without(Dirty::RECORD)) {
            let done =
                self.with_pipeline(vk::PipelineBindPoint::GRAPHICS, |list, pipeline| list.flush_all(pipeline, needs));
            if done.is_err() {
                // The next draw must not find everything clean.
                self.encoder.dirty.set(Dirty::GRAPHICS);
                done?;
            }
        }
        if self.encoder.dirty.has(Dirty::GRAPHICS_ROOT) {
            self.flush_root(vk::PipelineBindPoint::GRAPHICS)?;
        }
        self.flush_record(vk::PipelineBindPoint::GRAPHICS)?;
        Ok(if self.encoder.dirty.has(Dirty::VIEWS) { Draws::ByView } else { Draws::Once })
    }

    /// Everything but the root arguments.
    fn flush_all(&mut self, pipeline: &PipelineState, needs: Dirty) -> Result<()> {
        let graphics = pipeline.graphics.as_ref().ok_or(Error::Call("a draw with a compute pipeline state"))?;
        if graphics.meshes != (needs == Dirty::DRAW_MESHES) {
            return Err(Error::Call("a draw of vertices with a pipeline state of mesh shaders"));
        }
        if self.encoder.dirty.take(Dirty::LAYOUTS) {
            self.encoder.rest_copied();
        }
        if self.encoder.dirty.take(Dirty::DRAWN_BUILDS) {
            self.encoder.see_builds(Dirty::DRAWN_BUILDS);
        }
        if graphics.one_viewport && self.bound.viewport_count > 1 {
            return Err(Error::Call("a draw to several viewports with shading rates of primitives, on this device"));
        }
        let changed = self.encoder.dirty.take(Dirty::GRAPHICS);
        if changed || !self.encoder.rendering {
            self.fit(pipeline, graphics, changed)?;
        }
        if needs.has(Dirty::TOPOLOGY) && self.encoder.dirty.has(Dirty::TOPOLOGY) {
            self.flush_topology(graphics)?;
        }
        self.flush_areas();
        if graphics.rasterised {
            self.flush_tests(graphics);
        }
        if needs.has(Dirty::VERTEX) && self.encoder.dirty.take(Dirty::VERTEX) {
            self.flush_vertex(graphics)?;
        }
        if needs.has(Dirty::INDEX) && self.encoder.dirty.has(Dirty::INDEX) {
            self.flush_index()?;
        }
        self.encoder.dirty.take(Dirty::STREAM);
        if graphics.stream_output != 0 {
            self.encoder.prepare_streaming(graphics.stream_output)?;
        }
        if !self.encoder.rendering {
            self.begin_rendering();
        }
        if graphics.stream_output != 0 {
            self.encoder.begin_streaming();
        }
        Ok(())
    }

    /// Finds what of the bound targets a pipeline state renders to, and binds its pipeline for them. Rendering to other ones ends.
    /// `changed`: Vulkan lacks the pipeline state.
    fn fit(&mut self, pipeline: &PipelineState, graphics: &Graphics, changed: bool) -> Result<()> {
        // Other targets end rendering. To the same ones most pipeline states render alike, but where layouts follow what they write.
        if !self.encoder.rendering || !self.bound.wanted.is_of(graphics) || self.encoder.tracks_layouts() {
            self.find_attachments(graphics);
        }
        if changed {
            RootState::split(&mut self.bound, vk::PipelineBindPoint::GRAPHICS).check(pipeline)?;
            if pipeline.traces != self.bound.graphics.traced {
                self.encoder.dirty.set(Dirty::GRAPHICS_ROOT);
            }
        }
        let vulkan = pipeline.for_targets(&self.bound.attachments.formats, 0)?;
        if changed || vulkan != self.bound.vulkan {
            self.bind_pipeline(vulkan, graphics)?;
        }
        Ok(())
    }

    /// Finds what of the bound targets a pipeline state renders to. Rendering to other ones ends.
    fn find_attachments(&mut self, graphics: &Graphics) {
        let caps = &self.encoder.device.caps;
        let rules = Rules {
            unused: caps.features.unused.dynamic_rendering_unused_attachments != 0,
            extent: vk::Extent2D {
                width: caps.limits.max_framebuffer_width,
                height: caps.limits.max_framebuffer_height,
            },
            layers: caps.limits.max_framebuffer_layers,
        };
        let (mut attachments, misfit) =
            Attachments::new(graphics, &self.bound.targets, self.bound.depth.as_ref(), rules);
        if let Some(misfit) = misfit {
            warning_once("the API leaves open", misfit.text());
        }
        if self.encoder.tracks_layouts() {
            attachments.writes = self.tests_that_write(graphics, &attachments);
        }
        let samples = attachments.formats.samples.as_raw();
        attachments.formats.placed = self.bound.positions.as_ref().is_some_and(|pattern| pattern.samples == samples);
        self.bound.wanted = Wanted::of(graphics);
        if attachments != self.bound.attachments {
            self.encoder.end();
            if attachments.extent != self.bound.attachments.extent {
                self.encoder.dirty.set(Dirty::SCISSORS);
            }
            self.bound.attachments = attachments;
        }
    }

    /// Binds a pipeline, and marks what of the state Vulkan lacks for it.
    fn bind_pipeline(&mut self, vulkan: vk::Pipeline, graphics: &Graphics) -> Result<()> {
        self.count_stages(graphics.meshes)?;
        // Vulkan binds no pipeline while vertices are streamed.
        self.encoder.end_streaming();
        let point = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: the recording keeps the pipeline state, which keeps its pipelines.
        unsafe { self.encoder.logical.vk.cmd_bind_pipeline(self.encoder.buffer, point, vulkan) };
        self.bound.vulkan = vulkan;
        if graphics.meshes != self.bound.meshes {
            self.bound.meshes = graphics.meshes;
            self.bound.graphics.sets = true;
            self.bound.graphics.words.touch();
            self.encoder.dirty.set(Dirty::GRAPHICS_ROOT);
        }
        if graphics.stages_to_tell & !self.bound.told_stages != 0 {
            self.bound.graphics.words.touch();
            self.encoder.dirty.set(Dirty::GRAPHICS_ROOT);
        }
        self.bound.told_stages = graphics.stages_to_tell;
        match graphics.meshes {
            true => self.encoder.dirty.set(Dirty::TOPOLOGY),
            false => self.flush_topology(graphics)?,
        }
        if graphics.dynamic_depth_bias {
            let [constant, clamp, slope] = self.bound.depth_bias.unwrap_or(graphics.depth_bias);
            let constant = graphics.bias_unit.constant(constant);
            let (buffer, vk) = (self.encoder.buffer, &self.encoder.logical.vk);
            match (graphics.bias_unit.told, &self.encoder.device.ext.depth_bias_control) {
                (Some(_), Some(control)) => {
                    let mut unit = graphics.bias_unit.info();
                    let info = vk::DepthBiasInfoEXT::default()
                        .depth_bias_constant_factor(constant)
                        .depth_bias_clamp(clamp)
                        .depth_bias_slope_factor(slope)
                        .push_next(&mut unit);
                    // SAFETY: the command buffer is being recorded, and Vulkan keeps no pointer to what it is told.
                    unsafe { (control.fp().cmd_set_depth_bias2_ext)(buffer, &raw const info) };
                }
                // SAFETY: the command buffer is being recorded.
                _ => unsafe { vk.cmd_set_depth_bias(buffer, constant, clamp, slope) },
            }
        }
        self.bound.told.pipeline(graphics, &mut self.encoder.dirty);
        if graphics.depth_bounds {
            self.encoder.dirty.set(Dirty::DEPTH_BOUNDS);
        }
        if self.bound.attachments.formats.placed {
            self.encoder.dirty.set(Dirty::POSITIONS);
        }
        match graphics.views.any() {
            true => self.encoder.dirty.set(Dirty::VIEWS),
            false => drop(self.encoder.dirty.take(Dirty::VIEWS)),
        }
        self.encoder.dirty.set(Dirty::WRITES);
        // Slots that this pipeline reads and the one before did not.
        self.bound.vertex.read(graphics.vertex_slots);
        self.encoder.dirty.set(Dirty::VERTEX);
        Ok(())
    }

    /// Whether rendering writes depth, and whether it writes stencil. Once it writes one of them, it does so until rendering ends:
    /// pipelines with and without writes may alternate.
    fn tests_that_write(&self, graphics: &Graphics, attachments: &Attachments) -> [bool; 2] {
        let flags = self.bound.depth.map_or(0, |target| target.flags);
        let writes = Writes { depth: graphics.depth_write, stencil: graphics.stencil_write }.through(flags);
        let [depth, stencil] = attachments.tests;
        let wanted = [depth && writes.depth, stencil && writes.stencil != [0; 2]];
        let begun = self.bound.attachments.writes;
        let both = [wanted[0] || begun[0], wanted[1] || begun[1]];
        let goes_on = Attachments { writes: both, ..*attachments } == self.bound.attachments;
        if self.encoder.rendering && goes_on { both } else { wanted }
    }

    /// State of blending and tests, which pipelines have that draw something.
    fn flush_tests(&mut self, graphics: &Graphics) {
        if self.encoder.dirty.take(Dirty::RATE) {
            self.flush_rate(graphics);
        }
        if self.encoder.dirty.take(Dirty::POSITIONS) {
            self.flush_positions();
        }
        let vk = &self.encoder.logical.vk;
        let (state, dirty) = (&mut self.bound, &mut self.encoder.dirty);
        let buffer = self.encoder.buffer;
        if dirty.take(Dirty::BLEND) {
            state.told.blend = graphics.blend_constants;
            if graphics.blend_constants {
                // SAFETY: the command buffer is being recorded.
                unsafe { vk.cmd_set_blend_constants(buffer, &state.blend) };
            }
        }
        if dirty.take(Dirty::STENCIL) {
            state.told.stencil = graphics.stencil_reference;
            // SAFETY: the command buffer is being recorded.
            let tell = |faces, reference| unsafe { vk.cmd_set_stencil_reference(buffer, faces, reference) };
            match state.stencil {
                _ if !graphics.stencil_reference => {}
                [front, back] if front == back => tell(vk::StencilFaceFlags::FRONT_AND_BACK, front),
                [front, back] => {
                    tell(vk::StencilFaceFlags::FRONT, front);
                    tell(vk::StencilFaceFlags::BACK, back);
                }
            }
        }
        if dirty.take(Dirty::DEPTH_BOUNDS) && graphics.depth_bounds {
            let [least, most] = state.depth_bounds.map(unit);
            // SAFETY: the command buffer is being recorded.
            unsafe { vk.cmd_set_depth_bounds(buffer, least, most) };
        }
        if dirty.take(Dirty::WRITES) {
            // A view that is only read is not written, whatever the pipeline does.
            let flags = state.depth.map_or(0, |target| target.flags);
            let Writes { depth, stencil } =
                Writes { depth: graphics.depth_write, stencil: graphics.stencil_write }.through(flags);
            // SAFETY: the command buffer is being recorded.
            unsafe {
                if graphics.depth_write {
                    vk.cmd_set_depth_write_enable(buffer, depth);
                }
                if graphics.stencil_write != [0; 2] {
                    vk.cmd_set_stencil_write_mask(buffer, vk::StencilFaceFlags::FRONT, stencil[0]);
                    vk.cmd_set_stencil_write_mask(buffer, vk::StencilFaceFlags::BACK, stencil[1]);
                }
            }
        }
    }

    /// Viewports and scissors.
    fn flush_areas(&mut self) {
        let vk = &self.encoder.logical.vk;
        let (state, dirty) = (&mut self.bound, &mut self.encoder.dirty);
        let buffer = self.encoder.buffer;
        if dirty.has(Dirty::VIEWPORTS.or(Dirty::SCISSORS)) {
            let bounds = Bounds::of(&self.encoder.device.caps.limits);
            let given = &state.viewports[..state.viewport_count.max(1)];
            if dirty.take(Dirty::VIEWPORTS) {
                // SAFETY: the command buffer is being recorded; the array lives until the call returns.
                let tell = |all: &[vk::Viewport]| unsafe { vk.cmd_set_viewport_with_count(buffer, all) };
                converted(given, |_, given| viewport(given, bounds), tell);
            }
            if dirty.take(Dirty::SCISSORS) {
                let rects = &state.scissors[..state.scissor_count];
                let extent = state.attachments.extent;
                // SAFETY: the command buffer is being recorded; the array lives until the call returns.
                let tell = |all: &[vk::Rect2D]| unsafe { vk.cmd_set_scissor_with_count(buffer, all) };
                converted(given, |at, given| within(scissor(rects.get(at), given, bounds), extent), tell);
            }
        }
    }

    /// Topology and what depends on it, for a topology or a pipeline that is new.
    fn flush_topology(&mut self, graphics: &Graphics) -> Result<()> {
        let (state, dirty) = (&mut self.bound, &mut self.encoder.dirty);
        let (topology, points) = topology(state.topology).ok_or(Error::Call("a draw without a primitive topology"))?;
        if (points == 0) != (graphics.patch_points == 0) {
            return Err(Error::Call("a draw of patches without a hull shader, or of others with one"));
        }
        if points != graphics.patch_points && !graphics.dynamic_patch_points {
            return Err(Error::Unsupported("patches of another size than the hull shader's, on this device"));
        }
        let caps = &self.encoder.device.caps;
        if points == 0 && !caps.any_topology && kind(topology) != kind(graphics.topology) {
            return Err(Error::Call("a draw whose topology is of another type than its pipeline state's"));
        }
        if graphics.takes.is_some_and(|takes| !reaches(topology, takes)) {
            return Err(Error::Call("a draw whose topology lacks what its geometry shader takes"));
        }
        let own = state.strip_cut.filter(|_| graphics.dynamic_strip_cut);
        let restart = own.unwrap_or(graphics.strip_cut) && is_cut(topology, &caps.features.list_restart);
        // Pipelines whose strips never end do not have it dynamic, and take it away.
        let restart = (graphics.strip_cut || graphics.dynamic_strip_cut).then_some(restart);
        // All pipelines have the topology dynamic, so Vulkan keeps it when pipelines change.
        if dirty.take(Dirty::TOPOLOGY) || state.told_topology != (topology, restart) {
            state.told_topology = (topology, restart);
            let vk = &self.encoder.logical.vk;
            // SAFETY: the command buffer is being recorded; the pipeline that is bound has restart dynamic where it is told.
            unsafe {
                vk.cmd_set_primitive_topology(self.encoder.buffer, topology);
                if let Some(restart) = restart {
                    vk.cmd_set_primitive_restart_enable(self.encoder.buffer, restart);
                }
            }
        }
        if let Some(patches) = self.encoder.device.ext.dynamic_state2.as_ref().filter(|_| graphics.dynamic_patch_points)
        {
            // SAFETY: the command buffer is being recorded.
            unsafe { patches.cmd_set_patch_control_points(self.encoder.buffer, points) };
        }
        Ok(())
    }

    /// Vertex buffers that the pipeline reads and Vulkan lacks, run by run.
    fn flush_vertex(&mut self, graphics: &Graphics) -> Result<()> {
        let anywhere = self.encoder.device.caps.features.legacy_vertices.legacy_vertex_attributes != 0;
        if !anywhere && !self.bound.vertex.fit(graphics.vertex_slots, &graphics.vertex_masks) {
            // The next draw must not find them clean.
            self.encoder.dirty.set(Dirty::VERTEX);
            return Err(Error::Call("a draw whose vertices have components that begin within others, on this device"));
        }
        while let Some((first, buffers, offsets, sizes, strides)) = self.bound.vertex.take(graphics.vertex_slots) {
            // SAFETY: the program keeps its buffers; the ranges lie inside of them.
            unsafe {
                self.encoder.logical.vk.cmd_bind_vertex_buffers2(
                    self.encoder.buffer,
                    first,
                    buffers,
                    offsets,
                    Some(sizes),
                    Some(strides),
                );
            }
        }
        Ok(())
    }

    fn flush_index(&mut self) -> Result<()> {
        let view = &self.bound.index;
        let (kind, bytes) = match view.Format {
            DXGI_FORMAT::FORMAT_R32_UINT => (vk::IndexType::UINT32, 4),
            // Drivers of the API take the latter for the former.
            DXGI_FORMAT::FORMAT_R16_UINT | DXGI_FORMAT::FORMAT_UNKNOWN => (vk::IndexType::UINT16, 2),
            _ => return Err(Error::Call("an indexed draw without an index buffer of 16 or 32 bits")),
        };
        let sized = self.encoder.device.ext.maintenance5.as_ref();
        let place = match view.BufferLocation {
            0 => None,
            address => self.encoder.addresses.find_near(&mut self.encoder.near, address),
        };
        if place.is_none() && view.BufferLocation != 0 {
            warning_once("a command list treats as null", "an index buffer at an address without a resource");
        }
        if !view.BufferLocation.is_multiple_of(bytes) {
            return Err(Error::Call("an indexed draw whose index buffer begins within an index"));
        }
        // Whole indices.
        let size = place.map_or(0, |place| u64::from(view.SizeInBytes).min(place.left) / bytes * bytes);
        let Some(place) = place.filter(|_| size != 0) else {
            // Every index is zero.
            let sized = sized.filter(|_| self.encoder.device.caps.features.maintenance6.maintenance6 != 0);
            let sized = sized.ok_or(Error::Call("an indexed draw without index buffer, on this device"))?;
            // SAFETY: the device takes null.
            unsafe { sized.cmd_bind_index_buffer2(self.encoder.buffer, vk::Buffer::null(), 0, 0, kind) };
            self.encoder.dirty.take(Dirty::INDEX);
            return Ok(());
        };
        // SAFETY: the program keeps its buffer; the range lies inside of it.
        unsafe {
            match sized {
                Some(sized) => {
                    sized.cmd_bind_index_buffer2(self.encoder.buffer, place.buffer, place.offset, size, kind)
                }
                None => {
                    self.encoder.logical.vk.cmd_bind_index_buffer(self.encoder.buffer, place.buffer, place.offset, kind)
                }
            }
        }
        self.encoder.dirty.take(Dirty::INDEX);
        Ok(())
    }

    /// Sets and root arguments. The push constants of both bind points are one: what one is told the other loses.
    fn flush_root(&mut self, point: vk::PipelineBindPoint) -> Result<()> {
        let (own, other) = match point {
            vk::PipelineBindPoint::COMPUTE => (Dirty::COMPUTE_ROOT, Dirty::GRAPHICS_ROOT),
            _ => (Dirty::GRAPHICS_ROOT, Dirty::COMPUTE_ROOT),
        };
        let mut lost = false;
        let work = match point {
            vk::PipelineBindPoint::COMPUTE => Work::Compute,
            _ if self.bound.meshes => Work::Meshes,
            _ => Work::Vertices,
        };
        let state = RootState::split(&mut self.bound, point);
        if let Some(pipeline) = state.pipeline.filter(|_| state.root.sets) {
            state.check(pipeline)?;
        }
        let RootState { root, views, samplers, others, pipeline } = state;
        let (traces, mut room) = (pipeline.is_some_and(|pipeline| pipeline.traces), [0; WORDS]);
        if core::mem::replace(&mut root.traced, traces) != traces {
            root.words.touch();
        }
        let Some(signature) = &root.signature else {
            return Err(Error::Call("a draw or dispatch without a root signature"));
        };
        let layout = signature.layout_for(work);
        if root.sets {
            root.sets = false;
            // The recording keeps the heaps and the root signature.
            let heaps = Heaps {
                views: views.and_then(DescriptorHeap::visible),
                samplers: samplers.and_then(DescriptorHeap::visible),
                fixed: signature.static_samplers.as_ref(),
                local: None,
            };
            self.encoder.bind_heaps(point, layout, heaps);
        }
        if *others != point {
            *others = point;
            root.words.touch();
            lost = true;
        }
        if let Some(block) = &signature.block {
            if let Some(words) = root.words.take_all(signature.push.words) {
                let words = if traces { traced(&mut room, (0, words), signature, self.encoder.nowhere) } else { words };
                self.encoder.push_block((point, layout, block.set), words)?;
            }
        } else if let Some((first, words)) = root.words.take(signature.push.words) {
            let words = if traces { traced(&mut room, (first, words), signature, self.encoder.nowhere) } else { words };
            // SAFETY: words are bytes.
            let bytes = unsafe { core::slice::from_raw_parts(words.as_ptr().cast::<u8>(), words.len() * 4) };
            // SAFETY: the layout has a range of these stages that the words lie inside of.
            unsafe {
                let vk = &self.encoder.logical.vk;
                vk.cmd_push_constants(self.encoder.buffer, layout, work.stages(), first * 4, bytes);
            }
        }
        self.encoder.dirty.take(own);
        if lost {
            self.encoder.dirty.set(other);
        }
        Ok(())
    }

    /// Begins to render to the bound targets, as far as the pipeline renders to them.
    fn begin_rendering(&mut self) {
        let Attachments { formats, colours: bound, tests: [depth, stencil], extent, layers, writes } =
            self.bound.attachments;
        let mut layouts = [vk::ImageLayout::GENERAL; TARGETS];
        let mut tested = [vk::ImageLayout::GENERAL; 2];
        if self.encoder.tracks_layouts() {
            for (at, layout) in layouts.iter_mut().enumerate().filter(|(at, _)| bound & 1 << at != 0) {
                if let Some(target) = self.bound.targets[at] {
                    *layout = self.ready_target(&target, vk::ImageAspectFlags::COLOR);
                }
            }
            let aspects = [vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL];
            for (((layout, aspect), tests), writes) in tested.iter_mut().zip(aspects).zip([depth, stencil]).zip(writes)
            {
                if let Some(target) = self.bound.depth.filter(|_| tests) {
                    *layout = self.ready_attachment(&target, aspect, writes);
                }
            }
        }
        // What was cleared right before is cleared as rendering begins; other clears are made before it.
        let mut cleared = [None; TARGETS];
        let mut of_tests = [None; 2];
        if self.encoder.has_clears() {
            let size = (extent, layers);
            for (at, value) in cleared.iter_mut().enumerate().filter(|(at, _)| bound & 1 << at != 0) {
                if let Some(target) = &self.bound.targets[at] {
                    *value = self.encoder.take_clear((target.view, Aspect::Colour, layouts[at]), size);
                }
            }
            if let Some(target) = &self.bound.depth {
                for (at, aspect) in [Aspect::Depth, Aspect::Stencil].into_iter().enumerate() {
                    if [depth, stencil][at] {
                        of_tests[at] = self.encoder.take_clear((target.view, aspect, tested[at]), size);
                    }
                }
            }
        }
        // What was drawn or cleared before is in order, as the API promises for the same state.
        self.encoder.barriers(&Gathered { before: Scope::ATTACHMENTS, after: Scope::ATTACHMENTS });
        let attachment =
            |target: Option<&Target>, layout: vk::ImageLayout, cleared: Option<vk::ClearValue>| match target {
                Some(target) => vk::RenderingAttachmentInfo::default()
                    .image_view(target.view)
                    .image_layout(layout)
                    .load_op(match cleared {
                        Some(_) => vk::AttachmentLoadOp::CLEAR,
                        None => vk::AttachmentLoadOp::LOAD,
                    })
                    .store_op(match layout {
                        vk::ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL => vk::AttachmentStoreOp::NONE,
                        _ => vk::AttachmentStoreOp::STORE,
                    })
                    .clear_value(cleared.unwrap_or_default()),
                None => vk::RenderingAttachmentInfo::default(),
            };
        let mut colours = [vk::RenderingAttachmentInfo::default(); TARGETS];
        for (at, colour) in colours.iter_mut().enumerate().take(formats.count) {
            let target = self.bound.targets[at].as_ref().filter(|_| bound & 1 << at != 0);
            *colour = attachment(target, layouts[at], cleared[at]);
        }
        let [of_depth, of_stencil] = [0, 1].map(|at| attachment(self.bound.depth.as_ref(), tested[at], of_tests[at]));
        let count = formats.attachments(self.encoder.logical.caps.pipelines_need_targets()).len();
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D { offset: vk::Offset2D::default(), extent })
            .layer_count(layers)
            .color_attachments(&colours[..count]);
        if depth {
            info = info.depth_attachment(&of_depth);
        }
        if stencil {
            info = info.stencil_attachment(&of_stencil);
        }
        let mut rates = self.rates_of(extent);
        if let Some(rates) = &mut rates {
            info = info.push_next(rates);
        }
        // SAFETY: the views are of living resources; the structures live until the call returns.
        unsafe { self.encoder.logical.vk.cmd_begin_rendering(self.encoder.buffer, &info) };
        self.encoder.rendering = true;
        self.encoder.dirty.take(Dirty::TARGETS);
    }
}

/// Passes on what becomes of each viewport.
fn converted<T: Copy + Default>(
    given: &[D3D12_VIEWPORT],
    each: impl Fn(usize, &D3D12_VIEWPORT) -> T,
    tell: impl FnOnce(&[T]),
) {
    if let [one] = given {
        return tell(&[each(0, one)]);
    }
    let mut all = [T::default(); VIEWPORTS];
    for (at, (one, given)) in all.iter_mut().zip(given).enumerate() {
        *one = each(at, given);
    }
    tell(&all[..given.len().min(VIEWPORTS)]);
}

/// Parts of the state that one bind point uses.
struct RootState<'a> {
    root: &'a mut Root,
    views: Option<&'a DescriptorHeap>,
    samplers: Option<&'a DescriptorHeap>,
    others: &'a mut vk::PipelineBindPoint,
    /// `None` while the recording works with it.
    pipeline: Option<&'a PipelineState>,
}

impl<'a> RootState<'a> {
    fn split(state: &'a mut crate::list::bound::Bound, point: vk::PipelineBindPoint) -> RootState<'a> {
        let root = match point {
            vk::PipelineBindPoint::COMPUTE => &mut state.compute,
            _ => &mut state.graphics,
        };
        RootState {
            root,
            views: state.views.as_ref().map(|heap| &***heap),
            samplers: state.samplers.as_ref().map(|heap| &***heap),
            others: &mut state.pushed_for,
            pipeline: state.pipeline.as_ref().map(|pipeline| &***pipeline),
        }
    }

    /// Whether a pipeline state's shaders find their arguments where they look for them: otherwise they would take any number for
    /// the place of a descriptor or for an address.
    fn check(&self, pipeline: &PipelineState) -> Result<()> {
        let Some(signature) = &self.root.signature else { return Ok(()) };
        let own = &pipeline.root;
        let same = core::ptr::eq(&**own, &**signature)
            || own.push == signature.push && own.signature.samplers == signature.signature.samplers;
        if !same {
            return Err(Error::Call("a draw or dispatch with another root signature than its pipeline state's"));
        }
        let lacks = |heap: Option<&DescriptorHeap>| heap.is_none_or(|heap| heap.visible().is_none());
        if pipeline.uses_views && lacks(self.views) {
            return Err(Error::Call("a draw or dispatch whose shaders use descriptors, without a heap of them"));
        }
        if pipeline.uses_samplers && lacks(self.samplers) {
            return Err(Error::Call("a draw or dispatch whose shaders use samplers, without a heap of them"));
        }
        Ok(())
    }
}

unsafe extern "C" fn draw_instanced(
    this: *mut c_void,
    vertices: u32,
    instances: u32,
    first_vertex: u32,
    first_instance: u32,
) {
    // SAFETY: a list of ours.
    unsafe {
        Recording::record(
            this,
            |list| list.draw(vertices, instances, first_vertex, first_instance),
            || Command::Draw { vertices, instances, first_vertex, first_instance },
        );
    }
}

unsafe extern "C" fn draw_indexed_instanced(
    this: *mut c_void,
    indices: u32,
    instances: u32,
    first_index: u32,
    base_vertex: i32,
    first_instance: u32,
) {
    // SAFETY: a list of ours.
    unsafe {
        Recording::record(
            this,
            |list| list.draw_indexed(indices, instances, first_index, base_vertex, first_instance),
            || Command::DrawIndexed { indices, instances, first_index, base_vertex, first_instance },
        );
    }
}

unsafe extern "C" fn dispatch(this: *mut c_void, x: u32, y: u32, z: u32) {
    // SAFETY: a list of ours.
    unsafe { Recording::record(this, |list| list.dispatch([x, y, z]), || Command::Dispatch([x, y, z])) };
}

unsafe extern "C" fn dispatch_mesh(this: *mut c_void, x: u32, y: u32, z: u32) {
    // SAFETY: a list of ours.
    unsafe { Recording::record(this, |list| list.dispatch_mesh([x, y, z]), || Command::DispatchMesh([x, y, z])) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_that_are_only_read_are_not_written() {
        let all = Writes { depth: true, stencil: [0xff, 0x0f] };
        assert_eq!(all.through(0), all);
        assert_eq!(all.through(1), Writes { depth: false, ..all });
        assert_eq!(all.through(2), Writes { stencil: [0; 2], ..all });
        assert_eq!(all.through(3), Writes { depth: false, stencil: [0; 2] });
    }
}
