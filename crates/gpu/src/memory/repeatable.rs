//! Memory that a later process can have at the same addresses ([`Addresses::Repeatable`](crate::settings::Addresses)).
//!
//! Where the device has Vulkan's opaque capture addresses, all memory that may hold buffers tells them. Elsewhere, on devices that see
//! the process's memory at the process's own addresses (lavapipe), memory that holds buffers only is imported from pages of the area, but
//! for heaps that tiles may be mapped to.
//! Invariant: what the runtime needs for itself is never among it, so it is never in the way of what a program asks for again.

use core::sync::atomic::Ordering;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::memory::allocation::{Allocation, Owner, Slice};
use crate::memory::place::Class;
use crate::memory::pools::{CHUNK_OF_BUFFERS, LARGE_BUFFER, Memory, Pools, from_chunks};
use crate::memory::request::{Purpose, Request};
use crate::memory::{area, create};

/// Memory as asked for, of pages at addresses that are chosen.
///
/// # Errors
/// The device has no such memory, or textures may lie in it.
pub(super) fn of_pages(memory: &Memory, pools: &[Pools; 3], request: &Request) -> Result<Slice> {
    // An image must be made for imported memory, and what will be placed in a heap is not known yet.
    let heaps = match request.purpose {
        Purpose::Buffer => false,
        Purpose::Heap { buffers: true, images: false } => true,
        Purpose::Image | Purpose::Heap { .. } => return Err(Error::Unsupported("textures in imported memory")),
    };
    if memory.has_no_pages.load(Ordering::Relaxed) {
        return Err(Error::Unsupported("the device cannot use pages at the process's addresses"));
    }
    let mappable = request.access.is_mappable();
    if heaps && !mappable && memory.logical().caps.features.base.sparse_binding != 0 {
        // Lavapipe maps the file behind its own memory, and there is none behind imported pages: tiles would be wrong.
        return Err(Error::Unsupported("heaps of the device in imported memory, because tiles may be mapped to them"));
    }
    if request.size < LARGE_BUFFER {
        let pools = &pools[usize::from(mappable) + usize::from(request.gpu_writes)];
        // All of them are of one memory type.
        let chunks = if heaps { &pools.heaps[0] } else { &pools.buffers[0] };
        let class = Class { shared: true, mappable, heaps };
        return from_chunks(chunks, request, !heaps, || pages(memory, CHUNK_OF_BUFFERS, class, request.gpu_writes));
    }
    let class = Class { shared: false, mappable, heaps };
    let made = pages(memory, request.size, class, request.gpu_writes)?;
    if !made.address.is_multiple_of(request.alignment) {
        return Err(Error::Unsupported("such an alignment of pages"));
    }
    let owner = Owner::Whole(Arc::new(made));
    Ok(Slice { owner, offset: 0, size: request.size, fresh: true, filled: false })
}

/// `shared`: the GPU writes bytes that the process maps.
fn pages(memory: &Memory, size: u64, class: Class, shared: bool) -> Result<Allocation> {
    let alignment = create::alignment(memory);
    let size = size.checked_next_multiple_of(alignment).ok_or(Error::Memory)?;
    let made = area::pages(size, alignment, shared).and_then(|pages| create::of_pages(memory, pages, size, class));
    if matches!(made, Err(Error::Unsupported(_))) {
        // Nor will the next ones be there.
        memory.has_no_pages.store(true, Ordering::Relaxed);
    }
    made
}
