//! Gives out memory: slices of shared chunks for small resources, allocations of their own for the rest.

use core::ptr::NonNull;
use std::sync::Arc;

use ash::vk;

use crate::error::{Error, Result};
use crate::memory::allocation::{Allocation, Slice};
use crate::memory::create::{self, Wanted};
use crate::memory::pools::{CHUNK_OF_BUFFERS, CHUNK_OF_IMAGES, LARGE_BUFFER, LARGE_IMAGE, Memory, from_chunks};
use crate::memory::request::{CpuAccess, Purpose, Request};
use crate::memory::types::Wish;
use crate::memory::upload;

impl Memory {
    /// Memory as asked for.
    ///
    /// # Errors
    /// The device is lost or out of memory, or no memory type has what the request requires.
    pub fn allocate(&self, request: &Request) -> Result<Slice> {
        let mut slice = self.take(request)?;
        if request.zeroed {
            self.zero(&mut slice, request.access.is_mappable());
        }
        Ok(slice)
    }

    /// Makes a slice's bytes zero before anybody can look. `mappable`: the program may map them.
    fn zero(&self, slice: &mut Slice, mappable: bool) {
        if let (true, Some(bytes)) = (mappable, slice.mapped()) {
            // SAFETY: the slice is mapped, and nobody else has it yet.
            unsafe { core::ptr::write_bytes(bytes.as_ptr(), 0, slice.size as usize) };
            return;
        }
        // Only memory of a single image that Vulkan wants alone has no buffer; such an image is not zeroed.
        if slice.allocation.buffer != vk::Buffer::null() {
            slice.filled = true;
            self.fills().add(&slice.allocation, slice.offset, slice.size);
        }
    }

    fn take(&self, request: &Request) -> Result<Slice> {
        let logical = self.logical();
        if logical.is_lost() {
            return Err(Error::Lost);
        }
        if logical.instance.settings.imported_uploads && request.access == CpuAccess::Upload {
            match upload::allocate(self, request) {
                Ok(slice) => return Ok(slice),
                Err(error) => reprise_log::debug(|| {
                    format!("an upload heap of {} bytes is the driver's memory: {error}", request.size)
                }),
            }
        }
        let buffers = match request.purpose {
            Purpose::Buffer => true,
            Purpose::Image => false,
            Purpose::Heap { buffers, .. } => buffers,
        };
        let types = if buffers { request.types & self.buffer_types() } else { request.types };
        let index = request.wish.pick(&logical.caps.memory, types);
        let index = index.ok_or(Error::Unsupported("no memory type serves such a heap"))?;
        let pools = if request.access.is_mappable() { &self.mappable } else { &self.unmapped };
        let (chunks, chunk_size, large) = match request.purpose {
            Purpose::Buffer => (Some(&pools.buffers[index as usize]), CHUNK_OF_BUFFERS, LARGE_BUFFER),
            Purpose::Image => (Some(&pools.images[index as usize]), CHUNK_OF_IMAGES, LARGE_IMAGE),
            Purpose::Heap { .. } => (None, 0, 0),
        };
        match chunks {
            Some(chunks) if request.size < large && request.dedicated == vk::Image::null() => {
                let whole = Wanted { size: chunk_size, index, addressed: buffers, chunk: true, ..Wanted::default() };
                from_chunks(chunks, request, buffers, || create::allocation(self, &whole))
            }
            _ => {
                let (size, dedicated) = (request.size, request.dedicated);
                let alone = Wanted { size, index, addressed: buffers, dedicated, ..Wanted::default() };
                Ok(Slice::whole(Arc::new(create::allocation(self, &alone)?), size))
            }
        }
    }

    /// Zeroed bytes of a buffer for the caller's own use.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn buffer(&self, access: CpuAccess, size: u64) -> Result<Slice> {
        let wish = match access {
            CpuAccess::None => Wish::DEVICE,
            CpuAccess::Upload => Wish::UPLOAD,
            CpuAccess::Readback => Wish::READBACK,
        };
        self.allocate(&Request::of_buffer(wish, access, size, true))
    }

    /// Bytes of a buffer in the device's own memory, whatever lies in them, for what is written before it is read.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn scratch(&self, size: u64) -> Result<Slice> {
        self.allocate(&Request::of_buffer(Wish::DEVICE, CpuAccess::None, size, false))
    }

    /// Memory of the process as a slice, which does not own it. The address and `size` are multiples of
    /// [`Caps::host_pages`](crate::caps::Caps::host_pages).
    ///
    /// # Errors
    /// The device imports no memory, or none at this place.
    ///
    /// # Safety
    /// The bytes are readable and writable, and stay so while anything uses the slice.
    pub unsafe fn import(&self, place: NonNull<u8>, size: u64) -> Result<Slice> {
        // SAFETY: the caller keeps the bytes readable and writable while anything uses the slice, which holds the allocation.
        let allocation: Allocation = unsafe { create::import(self, place, size, false) }?;
        Ok(Slice::whole(Arc::new(allocation), size))
    }
}
