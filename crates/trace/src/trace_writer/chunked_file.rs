//! The output as a sequence of chunks, and its end: index, footer and trailer.
//!
//! Invariant: the table of chunks has every appended chunk, in order.

use std::io;

use crate::file::chunk::{ChunkHeader, ChunkKind, Encoder};
use crate::file::layout::{self, ENTRY, Entry, Footer};
use crate::trace_writer::output::Output;

/// Entries on one page of the chunk table.
const PAGE_ENTRIES: usize = 1024;
/// Bytes kept free for meta, schema and footer, beside the tables.
const END: u64 = 1 << 20;

/// The output and the table of the chunks in it.
pub(super) struct ChunkedFile<O> {
    pub(super) out: O,
    /// Where the next chunk begins: bytes from the beginning of the file.
    pub(super) place: u64,
    pub(super) encoder: Encoder,
    pub(super) entries: Vec<Entry>,
}

impl<O: Output> ChunkedFile<O> {
    /// Appends a chunk whose header needs no more than these fields.
    pub(super) fn plain(&mut self, kind: ChunkKind, first: u64, count: u32, payload: &[u8]) -> io::Result<()> {
        self.append(ChunkHeader { first, count, ..ChunkHeader::empty(kind) }, payload)
    }

    /// Appends a chunk, and makes sure before that the tables still fit behind it. `ranges` is the number of entries of the
    /// address table.
    pub(super) fn append_keeping_room(
        &mut self,
        mut header: ChunkHeader,
        payload: &[u8],
        ranges: usize,
    ) -> io::Result<()> {
        let bytes = self.encoder.encode(&mut header, payload)?;
        let tables = (self.entries.len() + 64) * ENTRY + ranges * layout::RANGE;
        self.out.reserve(bytes.len() as u64 + tables as u64 + END)?;
        self.out.append(bytes)?;
        self.note(header);
        Ok(())
    }

    /// Appends a chunk.
    pub(super) fn append(&mut self, mut header: ChunkHeader, payload: &[u8]) -> io::Result<()> {
        let bytes = self.encoder.encode(&mut header, payload)?;
        self.out.append(bytes)?;
        self.note(header);
        Ok(())
    }

    fn note(&mut self, header: ChunkHeader) {
        self.entries.push(Entry { offset: self.place, header });
        self.place += header.total();
    }

    /// Appends index, footer and trailer; notes the places of the index pages in `totals`.
    pub(super) fn finish(mut self, totals: &mut Footer) -> io::Result<O> {
        let body = self.entries.clone();
        totals.pages.clear();
        for page in body.chunks(PAGE_ENTRIES) {
            let mut payload = Vec::with_capacity(page.len() * ENTRY);
            page.iter().for_each(|entry| entry.put(&mut payload));
            totals.pages.push(self.place);
            self.plain(ChunkKind::Index, 0, page.len() as u32, &payload)?;
        }
        let place = self.place;
        self.plain(ChunkKind::Footer, 0, 0, &totals.to_bytes())?;
        let len = self.place + layout::TRAILER as u64;
        self.out.append(&layout::trailer(place, len))?;
        Ok(self.out)
    }
}
