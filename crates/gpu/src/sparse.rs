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
    /// Makes the change in the tables, and says what Vulkan has to be told. Called once, on the queue's thread, in the queue's order.
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

    /// Whether both change the memory of the same part. Vulkan makes the binds of one submission in no order.
    fn overlaps(&self, other: &Binds) -> bool {
        let lines = |a: &[vk::SparseMemoryBind], b: &[vk::SparseMemoryBind]| {
            a.iter().any(|a| b.iter().any(|b| meet((a.resource_offset, a.size), (b.resource_offset, b.size))))
        };
        let boxes = |a: &vk::SparseImageMemoryBind, b: &vk::SparseImageMemoryBind| {
            let (at, to, long, wide) = (a.offset, b.offset, a.extent, b.extent);
            let within = |a: i32, long: u32, b: i32, wide: u32| meet((a as u64, long.into()), (b as u64, wide.into()));
            a.subresource.mip_level == b.subresource.mip_level
                && a.subresource.array_layer == b.subresource.array_layer
                && a.subresource.aspect_mask.intersects(b.subresource.aspect_mask)
                && within(at.x, long.width, to.x, wide.width)
                && within(at.y, long.height, to.y, wide.height)
                && within(at.z, long.depth, to.z, wide.depth)
        };
        self.target == other.target
            && (lines(&self.buffer, &other.buffer)
                || lines(&self.opaque, &other.opaque)
                || self.image.iter().any(|a| other.image.iter().any(|b| boxes(a, b))))
    }
}

/// Whether two ranges, each a start and a length, have something in common.
fn meet((start, length): (u64, u64), (other, long): (u64, u64)) -> bool {
    start < other + long && other < start + length
}

/// Changes that one submission makes: no two of them change the same part.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    #[allow(clippy::type_complexity, reason = "a change, held with what it became")]
    changes: Vec<(Box<dyn Change>, Binds)>,
}

impl Batch {
    /// Changes of one batch. Each new one is compared with all before it, and a submission costs much more than 64 comparisons.
    const LIMIT: usize = 64;

    /// Whether nothing is to be done.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Makes a change in the tables and takes it in. Gives it back, made in the tables, where this batch must be submitted first.
    pub(crate) fn take(&mut self, change: Box<dyn Change>) -> Option<Batch> {
        let binds = change.apply();
        if binds.is_empty() {
            return None;
        }
        if self.changes.len() == Self::LIMIT || self.changes.iter().any(|(_, other)| other.overlaps(&binds)) {
            return Some(Batch { changes: vec![(change, binds)] });
        }
        self.changes.push((change, binds));
        None
    }

    /// Gives the binds to Vulkan.
    ///
    /// # Errors
    /// Vulkan refuses them.
    ///
    /// # Safety
    /// The queue is the caller's alone; semaphores are as `vkQueueBindSparse` demands; the batch lives until the signal.
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
        let (mut buffers, mut opaque, mut images) = (Vec::new(), Vec::new(), Vec::new());
        for (_, binds) in &self.changes {
            match binds.target {
                Target::Buffer(buffer) => {
                    buffers.push(vk::SparseBufferMemoryBindInfo::default().buffer(buffer).binds(&binds.buffer));
                }
                Target::Image(image) => {
                    if !binds.opaque.is_empty() {
                        opaque.push(vk::SparseImageOpaqueMemoryBindInfo::default().image(image).binds(&binds.opaque));
                    }
                    if !binds.image.is_empty() {
                        images.push(vk::SparseImageMemoryBindInfo::default().image(image).binds(&binds.image));
                    }
                }
            }
        }
        let mut info =
            vk::BindSparseInfo::default().wait_semaphores(waits.0).signal_semaphores(&signals).push_next(&mut timeline);
        // Empty arrays stay null.
        if !buffers.is_empty() {
            info = info.buffer_binds(&buffers);
        }
        if !opaque.is_empty() {
            info = info.image_opaque_binds(&opaque);
        }
        if !images.is_empty() {
            info = info.image_binds(&images);
        }
        let info = [info];
        // SAFETY: the caller has the queue for itself and keeps the resources, the memory and the semaphores.
        let result = unsafe { logical.vk.queue_bind_sparse(queue, &info, vk::Fence::null()) };
        logical.check("vkQueueBindSparse", result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    fn buffer(number: u64, ranges: &[(u64, u64)]) -> Binds {
        let bind = |(offset, size): &(u64, u64)| vk::SparseMemoryBind::default().resource_offset(*offset).size(*size);
        Binds { buffer: ranges.iter().map(bind).collect(), ..Binds::none(Target::Buffer(vk::Buffer::from_raw(number))) }
    }

    fn image(level: u32, x: i32, width: u32) -> Binds {
        let subresource =
            vk::ImageSubresource { aspect_mask: vk::ImageAspectFlags::COLOR, mip_level: level, array_layer: 0 };
        let bind = vk::SparseImageMemoryBind::default()
            .subresource(subresource)
            .offset(vk::Offset3D { x, y: 0, z: 0 })
            .extent(vk::Extent3D { width, height: 128, depth: 1 });
        Binds { image: vec![bind], ..Binds::none(Target::Image(vk::Image::from_raw(1))) }
    }

    #[test]
    fn parts_that_meet_overlap() {
        assert!(buffer(1, &[(0, 10), (20, 10)]).overlaps(&buffer(1, &[(15, 6)])));
        assert!(!buffer(1, &[(0, 10), (20, 10)]).overlaps(&buffer(1, &[(10, 10), (30, 1)])));
        assert!(!buffer(1, &[(0, 10)]).overlaps(&buffer(2, &[(0, 10)])));
        assert!(image(0, 0, 128).overlaps(&image(0, 127, 1)));
        assert!(!image(0, 0, 128).overlaps(&image(0, 128, 128)));
        assert!(!image(0, 0, 128).overlaps(&image(1, 0, 128)));
    }

    #[derive(Debug)]
    struct Made(std::sync::Mutex<Option<Binds>>);

    impl Change for Made {
        fn apply(&self) -> Binds {
            self.0.lock().unwrap().take().unwrap_or_else(|| Binds::none(Target::Buffer(vk::Buffer::null())))
        }
    }

    #[test]
    fn a_batch_ends_where_a_part_changes_again() {
        let change = |start| -> Box<dyn Change> { Box::new(Made(Some(buffer(1, &[(start, 10)])).into())) };
        let mut batch = Batch::default();
        assert!(batch.take(change(0)).is_none() && batch.take(change(10)).is_none());
        let nothing = Made(None.into());
        assert!(batch.take(Box::new(nothing)).is_none());
        assert_eq!(batch.changes.len(), 2);
        let next = batch.take(change(5)).unwrap();
        assert_eq!((batch.changes.len(), next.changes.len()), (2, 1));
        let mut batch = next;
        let more = (1..100).map(|at| change(at * 100)).find_map(|change| batch.take(change)).unwrap();
        assert_eq!((batch.changes.len(), more.changes.len()), (Batch::LIMIT, 1));
    }
}
