//! The side buffers, as writers see them.

use crate::descriptor::offset::Entry;
use crate::descriptor::publish::Past;
use crate::descriptor::record::{Record, RecordKind};

/// Offset entries, and addresses of counters and acceleration structures, of a heap that shaders see. Invariant: they are those of
/// the slots' records.
#[derive(Clone, Copy, Debug)]
pub(in crate::descriptor) struct Side {
    /// Offset entries, one a slot.
    pub(in crate::descriptor) entries: *mut Entry,
    /// Addresses of counters and acceleration structures, one a slot.
    pub(in crate::descriptor) counters: *mut u64,
}

/// Kinds of records whose offset entries mean something, one bit each.
const HAVE_ENTRIES: u32 =
    1 << RecordKind::ConstantBuffer as u32 | 1 << RecordKind::ReadBuffer as u32 | 1 << RecordKind::WriteBuffer as u32;

impl Side {
    /// In heaps without side buffers.
    pub(in crate::descriptor) const NONE: Side =
        Side { entries: core::ptr::null_mut(), counters: core::ptr::null_mut() };

    /// Writes what belongs to a record over a slot that held `past`.
    ///
    /// # Safety
    /// `index` is one of the heap's places; nobody else writes it.
    #[inline(always)]
    pub(super) unsafe fn write(&self, record: &Record, past: Past, index: u32) {
        if self.entries.is_null() {
            return;
        }
        let address = record.address();
        // SAFETY: the caller promises that the side buffers, which are there, have this place.
        unsafe {
            if (HAVE_ENTRIES >> record.kind as u32 | HAVE_ENTRIES >> past.kind as u32) & 1 != 0 {
                self.entries.add(index as usize).write(record.entry);
            }
            if past.counted | (address != 0) {
                self.counters.add(index as usize).write(address);
            }
        }
    }
}
