//! Copies a presented image into host memory, on the program's own queue.
//!
//! Invariant: the copy waits for everything the present would have waited for and is complete before [`Copier::take`]
//! returns; the image is left in the layout that presentation expects. One copier per swap chain; its own objects are few
//! and live as long as it does.

use ash::vk;

use crate::loader::next;

macro_rules! functions {
    ($($name:ident: $pfn:ident = $symbol:literal;)*) => {
        /// Functions of the Vulkan loader.
        #[derive(Clone, Copy)]
        struct Functions { $($name: vk::$pfn),* }

        impl Functions {
            fn load() -> Result<Self, String> {
                Ok(Self { $(
                    // SAFETY: the type of Vulkan's header for this name.
                    $name: unsafe { next::function($symbol) }.ok_or(concat!("no function ", stringify!($name)))?,
                )* })
            }
        }
    };
}

functions! {
    memory_properties: PFN_vkGetPhysicalDeviceMemoryProperties = c"vkGetPhysicalDeviceMemoryProperties";
    create_buffer: PFN_vkCreateBuffer = c"vkCreateBuffer";
    destroy_buffer: PFN_vkDestroyBuffer = c"vkDestroyBuffer";
    requirements: PFN_vkGetBufferMemoryRequirements = c"vkGetBufferMemoryRequirements";
    allocate: PFN_vkAllocateMemory = c"vkAllocateMemory";
    free: PFN_vkFreeMemory = c"vkFreeMemory";
    bind: PFN_vkBindBufferMemory = c"vkBindBufferMemory";
    map: PFN_vkMapMemory = c"vkMapMemory";
    create_pool: PFN_vkCreateCommandPool = c"vkCreateCommandPool";
    destroy_pool: PFN_vkDestroyCommandPool = c"vkDestroyCommandPool";
    allocate_commands: PFN_vkAllocateCommandBuffers = c"vkAllocateCommandBuffers";
    begin: PFN_vkBeginCommandBuffer = c"vkBeginCommandBuffer";
    end: PFN_vkEndCommandBuffer = c"vkEndCommandBuffer";
    barrier: PFN_vkCmdPipelineBarrier = c"vkCmdPipelineBarrier";
    copy: PFN_vkCmdCopyImageToBuffer = c"vkCmdCopyImageToBuffer";
    submit: PFN_vkQueueSubmit = c"vkQueueSubmit";
    create_fence: PFN_vkCreateFence = c"vkCreateFence";
    destroy_fence: PFN_vkDestroyFence = c"vkDestroyFence";
    reset_fences: PFN_vkResetFences = c"vkResetFences";
    wait_fences: PFN_vkWaitForFences = c"vkWaitForFences";
    create_semaphore: PFN_vkCreateSemaphore = c"vkCreateSemaphore";
    destroy_semaphore: PFN_vkDestroySemaphore = c"vkDestroySemaphore";
}

/// What is needed to read the images of one swap chain.
pub(super) struct Copier {
    functions: Functions,
    device: vk::Device,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: *const u8,
    size: u64,
    fence: vk::Fence,
    /// One for each image: it is waited for by that image's present, so it is free again when the image is.
    semaphores: Vec<vk::Semaphore>,
}

// SAFETY: the pointer is into memory that the copier owns; all use is under the lock of `swapchains::known`.
unsafe impl Send for Copier {}

/// A picture, and what the present has to wait for.
pub(super) struct Taken<'a> {
    /// Rows without padding.
    pub(super) bytes: &'a [u8],
    /// Null when the present waited for nothing, and still need not.
    pub(super) semaphore: vk::Semaphore,
}

fn ok(result: vk::Result, what: &str) -> Result<(), String> {
    if result == vk::Result::SUCCESS { Ok(()) } else { Err(format!("{what}: {result:?}")) }
}

impl Copier {
    /// Makes everything for pictures of `size` bytes.
    ///
    /// # Safety
    /// The device was made from the physical device, with a queue of the family.
    pub(super) unsafe fn new(
        physical: vk::PhysicalDevice,
        device: vk::Device,
        family: u32,
        size: u64,
        images: usize,
    ) -> Result<Self, String> {
        let mut new = Self {
            functions: Functions::load()?,
            device,
            pool: vk::CommandPool::null(),
            commands: vk::CommandBuffer::null(),
            buffer: vk::Buffer::null(),
            memory: vk::DeviceMemory::null(),
            bytes: core::ptr::null(),
            size,
            fence: vk::Fence::null(),
            semaphores: Vec::new(),
        };
        // What was made before an error is given back when `new` is dropped.
        // SAFETY: device, physical device and family belong together, as the caller says.
        unsafe {
            new.make_buffer(physical)?;
            new.make_commands(family)?;
            new.make_signals(images)?;
        }
        Ok(new)
    }

    /// # Safety
    /// As [`Copier::new`].
    unsafe fn make_buffer(&mut self, physical: vk::PhysicalDevice) -> Result<(), String> {
        let (f, device, none) = (self.functions, self.device, core::ptr::null());
        let info = vk::BufferCreateInfo::default().size(self.size).usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: structures of ours, on a living device.
        ok(unsafe { (f.create_buffer)(device, &raw const info, none, &raw mut self.buffer) }, "vkCreateBuffer")?;
        let mut needs = vk::MemoryRequirements::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties::default();
        // SAFETY: the buffer is of this device, the physical device is the device's, and the structures are ours.
        unsafe {
            (f.requirements)(device, self.buffer, &raw mut needs);
            (f.memory_properties)(physical, &raw mut properties);
        }
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let fits = |&at: &u32| {
            let flags = properties.memory_types[at as usize].property_flags;
            needs.memory_type_bits & (1 << at) != 0 && flags.contains(wanted)
        };
        // Cached memory reads a hundred times faster where there is a choice.
        let cached = |&at: &u32| {
            properties.memory_types[at as usize].property_flags.contains(vk::MemoryPropertyFlags::HOST_CACHED)
        };
        let types = 0..properties.memory_type_count.min(vk::MAX_MEMORY_TYPES as u32);
        let best = types.clone().filter(fits).find(cached).or_else(|| types.clone().find(fits));
        let index = best.ok_or("no memory that the host can read")?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        let mut bytes = core::ptr::null_mut();
        // SAFETY: structures of ours, on a living device; the memory is bound once, and mapped until it is freed.
        unsafe {
            ok((f.allocate)(device, &raw const info, none, &raw mut self.memory), "vkAllocateMemory")?;
            ok((f.bind)(device, self.buffer, self.memory, 0), "vkBindBufferMemory")?;
            let whole = (0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty());
            ok((f.map)(device, self.memory, whole.0, whole.1, whole.2, &raw mut bytes), "vkMapMemory")?;
        }
        self.bytes = bytes.cast();
        Ok(())
    }

    /// # Safety
    /// As [`Copier::new`].
    unsafe fn make_commands(&mut self, family: u32) -> Result<(), String> {
        let (f, device, none) = (self.functions, self.device, core::ptr::null());
        let flags = vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER | vk::CommandPoolCreateFlags::TRANSIENT;
        let info = vk::CommandPoolCreateInfo::default().flags(flags).queue_family_index(family);
        // SAFETY: structures of ours, on a living device.
        ok(unsafe { (f.create_pool)(device, &raw const info, none, &raw mut self.pool) }, "vkCreateCommandPool")?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: structures of ours, and the pool that was made above.
        let result = unsafe { (f.allocate_commands)(device, &raw const info, &raw mut self.commands) };
        ok(result, "vkAllocateCommandBuffers")
    }

    /// # Safety
    /// As [`Copier::new`].
    unsafe fn make_signals(&mut self, images: usize) -> Result<(), String> {
        let (f, device, none) = (self.functions, self.device, core::ptr::null());
        let info = vk::FenceCreateInfo::default();
        // SAFETY: structures of ours, on a living device.
        ok(unsafe { (f.create_fence)(device, &raw const info, none, &raw mut self.fence) }, "vkCreateFence")?;
        for _ in 0..images {
            let info = vk::SemaphoreCreateInfo::default();
            let mut semaphore = vk::Semaphore::null();
            // SAFETY: structures of ours, on a living device.
            let result = unsafe { (f.create_semaphore)(device, &raw const info, none, &raw mut semaphore) };
            ok(result, "vkCreateSemaphore")?;
            self.semaphores.push(semaphore);
        }
        Ok(())
    }

    /// Copies an image that is about to be presented, after `waits`, and waits until that is done.
    ///
    /// # Safety
    /// The image is number `index` of the swap chain this copier is for, ready to be presented; nobody else uses the queue.
    pub(super) unsafe fn take(
        &mut self,
        queue: vk::Queue,
        image: vk::Image,
        index: usize,
        extent: vk::Extent2D,
        waits: &[vk::Semaphore],
    ) -> Result<Taken<'_>, String> {
        // SAFETY: the caller passes an image of this swap chain, ready to be presented.
        unsafe { self.record(image, extent)? };
        let signal = match waits {
            [] => vk::Semaphore::null(),
            _ => self.semaphores.get(index).copied().ok_or("more images than the swap chain had")?,
        };
        let f = self.functions;
        let (stages, signals, commands) =
            (vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()], [signal], [self.commands]);
        let mut submit = vk::SubmitInfo::default().command_buffers(&commands);
        if !waits.is_empty() {
            submit = submit.wait_semaphores(waits).wait_dst_stage_mask(&stages).signal_semaphores(&signals);
        }
        // SAFETY: the commands are recorded and not in use: every use is waited for below.
        unsafe {
            ok((f.submit)(queue, 1, &raw const submit, self.fence), "vkQueueSubmit")?;
            ok((f.wait_fences)(self.device, 1, &raw const self.fence, vk::TRUE, u64::MAX), "vkWaitForFences")?;
            ok((f.reset_fences)(self.device, 1, &raw const self.fence), "vkResetFences")?;
        }
        // SAFETY: mapped for as long as `self`, at least this long, and written by no one until the next copy.
        let bytes = unsafe { core::slice::from_raw_parts(self.bytes, self.size as usize) };
        Ok(Taken { bytes, semaphore: signal })
    }

    /// # Safety
    /// As [`Copier::take`].
    unsafe fn record(&mut self, image: vk::Image, extent: vk::Extent2D) -> Result<(), String> {
        let (f, commands) = (self.functions, self.commands);
        let color = vk::ImageAspectFlags::COLOR;
        let whole = vk::ImageSubresourceRange::default().aspect_mask(color).level_count(1).layer_count(1);
        let (present, source) = (vk::ImageLayout::PRESENT_SRC_KHR, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        let change = |from, to, before, after| {
            vk::ImageMemoryBarrier::default()
                .src_access_mask(before)
                .dst_access_mask(after)
                .old_layout(from)
                .new_layout(to)
                .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                .image(image)
                .subresource_range(whole)
        };
        let (read, written) = (vk::AccessFlags::TRANSFER_READ, vk::AccessFlags::MEMORY_WRITE);
        let there = change(present, source, written, read);
        let back = change(source, present, read, vk::AccessFlags::empty());
        let to_host = vk::BufferMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .buffer(self.buffer)
            .size(vk::WHOLE_SIZE);
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(color).layer_count(1);
        let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent.into());
        let info = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let (all, transfer) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::PipelineStageFlags::TRANSFER);
        let after = all | vk::PipelineStageFlags::HOST;
        let (nothing, none) = (vk::DependencyFlags::empty(), core::ptr::null());
        // SAFETY: the command buffer is not in use; structures of ours that outlive the calls.
        unsafe {
            ok((f.begin)(commands, &raw const info), "vkBeginCommandBuffer")?;
            (f.barrier)(commands, all, transfer, nothing, 0, none, 0, core::ptr::null(), 1, &raw const there);
            (f.copy)(commands, image, source, self.buffer, 1, &raw const region);
            (f.barrier)(commands, transfer, after, nothing, 0, none, 1, &raw const to_host, 1, &raw const back);
            ok((f.end)(commands), "vkEndCommandBuffer")
        }
    }
}

impl Drop for Copier {
    fn drop(&mut self) {
        let (f, device, none) = (self.functions, self.device, core::ptr::null());
        // SAFETY: all objects are ours, on a device that lives (its swap chain is being destroyed); copies have ended; null
        // handles are allowed.
        unsafe {
            for &semaphore in &self.semaphores {
                (f.destroy_semaphore)(device, semaphore, none);
            }
            (f.destroy_fence)(device, self.fence, none);
            (f.destroy_pool)(device, self.pool, none);
            (f.destroy_buffer)(device, self.buffer, none);
            (f.free)(device, self.memory, none);
        }
    }
}
