//! A thread's place to record into, made on its first recorded call and closed when the thread ends.

use crate::session::Active;
use crate::{session, tls};
use core::cell::Cell;
use reprise_codec::{Arena, BlobSink};
use reprise_trace::ring::Producer;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a thread needs to record. Each call stores to it, so nothing of others lies in its cache lines, nor in those beside
/// them, which some processors fetch along.
#[repr(align(128))]
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
    let recorder = words.recorder.load(Ordering::Relaxed);
    if recorder.is_null() { activate(words) } else { recorder }
}

/// As [`recorder`], for a call that has just come from the program: where the recording has ended, the thread gives its
/// ring back.
#[inline(always)]
pub(crate) fn recorder_of_call(words: &tls::Words) -> *mut Recorder {
    let recorder = words.recorder.load(Ordering::Relaxed);
    if !recorder.is_null() || is_settled(words) { recorder } else { activate_or_retire(words) }
}

/// Whether a thread without a recorder is known to get none, and has nothing to give back: each call after the end asks.
#[inline(always)]
fn is_settled(words: &tls::Words) -> bool {
    let session = session::current().map_or(0, |active| active.number);
    words.session.get() == session && words.retired.load(Ordering::Relaxed).is_null()
}

/// The threads that record into a session. Held in the session, which a forked child does not share.
#[derive(Default)]
pub(crate) struct Threads(Mutex<Vec<Known>>);

struct Known(*const tls::Words);
// SAFETY: a thread's words live as long as the thread, which takes itself off the list as it ends; of them only the two
// atomic words are used.
unsafe impl Send for Known {}

impl Threads {
    fn lock(&self) -> MutexGuard<'_, Vec<Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes every thread's recorder away: calls that begin from now on are passed on.
    pub(crate) fn retire(&self) {
        for Known(words) in self.lock().iter() {
            // SAFETY: on the list, so its thread lives.
            let words = unsafe { &**words };
            let recorder = words.recorder.swap(core::ptr::null_mut(), Ordering::Relaxed);
            if !recorder.is_null() {
                words.retired.store(recorder, Ordering::Release);
            }
        }
    }
}

thread_local! {
    /// Closes the ring when the thread ends.
    static CLOSER: Closer = const { Closer(Cell::new(None)) };
}

/// What a thread has to close.
#[derive(Clone, Copy)]
struct Closing {
    recorder: *mut Recorder,
    active: &'static Active,
    process: u32,
}

struct Closer(Cell<Option<Closing>>);

impl Drop for Closer {
    fn drop(&mut self) {
        let (words, Some(closing)) = (tls::words(), self.0.take()) else { return };
        // In a forked child the recorder is its parent's: closing it would end the parent's ring.
        if closing.process == std::process::id() {
            // SAFETY: no call of this thread is under way, or none that comes back (`exit` in a callback).
            unsafe { close(words, closing) };
            // Exit handlers and static destructors still call.
            words.session.set(0);
        }
    }
}

/// Takes a thread off the list and ends its ring.
///
/// # Safety
/// No call of this thread that may use the recorder is under way.
unsafe fn close(words: &tls::Words, closing: Closing) {
    closing.active.threads.lock().retain(|known| !core::ptr::eq(known.0, words));
    words.recorder.store(core::ptr::null_mut(), Ordering::Relaxed);
    words.retired.store(core::ptr::null_mut(), Ordering::Relaxed);
    // SAFETY: made by `Box::into_raw` for this thread; by contract nobody uses it any more, and nobody else can take it now.
    drop(unsafe { Box::from_raw(closing.recorder) });
}

#[cold]
#[inline(never)]
fn activate_or_retire(words: &tls::Words) -> *mut Recorder {
    let outermost = words.depth.get() == 0 && words.callbacks.get() == 0;
    if outermost
        && !words.retired.load(Ordering::Acquire).is_null()
        && let Ok(Some(closing)) = CLOSER.try_with(|closer| closer.0.take())
    {
        // SAFETY: the call at hand is the outermost one of this thread, and it has no recorder.
        unsafe { close(words, closing) };
    }
    activate(words)
}

#[cold]
#[inline(never)]
fn activate(words: &tls::Words) -> *mut Recorder {
    let Some(active) = session::current() else { return core::ptr::null_mut() };
    if words.session.replace(active.number) == active.number || active.is_over() {
        return core::ptr::null_mut();
    }
    // Past its destructors a thread must not be asked for its name.
    let thread = CLOSER.try_with(|_| ()).is_ok().then(std::thread::current);
    match active.session.create_ring(thread.as_ref().and_then(|thread| thread.name()).unwrap_or("")) {
        Ok(producer) => {
            let recorder = Recorder { producer, blobs: 0, arena: Arena::new(), buffers: Vec::new() };
            let recorder = Box::into_raw(Box::new(recorder));
            let closing = Closing { recorder, active, process: std::process::id() };
            let mut threads = active.threads.lock();
            // Fails when the thread is past its destructors: then the ring stays open until the process ends.
            if CLOSER.try_with(|closer| closer.0.set(Some(closing))).is_ok() {
                threads.push(Known(words));
            }
            // Under the lock: a recording that ends now ends for this thread, too.
            if !active.is_stopped() {
                words.recorder.store(recorder, Ordering::Relaxed);
            }
            words.recorder.load(Ordering::Relaxed)
        }
        // The trace is finished, and its folder gone with it.
        Err(_) if active.is_over() => core::ptr::null_mut(),
        Err(error) => {
            session::say(&format!("a thread is not recorded: {error}"));
            core::ptr::null_mut()
        }
    }
}

/// Called when a thread could not record: if that is because the trace is finished, nobody records any more.
#[cold]
#[inline(never)]
pub(crate) fn refused() {
    if let Some(active) = session::current().filter(|active| active.session.is_finished()) {
        session::stop(active);
    }
}
