//! A thread's place to record into, made on its first recorded call and closed when the thread ends.

use crate::{session, tls};
use core::cell::Cell;
use reprise_codec::{Arena, BlobSink};
use reprise_trace::ring::Producer;

/// What a thread needs to record.
pub(crate) struct Recorder {
    pub(crate) producer: Producer,
    /// Blobs this thread has written.
    blobs: u32,
    /// Copies with objects unwrapped; calls within calls rewind to their own mark.
    pub(crate) arena: Arena,
    /// Buffers for payloads, kept between calls; a call within a call takes another.
    buffers: Vec<Vec<u8>>,
}

/// Buffers that grew beyond this are given back to the system.
const KEEP: usize = 1 << 20;

impl Recorder {
    /// An empty buffer.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        self.buffers.pop().unwrap_or_else(|| Vec::with_capacity(4096))
    }

    /// Gives a buffer back.
    pub(crate) fn keep_buffer(&mut self, mut buffer: Vec<u8>) {
        if buffer.capacity() <= KEEP {
            buffer.clear();
            self.buffers.push(buffer);
        }
    }
}

/// Blobs go into the thread's ring as they are met.
pub(crate) struct Blobs(pub(crate) *mut Recorder);

impl BlobSink for Blobs {
    fn blob(&mut self, bytes: &[u8]) -> u32 {
        // SAFETY: made from this thread's recorder, which nothing else borrows while an encoder runs.
        let recorder = unsafe { &mut *self.0 };
        recorder.blobs = recorder.blobs.wrapping_add(1);
        let number = recorder.blobs;
        recorder.producer.blob(number, bytes);
        number
    }
}

/// The thread's recorder; null when nothing is recorded.
#[inline(always)]
pub(crate) fn recorder(words: &tls::Words) -> *mut Recorder {
    let recorder = words.recorder.get();
    if recorder.is_null() { activate(words) } else { recorder }
}

thread_local! {
    /// Closes the ring when the thread ends.
    static CLOSER: Closer = const { Closer(Cell::new(core::ptr::null_mut())) };
}

struct Closer(Cell<*mut Recorder>);

impl Drop for Closer {
    fn drop(&mut self) {
        let (words, recorder) = (tls::words(), self.0.get());
        // In a forked child the recorder is its parent's: closing it would end the parent's ring.
        if !recorder.is_null() && core::ptr::eq(words.recorder.get(), recorder) {
            words.recorder.set(core::ptr::null_mut());
            words.session.set(0);
            // SAFETY: made by `Box::into_raw` for this thread, and no call of this thread is running.
            drop(unsafe { Box::from_raw(recorder) });
        }
    }
}

#[cold]
#[inline(never)]
fn activate(words: &tls::Words) -> *mut Recorder {
    let Some(active) = session::current() else { return core::ptr::null_mut() };
    if words.session.replace(active.number) == active.number {
        return core::ptr::null_mut();
    }
    let thread = std::thread::current();
    match active.session.create_ring(thread.name().unwrap_or("")) {
        Ok(producer) => {
            let recorder = Recorder { producer, blobs: 0, arena: Arena::new(), buffers: Vec::new() };
            let recorder = Box::into_raw(Box::new(recorder));
            words.recorder.set(recorder);
            // Fails when the thread is past its destructors: then the ring stays open until the process ends.
            let _ = CLOSER.try_with(|closer| closer.0.set(recorder));
            recorder
        }
        Err(error) => {
            session::say(&format!("a thread is not recorded: {error}"));
            core::ptr::null_mut()
        }
    }
}
