//! Choices among the memory types of real devices, as their drivers state them (vulkan.gpuinfo.org).
#![allow(clippy::unwrap_used)]

use ash::vk::{MemoryHeap, MemoryHeapFlags, MemoryType};
use proptest::prelude::*;

use super::*;
use crate::architecture::Architecture;

/// A device: its memory, and the types that buffers and images with optimal tiling can live in.
struct Device {
    name: &'static str,
    types: &'static [(Flags, u32)],
    /// Whether each heap is the device's own.
    heaps: &'static [bool],
    buffers: u32,
    images: u32,
    architecture: Architecture,
}

const NONE: Flags = Flags::empty();
const HOST_CACHED: Flags = both(HOST, CACHED);
const LOCAL_HOST: Flags = both(LOCAL, HOST);
const ALL: Flags = both(LOCAL_HOST, CACHED);
/// What a program has to ask for by name.
const AMD: Flags = both(Flags::DEVICE_COHERENT_AMD, Flags::DEVICE_UNCACHED_AMD);

/// NVIDIA keeps images with optimal tiling out of memory that the CPU sees.
const NVIDIA: Device = Device {
    name: "NVIDIA, resizable BAR",
    types: &[(NONE, 1), (LOCAL, 0), (HOST, 1), (HOST_CACHED, 1), (LOCAL_HOST, 0)],
    heaps: &[true, false],
    buffers: 0b11111,
    images: 0b00011,
    architecture: Architecture::Discrete,
};
/// The last type is a window of 246 MB.
const NVIDIA_WINDOW: Device = Device {
    name: "NVIDIA, window of 256 MiB",
    types: &[(NONE, 1), (LOCAL, 0), (HOST, 1), (HOST_CACHED, 1), (LOCAL_HOST, 2)],
    heaps: &[true, false, true],
    ..NVIDIA
};
/// Before 2018: buffers, colours and depth have types of their own in each heap. The images are the attachments.
const NVIDIA_OLD: Device = Device {
    name: "NVIDIA, heaps of tier 1",
    types: &[(NONE, 1), (NONE, 1), (LOCAL, 0), (LOCAL, 0), (HOST, 1), (HOST_CACHED, 1)],
    heaps: &[true, false],
    buffers: 0b110101,
    images: 0b001010,
    architecture: Architecture::Discrete,
};
const AMD_DISCRETE: Device = Device {
    name: "AMD, RADV",
    types: &[
        (LOCAL, 0),
        (HOST, 1),
        (LOCAL_HOST, 0),
        (HOST_CACHED, 1),
        (both(LOCAL, AMD), 0),
        (both(HOST, AMD), 1),
        (both(LOCAL_HOST, AMD), 0),
        (both(HOST_CACHED, AMD), 1),
    ],
    heaps: &[true, false],
    buffers: 0xff,
    images: 0xff,
    architecture: Architecture::Discrete,
};
/// RADV splits the memory of an APU into a heap of the device and one of the host.
const AMD_APU: Device =
    Device { name: "AMD, APU", types: &[(LOCAL, 0), (HOST, 1), (LOCAL_HOST, 0), (HOST_CACHED, 1)], ..AMD_DISCRETE };
const INTEL: Device = Device {
    name: "Intel, integrated",
    types: &[(LOCAL, 0), (LOCAL_HOST, 0), (ALL, 0)],
    heaps: &[true],
    buffers: 0b111,
    images: 0b111,
    architecture: Architecture::Unified,
};
const LAVAPIPE: Device = Device {
    name: "lavapipe",
    types: &[(ALL, 0)],
    heaps: &[true],
    buffers: 1,
    images: 1,
    architecture: Architecture::CacheCoherent,
};

fn memory(types: &[(Flags, u32)], heaps: &[bool]) -> PhysicalDeviceMemoryProperties {
    let mut made = PhysicalDeviceMemoryProperties {
        memory_type_count: types.len() as u32,
        memory_heap_count: heaps.len() as u32,
        ..Default::default()
    };
    for (row, (property_flags, heap_index)) in made.memory_types.iter_mut().zip(types) {
        *row = MemoryType { property_flags: *property_flags, heap_index: *heap_index };
    }
    for (row, local) in made.memory_heaps.iter_mut().zip(heaps) {
        let flags = if *local { MemoryHeapFlags::DEVICE_LOCAL } else { MemoryHeapFlags::empty() };
        *row = MemoryHeap { size: 1 << 30, flags };
    }
    made
}

const WISHES: [Wish; 3] = [Wish::DEVICE, Wish::UPLOAD, Wish::READBACK];

#[test]
fn buffers_and_images_lie_where_they_are_fast() {
    for (device, buffers, images) in [
        (NVIDIA, [1, 2, 3], [Some(1), None, None]),
        (NVIDIA_WINDOW, [1, 2, 3], [Some(1), None, None]),
        (NVIDIA_OLD, [2, 4, 5], [Some(3), None, None]),
        (AMD_DISCRETE, [0, 1, 3], [Some(0), Some(1), Some(3)]),
        (AMD_APU, [0, 1, 3], [Some(0), Some(1), Some(3)]),
        (INTEL, [0, 1, 2], [Some(0), Some(1), Some(2)]),
        (LAVAPIPE, [0, 0, 0], [Some(0), Some(0), Some(0)]),
    ] {
        let memory = memory(device.types, device.heaps);
        assert_eq!(WISHES.map(|wish| wish.pick(&memory, device.buffers)), buffers.map(Some), "{}", device.name);
        assert_eq!(WISHES.map(|wish| wish.pick(&memory, device.images)), images, "{}", device.name);
        assert_eq!(Architecture::of(&memory), device.architecture, "{}", device.name);
    }
}

/// Every device has every heap: of buffers, of images, and of both.
#[test]
fn every_heap_has_memory() {
    for (device, both, images) in [
        (NVIDIA, [1, 2, 3], [1, 2, 3]),
        (NVIDIA_WINDOW, [1, 2, 3], [1, 2, 3]),
        // Buffers and attachments share no type: the heap is the buffers'.
        (NVIDIA_OLD, [2, 4, 5], [3, 4, 5]),
        (AMD_DISCRETE, [0, 1, 3], [0, 1, 3]),
        (AMD_APU, [0, 1, 3], [0, 1, 3]),
        (INTEL, [0, 1, 2], [0, 1, 2]),
        (LAVAPIPE, [0, 0, 0], [0, 0, 0]),
    ] {
        let memory = memory(device.types, device.heaps);
        let pick = |all| WISHES.map(|wish| wish.pick_for_heap(&memory, all, device.buffers));
        assert_eq!(pick(device.buffers & device.images), both.map(Some), "{}, all", device.name);
        assert_eq!(pick(device.images), images.map(Some), "{}, images", device.name);
    }
}

/// A full heap sends the next allocation to the system's memory, and not to the window onto the device's.
#[test]
fn full_memory_has_a_substitute() {
    for (device, wish, full, other) in [
        (NVIDIA, Wish::DEVICE, 1, Some(0)),
        (NVIDIA_WINDOW, Wish::DEVICE, 1, Some(0)),
        (NVIDIA_WINDOW, Wish::UPLOAD, 2, Some(4)),
        (AMD_DISCRETE, Wish::DEVICE, 0, Some(1)),
        (AMD_APU, Wish::READBACK, 3, Some(2)),
        (INTEL, Wish::DEVICE, 0, None),
        (LAVAPIPE, Wish::UPLOAD, 0, None),
    ] {
        let memory = memory(device.types, device.heaps);
        assert_eq!(wish.instead(&memory, device.buffers, full), other, "{}", device.name);
    }
    let memory = memory(NVIDIA.types, NVIDIA.heaps);
    assert_eq!(Wish::DEVICE.instead(&memory, NVIDIA.images, 1), Some(0), "images, too");
    assert_eq!(Wish::DEVICE.instead(&memory, 0b10, 1), None, "only what is allowed");
}

proptest! {
    /// A type is found exactly when one has what is required, and it is one of those allowed.
    #[test]
    fn picks_what_is_allowed(flags in prop::collection::vec(0u32..16, 1..32), allowed in any::<u32>(), kind in 0usize..3) {
        let types: Vec<_> = flags.iter().map(|bits| (Flags::from_raw(*bits), 0)).collect();
        let memory = memory(&types, &[true]);
        let wish = WISHES[kind];
        let suits = |index: usize| allowed & (1 << index) != 0 && types[index].0.contains(wish.required);
        match wish.pick(&memory, allowed) {
            Some(index) => prop_assert!(suits(index as usize)),
            None => prop_assert!(!(0..types.len()).any(suits)),
        }
    }
}
