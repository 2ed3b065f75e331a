//! Zeroed memory: what the API promises of every resource and heap.
//!
//! Memory that the CPU sees is cleared by the CPU; the rest by a fill that the creating thread waits for, so that no queue has
//! to know of it.

use std::sync::PoisonError;

use ash::vk;
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;

use crate::memory::Slice;
use crate::{Device, Error, Result};

/// Makes a slice's bytes zero before anybody else can see them.
pub(super) fn zero(device: &Device, slice: &Slice) -> Result<()> {
    if let Some(bytes) = slice.mapped() {
        // SAFETY: the slice is mapped, and nobody else has it yet.
        unsafe { core::ptr::write_bytes(bytes.as_ptr(), 0, slice.size as usize) };
        return Ok(());
    }
    // Only memory of a single image that Vulkan wants alone has no buffer; such an image is not zeroed.
    if slice.allocation.buffer == vk::Buffer::null() {
        return Ok(());
    }
    fill(device, slice)
}

/// What a fill needs, destroyed with it.
struct Once<'a> {
    vk: &'a ash::Device,
    pool: vk::CommandPool,
    done: vk::Fence,
}

impl Drop for Once<'_> {
    fn drop(&mut self) {
        // SAFETY: the work is done, or was never begun; null is allowed.
        unsafe {
            self.vk.destroy_fence(self.done, None);
            self.vk.destroy_command_pool(self.pool, None);
        }
    }
}

/// Clears a slice by the GPU and waits for it.
fn fill(device: &Device, slice: &Slice) -> Result<()> {
    let vk = &device.vk;
    let hardware = device.queues.pick(D3D12_COMMAND_LIST_TYPE::COMPUTE)?;
    let mut once = Once { vk, pool: vk::CommandPool::null(), done: vk::Fence::null() };
    let info = vk::CommandPoolCreateInfo::default()
        .flags(vk::CommandPoolCreateFlags::TRANSIENT)
        .queue_family_index(hardware.family.index);
    // Fills are in words; a last part of a word belongs to nobody else, because slices begin at words.
    let size = slice.size.next_multiple_of(4);
    let size = if slice.offset + size > slice.allocation.size { vk::WHOLE_SIZE } else { size };
    // SAFETY: everything lives until the fence says that the work is done.
    unsafe {
        once.pool = device.check("vkCreateCommandPool", vk.create_command_pool(&info, None))?;
        once.done = device.check("vkCreateFence", vk.create_fence(&vk::FenceCreateInfo::default(), None))?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(once.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        let buffers = device.check("vkAllocateCommandBuffers", vk.allocate_command_buffers(&info))?;
        let Some(&buffer) = buffers.first() else { return Err(Error::Memory) };
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        device.check("vkBeginCommandBuffer", vk.begin_command_buffer(buffer, &info))?;
        vk.cmd_fill_buffer(buffer, slice.allocation.buffer, slice.offset, size, 0);
        device.check("vkEndCommandBuffer", vk.end_command_buffer(buffer))?;
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        {
            let queue = hardware.queue.lock().unwrap_or_else(PoisonError::into_inner);
            device.check("vkQueueSubmit", vk.queue_submit(*queue, &submit, once.done))?;
        }
        let waited = vk.wait_for_fences(&[once.done], true, u64::MAX);
        device.check("vkWaitForFences", waited)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reprise_d3d12::types::{D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE};

    use super::*;
    use crate::memory::allocator::{Purpose, Request, allocate};

    /// Needs a Vulkan 1.3 driver; on lavapipe all memory can be seen, so the GPU's fill can be checked there.
    #[test]
    fn the_gpu_clears_a_slice_and_nothing_beside() {
        let device = crate::device::create(None, true).unwrap();
        let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::READBACK, ..Default::default() };
        let purpose = Purpose::Heap { buffers: true };
        let request = Request {
            size: 1 << 20,
            alignment: 1 << 16,
            types: !0,
            heap: &heap,
            purpose,
            dedicated: vk::Image::null(),
        };
        let slice = allocate(&device, &request).unwrap();
        let place = slice.mapped().unwrap().as_ptr();
        // SAFETY: the slice is mapped; the GPU is idle.
        unsafe {
            assert!(core::slice::from_raw_parts(place, 1 << 20).iter().all(|byte| *byte == 0));
            place.write_bytes(0xee, 1 << 20);
            fill(&device, &slice.part(4096, 8192)).unwrap();
            let bytes = core::slice::from_raw_parts(place, 1 << 20);
            for (at, byte) in bytes.iter().enumerate() {
                assert_eq!(*byte, if (4096..4096 + 8192).contains(&at) { 0 } else { 0xee }, "{at}");
            }
            fill(&device, &slice).unwrap();
            assert!(core::slice::from_raw_parts(place, 1 << 20).iter().all(|byte| *byte == 0));
        }
    }
}
