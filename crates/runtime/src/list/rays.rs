//! Dispatches of rays.
//!
//! There are few in a list and each is long, so each tells Vulkan all of its state: pipeline, stack, sets and root arguments, which are
//! compute's. Invariant: compute and graphics find their root arguments lost afterwards, and tell them again.
//!
//! Vulkan skips no dispatch of rays by a predicate (`vk.xml`: its commands are not subject to conditional rendering). Under a predicate
//! the sizes lie in memory that is zero, and a kernel, which Vulkan does skip, copies the program's over them.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{
    D3D12_DISPATCH_RAYS_DESC as Desc, D3D12_GPU_VIRTUAL_ADDRESS_RANGE_AND_STRIDE as Table,
    D3D12_RESOURCE_STATES as States, D3D12_STATE_OBJECT_TYPE,
};
use reprise_gpu::descriptor::layout::RAYS;
use reprise_gpu::encoder::{Dirty, Heaps, Piece, WORDS};
use reprise_gpu::scope::Gathered;

use crate::descriptor::DescriptorHeap;
use crate::list::barrier::scope;
use crate::list::bound::traced;
use crate::list::command::Command;
use crate::list::recording::Recording;
use crate::state_object::StateObject;
use crate::state_object::piece::ABSENT;
use crate::{Error, Result};

/// Methods about ray tracing pipelines.
pub(super) const LIST_METHODS: &Slots =
    &[("SetPipelineState1", set_pipeline_state as *const c_void), ("DispatchRays", dispatch_rays as *const c_void)];

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::RAY_TRACING_KHR;
/// What the addresses of tables are multiples of: `D3D12_RAYTRACING_SHADER_TABLE_BYTE_ALIGNMENT`.
const TABLE_ALIGNMENT: u64 = 64;
/// What records are multiples of: `D3D12_RAYTRACING_SHADER_RECORD_BYTE_ALIGNMENT`.
const RECORD_ALIGNMENT: u64 = 32;
/// Most rays of a dispatch.
const MOST: u64 = 1 << 30;
/// Bytes that an indirect dispatch reads: `D3D12_DISPATCH_RAYS_DESC` and `VkTraceRaysIndirectCommand2KHR` alike.
const COMMAND: usize = 104;

/// What an indirect dispatch reads: tables and sizes.
fn command(tables: [vk::StridedDeviceAddressRegionKHR; 4], size: [u32; 3]) -> [u8; COMMAND] {
    let [generation, others @ ..] = tables;
    let tables = others.iter().flat_map(|table| [table.device_address, table.size, table.stride]);
    let addresses = [generation.device_address, generation.size].into_iter().chain(tables).flat_map(u64::to_le_bytes);
    let mut bytes = addresses.chain(size.into_iter().flat_map(u32::to_le_bytes));
    core::array::from_fn(|_| bytes.next().unwrap_or(0))
}

/// A table as Vulkan takes it.
fn region(table: &Table) -> Result<vk::StridedDeviceAddressRegionKHR> {
    if table.StartAddress == 0 {
        return Ok(vk::StridedDeviceAddressRegionKHR::default());
    }
    if !table.StartAddress.is_multiple_of(TABLE_ALIGNMENT) || !table.StrideInBytes.is_multiple_of(RECORD_ALIGNMENT) {
        return Err(Error::Call("DispatchRays with a table that is not aligned"));
    }
    Ok(vk::StridedDeviceAddressRegionKHR {
        device_address: table.StartAddress,
        stride: table.StrideInBytes,
        size: table.SizeInBytes,
    })
}

impl Recording {
    pub(super) fn set_state_object(&mut self, object: &Object<StateObject>) -> Result<()> {
        if object.kind != D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE {
            return Err(Error::Call("SetPipelineState1 with a state object that is no ray tracing pipeline"));
        }
        self.keep.states.exchange(&mut self.bound.rays, Some(object));
        Ok(())
    }

    pub(super) fn dispatch_rays(&mut self, desc: &Desc) -> Result<()> {
        let device = self.encoder.logical.clone();
        let rays = device.ext.ray_pipeline.as_ref().ok_or(ABSENT)?;
        let size = [desc.Width, desc.Height, desc.Depth];
        let all = size.iter().fold(1u64, |all, count| all.saturating_mul((*count).into()));
        if all == 0 {
            return Ok(());
        }
        let limits = &device.caps.limits;
        let fits = size.iter().zip(limits.max_compute_work_group_count).zip(limits.max_compute_work_group_size);
        let fits = fits
            .into_iter()
            .all(|((size, groups), threads)| u64::from(*size) <= u64::from(groups) * u64::from(threads));
        if all > MOST || !fits || all > device.caps.rays.max_ray_dispatch_invocation_count.into() {
            return Err(Error::Call("DispatchRays of more rays than the API or the device has"));
        }
        let record = &desc.RayGenerationShaderRecord;
        if record.StartAddress == 0 {
            return Err(Error::Call("DispatchRays without a ray generation shader"));
        }
        // Vulkan wants a table of one record.
        let bytes = record.SizeInBytes.checked_next_multiple_of(RECORD_ALIGNMENT);
        let bytes = bytes.ok_or(Error::Call("DispatchRays with a record of more bytes than there are"))?;
        let table = Table { StartAddress: record.StartAddress, SizeInBytes: bytes, StrideInBytes: bytes };
        let regions = [&table, &desc.MissShaderTable, &desc.HitGroupTable, &desc.CallableShaderTable].map(region);
        let [generation, miss, hit, callable] = regions;
        let (generation, miss, hit, callable) = (generation?, miss?, hit?, callable?);
        let lies = |table: &vk::StridedDeviceAddressRegionKHR| {
            table.device_address == 0 || self.encoder.addresses.find(table.device_address).is_some()
        };
        if ![&generation, &miss, &hit, &callable].into_iter().all(lies) {
            return Err(Error::Call("DispatchRays with a table at an address without a resource"));
        }
        if self.rays_need_predicates() {
            return self.dispatch_predicated(&command([generation, miss, hit, callable], size));
        }
        self.flush_rays()?;
        let ([x, y, z], buffer) = (size, self.encoder.buffer);
        // SAFETY: the list records outside of a render pass, with a pipeline, sets and stack set by `flush_rays`; tables are null or
        // addresses of buffers, as was looked up above, which the program keeps until the GPU is done.
        unsafe { rays.cmd_trace_rays(buffer, &generation, &miss, &hit, &callable, x, y, z) };
        Ok(())
    }

    /// Whether a predicate is set that Vulkan does not apply to rays, and that can be applied here.
    pub(super) fn rays_need_predicates(&self) -> bool {
        self.encoder.is_predicated() && self.encoder.logical.caps.traces_rays_after_compute()
    }

    /// A dispatch that a predicate may skip.
    fn dispatch_predicated(&mut self, command: &[u8; COMMAND]) -> Result<()> {
        let device = self.encoder.logical.clone();
        let lacks = Error::Unsupported("DispatchRays under a predicate, without indirect dispatches of rays");
        let able = device.caps.traces_rays_indirectly();
        let rays = device.ext.ray_maintenance.as_ref().filter(|_| able).ok_or(lacks)?;
        let given = self.encoder.scratch(COMMAND as u64)?;
        self.encoder.transfer();
        // SAFETY: the recording keeps its scratch memory, which has room for the command.
        unsafe { device.vk.cmd_update_buffer(self.encoder.buffer, given.buffer, given.offset, command) };
        let from = self.predicated_commands(given, None, 1, COMMAND as u32)?;
        self.flush_rays()?;
        // SAFETY: all state is set; the command lies in the recording's scratch memory, tables are the program's.
        unsafe { rays.cmd_trace_rays_indirect2(self.encoder.buffer, from.address) };
        Ok(())
    }

    /// Copies of commands for rays, close together. Where the predicate says to skip, and beyond the count, their sizes are zero.
    pub(super) fn predicated_commands(
        &mut self,
        from: Piece,
        counter: Option<Piece>,
        most: u32,
        stride: u32,
    ) -> Result<Piece> {
        let bytes = u64::from(most) * COMMAND as u64;
        let copy = self.encoder.scratch(bytes)?;
        let predicate = self.encoder.pause_predication();
        self.encoder.transfer();
        let vk = &self.encoder.logical.vk;
        // SAFETY: the recording keeps its scratch memory, which has room for the commands.
        unsafe { vk.cmd_fill_buffer(self.encoder.buffer, copy.buffer, copy.offset, bytes, 0) };
        let (copies, shaders) = (scope(States::COPY_DEST), scope(States::UNORDERED_ACCESS));
        let reads = scope(States::INDIRECT_ARGUMENT);
        self.encoder.barriers(&Gathered { before: copies.or(reads), after: shaders });
        self.encoder.resume_predication(predicate);
        self.copy_commands(from, copy, counter, [most, COMMAND as u32 / 4, stride / 4])?;
        self.encoder.barriers(&Gathered { before: shaders, after: reads });
        Ok(copy)
    }

    /// Everything that a dispatch of rays uses.
    pub(super) fn flush_rays(&mut self) -> Result<()> {
        self.computes()?;
        self.encoder.outside();
        if self.encoder.dirty.take(Dirty::LAYOUTS) {
            self.encoder.rest_copied();
        }
        if self.encoder.dirty.take(Dirty::DISPATCHED_BUILDS) {
            self.encoder.see_builds(Dirty::DISPATCHED_BUILDS);
        }
        // Taken out and put back: counting would cost more than the rest.
        let missing = Error::Call("DispatchRays without a ray tracing pipeline");
        let object = self.bound.rays.take().ok_or(missing)?;
        let done = self.flush_with(&object);
        self.bound.rays = Some(object);
        done
    }

    fn flush_with(&mut self, object: &StateObject) -> Result<()> {
        let device = self.encoder.logical.clone();
        let rays = device.ext.ray_pipeline.as_ref().ok_or(ABSENT)?;
        let root = &mut self.bound.compute;
        let signature = root.signature.as_ref();
        let whole = object.whole(signature.map(|signature| &***signature));
        let whole = whole.ok_or(Error::Call("DispatchRays with another root signature than its pipeline's"))?;
        // Shaders without root signatures are given none.
        let signature = signature.filter(|_| whole.layout.root().is_some());
        let (views, samplers) = (&self.bound.views, &self.bound.samplers);
        let visible = |heap: &Option<_>| {
            heap.as_ref().is_some_and(|heap: &reprise_com::Ref<DescriptorHeap>| heap.visible().is_some())
        };
        let sampler_set = 1 << self.encoder.device.bindings.samplers();
        if whole.sets & (sampler_set - 1) != 0 && !visible(views) {
            return Err(Error::Call("DispatchRays whose shaders use descriptors, without a heap of them"));
        }
        if whole.sets & sampler_set != 0 && !visible(samplers) {
            return Err(Error::Call("DispatchRays whose shaders use samplers, without a heap of them"));
        }
        let layout = &whole.layout;
        let heaps = Heaps {
            views: views.as_ref().and_then(|heap| heap.visible()),
            samplers: samplers.as_ref().and_then(|heap| heap.visible()),
            fixed: signature.and_then(|root| root.static_samplers.as_ref()),
            local: layout.samplers.as_ref().map(|samplers| (layout.set, samplers)),
        };
        self.encoder.bind_heaps(POINT, layout.vk, heaps);
        let buffer = self.encoder.buffer;
        let stack = u32::try_from(object.stack()).unwrap_or(u32::MAX);
        // SAFETY: the recording keeps the state object, which keeps its pipelines.
        unsafe {
            device.vk.cmd_bind_pipeline(buffer, POINT, whole.vk);
            rays.cmd_set_ray_tracing_pipeline_stack_size(buffer, stack);
        }
        if let Some(signature) = signature {
            root.words.touch();
            let mut room = [0; WORDS];
            let words = root.words.take_all(signature.push.words);
            let words = words.map(|words| traced(&mut room, (0, words), signature, self.encoder.nowhere));
            match (&signature.block, words) {
                (Some(block), Some(words)) => self.encoder.push_block((POINT, layout.vk, block.set), words)?,
                (None, Some(words)) => {
                    // SAFETY: words are bytes.
                    let bytes = unsafe { core::slice::from_raw_parts(words.as_ptr().cast::<u8>(), words.len() * 4) };
                    // SAFETY: the layout has a range of these stages that the words lie inside of.
                    unsafe { device.vk.cmd_push_constants(buffer, layout.vk, RAYS, 0, bytes) };
                }
                (_, None) => {}
            }
        }
        let vulkan = layout.vk;
        // No other bind point has its push constants any more.
        self.bound.pushed_for = POINT;
        self.encoder.dirty.set(Dirty::GRAPHICS_ROOT.or(Dirty::COMPUTE_ROOT));
        self.begin_record(POINT, vulkan, None)
    }
}

unsafe extern "C" fn set_pipeline_state(this: *mut c_void, object: *mut c_void) {
    // SAFETY: a list of ours, the program's state object.
    unsafe {
        match Object::<StateObject>::from_pointer(object) {
            Some(object) => {
                Recording::record(this, |list| list.set_state_object(object), || Command::StateObject(object.keep()))
            }
            None => {
                Recording::on_any(this, |_| {
                    Err(Error::Call("SetPipelineState1 without a state object of this runtime"))
                });
            }
        }
    }
}

unsafe extern "C" fn dispatch_rays(this: *mut c_void, desc: *const Desc) {
    // SAFETY: a list of ours, the program's description.
    unsafe {
        match desc.as_ref() {
            Some(desc) => {
                Recording::record(this, |list| list.dispatch_rays(desc), || Command::DispatchRays(Box::new(*desc)));
            }
            None => Recording::on_any(this, |_| Err(Error::Call("DispatchRays without a description"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets of the API's structure, which Vulkan's has as well.
    #[test]
    fn commands_lie_as_the_api_has_them() {
        let table = |first: u64| vk::StridedDeviceAddressRegionKHR {
            device_address: first,
            size: first + 1,
            stride: first + 2,
        };
        let bytes = command([table(10), table(20), table(30), table(40)], [7, 8, 9]);
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let tables = [
            core::mem::offset_of!(Desc, MissShaderTable),
            core::mem::offset_of!(Desc, HitGroupTable),
            core::mem::offset_of!(Desc, CallableShaderTable),
        ];
        assert_eq!([long(0), long(8)], [10, 11]);
        let found = tables.map(|at| [long(at), long(at + 8), long(at + 16)]);
        assert_eq!(found, [[20, 21, 22], [30, 31, 32], [40, 41, 42]]);
        assert_eq!([88, 92, 96].map(word), [7, 8, 9]);
        assert_eq!(core::mem::offset_of!(Desc, Width), 88);
        assert_eq!((size_of::<Desc>(), size_of::<vk::TraceRaysIndirectCommand2KHR>()), (COMMAND, COMMAND));
    }
}
