//! A chunk on its way into the file: what it holds, and what is true once the file has it.

use std::io;

use crate::file::chunk::{ChunkHeader, ChunkKind, Compression, Encoder, KEPT};
use crate::file::layout::Footer;
use crate::trace_writer::pipeline::Job;

/// What the file has with a chunk.
pub(super) enum Gain {
    /// Nothing that is counted.
    Nothing,
    /// The blobs up to this id.
    Blobs(u64),
    /// Events: the totals with them.
    Events(Box<Footer>),
    /// A description of so many methods.
    Schema(u32),
}

/// A chunk that is to be compressed.
pub(super) struct ChunkJob {
    pub(super) header: ChunkHeader,
    pub(super) payload: Vec<u8>,
    pub(super) compression: Compression,
    /// Entries of the address table that must fit behind the chunk; `None` where room was kept already.
    pub(super) ranges: Option<usize>,
    pub(super) gain: Gain,
}

/// A chunk that is to be appended.
pub(super) struct Encoded {
    pub(super) header: ChunkHeader,
    pub(super) bytes: Vec<u8>,
    /// Memory for the payload of another chunk of events.
    pub(super) spare: Option<Vec<u8>>,
    pub(super) ranges: Option<usize>,
    pub(super) gain: Gain,
}

impl Job for ChunkJob {
    type Tool = Encoder;
    type Done = Encoded;

    fn tool() -> io::Result<Encoder> {
        Encoder::new()
    }

    fn bytes(&self) -> usize {
        self.payload.len()
    }

    fn run(self, encoder: &mut Encoder) -> io::Result<Encoded> {
        let ChunkJob { mut header, payload, compression, ranges, gain } = self;
        encoder.compression = compression;
        let bytes = encoder.encode_owned(&mut header, &payload)?;
        let spare = (header.kind == ChunkKind::Events && payload.capacity() <= KEPT).then_some(payload);
        Ok(Encoded { header, bytes, spare, ranges, gain })
    }
}
