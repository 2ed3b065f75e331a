//! Memory of a device. Needs a Vulkan 1.3 driver that imports host memory (lavapipe does).
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

use std::sync::Arc;

use ash::vk;

use crate::instance::Instance;
use crate::logical::Logical;
use crate::memory::{Addressing, CpuAccess, Memory, Purpose, Request, Slice, upload};
use crate::settings::Settings;

const SIZE: u64 = 1 << 16;

/// The memory of the first device, with its instance's settings as they are.
fn memory() -> Arc<Memory> {
    let instance = Instance::shared(&Settings::default()).unwrap();
    let physical = crate::adapter::pick(&instance).unwrap();
    Memory::new(&Logical::new(instance, physical).unwrap())
}

fn request(access: CpuAccess, purpose: Purpose, size: u64) -> Request {
    let wish = access.wish();
    let (dedicated, addressing) = (vk::Image::null(), Addressing::Program);
    Request {
        size,
        alignment: SIZE,
        types: !0,
        wish,
        access,
        purpose,
        dedicated,
        zeroed: true,
        addressing,
        gpu_writes: false,
        outside: false,
    }
}

fn slice(memory: &Memory, access: CpuAccess, purpose: Purpose) -> Slice {
    memory.allocate(&request(access, purpose, SIZE)).unwrap()
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

#[test]
fn imported_uploads_are_ordinary_pages_of_the_process() {
    let memory = memory();
    for (purpose, size) in [
        (Purpose::Buffer, 1 << 16),
        (Purpose::Buffer, 8 << 20),
        (Purpose::Heap { buffers: true, images: false }, 1 << 20),
    ] {
        let slice = upload::allocate(&memory, &request(CpuAccess::Upload, purpose, size)).unwrap();
        assert_eq!((slice.address() % SIZE, slice.size), (0, size));
        let place = slice.mapped().unwrap().as_ptr() as usize;
        assert_eq!(mapping(place), "rw-p 00000000 00:00 0", "{purpose:?} {size}");
        assert_eq!(mapping(place + size as usize - 1), "rw-p 00000000 00:00 0", "{purpose:?} {size}");
    }
    let textures = Purpose::Heap { buffers: true, images: true };
    assert!(upload::allocate(&memory, &request(CpuAccess::Upload, textures, SIZE)).is_err());
}

/// Small imported slices share an allocation, but none with what the GPU writes.
#[test]
fn imported_chunks_are_their_own() {
    let memory = memory();
    let others = [CpuAccess::Upload, CpuAccess::Readback, CpuAccess::None];
    let others = others.map(|access| slice(&memory, access, Purpose::Buffer));
    let ask = request(CpuAccess::Upload, Purpose::Buffer, SIZE);
    let [first, second] = [(); 2].map(|()| upload::allocate(&memory, &ask).unwrap());
    assert!(Arc::ptr_eq(first.allocation(), second.allocation()));
    assert_ne!(first.offset, second.offset);
    for other in others {
        assert!(!Arc::ptr_eq(first.allocation(), other.allocation()));
    }
}

/// The CPU stores without waiting for fills that are under way.
#[test]
fn no_fill_goes_to_what_a_program_can_map() {
    let memory = memory();
    for purpose in [Purpose::Buffer, Purpose::Image] {
        let released = slice(&memory, CpuAccess::None, purpose);
        let chunk = released.allocation().clone();
        let mut turn = memory.fills().enter();
        let under_way = turn.take();
        turn.end();
        assert_eq!(under_way.len(), 1);
        drop(released);
        let upload = slice(&memory, CpuAccess::Upload, purpose);
        assert!(!Arc::ptr_eq(&chunk, upload.allocation()), "{purpose:?}");
    }
}

#[test]
fn a_released_slice_is_not_filled() {
    let memory = memory();
    let kept = Arc::new(slice(&memory, CpuAccess::None, Purpose::Buffer));
    drop(kept.part(0, 256));
    drop(slice(&memory, CpuAccess::None, Purpose::Heap { buffers: true, images: true }));
    drop(slice(&memory, CpuAccess::None, Purpose::Buffer));
    assert_eq!(memory.fills().enter().take().len(), 1, "a part goes without any effect on the whole");
}

#[test]
fn the_cpu_clears_what_a_program_can_map() {
    let memory = memory();
    for _ in 0..2 {
        let upload = slice(&memory, CpuAccess::Upload, Purpose::Buffer);
        let place = upload.mapped().unwrap().as_ptr();
        // SAFETY: the slice is mapped; nobody else has it.
        unsafe {
            assert!(core::slice::from_raw_parts(place, SIZE as usize).iter().all(|byte| *byte == 0));
            place.write_bytes(0xee, SIZE as usize);
        }
    }
    assert!(memory.fills().enter().take().is_empty());
}

#[test]
fn small_heaps_share_memory_and_large_ones_do_not() {
    let memory = memory();
    let purpose = Purpose::Heap { buffers: true, images: true };
    let [first, second] = [(); 2].map(|()| slice(&memory, CpuAccess::None, purpose));
    assert!(Arc::ptr_eq(first.allocation(), second.allocation()));
    assert_ne!(first.offset, second.offset);
    // Images and tiles want places in the memory that are aligned, not addresses.
    assert!([&first, &second].iter().all(|slice| slice.offset.is_multiple_of(SIZE)));
    let large = memory.allocate(&request(CpuAccess::None, purpose, 4 << 20)).unwrap();
    assert!(!Arc::ptr_eq(first.allocation(), large.allocation()));
    let mapped = slice(&memory, CpuAccess::Upload, purpose);
    assert!(!Arc::ptr_eq(first.allocation(), mapped.allocation()), "the GPU fills the one, the CPU the other");
}

/// One resource made and released after the other does not mean a chunk for each.
#[test]
fn the_newest_chunk_stays_without_slices() {
    let memory = memory();
    let first = slice(&memory, CpuAccess::None, Purpose::Buffer);
    let (chunk, offset) = (Arc::as_ptr(first.allocation()), first.offset);
    assert!(first.fresh);
    drop(first);
    let second = slice(&memory, CpuAccess::None, Purpose::Buffer);
    assert_eq!((Arc::as_ptr(second.allocation()), second.offset), (chunk, offset));
    assert!(!second.fresh, "another slice had the bytes");
}
