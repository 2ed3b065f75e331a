//! Pieces of a record of pages.
//!
//! Invariant: a piece keeps the chunk alive that has its bytes.

use std::ops::Range;
use std::sync::Arc;

/// Bytes of a record of pages that lie side by side: where in the memory, and where they are.
#[derive(Clone, Debug)]
pub struct Piece {
    pub(crate) offset: u64,
    /// The chunk of blobs that has them; `None`: the payload itself.
    pub(crate) chunk: Option<Arc<Vec<u8>>>,
    pub(crate) range: Range<usize>,
}

impl Piece {
    /// Offset in the memory, and bytes; `payload` is that of the piece's record.
    pub(crate) fn bytes<'a>(&'a self, payload: &'a [u8]) -> (u64, &'a [u8]) {
        let all = self.chunk.as_ref().map_or(payload, |chunk| chunk.as_slice());
        (self.offset, all.get(self.range.clone()).unwrap_or(&[]))
    }
}
