//! Whether `WriteBufferImmediate` writes: one word, on a queue and a list of our own.
//!
//! Invariant: everything that was made is gone at the end, unless the GPU may still use it.

use super::words::Device;
use crate::real::Owned;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_COMMAND_QUEUE_DESC, D3D12_WRITEBUFFERIMMEDIATE_MODE, D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
};
use reprise_d3d12::{interface, method};
use std::time::{Duration, Instant};

/// The GPU has nothing else to do for this queue.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is to be written.
const WORD: u32 = 7;

/// Whether the word was written.
///
/// # Errors
/// The runtime does not make what is needed, or the GPU does not come to it.
///
/// # Safety
/// The device is alive, and the thread inside the runtime.
pub(super) unsafe fn writes(device: &Device) -> Result<bool, String> {
    const QUEUE: MethodId = method("ID3D12Device", "CreateCommandQueue");
    const ALLOCATOR: MethodId = method("ID3D12Device", "CreateCommandAllocator");
    const LIST: MethodId = method("ID3D12Device", "CreateCommandList");
    const FENCE: MethodId = method("ID3D12Device", "CreateFence");
    const WRITE: MethodId = method("ID3D12GraphicsCommandList2", "WriteBufferImmediate");
    const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
    const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
    const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
    const COMPLETED: MethodId = method("ID3D12Fence", "GetCompletedValue");
    let pair = device.take()?;
    let owned: Owned = device.owned();
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let parameter = D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: pair.address, Value: WORD };
    let mode = D3D12_WRITEBUFFERIMMEDIATE_MODE::MARKER_OUT;
    // SAFETY: live objects; every argument is a number, a structure or an array of ours that outlives its call.
    unsafe {
        let queue = owned.make(QUEUE, &[(&raw const desc) as u64], interface("ID3D12CommandQueue"))?;
        let allocator = owned.make(ALLOCATOR, &[0], interface("ID3D12CommandAllocator"))?;
        let list = owned.make(LIST, &[0, 0, allocator.pointer as u64, 0], interface("ID3D12GraphicsCommandList2"))?;
        let fence = owned.make(FENCE, &[0, 0], interface("ID3D12Fence"))?;
        list.call(WRITE, &[1, (&raw const parameter) as u64, (&raw const mode) as u64]);
        list.succeed(CLOSE, &[])?;
        let lists = [list.pointer];
        queue.call(EXECUTE, &[1, lists.as_ptr() as u64]);
        queue.succeed(SIGNAL, &[fence.pointer as u64, 1])?;
        let start = Instant::now();
        while fence.call(COMPLETED, &[]) < 1 {
            if start.elapsed() > PATIENCE {
                // The GPU may still use them, and write the word.
                for used in [queue, allocator, list, fence] {
                    core::mem::forget(used);
                }
                return Err("the GPU does not come to the first one".into());
            }
            std::thread::sleep(Duration::from_micros(50));
        }
    }
    let written = pair.read().0 == WORD;
    device.give_back(pair);
    Ok(written)
}
