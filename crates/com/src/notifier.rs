//! `ID3DDestructionNotifier`: functions that are called when the program has released an object.
//!
//! A part of every object, with a vtable of its own. Invariant: each function is called at most once, outside the lock, after
//! the public count has fallen to zero and before the object's memory can go.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reprise_d3d12::interface;
use reprise_d3d12::model::Guid;

use crate::guard;
use crate::result::{DXGI_ERROR_INVALID_CALL, DXGI_ERROR_NOT_FOUND, E_INVALIDARG, S_OK};
use crate::vtable::{Vtable, vtable};

/// What a program registers.
type Callback = unsafe extern "C" fn(*mut c_void);

struct Registered {
    /// From 1; 0 when the program did not ask for it.
    id: u32,
    callback: Callback,
    data: *mut c_void,
}

// SAFETY: the pointer is the program's and only handed back to it.
unsafe impl Send for Registered {}

#[derive(Default)]
struct List {
    last: u32,
    registered: Vec<Registered>,
}

/// Where an object has its notifier, in bytes: behind its vtable, counts and own address.
pub(crate) const PLACE: usize = 24;

/// The notifier of an object: its address is the COM pointer of the interface.
#[repr(C)]
pub(crate) struct Notifier {
    vtable: *const *const c_void,
    list: Mutex<List>,
    /// Whether a function was ever registered. Most objects have none, and go without a lock.
    used: AtomicBool,
}

pub(crate) static VTABLE: Vtable<5> = vtable(
    interface("ID3DDestructionNotifier"),
    &[],
    &[
        ("QueryInterface", query_interface as *const c_void),
        ("AddRef", add_ref as *const c_void),
        ("Release", release as *const c_void),
        ("RegisterDestructionCallback", register as *const c_void),
        ("UnregisterDestructionCallback", unregister as *const c_void),
    ],
);

impl Notifier {
    pub(crate) fn new() -> Notifier {
        Notifier { vtable: VTABLE.tables().shown(), list: Mutex::default(), used: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls what is registered, the newest first, and forgets it. For an object that the program has released: what any thread
    /// registered came before its release.
    pub(crate) fn notify(&self) {
        if !self.used.load(Ordering::Relaxed) {
            return;
        }
        let registered = core::mem::take(&mut self.lock().registered);
        for entry in registered.into_iter().rev() {
            // SAFETY: registered by the program for this call.
            unsafe { (entry.callback)(entry.data) };
        }
    }
}

/// The object that a notifier is part of.
///
/// # Safety
/// `this` is the notifier of a living object.
unsafe fn object(this: *mut c_void) -> *mut c_void {
    // SAFETY: the notifier lies at the same place in every object.
    unsafe { this.byte_sub(PLACE) }
}

/// A method of `IUnknown` on the object itself.
///
/// # Safety
/// `object` is a COM pointer; `F` is the type of the method in this slot.
unsafe fn own<F: Copy>(object: *mut c_void, slot: usize) -> F {
    // SAFETY: a COM pointer begins with its vtable, whose slot holds a function of type `F`, as the caller says.
    unsafe { core::mem::transmute_copy(&*(*object.cast::<*const *const c_void>()).add(slot)) }
}

unsafe extern "C" fn query_interface(this: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
    // SAFETY: `this` is the notifier of an object that the program holds; the object's own slot takes the same arguments, and looks at them.
    unsafe { own::<Query>(object(this), 0)(object(this), iid, out) }
}

unsafe extern "C" fn add_ref(this: *mut c_void) -> u32 {
    // SAFETY: a notifier of ours.
    unsafe { own::<unsafe extern "C" fn(*mut c_void) -> u32>(object(this), 1)(object(this)) }
}

unsafe extern "C" fn release(this: *mut c_void) -> u32 {
    // SAFETY: a notifier of ours.
    unsafe { own::<unsafe extern "C" fn(*mut c_void) -> u32>(object(this), 2)(object(this)) }
}

unsafe extern "C" fn register(this: *mut c_void, callback: Option<Callback>, data: *mut c_void, id: *mut u32) -> i32 {
    guard(E_INVALIDARG, || {
        let Some(callback) = callback else { return DXGI_ERROR_INVALID_CALL };
        // SAFETY: a notifier of ours; the place is the program's, and may be missing.
        unsafe {
            let notifier = &*this.cast::<Notifier>();
            let mut list = notifier.lock();
            notifier.used.store(true, Ordering::Relaxed);
            // Who does not ask for a number cannot take the function back, and uses none up.
            let mut number = 0;
            if !id.is_null() {
                list.last += 1;
                number = list.last;
                id.write(number);
            }
            list.registered.push(Registered { id: number, callback, data });
        }
        S_OK
    })
}

unsafe extern "C" fn unregister(this: *mut c_void, id: u32) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: a notifier of ours.
        let mut list = unsafe { (*this.cast::<Notifier>()).lock() };
        let before = list.registered.len();
        list.registered.retain(|entry| entry.id != id || id == 0);
        if list.registered.len() == before { DXGI_ERROR_NOT_FOUND } else { S_OK }
    })
}
