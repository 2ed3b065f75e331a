//! Rewrites an unfinished or damaged trace into a complete one.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::fact;
use crate::file::chunk::{ChunkKind, Encoder};
use crate::file::cursor::Cursor;
use crate::file::layout::{Entry, Range};
use crate::read::index::{self, Stretch};
use crate::read::{ReadError, Trace};
use crate::record::{GapReason, Kind};
use crate::salvage::count;
use crate::shared::session::folder_beside;
use crate::trace_writer::{FileOutput, Output, Resume, TraceWriter, writer_records};
use crate::writer_process::{Summary, WriteError};

/// Makes a schema from the one that is stored and the methods that occur.
pub type Describe<'a> = dyn Fn(&[u8], &[u16]) -> Vec<u8> + 'a;

/// Rewrites an unfinished or damaged trace into a complete one: sound chunks are copied as they are, damage is named, what
/// the rings in `rings` still hold is appended, and index and footer are made anew. The rings are left as they are.
///
/// `schema` makes the schema of the repaired trace from the one that is stored and the methods that occur. The stored one is
/// empty where it is lost; it may lack methods where the writer did not finish. It is kept as it is where the writer finished.
///
/// # Errors
/// The damaged trace cannot be opened at all, or the output cannot be written.
pub fn repair(
    damaged: &Path,
    rings: Option<&Path>,
    output: &Path,
    schema: &Describe<'_>,
) -> Result<Summary, WriteError> {
    let beside = folder_beside(damaged);
    let trace = Trace::open_with_rings(damaged, rings.unwrap_or(&beside))?;
    let failed = |source| WriteError::Output { path: output.into(), source };
    let mut copy = Copy {
        out: FileOutput::replace(output).map_err(failed)?,
        place: 0,
        entries: Vec::new(),
        damage: Vec::new(),
        gaps: 0,
        lost_events: false,
    };
    copy.put(&trace.header.to_bytes()).map_err(failed)?;
    for stretch in &trace.stretches {
        copy.stretch(&trace, stretch).map_err(failed)?;
    }
    let mut totals = trace.totals.clone();
    if copy.lost_events {
        // The tables of the original also count what is lost, so the copy counts anew. Calls keep their numbers, and the last one that is there is the last.
        let counted = count::count(&trace);
        (totals.calls, totals.frames) = counted.readable;
        (totals.kinds, totals.threads) = (counted.totals.kinds, counted.totals.threads);
        (totals.ticks, totals.open) = (counted.totals.ticks, counted.totals.open);
    }
    let (open, end) = (std::mem::take(&mut totals.open), totals.end);
    // The copy keeps the schema of the original unless a fuller one is made.
    let copied = copy.entries.iter().rev().find(|entry| entry.header.kind == ChunkKind::Schema);
    totals.places = [copied.map_or(0, |entry| entry.offset), 0, 0];
    totals.pages.clear();
    // Those of the original were counted only if its index had to be rebuilt.
    if trace.statistics().finished {
        totals.gaps += copy.gaps + copy.damage.len() as u64;
    } else {
        totals.gaps -= (copy.damage.len() as u64).min(totals.gaps);
    }
    let meta = trace.meta().as_object().cloned().unwrap_or_default();
    // Both are in the events, too; walking through those takes longer.
    let lacking = trace.schema().is_empty() || !trace.statistics().finished;
    let ranges = trace.address_ranges();
    let walked = if lacking || ranges.is_err() { Walked::through(&trace)? } else { Walked::default() };
    let ranges = ranges.unwrap_or(walked.ranges);
    let resume = Resume { totals, entries: copy.entries, ranges, meta, ..Resume::default() };
    let mut file = TraceWriter::resume(copy.out, copy.place, resume).map_err(failed)?;
    file.set_end(end);
    file.set_meta("repaired", Value::Bool(true));
    file.note_methods(walked.methods);
    copy.damage.iter().for_each(|text| file.gap_text(None, GapReason::DamagedChunk, text));
    let schema = |methods: &[u16]| if lacking { schema(trace.schema(), methods) } else { trace.schema().to_vec() };
    let (out, totals) = file.finish(open, |_| Default::default(), &schema).map_err(failed)?;
    Ok(Summary::new(totals, out.finish().map_err(failed)?))
}

/// What the events say of methods and addresses.
#[derive(Default)]
struct Walked {
    /// Methods of calls, and of calls whose arguments could not be read.
    methods: BTreeSet<u16>,
    ranges: Vec<Range>,
}

impl Walked {
    fn through(trace: &Trace) -> Result<Walked, ReadError> {
        let (mut walked, mut events) = (Walked::default(), trace.events_as_recorded());
        while let Some(event) = events.next()? {
            let is_call = matches!(event.kind, Kind::Enter | Kind::Leave);
            if is_call || (event.kind == Kind::Gap && event.object != 0) {
                walked.methods.insert(event.method);
            }
            if let Some((fact::ADDRESS_RANGE, bytes)) = event.fact().filter(|_| event.kind == Kind::Fact) {
                let mut c = Cursor(bytes);
                walked.ranges.extend(c.u64().zip(c.u64()).map(|(address, bytes)| (event.object, address, bytes)));
            }
        }
        Ok(walked)
    }
}

/// A trace being copied chunk by chunk.
struct Copy {
    out: FileOutput,
    place: u64,
    entries: Vec<Entry>,
    /// Damage not yet named in the copy.
    damage: Vec<String>,
    /// Damage that is.
    gaps: u64,
    /// Whether records of calls may be among what is left out.
    lost_events: bool,
}

impl Copy {
    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.append(bytes)?;
        self.place += bytes.len() as u64;
        Ok(())
    }

    fn stretch(&mut self, trace: &Trace, stretch: &Stretch) -> std::io::Result<()> {
        let entry = match stretch {
            Stretch::Chunk(entry) => entry,
            Stretch::Hole(offset, len) => {
                self.damage.push(format!("{len} bytes at offset {offset} of the original were no chunk"));
                self.lost_events = true;
                return Ok(());
            }
        };
        if !matches!(entry.header.kind, ChunkKind::Events | ChunkKind::Blobs | ChunkKind::Schema) {
            return Ok(());
        }
        if let Err(reason) = index::payload(&trace.source, entry) {
            self.damage.push(format!("of the original, {reason}"));
            self.lost_events |= entry.header.kind == ChunkKind::Events;
            return Ok(());
        }
        if entry.header.kind == ChunkKind::Events && !self.damage.is_empty() {
            // A chunk of gaps, just before the next one that is sound.
            self.gaps += self.damage.len() as u64;
            let (header, payload) = writer_records::chunk(&entry.header, &std::mem::take(&mut self.damage));
            let mut header = header;
            let bytes = Encoder::new()?.encode(&mut header, &payload)?.to_vec();
            self.entries.push(Entry { offset: self.place, header });
            self.put(&bytes)?;
        }
        let bytes = trace.source.read(entry.offset, entry.header.total())?;
        self.entries.push(Entry { offset: self.place, header: entry.header });
        self.put(&bytes)
    }
}
