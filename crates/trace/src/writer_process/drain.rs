//! Empties rings into a trace file, for the writer and for salvage.
//!
//! Owns the open rings, a copy of each ring's unread bytes, the rings' streams in the merge, how far each ring was given
//! back, and what is to be given back when chunks under way are in the file. Invariant: a ring's tail moves only over records
//! that are in the file, or over pieces of a blob that is larger than half the ring.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};

use crate::fact;
use crate::file::layout::{FileHeader, Footer};
use crate::merge::{Item, Merge, Resolved, Streams};
use crate::record::{GapReason, Header, Kind, ORDERED, Record};
use crate::shared::ring::{Consumer, Ring};
use crate::trace_writer::{Output, Progress, TraceWriter};
use crate::wanted_frames::{self, StopReason};
use crate::writer_process::motion::{Motion, Role};

/// The reader's place in a ring.
struct Open {
    index: u32,
    /// Where the pieces begin that came ahead of the next record.
    unit: u64,
    /// Last good head.
    head: u64,
    /// New bytes that the last look found.
    fresh: u64,
    tail: u64,
    /// Up to here records are in chunks that were handed over; those from the tail on are under way.
    handed_over: u64,
    broken: bool,
    in_call: u64,
    thread: usize,
}

/// A ring, and copied bytes of it around the record that is read.
///
/// Every byte is copied before anything is concluded from it, because the program may overrun its memory. Only a few pages are
/// copied at a time, so the copy is read from the processor's cache.
#[derive(Default)]
struct Source {
    ring: Option<Consumer>,
    /// The position of the first copied byte.
    start: u64,
    bytes: Vec<u8>,
}

/// Bytes that are copied at a time, if no record is longer.
const PIECE: u64 = 32 << 10;

impl Source {
    /// Copies the record at `position`, and what of the records behind it fits, none of it beyond `end`.
    #[inline]
    fn load(&mut self, position: u64, end: u64) {
        if self.has(position) {
            return;
        }
        self.copy(position, end, PIECE);
        if !self.has(position)
            && let Some(header) = self.header(position)
        {
            self.copy(position, end, header.size.into());
        }
    }

    /// Whether the copy has the whole record at a position.
    #[inline]
    fn has(&self, position: u64) -> bool {
        let left = self.get(position, u64::MAX).len();
        self.header(position).is_some_and(|header| header.size as usize <= left)
    }

    #[inline]
    fn header(&self, position: u64) -> Option<Header> {
        self.get(position, u64::MAX).first_chunk().map(Header::from_bytes)
    }

    #[cold]
    fn copy(&mut self, position: u64, end: u64, size: u64) {
        self.bytes.clear();
        self.start = position;
        if let Some(ring) = &self.ring {
            // A ring that does not have these bytes gives none, and an empty record is damage.
            ring.copy(position, end.min(position.saturating_add(size)), &mut self.bytes);
        }
    }

    /// The copied bytes from `position` up to `end`.
    #[inline]
    fn get(&self, position: u64, end: u64) -> &[u8] {
        let Some(first) = position.checked_sub(self.start) else { return &[] };
        let last = end.saturating_sub(self.start).min(self.bytes.len() as u64);
        self.bytes.get(first as usize..last as usize).unwrap_or(&[])
    }
}

#[derive(Default)]
struct Sources(Vec<Source>);

impl Sources {
    fn ring(&self, stream: usize) -> Option<&Consumer> {
        self.0.get(stream)?.ring.as_ref()
    }
}

impl Streams for Sources {
    #[inline]
    fn load(&mut self, stream: usize, position: u64, end: u64) {
        if let Some(source) = self.0.get_mut(stream) {
            source.load(position, end);
        }
    }

    #[inline]
    fn bytes(&self, stream: usize, position: u64, end: u64) -> &[u8] {
        self.0.get(stream).map_or(&[], |source| source.get(position, end))
    }
}

/// So long after a ring was more than half full. Its thread runs only after the writer has made room, so the next look may find little.
const HURRY_FOR: Duration = Duration::from_millis(250);

/// The rings, the merge and the file together.
pub(crate) struct Drain<O: Output> {
    sources: Sources,
    /// By stream, like the sources.
    rings: Vec<Open>,
    merge: Merge,
    file: TraceWriter<O>,
    /// For each chunk of events under way: its number among the file's flushes, and how far each stream is in it that is farther
    /// than before.
    under_way: VecDeque<(u64, Vec<(usize, u64)>)>,
    /// The reason in a [`crate::fact::STOP`] that was taken: nothing behind it is.
    stopped: Option<u32>,
    motion: Motion,
    /// A [`crate::fact::REMOVAL`] was taken.
    removed: bool,
    /// Blobs may be packed fast.
    may_hurry: bool,
    /// When a look last found a ring more than half full, whose thread waits soon.
    behind: Option<Instant>,
}

impl<O: Output> Drain<O> {
    /// Without rings yet.
    pub(crate) fn new(file: TraceWriter<O>, merge: Merge) -> Drain<O> {
        let motion = Motion::default();
        let (sources, rings, under_way) = (Sources::default(), Vec::new(), VecDeque::new());
        Drain {
            sources,
            rings,
            merge,
            file,
            under_way,
            stopped: None,
            motion,
            removed: false,
            may_hurry: false,
            behind: None,
        }
    }

    /// Lets it pack blobs fast while a thread of the program is about to wait: see [`TraceWriter::set_hurry`].
    pub(crate) fn let_hurry(&mut self, may: bool) {
        self.may_hurry = may;
    }

    /// Tells from here on whether anything moves: `role` says what calls of a method tell of that.
    pub(crate) fn watch_motion(&mut self, role: &dyn Fn(u16) -> Role) {
        self.motion = Motion::of(role);
    }

    /// What moves.
    pub(crate) fn motion(&mut self) -> &mut Motion {
        &mut self.motion
    }

    /// Whether a device was removed since the last time.
    pub(crate) fn take_removed(&mut self) -> bool {
        std::mem::take(&mut self.removed)
    }

    /// Ends the file here and goes on in another one: see [`TraceWriter::turn`].
    pub(crate) fn turn(
        &mut self,
        out: O,
        header: &FileHeader,
        schema: &dyn Fn(&[u16]) -> Vec<u8>,
    ) -> io::Result<Option<(O, Footer)>> {
        let mut progress = self.progress();
        let ended = self.file.turn(out, header, |thread| std::mem::take(&mut progress[thread]), schema)?;
        self.hand_over();
        self.release();
        Ok(ended)
    }

    /// The file.
    pub(crate) fn file(&mut self) -> &mut TraceWriter<O> {
        &mut self.file
    }

    /// Adds a ring, to be read from `from` on (or from its tail, if that is later). `open`: its calls that are open.
    pub(crate) fn add_ring(&mut self, ring: Consumer, index: u32, from: u64, open: Vec<u64>) {
        let (head, tail) = (ring.head(), ring.tail());
        let start = if from <= head { tail.max(from) } else { tail };
        let stream = self.merge.add_stream(start);
        self.merge.set_open(stream, open);
        let thread = self.file.add_thread(index, ring.thread_id(), &ring.name());
        if start > from {
            let text = format!("{} bytes of the ring were given back but are not in the trace", start - from);
            self.file.lose(Some(thread), GapReason::Overflow, &text);
        }
        let open = Open {
            index,
            unit: start,
            head: start,
            fresh: 0,
            tail,
            handed_over: tail,
            broken: false,
            in_call: 0,
            thread,
        };
        let source = Source { ring: Some(ring), ..Source::default() };
        match self.rings.get_mut(stream).zip(self.sources.0.get_mut(stream)) {
            Some(places) => (*places.0, *places.1) = (open, source),
            None => {
                self.rings.push(open);
                self.sources.0.push(source);
            }
        }
    }

    /// Prepares for rings whose beginning is already stored: an object's next ordinal is the smallest in the rings.
    pub(crate) fn resume_ordinals(&mut self) {
        let mut smallest: HashMap<u32, u32> = HashMap::new();
        for (stream, source) in self.sources.0.iter_mut().enumerate() {
            let Some(ring) = &source.ring else { continue };
            let (mut position, head) = (self.merge.position(stream), ring.head());
            while position < head {
                source.load(position, head);
                let Ok(record) = Record::parse(source.get(position, head)) else { break };
                if record.header.flags & ORDERED != 0 {
                    let ordinal = smallest.entry(record.header.object).or_insert(record.header.ordinal);
                    *ordinal = (*ordinal).min(record.header.ordinal);
                }
                position += u64::from(record.header.size);
            }
        }
        smallest.into_iter().for_each(|(object, ordinal)| self.merge.set_ordinal(object, ordinal));
    }

    /// Looks at all rings. Records with a number may be taken only if they were there at the last look: see
    /// [`Merge::advance`].
    pub(crate) fn look(&mut self) {
        for (stream, open) in self.rings.iter_mut().enumerate() {
            let Some(ring) = self.sources.ring(stream) else { continue };
            let head = ring.head();
            if head < open.head || head - open.tail > ring.capacity() || !head.is_multiple_of(8) {
                if !std::mem::replace(&mut open.broken, true) {
                    let text = format!("the ring's head is {head}, which cannot be");
                    self.file.gap_text(Some(open.thread), GapReason::DamagedRing, &text);
                }
            } else if !open.broken {
                open.fresh = head - open.head;
                open.head = head;
            }
            self.merge.advance(stream, open.head);
        }
        // With what is under way: the ring has it until it is in the file.
        if self.open().any(|(open, ring)| open.head.saturating_sub(open.tail) > ring.capacity() / 2) {
            self.behind = Some(Instant::now());
        }
    }

    /// Takes what can be taken; gives how many records that was. Writes chunks as they become full.
    pub(crate) fn take(&mut self) -> io::Result<u64> {
        let mut taken = 0;
        loop {
            if self.stopped.is_some() {
                return Ok(taken);
            }
            taken += self.take_light();
            let mut frame_ended = false;
            match self.merge.next(&mut self.sources) {
                None => return Ok(taken),
                Some(Item::Prefix { stream, record }) => self.file.prefix(self.rings[stream].thread, &record),
                Some(Item::Record { stream, record, late, .. }) => {
                    frame_ended = record.kind == Kind::Frame;
                    if record.kind == Kind::Fact {
                        self.stopped = wanted_frames::stop(record.payload);
                        self.removed |= record.payload.first_chunk() == Some(&fact::REMOVAL.to_le_bytes());
                    }
                    self.motion.note(&record);
                    self.file.record(self.rings[stream].thread, &record, late);
                    self.rings[stream].unit = self.merge.position(stream);
                }
                Some(Item::Gap(gap)) => {
                    let thread = gap.stream.map(|s| self.rings[s].thread);
                    self.file.gap(thread, &gap);
                }
            }
            taken += 1;
            if self.file.is_full(frame_ended) {
                self.flush()?;
            }
        }
    }

    #[inline]
    fn take_light(&mut self) -> u64 {
        let Some(stream) = self.merge.running() else { return 0 };
        let (file, thread) = (&mut self.file, self.rings[stream].thread);
        if !file.takes_plainly(thread) {
            return 0;
        }
        let taken = self.merge.take_light(&mut self.sources, |header, record| file.light(thread, header, record));
        if taken > 0 {
            self.rings[stream].unit = self.merge.position(stream);
            // Light calls ask nothing.
            self.motion.moves();
        }
        taken
    }

    /// Gives up what is missing and takes all that waits for it.
    pub(crate) fn take_rest(&mut self) -> io::Result<()> {
        loop {
            self.take()?;
            if self.stopped.is_some() {
                return Ok(());
            }
            match self.merge.resolve(&mut self.sources) {
                Resolved::Nothing => return Ok(()),
                Resolved::Ready => {}
                Resolved::Gap(gap) => {
                    let thread = gap.stream.map(|s| self.rings[s].thread);
                    self.file.gap(thread, &gap);
                }
            }
        }
    }

    /// Takes everything that the program has published, where the recording has not ended before it.
    pub(crate) fn take_all(&mut self) -> io::Result<()> {
        if self.ended().is_some() {
            return Ok(());
        }
        // A sequenced record is taken only if an earlier look saw it, so the last ones need two looks.
        self.look();
        self.look();
        self.take_rest()
    }

    /// Gives up one thing that is missing; false when nothing waits.
    pub(crate) fn give_up_one(&mut self) -> bool {
        match self.merge.resolve(&mut self.sources) {
            Resolved::Nothing => false,
            Resolved::Ready => true,
            Resolved::Gap(gap) => {
                let thread = gap.stream.map(|s| self.rings[s].thread);
                self.file.gap(thread, &gap);
                true
            }
        }
    }

    fn stored_to(file: &TraceWriter<O>, merge: &Merge, (open, ring): (&Open, &Ring), stream: usize) -> u64 {
        let position = merge.position(stream);
        let half = ring.capacity() / 2;
        if file.is_collecting(open.thread) && position - open.unit <= half { open.unit } else { position }
    }

    /// Hands over what waits, then gives the rings back what is stored.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let mut progress = self.progress();
        self.file.set_hurry(self.may_hurry && self.behind.is_some_and(|at| at.elapsed() < HURRY_FOR));
        // A ring that fills up must be given back even if it has nothing new but a part of a long blob.
        if self.file.flush(self.is_pressed(), |thread| std::mem::take(&mut progress[thread]))? {
            self.hand_over();
        }
        self.release();
        Ok(())
    }

    /// Appends the chunks that are ready, and gives the rings back what is in them. The result is whether there were any with events.
    ///
    /// # Errors
    /// As those of [`Drain::flush`].
    pub(crate) fn collect(&mut self) -> io::Result<bool> {
        self.file.collect()?;
        Ok(self.release())
    }

    /// Sleeps so long, or until there is something to collect.
    pub(crate) fn sleep(&self, time: Duration) {
        self.file.sleep(time);
    }

    /// Keeps the schema in the file as complete as its events are.
    ///
    /// # Errors
    /// As those of [`Drain::flush`].
    pub(crate) fn describe(&mut self, schema: &dyn Fn(&[u16]) -> Vec<u8>) -> io::Result<()> {
        self.file.describe(schema)
    }

    /// By thread of the file.
    fn progress(&self) -> Vec<Progress> {
        let mut progress = vec![Progress::default(); self.file.thread_count()];
        for (stream, open) in self.rings.iter().enumerate() {
            let Some(ring) = self.sources.ring(stream) else { continue };
            let stored_to = Self::stored_to(&self.file, &self.merge, (open, ring), stream);
            progress[open.thread] = Progress { stored_to, open: self.merge.open_calls(stream, 0) };
        }
        progress
    }

    /// Notes what the rings get back when the chunk that was just handed over is in the file.
    fn hand_over(&mut self) {
        let mut places = Vec::new();
        for (stream, (open, source)) in self.rings.iter_mut().zip(&self.sources.0).enumerate() {
            let Some(ring) = &source.ring else { continue };
            let to = Self::stored_to(&self.file, &self.merge, (open, ring), stream);
            if to > open.handed_over {
                (open.handed_over, open.unit) = (to, open.unit.max(to));
                places.push((stream, to));
            }
        }
        self.under_way.push_back((self.file.flushes(), places));
    }

    /// Gives the rings back what is in the file now. The result is whether that is more than before.
    fn release(&mut self) -> bool {
        let (stored, before) = (self.file.stored(), self.under_way.len());
        while let Some((_, places)) = self.under_way.pop_front_if(|(number, _)| *number <= stored) {
            // A stream's ring is the same until all of its records are stored, and then no chunk under way names the stream.
            for (stream, to) in places {
                if let Some(ring) = &mut self.sources.0[stream].ring {
                    ring.release(to);
                    self.rings[stream].tail = to;
                }
            }
        }
        self.under_way.len() < before
    }

    fn open(&self) -> impl Iterator<Item = (&Open, &Consumer)> {
        self.rings.iter().zip(&self.sources.0).filter_map(|(open, source)| Some((open, source.ring.as_ref()?)))
    }

    /// Whether some ring is more than half full, of the part that has been looked at. What is under way does not count: it
    /// will be given back without another chunk.
    pub(crate) fn is_pressed(&self) -> bool {
        self.open().any(|(open, ring)| open.head - open.handed_over > ring.capacity() / 2)
    }

    /// Rings that are open although their threads have ended, without those of which something is under way.
    pub(crate) fn closed(&self) -> usize {
        self.open().filter(|(open, ring)| ring.is_closed() && open.tail == open.handed_over).count()
    }

    /// What the last look found new in the busiest ring, in 256ths of its capacity.
    pub(crate) fn fresh(&self) -> u64 {
        self.open().map(|(open, ring)| open.fresh * 256 / ring.capacity()).max().unwrap_or(0)
    }

    /// Nothing moved for this long. Without a flight recorder that ends the trace.
    pub(crate) fn note_still(&mut self, allowed: Duration, ends: bool) {
        let put = |file: &mut TraceWriter<O>, payload: &[u8]| {
            let header = Header { kind: Kind::Fact as u8, ..Header::default() };
            let record = Record { header, kind: Kind::Fact, sequence: 0, ticks: 0, after: 0, payload };
            file.record(0, &record, false);
        };
        let words = [fact::STILL, 0, u32::try_from(allowed.as_secs()).unwrap_or(u32::MAX), 0];
        put(&mut self.file, &words.map(u32::to_le_bytes).concat());
        if ends {
            put(&mut self.file, &wanted_frames::stop_payload(StopReason::Hang));
            self.stopped = Some(StopReason::Hang as u32);
        }
    }

    /// Why the trace is to end although the program goes on; `None` while it is not.
    pub(crate) fn ended(&self) -> Option<u32> {
        self.stopped.or(self.file.is_capped().then_some(StopReason::Size as u32))
    }

    /// Whether records wait for others that are missing.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.merge.is_drained()
    }

    /// Drops the rings of ended threads once all of their records are stored, and returns the rings' numbers. A new ring takes the
    /// place of a dropped one. So a program may have any number of threads over its life.
    pub(crate) fn retire(&mut self) -> Vec<u32> {
        let mut retired = Vec::new();
        for (stream, (open, source)) in self.rings.iter_mut().zip(&mut self.sources.0).enumerate() {
            let Some(ring) = &source.ring else { continue };
            // In this order: what was published before the closing is visible after it.
            let ended = ring.is_closed() && ring.head() == open.tail;
            if ended {
                note_losses(&mut self.file, ring, open.thread);
                note_incomplete(&mut self.file, open.thread);
                self.file.remove_thread(open.thread);
                self.merge.remove_stream(stream);
                retired.push(open.index);
                *source = Source::default();
            }
        }
        if let Some(places) = self.file.forget_removed() {
            for (open, _) in self.rings.iter_mut().zip(&self.sources.0).filter(|(_, source)| source.ring.is_some()) {
                open.thread = places[open.thread];
            }
        }
        retired
    }

    /// Ends the recording: everything visible is taken, losses are named, the file is completed.
    pub(crate) fn finish(mut self, schema: &dyn Fn(&[u16]) -> Vec<u8>) -> io::Result<(O, Footer)> {
        self.take_all()?;
        // If the trace ended before its program, losses and open calls in the rings belong to the time after the end.
        let stopped = self.ended().is_some();
        let mut open_calls = Vec::new();
        let mut waits = (0, 0);
        for (stream, open) in self.rings.iter_mut().enumerate() {
            if let Some(ring) = self.sources.ring(stream) {
                waits = (waits.0 + ring.waits().0, waits.1 + ring.waits().1);
                if stopped {
                    open_calls.extend(self.merge.open_calls(stream, 0));
                    continue;
                }
                open.in_call = ring.in_call();
                note_losses(&mut self.file, ring, open.thread);
                if let Some(call) = ring.reading() {
                    self.file.unread(open.thread, call);
                }
                open_calls.extend(self.merge.open_calls(stream, open.in_call));
                note_incomplete(&mut self.file, open.thread);
            }
        }
        open_calls.sort_unstable();
        self.file.set_meta("ring_waits", serde_json::json!({"count": waits.0, "ns": waits.1}));
        let mut progress = self.progress();
        self.file.flush(false, |thread| std::mem::take(&mut progress[thread]))?;
        let mut progress = self.progress();
        self.file.finish(open_calls, |thread| std::mem::take(&mut progress[thread]), schema)
    }
}

fn note_losses<O: Output>(file: &mut TraceWriter<O>, ring: &Ring, thread: usize) {
    let lost = ring.lost();
    if lost > 0 {
        let text = format!("the thread stopped recording; records that are lost: {lost}");
        file.lose(Some(thread), GapReason::Overflow, &text);
    }
}

fn note_incomplete<O: Output>(file: &mut TraceWriter<O>, thread: usize) {
    if file.is_collecting(thread) {
        let text = "the thread ended while it wrote a blob or a long payload";
        file.gap_text(Some(thread), GapReason::Unfinished, text);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::os::Mapping;
    use crate::read::Trace;
    use crate::record::SEQUENCE;
    use crate::shared::ring::{CONTROL, Producer};
    use crate::shared::session::SessionPage;
    use std::sync::{Arc, Mutex};

    #[test]
    fn threads_that_are_gone_take_no_place_and_are_in_the_trace() {
        const THREADS: u32 = 500;
        const ALL: u32 = THREADS + 300;
        let file = TraceWriter::create(Vec::new(), &FileHeader::default(), serde_json::Map::new()).unwrap();
        let mut drain = Drain::new(file, Merge::default());
        let page = Arc::new(SessionPage::anonymous());
        let write = |index: u32| {
            let (memory, name) = (Mapping::anonymous(CONTROL + 4096), format!("thread {index}"));
            let mut producer = Producer::create(memory, index, index.into(), &name, Arc::clone(&page)).unwrap();
            assert!(producer.record(Kind::Enter, 7, SEQUENCE, index, 0, &[&u64::from(index).to_le_bytes()]));
            // Owned on both sides here; in a process of its own the writer maps the file anew.
            Consumer::new(Arc::clone(producer.ring()))
        };
        for index in 0..THREADS {
            let ring = write(index);
            drain.add_ring(ring, index, 0, Vec::new());
            drain.look();
            drain.look();
            drain.take().unwrap();
            if index % 3 == 0 {
                drain.flush().unwrap();
                drain.retire();
            }
            assert!(drain.rings.len() <= 8, "{} places", drain.rings.len());
            assert!(drain.file.thread_count() <= 140, "{} threads", drain.file.thread_count());
        }
        // Many at once, all gone before the next one comes: their places in the file are, too, and those of their rings are not.
        for index in THREADS..ALL - 1 {
            drain.add_ring(write(index), index, 0, Vec::new());
        }
        for index in [None, Some(ALL - 1)] {
            index.into_iter().for_each(|index| drain.add_ring(write(index), index, 0, Vec::new()));
            drain.look();
            drain.look();
            drain.take().unwrap();
            drain.flush().unwrap();
            drain.retire();
        }
        let (bytes, totals) = drain.finish(&|_| Vec::new()).unwrap();
        assert_eq!((totals.calls, totals.threads, totals.gaps), (ALL.into(), ALL, 0));
        let trace = Trace::from_bytes(bytes).unwrap();
        let threads = trace.meta()["threads"].as_array().unwrap();
        let named: Vec<_> =
            threads.iter().map(|t| (t["thread"].as_u64().unwrap(), t["name"].as_str().unwrap())).collect();
        let texts: Vec<String> = (0..ALL).map(|index| format!("thread {index}")).collect();
        let expected: Vec<_> = (0..).zip(texts.iter().map(String::as_str)).collect();
        assert_eq!(named, expected);
        let (mut events, mut objects) = (trace.events(), Vec::new());
        while let Some(event) = events.next().unwrap() {
            assert_eq!(event.thread, event.object);
            objects.push(event.object);
        }
        assert_eq!(objects, (0..ALL).collect::<Vec<_>>());
    }

    /// An output that others see.
    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<u8>>>);

    impl Output for Seen {
        fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(())
        }

        fn reserve(&mut self, _bytes: u64) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seen {
        /// Calls of a thread in it.
        fn calls(&self, thread: u32) -> u64 {
            let trace = Trace::from_bytes(self.0.lock().unwrap().clone()).unwrap();
            let (mut events, mut calls) = (trace.events(), 0);
            while let Some(event) = events.next().unwrap() {
                calls += u64::from(event.thread == thread && event.kind == Kind::Enter);
            }
            calls
        }
    }

    /// At any time a ring has been given back no farther than the file has it, and as far as that soon; and its place goes to another
    /// ring only when nothing of it is under way.
    #[test]
    fn rings_are_given_back_when_their_chunks_are_in_the_file() {
        const RINGS: u32 = 10;
        const CALLS: u64 = 300;
        const BYTES: u64 = 16 + 8 + 512;
        let seen = Seen::default();
        let mut file = TraceWriter::create(seen.clone(), &FileHeader::default(), serde_json::Map::new()).unwrap();
        // Slow, so that chunks are under way when rings are looked at.
        file.set_compression("zstd:15".parse().unwrap());
        file.set_compressors(2);
        let mut drain = Drain::new(file, Merge::default());
        let page = Arc::new(SessionPage::anonymous());
        let (mut seed, mut waited) = (1u64, false);
        for index in 0..RINGS {
            let memory = Mapping::anonymous(CONTROL + (1 << 20));
            let mut producer = Producer::create(memory, index, index.into(), "", Arc::clone(&page)).unwrap();
            let ring = Arc::clone(producer.ring());
            drain.add_ring(Consumer::new(Arc::clone(&ring)), index, 0, Vec::new());
            for part in 0..3 {
                for _ in 0..CALLS {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let words: Vec<u8> = (0..64).flat_map(|by| (seed.rotate_left(by) % 1000).to_le_bytes()).collect();
                    assert!(producer.record(Kind::Enter, 7, SEQUENCE, index, 0, &[&words]));
                }
                drain.look();
                drain.look();
                drain.take().unwrap();
                drain.flush().unwrap();
                waited |= ring.tail() < ring.head();
                let given_back = ring.tail();
                assert!(given_back <= BYTES * seen.calls(index), "ring {index}, part {part}");
                // The threads that pack chunks append them, and the next look finds what they did.
                let begun = Instant::now();
                while ring.tail() != BYTES * seen.calls(index) {
                    assert!(begun.elapsed() < Duration::from_secs(60), "ring {index}, part {part}");
                    drain.collect().unwrap();
                }
            }
            drop(producer);
            drain.retire();
        }
        assert!(waited, "nothing was ever under way");
        while !drain.under_way.is_empty() {
            drain.sleep(Duration::MAX);
            drain.collect().unwrap();
        }
        drain.retire();
        assert_eq!(drain.open().count(), 0, "rings that have everything in the file are left");
        let (_, totals) = drain.finish(&|_| Vec::new()).unwrap();
        assert_eq!((totals.calls, totals.gaps), (3 * CALLS * u64::from(RINGS), 0));
        (0..RINGS).for_each(|index| assert_eq!(seen.calls(index), 3 * CALLS));
    }
}
