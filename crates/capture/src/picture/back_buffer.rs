//! A swap chain's current back buffer, read through the API itself: a copy on the queue that presents, before the present.
//!
//! It works on every runtime and every swap chain of the API, because it asks nothing but what any program could. Invariants: all
//! objects are the runtime's own, and everything that was made is gone when the read ends; nothing is recorded; the back buffer
//! is left in the state for presenting. Objects are made anew for each frame: kept ones would keep the device alive behind the
//! program's back.

use super::Shown;
use crate::call::Call;
use crate::model;
use crate::real::{self, Owned as Real};
use crate::session::words;
use crate::wrapper::table;
use core::sync::atomic::Ordering;
use reprise_d3d12::format::texel_bytes;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_COMMAND_QUEUE_DESC, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_STATES,
    D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_TYPE, D3D12_TEXTURE_LAYOUT, DXGI_SAMPLE_DESC,
};
use reprise_d3d12::{interface, method};
use reprise_trace::frame_hash::{FrameHash, hash_rows};
use std::time::{Duration, Instant};

/// A picture in the process's memory.
pub(crate) struct BackBuffer {
    pub(crate) shown: Shown,
    /// Rows without padding.
    pub(crate) pixels: Vec<u8>,
    pub(crate) hash: FrameHash,
}

/// A queue that waits for the program itself would never come to the copy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reads the back buffer that the present shows.
///
/// # Safety
/// The call is a present on a living swap chain.
pub(super) unsafe fn read(call: &Call<'_>) -> Result<BackBuffer, String> {
    let here = words::words();
    let depth = here.depth.get();
    // What the runtime does for us is not the program's.
    here.depth.set(depth + 1);
    // SAFETY: the caller's promise is the same.
    let read = unsafe { read_inside(call) };
    here.depth.set(depth);
    read
}

/// # Safety
/// As [`read`].
unsafe fn read_inside(call: &Call<'_>) -> Result<BackBuffer, String> {
    const GET_DESC: MethodId = method("ID3D12Resource", "GetDesc");
    const GET_DEVICE: MethodId = method("ID3D12DeviceChild", "GetDevice");
    let chain = call.chain.ok_or("the call is on no swap chain")?;
    // SAFETY: null, or the queue that the swap chain keeps alive; the reference is given back with `queue`.
    let queue = unsafe {
        let identity = chain.identity().queue.load(Ordering::Relaxed).as_ref().ok_or("its queue is unknown")?;
        real::add_ref(identity.convention, identity.primary.real());
        Real { convention: identity.convention, pointer: identity.primary.real() }
    };
    // SAFETY: the swap chain is alive, and all further calls are on objects that the API gave, with arguments as it wants them.
    unsafe {
        let buffer = current(call)?;
        let mut desc = D3D12_RESOURCE_DESC::default();
        buffer.call(GET_DESC, &[(&raw mut desc) as u64]);
        let device = buffer.make(GET_DEVICE, &[], interface("ID3D12Device"))?;
        let object = table::id_of(real::canonical(buffer.convention, buffer.pointer));
        let shown = Shown { object, width: desc.Width as u32, height: desc.Height, format: desc.Format.0 as u32 };
        let pixel =
            texel_bytes(shown.format).ok_or_else(|| format!("DXGI_FORMAT {} has no plain pixels", shown.format))?;
        let (bytes, pitch) = copy(&device, &queue, &buffer, &desc)?;
        let row = shown.width as usize * pixel as usize;
        let picture = (shown.width, shown.height, shown.format);
        let hash = hash_rows(picture, &bytes, pitch, row).ok_or("the picture is too short")?;
        let pixels = bytes.chunks(pitch).take(desc.Height as usize).flat_map(|padded| &padded[..row]).copied();
        Ok(BackBuffer { shown, pixels: pixels.collect(), hash })
    }
}

/// The buffer that is shown next.
///
/// # Safety
/// As [`read`].
unsafe fn current(call: &Call<'_>) -> Result<Real, String> {
    const VK_INDEX: MethodId = method("IDXGIVkSwapChain", "GetImageIndex");
    const VK_IMAGE: MethodId = method("IDXGIVkSwapChain", "GetImage");
    const DXGI_INDEX: MethodId = method("IDXGISwapChain3", "GetCurrentBackBufferIndex");
    const DXGI_BUFFER: MethodId = method("IDXGISwapChain", "GetBuffer");
    let chain = call.chain.ok_or("the call is on no swap chain")?;
    let convention = chain.identity().convention;
    // SAFETY: the swap chain is alive and of the family that its chain says; references that are taken are given back.
    unsafe {
        real::add_ref(convention, chain.real());
        let swap_chain = Real { convention, pointer: chain.real() };
        if chain.interface.is_some_and(|family| model::derives(family, model::known().vk_swap_chain)) {
            let index = swap_chain.call(VK_INDEX, &[]);
            return swap_chain.make(VK_IMAGE, &[index], interface("ID3D12Resource"));
        }
        // A chain without the newer interface has one buffer for the program: the first.
        let newer = real::query(convention, chain.real(), &interface("IDXGISwapChain3").get().iid);
        let newer = (!newer.is_null()).then_some(Real { convention, pointer: newer });
        let index = newer.map_or(0, |newer| newer.call(DXGI_INDEX, &[]));
        swap_chain.make(DXGI_BUFFER, &[index], interface("ID3D12Resource"))
    }
}

/// The bytes of a texture in a presentable state, and of one row of them with its padding.
///
/// # Safety
/// All are live objects of one device; the texture has one subresource that can be copied.
unsafe fn copy(
    device: &Real,
    queue: &Real,
    texture: &Real,
    desc: &D3D12_RESOURCE_DESC,
) -> Result<(Vec<u8>, usize), String> {
    const FOOTPRINTS: MethodId = method("ID3D12Device", "GetCopyableFootprints");
    const CREATE_RESOURCE: MethodId = method("ID3D12Device", "CreateCommittedResource");
    const CREATE_ALLOCATOR: MethodId = method("ID3D12Device", "CreateCommandAllocator");
    const CREATE_LIST: MethodId = method("ID3D12Device", "CreateCommandList");
    const CREATE_FENCE: MethodId = method("ID3D12Device", "CreateFence");
    const QUEUE_DESC: MethodId = method("ID3D12CommandQueue", "GetDesc");
    const BARRIER: MethodId = method("ID3D12GraphicsCommandList", "ResourceBarrier");
    const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyTextureRegion");
    const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
    const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
    const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
    const COMPLETED: MethodId = method("ID3D12Fence", "GetCompletedValue");
    const MAP: MethodId = method("ID3D12Resource", "Map");
    const UNMAP: MethodId = method("ID3D12Resource", "Unmap");
    let (present, source) = (D3D12_RESOURCE_STATES::default(), D3D12_RESOURCE_STATES::COPY_SOURCE);
    let mut layout = D3D12_PLACED_SUBRESOURCE_FOOTPRINT::default();
    let mut size = 0u64;
    // SAFETY: live objects; every argument is a number, a structure or an array of ours that outlives its call.
    unsafe {
        device.call(
            FOOTPRINTS,
            &[core::ptr::from_ref(desc) as u64, 0, 1, 0, (&raw mut layout) as u64, 0, 0, (&raw mut size) as u64],
        );
        let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::READBACK, ..Default::default() };
        let buffer = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
            Width: size,
            Height: 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
            ..Default::default()
        };
        let destination = D3D12_RESOURCE_STATES::COPY_DEST.0;
        let words = [(&raw const heap) as u64, 0, (&raw const buffer) as u64, destination.into(), 0];
        let readback = device.make(CREATE_RESOURCE, &words, interface("ID3D12Resource"))?;
        let mut queue_desc = D3D12_COMMAND_QUEUE_DESC::default();
        queue.call(QUEUE_DESC, &[(&raw mut queue_desc) as u64]);
        let kind = queue_desc.Type.0 as u32;
        let allocator = device.make(CREATE_ALLOCATOR, &[kind.into()], interface("ID3D12CommandAllocator"))?;
        let words = [0, kind.into(), allocator.pointer as u64, 0];
        let list = device.make(CREATE_LIST, &words, interface("ID3D12GraphicsCommandList"))?;
        let fence = device.make(CREATE_FENCE, &[0, 0], interface("ID3D12Fence"))?;

        let mut barrier = D3D12_RESOURCE_BARRIER::default();
        let change = &mut barrier.Anonymous.Transition;
        change.pResource = texture.pointer.cast();
        (change.StateBefore, change.StateAfter) = (present, source);
        list.call(BARRIER, &[1, (&raw const barrier) as u64]);
        let mut from = D3D12_TEXTURE_COPY_LOCATION { pResource: texture.pointer.cast(), ..Default::default() };
        from.Type = D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX;
        let mut to = D3D12_TEXTURE_COPY_LOCATION { pResource: readback.pointer.cast(), ..Default::default() };
        to.Type = D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT;
        to.Anonymous.PlacedFootprint = layout;
        list.call(COPY, &[(&raw const to) as u64, 0, 0, 0, (&raw const from) as u64, 0]);
        let change = &mut barrier.Anonymous.Transition;
        (change.StateBefore, change.StateAfter) = (source, present);
        list.call(BARRIER, &[1, (&raw const barrier) as u64]);
        list.succeed(CLOSE, &[])?;
        let lists = [list.pointer];
        queue.call(EXECUTE, &[1, lists.as_ptr() as u64]);
        queue.succeed(SIGNAL, &[fence.pointer as u64, 1])?;
        let start = Instant::now();
        while fence.call(COMPLETED, &[]) < 1 {
            if start.elapsed() > PATIENCE {
                // The GPU may still use them.
                for used in [readback, allocator, list, fence] {
                    core::mem::forget(used);
                }
                return Err("the queue does not come to an end: it waits for the program".into());
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        let mut mapped: *mut u8 = core::ptr::null_mut();
        readback.succeed(MAP, &[0, 0, (&raw mut mapped) as u64])?;
        let bytes = core::slice::from_raw_parts(mapped, size as usize).to_vec();
        readback.call(UNMAP, &[0, 0]);
        Ok((bytes, layout.Footprint.RowPitch as usize))
    }
}
