//! From GPU virtual addresses to the buffers that they lie in.
//!
//! One entry per allocation. Finding takes no lock: readers look through a sorted table of atomic words and look again when a
//! writer changed it meanwhile. Invariant: entries never overlap, and a table once published is never freed before the map, so
//! that a reader with an old one reads old words, not freed ones (tables double, so all old ones together are as large as the newest).

use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use ash::vk::Handle;

/// Where an address lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The allocation's buffer.
    pub buffer: vk::Buffer,
    /// The buffer's first address.
    pub base: u64,
    /// Bytes from the address to the buffer's end.
    pub left: u64,
    /// Bytes from the buffer's start to the address.
    pub offset: u64,
}

/// A row: first address, one past the last, buffer.
type Row = [AtomicU64; 3];

#[derive(Debug)]
struct Table {
    rows: Box<[Row]>,
    used: AtomicUsize,
}

/// GPU virtual addresses and their buffers.
#[derive(Debug)]
pub struct Map {
    /// Even while nobody writes.
    version: AtomicU64,
    table: AtomicPtr<Table>,
    /// All tables that ever were; the last one is the current one. Writers take the lock.
    tables: Mutex<Vec<Arc<Table>>>,
}

impl Default for Map {
    fn default() -> Map {
        let first = Arc::new(Table::new(64));
        let table = AtomicPtr::new(Arc::as_ptr(&first).cast_mut());
        Map { version: AtomicU64::new(0), table, tables: Mutex::new(vec![first]) }
    }
}

impl Table {
    fn new(len: usize) -> Table {
        let rows = core::iter::repeat_with(Row::default).take(len).collect();
        Table { rows, used: AtomicUsize::new(0) }
    }

    fn row(&self, at: usize) -> [u64; 3] {
        self.rows[at].each_ref().map(|word| word.load(Ordering::Relaxed))
    }

    fn set(&self, at: usize, row: [u64; 3]) {
        for (word, value) in self.rows[at].iter().zip(row) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// The number of rows that begin at or below an address. Meaningless, but in bounds, while a writer works.
    fn upto(&self, address: u64) -> usize {
        let (mut low, mut high) = (0, self.used.load(Ordering::Relaxed).min(self.rows.len()));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.rows[middle][0].load(Ordering::Relaxed) <= address { low = middle + 1 } else { high = middle }
        }
        low
    }
}

impl Map {
    /// The buffer that an address lies in. No locks; a look waits only for a writer that is at work this moment.
    pub fn find(&self, address: u64) -> Option<Place> {
        loop {
            let before = self.version.load(Ordering::Acquire);
            if before % 2 == 0 {
                // SAFETY: tables live as long as the map.
                let table = unsafe { &*self.table.load(Ordering::Acquire) };
                let row = table.upto(address).checked_sub(1).map(|at| table.row(at));
                fence(Ordering::Acquire);
                if self.version.load(Ordering::Relaxed) == before {
                    let [base, end, buffer] = row?;
                    let place = Place {
                        buffer: vk::Buffer::from_raw(buffer),
                        base,
                        left: end.wrapping_sub(address),
                        offset: address.wrapping_sub(base),
                    };
                    return (address < end).then_some(place);
                }
            }
            core::hint::spin_loop();
        }
    }

    /// An allocation is there. Its range must not overlap another's.
    pub fn insert(&self, address: u64, size: u64, buffer: vk::Buffer) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(table) = tables.last() else { return };
        let used = table.used.load(Ordering::Relaxed);
        let at = table.upto(address);
        let row = [address, address.saturating_add(size), buffer.as_raw()];
        if used == table.rows.len() {
            let larger = Arc::new(Table::new(used * 2));
            for (to, from) in (0..used).map(|from| (from + usize::from(from >= at), from)) {
                larger.set(to, table.row(from));
            }
            larger.set(at, row);
            larger.used.store(used + 1, Ordering::Relaxed);
            // The old table stays as it is, so that this needs no version.
            self.table.store(Arc::as_ptr(&larger).cast_mut(), Ordering::Release);
            tables.push(larger);
            return;
        }
        self.write(|| {
            for from in (at..used).rev() {
                table.set(from + 1, table.row(from));
            }
            table.set(at, row);
            table.used.store(used + 1, Ordering::Relaxed);
        });
    }

    /// The allocation that begins at an address is gone.
    pub fn remove(&self, address: u64) {
        let tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(table) = tables.last() else { return };
        let used = table.used.load(Ordering::Relaxed);
        let Some(at) = table.upto(address).checked_sub(1).filter(|at| table.row(*at)[0] == address) else { return };
        self.write(|| {
            for to in at..used - 1 {
                table.set(to, table.row(to + 1));
            }
            table.used.store(used - 1, Ordering::Relaxed);
        });
    }

    /// Runs a change of the current table; readers look again. The caller holds the lock.
    fn write(&self, change: impl FnOnce()) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        change();
        self.version.store(version + 2, Ordering::Release);
    }
}
