//! The list of a trace's chunks: read from the tables at the end of the file, or made by a search through the whole file.
//!
//! Invariant: every chunk lies within the file; a hole names the bytes between two chunks that do not meet.

use crate::file::blocks::Blocks;
use crate::file::chunk::{self, ChunkError, ChunkHeader, ChunkKind, Names};
use crate::file::layout::{self, Entry, Footer};
use crate::read::damage::{Damage, Place};
use crate::read::source::Source;

/// A stretch of the file, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stretch {
    /// A chunk with a sound header.
    Chunk(Entry),
    /// Bytes that are no chunk: offset and length.
    Hole(u64, u64),
}

impl Stretch {
    /// Bytes of the file.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Stretch::Chunk(entry) => entry.header.total(),
            Stretch::Hole(_, len) => *len,
        }
    }

    /// Whether it is a chunk of events that says of nothing what it stands for.
    pub(crate) fn is_nameless(&self) -> bool {
        matches!(self, Stretch::Chunk(entry) if entry.header.names == Names::None)
    }
}

/// The chunk at `offset`: its header, which must lie within the source together with its payload.
pub(crate) fn chunk_at(source: &Source, offset: u64) -> Result<Entry, ChunkError> {
    let bytes = source.read(offset, chunk::HEADER as u64).map_err(|_| ChunkError::Header)?;
    let header = ChunkHeader::from_bytes(bytes.first_chunk().ok_or(ChunkError::Header)?)?;
    match offset.checked_add(header.total()) {
        Some(end) if end <= source.len() => Ok(Entry { offset, header }),
        _ => Err(ChunkError::Short { stored: header.stored }),
    }
}

/// The payload of a chunk, checked and decompressed; the error says why not.
pub(crate) fn payload(source: &Source, entry: &Entry) -> Result<Vec<u8>, Damage> {
    payload_in(source, entry, &Blocks::default())
}

/// The same, in blocks that were used before.
pub(crate) fn payload_in(source: &Source, entry: &Entry, blocks: &Blocks) -> Result<Vec<u8>, Damage> {
    let wrong = |what: String| damage(entry.offset, entry.header.kind, what);
    let there = chunk_at(source, entry.offset).map_err(|error| wrong(error.to_string()))?;
    if there != *entry {
        return Err(wrong("its header is another than in the index".into()));
    }
    let mut stored = blocks.take();
    let place = entry.offset + chunk::HEADER as u64;
    source.read_to(&mut stored, place, entry.header.stored.into()).map_err(|e| wrong(e.to_string()))?;
    entry.header.decode_in(stored, blocks).map_err(|e| wrong(e.to_string()))
}

fn damage(offset: u64, kind: ChunkKind, what: impl Into<String>) -> Damage {
    Damage { place: Place::Chunk { offset, kind }, what: what.into() }
}

/// The tables at the end of a finished trace.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) footer: Footer,
    /// The chunk of the footer.
    pub(crate) place: Entry,
    /// The chunks of the index.
    pub(crate) pages: Vec<Entry>,
    /// All chunks before the index, in order.
    pub(crate) entries: Vec<Entry>,
}

/// Reads the tables.
///
/// # Errors
/// What is damaged of them; `None` where the file does not end with a trailer.
pub(crate) fn load(source: &Source) -> Result<Tables, Option<Damage>> {
    let len = source.len();
    let trailer = len.checked_sub(layout::TRAILER as u64).and_then(|at| source.read(at, layout::TRAILER as u64).ok());
    let trailer = trailer.as_ref().and_then(|bytes| bytes.first_chunk());
    let place = trailer.and_then(|bytes| layout::footer_place(bytes, len)).ok_or(None)?;
    let place = table_at(source, place, ChunkKind::Footer)?;
    let footer = Footer::from_bytes(&payload(source, &place)?);
    let footer = footer.ok_or_else(|| damage(place.offset, ChunkKind::Footer, "its fields do not fit its length"))?;
    let (mut entries, mut pages) = (Vec::new(), Vec::new());
    let mut end = layout::HEADER as u64;
    for &place in &footer.pages {
        let page = table_at(source, place, ChunkKind::Index)?;
        let wrong = |what: String| damage(page.offset, ChunkKind::Index, what);
        let bytes = payload(source, &page)?;
        let (listed, rest) = bytes.as_chunks::<{ layout::ENTRY }>();
        if listed.len() != page.header.count as usize || !rest.is_empty() {
            return Err(wrong(format!("it has {} bytes for {} entries", bytes.len(), page.header.count)).into());
        }
        for bytes in listed {
            let number = entries.len();
            let entry =
                Entry::from_bytes(bytes).ok_or_else(|| wrong(format!("its entry for chunk {number} is none")))?;
            // In order and without overlap: no chunk is decoded twice because a table says so.
            let within = entry.offset.checked_add(entry.header.total()).filter(|&end| end <= len);
            let (true, Some(next)) = (entry.offset >= end, within) else {
                let what = format!("its entry for chunk {number} names offset {}, which cannot be", entry.offset);
                return Err(wrong(what).into());
            };
            end = next;
            entries.push(entry);
        }
        pages.push(page);
    }
    Ok(Tables { footer, place, pages, entries })
}

/// The chunk of a table, of which another part of the file names the place.
fn table_at(source: &Source, offset: u64, kind: ChunkKind) -> Result<Entry, Damage> {
    let entry = chunk_at(source, offset).map_err(|error| damage(offset, kind, error.to_string()))?;
    if entry.header.kind == kind { Ok(entry) } else { Err(damage(offset, kind, "another kind of chunk is there")) }
}

/// Bytes that are searched at a time.
const WINDOW: u64 = 1 << 20;

/// Looks at everything from `start` on.
pub(crate) fn scan(source: &Source, start: u64) -> Vec<Stretch> {
    let mut found = Vec::new();
    let mut place = start;
    while place < source.len() {
        if let Ok(entry) = chunk_at(source, place) {
            found.push(Stretch::Chunk(entry));
            place += entry.header.total();
            continue;
        }
        let next = next_chunk(source, place + 1).unwrap_or(source.len());
        // The trailer of a finished file is no hole.
        let is_trailer = next == source.len() && next - place == layout::TRAILER as u64 && ends_with_footer(&found);
        if !is_trailer {
            found.push(Stretch::Hole(place, next - place));
        }
        place = next;
    }
    found
}

/// The damaged trailer of a file that was scanned: bytes behind a footer that are no trailer.
pub(crate) fn lost_trailer(source: &Source, found: &[Stretch]) -> Option<Damage> {
    let Some(Stretch::Chunk(footer)) = found.last().filter(|_| ends_with_footer(found)) else { return None };
    let offset = footer.offset + footer.header.total();
    let place = Place::Trailer { offset };
    (offset < source.len()).then(|| Damage { place, what: "its checksum or the file's length in it is wrong".into() })
}

fn ends_with_footer(found: &[Stretch]) -> bool {
    matches!(found.last(), Some(Stretch::Chunk(entry)) if entry.header.kind == ChunkKind::Footer)
}

/// The first place from `from` on where a whole chunk begins.
fn next_chunk(source: &Source, mut from: u64) -> Option<u64> {
    while from < source.len() {
        // What salvage appends begins with a chunk of its own.
        let limit = if from < source.base_len() { source.base_len() } else { source.len() };
        let window = source.read(from, WINDOW.min(limit - from)).ok()?;
        let candidates = window.windows(chunk::MAGIC.len()).enumerate().filter(|(_, w)| **w == chunk::MAGIC);
        for (at, _) in candidates {
            if chunk_at(source, from + at as u64).is_ok() {
                return Some(from + at as u64);
            }
        }
        let step = window.len() as u64;
        if from + step >= limit {
            from = limit;
            if limit < source.len() && chunk_at(source, limit).is_ok() {
                return Some(limit);
            }
            if limit == source.len() {
                return None;
            }
        } else {
            from += step - (chunk::MAGIC.len() as u64 - 1);
        }
    }
    None
}
