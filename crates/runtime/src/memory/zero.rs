//! Zeroed memory: what the API promises of every resource and heap.
//!
//! Memory that the program can map is cleared by the CPU at once. The rest cannot be looked at but by the GPU, so it waits for
//! the next submission with lists, of any queue, which fills it in front of its lists ([`queue::Fresh`](crate::queue::Fresh)
//! says why no other submission overtakes it). Nobody waits for a GPU to create something.

use std::sync::{Arc, Weak};

use ash::vk;

use crate::Device;
use crate::memory::{Allocation, Slice};

/// Makes a slice's bytes zero before anybody can look. `mappable`: the program may map them.
pub(super) fn zero(device: &Device, slice: &mut Slice, mappable: bool) {
    if let (true, Some(bytes)) = (mappable, slice.mapped()) {
        // SAFETY: the slice is mapped, and nobody else has it yet.
        unsafe { core::ptr::write_bytes(bytes.as_ptr(), 0, slice.size as usize) };
        return;
    }
    // Only memory of a single image that Vulkan wants alone has no buffer; such an image is not zeroed.
    if slice.allocation.buffer != vk::Buffer::null() {
        slice.filled = true;
        let memory = Arc::downgrade(&slice.allocation);
        device.fresh.add_fill(Waiting { memory, offset: slice.offset, size: slice.size });
    }
}

/// Bytes that are to be zero, and are let go with their memory.
#[derive(Debug)]
pub struct Waiting {
    memory: Weak<Allocation>,
    offset: u64,
    size: u64,
}

impl Waiting {
    /// Whether it is the fill of the slice that begins here.
    pub fn is_at(&self, memory: &Arc<Allocation>, offset: u64) -> bool {
        self.offset == offset && core::ptr::eq(self.memory.as_ptr(), Arc::as_ptr(memory))
    }
}

/// Bytes that a submission fills; it keeps their memory until the GPU is done.
#[derive(Debug)]
pub struct Fill {
    memory: Arc<Allocation>,
    offset: u64,
    size: u64,
}

impl Fill {
    /// As few fills as do for all that waits and is still there.
    pub fn all(waiting: Vec<Waiting>) -> Vec<Fill> {
        let living = |it: Waiting| Some(Fill { memory: it.memory.upgrade()?, offset: it.offset, size: it.size });
        let mut fills: Vec<Fill> = waiting.into_iter().filter_map(living).collect();
        fills.sort_by_key(|fill| (Arc::as_ptr(&fill.memory) as usize, fill.offset));
        fills.dedup_by(|next, fill| {
            let joins = Arc::ptr_eq(&fill.memory, &next.memory) && fill.end() == next.offset;
            if joins {
                // From beginning to end: between them lies what fills up a last word.
                fill.size = next.offset + next.size - fill.offset;
            }
            joins
        });
        fills
    }

    /// The end in whole words, which fills are in; a last part of a word belongs to nobody else, because slices begin at words.
    fn end(&self) -> u64 {
        self.offset + self.size.next_multiple_of(4)
    }

    /// Records the fill.
    ///
    /// # Safety
    /// The command buffer is being recorded, outside of rendering, and `self` lives until the GPU is done with it.
    pub unsafe fn record(&self, vk: &ash::Device, buffer: vk::CommandBuffer) {
        let size = if self.end() > self.memory.size { vk::WHOLE_SIZE } else { self.end() - self.offset };
        // SAFETY: the range lies inside of the buffer; the rest by contract.
        unsafe { vk.cmd_fill_buffer(buffer, self.memory.buffer, self.offset, size, 0) };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reprise_d3d12::types::{D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE};

    use super::*;
    use crate::memory::allocator::{Purpose, Request, allocate};

    const SIZE: u64 = 1 << 16;

    fn slice(device: &reprise_com::Object<Device>, kind: D3D12_HEAP_TYPE, purpose: Purpose) -> Slice {
        let heap = D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() };
        let dedicated = vk::Image::null();
        let request = Request { size: SIZE, alignment: SIZE, types: !0, heap: &heap, purpose, dedicated, zeroed: true };
        allocate(device, &request).unwrap()
    }

    /// Needs a Vulkan 1.3 driver.
    #[test]
    fn neighbours_are_filled_at_once_and_the_dead_are_not() {
        let device = crate::device::create(None, true).unwrap();
        let kind = D3D12_HEAP_TYPE::DEFAULT;
        let small = [(); 4].map(|()| slice(&device, kind, Purpose::Buffer));
        let alone = slice(&device, kind, Purpose::Heap { buffers: true, images: true });
        let [first, second, third, fourth] = small;
        assert!([&second, &third, &fourth].iter().all(|one| Arc::ptr_eq(&one.allocation, &first.allocation)));
        // A part goes without any effect on the whole.
        drop(first.part(0, 256));
        drop(third);
        let gone = slice(&device, kind, Purpose::Heap { buffers: true, images: true });
        drop(gone);
        let waiting = device.fresh.take_fills();
        let fills = Fill::all(waiting);
        let mut ranges: Vec<_> = fills.iter().map(|fill| (Arc::as_ptr(&fill.memory), fill.offset, fill.size)).collect();
        let chunk = Arc::as_ptr(&first.allocation);
        let mut expected = vec![
            (chunk, first.offset, 2 * SIZE),
            (chunk, fourth.offset, SIZE),
            (Arc::as_ptr(&alone.allocation), 0, SIZE),
        ];
        ranges.sort();
        expected.sort();
        assert_eq!(ranges, expected);
    }

    /// Needs a Vulkan 1.3 driver.
    #[test]
    fn joined_fills_reach_to_the_end_of_the_last() {
        let device = crate::device::create(None, true).unwrap();
        let slice = slice(&device, D3D12_HEAP_TYPE::DEFAULT, Purpose::Buffer);
        let waiting = |offset, size| Waiting { memory: Arc::downgrade(&slice.allocation), offset, size };
        let fills = Fill::all(vec![waiting(8, 5), waiting(0, 5), waiting(16, 5)]);
        assert_eq!(fills.iter().map(|fill| (fill.offset, fill.end())).collect::<Vec<_>>(), [(0, 24)]);
    }

    /// The CPU stores without waiting for fills that are under way. Needs a Vulkan 1.3 driver.
    #[test]
    fn no_fill_goes_to_what_a_program_can_map() {
        let device = crate::device::create(None, true).unwrap();
        for purpose in [Purpose::Buffer, Purpose::Image] {
            let released = slice(&device, D3D12_HEAP_TYPE::DEFAULT, purpose);
            let under_way = Fill::all(device.fresh.take_fills());
            assert_eq!(under_way.len(), 1);
            drop(released);
            let upload = slice(&device, D3D12_HEAP_TYPE::UPLOAD, purpose);
            assert!(!Arc::ptr_eq(&under_way[0].memory, &upload.allocation), "{purpose:?}");
        }
    }

    /// Needs a Vulkan 1.3 driver.
    #[test]
    fn the_cpu_clears_what_a_program_can_map() {
        let device = crate::device::create(None, true).unwrap();
        for _ in 0..2 {
            let upload = slice(&device, D3D12_HEAP_TYPE::UPLOAD, Purpose::Buffer);
            let place = upload.mapped().unwrap().as_ptr();
            // SAFETY: the slice is mapped; nobody else has it.
            unsafe {
                assert!(core::slice::from_raw_parts(place, SIZE as usize).iter().all(|byte| *byte == 0));
                place.write_bytes(0xee, SIZE as usize);
            }
        }
        assert!(device.fresh.take_fills().is_empty());
    }
}
