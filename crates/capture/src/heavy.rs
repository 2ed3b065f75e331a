//! Any call of the model, by its tables: encode, forward, wrap, encode.
//!
//! Everything that is not straight-line code goes this way. Invariants: the enter record is published before the runtime
//! sees the call, the leave record after the program's view of the results is complete; a panic of ours ends in a call that
//! is forwarded without being recorded, never in the program.

use crate::api;
use crate::chain::{self, Chain};
use crate::thread::{Blobs, Recorder};
use crate::{Convention, after, guard, identity, raw, record, session, thread, tls};
use core::cell::Cell;
use core::ffi::c_void;
use reprise_codec::{Arena, Objects, Texels};
use reprise_d3d12::model::{Guid, MethodId, Order, Type};
use reprise_trace::record::{AFTER, Kind, LEAVES, ORDERED, SEQUENCE, TICKS};
use reprise_trace::ring::Reading;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

/// Most parameters that any method has.
pub(crate) const MAX_WORDS: usize = 32;

/// A call on its way through: what the program passed, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) convention: Convention,
    pub(crate) method: MethodId,
    /// `None` for exported functions.
    pub(crate) chain: Option<&'a Chain>,
    /// The real function.
    pub(crate) function: *const c_void,
    /// As the program passed them.
    pub(crate) words: &'a [u64],
}

impl Call<'_> {
    /// Id of the object called; 0 for functions.
    pub(crate) fn object(&self) -> u32 {
        self.chain.map_or(0, |chain| chain.id)
    }

    /// Forwards with `words`; the thread is inside the runtime meanwhile.
    ///
    /// # Safety
    /// `words` are valid arguments for the runtime.
    unsafe fn forward(&self, words: &[u64]) -> u64 {
        let here = tls::words();
        let depth = here.depth.get();
        here.depth.set(depth + 1);
        let this = self.chain.map(Chain::real);
        // SAFETY: function, object and convention belong together by construction; the words are valid by contract.
        let result = unsafe { raw::invoke(self.convention, self.function, this, words, self.method) };
        here.depth.set(depth);
        result
    }
}

/// The program's objects, as the codec asks for them.
pub(crate) struct View<'a>(pub(crate) Call<'a>);

impl Objects for View<'_> {
    fn id_of(&self, pointer: u64) -> u64 {
        // SAFETY: object arguments are null or COM pointers.
        unsafe { chain::from_pointer(pointer as *mut c_void) }.map_or(0, |chain| chain.id.into())
    }

    fn real_of(&self, pointer: u64) -> u64 {
        // SAFETY: as above.
        unsafe { chain::from_pointer(pointer as *mut c_void) }.map_or(pointer, |chain| chain.real() as u64)
    }

    fn owned_size(&self, method: MethodId, _pointer: u64) -> Option<u64> {
        // SAFETY: the call is one on a living object.
        unsafe { after::owned_size(&self.0, method) }
    }

    fn texels(&self, subresource: u32) -> Option<Texels> {
        // SAFETY: the call is one on a living resource.
        unsafe { after::texels(&self.0, subresource) }
    }
}

/// Records and forwards a call.
///
/// # Safety
/// The words are the program's arguments of a call of the method; the chain, if any, is what it was called on.
pub(crate) unsafe fn call(call: Call<'_>) -> u64 {
    let here = tls::words();
    let recorder = thread::recorder_of_call(here);
    let special = api::special(call.method);
    let _guards = guard::enter(&call, special, !recorder.is_null());
    let mut entered = false;
    if !recorder.is_null() {
        guard::before(&call, special);
        let reading = Reading { method: call.method.0, object: call.object() };
        // SAFETY: this thread's recorder; the borrow ends before the codec runs.
        unsafe { (*recorder).producer.begin_reading(reading) };
        entered = protected(false, || {
            // SAFETY: by contract.
            unsafe { enter(&call, recorder) };
            true
        });
        if !entered {
            // SAFETY: this thread's recorder; nothing borrows it after the panic.
            unsafe { (*recorder).producer.end_reading() };
            unrecorded(&call, "the call");
        }
    }
    let _guards = guard::unblock(_guards, &call, special);

    let mut words = [0; MAX_WORDS];
    let count = call.words.len().min(MAX_WORDS);
    words[..count].copy_from_slice(&call.words[..count]);
    let view = View(call);
    let codec = session::codec();
    let traits = codec.traits(call.method);
    // What the words lead to stays until the call is over.
    let mut arena = (traits.object_words || traits.deep_objects).then(|| Borrowed::new(recorder));
    if let Some(arena) = &mut arena {
        // SAFETY: the words are the program's.
        protected((), || unsafe { codec.unwrap_words(call.method, &mut words[..count], &view, arena.get()) });
    }
    let callback = guard::arguments(&call, special, &mut words);
    // SAFETY: the words are the program's.
    let outputs = unsafe { codec.outputs_before(call.method, call.words) };
    let mut result = match guard::answer(&call, special) {
        Some(result) => result,
        // SAFETY: objects are unwrapped, everything else is as the program passed it.
        None => unsafe { call.forward(&words[..count]) },
    };
    guard::settle(callback, &call, result);

    let order = api::method(call.method).order;
    if order == Order::EnterLeave {
        let mut made = Made::default();
        if traits.output_objects {
            // SAFETY: the call has returned; the program's words lead to its outputs.
            protected((), || unsafe {
                codec.for_each_output_object(call.method, call.words, &mut result, &outputs, |output| {
                    made.wrap(call.convention, output);
                });
            });
        }
        if traits.owned_objects {
            // Kept for the life of the process: the program may look at it for as long.
            let shadow = Box::leak(Box::new(Arena::new()));
            // SAFETY: as above.
            protected((), || unsafe {
                codec.shadow_owned(call.method, call.words, &mut result, shadow, |real, interface| {
                    let iid = &api::interface(interface).iid;
                    // The structure's own reference is not the program's: wrapping must not take one over.
                    raw::add_ref(call.convention, real as *mut c_void);
                    let (chain, _) = identity::wrap(call.convention, real as *mut c_void, iid, Some(interface));
                    raw::release(call.convention, real as *mut c_void);
                    chain as u64
                });
            });
        }
        // Only what was entered is left: else the record would end another call.
        if entered {
            let left = protected(false, || {
                // SAFETY: as above.
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
            protected((), || unsafe { after::call(&call, special, result, &made) });
        }
    }
    if !recorder.is_null() {
        protected((), || after::present(&call, special, result));
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
    // SAFETY: by contract.
    unsafe {
        session::codec().encode_enter(call.method, call.words, &View(*call), &mut payload, &mut Blobs(recorder));
        // Before the record is published: a process that dies between the two has lost nothing.
        (*recorder).producer.end_reading();
    }
    let mut flags = match api::method(call.method).order {
        Order::Object => AFTER,
        Order::Enter => SEQUENCE | TICKS,
        Order::EnterLeave => SEQUENCE | TICKS | LEAVES,
    };
    let mut ordinal = 0;
    if let Some(chain) = call.chain
        && api::ordered(call.method)
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
    // SAFETY: by contract.
    unsafe {
        let view = View(*call);
        let blobs = &mut Blobs(recorder);
        session::codec().encode_leave(call.method, call.words, result, before, &view, &mut payload, blobs);
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
    // SAFETY: by contract.
    let producer = unsafe { &mut (*recorder).producer };
    producer.record(Kind::Leave, call.method.0, flags, call.object(), 0, &[&result.to_le_bytes()]);
}

/// Says in the trace that a fault of ours kept something out of it.
#[cold]
fn unrecorded(call: &Call<'_>, what: &str) {
    let method = api::method(call.method).name;
    record::gap(call.object(), &format!("a fault of the capture library: {what} ({method}) is not recorded"));
}

/// Objects that a call gave out, wrapped.
#[derive(Default)]
pub(crate) struct Made {
    /// Chain, and whether the object is new to us.
    pub(crate) chains: Vec<(*mut Chain, bool)>,
}

impl Made {
    /// # Safety
    /// The slot holds a real interface pointer that the call gave out with a reference.
    unsafe fn wrap(&mut self, convention: Convention, output: reprise_codec::outputs::OutputObject) {
        // SAFETY: by contract.
        let real = unsafe { *output.slot } as *mut c_void;
        // SAFETY: a COM pointer; one of ours comes back where the program had stored it (private data).
        if unsafe { crate::vtable::is_ours(real) } {
            return;
        }
        let class = output.class.or(output.iid.is_none().then_some(output.interface));
        let iid: Guid = match (output.iid, class) {
            (Some(iid), _) => iid,
            (None, Some(class)) => api::interface(class).iid,
            (None, None) => raw::IID_UNKNOWN,
        };
        // SAFETY: by contract.
        let (chain, new) = unsafe { identity::wrap(convention, real, &iid, class) };
        if new && api::by_iid(&iid).is_none() {
            // SAFETY: just returned, alive.
            record::gap(
                unsafe { (*chain).id },
                &format!("interface {iid} is unknown: its calls are passed on unrecorded"),
            );
        }
        // SAFETY: the slot is the program's output.
        unsafe { *output.slot = chain as u64 };
        self.chains.push((chain, new));
    }
}

/// This call's part of the thread's arena: the recorder's, or one that calls pass on where nothing is recorded.
struct Borrowed {
    recorder: *mut Recorder,
    mark: Option<reprise_codec::arena::Mark>,
    own: Arena,
}

thread_local! {
    /// The arena of calls that are not recorded, between two of them; a call within such a call makes one of its own.
    static SPARE: Cell<Option<Arena>> = const { Cell::new(None) };
}

impl Borrowed {
    fn new(recorder: *mut Recorder) -> Borrowed {
        // SAFETY: null or this thread's recorder.
        let mark = unsafe { recorder.as_ref() }.map(|recorder| recorder.arena.mark());
        // Past its destructors a thread has no spare.
        let spare = if mark.is_none() { SPARE.try_with(Cell::take).ok().flatten() } else { None };
        Borrowed { recorder, mark, own: spare.unwrap_or_else(Arena::new) }
    }

    fn get(&mut self) -> &mut Arena {
        // SAFETY: null or this thread's recorder; the borrow lasts for one walk, during which no other call runs.
        unsafe { self.recorder.as_mut() }.map_or(&mut self.own, |recorder| &mut recorder.arena)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        if let Some(mark) = self.mark {
            self.get().rewind(mark);
        } else {
            let mut own = std::mem::replace(&mut self.own, Arena::new());
            own.clear();
            let _ = SPARE.try_with(|spare| spare.set(Some(own)));
        }
    }
}

/// Runs code of ours; a panic in it is said once and stays inside.
pub(crate) fn protected<T>(otherwise: T, run: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

/// Whether a result says that the call failed.
pub(crate) fn failed(method: MethodId, result: u64) -> bool {
    matches!(api::method(method).result, Type::Hresult) && (result as i32) < 0
}

/// Records and forwards a call of a method on a chain.
///
/// # Safety
/// The words are the program's arguments of a call of `method` on `chain`.
pub(crate) unsafe fn method(chain: &Chain, method: MethodId, words: &[u64]) -> u64 {
    // SAFETY: the program may call this slot, so the real object has it.
    let function = unsafe { raw::slot(chain.real(), api::method(method).slot as usize) };
    let convention = chain.identity().convention;
    // SAFETY: by contract.
    unsafe { call(Call { convention, method, chain: Some(chain), function, words }) }
}
