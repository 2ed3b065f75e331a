//! Dispatches and rays.

use ash::vk;

use super::commands;
use crate::waiting::{self, About, Stages};

type Region = vk::StridedDeviceAddressRegionKHR;

const fn about(stages: Stages) -> About {
    About { stages, is_top: false, reads_state: true, pool: vk::QueryPool::null() }
}

const DISPATCH: About = about(Stages::COMPUTE_SHADER);
const RAYS: About = about(Stages::RAY_TRACING_SHADER_KHR);
const INDIRECT: About = about(Stages::from_raw(Stages::COMPUTE_SHADER.as_raw() | Stages::DRAW_INDIRECT.as_raw()));
const INDIRECT_RAYS: About =
    about(Stages::from_raw(Stages::RAY_TRACING_SHADER_KHR.as_raw() | Stages::DRAW_INDIRECT.as_raw()));

commands! {
    dispatch [c"vkCmdDispatch"] (x: u32, y: u32, z: u32) |buffer, below| {
        // SAFETY: the arguments of this call.
        waiting::wait(buffer, DISPATCH, move || unsafe { below(buffer, x, y, z) });
    }
    indirect [c"vkCmdDispatchIndirect"] (from: vk::Buffer, offset: vk::DeviceSize) |buffer, below| {
        // SAFETY: the arguments of this call.
        waiting::wait(buffer, INDIRECT, move || unsafe { below(buffer, from, offset) });
    }
    rays [c"vkCmdTraceRaysKHR"] (
        generation: *const Region, miss: *const Region, hit: *const Region, callable: *const Region,
        x: u32, y: u32, z: u32,
    ) |buffer, below| {
        // SAFETY: the program's structures.
        let all = unsafe { [*generation, *miss, *hit, *callable] };
        waiting::wait(buffer, RAYS, move || {
            // SAFETY: the arguments of this call; the structures live until it returns.
            unsafe { below(buffer, &all[0], &all[1], &all[2], &all[3], x, y, z) };
        });
    }
    indirect_rays [c"vkCmdTraceRaysIndirect2KHR"] (address: vk::DeviceAddress) |buffer, below| {
        // SAFETY: the arguments of this call.
        waiting::wait(buffer, INDIRECT_RAYS, move || unsafe { below(buffer, address) });
    }
}
