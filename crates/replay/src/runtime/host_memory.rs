//! Memory of replay's own that the runtime makes a heap of.
//!
//! Invariant: the memory outlives everything of the runtime that may use it.

use std::alloc::{Layout, alloc_zeroed, dealloc};

/// Memory in which a heap lies.
pub(crate) struct HostMemory {
    pub(crate) start: *mut u8,
    layout: Layout,
}

impl HostMemory {
    /// In bytes: the alignment that heaps need, and that any system grants.
    const ALIGNMENT: usize = 64 << 10;

    pub(crate) fn new(size: u64) -> Option<Self> {
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
