//! The store of blobs that wait to be written; equal contents are stored once.
//!
//! Owns the ids and the table of known contents, by XXH3-128. Invariant: ids are dense, and the blobs of one chunk are
//! consecutive, so that the chunk table is the index of the blobs. The table is bounded: a full table is emptied. A content
//! that comes again after that is stored twice.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_128;

use crate::file::blobs::ENTRY;
use crate::file::layout::PAGE;
use crate::file::payload::Payload;

/// A group is written when it has this many bytes.
pub(super) const GROUP: usize = 1 << 20;
/// Room for the table of a group: that of a group of pages.
const TABLE: usize = GROUP / PAGE * ENTRY;
/// Contents remembered before all are forgotten: some 300 MiB of table.
const MAX_SEEN: usize = 6 << 20;

/// The contents are hashes already.
#[derive(Default)]
struct Prehashed(u64);

impl Hasher for Prehashed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            self.0 ^= u64::from_le_bytes(word);
        }
    }
    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }
}

/// The blobs not yet written, and the hashes of all.
pub(super) struct BlobStore {
    seen: HashMap<u128, u64, BuildHasherDefault<Prehashed>>,
    next: u64,
    first: u64,
    table: Vec<(u128, u64)>,
    data: Payload,
}

impl BlobStore {
    /// A store whose next blob gets this id.
    pub(super) fn new(next: u64) -> BlobStore {
        BlobStore { seen: HashMap::default(), next, first: next, table: Vec::new(), data: Payload::default() }
    }

    /// The id of these bytes, which are kept if they are new.
    pub(super) fn insert(&mut self, bytes: &[u8]) -> u64 {
        let hash = xxh3_128(bytes);
        if let Some(&id) = self.seen.get(&hash) {
            return id;
        }
        if self.seen.len() >= MAX_SEEN {
            self.seen.clear();
        }
        let id = self.next;
        self.seen.insert(hash, id);
        self.next += 1;
        self.table.push((hash, bytes.len() as u64));
        self.data.add(bytes);
        id
    }

    /// The next id.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Bytes that wait to be written.
    pub(super) fn pending(&self) -> usize {
        self.data.len() + self.table.len() * ENTRY
    }

    /// Takes the group that waits: the id of its first blob, how many, and the chunk's payload. The next group is put into `memory`.
    pub(super) fn take(&mut self, memory: impl FnOnce() -> Vec<u8>) -> Option<(u64, u32, Payload)> {
        if self.table.is_empty() {
            return None;
        }
        let mut table = Vec::with_capacity(self.table.len() * ENTRY);
        for (hash, len) in &self.table {
            table.extend(hash.to_le_bytes());
            table.extend(len.to_le_bytes());
        }
        let mut payload = std::mem::replace(&mut self.data, Payload::with_room(memory(), TABLE));
        payload.begin_with(&table);
        let (first, count) = (self.first, self.table.len() as u32);
        self.first = self.next;
        self.table.clear();
        Some((first, count, payload))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::file::blobs::find;

    #[test]
    fn equal_contents_have_one_id_and_groups_hold_what_they_say() {
        let mut store = BlobStore::new(10);
        assert_eq!(
            [store.insert(b"one"), store.insert(b""), store.insert(b"one"), store.insert(b"two!")],
            [10, 11, 10, 12]
        );
        let (first, count, payload) = store.take(Vec::new).unwrap();
        assert_eq!((first, count), (10, 3));
        let blobs: Vec<_> = (0..count).map(|i| find(&payload, count, i).unwrap().1.to_vec()).collect();
        assert_eq!(blobs, [b"one".to_vec(), b"".to_vec(), b"two!".to_vec()]);
        assert!(find(&payload, count, 3).is_none());
        assert!(find(&payload[..payload.len() - 1], count, 2).is_none());
        assert!(store.take(Vec::new).is_none());
        assert_eq!([store.insert(b"two!"), store.insert(b"new")], [12, 13]);
        assert_eq!(store.take(Vec::new).unwrap().0, 13);
    }
}
