//! The words that the GPU writes: two for each recording of a list, in readback buffers of our own.
//!
//! A buffer stays mapped as long as it lives. Invariants: words are read and written as atomics, since the GPU may write them meanwhile; a
//! device's buffers live as long as lists with markers on it, or submissions of such that are not done, so that none keeps the device alive
//! behind the program's back.

use crate::Convention;
use crate::real::{self, Owned};
use crate::session::words::inside;
use core::ffi::c_void;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES};
use reprise_d3d12::{description, interface, method};
#[cfg(unix)]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of one buffer.
const BLOCK: u64 = 64 << 10;
/// Bytes of a pair of words.
const PAIR: u64 = 8;

/// Where a recording's words are, for the GPU and for the processor.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) address: u64,
    words: *const [AtomicU32; 2],
    /// The buffer, and where the pair lies in it.
    pub(super) buffer: *mut c_void,
    pub(super) offset: u64,
}

// SAFETY: the words are atomics in a buffer that lives as long as the device's entry, which whoever has a pair holds.
unsafe impl Send for Pair {}
// SAFETY: likewise.
unsafe impl Sync for Pair {}

impl Pair {
    fn words(&self) -> &[AtomicU32; 2] {
        // SAFETY: the buffer is mapped as long as it lives, and whoever has a pair holds its device; the words are aligned, because a
        // mapped buffer begins at a page and pairs have 8 bytes.
        unsafe { &*self.words }
    }

    /// Both words at 0: before a submission.
    pub(super) fn clear(&self) {
        self.words().iter().for_each(|word| word.store(0, Ordering::Release));
    }

    /// The last operations that the GPU came to, and has done.
    pub(super) fn read(&self) -> (u32, u32) {
        let [reached, completed] = self.words();
        // In this order: what is done was begun.
        let completed = completed.load(Ordering::Acquire);
        (reached.load(Ordering::Acquire).max(completed), completed)
    }
}

/// A device with words.
pub(super) struct Device {
    convention: Convention,
    /// The real device. A list of it lives where this is used.
    pointer: *mut c_void,
    /// Its real `IUnknown`.
    pub(super) key: usize,
    memory: Mutex<Memory>,
    /// How words are written.
    pub(super) means: Means,
    /// A marker was written at least once: the runtime does not leave them out.
    #[cfg(unix)]
    proven: AtomicBool,
}

/// How the GPU is told to write a word.
#[derive(Clone, Copy)]
pub(super) enum Means {
    /// `WriteBufferImmediate`.
    Immediate,
    /// A copy of four bytes: libvkd3d 1.2 takes `WriteBufferImmediate`, and does nothing. From an upload buffer of the numbers 0 to
    /// [`NUMBERS`].
    Copies { numbers: *mut c_void },
}

/// Operations of a list that can be numbered by copies; those beyond have the last number.
pub(super) const NUMBERS: u32 = 1 << 18;

#[derive(Default)]
struct Memory {
    buffers: Vec<Owned>,
    free: Vec<Pair>,
}

// SAFETY: the device may be called by any thread; the buffers' pointers are used under the lock.
unsafe impl Send for Device {}
// SAFETY: likewise.
unsafe impl Sync for Device {}

impl Device {
    /// A real device, which stays alive while a list of it lives; `key` is its `IUnknown`.
    pub(super) fn new(convention: Convention, pointer: *mut c_void, key: usize) -> Device {
        Device {
            convention,
            pointer,
            key,
            memory: Mutex::default(),
            means: Means::Immediate,
            #[cfg(unix)]
            proven: AtomicBool::new(false),
        }
    }

    /// Whether a marker was ever written: `reached` is one word's value now.
    #[cfg(unix)]
    pub(super) fn is_proven(&self, reached: u32) -> bool {
        if reached > 0 {
            self.proven.store(true, Ordering::Relaxed);
        }
        self.proven.load(Ordering::Relaxed)
    }

    /// Words for a recording, at 0.
    ///
    /// # Errors
    /// The runtime gives no memory for them.
    pub(super) fn take(&self) -> Result<Pair, String> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.free.is_empty() {
            self.grow(&mut memory)?;
        }
        let pair = memory.free.pop().ok_or("there is no room for markers")?;
        pair.clear();
        Ok(pair)
    }

    /// Words that no submission writes any more.
    pub(super) fn give_back(&self, pair: Pair) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).free.push(pair);
    }

    /// The real device, with a reference of its own.
    pub(super) fn owned(&self) -> Owned {
        // SAFETY: the device is alive while this is used.
        unsafe { real::add_ref(self.convention, self.pointer) };
        Owned { convention: self.convention, pointer: self.pointer }
    }

    /// A mapped buffer, and where the processor sees it.
    fn buffer(&self, kind: D3D12_HEAP_TYPE, bytes: u64) -> Result<(Owned, u64), String> {
        const CREATE: MethodId = method("ID3D12Device", "CreateCommittedResource");
        const MAP: MethodId = method("ID3D12Resource", "Map");
        let state = match kind {
            D3D12_HEAP_TYPE::READBACK => D3D12_RESOURCE_STATES::COPY_DEST,
            _ => D3D12_RESOURCE_STATES::GENERIC_READ,
        };
        let heap = D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() };
        let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::default());
        let words = [(&raw const heap) as u64, 0, (&raw const desc) as u64, u64::from(state.0), 0];
        let mut mapped = 0u64;
        // SAFETY: the device is alive; all arguments are numbers, or ours and outlive the call; a null range is allowed.
        let buffer = inside(|| unsafe {
            let buffer = self.owned().make(CREATE, &words, interface("ID3D12Resource"))?;
            buffer.succeed(MAP, &[0, 0, (&raw mut mapped) as u64]).map(|()| buffer)
        });
        let buffer = buffer.map_err(|error| format!("the runtime gives no memory for markers ({error})"))?;
        if mapped == 0 { Err("the runtime does not map the markers' memory".into()) } else { Ok((buffer, mapped)) }
    }

    /// An upload buffer of numbers, which lives as long as this.
    pub(super) fn numbers(&self) -> Result<*mut c_void, String> {
        let (buffer, mapped) = self.buffer(D3D12_HEAP_TYPE::UPLOAD, 4 * (u64::from(NUMBERS) + 1))?;
        let words = mapped as *mut u32;
        // SAFETY: the buffer has room for these words, and nobody else has it.
        (0..=NUMBERS).for_each(|number| unsafe { words.add(number as usize).write(number) });
        let pointer = buffer.pointer;
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).buffers.push(buffer);
        Ok(pointer)
    }

    fn grow(&self, memory: &mut Memory) -> Result<(), String> {
        const ADDRESS: MethodId = method("ID3D12Resource", "GetGPUVirtualAddress");
        let (buffer, mapped) = self.buffer(D3D12_HEAP_TYPE::READBACK, BLOCK)?;
        // SAFETY: the buffer is alive; there are no arguments.
        let address = inside(|| unsafe { buffer.call(ADDRESS, &[]) });
        if address == 0 {
            return Err("the runtime gives the markers' memory no address".into());
        }
        let pair = |offset: u64| Pair {
            address: address + offset,
            words: (mapped + offset) as *const [AtomicU32; 2],
            buffer: buffer.pointer,
            offset,
        };
        memory.free.extend((0..BLOCK / PAIR).rev().map(|at| pair(at * PAIR)));
        memory.buffers.push(buffer);
        Ok(())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // No recording that names them is left, so no work of the GPU does.
        let memory = self.memory.get_mut().unwrap_or_else(PoisonError::into_inner);
        inside(|| memory.buffers.clear());
    }
}

/// One recording of a list.
pub(super) struct Recording {
    pub(super) device: Arc<Device>,
    pub(super) pair: Pair,
    pub(super) operations: AtomicU32,
}

impl Drop for Recording {
    fn drop(&mut self) {
        self.device.give_back(self.pair);
    }
}
