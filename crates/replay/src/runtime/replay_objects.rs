//! Objects that replay creates for itself (fences, lists, queues, buffers), and the wait for a queue that uses them.
//!
//! Invariant: each new object comes as a [`Reference`], which releases it. The program's own objects are not touched.

use std::time::Duration;

use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::{
    D3D12_COMMAND_QUEUE_DESC, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_FLAGS,
    D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_GPU_DESCRIPTOR_HANDLE, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES,
};
use reprise_d3d12::{description, interface, method};

use super::Runtime;
use super::fence::{self, Waited};
use super::reference::{self, Reference};
use crate::hresult::HresultName;

const MAP: MethodId = method("ID3D12Resource", "Map");
const UNMAP: MethodId = method("ID3D12Resource", "Unmap");

/// Ends the recording of a list of replay's own.
pub(crate) fn close(runtime: &Runtime, list: u64) -> Result<(), String> {
    // SAFETY: the list is alive and recording.
    let closed = unsafe { runtime.call(list, method("ID3D12GraphicsCommandList", "Close"), &[]) } as u32;
    if (closed as i32) < 0 {
        return Err(format!("a copy of replay's own cannot be recorded: {}", HresultName(closed)));
    }
    Ok(())
}

/// Looks at the bytes of a readback buffer that no pending work writes.
pub(crate) fn mapped<T>(
    runtime: &Runtime,
    buffer: u64,
    bytes: u64,
    look: impl FnOnce(&[u8]) -> Result<T, String>,
) -> Result<T, String> {
    let address = map(runtime, buffer, "the readback buffer")?;
    // SAFETY: the buffer has this many bytes, is mapped until Unmap, and no work that writes it is pending.
    let seen = look(unsafe { core::slice::from_raw_parts(address as *const u8, bytes as usize) });
    // SAFETY: mapped just above.
    unsafe { runtime.call(buffer, UNMAP, &[0, 0]) };
    seen
}

/// Stores bytes to an upload buffer that no pending work reads.
pub(crate) fn stored(runtime: &Runtime, buffer: u64, bytes: u64, store: impl FnOnce(&mut [u8])) -> Result<(), String> {
    let address = map(runtime, buffer, "a buffer of replay's own")?;
    // SAFETY: the buffer has this many bytes, is mapped until Unmap, and nobody else uses it.
    store(unsafe { core::slice::from_raw_parts_mut(address as *mut u8, bytes as usize) });
    // SAFETY: mapped just above.
    unsafe { runtime.call(buffer, UNMAP, &[0, 0]) };
    Ok(())
}

/// Maps a buffer of replay's own.
pub(crate) fn map(runtime: &Runtime, buffer: u64, what: &str) -> Result<u64, String> {
    let mut address = 0u64;
    // SAFETY: the buffer is alive; the out pointer is ours, a null range is allowed.
    let result = unsafe { runtime.call(buffer, MAP, &[0, 0, core::ptr::from_mut(&mut address) as u64]) } as u32;
    if (result as i32) < 0 || address == 0 {
        return Err(format!("{what} cannot be mapped: {}", HresultName(result)));
    }
    Ok(address)
}

/// Waits until a queue has done its work.
pub(crate) fn drain(runtime: &Runtime, queue: u64, timeout: Duration) -> Result<(), String> {
    let device = reference::device_of(runtime, queue)?;
    let fence = self::fence(runtime, device.pointer())?;
    signal_and_wait(runtime, queue, (fence.pointer(), 1), timeout)
}

/// Waits until a queue has done its work, by a value that the fence has not reached yet.
pub(crate) fn signal_and_wait(
    runtime: &Runtime,
    queue: u64,
    (fence, value): (u64, u64),
    timeout: Duration,
) -> Result<(), String> {
    const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
    // SAFETY: queue and fence are alive.
    unsafe { runtime.call(queue, SIGNAL, &[fence, value]) };
    match fence::wait(runtime, fence, value, timeout) {
        Waited::Reached => Ok(()),
        Waited::Expired(_) => Err(format!(
            "the queue did not finish what it was given within {:.1} s; raise --fence-timeout if the device is slow",
            timeout.as_secs_f64()
        )),
        Waited::Removed => Err("the device was removed while the queue did what it was given".into()),
    }
}

/// Records a list of replay's own, and waits until it is done, on a queue of its own.
pub(crate) fn run(
    runtime: &Runtime,
    device: u64,
    timeout: Duration,
    record: impl FnOnce(u64) -> Result<(), String>,
) -> Result<(), String> {
    let queue = queue(runtime, device)?;
    let (allocator, list) = list(runtime, device)?;
    record(list.pointer())?;
    close(runtime, list.pointer())?;
    const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
    let lists = [list.pointer()];
    // SAFETY: queue and list are alive; the array is ours.
    unsafe { runtime.call(queue.pointer(), EXECUTE, &[1, lists.as_ptr() as u64]) };
    let fence = fence(runtime, device)?;
    let done = signal_and_wait(runtime, queue.pointer(), (fence.pointer(), 1), timeout);
    if done.is_err() {
        // Its work may be pending: left to the end of the process.
        let _left = [queue, allocator, list, fence].map(Reference::into_pointer);
    }
    done
}

/// A fence at 0.
pub(crate) fn fence(runtime: &Runtime, device: u64) -> Result<Reference<'_>, String> {
    create(runtime, device, "a fence", interface("ID3D12Fence"), |iid, out| {
        (method("ID3D12Device", "CreateFence"), vec![0, 0, iid, out])
    })
}

/// An allocator and an open list of the type that can do everything.
pub(crate) fn list(runtime: &Runtime, device: u64) -> Result<(Reference<'_>, Reference<'_>), String> {
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
pub(crate) fn queue(runtime: &Runtime, device: u64) -> Result<Reference<'_>, String> {
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    create(runtime, device, "a command queue", interface("ID3D12CommandQueue"), |iid, out| {
        (method("ID3D12Device", "CreateCommandQueue"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
    })
}

/// A buffer that the CPU can read, ready to be copied to.
pub(crate) fn readback_buffer(runtime: &Runtime, device: u64, bytes: u64) -> Result<Reference<'_>, String> {
    let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::default());
    committed(runtime, device, D3D12_HEAP_TYPE::READBACK, &desc, D3D12_RESOURCE_STATES::COPY_DEST)
}

/// A committed resource of replay's own.
pub(crate) fn committed<'r>(
    runtime: &'r Runtime,
    device: u64,
    heap_type: D3D12_HEAP_TYPE,
    desc: &D3D12_RESOURCE_DESC,
    state: D3D12_RESOURCE_STATES,
) -> Result<Reference<'r>, String> {
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

/// A heap of one descriptor, and where it is for the CPU and, if shaders see heaps of its kind, for the GPU.
pub(crate) fn descriptor(
    runtime: &Runtime,
    device: u64,
    kind: D3D12_DESCRIPTOR_HEAP_TYPE,
) -> Result<(Reference<'_>, D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_GPU_DESCRIPTOR_HANDLE), String> {
    let is_seen = matches!(kind, D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV | D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER);
    let flags = if is_seen { D3D12_DESCRIPTOR_HEAP_FLAGS::SHADER_VISIBLE } else { Default::default() };
    let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: 1, Flags: flags, NodeMask: 0 };
    let heap = create(runtime, device, "a descriptor heap", interface("ID3D12DescriptorHeap"), |iid, out| {
        (method("ID3D12Device", "CreateDescriptorHeap"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
    })?;
    let (mut cpu, mut gpu) = (D3D12_CPU_DESCRIPTOR_HANDLE::default(), D3D12_GPU_DESCRIPTOR_HANDLE::default());
    let of = |name| method("ID3D12DescriptorHeap", name);
    // SAFETY: the heap is alive; outputs are ours. Only heaps that shaders see have a place for the GPU.
    unsafe {
        let out = core::ptr::from_mut(&mut cpu) as u64;
        runtime.call(heap.pointer(), of("GetCPUDescriptorHandleForHeapStart"), &[out]);
        if is_seen {
            let out = core::ptr::from_mut(&mut gpu) as u64;
            runtime.call(heap.pointer(), of("GetGPUDescriptorHandleForHeapStart"), &[out]);
        }
    }
    Ok((heap, cpu, gpu))
}

/// The address of a buffer of replay's own; 0 where it has none.
pub(crate) fn address(runtime: &Runtime, buffer: u64) -> u64 {
    // SAFETY: a buffer of ours; there are no arguments.
    unsafe { runtime.call(buffer, method("ID3D12Resource", "GetGPUVirtualAddress"), &[]) }
}

/// Calls a method of the device that makes an object of replay's own; `words` gets the pointers to interface id and output.
pub(crate) fn create<'r>(
    runtime: &'r Runtime,
    device: u64,
    what: &str,
    class: InterfaceId,
    words: impl FnOnce(u64, u64) -> (MethodId, Vec<u64>),
) -> Result<Reference<'r>, String> {
    let mut out = 0u64;
    let (method, words) = words(core::ptr::from_ref(&class.get().iid) as u64, core::ptr::from_mut(&mut out) as u64);
    // SAFETY: the device is alive; the callers' words match the method, and their memory lives until the call ends.
    let result = unsafe { runtime.call(device, method, &words) } as u32;
    Reference::new(runtime, out)
        .ok_or_else(|| format!("replay needs {what} of its own and gets {}", HresultName(result)))
}
