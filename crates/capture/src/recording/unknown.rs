//! `IUnknown` as the program sees it on every chain: identity is ours, counts are the runtime's.
//!
//! Calls that the runtime makes on a wrapper (one that the program stored as private data) pass unrecorded. Invariant:
//! `QueryInterface` on any chain of an object gives one pointer for one interface family, and one for `IUnknown`.

use crate::panics::protected;
use crate::session::recorder::Recorder;
use crate::session::{thread, words};
use crate::submission::{fences, flush, section};
use crate::wrapper::object::{COUNTED, Chain, FENCE, MAPPED};
use crate::wrapper::{own, wrap};
use crate::{Convention, markers, real, tracking};
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_trace::record::{Kind, LEAVES, SEQUENCE, TICKS};

const QUERY: MethodId = reprise_d3d12::method("IUnknown", "QueryInterface");
const ADD: MethodId = reprise_d3d12::method("IUnknown", "AddRef");
const RELEASE: MethodId = reprise_d3d12::method("IUnknown", "Release");

/// The recorder, unless the call comes from inside the runtime.
fn recorder() -> *mut Recorder {
    let here = words::words();
    if here.depth.get() > 0 { core::ptr::null_mut() } else { thread::recorder(here) }
}

fn write(recorder: *mut Recorder, kind: Kind, method: MethodId, object: u32, payload: &[u64]) {
    // SAFETY: null or this thread's recorder; the payload is plain words.
    unsafe {
        let Some(recorder) = recorder.as_mut() else { return };
        let size = size_of_val(payload);
        let flags = if kind == Kind::Enter { SEQUENCE | TICKS | LEAVES } else { SEQUENCE | TICKS };
        let Some(to) = recorder.producer.begin(kind, method.0, flags, object, 0, size) else { return };
        core::ptr::copy_nonoverlapping(payload.as_ptr().cast::<u8>(), to, size);
        recorder.producer.publish();
    }
}

/// Runs a call of the runtime; the thread is inside meanwhile.
fn inside<T>(run: impl FnOnce() -> T) -> T {
    let here = words::words();
    let depth = here.depth.get();
    here.depth.set(depth + 1);
    let result = run();
    here.depth.set(depth);
    result
}

/// # Safety
/// The program calls on this chain, which it holds a reference to.
unsafe fn add_ref(chain: *mut Chain) -> u32 {
    // SAFETY: the program calls on a chain that it holds a reference to.
    let chain = unsafe { &*chain };
    let recorder = recorder();
    write(recorder, Kind::Enter, ADD, chain.id, &[]);
    let identity = chain.identity();
    if identity.is(COUNTED) {
        protected((), || identity.add_reference());
    }
    // SAFETY: the program's chain is alive, so the object is.
    let left = inside(|| unsafe { real::add_ref(identity.convention, chain.real()) });
    write(recorder, Kind::Leave, ADD, chain.id, &[left.into()]);
    left
}

/// # Safety
/// As [`add_ref`]; the program gives the reference back.
unsafe fn release(chain: *mut Chain) -> u32 {
    // SAFETY: the program calls on a chain that it holds a reference to.
    let chain = unsafe { &*chain };
    let recorder = recorder();
    let (id, object, identity) = (chain.id, chain.real(), chain.identity());
    let convention = identity.convention;
    let is_mapped = identity.is(MAPPED);
    // Before the count is looked at: it must not fall by another thread's release meanwhile.
    let _held = is_mapped.then(section::submission);
    let mut last = false;
    if is_mapped || !recorder.is_null() {
        // The count, found without a trace: 1 when the program's reference is the last.
        // SAFETY: the program's chain is alive, so the object is; the count ends as it was.
        let count = inside(|| unsafe {
            real::add_ref(convention, object);
            real::release(convention, object)
        });
        last = count <= 1;
    }
    if last && !recorder.is_null() {
        protected((), fences::observe);
    }
    if let Some(tracker) = tracking::tracker().filter(|_| last && is_mapped) {
        protected((), || tracker.on_dying(id, &mut |written| flush::store(written)));
    }
    write(recorder, Kind::Enter, RELEASE, id, &[]);
    if identity.is(COUNTED) {
        protected((), || identity.drop_reference());
    }
    // The identity may be gone once the runtime has released the object: nothing of it is used after this.
    // SAFETY: the reference is the program's to give.
    let forward = || inside(|| unsafe { real::release(convention, object) });
    let left = if identity.is(FENCE) {
        fences::release(identity, forward)
    } else if is_mapped {
        let left = forward();
        if let Some(tracker) = tracking::tracker().filter(|_| left == 0) {
            protected((), || tracker.on_destroy(id));
        }
        left
    } else {
        forward()
    };
    if left == 0 && !identity.markers.load(Ordering::Acquire).is_null() {
        protected((), || markers::gone(identity));
    }
    write(recorder, Kind::Leave, RELEASE, id, &[left.into()]);
    left
}

/// # Safety
/// As [`add_ref`]; `iid` is null or readable, `out` null or writable.
unsafe fn query(chain: *mut Chain, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the program calls on a chain that it holds a reference to.
    let chain = unsafe { &*chain };
    let identity = chain.identity();
    // SAFETY: the program passes a readable interface id, or null.
    if unsafe { iid.as_ref() }.is_some_and(own::is_wanted) {
        // A runtime asks what it was handed for its own object behind all wrappers; the answer is no object of the trace.
        // SAFETY: the program calls `QueryInterface` with these arguments; the runtime gets them as they are.
        return inside(|| unsafe { real::query_result(identity.convention, chain.real(), iid, out) });
    }
    let recorder = recorder();
    let child = reprise_codec::wire::header(reprise_codec::wire::Kind::Inline, 1);
    // SAFETY: the program passes a readable interface id, or null.
    let asked = unsafe { iid.as_ref() };
    let mut id = [0u64; 2];
    if let Some(asked) = asked {
        // SAFETY: a GUID is 16 bytes of plain data.
        id = unsafe { core::mem::transmute_copy::<Guid, [u64; 2]>(asked) };
    }
    let words = [iid as u64, out as u64, child, id[0], id[1]];
    write(recorder, Kind::Enter, QUERY, chain.id, if asked.is_some() { &words } else { &words[..2] });
    // SAFETY: the program calls `QueryInterface` with these arguments; the runtime gets them as they are.
    let result = inside(|| unsafe { ask(identity.convention, chain.real(), iid, out) });
    let mut given = 0;
    // SAFETY: the runtime has just used `out`; on success it holds an interface of the object.
    unsafe {
        if result >= 0
            && let Some(asked) = asked
            && !out.is_null()
            && !(*out).is_null()
        {
            let wrapped = protected(core::ptr::null_mut(), || wrap::query(identity, asked, *out));
            if !wrapped.is_null() {
                *out = wrapped.cast();
            }
            given = identity.id;
        }
    }
    let outputs = [u64::from(result as u32), child, u64::from(given)];
    write(recorder, Kind::Leave, QUERY, chain.id, if out.is_null() { &outputs[..1] } else { &outputs });
    result
}

/// Asks the object, and where it refuses, what the host adds to it.
///
/// # Safety
/// A live object of this convention; the arguments are the program's.
unsafe fn ask(convention: Convention, object: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the object is alive while the program holds the chain that it asks; id and place are the program's own.
    let result = unsafe { real::query_result(convention, object, iid, out) };
    #[cfg(windows)]
    if result < 0 {
        use crate::host::wine::swap_chains;
        // SAFETY: the object has just refused a readable id, if there is one, and looked at the place.
        unsafe {
            if !iid.is_null() && !out.is_null() && *iid == swap_chains::IID {
                let factory = protected(core::ptr::null_mut(), || swap_chains::factory(object));
                if !factory.is_null() {
                    *out = factory;
                    return real::S_OK;
                }
            }
        }
    }
    result
}

macro_rules! entries {
    ($convention:literal, $query:ident, $add:ident, $release:ident) => {
        unsafe extern $convention fn $query(this: *mut Chain, iid: *const Guid, out: *mut *mut c_void) -> i32 {
            // SAFETY: a slot of our vtable is called with a chain.
            unsafe { query(this, iid, out) }
        }
        unsafe extern $convention fn $add(this: *mut Chain) -> u32 {
            // SAFETY: a slot of our vtable is called with a chain.
            unsafe { add_ref(this) }
        }
        unsafe extern $convention fn $release(this: *mut Chain) -> u32 {
            // SAFETY: a slot of our vtable is called with a chain.
            unsafe { release(this) }
        }
    };
}

entries!("win64", query_win64, add_win64, release_win64);
entries!("sysv64", query_sysv, add_sysv, release_sysv);

/// The first three slots of every vtable.
pub(crate) fn slots(convention: Convention) -> [usize; 3] {
    match convention {
        Convention::Win64 => {
            [query_win64 as *const () as usize, add_win64 as *const () as usize, release_win64 as *const () as usize]
        }
        Convention::SystemV | Convention::Itanium => {
            [query_sysv as *const () as usize, add_sysv as *const () as usize, release_sysv as *const () as usize]
        }
    }
}
