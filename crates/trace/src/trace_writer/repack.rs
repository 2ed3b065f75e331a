//! Packing anew what was packed in a hurry.
//!
//! While a program waits, blobs are packed by LZ4, which leaves more bytes than zstd. Afterwards there is time. Invariants: the trace is
//! whole at each instant, because a new file takes its place at once; it says the same as before; where something is in the way, it stays
//! as it is.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use reprise_whole_file::Whole;

use crate::file::chunk::{self, ChunkHeader, ChunkKind, Compression};
use crate::file::layout::{self, FileHeader, Footer};
use crate::os;
use crate::trace_writer::chunk_job::Pack;
use crate::trace_writer::chunked_file::ChunkedFile;
use crate::trace_writer::output::{FileOutput, Output};

/// Packs these chunks of a finished trace anew; `hurried` are their places, rising, and `totals` what its footer says. `beat` is called
/// now and then. Gives the bytes that the trace has now; `None` where it cannot be replaced.
///
/// # Errors
/// The trace cannot be read, or the new file cannot be written. Then the old one stays.
pub fn repack(
    path: &Path,
    hurried: &[u64],
    mut totals: Footer,
    compressors: usize,
    beat: &dyn Fn(),
) -> io::Result<Option<u64>> {
    let (there, whole) = (File::open(path)?, Whole::begin(path)?);
    // A pipe, or a file that somebody else has open for us, is written once.
    if whole.is_in_place() {
        return Ok(None);
    }
    let mut from = BufReader::with_capacity(1 << 20, there);
    let mut header = [0; layout::HEADER];
    from.read_exact(&mut header)?;
    FileHeader::from_bytes(&header).map_err(io::Error::other)?;
    let mut out = FileOutput::of(whole.writer()?);
    out.append(&header)?;
    let mut to = ChunkedFile::new(out, layout::HEADER as u64, Vec::new())?;
    to.pipeline.set_threads(compressors);
    copy(&mut from, &mut to, hurried, &mut totals, beat)?;
    let bytes = to.finish(&mut totals)?.finish()?;
    // What was removed meanwhile stays away.
    if !os::is_named(from.get_ref()) {
        return Ok(None);
    }
    whole.finish()?;
    Ok(Some(bytes))
}

/// Copies the chunks up to the index, and puts their new places into the footer.
fn copy<O: Output>(
    from: &mut impl Read,
    to: &mut ChunkedFile<O>,
    hurried: &[u64],
    totals: &mut Footer,
    beat: &dyn Fn(),
) -> io::Result<()> {
    // The old place of each chunk, by its number.
    let mut places = Vec::new();
    let mut place = layout::HEADER as u64;
    let mut hurried = hurried.iter().peekable();
    loop {
        beat();
        let mut header = [0; chunk::HEADER];
        from.read_exact(&mut header)?;
        let header = ChunkHeader::from_bytes(&header).map_err(io::Error::other)?;
        if matches!(header.kind, ChunkKind::Index | ChunkKind::Footer) {
            break;
        }
        let mut payload = Vec::new();
        if from.by_ref().take(header.stored.into()).read_to_end(&mut payload)? < header.stored as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if hurried.next_if_eq(&&place).is_some() {
            let payload = header.decode(payload).map_err(io::Error::other)?;
            to.copy(header, payload, Pack::By(Compression::Usual));
        } else {
            to.copy(header, payload, Pack::Stays);
        }
        while to.append_first(false)?.is_some() {}
        places.push(place);
        place += header.total();
    }
    while to.append_first(true)?.is_some() {}
    for old in totals.places.iter_mut().filter(|place| **place != 0) {
        let entry = places.binary_search(old).ok().and_then(|number| to.entries.get(number));
        *old = entry.ok_or_else(|| io::Error::other("the footer names no chunk"))?.offset;
    }
    Ok(())
}
