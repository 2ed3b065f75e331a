//! The side buffers, as writers see them.

use crate::descriptor::offset::Entry;
use crate::descriptor::publish::Past;
use crate::descriptor::record::{Record, RecordKind};

/// Offset entries and counters of a heap that shaders see.
#[derive(Clone, Copy, Debug)]
pub(in crate::descriptor) struct Side {
    /// Offset entries, one a slot.
    pub(in crate::descriptor) entries: *mut Entry,
    /// Addresses of counters, one a slot.
    pub(in crate::descriptor) counters: *mut u64,
}

impl Side {
    /// In heaps without side buffers.
    pub(in crate::descriptor) const NONE: Side =
        Side { entries: core::ptr::null_mut(), counters: core::ptr::null_mut() };

    /// Writes what belongs to a record over a slot that held `past`. `entry`: whether one of them has an offset entry.
    ///
    /// # Safety
    /// The heap has views, and `index` is one of its places; nobody else writes it.
    #[inline(always)]
    pub(super) unsafe fn write(&self, entry: bool, record: &Record, past: Past, index: u32) {
        let counter = if record.kind == RecordKind::WriteBuffer { record.first } else { 0 };
        // SAFETY: the caller promises that the side buffers have this place. Samplers have neither entry nor counter.
        unsafe {
            if entry {
                self.entries.add(index as usize).write(record.entry);
            }
            if past.counted | (counter != 0) {
                self.counters.add(index as usize).write(counter);
            }
        }
    }
}
