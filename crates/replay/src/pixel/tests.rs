//! Histories of hand-made traces: of calls that no program of the suite makes.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::{
    D3D12_BOX, D3D12_CLEAR_FLAGS, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_DEPTH_STENCIL_VIEW_DESC,
    D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_FLAGS, D3D12_DESCRIPTOR_HEAP_TYPE as Heap, D3D12_DSV_DIMENSION,
    D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_RENDER_PASS_DEPTH_STENCIL_DESC, D3D12_RENDER_PASS_ENDING_ACCESS_TYPE,
    D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RTV_DIMENSION,
    D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_TYPE, D3D12_UAV_DIMENSION, D3D12_UNORDERED_ACCESS_VIEW_DESC,
    DXGI_FORMAT, DXGI_SAMPLE_DESC,
};
use reprise_d3d12::{interface, method};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::{Content, Kind, Parameter, Range, Version};

use reprise_trace::fact::DESCRIPTOR_HEAP;

use super::events;
use crate::input::source::walk;
use crate::report::pixel::{NoPixelHistory, PixelHistory, PixelTouch, PixelWish};
use crate::report::timing::{TimeKind, TimeWish};
use crate::tests::program::{ALLOCATOR, DEVICE, LIST, QUEUE, buffer, by_ref, device, iid, list, out, queue};
use crate::tests::script::{List, Script};

const COMMANDS: &str = "ID3D12GraphicsCommandList";
const STEP: u64 = 32;
/// Heaps of targets, depth buffers and unordered views, and what their first handles are.
const TARGETS: (u32, u64) = (10, 0x1000_0000);
const DEPTHS: (u32, u64) = (11, 0x2000_0000);
const VIEWS: (u32, u64) = (12, 0x3000_0000);
const GPU: u64 = 0x4000_0000;
const ROOT: u32 = 13;
const COLOUR: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const DEPTH: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT;
const ONE: u32 = 20;
const OTHER: u32 = 21;

fn stage() -> Script {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    for ((id, cpu), kind) in [(TARGETS, Heap::RTV), (DEPTHS, Heap::DSV), (VIEWS, Heap::CBV_SRV_UAV)] {
        let is_shown = kind == Heap::CBV_SRV_UAV;
        let flags = if is_shown { D3D12_DESCRIPTOR_HEAP_FLAGS::SHADER_VISIBLE } else { Default::default() };
        let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: 8, Flags: flags, NodeMask: 0 };
        let mut slot = 0;
        let words = [by_ref(&desc), iid(interface("ID3D12DescriptorHeap")), out(&mut slot, id)];
        script.call(DEVICE, method("ID3D12Device", "CreateDescriptorHeap"), &words, 0);
        // What capture says of a heap: a kind, and where its descriptors lie.
        let words = [u64::from(DESCRIPTOR_HEAP), cpu, if is_shown { GPU } else { 0 }, STEP | 8 << 32];
        script.fact(id, words.iter().flat_map(|word| word.to_le_bytes()).collect());
    }
    script
}

fn texture(script: &mut Script, id: u32, format: DXGI_FORMAT, (mips, slices): (u16, u16)) {
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: 16,
        Height: 16,
        DepthOrArraySize: slices,
        MipLevels: mips,
        Format: format,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    };
    let mut slot = 0;
    let words = [by_ref(&heap), 0, by_ref(&desc), 0, 0, iid(interface("ID3D12Resource")), out(&mut slot, id)];
    script.call(DEVICE, method("ID3D12Device", "CreateCommittedResource"), &words, 0);
}

/// A view of one slice of the first level, in this place of the heap.
fn target(script: &mut Script, resource: u32, place: u64, slice: u32) -> u64 {
    let mut desc = D3D12_RENDER_TARGET_VIEW_DESC {
        Format: COLOUR,
        ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2DARRAY,
        ..Default::default()
    };
    desc.Anonymous.Texture2DArray.FirstArraySlice = slice;
    desc.Anonymous.Texture2DArray.ArraySize = 1;
    let handle = TARGETS.1 + STEP * place;
    let words = [u64::from(resource), by_ref(&desc), handle];
    script.call(DEVICE, method("ID3D12Device", "CreateRenderTargetView"), &words, 0);
    handle
}

fn depth(script: &mut Script, resource: u32) -> u64 {
    let desc = D3D12_DEPTH_STENCIL_VIEW_DESC {
        Format: DEPTH,
        ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    let words = [u64::from(resource), by_ref(&desc), DEPTHS.1];
    script.call(DEVICE, method("ID3D12Device", "CreateDepthStencilView"), &words, 0);
    DEPTHS.1
}

/// An unordered view of a level.
fn unordered(script: &mut Script, resource: u32, mip: u32) {
    let mut desc = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: COLOUR,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    desc.Anonymous.Texture2D.MipSlice = mip;
    let words = [u64::from(resource), 0, by_ref(&desc), VIEWS.1];
    script.call(DEVICE, method("ID3D12Device", "CreateUnorderedAccessView"), &words, 0);
}

/// A root signature with a table of one unordered view, set for draws with that table.
fn table(script: &mut Script) {
    let range = Range { kind: Kind::Uav, count: 1, register: 0, space: 0, flags: 0, offset: 0 };
    let parameter = Parameter { visibility: 0, content: Content::Table(vec![range]) };
    let signature = RootSignature { flags: 0, parameters: vec![parameter], samplers: Vec::new() };
    let bytes = signature.to_container(Version::V1_0);
    root(script, &bytes);
    script.call(LIST, method(COMMANDS, "SetGraphicsRootDescriptorTable"), &[0, GPU], 0);
}

fn root(script: &mut Script, bytes: &[u8]) {
    let mut slot = 0;
    let id = iid(interface("ID3D12RootSignature"));
    let words = [0, bytes.as_ptr() as u64, bytes.len() as u64, id, out(&mut slot, ROOT)];
    script.call(DEVICE, method("ID3D12Device", "CreateRootSignature"), &words, 0);
    heaps(script);
    script.call(LIST, method(COMMANDS, "SetGraphicsRootSignature"), &[u64::from(ROOT)], 0);
}

fn heaps(script: &mut Script) {
    let heap = u64::from(VIEWS.0);
    script.call(LIST, method(COMMANDS, "SetDescriptorHeaps"), &[1, by_ref(&heap)], 0);
}

fn draw(script: &mut Script, target: u64) -> u64 {
    let handle = D3D12_CPU_DESCRIPTOR_HANDLE { ptr: target };
    script.call(LIST, method(COMMANDS, "OMSetRenderTargets"), &[1, by_ref(&handle), 0, 0], 0);
    script.call(LIST, method(COMMANDS, "DrawInstanced"), &[3, 1, 0, 0], 0)
}

fn clear(script: &mut Script, target: u64) -> u64 {
    let colour = [0f32; 4];
    script.call(LIST, method(COMMANDS, "ClearRenderTargetView"), &[target, by_ref(&colour), 0, 0], 0)
}

fn submit(script: &mut Script) {
    script.call(LIST, method(COMMANDS, "Close"), &[], 0);
    let list = u64::from(LIST);
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, by_ref(&list)], 0);
}

fn find(events: &mut Script, of: (&List, u64), wish: &PixelWish) -> Result<PixelHistory, NoPixelHistory> {
    let (blobs, frames) = of;
    let mut found = events::find(events, (blobs, frames), &[*wish])?;
    assert_eq!(found.len(), 1);
    Ok(found.remove(0))
}

fn history(script: &Script, resource: Option<u32>, mip: u32, plane: u32) -> Result<PixelHistory, String> {
    let (mut events, blobs) = (script.copy(), script.blobs());
    let (mip, slice, plane) = (Some(mip), Some(0), Some(plane));
    let wish = PixelWish { frame: 1, at: (3, 2), resource, mip, slice, plane, sample: 0 };
    find(&mut events, (&blobs, 1), &wish).map_err(|error| error.to_string())
}

fn touches(history: Result<PixelHistory, String>) -> Vec<(u64, PixelTouch)> {
    history.map_or_else(|_| Vec::new(), |found| found.events.iter().map(|it| (it.call, it.touch)).collect())
}

#[test]
fn a_pass_resolves_depth_and_stencil_to_their_planes() {
    let mut script = stage();
    [ONE, OTHER].into_iter().for_each(|id| texture(&mut script, id, DEPTH, (1, 1)));
    let mut desc = D3D12_RENDER_PASS_DEPTH_STENCIL_DESC::default();
    desc.cpuDescriptor.ptr = depth(&mut script, ONE);
    desc.DepthEndingAccess.Type = D3D12_RENDER_PASS_ENDING_ACCESS_TYPE::RESOLVE;
    desc.DepthEndingAccess.Anonymous.Resolve.pDstResource = core::ptr::without_provenance_mut(OTHER as usize);
    script.call(LIST, method("ID3D12GraphicsCommandList4", "BeginRenderPass"), &[0, 0, by_ref(&desc), 0], 0);
    let end = script.call(LIST, method("ID3D12GraphicsCommandList4", "EndRenderPass"), &[], 0);
    submit(&mut script);
    assert_eq!(touches(history(&script, Some(OTHER), 0, 0)), [(end, PixelTouch::Resolve)]);
    assert_eq!(touches(history(&script, Some(OTHER), 0, 1)), [], "its stencil is not resolved");
}

#[test]
fn a_draw_writes_another_level_of_its_target_through_a_view_that_is_made_after_it() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (2, 1));
    let handle = target(&mut script, ONE, 0, 0);
    table(&mut script);
    let call = draw(&mut script, handle);
    unordered(&mut script, ONE, 1);
    submit(&mut script);
    assert_eq!(touches(history(&script, Some(ONE), 0, 0)), [(call, PixelTouch::Target(0))]);
    assert_eq!(touches(history(&script, Some(ONE), 1, 0)), [(call, PixelTouch::Unordered)]);
    // A reset that fails takes nothing away.
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (2, 1));
    let handle = target(&mut script, ONE, 0, 0);
    let call = draw(&mut script, handle);
    script.call(LIST, method(COMMANDS, "Reset"), &[3, 0], 0x8000_4005);
    submit(&mut script);
    assert_eq!(touches(history(&script, Some(ONE), 0, 0)), [(call, PixelTouch::Target(0))]);
}

#[test]
fn traced_rays_may_write_what_local_root_signatures_name() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (1, 1));
    unordered(&mut script, ONE, 0);
    heaps(&mut script);
    script.call(LIST, method(COMMANDS, "Dispatch"), &[1, 1, 1], 0);
    let rays = reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC::default();
    let call = script.call(LIST, method("ID3D12GraphicsCommandList4", "DispatchRays"), &[by_ref(&rays)], 0);
    submit(&mut script);
    assert_eq!(touches(history(&script, Some(ONE), 0, 0)), [(call, PixelTouch::Unordered)]);
}

#[test]
fn a_clear_of_one_plane_leaves_the_other() {
    let mut script = stage();
    texture(&mut script, ONE, DEPTH, (1, 1));
    let handle = depth(&mut script, ONE);
    let flags = [D3D12_CLEAR_FLAGS::DEPTH, D3D12_CLEAR_FLAGS::STENCIL].map(|flags| u64::from(flags.0));
    let calls = flags
        .map(|flags| script.call(LIST, method(COMMANDS, "ClearDepthStencilView"), &[handle, flags, 0, 0, 0, 0], 0));
    submit(&mut script);
    for (plane, call) in (0..).zip(calls) {
        assert_eq!(touches(history(&script, Some(ONE), 0, plane)), [(call, PixelTouch::Clear)]);
    }
}

#[test]
fn a_resolve_is_followed_to_the_subresource_that_it_reads() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (1, 2));
    texture(&mut script, OTHER, COLOUR, (1, 1));
    let handles = [0, 1].map(|slice| target(&mut script, ONE, u64::from(slice), slice));
    let [_, second] = handles.map(|handle| clear(&mut script, handle));
    let words = [u64::from(OTHER), 0, u64::from(ONE), 1, COLOUR.0 as u64];
    script.call(LIST, method(COMMANDS, "ResolveSubresource"), &words, 0);
    submit(&mut script);
    let found = history(&script, None, 0, 0).unwrap();
    assert_eq!((found.place.resource, found.place.slice), (ONE, 1));
    assert_eq!(touches(Ok(found)), [(second, PixelTouch::Clear)]);
}

/// A copy of whole blocks goes beyond the last column of its source, where no texel is.
#[test]
fn a_copy_is_not_followed_to_where_its_source_has_ended() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (2, 1));
    texture(&mut script, OTHER, COLOUR, (1, 1));
    let handle = target(&mut script, ONE, 0, 0);
    clear(&mut script, handle);
    let place = |id: u32, index: u32| {
        let mut place = D3D12_TEXTURE_COPY_LOCATION {
            pResource: core::ptr::without_provenance_mut(id as usize),
            Type: D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX,
            ..Default::default()
        };
        place.Anonymous.SubresourceIndex = index;
        place
    };
    // What is looked at is 3, 2.
    for (left, followed) in [(0, 1), (12, 1), (13, 0)] {
        let mut script = script.copy();
        let (to, from) = (place(OTHER, 0), place(ONE, 0));
        let part = D3D12_BOX { left, top: 0, front: 0, right: left + 16, bottom: 16, back: 1 };
        let words = [by_ref(&to), 0, 0, 0, by_ref(&from), by_ref(&part)];
        script.call(LIST, method(COMMANDS, "CopyTextureRegion"), &words, 0);
        submit(&mut script);
        assert_eq!(shown(&script).followed.len(), followed, "{left}");
    }
}

#[test]
fn calls_of_which_it_is_not_known_what_they_write_are_counted() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (1, 1));
    let handle = target(&mut script, ONE, 0, 0);
    root(&mut script, &[3; 40]);
    let never = TARGETS.1 + 5 * STEP;
    let calls = [clear(&mut script, handle), draw(&mut script, handle)];
    clear(&mut script, never);
    draw(&mut script, never);
    script.call(LIST, method("ID3D12GraphicsCommandList4", "ExecuteMetaCommand"), &[0, 0, 0], 0);
    submit(&mut script);
    let found = history(&script, Some(ONE), 0, 0).unwrap();
    let counts: Vec<(&str, u64)> = found.left_out.iter().map(|(reason, calls)| (reason.as_str(), *calls)).collect();
    let of = |what: &str| counts.iter().filter(|(reason, _)| reason.contains(what)).map(|(_, calls)| *calls).sum();
    let all: [u64; 4] = ["clears", "with a target", "root signature", "meta commands"].map(of);
    assert_eq!((all, counts.len()), ([1, 1, 2, 1], 4), "{counts:?}");
    assert_eq!(touches(Ok(found)), [(calls[0], PixelTouch::Clear), (calls[1], PixelTouch::Target(0))]);
}

fn shown(script: &Script) -> PixelHistory {
    let (mut events, blobs) = (script.copy(), script.blobs());
    let wish = PixelWish { frame: 1, at: (3, 2), resource: None, mip: None, slice: None, plane: None, sample: 0 };
    find(&mut events, (&blobs, 1), &wish).unwrap()
}

#[test]
fn without_a_texture_what_is_written_is_looked_at() {
    // The stencil alone.
    let mut script = stage();
    texture(&mut script, ONE, DEPTH, (1, 1));
    let handle = depth(&mut script, ONE);
    let stencil = u64::from(D3D12_CLEAR_FLAGS::STENCIL.0);
    let call = script.call(LIST, method(COMMANDS, "ClearDepthStencilView"), &[handle, stencil, 0, 0, 0, 0], 0);
    submit(&mut script);
    let found = shown(&script);
    assert_eq!((found.place.resource, found.place.plane, found.events[0].is_stencil), (ONE, 1, true));
    assert_eq!(touches(Ok(found)), [(call, PixelTouch::Clear)]);
    // The third slice alone.
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (1, 4));
    let handle = target(&mut script, ONE, 0, 2);
    let call = clear(&mut script, handle);
    submit(&mut script);
    let found = shown(&script);
    assert_eq!((found.place.resource, found.place.slice), (ONE, 2));
    assert_eq!(touches(Ok(found)), [(call, PixelTouch::Clear)]);
    // The second level alone, through an unordered view.
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (3, 1));
    let call = clear_unordered(&mut script, ONE, 1);
    submit(&mut script);
    let found = shown(&script);
    assert_eq!((found.place.resource, found.place.mip), (ONE, 1));
    assert_eq!(touches(Ok(found)), [(call, PixelTouch::Clear)]);
}

/// Clears a level through an unordered view of it.
fn clear_unordered(script: &mut Script, resource: u32, mip: u32) -> u64 {
    unordered(script, resource, mip);
    let values = [1u32; 4];
    let words = [GPU, VIEWS.1, u64::from(resource), by_ref(&values), 0, 0];
    script.call(LIST, method(COMMANDS, "ClearUnorderedAccessViewUint"), &words, 0)
}

#[test]
fn a_clear_through_an_unordered_view_writes_its_level_alone() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (3, 1));
    let call = clear_unordered(&mut script, ONE, 1);
    submit(&mut script);
    assert_eq!(touches(history(&script, Some(ONE), 1, 0)), [(call, PixelTouch::Clear)]);
    assert_eq!(touches(history(&script, Some(ONE), 0, 0)), []);
    assert_eq!(touches(history(&script, Some(ONE), 2, 0)), []);
}

#[test]
fn what_is_not_there_is_said_with_what_there_is() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (2, 3));
    buffer(&mut script, OTHER, D3D12_HEAP_TYPE::DEFAULT, 64);
    let handle = target(&mut script, ONE, 0, 0);
    clear(&mut script, handle);
    submit(&mut script);
    let wish = PixelWish { frame: 1, at: (3, 2), resource: None, mip: None, slice: None, plane: None, sample: 0 };
    for (wish, what) in [
        (PixelWish { mip: Some(2), ..wish }, "resource 20 has no mip 2: it has 2 levels, from 0 to 1"),
        (PixelWish { slice: Some(3), ..wish }, "resource 20 has no slice 3: it has 3 slices, from 0 to 2"),
        (PixelWish { plane: Some(1), ..wish }, "resource 20 has no plane 1: 0 is the only plane"),
        (PixelWish { sample: 1, ..wish }, "resource 20 has no sample 1: 0 is the only sample"),
        (PixelWish { at: (16, 0), ..wish }, "pixel 16,0 lies outside: resource 20 is 16 by 16 there"),
        (PixelWish { mip: Some(1), at: (8, 0), ..wish }, "pixel 8,0 lies outside: resource 20 is 8 by 8 there"),
        (PixelWish { resource: Some(OTHER), ..wish }, "resource 21 is a buffer; frame 1 writes the textures 20"),
        (
            PixelWish { resource: Some(QUEUE), ..wish },
            "resource 2 is no texture, but an ID3D12CommandQueue; frame 1 writes the textures 20",
        ),
        (PixelWish { resource: Some(99), ..wish }, "resource 99 is not there; frame 1 writes the textures 20"),
    ] {
        let (mut events, blobs) = (script.copy(), script.blobs());
        let found = find(&mut events, (&blobs, 1), &wish);
        assert_eq!(found.err(), Some(NoPixelHistory::Wrong(what.to_owned())), "{wish:?}");
    }
    // It is there, and nothing writes it.
    let (mut events, blobs) = (script.copy(), script.blobs());
    let found = find(&mut events, (&blobs, 1), &PixelWish { resource: Some(ONE), mip: Some(1), ..wish });
    assert!(matches!(found, Err(NoPixelHistory::Nothing(_))), "{found:?}");
}

/// A frame may be one of dispatches alone, which the message names as all that would be looked at.
#[test]
fn a_frame_that_writes_no_texture_is_told_from_one_that_does() {
    let mut script = stage();
    texture(&mut script, ONE, COLOUR, (1, 1));
    heaps(&mut script);
    let rays = reprise_d3d12::types::D3D12_DISPATCH_RAYS_DESC::default();
    let call = script.call(LIST, method("ID3D12GraphicsCommandList4", "DispatchRays"), &[by_ref(&rays)], 0);
    let mut other = script.copy();
    submit(&mut script);
    let none = "frame 1 writes no texture: its submissions draw, dispatch, trace rays, clear, copy and resolve to none";
    assert_eq!(history(&script, None, 0, 0).err().as_deref(), Some(none));
    unordered(&mut other, ONE, 0);
    submit(&mut other);
    assert_eq!(touches(history(&other, None, 0, 0)), [(call, PixelTouch::Unordered)]);
}

#[test]
fn a_reset_that_fails_takes_nothing_from_a_list() {
    let run = |result: u64| {
        let mut script = stage();
        texture(&mut script, ONE, COLOUR, (1, 1));
        let handle = target(&mut script, ONE, 0, 0);
        let call = clear(&mut script, handle);
        script.call(LIST, method(COMMANDS, "Close"), &[], 0);
        script.call(LIST, method(COMMANDS, "Reset"), &[u64::from(ALLOCATOR), 0], result);
        submit(&mut script);
        let wish = TimeWish { frames: (1, 1), what: TimeKind::Operations, serial: false };
        let mut timed = crate::timing::Finder::new(wish);
        walk(&mut script.copy(), &mut [&mut timed], |_| false).unwrap();
        let timed = timed.into_plan();
        (call, touches(history(&script, Some(ONE), 0, 0)), timed.operations.contains_key(&call))
    };
    let (call, found, is_timed) = run(0x8000_4005);
    assert_eq!((found, is_timed), (vec![(call, PixelTouch::Clear)], true));
    let (_, found, is_timed) = run(0);
    assert_eq!((found, is_timed), (Vec::new(), false));
}
