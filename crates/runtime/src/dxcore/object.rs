//! Objects of DXCore: a vtable, a count, and what the class has.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering, fence};
use std::sync::OnceLock;

use reprise_com::guid::guid;
use reprise_com::result::{E_NOINTERFACE, E_POINTER, S_OK};
use reprise_d3d12::model::Guid;

const UNKNOWN: Guid = guid(0, 0, 0, [0xc0, 0, 0, 0, 0, 0, 0, 0x46]);

/// A class of objects.
pub(super) trait Class: Sized + Send + Sync + 'static {
    /// The interfaces besides `IUnknown`, which one vtable serves.
    const INTERFACES: &'static [Guid];
    /// The methods behind `IUnknown`'s.
    const METHODS: &'static [*const c_void];
    /// Whether objects go with their last reference. Others live as long as the process.
    const GOES: bool;
}

/// Gives the factory to the program. Adapters and lists lead back to the factory, which makes both: this keeps their modules apart.
pub(super) static FACTORY: OnceLock<unsafe fn(*const Guid, *mut *mut c_void) -> i32> = OnceLock::new();

/// `GetFactory` of adapters and lists.
pub(super) unsafe extern "C" fn get_factory(_this: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: what the cell holds is the factory's own function, which looks at `iid` and `out`: they are null, or an id and room for a
    // pointer.
    FACTORY.get().map_or(E_NOINTERFACE, |give| unsafe { give(iid, out) })
}

/// Most slots of any class.
const SLOTS: usize = 16;

/// An object. Its address is its COM pointer.
#[repr(C)]
pub(super) struct Object<T> {
    vtable: &'static Vtable,
    count: AtomicU32,
    pub(super) body: T,
}

#[allow(dead_code, reason = "callers read it through the first word of an object")]
struct Vtable([*const c_void; SLOTS]);

// SAFETY: addresses of functions, which do not change.
unsafe impl Sync for Vtable {}

struct VtableOf<T>(core::marker::PhantomData<T>);

impl<T: Class> VtableOf<T> {
    const TABLE: &'static Vtable = &{
        let mut slots = [core::ptr::null(); SLOTS];
        slots[0] = query_interface::<T> as *const c_void;
        slots[1] = add_ref::<T> as *const c_void;
        slots[2] = release::<T> as *const c_void;
        let mut at = 0;
        while at < T::METHODS.len() {
            slots[at + 3] = T::METHODS[at];
            at += 1;
        }
        Vtable(slots)
    };
}

impl<T: Class> Object<T> {
    /// An object without references.
    pub(super) const fn new(body: T) -> Object<T> {
        Object { vtable: VtableOf::<T>::TABLE, count: AtomicU32::new(0), body }
    }

    /// `this` of a method.
    ///
    /// # Safety
    /// `this` is a living object of this class.
    pub(super) unsafe fn this<'a>(this: *mut c_void) -> &'a Object<T> {
        // SAFETY: the caller passes a living object of this class.
        unsafe { &*this.cast() }
    }

    /// `QueryInterface`: a reference more.
    ///
    /// # Safety
    /// `iid` is null or readable; `out` is null or writable.
    pub(super) unsafe fn query(&self, iid: *const Guid, out: *mut *mut c_void) -> i32 {
        // SAFETY: the caller promises: `iid` is null or readable; `out` is null or writable.
        unsafe {
            if out.is_null() || iid.is_null() {
                return E_POINTER;
            }
            if *iid != UNKNOWN && !T::INTERFACES.contains(&*iid) {
                out.write(core::ptr::null_mut());
                return E_NOINTERFACE;
            }
            self.count.fetch_add(1, Ordering::Relaxed);
            out.write((&raw const *self).cast_mut().cast());
            S_OK
        }
    }

    /// Gives a new object to the program.
    ///
    /// # Safety
    /// As [`Object::query`].
    pub(super) unsafe fn give(body: T, iid: *const Guid, out: *mut *mut c_void) -> i32 {
        let made = Box::into_raw(Box::new(Object::new(body)));
        // SAFETY: the object was just made; the caller promises the rest.
        let result = unsafe { (*made).query(iid, out) };
        if result != S_OK {
            // SAFETY: nobody else knows the object.
            drop(unsafe { Box::from_raw(made) });
        }
        result
    }
}

unsafe extern "C" fn query_interface<T: Class>(this: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the slot is of this class's vtable, and the program's reference keeps the object; `query` looks at `iid` and `out`, which are
    // null, or an id and room for a pointer.
    unsafe { Object::<T>::this(this).query(iid, out) }
}

unsafe extern "C" fn add_ref<T: Class>(this: *mut c_void) -> u32 {
    // SAFETY: an object of this class.
    unsafe { Object::<T>::this(this) }.count.fetch_add(1, Ordering::Relaxed) + 1
}

unsafe extern "C" fn release<T: Class>(this: *mut c_void) -> u32 {
    // SAFETY: an object of this class.
    let left = unsafe { Object::<T>::this(this) }.count.fetch_sub(1, Ordering::Release) - 1;
    if left == 0 && T::GOES {
        fence(Ordering::Acquire);
        // SAFETY: objects that go were made by `give`, and this was the last reference.
        drop(unsafe { Box::from_raw(this.cast::<Object<T>>()) });
    }
    left
}
