//! Tests of `call::dispensable`.
#![allow(clippy::unwrap_used)]

use reprise_codec::Wide;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE, D3D12_HEAP_PROPERTIES};
use reprise_d3d12::{MODEL, method};

use super::*;

/// What is taken out of a call on the device, as text.
fn taken(name: &str, words: &mut [u64]) -> Vec<String> {
    let codec = Codec::new(MODEL, Wide::Bits16);
    // SAFETY: the tests pass pointers to structures of the stated types, or none.
    let changes = unsafe { take_out(&codec, method("ID3D12Device", name).get(), words) };
    changes.into_iter().map(|it| format!("{} {} instead of {}", it.field, it.given, it.asked)).collect()
}

#[test]
fn flags_of_heaps_that_change_no_picture_go() {
    let mut heap = D3D12_HEAP_DESC { SizeInBytes: 7, ..Default::default() };
    // Shared, shared across adapters, denying buffers.
    heap.Flags.0 = 0x1 | 0x20 | 0x4;
    let mut words = [core::ptr::from_mut(&mut heap) as u64, 0, 0];
    assert_eq!(
        taken("CreateHeap", &mut words),
        ["pDesc.Flags D3D12_HEAP_FLAG_DENY_BUFFERS instead of \
          D3D12_HEAP_FLAG_SHARED|D3D12_HEAP_FLAG_DENY_BUFFERS|D3D12_HEAP_FLAG_SHARED_CROSS_ADAPTER"]
    );
    assert_eq!((heap.Flags.0, heap.SizeInBytes), (0x4, 7));
    assert!(taken("CreateHeap", &mut words).is_empty());
    // Atomics are needed.
    heap.Flags.0 = 0x400;
    assert!(taken("CreateHeap", &mut words).is_empty());
    assert_eq!(heap.Flags.0, 0x400);
}

#[test]
fn textures_of_other_adapters_are_plain_ones() {
    let properties = D3D12_HEAP_PROPERTIES::default();
    let mut desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    };
    desc.Flags.0 = 0x1 | 0x10;
    let mut words = [core::ptr::from_ref(&properties) as u64, 0x1, core::ptr::from_mut(&mut desc) as u64, 0, 0, 0, 0];
    let expected = [
        "HeapFlags D3D12_HEAP_FLAG_NONE instead of D3D12_HEAP_FLAG_SHARED",
        "pDesc.Layout D3D12_TEXTURE_LAYOUT_UNKNOWN instead of D3D12_TEXTURE_LAYOUT_ROW_MAJOR",
        "pDesc.Flags D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET instead of \
         D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET|D3D12_RESOURCE_FLAG_ALLOW_CROSS_ADAPTER",
    ];
    assert_eq!(taken("CreateCommittedResource", &mut words), expected);
    assert_eq!((words[1], desc.Flags.0, desc.Layout), (0, 0x1, D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN));
    // Buffers always lie so.
    let mut buffer = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    };
    words[2] = core::ptr::from_mut(&mut buffer) as u64;
    assert!(taken("CreateCommittedResource", &mut words).is_empty());
}

#[test]
fn queues_and_fences_are_plain_ones() {
    let mut desc = D3D12_COMMAND_QUEUE_DESC { Priority: 10_000, ..Default::default() };
    desc.Type = D3D12_COMMAND_LIST_TYPE::COMPUTE;
    desc.Flags.0 = 1;
    let mut words = [core::ptr::from_mut(&mut desc) as u64, 0, 0];
    let expected = [
        "pDesc.Flags D3D12_COMMAND_QUEUE_FLAG_NONE instead of D3D12_COMMAND_QUEUE_FLAG_DISABLE_GPU_TIMEOUT",
        "pDesc.Priority 0 instead of 10000",
    ];
    assert_eq!(taken("CreateCommandQueue", &mut words), expected);
    assert_eq!((desc.Priority, desc.Type), (0, D3D12_COMMAND_LIST_TYPE::COMPUTE));
    let mut words = [5, 0x3, 0, 0];
    assert_eq!(
        taken("CreateFence", &mut words),
        ["Flags D3D12_FENCE_FLAG_NONE instead of D3D12_FENCE_FLAG_SHARED|D3D12_FENCE_FLAG_SHARED_CROSS_ADAPTER"]
    );
    assert_eq!(words, [5, 0, 0, 0]);
}
