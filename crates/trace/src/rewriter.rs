//! A new trace of records of another one, and of records that whoever makes it adds.
//!
//! Owns what is numbered anew: calls, sequence numbers and threads. Invariant: a leave follows the enter of its call on the same thread, and
//! what a record names by a blob's number stands before it.

use crate::file::layout::{FileHeader, Footer};
use crate::read::{Event, Trace};
use crate::record::{Header, Kind, LEAVES, ORDERED, Record, SEQUENCE, TICKS, head_size, padded};
use crate::trace_writer::{FileOutput, Progress, TraceWriter};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io;

/// Keys of the meta that the writer makes itself.
const MADE: [&str; 3] = ["threads", "wanted_frames", "stopped"];

/// Why a trace is not written anew.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The old trace cannot be read, or makes no sense.
    #[error("{0}")]
    Trace(String),
    /// The new trace cannot be written.
    #[error("the new trace cannot be written: {0}")]
    Output(#[from] io::Error),
}

/// What calls of a trace became in one that was made out of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Numbers(
    /// Runs, in the order of the old numbers: a first number there, a first number here, and how many. Calls that are not in the new trace are in
    /// none.
    Vec<(u64, u64, u64)>,
);

impl Numbers {
    /// A call has another number.
    pub fn note(&mut self, old: u64, new: u64) {
        match self.0.last_mut() {
            Some((first, became, count)) if *first + *count == old && *became + *count == new => *count += 1,
            _ => self.0.push((old, new, 1)),
        }
    }

    /// Of a trace whose calls have the numbers that they had.
    pub fn same() -> Numbers {
        Numbers(vec![(1, 1, u64::MAX - 1)])
    }

    /// The new number of a call; none where it is not in the new trace.
    pub fn of(&self, old: u64) -> Option<u64> {
        let behind = self.0.partition_point(|(first, ..)| *first <= old);
        let (first, new, count) = self.0.get(behind.checked_sub(1)?)?;
        (old - first < *count).then(|| new + (old - first))
    }
}

/// A trace under way.
pub struct Rewriter<'t> {
    trace: &'t Trace,
    writer: TraceWriter<FileOutput>,
    /// By the thread's number in the trace, its place in the writer, and the ticks of its last record that has some.
    threads: HashMap<u32, (usize, u64)>,
    /// By place in the writer: calls that have not returned, outermost first; the old number and the new one.
    open: Vec<Vec<(u64, u64)>>,
    calls: u64,
    sequence: u64,
}

/// A record of the new trace.
#[derive(Clone, Copy, Debug)]
pub struct NewRecord<'a> {
    /// The thread, as the old trace numbers it.
    pub thread: u32,
    /// What it is.
    pub kind: Kind,
    /// The method called or left; 0 where there is none.
    pub method: u16,
    /// Whether calls of the method have a leave.
    pub returns: bool,
    /// The object concerned; 0 for none.
    pub object: u32,
    /// Subresource of memory, or the place of a call among those of its object.
    pub ordinal: u32,
    /// [`SEQUENCE`]: it gets the next number. [`ORDERED`]: its place among its object's records is its order. [`TICKS`] follows from the time.
    pub flags: u8,
    /// The call's number in the old trace; a leave has that of its enter.
    pub number: u64,
    /// The time stamp of the thread at this record; 0 for none.
    pub ticks: u64,
    /// The whole payload.
    pub payload: &'a [u8],
}

impl<'t> Rewriter<'t> {
    /// Begins a trace of `api_hash`'s model, with the meta of the old one or what was made of it.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn create(
        trace: &'t Trace,
        file: FileOutput,
        api_hash: u64,
        mut meta: Map<String, Value>,
    ) -> io::Result<Rewriter<'t>> {
        MADE.iter().for_each(|key| _ = meta.shift_remove(*key));
        let (start, end) = trace.instants();
        let (api_version, _) = trace.api();
        let mut writer = TraceWriter::create(file, &FileHeader { api_version, api_hash, start }, meta)?;
        writer.set_end(end);
        let (threads, open) = (HashMap::new(), Vec::new());
        let mut rewriter = Rewriter { trace, writer, threads, open, calls: 0, sequence: 0 };
        for said in trace.meta()["threads"].as_array().into_iter().flatten() {
            let number = |key: &str| said[key].as_u64();
            if let Some(thread) = number("thread").and_then(|thread| u32::try_from(thread).ok()) {
                let name = said["name"].as_str().unwrap_or("");
                rewriter.add_thread(thread, number("os_id").or(number("id")).unwrap_or(0), name);
            }
        }
        Ok(rewriter)
    }

    /// Calls so far.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Says something of the trace that is known only now.
    pub fn set_meta(&mut self, key: &str, value: Value) {
        self.writer.set_meta(key, value);
    }

    /// The thread of this number, with this name if it is new.
    pub fn add_thread(&mut self, thread: u32, os_id: u64, name: &str) {
        self.place(thread, os_id, name);
    }

    fn place(&mut self, thread: u32, os_id: u64, name: &str) -> usize {
        if let Some((place, _)) = self.threads.get(&thread) {
            return *place;
        }
        let place = self.writer.add_thread(thread, os_id, name);
        self.threads.insert(thread, (place, 0));
        self.open.resize(self.open.len().max(place + 1), Vec::new());
        place
    }

    /// A blob that the thread's next record may name.
    pub fn blob(&mut self, thread: u32, number: u32, bytes: &[u8]) {
        let place = self.place(thread, 0, "");
        self.writer.blob(place, number, bytes);
    }

    /// The same, with bytes that the old trace has.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn blob_again(&mut self, thread: u32, number: u32, id: u64) -> Result<(), RewriteError> {
        let bytes = self.trace.blob_by_id(id).map_err(|error| RewriteError::Trace(error.to_string()))?;
        self.blob(thread, number, &bytes);
        Ok(())
    }

    /// The blobs that an event's payload may name.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn blobs_of(&mut self, event: &Event<'_>) -> Result<(), RewriteError> {
        event.blobs.iter().try_for_each(|(number, id)| self.blob_again(event.thread, *number, *id))
    }

    /// Calls and frames that the program did not make here.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn left_out(&mut self, thread: u32, calls: u64, mut frames: u32) -> Result<(), RewriteError> {
        let place = self.place(thread, 0, "");
        let mut left = calls;
        loop {
            left = self.writer.leave_out(place, left, std::mem::take(&mut frames));
            if left == 0 {
                break;
            }
            self.flush()?;
        }
        self.calls += calls;
        Ok(())
    }

    /// The next record.
    ///
    /// # Errors
    /// A leave ends no call of its thread, or the output cannot be written.
    pub fn put(&mut self, put: &NewRecord<'_>) -> Result<(), RewriteError> {
        let place = self.place(put.thread, 0, "");
        let mut flags = put.flags & (SEQUENCE | ORDERED);
        match put.kind {
            Kind::Enter => {
                self.calls += 1;
                if put.returns {
                    flags |= LEAVES;
                    self.open[place].push((put.number, self.calls));
                }
            }
            Kind::Leave => {
                // What was open within it never returned: the reader gives the leave to the innermost open call.
                let open = &mut self.open[place];
                match open.last() {
                    Some((number, _)) if *number == put.number => _ = open.pop(),
                    _ => {
                        let what =
                            format!("call {} returned, and a call within it has no end in the trace", put.number);
                        return Err(RewriteError::Trace(what));
                    }
                }
            }
            _ => {}
        }
        if flags & SEQUENCE != 0 {
            self.sequence += 1;
        }
        // The record before, which had the time, may not be there.
        let time = self.threads.get_mut(&put.thread).map(|(_, ticks)| ticks);
        if let Some(time) = time.filter(|time| **time != put.ticks && put.ticks != 0) {
            flags |= TICKS;
            *time = put.ticks;
        }
        let header = Header {
            size: (head_size(flags) + padded(put.payload.len())) as u32,
            method: put.method,
            kind: put.kind as u8,
            flags,
            object: put.object,
            ordinal: put.ordinal,
        };
        let record = Record {
            header,
            kind: put.kind,
            sequence: if flags & SEQUENCE != 0 { self.sequence } else { 0 },
            ticks: if flags & TICKS != 0 { put.ticks } else { 0 },
            after: 0,
            payload: put.payload,
        };
        self.writer.record(place, &record, false);
        if self.writer.is_full(put.kind == Kind::Frame) { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), RewriteError> {
        let open = &self.open;
        let flushed = self.writer.flush(false, |place| Progress {
            stored_to: 0,
            open: open.get(place).into_iter().flatten().map(|(_, new)| *new).collect(),
        });
        flushed?;
        match self.writer.cut() {
            Some(reason) => Err(RewriteError::Output(io::Error::other(reason.to_owned()))),
            None => Ok(()),
        }
    }

    /// Writes the rest. The result is the length of the file in bytes, and what it has in all.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn finish(mut self, schema: &dyn Fn(&[u16]) -> Vec<u8>) -> Result<(u64, Footer), RewriteError> {
        self.flush()?;
        let mut open: Vec<u64> = self.open.iter().flatten().map(|(_, new)| *new).collect();
        open.sort_unstable();
        let (file, totals) = self.writer.finish(open, |_| Progress::default(), schema)?;
        Ok((file.finish()?, totals))
    }
}
