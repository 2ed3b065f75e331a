//! A thread's recorder: made on its first recorded call, given back after the recording has ended, closed when the thread ends.

use crate::session::active::{self, Active};
use crate::session::recorder::Recorder;
use crate::session::threads::Recording;
use crate::session::words::{self, Words};
use core::cell::Cell;
use std::sync::Once;

/// The thread's recorder; null when nothing is recorded.
#[inline(always)]
pub(crate) fn recorder(words: &Words) -> *mut Recorder {
    let recorder = words.recorder.current();
    if recorder.is_null() { activate(words) } else { recorder }
}

/// As [`recorder`], for a call that has just come from the program: where the recording has ended, the thread gives its
/// ring back.
#[inline(always)]
pub(crate) fn recorder_of_call(words: &Words) -> *mut Recorder {
    let recorder = words.recorder.current();
    if !recorder.is_null() || is_settled(words) { recorder } else { activate_or_retire(words) }
}

/// Whether a thread without a recorder is known to get none, and has nothing to give back: each call after the end asks.
#[inline(always)]
fn is_settled(words: &Words) -> bool {
    let session = active::current().map_or(0, |active| active.number);
    words.session.get() == session && !words.recorder.is_retired()
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
        let (words, Some(closing)) = (words::words(), self.0.take()) else { return };
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
unsafe fn close(words: &Words, closing: Closing) {
    closing.active.threads.remove(words);
    words.recorder.clear();
    // SAFETY: `activate` made it by `Box::into_raw` for this thread, no call of the thread uses it any more (the caller says
    // so), and no other thread can retire it: this one is off the list.
    drop(unsafe { Box::from_raw(closing.recorder) });
}

#[cold]
#[inline(never)]
fn activate_or_retire(words: &Words) -> *mut Recorder {
    let outermost = words.depth.get() == 0 && words.callbacks.get() == 0;
    if outermost
        && words.recorder.is_retired()
        && let Ok(Some(closing)) = CLOSER.try_with(|closer| closer.0.take())
    {
        // SAFETY: the call at hand is the outermost one of this thread, and it has no recorder.
        unsafe { close(words, closing) };
    }
    activate(words)
}

#[cold]
#[inline(never)]
fn activate(words: &Words) -> *mut Recorder {
    let Some(active) = active::current() else { return core::ptr::null_mut() };
    if words.session.replace(active.number) == active.number || active.is_over() {
        return core::ptr::null_mut();
    }
    // Past its destructors a thread must not be asked for its name.
    let thread = CLOSER.try_with(|_| ()).is_ok().then(std::thread::current);
    match active.session.create_ring(thread.as_ref().and_then(|thread| thread.name()).unwrap_or("")) {
        Ok(producer) => {
            let recorder = Box::into_raw(Box::new(Recorder::new(producer)));
            let closing = Closing { recorder, active, process: std::process::id() };
            let mut threads = active.threads.lock();
            // Fails when the thread is past its destructors: then the ring stays open until the process ends.
            if CLOSER.try_with(|closer| closer.0.set(Some(closing))).is_ok() {
                threads.push(Recording::new(words));
            }
            // Under the lock: a recording that ends now ends for this thread, too.
            if !active.is_stopped() {
                words.recorder.set(recorder);
            }
            words.recorder.current()
        }
        // The trace is finished, and its folder gone with it.
        Err(_) if active.is_over() => core::ptr::null_mut(),
        Err(error) => {
            reprise_log::warning(format_args!("a thread is not recorded: {error}"));
            core::ptr::null_mut()
        }
    }
}

/// Called when a thread could not record: if that is because the trace is finished, nobody records any more. A writer that has died is
/// told by who started it.
#[cold]
#[inline(never)]
pub(crate) fn refused() {
    static TOLD: Once = Once::new();
    let Some(active) = active::current() else { return };
    if active.session.is_finished() {
        active::stop(active);
    } else if active.session.has_writer() {
        TOLD.call_once(|| {
            reprise_log::error("the trace's writer shows no sign of life: a thread is not recorded any more")
        });
    }
}
