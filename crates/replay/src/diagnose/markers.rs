//! Memory for markers: two words for each recording of a list, which the GPU writes and the CPU reads at any time.
//!
//! The memory is a readback buffer, mapped as long as it lives: on the drivers at hand that is the system's memory, which outlives a device
//! that is lost. Invariant: words are read and written as atomics, since the GPU may write them meanwhile.

use std::sync::atomic::{AtomicU32, Ordering};

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_WRITEBUFFERIMMEDIATE_MODE, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER};

use crate::runtime::Runtime;
use crate::runtime::replay_objects;

/// Bytes of one buffer.
const BLOCK: u64 = 64 << 10;
/// Bytes of one pair of words.
const PAIR: u64 = 8;

/// Where one recording's words are: as the GPU writes them, and as the CPU reads them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// GPU virtual address.
    address: u64,
    words: *const [AtomicU32; 2],
}

/// One of the two words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// The last operation that the GPU came to.
    Reached = 0,
    /// The last operation that is done, as is everything before it.
    Completed = 1,
}

impl Pair {
    fn words(&self) -> &[AtomicU32; 2] {
        // SAFETY: the buffer is never released and stays mapped until the process ends (`Markers`); the words are aligned, because a
        // mapped buffer begins at a page and pairs have 8 bytes.
        unsafe { &*self.words }
    }

    /// Both words at 0: before a submission.
    pub(crate) fn clear(&self) {
        self.words().iter().for_each(|word| word.store(0, Ordering::Release));
    }

    pub(crate) fn read(&self, word: Word) -> u32 {
        self.words()[word as usize].load(Ordering::Acquire)
    }

    /// Records that the GPU writes a word.
    ///
    /// # Safety
    /// `list` is a live pointer to `ID3D12GraphicsCommandList2`, and it is recording.
    pub(crate) unsafe fn mark(&self, runtime: &Runtime, list: u64, word: Word, value: u32) {
        const WRITE: MethodId = method("ID3D12GraphicsCommandList2", "WriteBufferImmediate");
        let parameter = D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: self.address + 4 * word as u64, Value: value };
        let mode = match word {
            Word::Reached => D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_IN,
            Word::Completed => D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_OUT,
        };
        let words = [1, core::ptr::from_ref(&parameter) as u64, core::ptr::from_ref(&mode) as u64];
        // SAFETY: the list is alive and recording, says the caller; one parameter and one mode are ours.
        unsafe { runtime.call(list, WRITE, &words) };
    }
}

/// The markers' memory on one device. Its buffers are left to the end of the process: the GPU may write them until then.
#[derive(Default)]
pub(crate) struct Markers {
    free: Vec<Pair>,
}

impl Markers {
    /// Words for a recording.
    ///
    /// # Errors
    /// The device gives no memory for them.
    pub(crate) fn take(&mut self, runtime: &Runtime, device: u64) -> Result<Pair, String> {
        if self.free.is_empty() {
            self.grow(runtime, device)?;
        }
        let pair = self.free.pop().ok_or("there is no room for markers")?;
        pair.clear();
        Ok(pair)
    }

    /// Words that no submission writes any more.
    pub(crate) fn give_back(&mut self, pair: Pair) {
        self.free.push(pair);
    }

    fn grow(&mut self, runtime: &Runtime, device: u64) -> Result<(), String> {
        const MAP: MethodId = method("ID3D12Resource", "Map");
        const ADDRESS: MethodId = method("ID3D12Resource", "GetGPUVirtualAddress");
        let buffer = replay_objects::readback_buffer(runtime, device, BLOCK)?;
        let mut mapped = 0u64;
        // SAFETY: the buffer is alive; the out pointer is ours, a null range is allowed.
        let result =
            unsafe { runtime.call(buffer.pointer(), MAP, &[0, 0, core::ptr::from_mut(&mut mapped) as u64]) } as i32;
        // SAFETY: the buffer is alive; there are no arguments.
        let address = unsafe { runtime.call(buffer.pointer(), ADDRESS, &[]) };
        if result < 0 || mapped == 0 || address == 0 {
            return Err("the runtime does not map the markers' memory".into());
        }
        buffer.into_pointer();
        let pair = |at: u64| Pair { address: address + at, words: (mapped + at) as *const [AtomicU32; 2] };
        self.free.extend((0..BLOCK / PAIR).rev().map(|at| pair(at * PAIR)));
        Ok(())
    }
}
