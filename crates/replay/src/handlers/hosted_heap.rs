//! Heaps in memory of the program's own: at replay they lie in memory of replay's own.
//!
//! What the program stored there is in the trace as stores to the buffers that lie in the heap. Invariant: the memory outlives
//! everything of the runtime that may use it.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use reprise_codec::outputs::Before;
use reprise_d3d12::interface;
use reprise_d3d12::model::{Method, MethodId};
use reprise_d3d12::types::D3D12_HEAP_TYPE;
use reprise_trace::read::Event;

use crate::call::{Called, Given};
use crate::input::values::argument;
use crate::walk::Engine;
use crate::world::Made;
use crate::{Error, Place};

/// Memory in which a heap lies.
pub(crate) struct HostMemory {
    start: *mut u8,
    layout: Layout,
}

impl HostMemory {
    /// What any system aligns such memory to, and what heaps need.
    const ALIGNMENT: usize = 64 << 10;

    fn new(size: u64) -> Option<Self> {
        let size = usize::try_from(size).ok().filter(|&size| size > 0)?;
        let layout = Layout::from_size_align(size, Self::ALIGNMENT).ok()?;
        // SAFETY: the size is not 0.
        let start = unsafe { alloc_zeroed(layout) };
        (!start.is_null()).then_some(Self { start, layout })
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: allocated so, and freed once.
        unsafe { dealloc(self.start, self.layout) };
    }
}

impl Engine<'_, '_> {
    /// Opens a heap of the same size in memory of replay's own.
    pub(crate) fn open_hosted_heap(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
    ) -> Result<Called, Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let size = argument(method, event.payload, "size").unwrap_or(0);
        let device = self.world.pointer(event.object, method.interface.unwrap_or(interface("ID3D12Device")));
        let device = device.map_err(fail)?;
        let memory = HostMemory::new(size).ok_or_else(|| fail(format!("there are no {size} bytes for the heap")))?;
        let class = interface("ID3D12Heap");
        let mut heap = 0u64;
        let out = core::ptr::from_mut(&mut heap) as u64;
        let words = [memory.start as u64, size, core::ptr::from_ref(&class.get().iid) as u64, out];
        // SAFETY: the device is alive and has the method's interface; the memory is there, id and output are ours.
        let result = unsafe { self.world.runtime.call(device, MethodId(event.method), &words) };
        self.world.hosted.push(memory);
        self.report.replayed += 1;
        let output = method.params.iter().position(|field| field.name == "ppvHeap").unwrap_or(usize::MAX);
        Ok(Called {
            words: Vec::new(),
            result,
            before: Before::default(),
            given: vec![Given { slot: (output, 0), interface: class, pointer: heap }],
            made: Made::Heap { heap_type: D3D12_HEAP_TYPE::CUSTOM.0 as u32 },
            cached: None,
            arena: self.arenas.pop().unwrap_or_default(),
        })
    }
}
