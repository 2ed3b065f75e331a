//! The chunk table of a trace: read from the footer, or rebuilt by looking at every chunk.
//!
//! Owns both ways. Invariant: every entry lies within the file; what lies between entries is named as a hole.

use crate::blocks::Blocks;
use crate::chunk::{self, ChunkHeader, ChunkKind, Names};
use crate::layout::{self, Entry, Footer};
use crate::source::Source;

/// A stretch of the file, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stretch {
    /// A chunk with a sound header.
    Chunk(Entry),
    /// Bytes that are no chunk: offset and length.
    Hole(u64, u64),
}

impl Stretch {
    /// Whether nothing in it says what numbers stand for.
    pub(crate) fn is_nameless(&self) -> bool {
        matches!(self, Stretch::Chunk(entry) if entry.header.names == Names::None)
    }
}

/// The chunk at `offset`: its header, which must lie within the source with its payload.
pub(crate) fn chunk_at(source: &Source, offset: u64) -> Option<Entry> {
    let bytes = source.read(offset, chunk::HEADER as u64).ok()?;
    let header = ChunkHeader::from_bytes(bytes.first_chunk()?).ok()?;
    (offset.checked_add(header.total())? <= source.len()).then_some(Entry { offset, header })
}

/// The payload of a chunk, checked and decompressed; the error says why not.
pub(crate) fn payload(source: &Source, entry: &Entry) -> Result<Vec<u8>, String> {
    payload_in(source, entry, &Blocks::default())
}

/// The same, in blocks that were used before.
pub(crate) fn payload_in(source: &Source, entry: &Entry, blocks: &Blocks) -> Result<Vec<u8>, String> {
    let there = chunk_at(source, entry.offset).filter(|found| found == entry);
    there.ok_or_else(|| "the chunk's header is damaged".to_owned())?;
    let mut stored = blocks.take();
    let place = entry.offset + chunk::HEADER as u64;
    source.read_to(&mut stored, place, entry.header.stored.into()).map_err(|e| e.to_string())?;
    entry.header.decode_in(stored, blocks).map_err(|e| e.to_string())
}

/// Footer and chunk table of a finished trace; `None` when any part of them is missing or damaged.
pub(crate) fn load(source: &Source) -> Option<(Footer, Vec<Entry>)> {
    let len = source.len();
    let trailer = source.read(len.checked_sub(layout::TRAILER as u64)?, layout::TRAILER as u64).ok()?;
    let place = layout::footer_place(trailer.first_chunk()?, len)?;
    let entry = chunk_at(source, place).filter(|e| e.header.kind == ChunkKind::Footer)?;
    let footer = Footer::from_bytes(&payload(source, &entry).ok()?)?;
    let mut entries = Vec::new();
    let mut end = layout::HEADER as u64;
    for &place in &footer.pages {
        let page = chunk_at(source, place).filter(|e| e.header.kind == ChunkKind::Index)?;
        for bytes in payload(source, &page).ok()?.as_chunks::<{ layout::ENTRY }>().0 {
            let entry = Entry::from_bytes(bytes)?;
            // In order and without overlap: no chunk is decoded twice because a table says so.
            if entry.offset < end {
                return None;
            }
            end = entry.offset.checked_add(entry.header.total()).filter(|&end| end <= len)?;
            entries.push(entry);
        }
    }
    Some((footer, entries))
}

/// Bytes that are searched at a time.
const WINDOW: u64 = 1 << 20;

/// Looks at everything from `start` on.
pub(crate) fn scan(source: &Source, start: u64) -> Vec<Stretch> {
    let mut found = Vec::new();
    let mut place = start;
    while place < source.len() {
        if let Some(entry) = chunk_at(source, place) {
            found.push(Stretch::Chunk(entry));
            place += entry.header.total();
            continue;
        }
        let next = next_chunk(source, place + 1).unwrap_or(source.len());
        // The trailer of a finished file is no damage.
        let is_trailer = next == source.len() && next - place == layout::TRAILER as u64 && ends_with_footer(&found);
        if !is_trailer {
            found.push(Stretch::Hole(place, next - place));
        }
        place = next;
    }
    found
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
            if chunk_at(source, from + at as u64).is_some() {
                return Some(from + at as u64);
            }
        }
        let step = window.len() as u64;
        if from + step >= limit {
            from = limit;
            if limit < source.len() && chunk_at(source, limit).is_some() {
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
