//! The words that the GPU writes: two for each recording of a list, in readback buffers of our own.
//!
//! A buffer stays mapped as long as it lives. Invariants: words are read and written as atomics, since the GPU may write them meanwhile; a
//! device's buffers live as long as lists with markers on it, or submissions of such that are not done, so that none keeps the device alive
//! behind the program's back.

use crate::{Convention, real};
use core::ffi::c_void;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES};
use reprise_d3d12::{description, interface, method};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::list::inside;

/// Bytes of one buffer.
const BLOCK: u64 = 64 << 10;
/// Bytes of a pair of words.
const PAIR: u64 = 8;

/// Where a recording's words are, for the GPU and for the processor.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) address: u64,
    words: *const [AtomicU32; 2],
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
    /// A marker was written at least once: the runtime does not leave them out.
    proven: AtomicBool,
}

#[derive(Default)]
struct Memory {
    buffers: Vec<*mut c_void>,
    free: Vec<Pair>,
}

// SAFETY: the device may be called by any thread; the buffers' pointers are used under the lock.
unsafe impl Send for Device {}
// SAFETY: likewise.
unsafe impl Sync for Device {}

impl Device {
    /// The entry of a real device.
    ///
    /// # Safety
    /// The device is alive, and stays so while a list of it lives.
    pub(super) unsafe fn of(convention: Convention, pointer: *mut c_void) -> Arc<Device> {
        static DEVICES: LazyLock<Mutex<HashMap<usize, Weak<Device>>>> = LazyLock::new(Mutex::default);
        // SAFETY: the caller passes a live device.
        let key = unsafe { real::canonical(convention, pointer) } as usize;
        let mut devices = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = devices.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        devices.retain(|_, device| device.strong_count() > 0);
        let made =
            Arc::new(Device { convention, pointer, key, memory: Mutex::default(), proven: AtomicBool::new(false) });
        devices.insert(key, Arc::downgrade(&made));
        made
    }

    /// Whether a marker was ever written: `reached` is one word's value now.
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

    fn grow(&self, memory: &mut Memory) -> Result<(), String> {
        const CREATE: MethodId = method("ID3D12Device", "CreateCommittedResource");
        const MAP: MethodId = method("ID3D12Resource", "Map");
        const ADDRESS: MethodId = method("ID3D12Resource", "GetGPUVirtualAddress");
        let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::READBACK, ..Default::default() };
        let desc = description::buffer(BLOCK, D3D12_RESOURCE_FLAGS::default());
        let iid = &interface("ID3D12Resource").get().iid;
        let mut buffer: *mut c_void = core::ptr::null_mut();
        let mut mapped = 0u64;
        let words = [
            (&raw const heap) as u64,
            0,
            (&raw const desc) as u64,
            u64::from(D3D12_RESOURCE_STATES::COPY_DEST.0),
            0,
            core::ptr::from_ref(iid) as u64,
            (&raw mut buffer) as u64,
        ];
        // SAFETY: the device is alive; all arguments are numbers, or ours and outlive the call.
        let made = inside(|| unsafe { real::ask(self.convention, self.pointer, CREATE, &words) }) as u32;
        if (made as i32) < 0 || buffer.is_null() {
            return Err(format!("the runtime gives no memory for markers (CreateCommittedResource: 0x{made:08x})"));
        }
        // SAFETY: the buffer was made just now; a null range is allowed, the place for the address is ours.
        let address = inside(|| unsafe {
            real::ask(self.convention, buffer, MAP, &[0, 0, (&raw mut mapped) as u64]);
            real::ask(self.convention, buffer, ADDRESS, &[])
        });
        memory.buffers.push(buffer);
        if mapped == 0 || address == 0 {
            return Err("the runtime does not map the markers' memory".into());
        }
        let pair = |at: u64| Pair { address: address + at, words: (mapped + at) as *const [AtomicU32; 2] };
        memory.free.extend((0..BLOCK / PAIR).rev().map(|at| pair(at * PAIR)));
        Ok(())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let memory = self.memory.get_mut().unwrap_or_else(PoisonError::into_inner);
        for buffer in memory.buffers.drain(..) {
            // SAFETY: `grow` made the buffer, whose one reference is ours; no recording that names it is left, so no work does.
            inside(|| unsafe { real::release(self.convention, buffer) });
        }
    }
}
