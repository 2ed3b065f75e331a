//! Memory that a later process has at the same addresses: recorded by one device, asked for by another. Needs a Vulkan 1.3 driver that
//! sees the process's memory at the process's addresses (lavapipe does). A process of its own, because its settings are the process's.

#![cfg(unix)]
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Arc;

use ash::vk;
use reprise_gpu::memory::pages::Pages;
use reprise_gpu::memory::place::{Origin, Place, Way};
use reprise_gpu::memory::types::Wish;
use reprise_gpu::memory::{Addressing, CpuAccess, Purpose, Request, Slice};
use reprise_gpu::settings::{Addresses, Settings};
use reprise_gpu::{Device, Instance, adapter};

const SMALL: u64 = 1 << 16;
const LARGE: u64 = 5 << 20;
const HEAP: Purpose = Purpose::Heap { buffers: true, images: false };

fn device() -> Arc<Device> {
    let instance = Instance::shared(&Settings { addresses: Addresses::Repeatable, ..Settings::default() }).unwrap();
    let physical = adapter::pick(&instance).unwrap();
    Device::new(instance, physical, None).unwrap()
}

fn request(access: CpuAccess, purpose: Purpose, size: u64, addressing: Addressing) -> Request {
    let wish = match access {
        CpuAccess::None => Wish::DEVICE,
        CpuAccess::Upload => Wish::UPLOAD,
        CpuAccess::Readback => Wish::READBACK,
    };
    let dedicated = vk::Image::null();
    Request {
        size,
        alignment: SMALL,
        types: !0,
        wish,
        access,
        purpose,
        dedicated,
        zeroed: true,
        addressing,
        gpu_writes: access == CpuAccess::Readback,
        outside: false,
    }
}

fn slice(device: &Device, access: CpuAccess, purpose: Purpose, size: u64) -> Slice {
    device.memory.allocate(&request(access, purpose, size, Addressing::Program)).unwrap()
}

fn at(device: &Device, access: CpuAccess, purpose: Purpose, place: Place) -> Slice {
    device.memory.allocate(&request(access, purpose, place.size, Addressing::At(place))).unwrap()
}

/// All that has places. Heaps of the device have none, because tiles may be mapped to them.
fn every_kind() -> Vec<(CpuAccess, Purpose, u64)> {
    let accesses = [CpuAccess::None, CpuAccess::Upload, CpuAccess::Readback];
    let sizes = [
        (Purpose::Buffer, SMALL),
        (Purpose::Buffer, LARGE),
        (HEAP, SMALL),
        (HEAP, LARGE),
        (Purpose::Buffer, 3 * SMALL),
    ];
    let all = accesses.into_iter().flat_map(|access| sizes.map(|(purpose, size)| (access, purpose, size)));
    all.filter(|(access, purpose, _)| access.is_mappable() || *purpose == Purpose::Buffer).collect()
}

#[test]
fn a_later_device_has_the_same_places_in_any_order() {
    let first = device();
    let made = every_kind().into_iter().map(|(access, purpose, size)| slice(&first, access, purpose, size));
    let made: Vec<Slice> = made.collect();
    let places: Vec<Place> = made.iter().map(|slice| slice.place().unwrap()).collect();
    let base = |access, purpose, size| {
        let found = every_kind().into_iter().position(|kind| kind == (access, purpose, size));
        places[found.unwrap()].base
    };
    let upload = |purpose, size| base(CpuAccess::Upload, purpose, size);
    assert_eq!(upload(Purpose::Buffer, SMALL), upload(Purpose::Buffer, 3 * SMALL), "small buffers share a chunk");
    assert_ne!(upload(Purpose::Buffer, SMALL), upload(HEAP, SMALL), "heaps have chunks of their own");
    assert!(places.iter().all(|place| place.origin.way == Way::Pages));
    // Through the bytes that a trace keeps.
    let driver = first.caps.driver_build();
    let kept = places.iter().map(|place| Place::of(&place.bytes(&driver), &driver).unwrap());
    let places: Vec<Place> = kept.collect();
    drop(made);
    drop(first);

    let second = device();
    let own = second.memory.scratch(CpuAccess::None, SMALL).unwrap();
    let all = every_kind().into_iter().zip(&places).rev();
    let again: Vec<Slice> = all.map(|((access, purpose, _), place)| at(&second, access, purpose, *place)).collect();
    for (slice, place) in again.iter().rev().zip(&places) {
        assert_eq!((slice.address(), slice.place()), (place.address(), Some(*place)));
        let in_place = (place.base..place.base + place.allocated).contains(&own.address());
        assert!(!in_place, "the runtime's own lies in a recorded allocation");
        assert_eq!(slice.mapped().is_some(), place.origin.class.mappable);
        if let Some(bytes) = slice.mapped() {
            // SAFETY: the slice is mapped; nobody else has it.
            let bytes = unsafe { core::slice::from_raw_parts(bytes.as_ptr(), slice.size as usize) };
            assert!(bytes.iter().all(|byte| *byte == 0));
        }
    }
    // What has no place lies in none of the recorded allocations, and says where it is.
    let other = slice(&second, CpuAccess::None, Purpose::Buffer, SMALL);
    assert!(places.iter().all(|place| other.place().unwrap().base != place.base));
}

#[test]
fn only_what_lies_in_the_way_moves() {
    let first = device();
    let made = [SMALL, LARGE, LARGE].map(|size| slice(&first, CpuAccess::None, Purpose::Buffer, size));
    let [shared, blocked, free] = made.each_ref().map(|slice| slice.place().unwrap());
    drop((made, first));
    let second = device();
    let obstacle = Pages::at(blocked.base + 8192, 4096).unwrap();
    let made = [shared, blocked, free].map(|place| at(&second, CpuAccess::None, Purpose::Buffer, place));
    let lies = [0, 1, 2].map(|which| made[which].address() == [shared, blocked, free][which].address());
    assert_eq!(lies, [true, false, true]);
    drop(obstacle);
    assert_eq!(at(&second, CpuAccess::None, Purpose::Buffer, blocked).address(), blocked.address(), "it is free now");
}

#[test]
fn places_are_used_one_after_the_other() {
    let first = device();
    // Rounds go through the whole chunk, and begin again.
    let sizes = [3 * SMALL, SMALL, 2 * SMALL].into_iter().cycle().take(400);
    let places = sizes.map(|size| slice(&first, CpuAccess::Upload, Purpose::Buffer, size).place().unwrap());
    let places: Vec<Place> = places.collect();
    drop(first);
    assert!(places.iter().all(|place| place.base == places[0].base));
    assert!(places.windows(2).all(|pair| pair[0].offset != pair[1].offset));
    let second = device();
    // The last ones are still alive here when the next is made, as where a GPU is slower.
    let mut late = std::collections::VecDeque::new();
    for place in &places {
        let made = at(&second, CpuAccess::Upload, Purpose::Buffer, *place);
        assert_eq!(made.place(), Some(*place));
        late.push_back(made);
        if late.len() > 20 {
            late.pop_front();
        }
    }
    drop(late);
    // While something lies there, the place cannot be had, and memory elsewhere is.
    let [one, same] = [(); 2].map(|()| at(&second, CpuAccess::Upload, Purpose::Buffer, places[7]));
    assert_eq!(one.address(), places[7].address());
    assert_ne!(same.address(), places[7].address());
}

#[test]
fn what_does_not_fit_a_place_lies_elsewhere() {
    let first = device();
    let made = slice(&first, CpuAccess::None, Purpose::Buffer, SMALL);
    let place = made.place().unwrap();
    drop((made, first));
    let second = device();
    let elsewhere = |access, purpose, size, place: Place| {
        let made = second.memory.allocate(&request(access, purpose, size, Addressing::At(place))).unwrap();
        assert_ne!(made.address(), place.address(), "{place:?}");
    };
    elsewhere(CpuAccess::None, Purpose::Buffer, 2 * SMALL, place);
    elsewhere(CpuAccess::Upload, Purpose::Buffer, SMALL, place);
    elsewhere(CpuAccess::None, HEAP, SMALL, place);
    let opaque = Origin { way: Way::Opaque { memory: 1, buffer: 2 }, ..place.origin };
    let lies = [
        Place { base: 0x1000_0000, ..place },
        Place { base: place.base + 4096, ..place },
        Place { allocated: 1 << 40, ..place },
        Place { offset: place.allocated - SMALL / 2, ..place },
        Place { offset: u64::MAX - SMALL, ..place },
        Place { type_index: 31, origin: opaque, ..place },
    ];
    for lie in lies {
        elsewhere(CpuAccess::None, Purpose::Buffer, SMALL, lie);
    }
    assert_eq!(at(&second, CpuAccess::None, Purpose::Buffer, place).place(), Some(place));
    // Textures may lie in such a heap: it stays the driver's.
    let mixed = slice(&second, CpuAccess::None, Purpose::Heap { buffers: true, images: true }, SMALL);
    assert_eq!(mixed.place(), None);
    // Tiles may be mapped to this one.
    if second.caps.features.base.sparse_binding != 0 {
        assert_eq!(slice(&second, CpuAccess::None, HEAP, SMALL).place(), None);
    }
}
