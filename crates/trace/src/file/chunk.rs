//! Chunks, the pieces of a trace file: a checked 64-byte header, then a payload, compressed or not.
//!
//! Owns the chunk's layout, compression and checks. Invariants: a reader understands a chunk without the others, so damage
//! costs one chunk; a decoder allocates no more than the stored bytes can expand to.

use std::cell::RefCell;
use std::io::{self, Read};

use xxhash_rust::xxh3::xxh3_64;

use crate::file::blocks::Blocks;
use crate::file::payload::Payload;
use crate::file::{pack, rows};

/// First four bytes of every chunk.
pub const MAGIC: [u8; 4] = *b"RPCK";
/// Size of a chunk's header, in bytes.
pub const HEADER: usize = 64;
/// The longest payload after decompression, in bytes.
pub const MAX_RAW: u64 = 1 << 30;
/// The same for meta and schema.
const MAX_TEXT: u64 = 64 << 20;
/// No zstd stream expands by more: a block of 128 KiB takes 4 bytes at least.
const MAX_RATIO: u64 = 32 << 10;
/// No LZ4 block expands by more: each byte of a match's length stands for 255 bytes (LZ4 block format, "Match length").
const MAX_RATIO_LZ4: u64 = 255;
/// Payloads of up to so many bytes are decompressed at once, into memory for all of it: so much a header may ask for before
/// anything else is known to be sound.
const AT_ONCE: u32 = 4 << 20;
/// zstd's fastest ordinary level: for call streams it costs least CPU per byte saved.
const LEVEL: i32 = 1;
/// zstd's level for packed records. Packing left little to find; level 1 finds a little more and costs more time than that
/// saves.
const EVENTS_LEVEL: i32 = -3;
/// For the schema: it is written once, and is most of a small trace.
const SCHEMA_LEVEL: i32 = 19;

/// Whether checksums are compared. The fuzzer switches that off, because it would never get past them.
const COMPARE: bool = !cfg!(feature = "fuzzing");

/// What a header's number of a packing has more where differences of rows are packed: 3 is zstd's, 4 is LZ4's. Readers from before there were
/// any refuse these numbers.
const DIFFERENCES: u8 = 2;

/// How a chunk's payload is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Packing {
    /// As it is.
    #[default]
    None = 0,
    /// One zstd stream.
    Zstd = 1,
    /// One LZ4 block, without a frame around it: the header has both lengths and a checksum.
    Lz4 = 2,
}

impl Packing {
    fn from_u8(value: u8) -> Option<Packing> {
        [Packing::None, Packing::Zstd, Packing::Lz4].into_iter().find(|packing| *packing as u8 == value)
    }

    /// How many bytes a stored byte can stand for.
    const fn ratio(self) -> u64 {
        match self {
            Packing::None => 1,
            Packing::Zstd => MAX_RATIO,
            Packing::Lz4 => MAX_RATIO_LZ4,
        }
    }
}

/// What a chunk holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ChunkKind {
    /// Records, then the state of the threads at the chunk's beginning.
    Events = 1,
    /// Blobs, with their hashes.
    Blobs = 2,
    /// Names and layouts of the API that the trace uses, as the codec writes them.
    Schema = 3,
    /// JSON: program, environment, adapter, driver, policies. The last one counts.
    Meta = 4,
    /// GPU virtual address ranges.
    Ranges = 5,
    /// A page of the chunk table.
    Index = 6,
    /// Totals and the places of everything above.
    Footer = 7,
}

impl ChunkKind {
    /// What it is called in messages: `events`, `footer`.
    pub fn name(self) -> &'static str {
        match self {
            ChunkKind::Events => "events",
            ChunkKind::Blobs => "blobs",
            ChunkKind::Schema => "schema",
            ChunkKind::Meta => "meta",
            ChunkKind::Ranges => "ranges",
            ChunkKind::Index => "index",
            ChunkKind::Footer => "footer",
        }
    }

    fn from_u8(value: u8) -> Option<ChunkKind> {
        use ChunkKind::*;
        [Events, Blobs, Schema, Meta, Ranges, Index, Footer].into_iter().find(|k| *k as u8 == value)
    }
}

/// A chunk's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChunkHeader {
    /// What the payload is.
    pub kind: ChunkKind,
    /// How the payload is stored.
    pub packing: Packing,
    /// What is packed are the differences between rows of so many units of 4 bytes; 0: the payload itself.
    pub width: u8,
    /// Bytes of payload in the file.
    pub stored: u32,
    /// Bytes of payload when decompressed.
    pub raw: u32,
    /// XXH3-64 of the payload as stored.
    pub checksum: u64,
    /// Events: calls before this chunk. Blobs: id of the first blob.
    pub first: u64,
    /// Events: the next sequence number at the beginning.
    pub sequence: u64,
    /// Events: the frame that the chunk begins in.
    pub frame: u32,
    /// Events: calls that begin in it. Blobs: how many. Index: entries.
    pub count: u32,
    /// Events: bytes of records, unpacked.
    pub records: u32,
    /// Events: whether a reader that only wants the meaning of object ids, addresses and descriptor handles may skip the
    /// chunk.
    pub names: Names,
}

/// Whether a chunk of events gives a meaning to object ids, addresses or descriptor handles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum Names {
    /// Unknown.
    #[default]
    Unknown = 0,
    /// No record does.
    None = 1,
    /// A record may.
    Some = 2,
}

/// Why bytes are not a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChunkError {
    /// The header's own checksum, its magic word or a field is wrong.
    #[error("no chunk header")]
    Header,
    /// The payload is cut off.
    #[error("the payload of {stored} bytes is cut off")]
    Short {
        /// Bytes that the header promises.
        stored: u32,
    },
    /// The payload's checksum is wrong.
    #[error("the payload's checksum is {found:#018x}, the header says {stated:#018x}")]
    Checksum {
        /// Computed.
        found: u64,
        /// Stated.
        stated: u64,
    },
    /// The payload does not decompress to what the header says.
    #[error("the payload does not decompress to the {raw} bytes stated")]
    Compression {
        /// Bytes stated.
        raw: u32,
    },
}

impl ChunkHeader {
    /// The header of an empty chunk.
    pub(crate) const fn empty(kind: ChunkKind) -> ChunkHeader {
        ChunkHeader {
            kind,
            packing: Packing::None,
            width: 0,
            stored: 0,
            raw: 0,
            checksum: 0,
            first: 0,
            sequence: 0,
            frame: 0,
            count: 0,
            records: 0,
            names: Names::Unknown,
        }
    }

    /// The header as it is stored.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let mut b = [0; HEADER];
        b[0..4].copy_from_slice(&MAGIC);
        b[4] = self.kind as u8;
        b[5] = self.packing as u8 + if self.width > 0 { DIFFERENCES } else { 0 };
        b[8..12].copy_from_slice(&self.stored.to_le_bytes());
        b[12..16].copy_from_slice(&self.raw.to_le_bytes());
        b[16..24].copy_from_slice(&self.checksum.to_le_bytes());
        b[24..32].copy_from_slice(&self.first.to_le_bytes());
        b[32..40].copy_from_slice(&self.sequence.to_le_bytes());
        b[40..44].copy_from_slice(&self.frame.to_le_bytes());
        b[44..48].copy_from_slice(&self.count.to_le_bytes());
        b[48..52].copy_from_slice(&self.records.to_le_bytes());
        b[52] = self.names as u8;
        b[53] = self.width;
        let check = xxh3_64(&b[..56]);
        b[56..64].copy_from_slice(&check.to_le_bytes());
        b
    }

    /// Reads and checks a header.
    ///
    /// # Errors
    /// The magic word, a field or the checksum is wrong.
    pub fn from_bytes(b: &[u8; HEADER]) -> Result<ChunkHeader, ChunkError> {
        let u32_at = |i: usize| u32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let u64_at = |i: usize| u64::from(u32_at(i)) | u64::from(u32_at(i + 4)) << 32;
        if b[..4] != MAGIC || (COMPARE && u64_at(56) != xxh3_64(&b[..56])) {
            return Err(ChunkError::Header);
        }
        let (packing, width) = match (b[5], b[53]) {
            (3 | 4, 0) => return Err(ChunkError::Header),
            (packing @ (3 | 4), width) => (packing - DIFFERENCES, width),
            (packing, _) => (packing, 0),
        };
        let header = ChunkHeader {
            kind: ChunkKind::from_u8(b[4]).ok_or(ChunkError::Header)?,
            packing: Packing::from_u8(packing).ok_or(ChunkError::Header)?,
            width,
            stored: u32_at(8),
            raw: u32_at(12),
            checksum: u64_at(16),
            first: u64_at(24),
            sequence: u64_at(32),
            frame: u32_at(40),
            count: u32_at(44),
            records: u32_at(48),
            names: match b[52] {
                1 => Names::None,
                2 => Names::Some,
                _ => Names::Unknown,
            },
        };
        let (stored, raw) = (u64::from(header.stored), u64::from(header.raw));
        let fits = match header.packing {
            Packing::None => raw == stored,
            packing => raw <= stored.saturating_mul(packing.ratio()).min(MAX_RAW),
        };
        let table = matches!(header.kind, ChunkKind::Index | ChunkKind::Footer | ChunkKind::Ranges);
        let text = matches!(header.kind, ChunkKind::Schema | ChunkKind::Meta);
        let fits = fits && !(table && header.packing != Packing::None) && !(text && raw > MAX_TEXT);
        // The numbers that are counted on from here must not overflow later.
        let records = u64::from(header.records) <= (raw * pack::EXPANSION).min(MAX_RAW);
        let sane = header.first < 1 << 62 && header.sequence < 1 << 62 && records;
        if fits && sane { Ok(header) } else { Err(ChunkError::Header) }
    }

    /// Bytes of the whole chunk in the file.
    pub fn total(&self) -> u64 {
        HEADER as u64 + u64::from(self.stored)
    }

    /// Checks and decompresses a payload.
    ///
    /// # Errors
    /// The payload has another length or checksum than the header says, or does not decompress to the length in it.
    pub fn decode(&self, stored: Vec<u8>) -> Result<Vec<u8>, ChunkError> {
        self.decode_in(stored, &Blocks::default())
    }

    /// The same, in blocks that were used before.
    pub(crate) fn decode_in(&self, stored: Vec<u8>, blocks: &Blocks) -> Result<Vec<u8>, ChunkError> {
        if stored.len() != self.stored as usize {
            return Err(ChunkError::Short { stored: self.stored });
        }
        let found = xxh3_64(&stored);
        if COMPARE && found != self.checksum {
            return Err(ChunkError::Checksum { found, stated: self.checksum });
        }
        let wrong = ChunkError::Compression { raw: self.raw };
        let length = self.raw as usize;
        let mut raw = match self.packing {
            Packing::None => return Ok(stored),
            Packing::Zstd if self.raw <= AT_ONCE => {
                let mut raw = blocks.take();
                // The unpacker of records puts a few bytes behind it.
                raw.reserve(length + 64);
                at_once(&stored, &mut raw).map_err(|_| wrong)?;
                raw
            }
            Packing::Zstd => {
                let mut raw = blocks.take();
                // Grows with the bytes that come out, not with the length in the header.
                let decoder = zstd::stream::Decoder::with_buffer(&stored[..]).map_err(|_| wrong)?;
                decoder.take(u64::from(self.raw) + 1).read_to_end(&mut raw).map_err(|_| wrong)?;
                raw
            }
            Packing::Lz4 => {
                // The header was refused if this were more than 255 times the bytes that are there.
                let mut raw = blocks.take_of(length);
                let unpacked = lz4_flex::block::decompress_into(&stored, &mut raw).map_err(|_| wrong)?;
                raw.truncate(unpacked);
                raw
            }
        };
        blocks.give_back(stored);
        rows::together(&mut raw, self.width);
        if raw.len() == self.raw as usize { Ok(raw) } else { Err(wrong) }
    }
}

/// Decompresses into the room that there is.
fn at_once(stored: &[u8], raw: &mut Vec<u8>) -> io::Result<usize> {
    thread_local! {
        static ZSTD: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
    }
    ZSTD.with_borrow_mut(|zstd| match zstd {
        Some(zstd) => zstd.decompress_to_buffer(stored, raw),
        None => zstd.insert(zstd::bulk::Decompressor::new()?).decompress_to_buffer(stored, raw),
    })
}

/// How much work goes into making a trace smaller. Readers take them all: each chunk says whether it is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// zstd at the levels that cost least for what they save: 1, and -3 for records.
    #[default]
    Usual,
    /// LZ4: bytes come out several times as fast as from zstd, and take up to three times the room. The schema stays zstd.
    Lz4,
    /// No compression.
    None,
    /// zstd at this level ([`Compression::LEVELS`]) for everything.
    Level(i32),
}

impl Compression {
    /// zstd's ordinary levels; those beyond need much more memory.
    pub const LEVELS: std::ops::RangeInclusive<i32> = 1..=19;

    /// How a payload of this kind is stored, and zstd's level.
    fn packing(self, kind: ChunkKind) -> (Packing, i32) {
        // Readers take the tables before anything is known to be sound. Without compression, a table makes a reader allocate
        // no more than the file has.
        if matches!(kind, ChunkKind::Index | ChunkKind::Footer | ChunkKind::Ranges) {
            return (Packing::None, 0);
        }
        match self {
            Compression::None => (Packing::None, 0),
            Compression::Level(level) => (Packing::Zstd, level),
            _ if kind == ChunkKind::Schema => (Packing::Zstd, SCHEMA_LEVEL),
            Compression::Lz4 => (Packing::Lz4, 0),
            Compression::Usual if kind == ChunkKind::Events => (Packing::Zstd, EVENTS_LEVEL),
            Compression::Usual => (Packing::Zstd, LEVEL),
        }
    }
}

/// As [`str::parse`] takes it: `zstd`, `lz4`, `none`, `zstd:9`.
impl std::fmt::Display for Compression {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Compression::Usual => f.write_str("zstd"),
            Compression::Lz4 => f.write_str("lz4"),
            Compression::None => f.write_str("none"),
            Compression::Level(level) => write!(f, "zstd:{level}"),
        }
    }
}

impl std::str::FromStr for Compression {
    type Err = String;

    fn from_str(text: &str) -> Result<Compression, String> {
        let small = text.to_ascii_lowercase();
        let level = match small.as_str() {
            "none" => return Ok(Compression::None),
            "lz4" => return Ok(Compression::Lz4),
            "zstd" => return Ok(Compression::Usual),
            other => other.strip_prefix("zstd:").unwrap_or(other).parse().ok(),
        };
        level.filter(|level| Compression::LEVELS.contains(level)).map(Compression::Level).ok_or_else(|| {
            let (first, last) = (Compression::LEVELS.start(), Compression::LEVELS.end());
            format!("{text:?} is none of: none, lz4, zstd, zstd:LEVEL or a level from {first} to {last}")
        })
    }
}

/// Makes chunks. Keeps the compressor's memory from chunk to chunk.
pub struct Encoder {
    /// How far payloads are compressed.
    pub compression: Compression,
    /// Blobs that zstd would make smaller are packed by LZ4, or stored where that is faster: the writer is behind.
    pub(crate) hurries: bool,
    /// The last chunk was packed so, and would be smaller without.
    pub(crate) hurried: bool,
    zstd: zstd::bulk::Compressor<'static>,
    buffer: Vec<u8>,
    /// Differences of the payload's rows.
    differences: Vec<u8>,
}

/// An encoder that gives its chunks away keeps so many bytes of memory for the next one.
pub(crate) const KEPT: usize = 8 << 20;

/// Bytes of payload that are tried before a payload of unknown nature is compressed whole.
const PROBE: usize = 16 << 10;

impl Encoder {
    /// A new encoder.
    ///
    /// # Errors
    /// There is no memory for the compressor.
    pub fn new() -> std::io::Result<Encoder> {
        let zstd = zstd::bulk::Compressor::new(LEVEL)?;
        Ok(Encoder {
            compression: Compression::Usual,
            hurries: false,
            hurried: false,
            zstd,
            buffer: Vec::new(),
            differences: Vec::new(),
        })
    }

    /// Completes `header` (sizes, checksum) and gives the chunk's bytes. Payloads that do not shrink are stored raw.
    ///
    /// # Errors
    /// The payload is longer than [`MAX_RAW`], or the compressor fails.
    pub fn encode(&mut self, header: &mut ChunkHeader, payload: &[u8]) -> std::io::Result<&[u8]> {
        let stored = self.pack(header, payload)?;
        let end = HEADER + stored;
        if header.packing == Packing::None {
            self.buffer.resize(self.buffer.len().max(end), 0);
            self.buffer[HEADER..end].copy_from_slice(payload);
        }
        let bytes = header.to_bytes();
        self.buffer[..HEADER].copy_from_slice(&bytes);
        Ok(&self.buffer[..end])
    }

    /// Completes `header`, and puts what is stored behind the room for a header into the buffer, unless that is the payload as it is. Gives
    /// its length.
    fn pack(&mut self, header: &mut ChunkHeader, payload: &[u8]) -> io::Result<usize> {
        let too_long = || io::Error::other("a chunk's payload is longer than the format allows");
        header.raw = u32::try_from(payload.len()).map_err(|_| too_long())?;
        if u64::from(header.raw) > MAX_RAW {
            return Err(too_long());
        }
        let (packing, level) = self.compression.packing(header.kind);
        // Records always shrink. LZ4 passes over what does not shrink faster than a probe would.
        let known = payload.len() < 4 * PROBE || header.kind == ChunkKind::Events || packing == Packing::Lz4;
        let worth = packing != Packing::None && payload.len() >= 64 && (known || self.shrinks(payload)?);
        let blobs = worth && header.kind == ChunkKind::Blobs;
        self.hurried = blobs && self.hurries && packing == Packing::Zstd && !known;
        let packing = match (self.hurried, self.hurried && self.is_quick(payload)?) {
            (true, true) => Packing::Lz4,
            (true, false) => Packing::None,
            (false, _) => packing,
        };
        header.width = if blobs && !self.hurried { self.width(payload)?.unwrap_or(0) } else { 0 };
        self.differences.clear();
        if header.width > 0 {
            rows::apart(payload, header.width, &mut self.differences);
        }
        header.packing = Packing::None;
        if worth && packing != Packing::None {
            // Grown once, never cleared: filling it with zeros for every chunk would show.
            let bound = match packing {
                Packing::Lz4 => lz4_flex::block::get_maximum_output_size(payload.len()),
                _ => zstd::zstd_safe::compress_bound(payload.len()),
            };
            self.buffer.resize(self.buffer.len().max(HEADER + bound), 0);
            let room = &mut self.buffer[HEADER..];
            let packed = if header.width > 0 { &self.differences[..] } else { payload };
            let stored = if packing == Packing::Lz4 {
                lz4_flex::block::compress_into(packed, room).map_err(io::Error::other)?
            } else {
                self.zstd.set_compression_level(level)?;
                self.zstd.compress_to_buffer(packed, room)?
            };
            if stored < payload.len() && payload.len() as u64 <= stored as u64 * packing.ratio() {
                (header.packing, header.stored) = (packing, stored as u32);
            }
        }
        if header.packing == Packing::None {
            (header.stored, header.width) = (header.raw, 0);
        }
        let stored = header.stored as usize;
        let body = if header.packing == Packing::None { payload } else { &self.buffer[HEADER..HEADER + stored] };
        header.checksum = xxh3_64(body);
        Ok(stored)
    }

    /// As [`Encoder::encode`], for a caller that keeps the bytes: those behind the header. Gives the payload back where they are others.
    ///
    /// # Errors
    /// As those of [`Encoder::encode`].
    pub(crate) fn encode_owned(
        &mut self,
        header: &mut ChunkHeader,
        payload: Payload,
    ) -> io::Result<(Payload, Option<Vec<u8>>)> {
        let stored = self.pack(header, &payload)?;
        if header.packing == Packing::None {
            return Ok((payload, None));
        }
        if self.buffer.len() <= KEPT {
            return Ok((self.buffer[HEADER..HEADER + stored].to_vec().into(), Some(payload.into_memory())));
        }
        // A copy would be one more of a blob of hundreds of MiB, and each of several encoders would keep that much.
        self.differences = Vec::new();
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.copy_within(HEADER..HEADER + stored, 0);
        bytes.truncate(stored);
        bytes.shrink_to_fit();
        Ok((bytes.into(), Some(payload.into_memory())))
    }

    /// Whether three samples of a long payload, together, shrink by a twentieth.
    fn shrinks(&mut self, payload: &[u8]) -> std::io::Result<bool> {
        // Else it would be the level of the chunk before.
        self.zstd.set_compression_level(LEVEL)?;
        let mut stored = 0;
        for start in [0, payload.len() / 2, payload.len() - PROBE] {
            stored += self.sample(&payload[start..start + PROBE])?;
        }
        Ok(stored < 3 * PROBE / 20 * 19)
    }

    /// Whether the same samples, together, take a quarter of their room after LZ4. Then LZ4 takes less time than writing the payload as it is.
    fn is_quick(&mut self, payload: &[u8]) -> io::Result<bool> {
        let mut stored = 0;
        for start in [0, payload.len() / 2, payload.len() - PROBE] {
            let bound = lz4_flex::block::get_maximum_output_size(PROBE);
            self.buffer.resize(self.buffer.len().max(bound), 0);
            let sample = &payload[start..start + PROBE];
            stored += lz4_flex::block::compress_into(sample, &mut self.buffer[..]).map_err(io::Error::other)?;
        }
        Ok(stored < 3 * PROBE / 4)
    }

    /// The width of rows of a long payload whose differences take at least a quarter less than the payload itself, as two samples show.
    fn width(&mut self, payload: &[u8]) -> std::io::Result<Option<u8>> {
        if payload.len() < 4 * PROBE {
            return Ok(None);
        }
        // The level for blobs: those for records find little in differences.
        self.zstd.set_compression_level(LEVEL)?;
        let mut widths = [None; 2];
        let (mut plain, mut apart) = (0, 0);
        // Beside the places where `shrinks` looks: a chunk of blobs begins with their hashes.
        for (width, start) in widths.iter_mut().zip([payload.len() / 3, payload.len() / 3 * 2]) {
            let sample = &payload[start..start + PROBE];
            *width = rows::width(sample);
            let Some(width) = *width else { return Ok(None) };
            plain += self.sample(sample)?;
            let mut differences = std::mem::take(&mut self.differences);
            differences.clear();
            rows::apart(sample, width, &mut differences);
            let stored = self.sample(&differences);
            self.differences = differences;
            apart += stored?;
        }
        Ok(widths[0].filter(|_| widths[0] == widths[1] && apart * 4 <= plain * 3))
    }

    /// Bytes that zstd makes of a sample.
    fn sample(&mut self, sample: &[u8]) -> std::io::Result<usize> {
        let bound = zstd::zstd_safe::compress_bound(sample.len());
        self.buffer.resize(self.buffer.len().max(bound), 0);
        self.zstd.compress_to_buffer(sample, &mut self.buffer[..])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    pub(crate) fn header(kind: ChunkKind) -> ChunkHeader {
        ChunkHeader {
            kind,
            packing: Packing::None,
            width: 0,
            stored: 0,
            raw: 0,
            checksum: 0,
            first: 5,
            sequence: 6,
            frame: 7,
            count: 8,
            records: 0,
            names: Names::Unknown,
        }
    }

    #[test]
    fn compression_is_said_as_it_is_read() {
        for compression in
            [Compression::Usual, Compression::Lz4, Compression::None, Compression::Level(1), Compression::Level(19)]
        {
            assert_eq!(compression.to_string().parse(), Ok(compression));
        }
        assert_eq!("NONE".parse(), Ok(Compression::None));
        assert_eq!("ZSTD".parse(), Ok(Compression::Usual));
        assert_eq!("7".parse(), Ok(Compression::Level(7)));
        for wrong in ["", "lz4:1", "zlib", "0", "20", "-3", "zstd:", "zstd:20", "none:1"] {
            assert!(wrong.parse::<Compression>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn levels_are_heeded_and_none_stores_as_it_is() {
        // Words of few letters in no order: there is more to find than the fastest levels find.
        let mut seed = 1u32;
        let payload: Vec<u8> = (0..1 << 18)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                b"abcdefgh"[(seed >> 29) as usize] + (seed >> 27 & 1) as u8
            })
            .collect();
        let stored = |compression| {
            let mut encoder = Encoder { compression, ..Encoder::new().unwrap() };
            let mut header = header(ChunkKind::Events);
            let bytes = encoder.encode(&mut header, &payload).unwrap().to_vec();
            let header = ChunkHeader::from_bytes(bytes.first_chunk().unwrap()).unwrap();
            assert!(header.decode(bytes[HEADER..].to_vec()).unwrap() == payload, "{compression}");
            (header.packing, bytes.len())
        };
        assert_eq!(stored(Compression::None), (Packing::None, HEADER + payload.len()));
        let (usual, best) = (stored(Compression::Usual), stored(Compression::Level(19)));
        assert_eq!((usual.0, best.0), (Packing::Zstd, Packing::Zstd));
        assert!(best.1 < usual.1, "{usual:?} {best:?}");
    }

    #[test]
    fn what_shrinks_is_compressed_and_what_does_not_is_not() {
        let mut encoder = Encoder::new().unwrap();
        let mut noise = vec![0u8; 200_000];
        let mut state = 1u64;
        for b in &mut noise {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *b = (state >> 56) as u8;
        }
        let zeros = vec![0; 40 << 20];
        for (compression, packing) in [(Compression::Usual, Packing::Zstd), (Compression::Lz4, Packing::Lz4)] {
            encoder.compression = compression;
            let none = Packing::None;
            for (payload, packing) in [(&noise[..], none), (&zeros[..], packing), (b"short", none), (b"", none)] {
                let mut h = header(ChunkKind::Blobs);
                let bytes = encoder.encode(&mut h, payload).unwrap().to_vec();
                let found = ChunkHeader::from_bytes(bytes.first_chunk().unwrap()).unwrap();
                assert_eq!(found, h);
                assert_eq!(h.packing, packing, "{} bytes", payload.len());
                assert_eq!(h.total(), bytes.len() as u64);
                assert_eq!(h.decode(bytes[HEADER..].to_vec()).unwrap(), payload);
            }
        }
    }

    /// Instances of a top level, behind hashes of their pages: only places and numbers differ.
    fn instances() -> Vec<u8> {
        let hashes = (0..80u64).flat_map(|at| (at * at).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        let fields =
            |at: u32| [1, 0, 0, at % 100, 0, 1, 0, at / 100, 0, 0, 1, 7, at | 0xff << 24, 0, at % 8 * 0x4100, 0x7f12];
        hashes.chain((0..5000u32).flat_map(fields).flat_map(u32::to_le_bytes)).collect()
    }

    #[test]
    fn blobs_of_structures_are_stored_as_differences_of_rows_and_nothing_else_is() {
        let payload = instances();
        for compression in [Compression::Usual, Compression::Lz4] {
            let mut encoder = Encoder { compression, ..Encoder::new().unwrap() };
            let mut stored = |kind, payload: &[u8]| {
                let mut header = header(kind);
                let bytes = encoder.encode(&mut header, payload).unwrap().to_vec();
                let found = ChunkHeader::from_bytes(bytes.first_chunk().unwrap()).unwrap();
                assert_eq!(found, header);
                assert_eq!(found.decode(bytes[HEADER..].to_vec()).unwrap(), payload);
                (found, bytes)
            };
            let (apart, bytes) = stored(ChunkKind::Blobs, &payload);
            let (plain, _) = stored(ChunkKind::Events, &payload);
            // Whatever was compressed before.
            assert_eq!((apart.width, plain.width, stored(ChunkKind::Blobs, &payload).0), (16, 0, apart));
            assert!(apart.stored * 2 < plain.stored, "{compression}: {} and {}", apart.stored, plain.stored);
            // The numbers of FORMAT.md.
            assert_eq!((bytes[5], bytes[53]), (if compression == Compression::Lz4 { 4 } else { 3 }, 16));
            let noise: Vec<u8> =
                (0..100_000u32).flat_map(|at| at.wrapping_mul(at ^ 0x9e37_79b9).to_le_bytes()).collect();
            assert_eq!(stored(ChunkKind::Blobs, &noise).0.width, 0);
            assert_eq!(stored(ChunkKind::Blobs, &payload[..1000]).0.width, 0, "too few to look at");
        }
        let mut encoder = Encoder { compression: Compression::None, ..Encoder::new().unwrap() };
        let mut header = header(ChunkKind::Blobs);
        encoder.encode(&mut header, &payload).unwrap();
        assert_eq!((header.packing, header.width), (Packing::None, 0));
    }

    #[test]
    fn differences_of_rows_of_no_bytes_are_refused() {
        let header = ChunkHeader { packing: Packing::Zstd, stored: 10, raw: 10, width: 1, ..header(ChunkKind::Blobs) };
        let mut bytes = header.to_bytes();
        assert_eq!(ChunkHeader::from_bytes(&bytes), Ok(header));
        bytes[53] = 0;
        let check = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&check.to_le_bytes());
        assert_eq!(ChunkHeader::from_bytes(&bytes), Err(ChunkError::Header));
    }

    #[test]
    fn every_flipped_byte_is_noticed() {
        let payload: Vec<u8> = (0..500u32).flat_map(|i| (i / 7).to_le_bytes()).collect();
        for (compression, packing) in [(Compression::Usual, Packing::Zstd), (Compression::Lz4, Packing::Lz4)] {
            let mut h = header(ChunkKind::Events);
            let mut encoder = Encoder { compression, ..Encoder::new().unwrap() };
            let bytes = encoder.encode(&mut h, &payload).unwrap().to_vec();
            assert_eq!(h.packing, packing);
            for at in 0..bytes.len() {
                for flip in [1, 0x80, 0xff] {
                    let mut bad = bytes.clone();
                    bad[at] ^= flip;
                    let header = ChunkHeader::from_bytes(bad.first_chunk().unwrap());
                    let read = header.and_then(|h| h.decode(bad[HEADER..].to_vec()));
                    // Two bytes of the header are reserved, but the checksum covers them.
                    assert!(read.is_err(), "byte {at} flipped by {flip:#x}");
                }
            }
        }
    }

    /// Damage that a checksum does not show, because whoever made it computed a new one.
    #[test]
    fn a_damaged_lz4_block_under_a_right_checksum_is_refused_or_has_the_stated_length() {
        let payload: Vec<u8> = (0..3000u32).flat_map(|i| (i / 7 % 50).to_le_bytes()).collect();
        let mut h = header(ChunkKind::Blobs);
        let mut encoder = Encoder { compression: Compression::Lz4, ..Encoder::new().unwrap() };
        let stored = encoder.encode(&mut h, &payload).unwrap()[HEADER..].to_vec();
        assert_eq!(h.packing, Packing::Lz4);
        for at in 0..stored.len() {
            for value in [0, 1, 0x0f, 0x7f, 0xf0, 0xff] {
                let mut bad = stored.clone();
                bad[at] = value;
                for bad in [&bad[..], &bad[..=at]] {
                    let header = ChunkHeader { checksum: xxh3_64(bad), stored: bad.len() as u32, ..h };
                    let decoded = header.decode(bad.to_vec());
                    assert!(decoded.is_err() || decoded.is_ok_and(|raw| raw.len() == payload.len()), "byte {at}");
                }
            }
        }
    }

    #[test]
    fn a_stated_length_beyond_what_the_bytes_can_be_is_refused() {
        for (packing, ratio) in [(Packing::Zstd, 32 << 10), (Packing::Lz4, 255)] {
            let lie = ChunkHeader { packing, stored: 10, raw: 10 * ratio + 1, ..header(ChunkKind::Events) };
            assert_eq!(ChunkHeader::from_bytes(&lie.to_bytes()), Err(ChunkError::Header));
            let most = ChunkHeader { raw: 10 * ratio, ..lie };
            assert_eq!(ChunkHeader::from_bytes(&most.to_bytes()), Ok(most));
        }
    }
}
