//! Commands that order others.

use ash::vk;

use super::{array, commands};
use crate::order::Order;
use crate::said::{self, DROPPED};
use crate::waiting::{self, Stages};

/// Whether a barrier is left out, as the test of this layer asks for: it orders builds, and changes no layout.
fn is_dropped(before: Stages, images: u32) -> bool {
    let builds = Stages::ACCELERATION_STRUCTURE_BUILD_KHR | Stages::ALL_COMMANDS;
    let dropped = Order::get().drops && images == 0 && before.intersects(builds);
    said::add(&DROPPED, u64::from(dropped));
    dropped
}

/// The stages before all barriers of a structure.
///
/// # Safety
/// The structure is the program's.
unsafe fn before(info: &vk::DependencyInfo<'_>) -> Stages {
    // SAFETY: the arrays have as many elements as their counts say.
    let (memory, buffers, images) = unsafe {
        (
            array(info.memory_barrier_count, info.p_memory_barriers),
            array(info.buffer_memory_barrier_count, info.p_buffer_memory_barriers),
            array(info.image_memory_barrier_count, info.p_image_memory_barriers),
        )
    };
    let all = memory.iter().map(|one| one.src_stage_mask);
    let all = all.chain(buffers.iter().map(|one| one.src_stage_mask));
    all.chain(images.iter().map(|one| one.src_stage_mask)).fold(Stages::NONE, |all, one| all | one)
}

commands! {
    begin [c"vkBeginCommandBuffer"] (info: *const vk::CommandBufferBeginInfo<'static>) -> vk::Result |buffer, below| {
        waiting::begin(buffer);
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, info) }
    }
    end [c"vkEndCommandBuffer"] () -> vk::Result |buffer, below| {
        waiting::everything(buffer);
        // SAFETY: the arguments of this call.
        unsafe { below(buffer) }
    }
    barrier [c"vkCmdPipelineBarrier"] (
        before: vk::PipelineStageFlags, after: vk::PipelineStageFlags, flags: vk::DependencyFlags,
        memory: u32, of_memory: *const vk::MemoryBarrier<'static>,
        buffers: u32, of_buffers: *const vk::BufferMemoryBarrier<'static>,
        images: u32, of_images: *const vk::ImageMemoryBarrier<'static>,
    ) |buffer, below| {
        // The stages of both kinds have the same bits.
        let stages = Stages::from_raw(before.as_raw().into());
        if !is_dropped(stages, images) {
            waiting::stages(buffer, stages);
            // SAFETY: the arguments of this call.
            unsafe {
                below(buffer, before, after, flags, memory, of_memory, buffers, of_buffers, images, of_images);
            }
        }
    }
    barrier2 [c"vkCmdPipelineBarrier2", c"vkCmdPipelineBarrier2KHR"] (
        info: *const vk::DependencyInfo<'static>,
    ) |buffer, below| {
        // SAFETY: the program's structure.
        let (stages, images) = unsafe { (before(&*info), (*info).image_memory_barrier_count) };
        if !is_dropped(stages, images) {
            waiting::stages(buffer, stages);
            // SAFETY: the arguments of this call.
            unsafe { below(buffer, info) };
        }
    }
    set_event [c"vkCmdSetEvent"] (event: vk::Event, stages: vk::PipelineStageFlags) |buffer, below| {
        waiting::everything(buffer);
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, event, stages) };
    }
    set_event2 [c"vkCmdSetEvent2", c"vkCmdSetEvent2KHR"] (
        event: vk::Event, info: *const vk::DependencyInfo<'static>,
    ) |buffer, below| {
        waiting::everything(buffer);
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, event, info) };
    }
    execute [c"vkCmdExecuteCommands"] (count: u32, buffers: *const vk::CommandBuffer) |buffer, below| {
        waiting::everything(buffer);
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, count, buffers) };
    }
    reset_queries [c"vkCmdResetQueryPool"] (pool: vk::QueryPool, first: u32, count: u32) |buffer, below| {
        waiting::queries(buffer, pool);
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, pool, first, count) };
    }
    render [c"vkCmdBeginRendering", c"vkCmdBeginRenderingKHR"] (info: *const vk::RenderingInfo<'static>) |buffer, below| {
        // SAFETY: the program's structure.
        waiting::render(buffer, !unsafe { (*info).flags }.is_empty());
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, info) };
    }
    end_rendering [c"vkCmdEndRendering", c"vkCmdEndRenderingKHR"] () |buffer, below| {
        // SAFETY: the arguments of this call.
        unsafe { below(buffer) };
        waiting::end_rendering(buffer);
    }
    render_pass [c"vkCmdBeginRenderPass2", c"vkCmdBeginRenderPass2KHR"] (
        info: *const vk::RenderPassBeginInfo<'static>, subpass: *const vk::SubpassBeginInfo<'static>,
    ) |buffer, below| {
        waiting::render(buffer, true);
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, info, subpass) };
    }
    end_render_pass [c"vkCmdEndRenderPass2", c"vkCmdEndRenderPass2KHR"] (
        info: *const vk::SubpassEndInfo<'static>,
    ) |buffer, below| {
        // SAFETY: the arguments of this call.
        unsafe { below(buffer, info) };
        waiting::end_rendering(buffer);
    }
}
