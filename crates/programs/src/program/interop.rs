//! `interop`: asks for private interfaces as vendors' libraries and Direct3D 11 on 12 do, and copies bytes through objects that it has
//! shared, released and opened again. What a library lacks is left out; the bytes are the same.
//!
//! ```text
//! upload ─► opened texture ─► opened buffer ─► readback
//! ```

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::{Com, Null, attempt, call, create};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::handle::Handle;
use crate::list::List;
use crate::queue::Queue;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{self, part};
use core::ffi::c_void;
use core::ptr::null_mut;
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "interop", about: "private interfaces, and objects that are shared and opened again", run };

/// Texels of the texture, which has so many rows, too.
const SIDE: u32 = 64;
/// Bytes of a row: as many as copies between buffers and textures want, so that no row is padded.
const PITCH: u32 = 4 * SIDE;
const BYTES: u64 = (PITCH * SIDE) as u64;
/// `GENERIC_ALL`.
const ALL: u32 = 0x1000_0000;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let (device, queue) = (&stage.device, &stage.queue);
    ask_vendors(device);
    let fence = Fence::of(device, 3, D3D12_FENCE_FLAGS::SHARED).or_else(|_| Fence::new(device, 3))?;
    let fence = Fence { com: reopened(device, fence.com, interface("ID3D12Fence"))? };
    Failure::unless_equal("the opened fence's value", &[fence.completed()], &[3])?;
    let desc = texture::flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, SIDE, SIDE);
    let texture = reopened(device, committed(device, &desc)?, interface("ID3D12Resource"))?;
    let between = committed(device, &buffer::description(BYTES, D3D12_RESOURCE_FLAGS::NONE))?;
    let between = Buffer::from_com(reopened(device, between, interface("ID3D12Resource"))?, BYTES)?;
    drive_by_vulkan(device, queue, &texture)?;

    let bytes = Random(13).bytes(BYTES as usize);
    let mut upload = Buffer::upload(device, BYTES)?;
    upload.write(0, &bytes);
    let readback = Buffer::readback(device, BYTES)?;
    let mut list = List::direct(device)?;
    let (written, read) = (D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::COPY_SOURCE);
    list.copy_texture(&part(&texture, 0), [0; 3], &texture::in_buffer(&upload, FOOTPRINT), None);
    list.transition(&texture, written, read);
    list.copy_texture(&texture::in_buffer(&between, FOOTPRINT), [0; 3], &part(&texture, 0), None);
    list.transition(&between.com, written, read);
    list.copy_bytes(&readback, 0, &between, 0, BYTES);
    list.close()?;
    queue.execute(&[&list]);
    queue.signal(&fence, 4)?;
    fence.wait(4)?;
    queue.finish()?;
    let got = readback.read()?;
    Failure::unless_equal("the copied bytes", &got, &bytes)?;
    Ok(Digest::of(&got))
}

/// The questions by which vendors' libraries find out what there is; no answer changes what the program does.
fn ask_vendors(device: &Device) {
    if let Some(ext) = device.com.query(interface("ID3D12DeviceExt4")) {
        for extension in 0..5u32 {
            call!(ext, "ID3D12DeviceExt", "GetExtensionSupport", extension);
        }
        call!(ext, "ID3D12DeviceExt2", "SupportsCubin64bit");
        call!(ext, "ID3D12DeviceExt3", "SupportsAGSExtension", 2u32);
        call!(ext, "ID3D12DeviceExt4", "IsNvShaderExtnOpCodeSupported", 1u32);
    }
    if let Some(latency) = device.com.query(interface("ID3DLowLatencyDevice")) {
        call!(latency, "ID3DLowLatencyDevice", "SupportsLowLatency");
    }
    for name in
        [const { interface("ID3D12DeviceExt5") }, interface("IAmdExtAntiLagApi"), interface("ID3D12DeviceTools")]
    {
        drop(device.com.query(name));
    }
}

/// What a program does that drives the device by Vulkan as well: it asks for the handles, and locks the queue where it would submit.
fn drive_by_vulkan(device: &Device, queue: &Queue, texture: &Com) -> Result<(), Failure> {
    drop(queue.com.query(interface("ID3D12CommandQueueExt")));
    let Some(interop) = device.com.query(interface("ID3D12DXVKInteropDevice")) else { return Ok(()) };
    let (mut handles, mut vk_queue, mut family, mut layout) = ([null_mut::<c_void>(); 3], null_mut::<c_void>(), 0, 0);
    let [instance, physical, vk] = &mut handles;
    attempt!(
        interop,
        "ID3D12DXVKInteropDevice",
        "GetVulkanHandles",
        &raw mut *instance,
        &raw mut *physical,
        &raw mut *vk
    )?;
    attempt!(interop, "ID3D12DXVKInteropDevice", "GetVulkanQueueInfo", &queue.com, &raw mut vk_queue, &raw mut family)?;
    let (mut image, mut offset) = (0u64, 0u64);
    attempt!(interop, "ID3D12DXVKInteropDevice", "GetVulkanResourceInfo", texture, &raw mut image, &raw mut offset)?;
    let state = D3D12_RESOURCE_STATES::COPY_DEST.0;
    call!(interop, "ID3D12DXVKInteropDevice", "GetVulkanImageLayout", texture, state, &raw mut layout);
    attempt!(interop, "ID3D12DXVKInteropDevice", "LockCommandQueue", &queue.com)?;
    attempt!(interop, "ID3D12DXVKInteropDevice", "UnlockCommandQueue", &queue.com)?;
    if let Some(newer) = interop.query(interface("ID3D12DXVKInteropDevice2")) {
        attempt!(newer, "ID3D12DXVKInteropDevice2", "LockVulkanQueue", &queue.com)?;
        attempt!(newer, "ID3D12DXVKInteropDevice2", "UnlockVulkanQueue", &queue.com)?;
    }
    Ok(())
}

/// The object that its handle opens once the program has released it; the object itself where the library shares none.
fn reopened(device: &Device, object: Com, class: InterfaceId) -> Result<Com, Failure> {
    const OPEN: reprise_d3d12::model::MethodId = reprise_d3d12::method("ID3D12Device", "OpenSharedHandle");
    let mut handle: *mut c_void = null_mut();
    let shared = attempt!(device.com, "ID3D12Device", "CreateSharedHandle", &object, Null, ALL, Null, &raw mut handle);
    // SAFETY: the handle is this program's, if there is one.
    let Some(handle) = (unsafe { Handle::new(handle) }).filter(|_| shared.is_ok()) else {
        return Ok(object);
    };
    drop(object);
    // SAFETY: the first argument is the handle; the last two parameters are what `create` adds.
    unsafe { device.com.create(OPEN, class, &mut vec![handle.raw().into()]) }
}

/// A resource in memory of its own that may be shared, if there is such.
fn committed(device: &Device, desc: &D3D12_RESOURCE_DESC) -> Result<Com, Failure> {
    let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let make = |flags: D3D12_HEAP_FLAGS| {
        create!(
            device.com, "ID3D12Device", "CreateCommittedResource",
            &raw const properties, flags.0, &raw const *desc, D3D12_RESOURCE_STATES::COPY_DEST.0, Null; "ID3D12Resource"
        )
    };
    make(D3D12_HEAP_FLAGS::SHARED).or_else(|_| make(D3D12_HEAP_FLAGS::NONE))
}

/// How the texture lies in a buffer.
const FOOTPRINT: D3D12_PLACED_SUBRESOURCE_FOOTPRINT = D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
    Offset: 0,
    Footprint: D3D12_SUBRESOURCE_FOOTPRINT {
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UINT,
        Width: SIDE,
        Height: SIDE,
        Depth: 1,
        RowPitch: PITCH,
    },
};
