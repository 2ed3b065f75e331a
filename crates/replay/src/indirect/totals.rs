//! What the GPU has counted: tables of indirect dispatches, read once at the end.

use std::time::Duration;

use reprise_d3d12::method;

use super::Indirect;
use super::commands::transition;
use crate::runtime::Runtime;
use crate::runtime::replay_objects::{close, drain, list, mapped, queue, readback_buffer};

/// Tables of indirect dispatches.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Totals {
    /// Without room: they have been used as they are.
    pub(crate) too_large: u64,
    /// Copied.
    pub(crate) tables: u64,
}

impl Indirect {
    /// Whether there is anything to read.
    pub(crate) fn has_totals(&self) -> bool {
        self.kits.values().any(|kit| kit.followers.totals().is_some())
    }

    /// Reads the totals of all devices; the program's work is done.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn totals(&self, runtime: &Runtime, timeout: Duration) -> Result<Totals, String> {
        let mut totals = Totals::default();
        for (&device, kit) in &self.kits {
            let Some(buffer) = kit.followers.totals() else { continue };
            let [too_large, tables] = read(runtime, device, buffer, timeout)?;
            totals.too_large += u64::from(too_large);
            totals.tables += u64::from(tables);
        }
        Ok(totals)
    }
}

fn read(runtime: &Runtime, device: u64, buffer: u64, timeout: Duration) -> Result<[u32; 2], String> {
    use reprise_d3d12::types::D3D12_RESOURCE_STATES as State;
    const BYTES: u64 = 8;
    let (_allocator, list) = list(runtime, device)?;
    let to = readback_buffer(runtime, device, BYTES)?;
    let queue = queue(runtime, device)?;
    let barrier = transition(buffer, State::COMMON, State::COPY_SOURCE);
    let lists = [list.pointer()];
    // SAFETY: all of these are replay's own and alive; the arguments match the methods.
    unsafe {
        let words = [1, core::ptr::from_ref(&barrier) as u64];
        runtime.call(list.pointer(), method("ID3D12GraphicsCommandList", "ResourceBarrier"), &words);
        let words = [to.pointer(), 0, buffer, 0, BYTES];
        runtime.call(list.pointer(), method("ID3D12GraphicsCommandList", "CopyBufferRegion"), &words);
    }
    close(runtime, list.pointer())?;
    // SAFETY: the list is closed, and everything that it uses lives until the queue is done.
    unsafe {
        let words = [1, lists.as_ptr() as u64];
        runtime.call(queue.pointer(), method("ID3D12CommandQueue", "ExecuteCommandLists"), &words);
    }
    drain(runtime, queue.pointer(), timeout)?;
    mapped(runtime, to.pointer(), BYTES, |bytes| {
        let (words, _) = bytes.as_chunks::<4>();
        Ok(core::array::from_fn(|at| words.get(at).map_or(0, |word| u32::from_le_bytes(*word))))
    })
}
