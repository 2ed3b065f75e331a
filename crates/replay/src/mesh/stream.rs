//! A stream-output buffer of replay's own, with the number that says how much of it is filled.

use std::time::Duration;

use reprise_d3d12::types::{
    D3D12_HEAP_TYPE, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, D3D12_STREAM_OUTPUT_BUFFER_VIEW,
};
use reprise_d3d12::{description, method};

use crate::runtime::Runtime;
use crate::runtime::barrier::{barriers, transition};
use crate::runtime::replay_objects::{self, committed, mapped, readback_buffer, stored};

/// Bytes of the number.
const NUMBER: u64 = 16;

/// Buffer and number. Pointers are references held until the process ends: lists of the program name them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    device: u64,
    buffer: u64,
    number: u64,
    zeros: u64,
    /// Room, in bytes.
    pub(super) room: u64,
}

impl Stream {
    /// An empty buffer with so much room.
    ///
    /// # Errors
    /// There is no memory, or the device does not finish.
    pub(super) fn new(runtime: &Runtime, device: u64, room: u64, timeout: Duration) -> Result<Self, String> {
        let make = |bytes: u64, kind: D3D12_HEAP_TYPE, state: State| {
            let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::default());
            committed(runtime, device, kind, &desc, state)
        };
        let buffer = make(room, D3D12_HEAP_TYPE::DEFAULT, State::STREAM_OUT)?;
        let number = make(NUMBER, D3D12_HEAP_TYPE::DEFAULT, State::STREAM_OUT)?;
        let zeros = make(NUMBER, D3D12_HEAP_TYPE::UPLOAD, State::GENERIC_READ)?;
        clear(runtime, zeros.pointer())?;
        let [buffer, number, zeros] = [buffer, number, zeros].map(|it| it.into_pointer());
        let stream = Self { device, buffer, number, zeros, room };
        stream.empty(runtime, timeout)?;
        Ok(stream)
    }

    /// Nothing is filled from here on. No pending work uses it.
    pub(super) fn empty(&self, runtime: &Runtime, timeout: Duration) -> Result<(), String> {
        replay_objects::run(runtime, self.device, timeout, |list| {
            barriers(runtime, list, &[transition(self.number, 0, State::STREAM_OUT, State::COPY_DEST)]);
            copy(runtime, list, (self.number, self.zeros), NUMBER);
            barriers(runtime, list, &[transition(self.number, 0, State::COPY_DEST, State::STREAM_OUT)]);
            Ok(())
        })
    }

    /// The view that draws write to.
    pub(super) fn view(&self, runtime: &Runtime) -> D3D12_STREAM_OUTPUT_BUFFER_VIEW {
        // SAFETY: the buffers are alive.
        let address = |buffer| unsafe { runtime.call(buffer, method("ID3D12Resource", "GetGPUVirtualAddress"), &[]) };
        D3D12_STREAM_OUTPUT_BUFFER_VIEW {
            BufferLocation: address(self.buffer),
            SizeInBytes: self.room,
            BufferFilledSizeLocation: address(self.number),
        }
    }

    /// What is filled. No pending work uses it.
    pub(super) fn read(&self, runtime: &Runtime, timeout: Duration) -> Result<Vec<u8>, String> {
        let number = self.fetch(runtime, self.number, NUMBER, timeout)?;
        let filled = number.first_chunk().map_or(0, |word| u64::from(u32::from_le_bytes(*word)));
        match filled.min(self.room) {
            0 => Ok(Vec::new()),
            filled => self.fetch(runtime, self.buffer, filled, timeout),
        }
    }

    fn fetch(&self, runtime: &Runtime, from: u64, bytes: u64, timeout: Duration) -> Result<Vec<u8>, String> {
        let to = readback_buffer(runtime, self.device, bytes)?;
        let copied = replay_objects::run(runtime, self.device, timeout, |list| {
            barriers(runtime, list, &[transition(from, 0, State::STREAM_OUT, State::COPY_SOURCE)]);
            copy(runtime, list, (to.pointer(), from), bytes);
            barriers(runtime, list, &[transition(from, 0, State::COPY_SOURCE, State::STREAM_OUT)]);
            Ok(())
        });
        if let Err(failure) = copied {
            // The copy may be pending: left to the end of the process.
            let _left = to.into_pointer();
            return Err(failure);
        }
        mapped(runtime, to.pointer(), bytes, |bytes| Ok(bytes.to_vec()))
    }
}

fn copy(runtime: &Runtime, list: u64, (to, from): (u64, u64), bytes: u64) {
    // SAFETY: the list is recording, both buffers are alive and have so many bytes.
    unsafe { runtime.call(list, method("ID3D12GraphicsCommandList", "CopyBufferRegion"), &[to, 0, from, 0, bytes]) };
}

/// Writes zeros into an upload buffer that no pending work reads.
fn clear(runtime: &Runtime, buffer: u64) -> Result<(), String> {
    stored(runtime, buffer, NUMBER, |memory| memory.fill(0))
}
