//! Stored bytes and fences are recorded here, before the call that may use them.
//!
//! Invariant: a flush, its `Memory` records, the sequence and the submission it precedes are one critical section of the
//! process, so that no submission is recorded ahead of bytes that it may read.

use crate::call::Call;
use crate::model::special::Special;
use crate::session::{active, thread, words};
use crate::submission::{fences, section};
use crate::tracking::{self, Written};

/// Records what must stand before the call's own record.
pub(crate) fn before(call: &Call<'_>, special: Special) {
    match special {
        Special::Submit => {
            show_kept();
            flush();
            fences::submitted(call.object());
        }
        Special::QueueSignal => {
            // SAFETY: the arguments are the program's: a fence, and a value.
            unsafe { fences::signalled_by_queue(call.object(), call.words) };
            before_signal();
        }
        Special::FenceSignal => {
            if let (Some(chain), Some(value)) = (call.chain, call.words.first()) {
                fences::signalled(chain.identity(), *value);
            }
            before_signal();
        }
        // SAFETY: the arguments are the program's: a fence, and a value.
        Special::QueueWait => unsafe { fences::awaited(call.words) },
        Special::Unmap => {
            if let Some(tracker) = tracking::tracker().filter(|_| active::records()) {
                let subresource = call.words.first().map_or(0, |word| *word as u32);
                let mut store = behind_fences();
                tracker.on_unmap(call.object(), subresource, &mut |written| store(written));
            }
        }
        Special::Reset | Special::Map => fences::observe(),
        _ => {}
    }
}

/// A program that keeps memory mapped reads what the GPU wrote there without a call. It must have waited for the GPU, which nothing but the
/// next submission may change again: so what it may have read is recorded before that, if the GPU is idle. While other work is under way,
/// nobody can tell what is finished. Then it is in no record, and no replay compares it.
fn show_kept() {
    let Some(tracker) = tracking::tracker().filter(|tracker| active::records() && tracker.keeps_for_reading()) else {
        return;
    };
    if fences::is_idle() {
        flush();
        fences::observe();
        tracker.show_kept(&mut |written| store(written));
    }
}

/// A signal needs a flush only while submitted work waits: bytes that are stored after a submission are read by later
/// submissions, which flush themselves.
fn before_signal() {
    if fences::is_any_awaited() {
        flush();
    }
}

/// Records what the program stored to mapped memory since the last flush; the submission's lock is held.
pub(crate) fn flush() {
    let Some(tracker) = tracking::tracker() else { return };
    if !active::records() {
        // After the end nobody tells the tracker what is unmapped.
        return tracker.on_end();
    }
    let mut store = behind_fences();
    tracker.flush(&mut |written| store(written));
}

/// Records runs of bytes, and before the first of them what fences have reached: the program may have waited for the GPU by an event, so
/// that it stores over what work reads that has ended. A replay waits at the same place.
///
/// The fences are asked when the first run is there, so under the tracker's lock. Asked before the runs are looked for, a fence could be reached
/// in between, and a store that waited for it would stand in the trace before it.
fn behind_fences() -> impl FnMut(&Written) {
    let mut any = false;
    move |written| {
        if !core::mem::replace(&mut any, true) {
            fences::observe();
        }
        store(written);
    }
}

/// Runs a submission that the model does not know (Vulkan's own) in the critical section, after a flush.
pub(crate) fn submit<T>(submit: impl FnOnce() -> T) -> T {
    let _held = section::submission();
    flush();
    submit()
}

/// Records a run of bytes, which are readable now; the submission's lock is held.
pub(crate) fn store(written: &Written) {
    let recorder = thread::recorder(words::words());
    if recorder.is_null() || written.len == 0 {
        return;
    }
    let Written { object, subresource, offset, observed, .. } = *written;
    let bytes = core::ptr::slice_from_raw_parts(written.bytes, written.len);
    // SAFETY: the recorder is this thread's, and the tracker gives bytes that are readable now. Threads of the program may store
    // to them meanwhile: what is torn so is reported again by the next flush.
    unsafe { (*recorder).producer.live_memory(object, subresource, offset, bytes, observed) };
}
