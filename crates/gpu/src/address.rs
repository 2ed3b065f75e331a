//! The map from GPU virtual addresses to buffers.
//!
//! The map has one entry per allocation, in a sorted table of atomic words. A search takes no lock; it starts again when a writer has
//! changed the table meanwhile. A table that becomes too small is replaced by one of twice its size.
//!
//! Invariants: entries never overlap. A replaced table is freed with the map, not before, so a late reader finds old words in it and
//! never freed memory. All replaced tables together are at most as large as the newest.

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
    /// The number of the buffer's lifetime.
    pub lifetime: u32,
}

/// The last answer of [`Map::find_near`]. While the map stays as it is, other addresses in the same buffer need no search.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    version: u64,
    place: Place,
    end: u64,
}

impl Default for Near {
    fn default() -> Near {
        // No version that readers see is odd.
        Near {
            version: 1,
            place: Place { buffer: vk::Buffer::null(), base: 0, left: 0, offset: 0, lifetime: 0 },
            end: 0,
        }
    }
}

/// A row: first address, one past the last, buffer, the number of its lifetime.
type Row = [AtomicU64; 4];

#[derive(Debug)]
struct Table {
    rows: Box<[Row]>,
    used: AtomicUsize,
}

/// GPU virtual addresses and their buffers.
#[derive(Debug)]
pub struct Map {
    /// Even while no writer works, odd while one does.
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

    #[inline]
    fn row(&self, at: usize) -> [u64; 4] {
        self.rows[at].each_ref().map(|word| word.load(Ordering::Relaxed))
    }

    fn set(&self, at: usize, row: [u64; 4]) {
        for (word, value) in self.rows[at].iter().zip(row) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// The number of rows that begin at or below an address. Meaningless, but in bounds, while a writer works.
    #[inline]
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
    #[inline]
    pub fn find(&self, address: u64) -> Option<Place> {
        loop {
            let before = self.version.load(Ordering::Acquire);
            if before.is_multiple_of(2) {
                // SAFETY: tables live as long as the map.
                let table = unsafe { &*self.table.load(Ordering::Acquire) };
                let row = table.upto(address).checked_sub(1).map(|at| table.row(at));
                fence(Ordering::Acquire);
                if self.version.load(Ordering::Relaxed) == before {
                    let [base, end, buffer, lifetime] = row?;
                    let place = Place {
                        buffer: vk::Buffer::from_raw(buffer),
                        base,
                        left: end.wrapping_sub(address),
                        offset: address.wrapping_sub(base),
                        lifetime: lifetime as u32,
                    };
                    return (address < end).then_some(place);
                }
            }
            core::hint::spin_loop();
        }
    }

    /// As [`Map::find`], faster for a caller that asks often: it keeps the last answer.
    #[inline]
    pub fn find_near(&self, near: &mut Near, address: u64) -> Option<Place> {
        let (base, end) = (near.place.base, near.end);
        if self.version.load(Ordering::Acquire) == near.version && (base..end).contains(&address) {
            return Some(Place { left: end - address, offset: address - base, ..near.place });
        }
        let version = self.version.load(Ordering::Acquire);
        let place = self.find(address)?;
        // What was found may be newer than the version, never older: at worst the next look searches again.
        *near = Near { version, place, end: address + place.left };
        Some(place)
    }

    /// An allocation is there. Its range must not overlap another's.
    pub fn insert(&self, address: u64, size: u64, buffer: vk::Buffer, lifetime: u32) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(table) = tables.last() else { return };
        let used = table.used.load(Ordering::Relaxed);
        let at = table.upto(address);
        let row = [address, address.saturating_add(size), buffer.as_raw(), lifetime.into()];
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicBool;

    use proptest::prelude::*;

    use super::*;

    fn buffer(number: u64) -> vk::Buffer {
        vk::Buffer::from_raw(number)
    }

    proptest! {
        #[test]
        fn finds_what_is_there(steps in prop::collection::vec((any::<bool>(), 0u64..400, 1u64..40), 1..400)) {
            let (map, mut model, mut number) = (Map::default(), BTreeMap::<u64, (u64, u64)>::new(), 0);
            let mut near = Near::default();
            for (insert, address, size) in steps {
                prop_assert_eq!(map.find_near(&mut near, address), map.find(address));
                prop_assert_eq!(map.find_near(&mut near, address + size), map.find(address + size));
                let free = model.range(..address + size).next_back().is_none_or(|(start, (size, _))| start + size <= address);
                if insert && free {
                    number += 1;
                    map.insert(address, size, buffer(number), number as u32 + 5);
                    model.insert(address, (size, number));
                } else {
                    map.remove(address);
                    model.remove(&address);
                }
            }
            for address in 0..450 {
                let expected = model.range(..=address).next_back().filter(|(start, (size, _))| address < *start + size);
                let expected = expected.map(|(start, (size, number))| Place {
                    buffer: buffer(*number), base: *start, left: start + size - address, offset: address - start,
                    lifetime: *number as u32 + 5,
                });
                prop_assert_eq!(map.find(address), expected);
            }
        }
    }

    /// One thread inserts and removes entries, so that the table grows, while other threads search it. They always find the
    /// entries that stay, and never find an entry for an address that has none.
    #[test]
    fn readers_see_whole_entries() {
        let (map, done) = (Map::default(), AtomicBool::new(false));
        for stays in 0..32 {
            map.insert(stays * 1000 + 500, 100, buffer(stays + 1), 0);
        }
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut seen = 0u64;
                    while !done.load(Ordering::Relaxed) || seen < 1000 {
                        let stays = seen % 32;
                        let found = map.find(stays * 1000 + 550);
                        assert_eq!(found.map(|place| (place.buffer, place.left)), Some((buffer(stays + 1), 50)));
                        let comes = map.find(stays * 1000 + 250);
                        assert!(comes.is_none_or(|place| place.buffer == buffer(1000 + stays) && place.left == 50));
                        assert_eq!(map.find(stays * 1000 + 650), None);
                        seen += 1;
                    }
                });
            }
            for round in 0..200u64 {
                for comes in 0..32 {
                    map.insert(comes * 1000 + 200, 100, buffer(1000 + comes), 0);
                }
                // Beyond the readers' addresses: makes the table grow.
                map.insert((1 << 32) + round * 16, 16, buffer(7), 0);
                for comes in 0..32 {
                    map.remove(comes * 1000 + 200);
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}
