//! Reads a texture of the runtime back to the CPU, through a queue and lists of replay's own.
//!
//! Invariant: the work of the program's queue is done before the copy begins, and the copy before the pixels are looked
//! at; the texture is in the state in which it was presented before and after.

use std::time::Duration;

use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::{
    D3D12_COMMAND_QUEUE_DESC, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_2, D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as State, D3D12_RESOURCE_TRANSITION_BARRIER, D3D12_SUBRESOURCE_FOOTPRINT,
    D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_LOCATION_2, D3D12_TEXTURE_COPY_TYPE, DXGI_FORMAT,
};
use reprise_d3d12::{description, interface, method};

use crate::picture::{self, Picture};
use crate::report::HresultName;
use crate::resolve::objects::Com;
use crate::runtime::Runtime;
use crate::runtime::owned::{self, Owned};
use crate::sync::{self, Waited};
use crate::world::World;

const ROW_PITCH: u64 = 256;

/// What reading pictures of one size takes; kept from frame to frame. Each pointer is a reference held.
pub(crate) struct Reader {
    device: u64,
    queue: u64,
    allocator: u64,
    list: u64,
    fence: u64,
    /// The last value that `fence` was told to reach.
    value: u64,
    buffer: u64,
    bytes: u64,
}

/// Reads subresource 0 of a texture that was presented by `queue`.
///
/// `texture` and `queue` are pointers of this runtime to `ID3D12Resource` and `ID3D12CommandQueue`.
pub(crate) fn read(
    world: &mut World,
    texture: u64,
    queue: u64,
    (width, height, format): (u32, u32, u32),
    timeout: Duration,
) -> Result<Picture, String> {
    let pixel = picture::pixel_bytes(format)
        .ok_or_else(|| format!("pictures of DXGI format {format} cannot be read back yet"))?;
    let pitch = (u64::from(width) * u64::from(pixel)).next_multiple_of(ROW_PITCH);
    let bytes = pitch * u64::from(height);
    let mut reader = Reader::for_picture(world, texture, bytes)?;
    let read = reader.read(&world.runtime, texture, queue, (width, height, format, pitch as u32), timeout);
    // After a failure its work may be pending: then it is left to the end of the process.
    if read.is_ok() {
        world.reader = Some(reader);
    }
    read
}

impl Reader {
    /// The one kept, or a new one where it does not fit.
    fn for_picture(world: &mut World, texture: u64, bytes: u64) -> Result<Self, String> {
        let device = owned::of_pointer(&world.runtime, texture)?.into_pointer();
        if let Some(kept) = world.reader.take() {
            if kept.device == device && kept.bytes == bytes {
                world.runtime.release(device);
                return Ok(kept);
            }
            kept.release(&world.runtime);
        }
        Self::new(&world.runtime, device, bytes)
    }

    /// Takes over the reference to the device.
    fn new(runtime: &Runtime, device: u64, bytes: u64) -> Result<Self, String> {
        let device = Owned::new(runtime, device).ok_or("there is no device")?;
        let this = device.pointer();
        let buffer = readback_buffer(runtime, this, bytes)?;
        let queue = own_queue(runtime, this)?;
        let (allocator, list) = own_list(runtime, this)?;
        // Lists begin open; from here on each use resets it first.
        close(runtime, list.pointer())?;
        let fence = fence(runtime, this)?;
        Ok(Self {
            queue: queue.into_pointer(),
            allocator: allocator.into_pointer(),
            list: list.into_pointer(),
            fence: fence.into_pointer(),
            value: 0,
            buffer: buffer.into_pointer(),
            bytes,
            device: device.into_pointer(),
        })
    }

    /// Gives all references back; no work is pending.
    pub(crate) fn release(self, runtime: &Runtime) {
        for pointer in [self.buffer, self.fence, self.list, self.allocator, self.queue, self.device] {
            runtime.release(pointer);
        }
    }

    fn read(
        &mut self,
        runtime: &Runtime,
        texture: u64,
        queue: u64,
        (width, height, format, pitch): (u32, u32, u32, u32),
        timeout: Duration,
    ) -> Result<Picture, String> {
        self.value += 1;
        signal_and_wait(runtime, queue, (self.fence, self.value), timeout)?;
        const RESET_ALLOCATOR: MethodId = method("ID3D12CommandAllocator", "Reset");
        const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
        const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
        // SAFETY: allocator and list are alive, and the work of the picture before is done.
        let reset = unsafe {
            runtime.call(self.allocator, RESET_ALLOCATOR, &[]);
            runtime.call(self.list, RESET, &[self.allocator, 0]) as u32
        };
        if (reset as i32) < 0 {
            return Err(format!("the list that copies pictures cannot be reset: {}", HresultName(reset)));
        }
        record(runtime, self.list, texture, self.buffer, (width, height, format, pitch));
        close(runtime, self.list)?;
        let lists = [self.list];
        // SAFETY: the queue and the list are alive; the array is ours.
        unsafe { runtime.call(self.queue, EXECUTE, &[1, lists.as_ptr() as u64]) };
        self.value += 1;
        signal_and_wait(runtime, self.queue, (self.fence, self.value), timeout)?;
        mapped(runtime, self.buffer, self.bytes, |rows| {
            Picture::from_rows((width, height, format), rows, pitch as usize)
        })
    }
}

/// Ends the recording of a list of replay's own.
pub(crate) fn close(runtime: &Runtime, list: u64) -> Result<(), String> {
    // SAFETY: the list is alive and recording.
    let closed = unsafe { runtime.call(list, method("ID3D12GraphicsCommandList", "Close"), &[]) } as u32;
    if (closed as i32) < 0 {
        return Err(format!("a copy of replay's own cannot be recorded: {}", HresultName(closed)));
    }
    Ok(())
}

fn record(
    runtime: &Runtime,
    list: u64,
    texture: u64,
    buffer: u64,
    (width, height, format, pitch): (u32, u32, u32, u32),
) {
    const BARRIER: MethodId = method("ID3D12GraphicsCommandList", "ResourceBarrier");
    const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyTextureRegion");
    let barrier = |before, after| {
        let mut transition = D3D12_RESOURCE_TRANSITION_BARRIER { pResource: texture as *mut _, ..Default::default() };
        transition.StateBefore = before;
        transition.StateAfter = after;
        D3D12_RESOURCE_BARRIER { Anonymous: D3D12_RESOURCE_BARRIER_2 { Transition: transition }, ..Default::default() }
    };
    let mut source = D3D12_TEXTURE_COPY_LOCATION { pResource: texture as *mut _, ..Default::default() };
    source.Type = D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX;
    let footprint = D3D12_SUBRESOURCE_FOOTPRINT {
        Format: DXGI_FORMAT(typed(format) as _),
        Width: width,
        Height: height,
        Depth: 1,
        RowPitch: pitch,
    };
    let mut target = D3D12_TEXTURE_COPY_LOCATION {
        pResource: buffer as *mut _,
        Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 {
            PlacedFootprint: D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: 0, Footprint: footprint },
        },
        ..Default::default()
    };
    target.Type = D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT;
    let (before, after) = (barrier(State::PRESENT, State::COPY_SOURCE), barrier(State::COPY_SOURCE, State::PRESENT));
    // SAFETY: the list is alive and recording, both resources are alive, the structures are ours.
    unsafe {
        runtime.call(list, BARRIER, &[1, core::ptr::from_ref(&before) as u64]);
        let words = [core::ptr::from_ref(&target) as u64, 0, 0, 0, core::ptr::from_ref(&source) as u64, 0];
        runtime.call(list, COPY, &words);
        runtime.call(list, BARRIER, &[1, core::ptr::from_ref(&after) as u64]);
    }
}

/// Looks at the bytes of a readback buffer that no pending work writes.
pub(crate) fn mapped<T>(
    runtime: &Runtime,
    buffer: u64,
    bytes: u64,
    look: impl FnOnce(&[u8]) -> Result<T, String>,
) -> Result<T, String> {
    const MAP: MethodId = method("ID3D12Resource", "Map");
    const UNMAP: MethodId = method("ID3D12Resource", "Unmap");
    let mut address = 0u64;
    // SAFETY: the buffer is alive; the out pointer is ours, a null range is allowed.
    let result = unsafe { runtime.call(buffer, MAP, &[0, 0, core::ptr::from_mut(&mut address) as u64]) } as u32;
    if (result as i32) < 0 || address == 0 {
        return Err(format!("the readback buffer cannot be mapped: {}", HresultName(result)));
    }
    // SAFETY: the buffer has this many bytes, is mapped until Unmap, and no work that writes it is pending.
    let seen = look(unsafe { core::slice::from_raw_parts(address as *const u8, bytes as usize) });
    // SAFETY: mapped just above.
    unsafe { runtime.call(buffer, UNMAP, &[0, 0]) };
    seen
}

/// A footprint needs a format with a type.
fn typed(format: u32) -> u32 {
    match format {
        9 => 11,
        27 => 28,
        90 => 87,
        other => other,
    }
}

/// Waits until a queue has done what it was given.
pub(crate) fn drain(world: &World, queue: u64, timeout: Duration) -> Result<(), String> {
    let device = owned::of_pointer(&world.runtime, queue)?;
    let fence = fence(&world.runtime, device.pointer())?;
    signal_and_wait(&world.runtime, queue, (fence.pointer(), 1), timeout)
}

/// Waits until a queue has done what it was given, by a value that the fence has not reached yet.
pub(crate) fn signal_and_wait(
    runtime: &Runtime,
    queue: u64,
    (fence, value): (u64, u64),
    timeout: Duration,
) -> Result<(), String> {
    const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
    // SAFETY: queue and fence are alive.
    unsafe { runtime.call(queue, SIGNAL, &[fence, value]) };
    match sync::wait(runtime, fence, value, timeout) {
        Waited::Reached => Ok(()),
        Waited::Expired(_) => Err(format!(
            "the queue did not finish what it was given within {:.1} s; raise --fence-timeout if the device is slow",
            timeout.as_secs_f64()
        )),
        Waited::Removed => Err("the device was removed while the queue did what it was given".into()),
    }
}

/// A fence at 0.
pub(crate) fn fence(runtime: &Runtime, device: u64) -> Result<Owned<'_>, String> {
    create(runtime, device, "a fence", interface("ID3D12Fence"), |iid, out| {
        (method("ID3D12Device", "CreateFence"), vec![0, 0, iid, out])
    })
}

/// An allocator and an open list of the type that can do everything.
pub(crate) fn own_list(runtime: &Runtime, device: u64) -> Result<(Owned<'_>, Owned<'_>), String> {
    let class = interface("ID3D12CommandAllocator");
    let allocator = create(runtime, device, "a command allocator", class, |iid, out| {
        (method("ID3D12Device", "CreateCommandAllocator"), vec![0, iid, out])
    })?;
    let class = interface("ID3D12GraphicsCommandList");
    let list = create(runtime, device, "a command list", class, |iid, out| {
        (method("ID3D12Device", "CreateCommandList"), vec![0, 0, allocator.pointer(), 0, iid, out])
    })?;
    Ok((allocator, list))
}

/// A queue that can do everything.
pub(crate) fn own_queue(runtime: &Runtime, device: u64) -> Result<Owned<'_>, String> {
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    create(runtime, device, "a command queue", interface("ID3D12CommandQueue"), |iid, out| {
        (method("ID3D12Device", "CreateCommandQueue"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
    })
}

/// A buffer that the CPU can read, ready to be copied to.
pub(crate) fn readback_buffer(runtime: &Runtime, device: u64, bytes: u64) -> Result<Owned<'_>, String> {
    let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::default());
    committed(runtime, device, D3D12_HEAP_TYPE::READBACK, &desc, State::COPY_DEST)
}

/// A committed resource of replay's own.
pub(crate) fn committed<'r>(
    runtime: &'r Runtime,
    device: u64,
    heap_type: D3D12_HEAP_TYPE,
    desc: &D3D12_RESOURCE_DESC,
    state: State,
) -> Result<Owned<'r>, String> {
    let heap = D3D12_HEAP_PROPERTIES { Type: heap_type, CreationNodeMask: 1, VisibleNodeMask: 1, ..Default::default() };
    create(runtime, device, "a resource", interface("ID3D12Resource"), |iid, out| {
        let words = vec![
            core::ptr::from_ref(&heap) as u64,
            0,
            core::ptr::from_ref(desc) as u64,
            u64::from(state.0),
            0,
            iid,
            out,
        ];
        (method("ID3D12Device", "CreateCommittedResource"), words)
    })
}

/// Calls a method of the device that makes an object of replay's own; `words` gets the pointers to interface id and output.
pub(crate) fn create<'r>(
    runtime: &'r Runtime,
    device: u64,
    what: &str,
    class: InterfaceId,
    words: impl FnOnce(u64, u64) -> (MethodId, Vec<u64>),
) -> Result<Owned<'r>, String> {
    let mut out = 0u64;
    let (method, words) = words(core::ptr::from_ref(&class.get().iid) as u64, core::ptr::from_mut(&mut out) as u64);
    // SAFETY: the device is alive; the callers' words match the method, and what they point to lives until the call ends.
    let result = unsafe { runtime.call(device, method, &words) } as u32;
    Owned::new(runtime, out).ok_or_else(|| format!("replay needs {what} of its own and gets {}", HresultName(result)))
}
