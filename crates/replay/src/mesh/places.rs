//! Memory that mesh shaders store to: a place for each group, and the words that lead there ([`reprise_d3d12::meshlets`]).

use std::time::Duration;

use reprise_d3d12::meshlets::CONTROL;
use reprise_d3d12::types::{D3D12_HEAP_TYPE, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State};
use reprise_d3d12::{description, method};

use crate::runtime::Runtime;
use crate::runtime::barrier::{barriers, transition};
use crate::runtime::replay_objects::{self, address, committed, mapped, readback_buffer, stored};

/// Bytes of zeros that are copied at a time.
const ZEROS: u64 = 1 << 20;

/// The words that a pipeline is made with. The pointer is a reference held until the process ends: lists of the program use it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    buffer: u64,
}

impl Control {
    /// # Errors
    /// There is no memory.
    pub(super) fn new(runtime: &Runtime, device: u64) -> Result<Self, String> {
        Ok(Self { buffer: written(runtime, device, CONTROL)? })
    }

    pub(super) fn address(self, runtime: &Runtime) -> u64 {
        address(runtime, self.buffer)
    }
}

/// A buffer that shaders write.
fn written(runtime: &Runtime, device: u64, bytes: u64) -> Result<u64, String> {
    let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
    Ok(committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, State::UNORDERED_ACCESS)?.into_pointer())
}

/// Places. Pointers are references held until the process ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    device: u64,
    control: Control,
    buffer: u64,
    /// What the words are before anything is stored, and zeros.
    first: u64,
    zeros: u64,
    /// How many there are.
    pub(super) count: u64,
    /// Bytes of one.
    size: u64,
}

impl Places {
    /// So many, which are empty, each of so many bytes, and one more that takes what has no place.
    ///
    /// # Errors
    /// There is no memory, or the device does not finish.
    pub(super) fn new(
        runtime: &Runtime,
        device: u64,
        control: Control,
        (count, size): (u64, u64),
        timeout: Duration,
    ) -> Result<Self, String> {
        let buffer = written(runtime, device, (count + 1) * size)?;
        let upload = |bytes: u64| {
            let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::default());
            committed(runtime, device, D3D12_HEAP_TYPE::UPLOAD, &desc, State::GENERIC_READ)
        };
        let (first, zeros) = (upload(CONTROL)?, upload(ZEROS)?);
        let place = address(runtime, buffer);
        let words = [0, count as u32, place as u32, (place >> 32) as u32];
        stored(runtime, first.pointer(), CONTROL, |memory| {
            memory.iter_mut().zip(words.into_iter().flat_map(u32::to_le_bytes)).for_each(|(to, byte)| *to = byte);
        })?;
        stored(runtime, zeros.pointer(), ZEROS, |memory| memory.fill(0))?;
        let (first, zeros) = (first.into_pointer(), zeros.into_pointer());
        let places = Self { device, control, buffer, first, zeros, count, size };
        places.empty(runtime, timeout)?;
        Ok(places)
    }

    /// Nothing is stored from here on. No pending work uses them.
    pub(super) fn empty(&self, runtime: &Runtime, timeout: Duration) -> Result<(), String> {
        let both = [self.control.buffer, self.buffer];
        replay_objects::run(runtime, self.device, timeout, |list| {
            let all = both.map(|it| transition(it, 0, State::UNORDERED_ACCESS, State::COPY_DEST));
            barriers(runtime, list, &all);
            copy(runtime, list, (self.control.buffer, 0), self.first, CONTROL);
            let bytes = (self.count + 1) * self.size;
            for at in (0..bytes).step_by(ZEROS as usize) {
                copy(runtime, list, (self.buffer, at), self.zeros, ZEROS.min(bytes - at));
            }
            let all = both.map(|it| transition(it, 0, State::COPY_DEST, State::UNORDERED_ACCESS));
            barriers(runtime, list, &all);
            Ok(())
        })
    }

    /// What is stored, a place behind the other, and how many groups had no place. No pending work uses them.
    pub(super) fn read(&self, runtime: &Runtime, timeout: Duration) -> Result<(Vec<u8>, u64), String> {
        let words = self.fetch(runtime, self.control.buffer, CONTROL, timeout)?;
        let begun = words.first_chunk().map_or(0, |word| u64::from(u32::from_le_bytes(*word)));
        let bytes = match begun.min(self.count) * self.size {
            0 => Vec::new(),
            bytes => self.fetch(runtime, self.buffer, bytes, timeout)?,
        };
        Ok((bytes, begun.saturating_sub(self.count)))
    }

    fn fetch(&self, runtime: &Runtime, from: u64, bytes: u64, timeout: Duration) -> Result<Vec<u8>, String> {
        let to = readback_buffer(runtime, self.device, bytes)?;
        let copied = replay_objects::run(runtime, self.device, timeout, |list| {
            barriers(runtime, list, &[transition(from, 0, State::UNORDERED_ACCESS, State::COPY_SOURCE)]);
            copy(runtime, list, (to.pointer(), 0), from, bytes);
            barriers(runtime, list, &[transition(from, 0, State::COPY_SOURCE, State::UNORDERED_ACCESS)]);
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

fn copy(runtime: &Runtime, list: u64, (to, at): (u64, u64), from: u64, bytes: u64) {
    // SAFETY: the list is recording, both buffers are alive and have so many bytes.
    unsafe { runtime.call(list, method("ID3D12GraphicsCommandList", "CopyBufferRegion"), &[to, at, from, 0, bytes]) };
}
