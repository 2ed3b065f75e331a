//! The device, its profiling lock, and what is submitted to it.

use ash::vk;
use reprise_layer::{interface, next};

use crate::find;
use crate::tally::{State, state};

find! {
    c"vkCreateDevice" => create: vk::PFN_vkCreateDevice,
    c"vkAcquireProfilingLockKHR" => acquire: vk::PFN_vkAcquireProfilingLockKHR,
    c"vkReleaseProfilingLockKHR" => release: vk::PFN_vkReleaseProfilingLockKHR,
    c"vkQueueSubmit" => submit: vk::PFN_vkQueueSubmit,
    c"vkQueueSubmit2" => submit2: vk::PFN_vkQueueSubmit2,
    c"vkQueueSubmit2KHR" => submit2: vk::PFN_vkQueueSubmit2,
}

/// The device below does not know the extension.
unsafe extern "system" fn create(
    adapter: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    made: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the program's structure, which has so many names.
    let mut info = unsafe { *info };
    let mut names = Vec::new();
    if info.enabled_extension_count > 0 {
        // SAFETY: the structure is the program's: the array has as many names as the count beside it says.
        names = unsafe {
            std::slice::from_raw_parts(info.pp_enabled_extension_names, info.enabled_extension_count as usize)
        }
        .to_vec();
    }
    // SAFETY: names are texts of the program's.
    names.retain(|name| unsafe { std::ffi::CStr::from_ptr(*name) } != ash::khr::performance_query::NAME);
    (info.enabled_extension_count, info.pp_enabled_extension_names) = (names.len() as u32, names.as_ptr());
    // SAFETY: the arguments of this call.
    unsafe { interface::create_device(adapter, &raw const info, allocator, made) }
}

unsafe extern "system" fn acquire(_: vk::Device, _: *const vk::AcquireProfilingLockInfoKHR<'_>) -> vk::Result {
    state().locks += 1;
    vk::Result::SUCCESS
}

unsafe extern "system" fn release(_: vk::Device) {
    let mut state = state();
    match state.locks.checked_sub(1) {
        Some(locks) => state.locks = locks,
        None => state.broke("the lock is released that nobody has"),
    }
}

impl State {
    /// A command buffer runs: its queries have results then.
    fn run(&mut self, buffer: vk::CommandBuffer) {
        let ended = self.buffers.get(&buffer).map(|buffer| buffer.ended.clone()).unwrap_or_default();
        if !ended.is_empty() && self.locks == 0 {
            self.broke("work with queries is submitted without the lock");
        }
        for (pool, query, tally) in ended {
            self.queries += 1;
            let Some(pool) = self.pools.get_mut(&pool) else { continue };
            let is_ready = pool.is_reset.get_mut(query as usize).is_some_and(std::mem::take);
            if let Some(result) = pool.results.get_mut(query as usize) {
                *result = Some(tally);
            }
            if !is_ready {
                self.broke("a query runs that was not reset");
            }
        }
    }
}

unsafe extern "system" fn submit(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    for at in 0..count as usize {
        // SAFETY: the program has so many structures, with so many command buffers each.
        unsafe {
            let info = &*infos.add(at);
            let buffers = (0..info.command_buffer_count as usize).map(|at| *info.p_command_buffers.add(at));
            buffers.for_each(|buffer| state().run(buffer));
        }
    }
    // SAFETY: the type of the function, and the arguments of this call.
    unsafe {
        match next::command::<vk::PFN_vkQueueSubmit>(queue, &[c"vkQueueSubmit"]) {
            Some(below) => below(queue, count, infos, fence),
            None => vk::Result::ERROR_INITIALIZATION_FAILED,
        }
    }
}

unsafe extern "system" fn submit2(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    for at in 0..count as usize {
        // SAFETY: the program has so many structures, with so many command buffers each.
        unsafe {
            let info = &*infos.add(at);
            let all = 0..info.command_buffer_info_count as usize;
            let buffers = all.map(|at| (*info.p_command_buffer_infos.add(at)).command_buffer);
            buffers.for_each(|buffer| state().run(buffer));
        }
    }
    // SAFETY: the type of the function, and the arguments of this call.
    unsafe {
        match next::command::<vk::PFN_vkQueueSubmit2>(queue, &[c"vkQueueSubmit2", c"vkQueueSubmit2KHR"]) {
            Some(below) => below(queue, count, infos, fence),
            None => vk::Result::ERROR_INITIALIZATION_FAILED,
        }
    }
}
