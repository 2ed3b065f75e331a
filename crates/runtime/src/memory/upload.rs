//! Upload heaps in host memory of the runtime's own, which Vulkan imports: `REPRISE_UPLOAD_MEMORY=imported`.
//!
//! A capture of the process has to find what the program stores there. Mappings of some drivers are device files, where the
//! kernel cannot watch; these pages are ordinary ones. Only what the program writes and the GPU reads is made so: readback heaps
//! stay as they are. Where it cannot be, the driver's memory serves, and `--log-level debug` says why.

use std::sync::Arc;

use reprise_com::Object;
use reprise_d3d12::types::D3D12_HEAP_TYPE;

use crate::memory::allocator::{CHUNK_OF_BUFFERS, LARGE_BUFFER, Purpose, Request};
use crate::memory::pages::Pages;
use crate::memory::types::is_mappable;
use crate::memory::{Allocation, Slice, allocator};
use crate::{Device, Error, Result};

/// Whether a heap is one that the program writes and the GPU reads, as far as its properties say.
pub(super) fn is_upload(request: &Request<'_>) -> bool {
    request.heap.Type != D3D12_HEAP_TYPE::READBACK && is_mappable(request.heap)
}

/// Memory as asked for, imported.
pub(super) fn allocate(device: &Object<Device>, request: &Request<'_>) -> Result<Slice> {
    // An image must be made for imported memory, and what will be placed in a heap is not known yet.
    match request.purpose {
        Purpose::Buffer | Purpose::Heap { buffers: true, images: false } => {}
        Purpose::Image | Purpose::Heap { .. } => return Err(Error::Unsupported("textures in imported memory")),
    }
    if request.purpose == Purpose::Buffer && request.size < LARGE_BUFFER {
        let new = || host(device, CHUNK_OF_BUFFERS, true);
        return allocator::from_chunks(&device.memory.imported, request, true, new);
    }
    let allocation = host(device, request.size, false)?;
    let (allocation, offset) = match allocation.address.next_multiple_of(request.alignment) - allocation.address {
        0 => (allocation, 0),
        _ => {
            let allocation = host(device, request.size + request.alignment, false)?;
            let address = allocation.address;
            (allocation, address.next_multiple_of(request.alignment) - address)
        }
    };
    Ok(Slice { allocation: Arc::new(allocation), offset, size: request.size, owned: false, filled: false })
}

/// An allocation of so many bytes, or a few more, in pages of its own.
fn host(device: &Object<Device>, size: u64, chunk: bool) -> Result<Allocation> {
    let alignment = device.caps.host_pages.max(1 << 16);
    let size = size.checked_next_multiple_of(alignment).ok_or(Error::Memory)?;
    let bytes = usize::try_from(size).map_err(|_| Error::Memory)?;
    let pages = Pages::new(bytes, alignment as usize)?;
    // SAFETY: the pages go after the allocation that has them.
    let mut made = unsafe { allocator::import(device, pages.base(), size, chunk) }?;
    made.pages = Some(pages);
    Ok(made)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ash::vk;
    use reprise_d3d12::types::{D3D12_CPU_PAGE_PROPERTY, D3D12_HEAP_PROPERTIES, D3D12_MEMORY_POOL};

    use super::*;

    fn heap(kind: D3D12_HEAP_TYPE) -> D3D12_HEAP_PROPERTIES {
        D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() }
    }

    fn request(heap: &D3D12_HEAP_PROPERTIES, purpose: Purpose, size: u64) -> Request<'_> {
        Request { size, alignment: 1 << 16, types: !0, heap, purpose, dedicated: vk::Image::null(), zeroed: true }
    }

    /// What the kernel says of the mapping that holds an address: its permissions, device, inode and name.
    fn mapping(address: usize) -> String {
        let all = std::fs::read_to_string("/proc/self/maps").unwrap();
        let holds = |line: &&str| {
            let (range, _) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let number = |text| usize::from_str_radix(text, 16).unwrap();
            (number(start)..number(end)).contains(&address)
        };
        let line = all.lines().find(holds).unwrap();
        line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
    }

    /// Needs a Vulkan 1.3 driver that imports host memory (lavapipe does).
    #[test]
    fn upload_heaps_are_ordinary_pages_of_the_process() {
        let device = crate::device::create(None, true).unwrap();
        let kind = heap(D3D12_HEAP_TYPE::UPLOAD);
        for (purpose, size) in [
            (Purpose::Buffer, 1 << 16),
            (Purpose::Buffer, 8 << 20),
            (Purpose::Heap { buffers: true, images: false }, 1 << 20),
        ] {
            let slice = allocate(&device, &request(&kind, purpose, size)).unwrap();
            assert_eq!((slice.address() % (1 << 16), slice.size), (0, size));
            let place = slice.mapped().unwrap().as_ptr() as usize;
            assert_eq!(mapping(place), "rw-p 00000000 00:00 0", "{purpose:?} {size}");
            assert_eq!(mapping(place + size as usize - 1), "rw-p 00000000 00:00 0", "{purpose:?} {size}");
        }
        let textures = Purpose::Heap { buffers: true, images: true };
        assert!(allocate(&device, &request(&kind, textures, 1 << 16)).is_err());
    }

    /// Small ones share an allocation, but none with what the GPU writes.
    #[test]
    fn chunks_are_their_own() {
        let device = crate::device::create(None, true).unwrap();
        let kinds = [D3D12_HEAP_TYPE::UPLOAD, D3D12_HEAP_TYPE::READBACK, D3D12_HEAP_TYPE::DEFAULT].map(heap);
        let [upload, readback, default] = kinds
            .each_ref()
            .map(|kind| allocator::allocate(&device, &request(kind, Purpose::Buffer, 1 << 16)).unwrap());
        let ask = request(&kinds[0], Purpose::Buffer, 1 << 16);
        let [first, second] = [(); 2].map(|()| allocate(&device, &ask).unwrap());
        assert!(Arc::ptr_eq(&first.allocation, &second.allocation));
        assert_ne!(first.offset, second.offset);
        for other in [upload, readback, default] {
            assert!(!Arc::ptr_eq(&first.allocation, &other.allocation));
        }
    }

    #[test]
    fn what_the_cpu_writes_is_an_upload_heap() {
        use D3D12_CPU_PAGE_PROPERTY as Page;
        let custom = |page| D3D12_HEAP_PROPERTIES {
            Type: D3D12_HEAP_TYPE::CUSTOM,
            CPUPageProperty: page,
            MemoryPoolPreference: D3D12_MEMORY_POOL::L0,
            ..Default::default()
        };
        for (properties, is) in [
            (heap(D3D12_HEAP_TYPE::UPLOAD), true),
            (heap(D3D12_HEAP_TYPE::READBACK), false),
            (heap(D3D12_HEAP_TYPE::DEFAULT), false),
            (custom(Page::WRITE_COMBINE), true),
            (custom(Page::WRITE_BACK), true),
            (custom(Page::NOT_AVAILABLE), false),
        ] {
            assert_eq!(
                is_upload(&request(&properties, Purpose::Buffer, 1)),
                is,
                "{:?}",
                (properties.Type, properties.CPUPageProperty)
            );
        }
    }
}
