//! Gives out memory: slices of shared chunks for small resources, allocations of their own for the rest.

use core::ptr::NonNull;
use std::sync::Arc;

use ash::vk;

use crate::error::{Error, Result};
use crate::memory::allocation::{Allocation, Slice};
use crate::memory::create::{self, Wanted};
use crate::memory::place::{Class, Origin, Way};
use crate::memory::pools::{CHUNK_OF_BUFFERS, CHUNK_OF_IMAGES, LARGE_BUFFER, LARGE_IMAGE, Memory, from_chunks};
use crate::memory::request::{Addressing, CpuAccess, Purpose, Request};
use crate::memory::{lies_elsewhere, placed, repeatable, upload};

impl Memory {
    /// Memory as asked for.
    ///
    /// # Errors
    /// The device is lost or out of memory, or no memory type has what the request requires.
    pub fn allocate(&self, request: &Request) -> Result<Slice> {
        let mut slice = match self.take(request) {
            // What the program has let go must not be what it lacks.
            Err(error) if error.is_full() && self.graveyard().make_room(0) => self.take(request)?,
            taken => taken?,
        };
        if request.zeroed {
            self.zero(&mut slice, request.access.is_mappable());
        }
        Ok(slice)
    }

    /// Makes a slice's bytes zero before anybody can look. `mappable`: the program may map them.
    fn zero(&self, slice: &mut Slice, mappable: bool) {
        if slice.fresh && slice.allocation().made_zero {
            return;
        }
        if let (true, Some(bytes)) = (mappable, slice.mapped()) {
            // SAFETY: the slice is mapped, and nobody else has it yet.
            unsafe { core::ptr::write_bytes(bytes.as_ptr(), 0, slice.size as usize) };
            return;
        }
        // Only memory of a single image that Vulkan wants alone has no buffer; such an image is not zeroed.
        if slice.allocation().buffer != vk::Buffer::null() {
            slice.filled = true;
            self.fills().add(slice.allocation(), slice.offset, slice.size);
        }
    }

    #[inline(always)]
    fn take(&self, request: &Request) -> Result<Slice> {
        let logical = self.logical();
        if logical.is_lost() {
            return Err(Error::Lost);
        }
        let outside = request.outside && self.shares();
        if let (Addressing::At(place), false) = (&request.addressing, outside) {
            match placed::take(self, request, place) {
                Ok(slice) => return Ok(slice),
                Err(error) => lies_elsewhere(place, &error),
            }
        }
        // Where the device tells opaque addresses, the driver's memory has them: `take_from`.
        if let Some(pools) = self.repeatable.as_deref()
            && request.addressing != Addressing::Own
            && !logical.caps.repeats_addresses()
            && !outside
        {
            match repeatable::of_pages(self, pools, request) {
                Ok(slice) => return Ok(slice),
                Err(error) => reprise_log::debug(|| {
                    format!("{} bytes have an address that no later process can ask for: {error}", request.size)
                }),
            }
        }
        if logical.instance.settings.imported_uploads && request.access == CpuAccess::Upload && !outside {
            match upload::allocate(self, request) {
                Ok(slice) => return Ok(slice),
                Err(error) => reprise_log::debug(|| {
                    format!("an upload heap of {} bytes is the driver's memory: {error}", request.size)
                }),
            }
        }
        let (memory, wish) = (&logical.caps.memory, &request.wish);
        let (allowed, otherwise) = match request.purpose {
            Purpose::Buffer => (request.types & self.buffer_types(), 0),
            Purpose::Image => (request.types, 0),
            Purpose::Heap { buffers, images } => {
                let of = |kind: bool, types: u32| if kind { types } else { !0 };
                (of(buffers, self.buffer_types()) & of(images, self.image_types()), self.buffer_types())
            }
        };
        let index = wish.pick_for_heap(memory, allowed, otherwise);
        let index = index.ok_or(Error::Unsupported("no memory type serves such a heap"))?;
        match self.take_from(index, request) {
            Err(error) if error.is_full() => {
                let allowed = if allowed & (1 << index) != 0 { allowed } else { otherwise };
                let other = wish.instead(memory, allowed, index).ok_or(error)?;
                reprise_log::debug(|| {
                    format!("memory type {index} is full; {} bytes are of type {other}", request.size)
                });
                self.take_from(other, request)
            }
            taken => taken,
        }
    }

    /// Memory of one of Vulkan's types.
    fn take_from(&self, index: u32, request: &Request) -> Result<Slice> {
        let mapped = request.access.is_mappable();
        // What may hold buffers, and what a program knows the addresses of. Tiles may be mapped to heaps of the device: in memory with the
        // flag of capture and replay they showed other bytes on an NVIDIA H100 (driver 580.159; `test_update_tile_mappings_remap_smem`).
        let tiles = !mapped && self.logical().caps.features.base.sparse_binding != 0;
        let repeats = self.repeatable.as_deref().filter(|_| {
            let addressed = match request.purpose {
                Purpose::Buffer => true,
                Purpose::Heap { buffers, .. } => buffers && !tiles,
                Purpose::Image => false,
            };
            addressed && request.addressing != Addressing::Own && self.logical().caps.repeats_addresses()
        });
        let pools = match (repeats, mapped) {
            (Some(pools), _) => &pools[usize::from(mapped)],
            (None, true) => &self.mappable,
            (None, false) => &self.unmapped,
        };
        // A heap's places are multiples of its alignment in Vulkan's memory: images and tiles need that.
        let (chunks, chunk_size, large, by_address) = match request.purpose {
            Purpose::Buffer => (&pools.buffers, CHUNK_OF_BUFFERS, LARGE_BUFFER, true),
            Purpose::Image => (&pools.images, CHUNK_OF_IMAGES, LARGE_IMAGE, false),
            Purpose::Heap { .. } => (&pools.heaps, CHUNK_OF_BUFFERS, LARGE_BUFFER, false),
        };
        // Not of the heap's own kinds: chunks are shared by heaps of all kinds.
        let addressed = match request.purpose {
            Purpose::Buffer | Purpose::Heap { buffers: true, .. } => true,
            Purpose::Image => false,
            Purpose::Heap { .. } => self.buffer_types() & (1 << index) != 0,
        };
        let (size, dedicated) = (request.size, request.dedicated);
        let outside = request.outside && self.shares();
        let shared = size < large && dedicated == vk::Image::null() && !outside;
        let class = Class { shared, mappable: mapped, heaps: request.purpose != Purpose::Buffer };
        let origin = repeats.map(|_| Origin { way: Way::Opaque { memory: 0, buffer: 0 }, class });
        let wanted = Wanted { size, index, addressed, dedicated, mapped, origin, outside, ..Wanted::default() };
        if !shared {
            return Ok(Slice::whole(Arc::new(create::allocation(self, &wanted)?), size));
        }
        let chunk = Wanted { size: chunk_size, chunk: true, ..wanted };
        from_chunks(&chunks[index as usize], request, by_address, || create::allocation(self, &chunk))
    }

    /// Zeroed bytes of a buffer for the caller's own use.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn buffer(&self, access: CpuAccess, size: u64) -> Result<Slice> {
        self.allocate(&Request::of_buffer(access, size, true))
    }

    /// Bytes of a buffer, whatever lies in them, for what is written before it is read.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn scratch(&self, access: CpuAccess, size: u64) -> Result<Slice> {
        self.allocate(&Request::of_buffer(access, size, false))
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
