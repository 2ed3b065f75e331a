//! Decompressed chunks of blobs: those used last are kept, and a thread may decompress ahead of a reader.
//!
//! Invariants: two threads that want one chunk decompress it once, and threads that want different ones do not wait for each other.
//! What is kept is bounded by [`KEPT`], what lies ahead of the reader by [`AHEAD`].

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::file::blocks::Blocks;
use crate::file::layout::Entry;
use crate::read::damage::Damage;

/// Bytes that are kept.
const KEPT: usize = 32 << 20;
/// Bytes that are decompressed before the reader wants them: far less than is kept, so nothing goes before it is read.
const AHEAD: u64 = 4 << 20;

/// A chunk, or what is wrong with it, once somebody has looked.
type Chunk = Arc<OnceLock<Result<Arc<Vec<u8>>, Damage>>>;

#[derive(Debug, Default)]
pub(crate) struct BlobChunks {
    kept: Mutex<Kept>,
    moved_on: Condvar,
    /// Memory of chunks that were let go, for those to come.
    blocks: Blocks,
}

#[derive(Debug, Default)]
struct Kept {
    /// By offset in the file, the one used last at the end.
    chunks: Vec<(u64, Chunk)>,
    /// Chunks before this one are behind the reader: one more than the furthest that it has wanted.
    reached: usize,
    /// The reader wants no more.
    over: bool,
}

impl BlobChunks {
    /// Memory to decompress chunks in.
    pub(crate) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    /// A chunk that the reader wants: number `index` of the trace's.
    ///
    /// # Errors
    /// What `load` says is wrong with it.
    pub(crate) fn get(
        &self,
        index: usize,
        offset: u64,
        load: impl FnOnce() -> Result<Vec<u8>, Damage>,
    ) -> Result<Arc<Vec<u8>>, Damage> {
        let mut kept = self.lock();
        if index >= kept.reached {
            kept.reached = index + 1;
            self.moved_on.notify_one();
        }
        let chunk = kept.chunk(offset);
        drop(kept);
        self.load(chunk, load)
    }

    /// Decompresses chunks in order, a little ahead of the reader, until [`BlobChunks::finish`].
    pub(crate) fn run_ahead(&self, entries: &[Entry], load: impl Fn(&Entry) -> Result<Vec<u8>, Damage>) {
        let mut next = 0;
        while let Some(entry) = entries.get(next) {
            let mut kept = self.lock();
            let ahead = |kept: &Kept| {
                let ahead = entries.get(kept.reached..next).unwrap_or_default();
                ahead.iter().map(|entry| u64::from(entry.header.raw)).sum::<u64>()
            };
            while !kept.over && ahead(&kept) >= AHEAD {
                kept = self.moved_on.wait(kept).unwrap_or_else(PoisonError::into_inner);
            }
            if kept.over {
                return;
            }
            // What the reader has been at, it has loaded itself.
            if kept.reached > next {
                next = kept.reached;
                continue;
            }
            let chunk = kept.chunk(entry.offset);
            drop(kept);
            // Damage is the reader's to tell, should it come here.
            let _ = self.load(chunk, || load(entry));
            next += 1;
        }
    }

    /// Begins anew with a reader at the start.
    pub(crate) fn begin(&self) {
        let mut kept = self.lock();
        (kept.reached, kept.over) = (0, false);
    }

    /// The reader wants no more: the thread ahead of it ends.
    pub(crate) fn finish(&self) {
        self.lock().over = true;
        self.moved_on.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn load(&self, chunk: Chunk, load: impl FnOnce() -> Result<Vec<u8>, Damage>) -> Result<Arc<Vec<u8>>, Damage> {
        if let Some(there) = chunk.get() {
            return there.clone();
        }
        let there = chunk.get_or_init(|| load().map(Arc::new)).clone();
        let gone = self.lock().forget();
        // Whoever still reads one keeps it.
        let gone = gone.into_iter().filter_map(|chunk| Arc::into_inner(chunk)?.into_inner()?.ok());
        gone.filter_map(Arc::into_inner).for_each(|block| self.blocks.give_back(block));
        there
    }
}

impl Kept {
    fn chunk(&mut self, offset: u64) -> Chunk {
        let at = self.chunks.iter().position(|(there, _)| *there == offset);
        let used = at.map_or_else(|| (offset, Chunk::default()), |at| self.chunks.remove(at));
        let chunk = used.1.clone();
        self.chunks.push(used);
        chunk
    }

    /// Lets the chunks go that were used longest ago, until the rest is no more than is to be kept.
    fn forget(&mut self) -> Vec<Chunk> {
        let bytes = |(_, chunk): &(u64, Chunk)| match chunk.get() {
            Some(Ok(bytes)) => bytes.len(),
            _ => 0,
        };
        let mut all: usize = self.chunks.iter().map(bytes).sum();
        let mut gone = 0;
        while gone + 1 < self.chunks.len() && all > KEPT {
            all -= bytes(&self.chunks[gone]);
            gone += 1;
        }
        self.chunks.drain(..gone).map(|(_, chunk)| chunk).collect()
    }
}
