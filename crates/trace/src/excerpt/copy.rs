//! Copies the kept events of a recording into a trace of its own.

use std::collections::BTreeMap;
use std::io;

use serde_json::{Map, Value};

use crate::excerpt::plan::{Plan, Put, Store};
use crate::file::chunk::Compression;
use crate::file::layout::Footer;
use crate::read::{Event, Trace};
use crate::record::{Header, Kind, LEAVES, Record};
use crate::trace_writer::{Output, Progress, TraceWriter};

/// How an excerpt is written.
pub struct Orders<'a> {
    /// What the excerpt says of itself besides what the recording says.
    pub about: Map<String, Value>,
    /// How far it is compressed.
    pub compression: Compression,
    /// Makes the schema of the methods that occur.
    pub schema: &'a dyn Fn(&[u16]) -> Vec<u8>,
    /// Says of a method whether it may give out objects.
    pub gives: &'a dyn Fn(u16) -> bool,
}

/// Longest piece of memory in one record, in bytes.
const PIECE: usize = 1 << 20;

/// Writes the events of a recording that a plan keeps.
///
/// # Errors
/// There are no traces, one cannot be read, or the output cannot be written whole.
pub fn write<O: Output>(inputs: &[Trace], plan: &Plan, out: O, orders: Orders<'_>) -> io::Result<(O, Footer)> {
    let (Some(first), Some(last)) = (inputs.first(), inputs.last()) else {
        return Err(io::Error::other("a recording without any trace"));
    };
    let mut meta = last.meta().as_object().cloned().unwrap_or_default();
    meta.remove("threads");
    meta.extend(orders.about);
    let mut file = TraceWriter::create(out, &first.header, meta)?;
    file.set_compression(orders.compression);
    file.set_giving(orders.gives);
    file.set_end(last.totals.end);
    let mut copy = Copy { file, named: BTreeMap::new(), threads: BTreeMap::new(), open: Vec::new(), calls: 0 };
    for input in inputs {
        copy.name_threads(input);
    }
    let (mut index, mut put, mut thread) = (0, plan.put.iter().peekable(), 0);
    for input in inputs {
        let mut events = input.events_as_recorded();
        while let Some(event) = events.next().map_err(io::Error::other)? {
            thread = event.thread;
            while let Some((_, what)) = put.next_if(|(before, _)| *before <= index) {
                copy.put(thread, what)?;
            }
            if index == plan.whole_from {
                copy.begin_whole(&event)?;
            }
            if plan.keeps(index) {
                copy.event(input, &event)?;
            } else {
                copy.pass(&event);
            }
            index += 1;
        }
    }
    for (_, what) in put {
        copy.put(thread, what)?;
    }
    let Copy { mut file, open: stacks, .. } = copy;
    file.flush(false, |thread| progress(&stacks, thread))?;
    file.settle()?;
    if let Some(reason) = file.cut() {
        return Err(io::Error::new(io::ErrorKind::StorageFull, reason.to_owned()));
    }
    // Those that were running where the recording was cut, and light ones that never ended.
    let mut open: Vec<u64> = last.totals.open.iter().chain(stacks.iter().flatten()).copied().collect();
    open.sort_unstable();
    open.dedup();
    file.finish(open, |thread| progress(&stacks, thread), orders.schema)
}

fn progress(stacks: &[Vec<u64>], thread: usize) -> Progress {
    Progress { stored_to: 0, open: stacks.get(thread).cloned().unwrap_or_default() }
}

struct Copy<O: Output> {
    file: TraceWriter<O>,
    /// The system's number and the name of each thread.
    named: BTreeMap<u32, (u64, String)>,
    /// The writer's number of each thread.
    threads: BTreeMap<u32, usize>,
    /// By the writer's number of the thread: the calls that are open in the excerpt, outermost first.
    open: Vec<Vec<u64>>,
    /// Calls begun so far in the recording.
    calls: u64,
}

impl<O: Output> Copy<O> {
    fn name_threads(&mut self, trace: &Trace) {
        for thread in trace.meta()["threads"].as_array().into_iter().flatten() {
            let number = |key: &str| thread[key].as_u64().unwrap_or(0);
            let name = thread["name"].as_str().unwrap_or_default().to_owned();
            self.named.insert(number("thread") as u32, (number("os_id"), name));
        }
    }

    fn thread(&mut self, id: u32) -> usize {
        if let Some(known) = self.threads.get(&id) {
            return *known;
        }
        let (os_id, name) = self.named.get(&id).cloned().unwrap_or_default();
        let thread = self.file.add_thread(id, os_id, &name);
        self.open.resize(self.open.len().max(thread + 1), Vec::new());
        self.threads.insert(id, thread);
        thread
    }

    /// An event that is not kept.
    fn pass(&mut self, event: &Event<'_>) {
        self.calls = self.calls.max(event.number);
    }

    /// Everything is kept from this event on. A reader must know that something was left out here, however much it was.
    fn begin_whole(&mut self, event: &Event<'_>) -> io::Result<()> {
        let thread = self.thread(event.thread);
        let _nothing_left = self.file.leave_out(thread, 0, 0);
        if self.file.is_full(true) { self.flush() } else { Ok(()) }
    }

    /// Has the excerpt's numbers reach this call and frame.
    fn reach(&mut self, thread: usize, calls: u64, frame: u32) -> io::Result<()> {
        let mut left = calls.saturating_sub(self.file.totals().calls);
        let mut frames = frame.saturating_sub(self.file.totals().frames);
        while left > 0 || frames > 0 {
            left = self.file.leave_out(thread, left, std::mem::take(&mut frames));
            if left > 0 {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let open = &self.open;
        self.file.flush(false, |thread| progress(open, thread)).map(|_| ())
    }

    fn event(&mut self, trace: &Trace, event: &Event<'_>) -> io::Result<()> {
        let thread = self.thread(event.thread);
        let is_enter = event.kind == Kind::Enter;
        if event.kind != Kind::Leave {
            self.calls = self.calls.max(event.number);
        }
        // What stands between two calls says the number of the first. A leave says that of its own.
        let before = if is_enter { event.number.saturating_sub(1) } else { self.calls };
        let in_frame = event.frame;
        if crate::fact::left_out(event.payload).is_some() && event.kind == Kind::Fact {
            // An earlier excerpt's: the numbers say it all.
            return Ok(());
        }
        self.reach(thread, before, in_frame)?;
        for (number, id) in event.blobs {
            let bytes = trace.blob_by_id(*id).map_err(io::Error::other)?;
            self.file.blob(thread, *number, &bytes);
        }
        let header = Header {
            size: 0,
            method: event.method,
            kind: event.kind as u8,
            flags: event.flags,
            object: event.object,
            ordinal: event.ordinal,
        };
        let Event { kind, sequence, ticks, payload, .. } = *event;
        self.file.record(thread, &Record { header, kind, sequence, ticks, after: 0, payload }, false);
        let open = &mut self.open[thread];
        match event.kind {
            Kind::Enter if event.flags & LEAVES != 0 => open.push(event.number),
            Kind::Leave => _ = open.pop(),
            _ => {}
        }
        if self.file.is_full(event.kind == Kind::Frame) { self.flush() } else { Ok(()) }
    }

    /// Puts what the plan says, on a thread.
    fn put(&mut self, thread: u32, what: &Put) -> io::Result<()> {
        let thread = self.thread(thread);
        let plain = |kind: Kind, object, ordinal| Header { kind: kind as u8, object, ordinal, ..Header::default() };
        let mut record = |header: Header, kind, payload: &[u8]| {
            self.file.record(thread, &Record { header, kind, sequence: 0, ticks: 0, after: 0, payload }, false);
        };
        match what {
            Put::Observe { fence, value } => {
                record(plain(Kind::Observe, *fence, 0), Kind::Observe, &value.to_le_bytes());
            }
            Put::Store(Store { resource, subresource, offset, bytes }) => {
                for (piece, at) in bytes.chunks(PIECE).zip((*offset..).step_by(PIECE)) {
                    let mut payload = Vec::with_capacity(piece.len() + 16);
                    payload.extend(at.to_le_bytes());
                    payload.extend((piece.len() as u64).to_le_bytes());
                    payload.extend(piece);
                    record(plain(Kind::Memory, *resource, *subresource), Kind::Memory, &payload);
                }
            }
        }
        if self.file.is_full(false) { self.flush() } else { Ok(()) }
    }
}
