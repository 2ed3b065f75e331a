//! Facets: further interfaces of an object, each with a vtable of its own inside the object's body.
//!
//! Invariant: a facet has no counts; its `IUnknown` methods are the object's.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_d3d12::model::Guid;

use crate::guard;
use crate::object::{Class, Object};
use crate::result::{E_NOINTERFACE, E_POINTER};
use crate::tables::Tables;
use crate::vtable::Slots;

/// A class with a facet number `N`.
///
/// # Safety
/// A [`Facet`] with a vtable of this class and number lies at [`Faceted::PLACE`] of every body.
pub unsafe trait Faceted<const N: usize>: Class {
    /// Where the [`Facet`] lies in the body: `offset_of!(Self, field)`.
    const PLACE: usize;

    /// The methods of `IUnknown` for the facet's vtable.
    const UNKNOWN: &'static Slots = &[
        ("QueryInterface", query_interface::<Self, N> as *const c_void),
        ("AddRef", add_ref::<Self, N> as *const c_void),
        ("Release", release::<Self, N> as *const c_void),
    ];
}

/// A field of the body whose address is the COM pointer of another interface.
#[derive(Debug)]
#[repr(transparent)]
pub struct Facet(*const *const c_void);

// SAFETY: a facet is the address of a constant.
unsafe impl Send for Facet {}
// SAFETY: a facet never changes.
unsafe impl Sync for Facet {}

impl Facet {
    /// With a vtable.
    pub fn new(tables: Tables) -> Facet {
        Facet(tables.shown())
    }
}

/// The facet's COM pointer, for [`Class::facet`].
pub fn pointer<T: Faceted<N>, const N: usize>(object: &Object<T>) -> *mut c_void {
    object.pointer().wrapping_byte_add(Object::<T>::BODY + T::PLACE)
}

/// The object of a facet.
///
/// # Safety
/// `this` is the COM pointer of this facet of a living object.
pub unsafe fn object<'a, T: Faceted<N>, const N: usize>(this: *mut c_void) -> &'a Object<T> {
    // SAFETY: the facet lies at this distance from the beginning of its object, which lives.
    unsafe { Object::this(this.byte_sub(Object::<T>::BODY + T::PLACE)) }
}

unsafe extern "C" fn query_interface<T: Faceted<N>, const N: usize>(
    this: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_NOINTERFACE, || {
        if iid.is_null() {
            return E_POINTER;
        }
        // SAFETY: the slot is of this facet's vtable, so it lies in an object of the class, which the program holds; `iid` is not null and
        // readable, `out` null or room for a pointer.
        unsafe { object::<T, N>(this).query(&*iid, out) }
    })
}

unsafe extern "C" fn add_ref<T: Faceted<N>, const N: usize>(this: *mut c_void) -> u32 {
    // SAFETY: a facet of the class.
    unsafe { object::<T, N>(this) }.add_ref()
}

unsafe extern "C" fn release<T: Faceted<N>, const N: usize>(this: *mut c_void) -> u32 {
    // SAFETY: a facet of the class; the program gives a reference back.
    guard(0, || unsafe { Object::release(NonNull::from(object::<T, N>(this))) })
}
