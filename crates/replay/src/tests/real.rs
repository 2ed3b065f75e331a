//! Hand-made traces on Debian's libvkd3d: the pixels that come out are the pixels that the test put in.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::method;
use reprise_d3d12::types::{
    D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_2,
    D3D12_RESOURCE_STATES, D3D12_RESOURCE_TRANSITION_BARRIER, D3D12_SUBRESOURCE_FOOTPRINT, D3D12_TEXTURE_COPY_LOCATION,
    D3D12_TEXTURE_COPY_LOCATION_2, D3D12_TEXTURE_COPY_TYPE, DXGI_FORMAT,
};
use reprise_testing::missing;
use reprise_trace::frame_hash::hash_rows;

use crate::tests::present::{FIRST, VK_QUEUE, vulkan_present, vulkan_swap_chain};
use crate::tests::program::{
    BUFFER, CPU, DEVICE, FENCE, INCREMENT, LIST, QUEUE, alone, buffer, by_ref, device, fence, list, target_heap,
};
use crate::tests::script::Script;
use crate::world::World;
use crate::{Options, Report};

const HEAP: u32 = 80;
const PRESENT: D3D12_RESOURCE_STATES = D3D12_RESOURCE_STATES(0);

/// Plays on libvkd3d; `None` where the machine lacks it.
fn play(script: &mut Script) -> Option<Report> {
    play_frames(script, None)
}

/// The same with one range of frames.
fn play_frames(script: &mut Script, frames: Option<(u64, u64)>) -> Option<Report> {
    let places = ["/usr/lib/x86_64-linux-gnu/libvkd3d-utils.so.1"];
    missing::require(missing::file(&places, "libvkd3d-utils1"))?;
    let mut options = Options { runtime: Some("vkd3d".into()), frame_hashes: true, frames, ..Options::default() };
    let world = World::new(options.load_runtime().unwrap());
    Some(script.play_in(world, &mut options).unwrap())
}

pub(crate) fn transition(
    script: &mut Script,
    resource: u32,
    before: D3D12_RESOURCE_STATES,
    after: D3D12_RESOURCE_STATES,
) {
    let transition = D3D12_RESOURCE_TRANSITION_BARRIER {
        pResource: u64::from(resource) as _,
        StateBefore: before,
        StateAfter: after,
        ..Default::default()
    };
    let barrier =
        D3D12_RESOURCE_BARRIER { Anonymous: D3D12_RESOURCE_BARRIER_2 { Transition: transition }, ..Default::default() };
    script.call(LIST, method("ID3D12GraphicsCommandList", "ResourceBarrier"), &[1, by_ref(&barrier)], 0);
}

pub(crate) fn submit(script: &mut Script, value: u64) {
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    let lists = [u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
    script.call(QUEUE, method("ID3D12CommandQueue", "Signal"), &[u64::from(FENCE), value], 0);
}

/// Bytes stored to mapped memory travel through a placed footprint into the presented texture.
#[test]
fn stored_bytes_become_pixels() {
    let _alone = alone();
    let mut script = Script::new();
    vulkan_swap_chain(&mut script);
    list(&mut script);
    fence(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
    let mut address = 0x1000u64;
    script.call(BUFFER, method("ID3D12Resource", "Map"), &[0, 0, core::ptr::from_mut(&mut address) as u64], 0);
    // Two rows of four pixels, 256 bytes apart, from offset 512 on.
    let rows: [[u8; 16]; 2] = [core::array::from_fn(|i| i as u8), core::array::from_fn(|i| 0x80 + i as u8)];
    script.memory(BUFFER, 0, 512, &rows[0]);
    script.memory(BUFFER, 0, 768, &rows[1]);
    transition(&mut script, FIRST + 1, PRESENT, D3D12_RESOURCE_STATES::COPY_DEST);
    let target = D3D12_TEXTURE_COPY_LOCATION {
        pResource: u64::from(FIRST + 1) as _,
        Type: D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX,
        ..Default::default()
    };
    let footprint =
        D3D12_SUBRESOURCE_FOOTPRINT { Format: DXGI_FORMAT(28), Width: 4, Height: 2, Depth: 1, RowPitch: 256 };
    let source = D3D12_TEXTURE_COPY_LOCATION {
        pResource: u64::from(BUFFER) as _,
        Type: D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT,
        Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 {
            PlacedFootprint: D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: 512, Footprint: footprint },
        },
    };
    let words = [by_ref(&target), 0, 0, 0, by_ref(&source), 0];
    script.call(LIST, method("ID3D12GraphicsCommandList", "CopyTextureRegion"), &words, 0);
    transition(&mut script, FIRST + 1, D3D12_RESOURCE_STATES::COPY_DEST, PRESENT);
    submit(&mut script, 1);
    vulkan_present(&mut script, VK_QUEUE, 1);
    // The program saw the fence, then used the memory again: the frame above must not change.
    script.observe(FENCE, 1);
    script.memory(BUFFER, 0, 512, &[0xff; 16]);
    let Some(report) = play(&mut script) else { return };
    let expected = hash_rows((4, 2, 28), &rows.concat(), 16, 16).unwrap();
    assert_eq!(report.frames[0].hash, Some(expected));
}

/// Recorded descriptor handles lead to the right descriptors of a heap with another increment.
#[test]
fn recorded_handles_clear_the_right_picture() {
    let _alone = alone();
    let mut script = Script::new();
    vulkan_swap_chain(&mut script);
    list(&mut script);
    fence(&mut script);
    target_heap(&mut script, HEAP, 3);
    let color = |index: u64| [index as f32 / 3.0, 1.0, 0.0, 1.0];
    for index in 0..3 {
        let handle = CPU + index * INCREMENT;
        let view = method("ID3D12Device", "CreateRenderTargetView");
        script.call(DEVICE, view, &[u64::from(FIRST) + index, 0, handle], 0);
        transition(&mut script, FIRST + index as u32, PRESENT, D3D12_RESOURCE_STATES::RENDER_TARGET);
        let clear = method("ID3D12GraphicsCommandList", "ClearRenderTargetView");
        script.call(LIST, clear, &[handle, by_ref(&color(index)), 0, 0], 0);
        transition(&mut script, FIRST + index as u32, D3D12_RESOURCE_STATES::RENDER_TARGET, PRESENT);
    }
    submit(&mut script, 1);
    for index in [2, 0, 1] {
        vulkan_present(&mut script, VK_QUEUE, index);
    }
    let Some(report) = play(&mut script) else { return };
    // 1/3 and 2/3 of 255 are whole numbers.
    for (frame, red) in report.frames.iter().zip([170u8, 0, 85]) {
        let expected = hash_rows((4, 2, 28), &[red, 255, 0, 255].repeat(8), 16, 16).unwrap();
        assert_eq!(frame.hash, Some(expected), "frame {}", frame.number);
    }
    // One range of frames: nothing is read back before it, and nothing played after it.
    let ranged = play_frames(&mut script, Some((2, 2))).unwrap();
    let hashes: Vec<_> = ranged.frames.iter().map(|frame| frame.hash).collect();
    assert_eq!(hashes, [None, report.frames[1].hash]);
}

/// A program that ends in the middle of its work leaves nothing that hurts.
#[test]
fn a_program_killed_at_work_is_played_to_its_end() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    crate::tests::program::queue(&mut script);
    list(&mut script);
    fence(&mut script);
    // The queue waits for a value that never comes, as when the signalling thread died first.
    script.call(QUEUE, method("ID3D12CommandQueue", "Wait"), &[u64::from(FENCE), 1], 0);
    submit(&mut script, 2);
    let Some(report) = play(&mut script) else { return };
    assert_eq!(report.frames.len(), 0);
}

/// What the program saw the GPU write is compared with what it writes here.
#[test]
fn observed_memory_is_compared() {
    let _alone = alone();
    const READBACK: u32 = 81;
    let observed = |bytes: [u8; 8]| {
        let mut script = Script::new();
        device(&mut script);
        crate::tests::program::queue(&mut script);
        list(&mut script);
        fence(&mut script);
        buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x100);
        buffer(&mut script, READBACK, D3D12_HEAP_TYPE::READBACK, 0x100);
        script.memory(BUFFER, 0, 0x20, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let copy = method("ID3D12GraphicsCommandList", "CopyBufferRegion");
        script.call(LIST, copy, &[u64::from(READBACK), 0x40, u64::from(BUFFER), 0x20, 8], 0);
        submit(&mut script, 1);
        script.observe(FENCE, 1);
        let mut address = 0x1000u64;
        script.call(READBACK, method("ID3D12Resource", "Map"), &[0, 0, core::ptr::from_mut(&mut address) as u64], 0);
        script.memory(READBACK, 0, 0x40, &bytes);
        script.events.last_mut().unwrap().method = reprise_trace::record::OBSERVED;
        play(&mut script)
    };
    let Some(report) = observed([1, 2, 3, 4, 5, 6, 7, 8]) else { return };
    assert_eq!(report.difference_count, 0, "{:?}", report.differences);
    assert_eq!((report.compared_bytes, report.different_bytes), (8, 0));
    let report = observed([1, 2, 3, 0, 5, 6, 0, 8]).unwrap();
    assert!(report.differences[0].what.contains("2 of 8 bytes"), "{:?}", report.differences);
    assert!(report.differences[0].what.contains("offset 67 of resource 81"), "{:?}", report.differences);
}
