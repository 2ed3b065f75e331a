//! The output as a sequence of chunks, and its end: index, footer and trailer.
//!
//! Threads compress the chunks that are handed over and append them, in the order of the handing over. Invariant: whoever collects finds
//! every appended chunk, in order, and the table of chunks has all that were collected.

use std::io;

use crate::file::chunk::{ChunkHeader, ChunkKind, Compression, KEPT};
use crate::file::layout::{self, ENTRY, Entry, Footer};
use crate::file::payload::Payload;
use crate::trace_writer::chunk_job::{ChunkJob, Encoded, Gain, Pack, is_usual};
use crate::trace_writer::output::Output;
use crate::trace_writer::pipeline::{Pipeline, Sink};

/// Entries on one page of the chunk table.
const PAGE_ENTRIES: usize = 1024;
/// Most pieces of memory that are kept for payloads.
const SPARE: usize = 4;
/// Bytes kept free for meta, schema and footer, beside the tables.
const END: u64 = 1 << 20;

/// The output and the table of the chunks in it.
pub(super) struct ChunkedFile<O: Output> {
    /// Where the next chunk begins: bytes from the beginning of the file.
    pub(super) place: u64,
    pub(super) compression: Compression,
    /// The chunks that are handed over now are in a hurry.
    pub(super) hurries: bool,
    pub(super) entries: Vec<Entry>,
    /// Chunks under way, and the output.
    pub(super) pipeline: Pipeline<ChunkJob, Appender<O>>,
    /// Memory for payloads of events and blobs; never more pieces than chunks were under way.
    spare: Vec<Vec<u8>>,
}

/// A chunk that was appended.
pub(super) struct Appended {
    /// Where it begins.
    pub(super) place: u64,
    header: ChunkHeader,
    /// Entries of the address table for which there is room behind it.
    pub(super) ranges: Option<usize>,
    pub(super) gain: Gain,
    /// Memory for payloads of other chunks.
    spare: [Option<Vec<u8>>; 2],
}

/// The output as threads see it, which append chunks as soon as they are compressed.
pub(super) struct Appender<O> {
    /// `None` once it was taken.
    out: Option<O>,
    /// Where the next chunk begins.
    place: u64,
    /// Chunks appended.
    entries: usize,
}

fn gone() -> io::Error {
    io::Error::other("the trace was finished before")
}

impl<O: Output> Appender<O> {
    fn out(&mut self) -> io::Result<&mut O> {
        self.out.as_mut().ok_or_else(gone)
    }
}

impl<O: Output> Sink<Encoded> for Appender<O> {
    type Put = Appended;

    fn put(&mut self, encoded: Encoded) -> io::Result<Appended> {
        let Encoded { header, body, hurried, spare, ranges, gain } = encoded;
        let (place, entries) = (self.place, self.entries);
        let out = self.out()?;
        if let Some(ranges) = ranges {
            let tables = (entries + 64) * ENTRY + ranges * layout::RANGE;
            out.reserve(header.total() + tables as u64 + END)?;
        }
        out.append_both(&header.to_bytes(), &body)?;
        if hurried {
            out.note_hurried(place);
        }
        (self.place, self.entries) = (place + header.total(), entries + 1);
        let body = (is_usual(header.kind) && body.capacity() <= KEPT).then(|| body.into_memory());
        Ok(Appended { place, header, ranges, gain, spare: [spare, body] })
    }
}

impl<O: Output> ChunkedFile<O> {
    /// Goes on with a file that ends at `place`.
    ///
    /// # Errors
    /// The compressor cannot be made, for want of memory.
    pub(super) fn new(out: O, place: u64, entries: Vec<Entry>) -> io::Result<ChunkedFile<O>> {
        let pipeline = Pipeline::new(Appender { out: Some(out), place, entries: entries.len() })?;
        let compression = Compression::default();
        Ok(ChunkedFile { place, compression, hurries: false, entries, pipeline, spare: Vec::new() })
    }

    /// Empty memory for a payload.
    pub(super) fn payload(&mut self) -> Vec<u8> {
        let mut payload = self.spare.pop().unwrap_or_default();
        payload.clear();
        payload
    }

    /// Hands over a chunk. When it is appended, the tables still fit behind it, with so many `ranges` in the address table.
    pub(super) fn hand_over(&mut self, header: ChunkHeader, payload: impl Into<Payload>, ranges: usize, gain: Gain) {
        // Who asks for a compression of their own gets it.
        let hurries = self.hurries && self.compression == Compression::Usual;
        let pack = if hurries { Pack::Fast(self.compression) } else { Pack::By(self.compression) };
        self.pipeline.submit(ChunkJob { header, payload: payload.into(), pack, ranges: Some(ranges), gain });
    }

    /// Hands over a chunk of another file, for which room was kept: compressed anew, or as it is there.
    pub(super) fn copy(&mut self, header: ChunkHeader, payload: Vec<u8>, pack: Pack) {
        let payload = payload.into();
        self.pipeline.submit(ChunkJob { header, payload, pack, ranges: None, gain: Gain::Nothing });
    }

    /// Appends the first chunk under way if it is compressed; if so much is under way that there is no room for more, or if `wait`
    /// says so, as soon as it is.
    pub(super) fn append_first(&mut self, wait: bool) -> io::Result<Option<Appended>> {
        let put = if wait || self.pipeline.is_full() { self.pipeline.wait() } else { self.pipeline.take() };
        let Some(mut appended) = put.transpose()? else { return Ok(None) };
        let Appended { place: offset, header, spare, .. } = &mut appended;
        self.spare.extend(spare.iter_mut().filter_map(Option::take));
        self.spare.truncate(SPARE);
        self.entries.push(Entry { offset: *offset, header: *header });
        self.place = *offset + header.total();
        Ok(Some(appended))
    }

    /// Goes on with the threads of another file, of which nothing is under way.
    pub(super) fn take_threads(&mut self, from: &mut ChunkedFile<O>) {
        std::mem::swap(&mut self.pipeline, &mut from.pipeline);
        self.pipeline.with_sink(|own| from.pipeline.with_sink(|other| std::mem::swap(own, other)));
    }

    /// The output as it is; what is under way is forgotten.
    pub(super) fn into_output(mut self) -> io::Result<O> {
        self.pipeline.clear();
        self.pipeline.with_sink(|sink| sink.out.take().ok_or_else(gone))
    }

    /// Appends a chunk for which room was kept, while none is under way.
    pub(super) fn append(&mut self, header: ChunkHeader, payload: Vec<u8>) -> io::Result<()> {
        debug_assert!(self.pipeline.is_empty());
        self.copy(header, payload, Pack::By(self.compression));
        while self.append_first(true)?.is_some() {}
        Ok(())
    }

    /// The same for a chunk whose header needs no more than these fields.
    pub(super) fn plain(&mut self, kind: ChunkKind, first: u64, count: u32, payload: Vec<u8>) -> io::Result<()> {
        self.append(ChunkHeader { first, count, ..ChunkHeader::empty(kind) }, payload)
    }

    /// Appends index, footer and trailer; notes the places of the index pages in `totals`.
    pub(super) fn finish(mut self, totals: &mut Footer) -> io::Result<O> {
        let body = self.entries.clone();
        totals.pages.clear();
        for page in body.chunks(PAGE_ENTRIES) {
            let mut payload = Vec::with_capacity(page.len() * ENTRY);
            page.iter().for_each(|entry| entry.put(&mut payload));
            totals.pages.push(self.place);
            self.plain(ChunkKind::Index, 0, page.len() as u32, payload)?;
        }
        let place = self.place;
        self.plain(ChunkKind::Footer, 0, 0, totals.to_bytes())?;
        let len = self.place + layout::TRAILER as u64;
        let mut out = self.into_output()?;
        out.append(&layout::trailer(place, len))?;
        Ok(out)
    }
}
