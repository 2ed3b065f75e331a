//! Records of pages: memory whose whole pages are blobs.
//!
//! Invariant: the pieces of a record are all of its bytes, in order and without gaps; a record whose pages are not all there has none.

use std::ops::Range;

use crate::file::cursor::Cursor;
use crate::file::layout::PAGE;
use crate::read::error::ReadError;
use crate::read::piece::Piece;
use crate::read::trace::Trace;
use crate::record::padded;

/// Pages that are looked for at a time: as many as our writer puts into a chunk, and some more.
const MOST: usize = 1024;

/// The fields of a record of pages.
pub(crate) struct Pages<'a> {
    /// Where the memory begins in its subresource.
    offset: u64,
    /// Blobs, one for each whole page.
    ids: &'a [[u8; 8]],
    /// Where in the payload the bytes before the first whole page are, and those after the last one.
    lead: Range<usize>,
    tail: Range<usize>,
}

/// Why a record of pages cannot be read.
pub(crate) enum Unread {
    /// A page cannot be read.
    Blob(ReadError),
    /// The record itself is damaged.
    Record(&'static str),
}

impl<'a> Pages<'a> {
    /// Offset and length of the memory, with which the payload of a record of memory begins, too.
    const HEAD: usize = 16;

    /// The fields of a payload.
    pub(crate) fn parse(payload: &'a [u8]) -> Result<Pages<'a>, Unread> {
        let page = PAGE as u64;
        let damaged = || Unread::Record("a record of pages of memory does not fit its length");
        let mut c = Cursor(payload);
        let (offset, len) = c.u64().zip(c.u64()).ok_or_else(damaged)?;
        offset.checked_add(len).ok_or_else(damaged)?;
        let lead = offset.checked_next_multiple_of(page).ok_or_else(damaged)? - offset;
        let count = len.checked_sub(lead).ok_or_else(damaged)? / page;
        let ids = usize::try_from(count).ok().and_then(|n| c.bytes(n.checked_mul(8)?)).ok_or_else(damaged)?;
        let tail = len - lead - count * page;
        c.bytes(lead as usize).zip(c.bytes(tail as usize)).ok_or_else(damaged)?;
        // No overflow: the payload is as long.
        let lead = Self::HEAD + ids.len()..Self::HEAD + ids.len() + lead as usize;
        Ok(Pages { offset, ids: ids.as_chunks::<8>().0, tail: lead.end..lead.end + tail as usize, lead })
    }

    /// Appends the record's pieces. Pages that lie side by side in a chunk are one.
    ///
    /// # Errors
    /// A page cannot be read, or has another size.
    pub(crate) fn find(&self, trace: &Trace, pieces: &mut Vec<Piece>) -> Result<(), Unread> {
        let own = |offset: u64, range: &Range<usize>| {
            let piece = Piece { offset, chunk: None, range: range.clone() };
            Some(piece).filter(|piece| !piece.range.is_empty())
        };
        pieces.extend(own(self.offset, &self.lead));
        let mut offset = self.offset + self.lead.len() as u64;
        let mut left = self.ids;
        // Bounded: the ids are there, each stands for one page.
        while let Some(id) = left.first().map(|id| u64::from_le_bytes(*id)) {
            let following = left.iter().take(MOST).zip((0..).map(|further| id.wrapping_add(further)));
            let following = following.take_while(|(found, next)| u64::from_le_bytes(**found) == *next).count();
            let (chunk, range) = trace.blobs_side_by_side(id, following, PAGE).map_err(Unread::Blob)?;
            let (count, bytes) = (range.len() / PAGE, range.len() as u64);
            if count == 0 {
                return Err(Unread::Record("a page of a record of memory has another size"));
            }
            pieces.push(Piece { offset, chunk: Some(chunk), range });
            offset += bytes;
            left = left.get(count..).unwrap_or(&[]);
        }
        pieces.extend(own(offset, &self.tail));
        Ok(())
    }

    /// Appends the payload of a record of memory, from that of the record of pages and its pieces.
    pub(crate) fn join(payload: &[u8], pieces: &[Piece], out: &mut Vec<u8>) {
        let len: usize = pieces.iter().map(|piece| piece.range.len()).sum();
        out.reserve(padded(Self::HEAD + len));
        out.extend_from_slice(payload.get(..Self::HEAD).unwrap_or(&[]));
        pieces.iter().for_each(|piece| out.extend_from_slice(piece.bytes(payload).1));
        out.resize(padded(Self::HEAD + len), 0);
    }
}
