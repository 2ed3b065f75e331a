//! Reads a presented texture back to the CPU, through a queue and a list of replay's own.
//!
//! Invariant: the copy begins when the work of the program's queue is done, and the pixels are read when the copy is done. The
//! texture is in the state in which it was presented, before and after.

use std::time::Duration;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_2,
    D3D12_RESOURCE_STATES as State, D3D12_RESOURCE_TRANSITION_BARRIER, D3D12_SUBRESOURCE_FOOTPRINT,
    D3D12_TEXTURE_COPY_LOCATION, D3D12_TEXTURE_COPY_LOCATION_2, D3D12_TEXTURE_COPY_TYPE, DXGI_FORMAT,
};

use crate::hresult::HresultName;
use crate::picture::{self, Picture};
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::reference::{self, Reference};
use crate::runtime::replay_objects;

const ROW_PITCH: u64 = 256;

/// Queue, list, fence and buffer for pictures of one size, kept from frame to frame. Each pointer is a reference held.
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
/// `kept` is the reader of the last picture. `texture` and `queue` are pointers of this runtime to `ID3D12Resource` and `ID3D12CommandQueue`.
pub(crate) fn read(
    kept: &mut Option<Reader>,
    runtime: &Runtime,
    texture: u64,
    queue: u64,
    (width, height, format): (u32, u32, u32),
    timeout: Duration,
) -> Result<Picture, String> {
    let pixel = picture::pixel_bytes(format)
        .ok_or_else(|| format!("pictures of DXGI format {format} cannot be read back yet"))?;
    let pitch = (u64::from(width) * u64::from(pixel)).next_multiple_of(ROW_PITCH);
    let bytes = pitch * u64::from(height);
    let mut reader = Reader::for_picture(kept, runtime, texture, bytes)?;
    let read = reader.read(runtime, texture, queue, (width, height, format, pitch as u32), timeout);
    // After a failure its work may be pending: then it is left to the end of the process.
    if read.is_ok() {
        *kept = Some(reader);
    }
    read
}

impl Reader {
    /// The one kept, or a new one where it does not fit.
    fn for_picture(kept: &mut Option<Reader>, runtime: &Runtime, texture: u64, bytes: u64) -> Result<Self, String> {
        let device = reference::device_of(runtime, texture)?.into_pointer();
        if let Some(reader) = kept.take() {
            if reader.device == device && reader.bytes == bytes {
                runtime.release(device);
                return Ok(reader);
            }
            reader.release(runtime);
        }
        Self::new(runtime, device, bytes)
    }

    /// Takes over the reference to the device.
    fn new(runtime: &Runtime, device: u64, bytes: u64) -> Result<Self, String> {
        let device = Reference::new(runtime, device).ok_or("there is no device")?;
        let this = device.pointer();
        let buffer = replay_objects::readback_buffer(runtime, this, bytes)?;
        let queue = replay_objects::queue(runtime, this)?;
        let (allocator, list) = replay_objects::list(runtime, this)?;
        // Lists begin open; from here on each use resets it first.
        replay_objects::close(runtime, list.pointer())?;
        let fence = replay_objects::fence(runtime, this)?;
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
        replay_objects::signal_and_wait(runtime, queue, (self.fence, self.value), timeout)?;
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
        replay_objects::close(runtime, self.list)?;
        let lists = [self.list];
        // SAFETY: the queue and the list are alive; the array is ours.
        unsafe { runtime.call(self.queue, EXECUTE, &[1, lists.as_ptr() as u64]) };
        self.value += 1;
        replay_objects::signal_and_wait(runtime, self.queue, (self.fence, self.value), timeout)?;
        replay_objects::mapped(runtime, self.buffer, self.bytes, |rows| {
            Picture::from_rows((width, height, format), rows, pitch as usize)
        })
    }
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

/// A footprint needs a format with a type.
fn typed(format: u32) -> u32 {
    match format {
        9 => 11,
        27 => 28,
        90 => 87,
        other => other,
    }
}
