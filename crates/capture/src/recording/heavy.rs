//! The general way of a call, driven by the model's tables: encode, forward, wrap, encode.
//!
//! Every method without straight-line code goes this way. Invariants: the enter record is published before the runtime sees the
//! call, and the leave record after the results are complete for the program. If our code panics, the call is forwarded without
//! a record, and the panic does not reach the program.

use crate::call::{Call, MAX_WORDS};
use crate::facts::records;
use crate::model::special::Special;
use crate::model::{codec, special};
use crate::panics::protected;
use crate::recording::arena::Borrowed;
use crate::recording::call_objects::CallObjects;
use crate::recording::new_objects::{self, Made};
use crate::recording::{frame, outcome, replaced};
use crate::session::recorder::{Blobs, Recorder};
use crate::session::{record, thread, words};
use crate::submission::{flush, section};
use crate::wrapper::object::Chain;
use crate::{markers, model, picture, real};
use core::ffi::c_void;
use reprise_codec::Arena;
use reprise_d3d12::model::{MethodId, Order};
use reprise_trace::record::{AFTER, Kind, LEAVES, ORDERED, SEQUENCE, TICKS};
use reprise_trace::ring::Reading;
use std::sync::atomic::Ordering;

/// Records and forwards a call.
///
/// # Safety
/// The words are the program's arguments of a call of the method; the chain, if any, is what it was called on.
pub(crate) unsafe fn call(call: Call<'_>) -> u64 {
    let here = words::words();
    let recorder = thread::recorder_of_call(here);
    let special = special::of(call.method);
    let _guards = section::enter(&call, special, !recorder.is_null());
    let mut entered = false;
    if !recorder.is_null() {
        flush::before(&call, special);
        // SAFETY: the caller passes the program's own call.
        protected((), || unsafe { records::before(&call, special) });
        let reading = Reading { method: call.method.0, object: call.object() };
        // SAFETY: this thread's recorder; the borrow ends before the codec runs.
        unsafe { (*recorder).producer.begin_reading(reading) };
        entered = protected(false, || {
            // SAFETY: the caller passes the program's own call; the recorder is this thread's.
            unsafe { enter(&call, recorder) };
            true
        });
        if !entered {
            // SAFETY: this thread's recorder; nothing borrows it after the panic.
            unsafe { (*recorder).producer.end_reading() };
            unrecorded(&call, "the call");
        }
    }
    if special == Special::Submit && entered && markers::wanted() {
        // SAFETY: the program submits lists that it holds.
        protected((), || unsafe { markers::submitted(&call) });
    }
    let _guards = section::unblock(_guards, &call, special);

    let mut words = [0; MAX_WORDS];
    let count = call.words.len().min(MAX_WORDS);
    words[..count].copy_from_slice(&call.words[..count]);
    let view = CallObjects(call);
    let codec = codec::codec();
    let traits = codec.traits(call.method);
    // What the words lead to stays until the call is over.
    let mut arena = (traits.object_words || traits.deep_objects).then(|| Borrowed::new(recorder));
    if let Some(arena) = &mut arena {
        // SAFETY: the words are the program's.
        protected((), || unsafe { codec.unwrap_words(call.method, &mut words[..count], &view, arena.get()) });
    }
    let callback = replaced::arguments(&call, special, &mut words);
    let pictured = !recorder.is_null() && frame::shows(&call, special);
    // SAFETY: the program presents on a swap chain that it holds.
    let picture = if pictured { protected(None, || unsafe { picture::before(&call) }) } else { None };
    // SAFETY: the words are the program's.
    let outputs = unsafe { codec.outputs_before(call.method, call.words) };
    let mut result = match replaced::answer(&call, special) {
        Some(result) => result,
        // SAFETY: objects are unwrapped, everything else is as the program passed it.
        None => unsafe { call.forward(&words[..count]) },
    };
    replaced::settle(callback, result);
    if special == Special::Map {
        // SAFETY: the call has returned `result`.
        protected((), || unsafe { outcome::mapped(&call, result) });
    }

    let order = model::method(call.method).order;
    if order == Order::EnterLeave {
        let mut made = Made::default();
        if traits.output_objects {
            // SAFETY: the call has returned; the program's words lead to its outputs.
            protected((), || unsafe {
                codec.for_each_output_object(call.method, call.words, &mut result, &outputs, |output| {
                    made.wrap(&call, special, output);
                });
            });
        }
        if traits.owned_objects {
            // Kept for the life of the process: the program may look at it for as long.
            let shadow = Box::leak(Box::new(Arena::new()));
            // SAFETY: the call has returned; what its words lead to is complete, and the objects in it are alive.
            protected((), || unsafe {
                codec.shadow_owned(call.method, call.words, &mut result, shadow, |real, interface| {
                    let iid = &model::interface(interface).iid;
                    // The structure's own reference is not the program's: wrapping must not take one over.
                    real::add_ref(call.convention, real as *mut c_void);
                    let (chain, _) = new_objects::wrap(call.convention, real as *mut c_void, iid, Some(interface));
                    real::release(call.convention, real as *mut c_void);
                    chain as u64
                });
            });
        }
        // Only what was entered is left: else the record would end another call.
        if entered {
            let left = protected(false, || {
                // SAFETY: the call has returned `result`, and its outputs are wrapped; the recorder is this thread's.
                unsafe { leave(&call, recorder, result, &outputs) };
                true
            });
            if !left {
                // SAFETY: this thread's recorder; nothing borrows it after the panic.
                unsafe { leave_bare(&call, recorder, result) };
                unrecorded(&call, "what the call gave back");
            }
        }
        if !recorder.is_null() {
            // SAFETY: the objects were just made and the program has not seen them yet.
            protected((), || unsafe { outcome::after(&call, special, result, &made) });
        }
    }
    if !recorder.is_null() {
        // SAFETY: the call is the program's, and has returned.
        protected((), || unsafe { frame::after(&call, special, result, picture) });
    }
    result
}

/// Writes the enter record.
///
/// # Safety
/// As [`call`]; `recorder` is this thread's.
unsafe fn enter(call: &Call<'_>, recorder: *mut Recorder) {
    // SAFETY: this thread's recorder; the borrow ends before the codec runs.
    let mut payload = unsafe { (*recorder).take_buffer() };
    // SAFETY: the words are the program's arguments of this method; the recorder is this thread's.
    unsafe {
        codec::codec().encode_enter(call.method, call.words, &CallObjects(*call), &mut payload, &mut Blobs(recorder));
        // Before the record is published: a process that dies between the two has lost nothing.
        (*recorder).producer.end_reading();
    }
    let mut flags = match model::method(call.method).order {
        Order::Object => AFTER,
        Order::Enter => SEQUENCE | TICKS,
        Order::EnterLeave => SEQUENCE | TICKS | LEAVES,
    };
    let mut ordinal = 0;
    if let Some(chain) = call.chain
        && model::ordered(call.method)
    {
        flags |= ORDERED;
        ordinal = next_ordinal(&chain.identity().ordinal);
    }
    // SAFETY: this thread's recorder.
    let recorder = unsafe { &mut *recorder };
    if !recorder.producer.record(Kind::Enter, call.method.0, flags, call.object(), ordinal, &[&payload]) {
        thread::refused();
    }
    recorder.keep_buffer(payload);
}

/// Takes an object's next place; the program orders these calls, so a plain load and store do.
#[inline(always)]
pub(crate) fn next_ordinal(counter: &core::sync::atomic::AtomicU32) -> u32 {
    let ordinal = counter.load(Ordering::Relaxed);
    counter.store(ordinal.wrapping_add(1), Ordering::Relaxed);
    ordinal
}

/// Writes the leave record.
///
/// # Safety
/// As [`call`]; the call has returned `result` and its outputs are wrapped.
unsafe fn leave(call: &Call<'_>, recorder: *mut Recorder, result: u64, before: &reprise_codec::outputs::Before) {
    // SAFETY: this thread's recorder; the borrow ends before the codec runs.
    let mut payload = unsafe { (*recorder).take_buffer() };
    // SAFETY: the words are the program's arguments of a call that has returned `result`; `before` was taken for the same words.
    unsafe {
        let view = CallObjects(*call);
        let blobs = &mut Blobs(recorder);
        codec::codec().encode_leave(call.method, call.words, result, before, &view, &mut payload, blobs);
    }
    // SAFETY: this thread's recorder.
    let recorder = unsafe { &mut *recorder };
    recorder.producer.record(Kind::Leave, call.method.0, SEQUENCE | TICKS, call.object(), 0, &[&payload]);
    recorder.keep_buffer(payload);
}

/// Writes a leave record with nothing but the result: the call has returned, whatever else could not be written.
///
/// # Safety
/// `recorder` is this thread's.
#[cold]
unsafe fn leave_bare(call: &Call<'_>, recorder: *mut Recorder, result: u64) {
    let flags = SEQUENCE | TICKS;
    // SAFETY: the caller passes this thread's recorder.
    let producer = unsafe { &mut (*recorder).producer };
    producer.record(Kind::Leave, call.method.0, flags, call.object(), 0, &[&result.to_le_bytes()]);
}

/// Says in the trace that a fault of ours kept something out of it.
#[cold]
fn unrecorded(call: &Call<'_>, what: &str) {
    let method = model::method(call.method).name;
    record::gap(call.object(), &format!("a fault of the capture library: {what} ({method}) is not recorded"));
}

/// Records and forwards a call of a method on a chain.
///
/// # Safety
/// The words are the program's arguments of a call of `method` on `chain`.
pub(crate) unsafe fn method(chain: &Chain, method: MethodId, words: &[u64]) -> u64 {
    // SAFETY: the program may call this slot, so the real object has it.
    let function = unsafe { real::slot(chain.real(), model::method(method).slot as usize) };
    let convention = chain.identity().convention;
    // SAFETY: the caller passes the program's arguments of this method on this chain, and the function is the method's.
    unsafe { call(Call { convention, method, chain: Some(chain), function, words }) }
}
