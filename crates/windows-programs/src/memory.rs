//! Stores to mapped memory, in a pattern that a test knows.
//!
//! The upload buffer has `2 * PAGES` pages. A first submission follows a store of one byte (0xa5, to byte 5 of page 3). Then each round stores to
//! every second page, from page 0 on: its 4096 bytes become `round * 5 + n` for the n-th of these pages, both from 0. A submission follows each round.

use crate::com;
use crate::device::Device;
use reprise_d3d12::generated::types::*;
use reprise_d3d12::method;
use std::ffi::c_void;

const PAGE: usize = 4096;
const PAGES: usize = 16;

/// Does the rounds.
pub(crate) fn stores(device: &Device, rounds: usize) -> Option<()> {
    let queue_desc = D3D12_COMMAND_QUEUE_DESC::default();
    let queue = device.make("CreateCommandQueue", &[(&raw const queue_desc) as u64], "ID3D12CommandQueue")?;
    let allocator = device.make("CreateCommandAllocator", &[0], "ID3D12CommandAllocator")?;
    let list = device.make("CreateCommandList", &[0, 0, allocator as u64, 0], "ID3D12GraphicsCommandList")?;
    // SAFETY: the list is open.
    unsafe { com::call(list, method("ID3D12GraphicsCommandList", "Close"), &[]) };
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::UPLOAD, ..Default::default() };
    let desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Width: (2 * PAGES * PAGE) as u64,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    };
    let state = D3D12_RESOURCE_STATES::GENERIC_READ.0 as u64;
    let words = [(&raw const heap) as u64, 0, (&raw const desc) as u64, state, 0];
    let buffer = device.make("CreateCommittedResource", &words, "ID3D12Resource")?;
    let mut memory: *mut u8 = std::ptr::null_mut();
    // SAFETY: the buffer is alive; the place outlives the call.
    let mapped = unsafe { com::call(buffer, method("ID3D12Resource", "Map"), &[0, 0, (&raw mut memory) as u64]) };
    if mapped as i32 != 0 || memory.is_null() {
        return None;
    }
    let lists = [list];
    // SAFETY: the list is closed; the array outlives the call.
    let submit = || unsafe {
        let words = [1, lists.as_ptr() as u64];
        com::call(queue, method("ID3D12CommandQueue", "ExecuteCommandLists"), &words);
    };
    // SAFETY: page 3 of the mapped pages.
    unsafe { memory.add(3 * PAGE + 5).write_volatile(0xa5) };
    submit();
    for round in 0..rounds {
        for page in 0..PAGES {
            // SAFETY: every second page of the mapped ones.
            unsafe { memory.add(2 * page * PAGE).write_bytes((round * 5 + page) as u8, PAGE) };
        }
        submit();
    }
    release([buffer, list, allocator, queue]);
    Some(())
}

fn release(objects: [*mut c_void; 4]) {
    for object in objects {
        // SAFETY: each was made here and is not used again.
        unsafe { com::release(object) };
    }
}
