//! Allocations of Vulkan memory, and slices of them.

use core::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

use crate::lifetime::Lifetime;
use crate::logical::Logical;
use crate::memory::chunk::Free;
use crate::memory::outside::Outside;
use crate::memory::pages::Pages;
use crate::memory::place::{Origin, Place};
use crate::memory::shared::Shared;
use crate::memory::zero::Filled;

/// Vulkan memory with a buffer over it.
pub struct Allocation {
    /// What all memory of the device shares.
    pub(super) shared: Arc<Shared<Allocation>>,
    /// The memory.
    pub memory: vk::DeviceMemory,
    /// A buffer over the whole with all usages; null where the memory serves images only and cannot hold one.
    pub buffer: vk::Buffer,
    /// The buffer's device address; 0 without a buffer.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Where the program's process sees the memory.
    pub mapped: Option<NonNull<u8>>,
    /// Vulkan's memory type.
    pub type_index: u32,
    /// How other devices and processes open it, where they may.
    pub(super) outside: Option<Outside>,
    /// Whether all bytes were zero when the allocation was made.
    pub(super) made_zero: bool,
    /// How it came to its address, where a later process can have the address again.
    pub(super) origin: Option<Origin>,
    /// The free bytes of a chunk; `None` when the allocation is one thing.
    pub(super) free: Option<Mutex<Free>>,
    /// The pages that the memory was imported from, where the allocation owns them. They go after the memory.
    #[allow(dead_code, reason = "held until dropped")]
    pub(super) pages: Option<Pages>,
    /// That of the buffer, for descriptors.
    pub(super) lifetime: Lifetime,
}

// SAFETY: handles and an address; what lies in the memory is for the program and the GPU to synchronise.
unsafe impl Send for Allocation {}
// SAFETY: nobody changes the fields; what lies in the memory is for the program and the GPU to synchronise.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// Whether other devices and processes can be given it.
    pub fn is_outside(&self) -> bool {
        self.outside.is_some()
    }

    /// The device.
    pub(crate) fn logical(&self) -> &Arc<Logical> {
        &self.shared.logical
    }
}

impl core::fmt::Debug for Allocation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Allocation({:#x}+{:#x}, type {})", self.address, self.size, self.type_index)
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if self.address != 0 {
            self.shared.addresses.remove(self.address);
            self.shared.structures.forget(&self.shared.logical, self.address, self.size);
            self.shared.micromaps.forget(&self.shared.logical, self.address, self.size);
        }
        // SAFETY: the last user is gone; queues keep what they use.
        unsafe {
            self.shared.logical.vk.destroy_buffer(self.buffer, None);
            self.shared.logical.vk.free_memory(self.memory, None);
        }
    }
}

/// What keeps the bytes of a slice.
#[derive(Debug)]
pub(super) enum Owner {
    /// A chunk, which gets the bytes back when the slice goes.
    Chunk(Arc<Allocation>),
    /// An allocation that is one thing.
    Whole(Arc<Allocation>),
    /// The slice that this one is a part of.
    Slice(Arc<Slice>),
}

/// Bytes of an allocation.
#[derive(Debug)]
pub struct Slice {
    pub(super) owner: Owner,
    /// First byte within the allocation.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Whether the bytes are as the allocation was made: no slice had them before.
    pub(super) fresh: bool,
    /// Whether a submission makes the bytes zero, or has.
    pub(super) filled: bool,
}

impl Slice {
    /// The first bytes of an allocation that is one thing.
    pub fn whole(allocation: Arc<Allocation>, size: u64) -> Slice {
        Slice { owner: Owner::Whole(allocation), offset: 0, size, fresh: true, filled: false }
    }

    /// A part that shares the bytes, for placed resources. It keeps the slice.
    pub fn part(self: &Arc<Slice>, offset: u64, size: u64) -> Slice {
        debug_assert!(offset + size <= self.size, "a part lies inside");
        let (owner, offset) = (Owner::Slice(self.clone()), self.offset + offset);
        Slice { owner, offset, size, fresh: false, filled: false }
    }

    /// Nobody finds the bytes by their address any more, where they are an allocation's only ones. It keeps its address while this lives.
    pub fn leave(&self) {
        if let Owner::Whole(allocation) = &self.owner
            && allocation.address != 0
        {
            allocation.shared.addresses.remove(allocation.address);
        }
    }

    /// Whether it is no part of anything larger.
    pub fn is_whole(&self) -> bool {
        matches!(self.owner, Owner::Whole(_))
    }

    /// The allocation.
    #[inline]
    pub fn allocation(&self) -> &Arc<Allocation> {
        match &self.owner {
            Owner::Chunk(allocation) | Owner::Whole(allocation) => allocation,
            Owner::Slice(slice) => slice.allocation(),
        }
    }

    /// The device address of the first byte; 0 where the memory has none.
    pub fn address(&self) -> u64 {
        let base = self.allocation().address;
        if base == 0 { 0 } else { base + self.offset }
    }

    /// Where the bytes lie, where a later process can have the same place; `None` also for parts, which are where the whole is.
    pub fn place(&self) -> Option<Place> {
        let (Owner::Chunk(allocation) | Owner::Whole(allocation)) = &self.owner else { return None };
        let Allocation { origin, type_index, address, size, .. } = **allocation;
        let (offset, allocated) = (self.offset, size);
        Some(Place { origin: origin?, type_index, base: address, allocated, offset, size: self.size })
    }

    /// Where the process sees the first byte.
    pub fn mapped(&self) -> Option<NonNull<u8>> {
        // SAFETY: the slice lies inside of the mapping.
        self.allocation().mapped.map(|base| unsafe { base.add(self.offset as usize) })
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        // First, because the next owner of the bytes need not wait for a fill.
        if self.filled {
            let allocation = self.allocation();
            allocation.shared.fills.forget(allocation, self.offset);
        }
        if let Owner::Chunk(chunk) = &self.owner
            && let Some(free) = &chunk.free
        {
            free.lock().unwrap_or_else(PoisonError::into_inner).give(self.offset..self.offset + self.size);
        }
    }
}

impl Filled for Allocation {
    fn buffer(&self) -> vk::Buffer {
        self.buffer
    }

    fn size(&self) -> u64 {
        self.size
    }
}
