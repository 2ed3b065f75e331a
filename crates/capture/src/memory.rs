//! The seam to the tracker of mapped memory, and the rule when it is asked to flush.
//!
//! Invariant: a flush, its `Memory` records, the sequence and the submission it precedes are one critical section of the
//! process, so that no submission is recorded ahead of bytes it may read.

use std::sync::OnceLock;

/// One mapped subresource, as the runtime returned it to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Object id of the resource.
    pub object: u32,
    pub subresource: u32,
    /// Address of the first mapped byte.
    pub address: usize,
    /// Bytes the program may store to: the buffer's width, or the subresource's layout; 0 when it could not be found.
    pub size: u64,
    /// Heap type (`D3D12_HEAP_TYPE`) of the resource, 0 when unknown. Readback memory is written by the GPU.
    pub heap_type: u32,
    /// The map asked for a read range that is not empty.
    pub readable: bool,
}

/// Finds the bytes a program stored to mapped memory. Called with the process-wide submission lock held.
pub trait MappedMemory: Sync {
    /// A map call succeeded. Mapping the same subresource again nests: the tracker counts.
    fn on_map(&self, mapping: &Mapping);
    /// An unmap call is about to be forwarded; a flush has just been done.
    fn on_unmap(&self, object: u32, subresource: u32);
    /// The resource is gone; its mappings, if any are left, are too. A flush was not possible any more.
    fn on_destroy(&self, object: u32);
    /// Emits every run of bytes that changed since the last flush: (object, subresource, offset in the mapping, bytes).
    fn flush(&self, emit: &mut dyn FnMut(u32, u32, u64, &[u8]));
}

static TRACKER: OnceLock<&'static dyn MappedMemory> = OnceLock::new();

/// Makes `tracker` the one that all flushes ask. The first one stays; returns whether it was this one.
pub fn install(tracker: &'static dyn MappedMemory) -> bool {
    TRACKER.set(tracker).is_ok()
}

/// The tracker, once one is installed.
pub(crate) fn tracker() -> Option<&'static dyn MappedMemory> {
    TRACKER.get().copied()
}
