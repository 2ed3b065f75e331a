//! Vulkan's swap chain, with what its frames need.

use std::sync::Arc;

use ash::vk;

use crate::error::{Context, Result};
use crate::logical::Logical;
use crate::present::choice;
use crate::present::surface::Surface;
use crate::queue::Point;
use crate::queue::hardware::Hardware;

/// What a swap chain is made like: frames that want another make it anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) mode: vk::PresentModeKHR,
    pub(super) format: vk::SurfaceFormatKHR,
}

/// A swap chain.
pub(super) struct Chain {
    logical: Arc<Logical>,
    hardware: Arc<Hardware>,
    functions: ash::khr::swapchain::Device,
    pub(super) chain: vk::SwapchainKHR,
    pub(super) wish: Wish,
    pub(super) extent: vk::Extent2D,
    pub(super) images: Vec<vk::Image>,
    /// One for each image: signalled when the frame is in it, waited for by its present.
    pub(super) written: Vec<vk::Semaphore>,
    pool: vk::CommandPool,
    /// One more than there are images: each is free again before its turn comes.
    slots: Vec<Slot>,
    turn: usize,
}

/// What one frame on its way needs.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) commands: vk::CommandBuffer,
    /// Signalled when the image may be written, waited for by the commands.
    pub(super) acquired: vk::Semaphore,
    /// Until when the GPU uses both.
    pub(super) until: Option<Point>,
}

impl Chain {
    /// Makes a swap chain, in the place of an old one. `caps`: what the surface offers now.
    ///
    /// # Errors
    /// Vulkan cannot make it, or its objects.
    pub(super) fn new(
        logical: &Arc<Logical>,
        hardware: &Arc<Hardware>,
        functions: &ash::khr::swapchain::Device,
        surface: &Surface,
        (wish, extent, caps): (Wish, vk::Extent2D, &vk::SurfaceCapabilitiesKHR),
        old: Option<&Chain>,
    ) -> Result<Chain> {
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface.surface)
            .min_image_count(choice::count(caps))
            .image_format(wish.format.format)
            .image_color_space(wish.format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
            .pre_transform(caps.current_transform)
            .composite_alpha(choice::alpha(caps))
            .present_mode(wish.mode)
            .clipped(true)
            .old_swapchain(old.map_or(vk::SwapchainKHR::null(), |old| old.chain));
        // SAFETY: the surface lives; an old chain on it is no longer used after this.
        let chain = unsafe { functions.create_swapchain(&info, None) }.call("vkCreateSwapchainKHR")?;
        let mut new = Chain {
            logical: logical.clone(),
            hardware: hardware.clone(),
            functions: functions.clone(),
            chain,
            wish,
            extent,
            images: Vec::new(),
            written: Vec::new(),
            pool: vk::CommandPool::null(),
            slots: Vec::new(),
            turn: 0,
        };
        // What was made before an error goes with `new`.
        new.fill()?;
        Ok(new)
    }

    fn fill(&mut self) -> Result<()> {
        let vk = &self.logical.vk;
        let semaphore = || {
            // SAFETY: a plain structure.
            unsafe { vk.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }.call("vkCreateSemaphore")
        };
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(self.hardware.family.index)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the chain lives; the family is one of the device's; the pool was just made.
        unsafe {
            self.images = self.functions.get_swapchain_images(self.chain).call("vkGetSwapchainImagesKHR")?;
            self.pool = vk.create_command_pool(&info, None).call("vkCreateCommandPool")?;
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(self.pool)
                .command_buffer_count(self.images.len() as u32 + 1);
            let buffers = vk.allocate_command_buffers(&info).call("vkAllocateCommandBuffers")?;
            for commands in buffers {
                self.slots.push(Slot { commands, acquired: semaphore()?, until: None });
            }
        }
        for _ in 0..self.images.len() {
            self.written.push(semaphore()?);
        }
        Ok(())
    }

    /// The place of the next frame; waits until the GPU has left it.
    ///
    /// # Errors
    /// The device is lost.
    pub(super) fn slot(&mut self) -> Result<&mut Slot> {
        self.turn = (self.turn + 1) % self.slots.len();
        let slot = &mut self.slots[self.turn];
        if let Some(point) = slot.until.take() {
            point.timeline.wait(point.value)?;
        }
        Ok(slot)
    }

    /// The frame of the last [`Chain::slot`] was given to the GPU, which is done with it at this point.
    pub(super) fn sent(&mut self, until: Point) {
        self.slots[self.turn].until = Some(until);
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        let vk = &self.logical.vk;
        // Without more of Vulkan only an idle queue says that presents have let their semaphores go.
        let queue = self.hardware.lock();
        // SAFETY: the queue is locked. The wait makes it idle, so no command uses what is destroyed. If the wait fails, the device is
        // lost, and Vulkan allows its objects to be destroyed. Null handles are allowed.
        unsafe {
            let _ = vk.queue_wait_idle(*queue);
            drop(queue);
            let slots = self.slots.iter().map(|slot| slot.acquired);
            slots.chain(self.written.drain(..)).for_each(|semaphore| vk.destroy_semaphore(semaphore, None));
            vk.destroy_command_pool(self.pool, None);
            self.functions.destroy_swapchain(self.chain, None);
        }
    }
}
