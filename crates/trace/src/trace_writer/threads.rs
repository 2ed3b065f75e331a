//! The recorded threads, as the trace writer sees them: pieces that wait for the thread's next record, and the totals of the
//! thread for the end of the trace.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::file::cursor::Cursor;
use crate::record::{Kind, Record};
use crate::trace_writer::blob_store::BlobStore;

/// Longest payload that is joined from parts, and longest blob, in bytes.
pub const MAX_JOINED: u64 = 512 << 20;
/// The writer forgets removed threads once there are so many of them.
const MANY_REMOVED: usize = 64;

/// A blob whose pieces are still coming.
#[derive(Default)]
struct Assembly {
    number: u32,
    total: u64,
    bytes: Vec<u8>,
}

/// A thread of the program.
#[derive(Default)]
pub(super) struct Thread {
    /// The number of its ring.
    pub(super) id: u32,
    /// Ticks of its last record that had any.
    pub(super) ticks: u64,
    pub(super) removed: bool,
    /// Payload that came ahead of its record.
    pub(super) parts: Vec<u8>,
    /// More came ahead than is joined.
    pub(super) too_long: bool,
    assembly: Option<Assembly>,
    /// Blobs that the next record may name: the thread's number of each, and its id in the trace.
    pub(super) bindings: Vec<(u32, u64)>,
    name: String,
    os_id: u64,
    /// Whether any record of it is in the trace.
    pub(super) recorded: bool,
}

/// A blob that cannot be put together.
pub(super) struct BrokenBlob {
    /// The thread's number of the blob.
    pub(super) number: u32,
}

impl Thread {
    /// Takes a part of a payload, or a piece of a blob, which goes into `store` when it is whole.
    pub(super) fn collect(&mut self, record: &Record<'_>, store: &mut BlobStore) -> Result<(), BrokenBlob> {
        if record.kind == Kind::Part {
            if (self.parts.len() + record.payload.len()) as u64 > MAX_JOINED {
                self.too_long = true;
            } else {
                self.parts.extend_from_slice(record.payload);
            }
            return Ok(());
        }
        let number = record.header.ordinal;
        let mut c = Cursor(record.payload);
        let (Some(total), Some(offset)) = (c.u64(), c.u64()) else { return Err(BrokenBlob { number }) };
        let piece = &c.0[..c.0.len().min(usize::try_from(total.saturating_sub(offset)).unwrap_or(usize::MAX))];
        if offset == 0 && piece.len() as u64 == total {
            let id = store.insert(piece);
            self.bindings.push((number, id));
            return Ok(());
        }
        if offset == 0 {
            self.assembly = Some(Assembly { number, total, bytes: Vec::new() });
        }
        let fits = |a: &&mut Assembly| (a.number, a.total, a.bytes.len() as u64) == (number, total, offset);
        let Some(assembly) = self.assembly.as_mut().filter(fits).filter(|_| total <= MAX_JOINED) else {
            self.assembly = None;
            // Only the last piece reports it, so that a blob is reported once.
            let is_last = offset.saturating_add(piece.len() as u64) >= total;
            return if is_last { Err(BrokenBlob { number }) } else { Ok(()) };
        };
        assembly.bytes.extend_from_slice(piece);
        if assembly.bytes.len() as u64 == total {
            let id = store.insert(&assembly.bytes);
            self.assembly = None;
            self.bindings.push((number, id));
        }
        Ok(())
    }

    /// Whether the rest of a blob, or the record of a payload or blob that came ahead, is still missing.
    pub(super) fn is_collecting(&self) -> bool {
        !self.parts.is_empty() || self.assembly.is_some() || !self.bindings.is_empty()
    }

    /// Whether the next record stands for itself: nothing that came ahead belongs to it.
    #[inline]
    pub(super) fn has_nothing_ahead(&self) -> bool {
        !self.too_long && self.parts.is_empty() && self.bindings.is_empty()
    }

    /// Drops what came ahead.
    pub(super) fn drop_collected(&mut self) {
        (self.assembly, self.too_long) = (None, false);
        self.parts.clear();
        self.bindings.clear();
    }

    /// What the trace says of it at its end: number, the system's number, name.
    fn said(self) -> Option<(u32, u64, String)> {
        (self.recorded || self.os_id != 0).then_some((self.id, self.os_id, self.name))
    }
}

/// All threads, by the index that the writer's functions take.
#[derive(Default)]
pub(super) struct Threads {
    pub(super) list: Vec<Thread>,
    /// Threads that the writer forgot, as [`Thread::said`] has them.
    ended: Vec<(u32, u64, String)>,
    /// The threads that the totals count, by id.
    pub(super) counted: HashSet<u32>,
    /// The thread of the last record of the chunk.
    pub(super) current: Option<usize>,
}

impl Threads {
    /// The threads of a trace that goes on, by id and ticks, and those that its totals count.
    pub(super) fn resume(known: impl Iterator<Item = (u32, u64)>, counted: HashSet<u32>) -> Threads {
        let list = known.map(|(id, ticks)| Thread { id, ticks, ..Thread::default() }).collect();
        Threads { list, counted, ..Threads::default() }
    }

    /// Names a thread. The result is its index, and whether it is new.
    pub(super) fn add(&mut self, id: u32, os_id: u64, name: &str) -> (usize, bool) {
        if let Some(known) = self.list.iter().position(|t| t.id == id) {
            (self.list[known].os_id, self.list[known].name) = (os_id, name.into());
            return (known, false);
        }
        self.list.push(Thread { id, os_id, name: name.into(), ..Thread::default() });
        (self.list.len() - 1, true)
    }

    /// Whether so many threads were removed that forgetting them is worth the work.
    pub(super) fn are_many_removed(&self) -> bool {
        let removed = self.list.iter().filter(|t| t.removed).count();
        removed >= MANY_REMOVED && 2 * removed >= self.list.len()
    }

    /// Forgets the removed threads, except what the trace says of them at its end. The result is the new index of each
    /// thread, by its old one, and the ids of the removed threads.
    pub(super) fn forget_removed(&mut self) -> (Vec<usize>, HashSet<u32>) {
        let mut places = Vec::with_capacity(self.list.len());
        let mut removed = HashSet::new();
        for thread in std::mem::take(&mut self.list) {
            places.push(self.list.len());
            if thread.removed {
                removed.insert(thread.id);
                self.ended.extend(thread.said());
            } else {
                self.list.push(thread);
            }
        }
        self.current = None;
        (places, removed)
    }

    /// The threads as a file that goes on from here knows them. What came ahead of a record goes over, what the trace says of them stays.
    pub(super) fn turn(&mut self) -> Threads {
        let turned = |thread: &mut Thread| Thread {
            id: thread.id,
            ticks: thread.ticks,
            removed: thread.removed,
            parts: std::mem::take(&mut thread.parts),
            too_long: thread.too_long,
            assembly: thread.assembly.take(),
            name: thread.name.clone(),
            os_id: thread.os_id,
            ..Thread::default()
        };
        Threads { list: self.list.iter_mut().map(turned).collect(), ..Threads::default() }
    }

    /// What the meta says of all threads, by rising number.
    pub(super) fn into_meta(self) -> Vec<Value> {
        let mut known = self.ended;
        known.extend(self.list.into_iter().filter_map(Thread::said));
        known.sort_by_key(|(id, ..)| *id);
        known.into_iter().map(|(id, os_id, name)| json!({"thread": id, "os_id": os_id, "name": name})).collect()
    }
}
