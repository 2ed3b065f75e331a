//! The layouts of a trace file besides the chunks' own: file header, thread state, index, footer, trailer.
//!
//! Only this module writes and reads them. `FORMAT.md` says the same in words.

use xxhash_rust::xxh3::xxh3_64;

use crate::clock::Instant3;
use crate::file::chunk::{self, ChunkHeader};
use crate::file::cursor::Cursor;

/// First eight bytes of a trace. They are no text, and a program that converts line ends damages them.
pub const MAGIC: [u8; 8] = *b"\x89RPR\r\n\x1a\n";
/// Version of the format. A reader refuses all others.
pub const VERSION: u16 = 2;
/// Size of the file header, in bytes.
pub const HEADER: usize = 64;
/// Size of the trailer, in bytes.
pub const TRAILER: usize = 32;
const TRAILER_MAGIC: [u8; 8] = *b"RPR-END\n";
/// In an entry, instead of the chunk's magic: a search for chunks in a damaged file must find none in the table.
const ENTRY_MAGIC: [u8; 4] = *b"RPIX";
/// Size of an entry of the chunk table, in bytes.
pub const ENTRY: usize = 8 + chunk::HEADER;
/// Size of an entry of the address table, in bytes.
pub const RANGE: usize = 24;
/// The unit in which equal memory is found, in bytes.
pub const PAGE: usize = 4096;

/// A GPU virtual address range: the object that has it, the first address, and its size in bytes.
pub type Range = (u32, u64, u64);

/// The file header, which is written when the recording begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FileHeader {
    /// Version of the API model.
    pub api_version: u32,
    /// Hash of the API model.
    pub api_hash: u64,
    /// When the session began.
    pub start: Instant3,
}

fn put_instant(to: &mut Vec<u8>, instant: Instant3) {
    for word in [instant.ticks, instant.realtime_ns, instant.monotonic_ns] {
        to.extend(word.to_le_bytes());
    }
}

impl FileHeader {
    /// The header as it is stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut b = MAGIC.to_vec();
        b.extend(VERSION.to_le_bytes());
        b.extend((HEADER as u16).to_le_bytes());
        b.extend(self.api_version.to_le_bytes());
        b.extend(self.api_hash.to_le_bytes());
        put_instant(&mut b, self.start);
        b.extend([0; 8]);
        let check = xxh3_64(&b);
        b.extend(check.to_le_bytes());
        b
    }

    /// Reads and checks a header.
    ///
    /// # Errors
    /// The bytes are no trace, of another version, or damaged; the error is a sentence about it.
    pub fn from_bytes(bytes: &[u8]) -> Result<FileHeader, String> {
        let Some(bytes) = bytes.first_chunk::<HEADER>() else {
            return Err(format!("{} bytes are too few for a trace", bytes.len()));
        };
        if bytes[..8] != MAGIC {
            return Err("this is no trace: its first bytes are others".into());
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version > VERSION {
            return Err(format!(
                "the trace has format version {version}, this program reads version {VERSION}: use a newer one"
            ));
        }
        if version < VERSION {
            return Err(format!(
                "the trace has format version {version}, this program reads version {VERSION}: record it anew, or use the \
                program that recorded it"
            ));
        }
        let parse = || {
            let mut c = Cursor(&bytes[12..]);
            let header = FileHeader { api_version: c.u32()?, api_hash: c.u64()?, start: c.instant()? };
            c.bytes(8)?;
            (cfg!(feature = "fuzzing") || c.u64()? == xxh3_64(&bytes[..HEADER - 8])).then_some(header)
        };
        parse().ok_or_else(|| "the file header is damaged: its checksum is wrong".into())
    }
}

/// A thread's state where a chunk begins, and how far its ring is stored where the chunk ends.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadState {
    /// The thread: the number of its ring.
    pub thread: u32,
    /// The records of the ring before this position are in this chunk or an earlier one, or lost.
    pub stored_to: u64,
    /// Ticks of the thread's last record that had any.
    pub ticks: u64,
    /// Numbers of the calls that are open, outermost first.
    pub open: Vec<u64>,
}

/// The state of the threads, which follows the records in a chunk of events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChunkState {
    /// When the chunk was closed.
    pub closed: Instant3,
    /// The threads known.
    pub threads: Vec<ThreadState>,
}

impl ChunkState {
    /// Appends the state as it is stored.
    pub fn put(&self, to: &mut Vec<u8>) {
        put_instant(to, self.closed);
        to.extend((self.threads.len() as u64).to_le_bytes());
        for t in &self.threads {
            to.extend(t.thread.to_le_bytes());
            to.extend((t.open.len() as u32).to_le_bytes());
            to.extend(t.stored_to.to_le_bytes());
            to.extend(t.ticks.to_le_bytes());
            t.open.iter().for_each(|call| to.extend(call.to_le_bytes()));
        }
    }

    /// Reads a state.
    pub fn from_bytes(bytes: &[u8]) -> Option<ChunkState> {
        let mut c = Cursor(bytes);
        let closed = c.instant()?;
        let count = c.u64()?;
        let mut threads = Vec::new();
        for _ in 0..count {
            let (thread, open) = (c.u32()?, c.u32()? as usize);
            let (stored_to, ticks) = (c.u64()?, c.u64()?);
            let open = c.bytes(open.checked_mul(8)?)?;
            let open = open.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
            threads.push(ThreadState { thread, stored_to, ticks, open });
        }
        c.0.is_empty().then_some(ChunkState { closed, threads })
    }
}

/// A chunk and where it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Place of the chunk's header in the file.
    pub offset: u64,
    /// The header.
    pub header: ChunkHeader,
}

impl Entry {
    /// Appends the entry as it is stored.
    pub fn put(&self, to: &mut Vec<u8>) {
        to.extend(self.offset.to_le_bytes());
        to.extend(ENTRY_MAGIC);
        to.extend(&self.header.to_bytes()[chunk::MAGIC.len()..]);
    }

    /// Reads an entry.
    pub fn from_bytes(bytes: &[u8; ENTRY]) -> Option<Entry> {
        let (offset, header) = bytes.split_first_chunk::<8>()?;
        let offset = u64::from_le_bytes(*offset);
        let mut header: [u8; chunk::HEADER] = *header.first_chunk()?;
        if header[..4] != ENTRY_MAGIC {
            return None;
        }
        header[..4].copy_from_slice(&chunk::MAGIC);
        let header = ChunkHeader::from_bytes(&header).ok()?;
        offset.checked_add(header.total())?;
        Some(Entry { offset, header })
    }
}

/// Number of kinds of records that are counted.
pub const KINDS: usize = 12;

/// Totals, and the places of the index pages.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footer {
    /// Frame boundaries.
    pub frames: u32,
    /// Threads that recorded anything.
    pub threads: u32,
    /// Calls.
    pub calls: u64,
    /// The next sequence number.
    pub sequence: u64,
    /// Blobs: the next id.
    pub blobs: u64,
    /// Gaps.
    pub gaps: u64,
    /// The first and the last ticks of any record; 0 when none had any.
    pub ticks: (u64, u64),
    /// When the writer finished.
    pub end: Instant3,
    /// Places of the schema, meta and ranges chunks; 0 for none.
    pub places: [u64; 3],
    /// By kind of record: how many, and payload bytes in the rings.
    pub kinds: [(u64, u64); KINDS],
    /// Calls that never ended.
    pub open: Vec<u64>,
    /// Places of the pages of the chunk table.
    pub pages: Vec<u64>,
}

impl Footer {
    /// The footer as it is stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut b = Vec::new();
        b.extend(self.frames.to_le_bytes());
        b.extend(self.threads.to_le_bytes());
        for word in [self.calls, self.sequence, self.blobs, self.gaps, self.ticks.0, self.ticks.1] {
            b.extend(word.to_le_bytes());
        }
        put_instant(&mut b, self.end);
        let kinds = self.kinds.iter().flat_map(|&(records, bytes)| [records, bytes]);
        for word in self.places.into_iter().chain(kinds) {
            b.extend(word.to_le_bytes());
        }
        for list in [&self.open, &self.pages] {
            b.extend((list.len() as u64).to_le_bytes());
            list.iter().for_each(|word| b.extend(word.to_le_bytes()));
        }
        b
    }

    /// Reads a footer.
    pub fn from_bytes(bytes: &[u8]) -> Option<Footer> {
        let mut c = Cursor(bytes);
        let mut f = Footer {
            frames: c.u32()?,
            threads: c.u32()?,
            calls: c.u64()?,
            sequence: c.u64()?,
            blobs: c.u64()?,
            gaps: c.u64()?,
            ticks: (c.u64()?, c.u64()?),
            end: c.instant()?,
            places: [c.u64()?, c.u64()?, c.u64()?],
            ..Footer::default()
        };
        for kind in &mut f.kinds {
            *kind = (c.u64()?, c.u64()?);
        }
        for list in [&mut f.open, &mut f.pages] {
            let count = usize::try_from(c.u64()?).ok()?;
            let words = c.bytes(count.checked_mul(8)?)?;
            *list = words.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
        }
        c.0.is_empty().then_some(f)
    }
}

/// The trailer: where the footer is, at the very end of a finished file.
pub fn trailer(footer: u64, file_len: u64) -> [u8; TRAILER] {
    let mut b = [0; TRAILER];
    b[0..8].copy_from_slice(&footer.to_le_bytes());
    b[8..16].copy_from_slice(&file_len.to_le_bytes());
    b[16..24].copy_from_slice(&TRAILER_MAGIC);
    let check = xxh3_64(&b[..24]);
    b[24..32].copy_from_slice(&check.to_le_bytes());
    b
}

/// The footer's place, if these last bytes of a file of this length are a trailer.
pub fn footer_place(trailer: &[u8; TRAILER], file_len: u64) -> Option<u64> {
    let mut c = Cursor(trailer);
    let (place, len) = (c.u64()?, c.u64()?);
    let valid = c.bytes(8)? == TRAILER_MAGIC
        && (cfg!(feature = "fuzzing") || c.u64()? == xxh3_64(&trailer[..24]))
        && len == file_len;
    valid.then_some(place)
}
