//! The selection of events to read: all of them, a range of frames, or from a call on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::thread::Builder;

use crate::file::laid::Laid;
use crate::file::layout::Entry;
use crate::read::blob_chunks::BlobChunks;
use crate::read::decode::EventChunk;
use crate::read::division::{Division, Ends};
use crate::read::events::{Ahead, Events};
use crate::read::index::Stretch;
use crate::read::trace::Trace;

/// How many chunks of events a thread that reads ahead may have ready.
const AHEAD: usize = 4;
/// With so many ready, the thread has time to unpack the next one for the reader. With fewer it would keep the reader waiting, who then
/// unpacks it.
const ENOUGH: usize = 2;

impl Trace {
    /// How many stretches of the file have events: chunks of them, and bytes that are no chunk. They are numbered in order, from 0.
    pub fn stretches_of_events(&self) -> usize {
        self.events.len()
    }

    /// All events in order.
    pub fn events(&self) -> Events<'_> {
        Events::new(self, 0)
    }

    /// All events in order, with the frames that were recorded: for what copies or checks them.
    pub fn events_as_recorded(&self) -> Events<'_> {
        Events::as_recorded(self)
    }

    /// Where nothing ended a frame, calls of this method end one from here on; `method` is in the reader's numbers. To be called before
    /// events are read, and after [`Trace::translate`]. Such boundaries are [`Kind::Frame`](crate::record::Kind::Frame) events with the
    /// source 3.
    pub fn end_frames_by_submissions(&self, method: u16) {
        if self.statistics().frames == 0 {
            // The first to say it decides.
            let _ = self.division.set(Division::by(method));
        }
    }

    /// Frames end with these calls from here on, and not where it was recorded. To be called before the events are read that are to have these
    /// frames, and after [`Trace::translate`]. Once for a trace: false where it was done already, which stays.
    pub fn end_frames(&self, ends: Ends) -> bool {
        self.chosen.set(Division::at(ends)).is_ok()
    }

    /// The ends of frames that were [chosen](Trace::end_frames).
    pub fn chosen_ends(&self) -> Option<&Ends> {
        self.chosen.get()?.chosen()
    }

    /// What ends its frames, where these are not as they were recorded.
    pub(crate) fn division(&self) -> Option<&Division> {
        self.chosen.get().or_else(|| self.division.get())
    }

    /// How many frames end in it: as it was recorded, as a reader [chose](Trace::end_frames), or submissions where these are
    /// [its frames](Trace::is_by_submissions). Counting the latter takes a walk over the events, once.
    pub fn frame_count(&self) -> u32 {
        match self.division() {
            Some(division) => Events::starts(self, division).last().copied().unwrap_or(0),
            None => self.statistics().frames,
        }
    }

    /// Whether its frames are submissions, because nothing ended one.
    pub fn is_by_submissions(&self) -> bool {
        self.chosen.get().is_none() && self.division.get().is_some()
    }

    /// Gives all events in order to `reader`, while a thread of its own reads, decompresses and unpacks ahead.
    pub fn events_ahead<R>(&self, reader: impl FnOnce(Events<'_>) -> R) -> R {
        std::thread::scope(|scope| {
            let (chunks, come) = sync_channel(AHEAD);
            let (used, done) = channel();
            let ready = Arc::new(AtomicUsize::new(0));
            let sent = Arc::clone(&ready);
            let read = move || {
                let mut unused = Vec::new();
                for stretch in &self.events {
                    let mut chunk = self.event_chunk(*stretch);
                    if sent.load(Ordering::Relaxed) >= ENOUGH {
                        unused.extend(done.try_iter());
                        chunk = chunk.map(|(entry, chunk)| (entry, self.lay(chunk, &mut unused)));
                    }
                    sent.fetch_add(1, Ordering::Relaxed);
                    // The reader has what it wanted, and takes no more.
                    if chunks.send(chunk).is_err() {
                        return;
                    }
                }
            };
            // Without such a thread nothing comes, and the reader reads all itself.
            let _ = Builder::new().name("reprise-events".into()).spawn_scoped(scope, read);
            reader(Events::ahead(self, Ahead { chunks: come, used, ready }))
        })
    }

    /// Unpacks the records of a chunk in the place of records that are done with.
    fn lay(&self, chunk: EventChunk, unused: &mut Vec<Laid>) -> EventChunk {
        let (chunk, left) = chunk.lay(unused.pop().unwrap_or_default());
        match left {
            Ok(block) => self.blocks.give_back(block),
            Err(laid) => unused.push(laid),
        }
        chunk
    }

    /// The same for a reader that wants what the program stored to memory, too: another thread reads that ahead.
    pub fn events_and_blobs_ahead<R>(&self, reader: impl FnOnce(Events<'_>) -> R) -> R {
        std::thread::scope(|scope| {
            /// Ends the thread however the reader ends.
            struct End<'t>(&'t BlobChunks);
            impl Drop for End<'_> {
                fn drop(&mut self) {
                    self.0.finish();
                }
            }
            self.blob_chunks.begin();
            let run = || self.blob_chunks.run_ahead(&self.blobs, |entry| self.blob_chunk(entry));
            // Without such a thread the reader reads all itself.
            let _ = Builder::new().name("reprise-blobs".into()).spawn_scoped(scope, run);
            let _end = End(&self.blob_chunks);
            self.events_ahead(reader)
        })
    }

    /// The events of the frames in this range.
    pub fn frames(&self, frames: std::ops::Range<u32>) -> Events<'_> {
        // A frame may begin within the chunk before the first one that begins in it.
        let from = self.seek_frame(frames.start);
        Events::of_frames(self, from, frames)
    }

    /// The events from the enter of this call on.
    pub fn from_call(&self, call: u64) -> Events<'_> {
        let from = self.seek(|entry| entry.header.first < call);
        Events::from_call(self, from, call)
    }

    /// All events from the chunk on in which this frame and this call begin, and before that those of the chunks that say
    /// what objects, addresses and descriptor handles stand for. A reader of a late part of a long trace so knows the objects
    /// in it without reading the rest.
    pub fn events_known_from(&self, frame: u32, call: u64) -> Events<'_> {
        let frame = self.seek_frame(frame);
        let call = self.seek(|entry| entry.header.first < call);
        Events::known_from(self, frame.max(call))
    }

    /// The last stretch that begins before this frame does.
    fn seek_frame(&self, frame: u32) -> usize {
        match self.division() {
            Some(division) => Events::starts(self, division)
                .partition_point(|start| *start < frame)
                .min(self.events.len())
                .saturating_sub(1),
            None => self.seek(|entry| entry.header.frame < frame),
        }
    }

    /// The last stretch whose chunk satisfies `before`. Some first part of the chunks does, and no later one.
    fn seek(&self, before: impl Fn(&Entry) -> bool) -> usize {
        let point = self.events.partition_point(|s| match s {
            Stretch::Chunk(entry) => before(entry),
            Stretch::Hole(..) => true,
        });
        point.saturating_sub(1)
    }
}
