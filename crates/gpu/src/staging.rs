//! Staging: texels that the CPU writes and reads where it cannot see the image.
//!
//! A queue of the device's own copies between the image and a buffer that the CPU sees, and the caller waits. It is made at the
//! first use: few programs let the CPU touch textures. The API forbids that the GPU uses the texels meanwhile, so there is no other
//! queue to wait for.

use core::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::families::Role;
use crate::image::{Image, Use};
use crate::logical::Logical;
use crate::memory::{CpuAccess, Memory};
use crate::queue::hardware::Queues;
use crate::queue::initialisation::Initialisation;
use crate::queue::{CommandQueue, Recorded};
use crate::scope::Scope;

/// The queue, once there is one.
#[derive(Debug, Default)]
pub struct Staging {
    lane: Mutex<Option<Lane>>,
}

/// What [`Staging`] needs of the device.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Vulkan's device.
    pub logical: &'a Arc<Logical>,
    /// Device memory.
    pub memory: &'a Arc<Memory>,
    /// New images and memory.
    pub initialisation: &'a Arc<Initialisation>,
    /// The Vulkan queues.
    pub queues: &'a Queues,
}

/// A queue with one command buffer, used by one caller at a time.
#[derive(Debug)]
struct Lane {
    queue: CommandQueue,
    pool: Arc<Pool>,
    buffer: vk::CommandBuffer,
}

#[derive(Debug)]
struct Pool {
    logical: Arc<Logical>,
    pool: vk::CommandPool,
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: the submissions that held the pool are done.
        unsafe { self.logical.vk.destroy_command_pool(self.pool, None) };
    }
}

impl Lane {
    fn new(parts: Parts<'_>) -> Result<Lane> {
        let Parts { logical, memory, initialisation, queues } = parts;
        let queue = CommandQueue::new(
            logical,
            (initialisation, memory.graveyard()),
            queues.pick(Role::Graphics),
            Arc::new(()),
        )?;
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(queue.family().index)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the family is one of the device's.
        let pool = unsafe { logical.vk.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        let pool = Arc::new(Pool { logical: logical.clone(), pool });
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool.pool).command_buffer_count(1);
        // SAFETY: the pool is this lane's.
        let buffers = unsafe { logical.vk.allocate_command_buffers(&info) }.call("vkAllocateCommandBuffers")?;
        Ok(Lane { queue, pool, buffer: buffers[0] })
    }

    /// Records what `copy` does with an image that is ready for a use, and waits until the GPU has done it.
    fn run(&self, image: &Arc<Image>, of: Use, copy: impl FnOnce(&ash::Device, vk::CommandBuffer)) -> Result<()> {
        let vk = &self.pool.logical.vk;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let before = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::COPY)
            .dst_access_mask(vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE)];
        let before = vk::DependencyInfo::default().memory_barriers(&before);
        let copies = Scope {
            stages: vk::PipelineStageFlags2::COPY,
            access: vk::AccessFlags2::TRANSFER_READ | vk::AccessFlags2::TRANSFER_WRITE,
        };
        let there = [image.transition(image.whole(), [Use::Rest, of], [Scope::ALL, copies])];
        let back = [image.transition(image.whole(), [of, Use::Rest], [copies, Scope::ALL])];
        let tracked = image.discipline.is_tracked();
        let (there, back) = if tracked { (&there[..], &back[..]) } else { (&[][..], &[][..]) };
        // SAFETY: the lane is locked, and its last submission is done: the buffer may be begun again.
        unsafe {
            vk.begin_command_buffer(self.buffer, &begin).call("vkBeginCommandBuffer")?;
            vk.cmd_pipeline_barrier2(self.buffer, &before.image_memory_barriers(there));
            copy(vk, self.buffer);
            if tracked {
                vk.cmd_pipeline_barrier2(self.buffer, &vk::DependencyInfo::default().image_memory_barriers(back));
            }
            vk.end_command_buffer(self.buffer).call("vkEndCommandBuffer")?;
        }
        let recorded: Arc<Recorded> =
            Arc::new(Recorded::new(self.buffer, vec![image.clone()], None, self.pool.clone()));
        self.queue.execute(vec![recorded]);
        self.queue.drain();
        if self.pool.logical.is_lost() { Err(Error::Lost) } else { Ok(()) }
    }
}

impl Staging {
    fn run(
        &self,
        parts: Parts<'_>,
        image: &Arc<Image>,
        of: Use,
        copy: impl FnOnce(&ash::Device, vk::CommandBuffer),
    ) -> Result<()> {
        let mut lane = self.lane.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = match &mut *lane {
            Some(lane) => lane,
            none => none.insert(Lane::new(parts)?),
        };
        lane.run(image, of, copy)
    }

    /// Lets the GPU do what new images and memory need, and waits for it.
    ///
    /// # Errors
    /// The device is lost, or out of memory.
    pub fn settle(&self, parts: Parts<'_>) -> Result<()> {
        let mut lane = self.lane.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = match &mut *lane {
            Some(lane) => lane,
            none => none.insert(Lane::new(parts)?),
        };
        lane.queue.hand_over();
        lane.queue.drain();
        if parts.logical.is_lost() { Err(Error::Lost) } else { Ok(()) }
    }

    /// Copies `size` bytes, which `fill` puts at the place that it gets, to texels of the image. The region's rows and slices lie
    /// in the bytes without padding, from offset 0.
    ///
    /// # Errors
    /// The device is lost, or out of memory.
    pub fn write(
        &self,
        parts: Parts<'_>,
        image: &Arc<Image>,
        region: vk::BufferImageCopy,
        size: u64,
        fill: impl FnOnce(NonNull<u8>),
    ) -> Result<()> {
        let slice = parts.memory.scratch(CpuAccess::Upload, size)?;
        fill(slice.mapped().ok_or(Error::Failed("staging memory that the CPU does not see"))?);
        let region = [vk::BufferImageCopy { buffer_offset: slice.offset, ..region }];
        let layout = image.discipline.layout(Use::Destination);
        self.run(parts, image, Use::Destination, |vk, commands| {
            // SAFETY: the command buffer is recording; the region lies inside of the image, as the caller checked, and of the slice;
            // both live until the GPU is done, because the caller waits.
            unsafe {
                vk.cmd_copy_buffer_to_image(commands, slice.allocation().buffer, image.image, layout, &region);
            }
        })
    }

    /// Copies texels of the image to `size` bytes, which `take` gets. The region's rows and slices lie in the bytes without padding,
    /// from offset 0.
    ///
    /// # Errors
    /// The device is lost, or out of memory.
    pub fn read(
        &self,
        parts: Parts<'_>,
        image: &Arc<Image>,
        region: vk::BufferImageCopy,
        size: u64,
        take: impl FnOnce(NonNull<u8>),
    ) -> Result<()> {
        let slice = parts.memory.scratch(CpuAccess::Readback, size)?;
        let place = slice.mapped().ok_or(Error::Failed("staging memory that the CPU does not see"))?;
        let region = [vk::BufferImageCopy { buffer_offset: slice.offset, ..region }];
        let layout = image.discipline.layout(Use::Source);
        self.run(parts, image, Use::Source, |vk, commands| {
            // SAFETY: the command buffer is recording; the region lies inside of the image, as the caller checked, and of the slice;
            // both live until the GPU is done, because the caller waits.
            unsafe {
                vk.cmd_copy_image_to_buffer(commands, image.image, layout, slice.allocation().buffer, &region);
            }
        })?;
        take(place);
        Ok(())
    }
}
