//! `demands`: a device of the highest level, a queue of real-time priority, and heaps, textures and a fence that other processes
//! and adapters may open. The program asks for less where the library refuses, and copies bytes through all of it:
//!
//! ```text
//! upload ─► buffer in a shared heap ─► texture in rows, in a shared heap ─► shared texture ─► readback
//! ```

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::{Com, Null, attempt, create};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::handle::Handle;
use crate::list::List;
use crate::memory::Memory;
use crate::queue::Queue;
use crate::random::Random;
use crate::runtime::Runtime;
use crate::stage::Stage;
use crate::texture::{self, part};
use core::ffi::c_void;
use reprise_d3d12::interface;
use reprise_d3d12::types::*;

pub(super) const DEMANDS: Program =
    Program { name: "demands", about: "the highest level, real-time priority, and sharing, as far as there are", run };
pub(super) const RAYS: Program =
    Program { name: "demands-rays", about: "the same, and ray tracing", run: run_with_rays };

/// Texels of each texture, which has so many rows, too.
const SIDE: u32 = 64;
/// Bytes of a row: as many as copies between buffers and textures want, so that no row is padded.
const PITCH: u32 = 4 * SIDE;
const BYTES: u64 = (PITCH * SIDE) as u64;
/// `GENERIC_ALL`.
const ALL: u32 = 0x1000_0000;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    copies(&highest(stage.device.com.runtime())?)
}

fn run_with_rays(stage: &Stage) -> Result<Digest, Failure> {
    let device = highest(stage.device.com.runtime())?;
    let collection = collection(&device)?;
    let digest = copies(&device);
    drop(collection);
    digest
}

/// Copies bytes through everything that is shared.
fn copies(device: &Device) -> Result<Digest, Failure> {
    let queue = first([10_000, 0], |priority| {
        let flags = D3D12_COMMAND_QUEUE_FLAGS::DISABLE_GPU_TIMEOUT;
        let desc = D3D12_COMMAND_QUEUE_DESC { Priority: priority, Flags: flags, ..Default::default() };
        Queue::of(device, &desc)
    })?;
    let fence = first([D3D12_FENCE_FLAGS::SHARED, D3D12_FENCE_FLAGS::NONE], |flags| Fence::of(device, 7, flags))?;
    let (row_buffer, _heap) = first([true, false], |shared| placed_buffer(device, shared))?;
    let (rows, _heap_of_rows) = first([true, false], |shared| placed_texture(device, shared))?;
    let texture = first([D3D12_HEAP_FLAGS::SHARED, D3D12_HEAP_FLAGS::NONE], |flags| committed(device, flags))?;
    for object in [&fence.com, &texture] {
        share(device, object);
    }
    prioritise(device, &texture);

    let bytes = Random(12).bytes(BYTES as usize);
    let mut upload = Buffer::upload(device, BYTES)?;
    upload.write(0, &bytes);
    let readback = Buffer::readback(device, BYTES)?;
    let mut list = List::direct(device)?;
    let (written, read) = (D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::COPY_SOURCE);
    list.copy_bytes(&row_buffer, 0, &upload, 0, BYTES);
    list.transition(&row_buffer.com, written, read);
    list.copy_texture(&part(&rows, 0), [0; 3], &texture::in_buffer(&row_buffer, FOOTPRINT), None);
    list.transition(&rows, written, read);
    list.copy_texture(&part(&texture, 0), [0; 3], &part(&rows, 0), None);
    list.transition(&texture, written, read);
    list.copy_texture(&texture::in_buffer(&readback, FOOTPRINT), [0; 3], &part(&texture, 0), None);
    list.close()?;
    queue.execute(&[&list]);
    queue.signal(&fence, 8)?;
    queue.wait(&fence, 8)?;
    fence.wait(8)?;
    queue.finish()?;
    let got = readback.read()?;
    Failure::unless_equal("the copied bytes", &got, &bytes)?;
    Ok(Digest::of(&got))
}

/// Tries wishes in turn; the last one's failure counts.
fn first<W, T>(wishes: impl IntoIterator<Item = W>, make: impl Fn(W) -> Result<T, Failure>) -> Result<T, Failure> {
    let mut made = Err(Failure::Wrong("nothing was asked for".into()));
    for wish in wishes {
        made = make(wish);
        if made.is_ok() {
            break;
        }
    }
    made
}

/// A device of the highest level that there is.
fn highest(runtime: &'static Runtime) -> Result<Device, Failure> {
    use D3D_FEATURE_LEVEL as Level;
    let levels = [Level::LEVEL_12_2, Level::LEVEL_12_1, Level::LEVEL_12_0, Level::LEVEL_11_1, Level::LEVEL_11_0];
    first(levels, |level| Device::of_level(runtime, level))
}

/// A collection of ray tracing without a shader, which no device below level 12_2 need have.
fn collection(device: &Device) -> Result<Com, Failure> {
    let device = device.com.query(interface("ID3D12Device5"));
    let device = device.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device5".into()))?;
    let shaders = D3D12_RAYTRACING_SHADER_CONFIG { MaxPayloadSizeInBytes: 16, MaxAttributeSizeInBytes: 8 };
    let pipeline = D3D12_RAYTRACING_PIPELINE_CONFIG { MaxTraceRecursionDepth: 1 };
    let subobjects = [
        D3D12_STATE_SUBOBJECT {
            Type: D3D12_STATE_SUBOBJECT_TYPE::RAYTRACING_SHADER_CONFIG,
            pDesc: (&raw const shaders).cast(),
        },
        D3D12_STATE_SUBOBJECT {
            Type: D3D12_STATE_SUBOBJECT_TYPE::RAYTRACING_PIPELINE_CONFIG,
            pDesc: (&raw const pipeline).cast(),
        },
    ];
    let desc = D3D12_STATE_OBJECT_DESC {
        Type: D3D12_STATE_OBJECT_TYPE::COLLECTION,
        NumSubobjects: subobjects.len() as u32,
        pSubobjects: subobjects.as_ptr(),
    };
    let made = create!(device, "ID3D12Device5", "CreateStateObject", &raw const desc; "ID3D12StateObject");
    made.map_err(|failure| Failure::Cannot(format!("no collection of ray tracing: {failure}")))
}

/// Flags of heaps and of what lies in them.
fn flags(shared: bool) -> (u32, D3D12_RESOURCE_FLAGS) {
    let heap = D3D12_HEAP_FLAGS::SHARED.0 | D3D12_HEAP_FLAGS::SHARED_CROSS_ADAPTER.0;
    if shared { (heap, D3D12_RESOURCE_FLAGS::ALLOW_CROSS_ADAPTER) } else { (0, D3D12_RESOURCE_FLAGS::NONE) }
}

/// A buffer in a heap that other adapters may open, if they may.
fn placed_buffer(device: &Device, shared: bool) -> Result<(Buffer, Com), Failure> {
    let (heap, flags) = flags(shared);
    let only = D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0 | D3D12_HEAP_FLAGS::DENY_NON_RT_DS_TEXTURES.0;
    let (buffer, heap) = place(device, heap | only, &buffer::description(BYTES, flags))?;
    Ok((Buffer::from_com(buffer, BYTES)?, heap))
}

/// A texture in a heap that other adapters may open, row by row, if they may.
fn placed_texture(device: &Device, shared: bool) -> Result<(Com, Com), Failure> {
    let (heap, flags) = flags(shared);
    let only = D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0 | D3D12_HEAP_FLAGS::DENY_BUFFERS.0;
    let layout = if shared { D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR } else { D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN };
    let desc = texture::flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, SIDE, SIDE);
    place(device, heap | only, &D3D12_RESOURCE_DESC { Layout: layout, Flags: flags, ..desc })
}

/// A resource at the start of a heap of its own, and the heap, which must live as long.
fn place(device: &Device, flags: u32, desc: &D3D12_RESOURCE_DESC) -> Result<(Com, Com), Failure> {
    let heap = D3D12_HEAP_DESC {
        SizeInBytes: 2 * Memory::ALIGNMENT,
        Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
        Alignment: 0,
        Flags: D3D12_HEAP_FLAGS(flags),
    };
    let heap: Com = create!(device.com, "ID3D12Device", "CreateHeap", &raw const heap; "ID3D12Heap")?;
    let state = D3D12_RESOURCE_STATES::COPY_DEST;
    let placed = create!(
        device.com, "ID3D12Device", "CreatePlacedResource",
        &heap, 0u64, &raw const *desc, state.0, Null; "ID3D12Resource"
    )?;
    share(device, &heap);
    Ok((placed, heap))
}

/// A texture in memory of its own.
fn committed(device: &Device, flags: D3D12_HEAP_FLAGS) -> Result<Com, Failure> {
    let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let desc = texture::flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, SIDE, SIDE);
    create!(
        device.com, "ID3D12Device", "CreateCommittedResource",
        &raw const properties, flags.0, &raw const desc, D3D12_RESOURCE_STATES::COPY_DEST.0, Null; "ID3D12Resource"
    )
}

/// Makes a handle for other processes, if there are such. None opens it.
fn share(device: &Device, object: &Com) {
    let mut handle: *mut c_void = core::ptr::null_mut();
    let _ = attempt!(device.com, "ID3D12Device", "CreateSharedHandle", object, Null, ALL, Null, &raw mut handle);
    // SAFETY: the handle is this program's, if there is one.
    drop(unsafe { Handle::new(handle) });
}

/// Wishes that an object stays in memory before others do.
fn prioritise(device: &Device, object: &Com) {
    let objects = [object.as_ptr()];
    let priorities = [D3D12_RESIDENCY_PRIORITY::MAXIMUM];
    if let Some(device) = device.com.query(interface("ID3D12Device1")) {
        let (objects, priorities) = (objects.as_ptr(), priorities.as_ptr());
        let _ = attempt!(device, "ID3D12Device1", "SetResidencyPriority", 1u32, objects, priorities);
    }
}

/// How a texture lies in a buffer.
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
