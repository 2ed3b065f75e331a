//! Transfers of buffers.

use std::ffi::c_void;

use ash::vk;

use super::{TRANSFER, array, commands};
use crate::waiting::{self, About};

const ABOUT: About = About { stages: TRANSFER, is_top: false, reads_state: false, pool: vk::QueryPool::null() };

commands! {
    copy [c"vkCmdCopyBuffer"] (
        from: vk::Buffer, to: vk::Buffer, count: u32, regions: *const vk::BufferCopy,
    ) |buffer, below| {
        // SAFETY: there are so many.
        let regions = unsafe { array(count, regions) };
        waiting::wait(buffer, ABOUT, move || {
            // SAFETY: the arguments of this call; the array lives until it returns.
            unsafe { below(buffer, from, to, count, regions.as_ptr()) };
        });
    }
    update [c"vkCmdUpdateBuffer"] (
        to: vk::Buffer, offset: vk::DeviceSize, size: vk::DeviceSize, data: *const c_void,
    ) |buffer, below| {
        // SAFETY: so many bytes, 65,536 at most.
        let data = unsafe { array(size as u32, data.cast::<u8>()) };
        waiting::wait(buffer, ABOUT, move || {
            // SAFETY: the arguments of this call; the bytes live until it returns.
            unsafe { below(buffer, to, offset, size, data.as_ptr().cast()) };
        });
    }
    fill [c"vkCmdFillBuffer"] (
        to: vk::Buffer, offset: vk::DeviceSize, size: vk::DeviceSize, word: u32,
    ) |buffer, below| {
        // SAFETY: the arguments of this call.
        waiting::wait(buffer, ABOUT, move || unsafe { below(buffer, to, offset, size, word) });
    }
    answers [c"vkCmdCopyQueryPoolResults"] (
        pool: vk::QueryPool, first: u32, count: u32, to: vk::Buffer, offset: vk::DeviceSize, stride: vk::DeviceSize,
        flags: vk::QueryResultFlags,
    ) |buffer, below| {
        waiting::queries(buffer, pool);
        waiting::wait(buffer, About { pool, ..ABOUT }, move || {
            // SAFETY: the arguments of this call.
            unsafe { below(buffer, pool, first, count, to, offset, stride, flags) };
        });
    }
}
