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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::file::chunk::{ChunkHeader, ChunkKind, Names, Packing};
    use crate::read::damage::Place;

    /// Chunks of so many bytes; number `n` at offset `n`.
    fn entries(number: usize, bytes: u32) -> Vec<Entry> {
        let header = ChunkHeader {
            kind: ChunkKind::Blobs,
            packing: Packing::Zstd,
            width: 0,
            stored: 1,
            raw: bytes,
            checksum: 0,
            first: 0,
            sequence: 0,
            frame: 0,
            count: 1,
            records: 0,
            names: Names::Unknown,
        };
        (0..number as u64).map(|offset| Entry { offset, header }).collect()
    }

    fn wait_for(what: impl Fn() -> bool) {
        let start = Instant::now();
        while !what() {
            assert!(start.elapsed() < Duration::from_secs(20), "it does not come");
            std::thread::yield_now();
        }
    }

    fn damage(offset: u64) -> Damage {
        Damage { place: Place::Chunk { offset, kind: ChunkKind::Blobs }, what: "it is broken".into() }
    }

    /// A reader at its own pace, and a thread ahead of it: everything is loaded once, and is what it was to be.
    #[test]
    fn what_one_thread_hands_to_another_is_loaded_once() {
        for round in 0..200usize {
            let (chunks, entries) = (BlobChunks::default(), entries(24, 1 << 20));
            let loads: Vec<AtomicUsize> = entries.iter().map(|_| AtomicUsize::new(0)).collect();
            let load = |entry: &Entry| {
                loads[entry.offset as usize].fetch_add(1, Ordering::Relaxed);
                if entry.offset == 7 { Err(damage(7)) } else { Ok(vec![entry.offset as u8; 16]) }
            };
            chunks.begin();
            std::thread::scope(|scope| {
                scope.spawn(|| chunks.run_ahead(&entries, load));
                for (index, entry) in entries.iter().enumerate() {
                    if round % 3 == 1 && index % 5 == 0 || round % 3 == 2 && index > 12 {
                        std::thread::yield_now();
                    }
                    let got = chunks.get(index, entry.offset, || load(entry));
                    match entry.offset {
                        7 => assert_eq!(got, Err(damage(7))),
                        offset => assert_eq!(*got.unwrap(), vec![offset as u8; 16]),
                    }
                }
                chunks.finish();
            });
            assert!(loads.iter().all(|loads| loads.load(Ordering::Relaxed) == 1), "{loads:?}");
        }
    }

    /// The thread stops where enough lies ahead, goes on when the reader does, leaves out what the reader jumps over, and ends with it.
    #[test]
    fn no_more_lies_ahead_than_may_and_a_reader_that_stops_ends_it() {
        let each = (AHEAD / 4) as u32;
        let (chunks, entries) = (BlobChunks::default(), entries(100, each));
        let loaded: Vec<AtomicUsize> = entries.iter().map(|_| AtomicUsize::new(0)).collect();
        let load = |entry: &Entry| {
            loaded[entry.offset as usize].fetch_add(1, Ordering::Relaxed);
            Ok(vec![0; each as usize])
        };
        let all = || loaded.iter().map(|loads| loads.load(Ordering::Relaxed)).sum::<usize>();
        chunks.begin();
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| chunks.run_ahead(&entries, load));
            wait_for(|| all() == 4);
            std::thread::sleep(Duration::from_millis(20));
            assert_eq!(all(), 4);
            let reader = |index: usize| chunks.get(index, index as u64, || load(&entries[index])).unwrap();
            reader(0);
            wait_for(|| all() == 5);
            reader(50);
            wait_for(|| all() == 5 + 1 + 4);
            // One behind the furthest: nothing follows from that.
            reader(20);
            assert_eq!(all(), 5 + 1 + 4 + 1);
            chunks.finish();
            ahead.join().unwrap();
        });
        let kept = chunks.lock();
        let bytes = kept.chunks.iter().filter_map(|(_, chunk)| Some(chunk.get()?.as_ref().ok()?.len()));
        assert!(bytes.sum::<usize>() <= KEPT);
    }

    /// What is let go is used again, unless somebody reads it still.
    #[test]
    fn memory_of_chunks_that_go_is_used_again() {
        let chunks = BlobChunks::default();
        let size = 3 << 20;
        let load = || {
            let mut block = chunks.blocks().take();
            block.resize(size, 1);
            Ok(block)
        };
        let held = chunks.get(0, 0, load).unwrap();
        (1..=KEPT / size + 1).for_each(|index| drop(chunks.get(index, index as u64, load).unwrap()));
        assert!(chunks.lock().chunks.iter().all(|(offset, _)| *offset > 1));
        assert!(held.iter().all(|byte| *byte == 1));
        assert!(chunks.blocks().take().capacity() >= size, "that of the second one");
        assert_eq!(chunks.blocks().take().capacity(), 0, "the first one is held");
    }
}
