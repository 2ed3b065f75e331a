//! Takes the records that a dead writer left in the rings over into the opened trace. The rings stay as they are.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

use crate::file::layout::ThreadState;
use crate::merge::Merge;
use crate::read::Trace;
use crate::read::index::{self, Stretch};
use crate::record::GapReason;
use crate::salvage::count::Counted;
use crate::shared::session::Session;
use crate::trace_writer::{Output, Resume, TraceWriter};
use crate::writer_process::drain::Drain;
use crate::writer_process::rings::not_recorded;

/// Appends to the trace what the rings in `folder` hold beyond it. The error says why nothing was taken.
pub(super) fn append(
    trace: &mut Trace,
    folder: &Path,
    counted: Counted,
    meta: Map<String, Value>,
) -> Result<(), String> {
    let session = Session::open_snapshot(folder).map_err(|e| e.to_string())?;
    if session.started() != trace.header.start {
        return Err(format!("{}: the rings belong to another recording", folder.display()));
    }
    if session.has_writer() {
        return Err(format!("{}: the recording still runs; its writer will finish the trace", folder.display()));
    }
    let place = trace.source.len();
    let resumed = counted.totals.calls > 0 || counted.totals.sequence > 1;
    let Counted { mut totals, threads, recorded, ranges, gaps, .. } = counted;
    // What the writer was writing when it died: the rings still hold it, and name what they do not.
    let unfinished = matches!(trace.stretches.last(), Some(&Stretch::Hole(offset, len)) if offset + len == place);
    totals.gaps -= u64::from(unfinished);
    let merge = Merge::resume(totals.sequence, totals.calls);
    let seen = session.last_seen();
    let end = if seen.monotonic_ns > totals.end.monotonic_ns { seen } else { totals.end };
    let resume = Resume { totals, entries: Vec::new(), threads: threads.clone(), counted: recorded, ranges, meta };
    let mut file = TraceWriter::resume(Vec::new(), place, resume).map_err(|e| e.to_string())?;
    file.set_end(end);
    let mut drain = Drain::new(file, merge);
    open_rings(&session, &mut drain, &threads, &gaps);
    if resumed {
        drain.resume_ordinals();
    }
    let (bytes, totals) = drain.finish(&|_| Vec::new()).map_err(|e| e.to_string())?;
    if unfinished {
        trace.stretches.pop();
    }
    trace.source.extend(bytes);
    trace.stretches.extend(index::scan(&trace.source, place));
    trace.sort_stretches();
    trace.totals = totals;
    trace.meta = Value::Null;
    trace.ranges = None;
    Ok(())
}

/// Opens every ring that is left, each from where the trace already has it, and names those that could not be made, where
/// none of the `gaps` of the trace does already.
fn open_rings<O: Output>(session: &Session, drain: &mut Drain<O>, threads: &[ThreadState], gaps: &HashSet<u64>) {
    for text in session.failed_rings().into_iter().map(not_recorded) {
        if !gaps.contains(&xxh3_64(text.as_bytes())) {
            drain.file().lose(None, GapReason::Capture, &text);
        }
    }
    for index in session.rings() {
        let known = threads.iter().find(|t| t.thread == index);
        match session.open_ring(index) {
            Ok(Some(ring)) => {
                let from = known.map_or(0, |t| t.stored_to);
                drain.add_ring(ring, index, from, known.map(|t| t.open.clone()).unwrap_or_default());
            }
            Ok(None) => {}
            Err(error) => {
                let text = format!("thread {index}: {error}");
                drain.file().gap_text(None, GapReason::DamagedRing, &text);
            }
        }
    }
}
