//! A chunk on its way into the file: what it holds, and what is true once the file has it.

use std::io;

use crate::file::chunk::{ChunkHeader, ChunkKind, Compression, Encoder, KEPT};
use crate::file::layout::Footer;
use crate::file::payload::Payload;
use crate::trace_writer::pipeline::Job;

/// What a chunk adds to the totals of the file.
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

/// What is to be done with a payload.
#[derive(Clone, Copy)]
pub(super) enum Pack {
    /// Compress it so far.
    By(Compression),
    /// The same, but fast: see [`Encoder::hurries`].
    Fast(Compression),
    /// It goes in as it is, and its header with it.
    Stays,
}

/// A chunk that is to be compressed.
pub(super) struct ChunkJob {
    pub(super) header: ChunkHeader,
    pub(super) payload: Payload,
    pub(super) pack: Pack,
    /// Entries of the address table that must fit behind the chunk; `None` where room was kept already.
    pub(super) ranges: Option<usize>,
    pub(super) gain: Gain,
}

/// A chunk that is to be appended.
pub(super) struct Encoded {
    pub(super) header: ChunkHeader,
    /// What is behind the header.
    pub(super) body: Payload,
    /// It would be smaller if there had been time.
    pub(super) hurried: bool,
    /// Memory for the payload of another chunk.
    pub(super) spare: Option<Vec<u8>>,
    pub(super) ranges: Option<usize>,
    pub(super) gain: Gain,
}

/// Whether there are many chunks of this kind.
pub(super) fn is_usual(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Events | ChunkKind::Blobs)
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
        let ChunkJob { mut header, payload, pack, ranges, gain } = self;
        let (compression, hurries) = match pack {
            Pack::By(compression) => (compression, false),
            Pack::Fast(compression) => (compression, true),
            Pack::Stays => {
                return Ok(Encoded { header, body: payload, hurried: false, spare: None, ranges, gain });
            }
        };
        (encoder.compression, encoder.hurries) = (compression, hurries);
        let (body, spare) = encoder.encode_owned(&mut header, payload)?;
        let spare = spare.filter(|spare| is_usual(header.kind) && spare.capacity() <= KEPT);
        Ok(Encoded { header, body, hurried: encoder.hurried, spare, ranges, gain })
    }
}
