//! Upload memory in ordinary pages of the process, which Vulkan imports.
//!
//! A capture of the process has to find what the program stores there. Mappings of some drivers are device files, where the
//! kernel cannot watch; these pages are ordinary ones. Readback memory stays as it is, because the GPU writes it. Where pages
//! cannot be imported, the driver's memory serves, and a debug line says why.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::memory::allocation::{Allocation, Owner, Slice};
use crate::memory::create;
use crate::memory::pages::Pages;
use crate::memory::pools::{CHUNK_OF_BUFFERS, LARGE_BUFFER, Memory, from_chunks};
use crate::memory::request::{Purpose, Request};

/// Memory as asked for, imported.
pub(super) fn allocate(memory: &Memory, request: &Request) -> Result<Slice> {
    // An image must be made for imported memory, and what will be placed in a heap is not known yet.
    match request.purpose {
        Purpose::Buffer | Purpose::Heap { buffers: true, images: false } => {}
        Purpose::Image | Purpose::Heap { .. } => return Err(Error::Unsupported("textures in imported memory")),
    }
    if request.purpose == Purpose::Buffer && request.size < LARGE_BUFFER {
        let new = || host(memory, CHUNK_OF_BUFFERS, true);
        return from_chunks(&memory.imported, request, true, new);
    }
    let allocation = host(memory, request.size, false)?;
    let (allocation, offset) = match allocation.address.next_multiple_of(request.alignment) - allocation.address {
        0 => (allocation, 0),
        _ => {
            let allocation = host(memory, request.size + request.alignment, false)?;
            let address = allocation.address;
            (allocation, address.next_multiple_of(request.alignment) - address)
        }
    };
    Ok(Slice { owner: Owner::Whole(Arc::new(allocation)), offset, size: request.size, fresh: true, filled: false })
}

/// An allocation of so many bytes, or a few more, in pages of its own.
fn host(memory: &Memory, size: u64, chunk: bool) -> Result<Allocation> {
    let alignment = memory.logical().caps.host_pages.max(1 << 16);
    let size = size.checked_next_multiple_of(alignment).ok_or(Error::Memory)?;
    let bytes = usize::try_from(size).map_err(|_| Error::Memory)?;
    let pages = Pages::new(bytes, alignment as usize)?;
    // SAFETY: the pages go after the allocation that has them.
    let mut made = unsafe { create::import(memory, pages.base(), size, chunk) }?;
    (made.pages, made.made_zero) = (Some(pages), true);
    Ok(made)
}
