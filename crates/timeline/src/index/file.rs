//! What is kept of a trace, as bytes: header, pieces, table.
//!
//! | place | type | field |
//! |---|---|---|
//! | 0 | 8 bytes | `RPRSTATE`: snapshots of states; `RPRCHUNK`: contents of chunks, which have no pieces |
//! | 8 | u64 | hash of the sources that wrote it (`build.rs`) |
//! | 16 | u64 | fingerprint of the API model |
//! | 24 | u128 | identity of the trace |
//! | 40 | u64 | place of the table, 64 and the bytes of the pieces |
//! | 48 | u64 | XXH3-64 of the table, which goes to the end |
//! | 56 | u64 | XXH3-64 of bytes 0–55 |
//! | 64 | | the pieces, each a zstd stream |
//!
//! Invariant: whatever does not hold is `None`.

use super::pieces::{self, Parts, Piece};
use reprise_d3d12::FINGERPRINT;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const HEADER: usize = 64;
/// Bytes of a table at most: far more than [`super::MOST_BYTES`] of pieces need.
const MOST_TABLE: u64 = 256 << 20;

/// What is kept of a trace, a file each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Snapshots of the state, and the chronicle.
    Index,
    /// What each chunk of events has.
    Contents,
}

impl Kept {
    pub(super) const ALL: [Kept; 2] = [Kept::Index, Kept::Contents];

    /// Ending of the file's name.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Kept::Index => "index",
            Kept::Contents => "chunks",
        }
    }

    fn magic(self) -> [u8; 8] {
        match self {
            Kept::Index => *b"RPRSTATE",
            Kept::Contents => *b"RPRCHUNK",
        }
    }
}

/// What an index consists of.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Table {
    /// Where the pieces lie.
    pub(super) pieces: Vec<Piece>,
    /// The calls at which there are snapshots, rising, and what each is made of.
    pub(super) snapshots: Vec<(u64, Parts)>,
    /// What the chronicle is made of.
    pub(super) chronicle: Parts,
}

/// Where the pieces are.
#[derive(Debug)]
pub(super) enum File {
    Memory(Vec<u8>),
    Disk(std::fs::File),
}

/// Numbers that a file must have been written with.
fn sources() -> u64 {
    env!("REPRISE_TIMELINE_SOURCES").parse().unwrap_or(0)
}

fn header(kept: Kept, trace: u128, table: u64, checksum: u64) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&kept.magic());
    header[8..16].copy_from_slice(&sources().to_le_bytes());
    header[16..24].copy_from_slice(&FINGERPRINT.to_le_bytes());
    header[24..40].copy_from_slice(&trace.to_le_bytes());
    header[40..48].copy_from_slice(&table.to_le_bytes());
    header[48..56].copy_from_slice(&checksum.to_le_bytes());
    let own = xxh3_64(&header[..56]);
    header[56..].copy_from_slice(&own.to_le_bytes());
    header
}

/// Writes a file: its table as bytes, and the pieces that the table names.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(to: &mut impl Write, kept: Kept, trace: u128, table: &[u8], pieces: &[u8]) -> io::Result<()> {
    to.write_all(&header(kept, trace, (HEADER + pieces.len()) as u64, xxh3_64(table)))?;
    to.write_all(pieces)?;
    to.write_all(table)
}

/// Opens a file that was written by this source for this trace, and gives its table, which is whole.
pub(super) fn open(path: &Path, kept: Kept, trace: u128) -> Option<(std::fs::File, Vec<u8>)> {
    let file = std::fs::File::open(path).ok()?;
    let mut found = [0; HEADER];
    read_exact_at(&file, &mut found, 0).ok()?;
    let word = |at: usize| found[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    let (place, checksum) = (word(40), word(48));
    if found != header(kept, trace, place, checksum) {
        return None;
    }
    let size = file.metadata().ok()?.len().checked_sub(place).filter(|size| *size <= MOST_TABLE)?;
    let mut table = vec![0; usize::try_from(size).ok()?];
    read_exact_at(&file, &mut table, place).ok()?;
    if xxh3_64(&table) != checksum {
        return None;
    }
    // The time of last use decides what goes first.
    let _ = file.set_modified(std::time::SystemTime::now());
    Some((file, table))
}

#[cfg(unix)]
fn read_exact_at(file: &std::fs::File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// The file's own position, which this moves, is used by nobody.
#[cfg(windows)]
fn read_exact_at(file: &std::fs::File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    use std::os::windows::fs::FileExt;
    while !bytes.is_empty() {
        match file.seek_read(bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}

impl File {
    /// Pieces in memory.
    pub(super) fn memory(pieces: Vec<u8>) -> File {
        File::Memory(pieces)
    }

    /// Opens an index whose table is whole.
    pub(super) fn open(path: &Path, trace: u128) -> Option<(File, Table)> {
        let (file, table) = open(path, Kept::Index, trace)?;
        Some((File::Disk(file), postcard::from_bytes(&table).ok()?))
    }

    /// Whether the pieces are in memory.
    pub(super) fn is_memory(&self) -> bool {
        matches!(self, File::Memory(_))
    }

    /// The value that these pieces make.
    pub(super) fn decode<T: DeserializeOwned>(&self, table: &Table, parts: &[u32]) -> Option<T> {
        let read = |offset: u64, into: &mut [u8]| match self {
            File::Memory(bytes) => {
                let stored = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)?.get(..into.len()));
                stored.is_some_and(|stored| {
                    into.copy_from_slice(stored);
                    true
                })
            }
            File::Disk(file) => read_exact_at(file, into, HEADER as u64 + offset).is_ok(),
        };
        let bytes = pieces::join(parts, &table.pieces, read)?;
        postcard::from_bytes(&bytes).ok()
    }
}
