//! Large blocks of memory that one chunk after another uses.
//!
//! Allocating and freeing a block for each chunk costs page faults. In a replay it costs more: runtime and driver allocate a
//! little for each call, and glibc's `free` joins all the small free pieces whenever it takes back a block of 64 KiB or more.
//! Invariant: the kept blocks are bounded in number and size.

use std::sync::{Mutex, PoisonError};

/// Unused blocks.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Mutex<Vec<Vec<u8>>>);

impl Blocks {
    /// As many as a reader and a thread that reads ahead for it use at a time.
    const MOST: usize = 8;
    /// Bytes of the largest block that is kept. Chunks of our writer are far smaller.
    const LARGEST: usize = 4 << 20;

    /// An empty block, of whatever capacity.
    pub(crate) fn take(&self) -> Vec<u8> {
        let mut block = self.any();
        block.clear();
        block
    }

    /// A block of so many bytes of any value, with room for 64 more. Where the last user left as many, nothing is filled.
    pub(crate) fn take_of(&self, length: usize) -> Vec<u8> {
        let mut block = self.any();
        block.reserve((length + 64).saturating_sub(block.len()));
        block.resize(length, 0);
        block
    }

    fn any(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes a block back.
    pub(crate) fn give_back(&self, block: Vec<u8>) {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if blocks.len() < Self::MOST && (1..=Self::LARGEST).contains(&block.capacity()) {
            blocks.push(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_blocks_have_the_length_asked_for() {
        let blocks = Blocks::default();
        blocks.give_back(Vec::with_capacity(Blocks::LARGEST + 1));
        assert_eq!(blocks.take().capacity(), 0);
        for _ in 0..20 {
            blocks.give_back(vec![1; 100]);
        }
        let kept: Vec<Vec<u8>> = (0..20).map(|_| blocks.take()).filter(|block| block.capacity() > 0).collect();
        assert_eq!(kept.len(), Blocks::MOST);
        assert!(kept.iter().all(Vec::is_empty));
        for length in [0, 5, 700] {
            blocks.give_back(vec![1; 100]);
            let block = blocks.take_of(length);
            assert_eq!(block.len(), length);
            assert!(block.capacity() >= length + 64);
        }
    }
}
