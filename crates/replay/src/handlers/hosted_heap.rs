//! Heaps in the program's own memory: here they lie in memory of replay's own.
//!
//! The trace has the program's stores there as stores to the buffers in the heap.

use reprise_codec::arena::Arena;
use reprise_codec::outputs::Before;
use reprise_d3d12::interface;
use reprise_d3d12::types::D3D12_HEAP_TYPE;

use crate::call::creation::MadeObject;
use crate::call::open_call::Enter;
use crate::call::{Called, Given};
use crate::context::Context;
use crate::error::Error;
use crate::runtime::host_memory::HostMemory;

/// Opens a heap of the same size in memory of replay's own.
///
/// # Errors
/// There is no memory, or the device cannot be called.
pub(crate) fn open(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<Called, Error> {
    let Enter { event, method, .. } = enter;
    let world = &mut context.world;
    let size = enter.number("size").unwrap_or(0);
    let device = world.pointer(event.object, method.interface.unwrap_or(interface("ID3D12Device")));
    let device = device.map_err(|what| enter.fail(what))?;
    let memory = HostMemory::new(size).ok_or_else(|| enter.fail(format!("there are no {size} bytes for the heap")))?;
    let class = interface("ID3D12Heap");
    let mut heap = 0u64;
    let out = core::ptr::from_mut(&mut heap) as u64;
    let words = [memory.start as u64, size, core::ptr::from_ref(&class.get().iid) as u64, out];
    // SAFETY: the device is alive and has the method's interface; the memory is there, id and output are ours.
    let result = unsafe { world.runtime.call(device, enter.id(), &words) };
    world.hosted.push(memory);
    context.count_call();
    let output = method.params.iter().position(|field| field.name == "ppvHeap").unwrap_or(usize::MAX);
    Ok(Called {
        words: Vec::new(),
        result,
        before: Before::default(),
        given: vec![Given { slot: (output, 0), interface: class, pointer: heap }],
        made: MadeObject::Heap { heap_type: D3D12_HEAP_TYPE::CUSTOM.0 as u32 },
        cached: None,
        arena: Arena::default(),
    })
}
