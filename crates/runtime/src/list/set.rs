//! Setting state: root arguments, heaps, pipeline, and what the fixed parts of the pipeline take.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_GPU_DESCRIPTOR_HANDLE,
    D3D12_INDEX_BUFFER_STRIP_CUT_VALUE, D3D12_INDEX_BUFFER_VIEW, D3D12_RECT, D3D12_VERTEX_BUFFER_VIEW, D3D12_VIEWPORT,
};

use crate::descriptor::DescriptorHeap;
use crate::descriptor::handle::{GpuHandle, INCREMENT};
use crate::list::array::array;
use crate::list::bound::{Root, halves, hole};
use crate::list::command::Command;
use crate::list::fixed_state::{TARGETS, VIEWPORTS};
use crate::list::recording::Recording;
use crate::pipeline::PipelineState;
use crate::root::{Argument, RootSignature};
use crate::{Error, Result};
use reprise_gpu::descriptor::record::{RecordKind, Target};
use reprise_gpu::encoder::{Dirty, VERTEX_BUFFERS};
use reprise_log::warning_once;

/// Methods that set state.
pub(super) const LIST_METHODS: &Slots = &[
    ("SetPipelineState", set_pipeline_state as *const c_void),
    ("SetDescriptorHeaps", set_descriptor_heaps as *const c_void),
    ("SetGraphicsRootSignature", set_root_signature::<false> as *const c_void),
    ("SetComputeRootSignature", set_root_signature::<true> as *const c_void),
    ("SetGraphicsRoot32BitConstant", set_constant::<false> as *const c_void),
    ("SetComputeRoot32BitConstant", set_constant::<true> as *const c_void),
    ("SetGraphicsRoot32BitConstants", set_constants::<false> as *const c_void),
    ("SetComputeRoot32BitConstants", set_constants::<true> as *const c_void),
    ("SetGraphicsRootConstantBufferView", set_address::<false> as *const c_void),
    ("SetComputeRootConstantBufferView", set_address::<true> as *const c_void),
    ("SetGraphicsRootShaderResourceView", set_address::<false> as *const c_void),
    ("SetComputeRootShaderResourceView", set_address::<true> as *const c_void),
    ("SetGraphicsRootUnorderedAccessView", set_address::<false> as *const c_void),
    ("SetComputeRootUnorderedAccessView", set_address::<true> as *const c_void),
    ("SetGraphicsRootDescriptorTable", set_table::<false> as *const c_void),
    ("SetComputeRootDescriptorTable", set_table::<true> as *const c_void),
    ("IASetPrimitiveTopology", set_topology as *const c_void),
    ("IASetIndexBuffer", set_index_buffer as *const c_void),
    ("IASetVertexBuffers", set_vertex_buffers as *const c_void),
    ("RSSetViewports", set_viewports as *const c_void),
    ("RSSetScissorRects", set_scissors as *const c_void),
    ("OMSetBlendFactor", set_blend_factor as *const c_void),
    ("OMSetStencilRef", set_stencil as *const c_void),
    ("OMSetFrontAndBackStencilRef", set_stencils as *const c_void),
    ("RSSetDepthBias", set_depth_bias as *const c_void),
    ("IASetIndexBufferStripCutValue", set_strip_cut as *const c_void),
    ("OMSetDepthBounds", set_depth_bounds as *const c_void),
    ("OMSetRenderTargets", set_render_targets as *const c_void),
    ("ClearState", clear_state as *const c_void),
];

impl Recording {
    /// Root arguments that are about to change.
    #[inline(always)]
    fn root(&mut self, compute: bool) -> &mut Root {
        self.encoder.dirty.set(if compute { Dirty::COMPUTE_ROOT } else { Dirty::GRAPHICS_ROOT });
        if compute { &mut self.bound.compute } else { &mut self.bound.graphics }
    }

    pub(super) fn set_pipeline(&mut self, pipeline: &Object<PipelineState>) {
        // Setting a pipeline state also takes back what a list has set over it.
        let own = self.bound.depth_bias.take().is_some() | self.bound.strip_cut.take().is_some();
        let set = &mut self.bound.pipeline;
        if !own && set.as_deref().is_some_and(|set| core::ptr::eq(set, pipeline)) {
            return;
        }
        self.keep.pipelines.exchange(set, Some(pipeline));
        // Both: commands of the other kind have none any more.
        self.encoder.dirty.set(Dirty::GRAPHICS.or(Dirty::COMPUTE));
    }

    pub(super) fn set_heaps(
        &mut self,
        views: Option<&Object<DescriptorHeap>>,
        samplers: Option<&Object<DescriptorHeap>>,
    ) {
        self.keep.heaps.exchange(&mut self.bound.views, views);
        self.keep.heaps.exchange(&mut self.bound.samplers, samplers);
        for compute in [false, true] {
            self.root(compute).sets = true;
        }
    }

    pub(super) fn set_root(&mut self, compute: bool, signature: Option<&Object<RootSignature>>) {
        let root = self.root(compute);
        let same = match (&root.signature, signature) {
            (Some(set), Some(new)) => core::ptr::eq(&**set, new),
            (None, None) => true,
            _ => false,
        };
        if same {
            return;
        }
        if let (Some(set), Some(new)) = (&root.signature, signature) {
            root.words.relocate(set.push.groups(), new.push.groups());
        }
        root.sets = true;
        root.words.touch();
        let root = if compute { &mut self.bound.compute } else { &mut self.bound.graphics };
        self.keep.roots.exchange(&mut root.signature, signature);
        root.fill(self.encoder.nowhere);
    }

    /// The place of a root parameter.
    #[inline(always)]
    fn argument(&mut self, compute: bool, parameter: u32) -> Result<(&mut Root, Argument)> {
        let root = self.root(compute);
        let signature = root.signature.as_ref().ok_or(Error::Call("a root argument without a root signature"))?;
        let argument = signature.push.arguments.get(parameter as usize).copied();
        Ok((root, argument.ok_or(Error::Call("a root argument that the root signature does not have"))?))
    }

    #[inline(always)]
    pub(super) fn set_constants(&mut self, compute: bool, parameter: u32, offset: u32, values: &[u32]) -> Result<()> {
        let (root, argument) = self.argument(compute, parameter)?;
        let Argument::Constants { word, count } = argument else {
            return Err(Error::Call("root constants for a parameter that is none"));
        };
        if u64::from(offset) + values.len() as u64 > u64::from(count) {
            return Err(Error::Call("more root constants than the parameter has"));
        }
        root.words.set(word + offset, values);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn set_address(&mut self, compute: bool, parameter: u32, address: u64) -> Result<()> {
        let nowhere = self.encoder.nowhere;
        let lies = self.lies(address);
        let (root, argument) = self.argument(compute, parameter)?;
        let Argument::Address { word, kind } = argument else {
            return Err(Error::Call("a root descriptor for a parameter that is none"));
        };
        root.words.set(word, &halves(if lies { address } else { hole(nowhere, kind) }));
        Ok(())
    }

    /// Whether something lies at an address; a message says so where nothing does.
    #[inline(always)]
    fn lies(&mut self, address: u64) -> bool {
        if address == 0 {
            return false;
        }
        let found = self.encoder.addresses.find_near(&mut self.encoder.near_roots, address).is_some();
        if !found {
            warning_once("a command list treats as null", "a root argument with an address without a resource");
        }
        found
    }

    #[inline(always)]
    pub(super) fn set_table(&mut self, compute: bool, parameter: u32, handle: u64) -> Result<()> {
        let (root, argument) = self.argument(compute, parameter)?;
        match argument {
            Argument::Table { word, .. } => root.words.set(word, &[GpuHandle::new(handle).index()]),
            Argument::Empty => {}
            _ => return Err(Error::Call("a descriptor table for a parameter that is none")),
        }
        Ok(())
    }

    pub(super) fn set_topology(&mut self, topology: D3D_PRIMITIVE_TOPOLOGY) {
        if self.bound.topology != topology {
            self.bound.topology = topology;
            self.encoder.dirty.set(Dirty::TOPOLOGY);
        }
    }

    pub(super) fn set_index(&mut self, view: &D3D12_INDEX_BUFFER_VIEW) {
        self.bound.index = *view;
        self.encoder.dirty.set(Dirty::INDEX);
    }

    pub(super) fn set_vertex(&mut self, slot: u32, view: &D3D12_VERTEX_BUFFER_VIEW) -> Result<()> {
        let place = match view.BufferLocation {
            0 => None,
            address => self.encoder.addresses.find_near(&mut self.encoder.near, address),
        };
        if place.is_none() && view.BufferLocation != 0 {
            warning_once("a command list treats as null", "a vertex buffer at an address without a resource");
        }
        if slot as usize >= VERTEX_BUFFERS {
            return Err(Error::Call("IASetVertexBuffers: a slot that the API does not have"));
        }
        let most = self.encoder.device.caps.limits.max_vertex_input_binding_stride;
        let place = match view.StrideInBytes > most {
            true => {
                warning_once("a command list treats as null", "a vertex buffer of larger strides than the device has");
                None
            }
            false => place,
        };
        let stride = u64::from(view.StrideInBytes.min(most));
        let (buffer, offset, left) = place.map_or_else(Default::default, |it| (it.buffer, it.offset, it.left));
        let size = u64::from(view.SizeInBytes).min(left);
        self.bound.vertex.set(slot, buffer, offset, size, stride);
        self.encoder.dirty.set(Dirty::VERTEX);
        Ok(())
    }

    /// Binds the first `count` of `targets`, and a depth target.
    pub(super) fn bind_targets(&mut self, targets: [Option<Target>; TARGETS], count: usize, depth: Option<Target>) {
        self.encoder.end();
        for target in targets.iter().take(count).chain([&depth]).flatten() {
            self.uses_target(target);
        }
        self.bound.targets = targets;
        self.bound.target_count = count;
        self.bound.depth = depth;
        self.encoder.dirty.set(Dirty::TARGETS.or(Dirty::WRITES));
    }

    pub(super) fn set_blend(&mut self, blend: [f32; 4]) {
        self.bound.blend = blend;
        self.encoder.dirty.set(Dirty::BLEND);
    }

    pub(super) fn set_stencil(&mut self, stencil: [u32; 2]) {
        self.bound.stencil = stencil;
        self.encoder.dirty.set(Dirty::STENCIL);
    }

    pub(super) fn set_depth_bias(&mut self, bias: [f32; 3]) {
        self.bound.depth_bias = Some(bias);
        self.encoder.dirty.set(Dirty::GRAPHICS);
    }

    pub(super) fn set_strip_cut(&mut self, cut: bool) {
        self.bound.strip_cut = Some(cut);
        self.encoder.dirty.set(Dirty::TOPOLOGY);
    }

    pub(super) fn set_depth_bounds(&mut self, bounds: [f32; 2]) {
        self.bound.depth_bounds = bounds;
        self.encoder.dirty.set(Dirty::DEPTH_BOUNDS);
    }
}

unsafe extern "C" fn set_pipeline_state(this: *mut c_void, pipeline: *mut c_void) {
    // SAFETY: a list of ours, the program's pipeline state.
    unsafe {
        match Object::<PipelineState>::from_pointer(pipeline) {
            Some(pipeline) => Recording::record(
                this,
                |list| {
                    list.set_pipeline(pipeline);
                    Ok(())
                },
                || Command::Pipeline(pipeline.keep()),
            ),
            None => {
                Recording::on_any(this, |_| Err(Error::Unsupported("SetPipelineState with this pipeline state")));
            }
        }
    }
}

unsafe extern "C" fn set_descriptor_heaps(this: *mut c_void, count: u32, heaps: *const *mut c_void) {
    // SAFETY: a list of ours, the program's heaps.
    unsafe {
        let (mut views, mut samplers) = (None, None);
        for heap in array(heaps, count) {
            if let Some(heap) = Object::<DescriptorHeap>::from_pointer(*heap) {
                let place = if heap.is_sampler() { &mut samplers } else { &mut views };
                *place = Some(heap);
            }
        }
        Recording::record(
            this,
            |list| {
                list.set_heaps(views, samplers);
                Ok(())
            },
            || Command::Heaps { views: views.map(Object::keep), samplers: samplers.map(Object::keep) },
        );
    }
}

unsafe extern "C" fn set_root_signature<const COMPUTE: bool>(this: *mut c_void, signature: *mut c_void) {
    // SAFETY: a list of ours, the program's root signature.
    unsafe {
        let signature = Object::<RootSignature>::from_pointer(signature);
        Recording::record(
            this,
            |list| {
                list.set_root(COMPUTE, signature);
                Ok(())
            },
            || Command::Root { compute: COMPUTE, signature: signature.map(Object::keep) },
        );
    }
}

unsafe extern "C" fn set_constant<const COMPUTE: bool>(this: *mut c_void, parameter: u32, value: u32, offset: u32) {
    // SAFETY: a list of ours.
    unsafe {
        Recording::record(
            this,
            |list| list.set_constants(COMPUTE, parameter, offset, &[value]),
            || Command::Constant { compute: COMPUTE, parameter, offset, value },
        );
    }
}

unsafe extern "C" fn set_constants<const COMPUTE: bool>(
    this: *mut c_void,
    parameter: u32,
    count: u32,
    values: *const u32,
    offset: u32,
) {
    // SAFETY: a list of ours, the program's array.
    unsafe {
        let values = array(values, count);
        Recording::record(
            this,
            |list| list.set_constants(COMPUTE, parameter, offset, values),
            || Command::Constants { compute: COMPUTE, parameter, offset, values: values.into() },
        );
    }
}

unsafe extern "C" fn set_address<const COMPUTE: bool>(this: *mut c_void, parameter: u32, address: u64) {
    // SAFETY: a list of ours.
    unsafe {
        Recording::record(
            this,
            |list| list.set_address(COMPUTE, parameter, address),
            || Command::Address { compute: COMPUTE, parameter, address },
        );
    }
}

unsafe extern "C" fn set_table<const COMPUTE: bool>(
    this: *mut c_void,
    parameter: u32,
    handle: D3D12_GPU_DESCRIPTOR_HANDLE,
) {
    // SAFETY: a list of ours.
    unsafe {
        Recording::record(
            this,
            |list| list.set_table(COMPUTE, parameter, handle.ptr),
            || Command::Table { compute: COMPUTE, parameter, handle: handle.ptr },
        );
    }
}

unsafe extern "C" fn set_topology(this: *mut c_void, topology: D3D_PRIMITIVE_TOPOLOGY) {
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::Topology(topology)) };
}

unsafe extern "C" fn set_index_buffer(this: *mut c_void, view: *const D3D12_INDEX_BUFFER_VIEW) {
    // SAFETY: a list of ours, the program's structure.
    unsafe { Recording::command(this, Command::Index(view.as_ref().copied().unwrap_or_default())) };
}

unsafe extern "C" fn set_vertex_buffers(
    this: *mut c_void,
    first: u32,
    count: u32,
    views: *const D3D12_VERTEX_BUFFER_VIEW,
) {
    // SAFETY: a list of ours, the program's array.
    unsafe {
        // Without views the call changes nothing. A slot that has no number is none of the API's, as the largest number is.
        for (at, view) in (0u32..).zip(array(views, count.min(VERTEX_BUFFERS as u32 + 1))) {
            let slot = first.saturating_add(at);
            Recording::record(this, |list| list.set_vertex(slot, view), || Command::Vertex { slot, view: *view });
        }
    }
}

unsafe extern "C" fn set_viewports(this: *mut c_void, count: u32, viewports: *const D3D12_VIEWPORT) {
    // SAFETY: a list of ours, the program's array.
    unsafe {
        Recording::on_list(this, |list| {
            let given = array(viewports, count.min(VIEWPORTS as u32));
            list.bound.viewports[..given.len()].copy_from_slice(given);
            list.bound.viewport_count = given.len();
            list.encoder.dirty.set(Dirty::VIEWPORTS.or(Dirty::SCISSORS));
            Ok(())
        });
    }
}

unsafe extern "C" fn set_scissors(this: *mut c_void, count: u32, rects: *const D3D12_RECT) {
    // SAFETY: a list of ours, the program's array.
    unsafe {
        Recording::on_list(this, |list| {
            let given = array(rects, count.min(VIEWPORTS as u32));
            list.bound.scissors[..given.len()].copy_from_slice(given);
            list.bound.scissor_count = given.len();
            list.encoder.dirty.set(Dirty::SCISSORS);
            Ok(())
        });
    }
}

unsafe extern "C" fn set_blend_factor(this: *mut c_void, blend: *const [f32; 4]) {
    // SAFETY: a list of ours, the program's array.
    unsafe { Recording::command(this, Command::Blend(blend.as_ref().copied().unwrap_or([1.0; 4]))) };
}

unsafe extern "C" fn set_stencil(this: *mut c_void, stencil: u32) {
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::Stencil([stencil; 2])) };
}

unsafe extern "C" fn set_stencils(this: *mut c_void, front: u32, back: u32) {
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::Stencil([front, back])) };
}

unsafe extern "C" fn set_depth_bias(this: *mut c_void, constant: f32, clamp: f32, slope: f32) {
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::DepthBias([constant, clamp, slope])) };
}

unsafe extern "C" fn set_strip_cut(this: *mut c_void, value: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE) {
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::StripCut(value.0 != 0)) };
}

unsafe extern "C" fn set_depth_bounds(this: *mut c_void, least: f32, most: f32) {
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::DepthBounds([least, most])) };
}

unsafe extern "C" fn set_render_targets(
    this: *mut c_void,
    count: u32,
    handles: *const D3D12_CPU_DESCRIPTOR_HANDLE,
    one_range: i32,
    depth: *const D3D12_CPU_DESCRIPTOR_HANDLE,
) {
    // SAFETY: a list of ours, the program's arrays and descriptors.
    unsafe {
        Recording::outside_pass(this, |list| {
            let count = (count as usize).min(TARGETS);
            let mut targets = [None; TARGETS];
            for (at, place) in targets.iter_mut().enumerate().take(count) {
                // Behind null there is nothing.
                let handle = match (one_range, (*handles).ptr) {
                    (0, _) => (*handles.add(at)).ptr,
                    (_, 0) => 0,
                    (_, first) => first.wrapping_add(at as u64 * u64::from(INCREMENT)),
                };
                // A descriptor that was never written is a null target.
                *place = list.target(handle, RecordKind::RenderTarget);
            }
            let depth = depth.as_ref().and_then(|handle| list.target(handle.ptr, RecordKind::DepthStencil));
            list.bind_targets(targets, count, depth);
            Ok(())
        });
    }
}

unsafe extern "C" fn clear_state(this: *mut c_void, pipeline: *mut c_void) {
    // SAFETY: a list of ours, the program's pipeline state.
    unsafe {
        Recording::on_list(this, |list| {
            list.encoder.pause_predication();
            list.encoder.outside();
            list.reset_state();
            if let Some(pipeline) = Object::<PipelineState>::from_pointer(pipeline) {
                list.set_pipeline(pipeline);
            }
            Ok(())
        });
    }
}
