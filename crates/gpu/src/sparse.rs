//! Sparse resources: which memory their parts have, and the Vulkan call that changes it.

use std::sync::Arc;

use ash::vk;

use crate::error::Result;
use crate::logical::Logical;
use crate::memory::Slice;

/// The memory of a part.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// The memory that holds the part; nobody else gets its bytes while this lives.
    pub slice: Arc<Slice>,
    /// The first byte within the allocation of the slice.
    pub offset: u64,
}

/// A sparse resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A buffer.
    Buffer(vk::Buffer),
    /// An image.
    Image(vk::Image),
}

/// A change of mappings that a queue makes in its order. It lives until the GPU has made the change.
pub trait Change: core::fmt::Debug + Send {
    /// Makes the change in the tables, and says what Vulkan has to be told. Called once, on the queue's thread.
    fn apply(&self) -> Binds;
}

/// Binds of one resource.
#[derive(Debug)]
pub struct Binds {
    /// The resource.
    pub target: Target,
    /// Parts of a buffer.
    pub buffer: Vec<vk::SparseMemoryBind>,
    /// Parts of an image's memory that are no texels of one level.
    pub opaque: Vec<vk::SparseMemoryBind>,
    /// Boxes of texels of an image.
    pub image: Vec<vk::SparseImageMemoryBind>,
    /// Mappings that are gone once the GPU has come past this.
    pub before: Vec<Mapping>,
}

impl Binds {
    /// Nothing to do.
    pub fn none(target: Target) -> Binds {
        Binds { target, buffer: Vec::new(), opaque: Vec::new(), image: Vec::new(), before: Vec::new() }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.opaque.is_empty() && self.image.is_empty()
    }

    /// Gives the binds to Vulkan.
    ///
    /// # Errors
    /// Vulkan refuses them.
    ///
    /// # Safety
    /// The queue is the caller's alone; semaphores are as `vkQueueBindSparse` demands; the resource and the memory live until
    /// the signal.
    pub(crate) unsafe fn submit(
        &self,
        logical: &Logical,
        queue: vk::Queue,
        waits: (&[vk::Semaphore], &[u64]),
        signal: (vk::Semaphore, u64),
    ) -> Result<()> {
        let (signals, values) = ([signal.0], [signal.1]);
        let mut timeline =
            vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(waits.1).signal_semaphore_values(&values);
        let mut info = vk::BindSparseInfo::default().wait_semaphores(waits.0).signal_semaphores(&signals);
        let (buffers, opaque, images);
        match self.target {
            Target::Buffer(buffer) => {
                buffers = [vk::SparseBufferMemoryBindInfo::default().buffer(buffer).binds(&self.buffer)];
                info = info.buffer_binds(&buffers);
            }
            Target::Image(image) => {
                opaque = [vk::SparseImageOpaqueMemoryBindInfo::default().image(image).binds(&self.opaque)];
                images = [vk::SparseImageMemoryBindInfo::default().image(image).binds(&self.image)];
                if !self.opaque.is_empty() {
                    info = info.image_opaque_binds(&opaque);
                }
                if !self.image.is_empty() {
                    info = info.image_binds(&images);
                }
            }
        }
        let info = [info.push_next(&mut timeline)];
        // SAFETY: the caller has the queue for itself and keeps the resource, the memory and the semaphores.
        let result = unsafe { logical.vk.queue_bind_sparse(queue, &info, vk::Fence::null()) };
        logical.check("vkQueueBindSparse", result)
    }
}
