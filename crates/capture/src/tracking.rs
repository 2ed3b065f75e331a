//! The interface between the recording of calls and the tracker of mapped memory.
//!
//! Invariant: one tracker serves the process, and every method of it is called with the submission's lock held.

use reprise_environment::Tracking;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// One mapped subresource, as the runtime returned it to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Object id of the resource.
    pub object: u32,
    /// Number of the subresource; 0 for buffers.
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

/// How stores to a mapping are found; goes into the trace as a fact (`MAPPING_MODE`) with each map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Watched {
    /// Nothing to find: no bytes, or no address.
    Nothing,
    /// The kernel tells the pages written (userfaultfd, asynchronous write-protect, and `PAGEMAP_SCAN`).
    Pages,
    /// Windows tells the pages written, of memory that was allocated for that (`MEM_WRITE_WATCH`).
    WriteWatch,
    /// Segmentation faults tell the pages written: they are made read-only.
    Mprotect,
    /// Each flush compares the whole mapping with a copy.
    Compare,
}

impl Watched {
    /// As it is called in a trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Pages => Tracking::Pages.name(),
            Self::WriteWatch => Tracking::WriteWatch.name(),
            Self::Mprotect => Tracking::Mprotect.name(),
            Self::Compare => Tracking::Compare.name(),
        }
    }
}

/// A run of bytes that the program may have changed.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Object id of the mapped resource.
    pub object: u32,
    /// Number of the subresource; 0 for buffers.
    pub subresource: u32,
    /// From the start of the mapping, in bytes.
    pub offset: u64,
    /// The bytes, possibly in the mapping itself, where other threads may be writing: to be copied at once, by pointer.
    pub bytes: *const u8,
    /// Number of bytes, at most [`LONGEST`].
    pub len: usize,
    /// The GPU may have written them (readback memory): a reader does not store them back.
    pub observed: bool,
}

/// Longer runs are reported in parts, so that one record always fits a ring.
pub const LONGEST: usize = 64 << 10;

/// Finds the bytes a program stored to mapped memory. Called with the process-wide submission lock held.
pub trait MappedMemory: Sync {
    /// A map call succeeded; the program does not have the address yet. Mapping the same subresource again nests: the
    /// tracker counts.
    fn on_map(&self, mapping: &Mapping) -> Watched;
    /// A map call succeeded, and nobody was told the address yet: gives the address that the program is to see in its place, where
    /// stores of the program and writes of the GPU can be kept apart so.
    fn apart(&self, _mapping: &Mapping) -> Option<usize> {
        None
    }
    /// Whether the program sees a mapping of its own, which the GPU does not write through.
    fn is_apart(&self, _mapping: &Mapping) -> bool {
        false
    }
    /// Emits what the GPU wrote to a mapping that is kept apart, or while the program had none. `false`: all that it holds may be new.
    fn show(&self, _mapping: &Mapping, _emit: &mut dyn FnMut(&Written)) -> bool {
        false
    }
    /// Why the newest mapping could not be watched by better means.
    fn refused(&self) -> Option<String> {
        None
    }
    /// An unmap call is about to be forwarded. Emits what was stored to the subresource since the last flush.
    fn on_unmap(&self, object: u32, subresource: u32, emit: &mut dyn FnMut(&Written));
    /// Whether the program may read memory that the GPU writes, by a mapping that it keeps.
    fn keeps_for_reading(&self) -> bool {
        false
    }
    /// Emits what the GPU wrote to such mappings of memory that the program stores to, too. The GPU is idle, and a flush came before.
    fn show_kept(&self, _emit: &mut dyn FnMut(&Written)) {}
    /// The resource may be gone after the call that is about to be forwarded: then [`MappedMemory::on_destroy`] follows. Emits what was
    /// stored to its mappings, and what the GPU wrote to those that the program may read.
    fn on_dying(&self, _object: u32, _emit: &mut dyn FnMut(&Written)) {}
    /// The resource is gone; its mappings, if any are left, are too. A flush was not possible any more.
    fn on_destroy(&self, object: u32);
    /// The recording is over: from now on nobody is told of maps and unmaps, so nothing may be left watched.
    fn on_end(&self) {}
    /// Emits every run of bytes that changed since the last flush.
    fn flush(&self, emit: &mut dyn FnMut(&Written));
}

/// A processor plays the GPU.
static PROCESSOR: AtomicBool = AtomicBool::new(false);

/// A processor plays the GPU of this process: what it writes to mapped memory is found as stores are.
#[cfg(target_os = "linux")]
pub(crate) fn found_processor() {
    PROCESSOR.store(true, Ordering::Relaxed);
}

/// Whether what the GPU writes to mapped memory is found as stores are.
pub(crate) fn finds_gpu() -> bool {
    PROCESSOR.load(Ordering::Relaxed)
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
