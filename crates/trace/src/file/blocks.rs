//! Large blocks of memory that are used again for chunk after chunk.
//!
//! Blocks that come and go cost page faults; and whoever plays a trace makes runtime and driver allocate a little for each
//! call, all of which the C library joins whenever a block of 64 KiB or more is given back. Invariant: what is kept is
//! bounded in number and size, and empty.

use std::sync::{Mutex, PoisonError};

/// Blocks that nobody uses.
#[derive(Debug, Default)]
pub(crate) struct Blocks(Mutex<Vec<Vec<u8>>>);

impl Blocks {
    /// As many as a reader and a thread that reads ahead for it have in hand.
    const MOST: usize = 8;
    /// Chunks are far smaller; what is not is a stranger's.
    const LARGEST: usize = 4 << 20;

    /// An empty block, of whatever capacity.
    pub(crate) fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes back what is not used any more.
    pub(crate) fn give_back(&self, mut block: Vec<u8>) {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if blocks.len() < Self::MOST && (1..=Self::LARGEST).contains(&block.capacity()) {
            block.clear();
            blocks.push(block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_empty() {
        let blocks = Blocks::default();
        blocks.give_back(Vec::with_capacity(Blocks::LARGEST + 1));
        assert_eq!(blocks.take().capacity(), 0);
        for _ in 0..20 {
            blocks.give_back(vec![1; 100]);
        }
        let kept: Vec<Vec<u8>> = (0..20).map(|_| blocks.take()).filter(|block| block.capacity() > 0).collect();
        assert_eq!(kept.len(), Blocks::MOST);
        assert!(kept.iter().all(Vec::is_empty));
    }
}
