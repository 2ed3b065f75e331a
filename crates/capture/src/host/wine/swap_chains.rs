//! `IWineDXGISwapChainFactory` for a wrapped queue.
//!
//! Wine's DXGI first asks a queue for this interface. If the queue has none, DXGI casts the pointer to a structure of its own. A wrapper
//! is no such structure, so the cast would corrupt memory. That is why wrappers answer. The factory here calls Wine's DXGI again, with
//! the queue that it knows. Invariant: a factory is one more interface of its queue: references to it count on the queue, and it stays
//! in its place, for whichever queue has that address.

use core::ffi::c_void;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::Convention::Win64;
use crate::real::{self, E_NOINTERFACE, E_POINTER, S_OK};
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::{interface, method};

/// The interface that Wine's DXGI asks for.
pub(crate) const IID: Guid = interface("IWineDXGISwapChainFactory").get().iid;

#[repr(C)]
struct Factory {
    vtable: &'static Vtable,
    queue: *mut c_void,
}

#[repr(C)]
struct Vtable {
    query: unsafe extern "win64" fn(*mut Factory, *const Guid, *mut *mut c_void) -> i32,
    add_ref: unsafe extern "win64" fn(*mut Factory) -> u32,
    release: unsafe extern "win64" fn(*mut Factory) -> u32,
    create: Create,
}

type Create = unsafe extern "win64" fn(
    *mut Factory,
    *mut c_void,
    *mut c_void,
    *const c_void,
    *const c_void,
    *mut c_void,
    *mut *mut c_void,
) -> i32;

static VTABLE: Vtable = Vtable { query, add_ref, release, create };

/// Addresses of factories by those of their queues. Nothing is taken out: programs present on few queues.
static FACTORIES: LazyLock<Mutex<HashMap<usize, usize>>> = LazyLock::new(Mutex::default);

/// The factory of an object of the runtime, with one reference for the caller; null where the object is no queue.
///
/// # Safety
/// The object is alive, and its convention is win64.
pub(crate) unsafe fn factory(object: *mut c_void) -> *mut c_void {
    const QUEUE: &Guid = &interface("ID3D12CommandQueue").get().iid;
    // SAFETY: the caller passes a live object; the reference goes to the caller with the factory.
    let queue = unsafe { real::query(Win64, object, QUEUE) };
    if queue.is_null() {
        return queue;
    }
    let mut factories = FACTORIES.lock().unwrap_or_else(PoisonError::into_inner);
    let made = || Box::into_raw(Box::new(Factory { vtable: &VTABLE, queue })) as usize;
    *factories.entry(queue as usize).or_insert_with(made) as *mut c_void
}

unsafe extern "win64" fn query(this: *mut Factory, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    if iid.is_null() || out.is_null() {
        return E_POINTER;
    }
    // SAFETY: the caller passes a readable id and a writable place, and holds a reference to the queue.
    unsafe {
        if *iid != IID {
            return real::query_result(Win64, (*this).queue, iid, out);
        }
        add_ref(this);
        *out = this.cast();
    }
    S_OK
}

unsafe extern "win64" fn add_ref(this: *mut Factory) -> u32 {
    // SAFETY: the caller holds a reference to the queue; the factory stays.
    unsafe { real::add_ref(Win64, (*this).queue) }
}

unsafe extern "win64" fn release(this: *mut Factory) -> u32 {
    // SAFETY: the caller gives its reference to the queue back; the factory stays.
    unsafe { real::release(Win64, (*this).queue) }
}

unsafe extern "win64" fn create(
    this: *mut Factory,
    factory: *mut c_void,
    window: *mut c_void,
    desc: *const c_void,
    fullscreen: *const c_void,
    output: *mut c_void,
    chain: *mut *mut c_void,
) -> i32 {
    const CREATE: MethodId = method("IDXGIFactory2", "CreateSwapChainForHwnd");
    const FACTORY2: &Guid = &interface("IDXGIFactory2").get().iid;
    // SAFETY: Wine's DXGI passes its own factory and the arguments of its own call; the queue is alive with this object.
    unsafe {
        let factory = real::query(Win64, factory, FACTORY2);
        if factory.is_null() {
            return E_NOINTERFACE;
        }
        let words = [(*this).queue as u64, window as u64, desc as u64, fullscreen as u64, output as u64, chain as u64];
        let made = real::ask(Win64, factory, CREATE, &words) as i32;
        real::release(Win64, factory);
        made
    }
}
