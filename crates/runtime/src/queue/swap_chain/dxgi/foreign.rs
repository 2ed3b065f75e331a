//! COM objects of others: the program's DXGI.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_d3d12::abi::{self, Convention};
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::{interface, method};

const _: () = assert!(interface("IUnknown").0 < u16::MAX);
const QUERY: MethodId = method("IUnknown", "QueryInterface");
const ADD_REF: MethodId = method("IUnknown", "AddRef");
const RELEASE: MethodId = method("IUnknown", "Release");

/// An object of another library, held by a reference.
#[derive(Debug)]
pub(super) struct Foreign(NonNull<c_void>);

// SAFETY: DXGI's objects may be used from any thread.
unsafe impl Send for Foreign {}
// SAFETY: DXGI's objects may be used from several threads at once.
unsafe impl Sync for Foreign {}

impl Foreign {
    /// One more reference to an object; `None` for null.
    ///
    /// # Safety
    /// `pointer` is null or a living COM object.
    pub(super) unsafe fn new(pointer: *mut c_void) -> Option<Foreign> {
        let object = Foreign(NonNull::new(pointer)?);
        // SAFETY: a living object; the reference is given back by `drop`.
        unsafe { object.call(ADD_REF, &[]) };
        Some(object)
    }

    /// An object with a reference that was given to us; `None` for null.
    ///
    /// # Safety
    /// `pointer` is null or a COM object with a reference of ours.
    unsafe fn taken(pointer: *mut c_void) -> Option<Foreign> {
        NonNull::new(pointer).map(Foreign)
    }

    /// Calls a method.
    ///
    /// # Safety
    /// The object has the method, which takes these words.
    pub(super) unsafe fn call(&self, method: MethodId, words: &[u64]) -> u64 {
        let pointer = self.0.as_ptr();
        // SAFETY: a COM object begins with its vtable, which has the method's slot; the words are right, as the caller says.
        unsafe {
            let vtable = *pointer.cast::<*const *const c_void>();
            let function = *vtable.add(usize::from(method.get().slot));
            abi::call(Convention::Win64, function, Some(pointer), words, method.get())
        }
    }

    /// Calls a method whose last word is a place for an object, and gives that.
    ///
    /// # Safety
    /// As [`Foreign::call`]; `words` are those before the last one.
    pub(super) unsafe fn make(&self, method: MethodId, words: &[u64]) -> Option<Foreign> {
        let mut made: *mut c_void = core::ptr::null_mut();
        let mut all = words.to_vec();
        all.push((&raw mut made) as u64);
        // SAFETY: the object has the method; the place is ours, and what a success writes there has a reference for us.
        unsafe { (self.call(method, &all) as i32 >= 0).then(|| Foreign::taken(made)).flatten() }
    }

    /// Another interface of the object.
    pub(super) fn query(&self, class: InterfaceId) -> Option<Foreign> {
        // SAFETY: every object has the method; the id is the model's.
        unsafe { self.make(QUERY, &[(&raw const class.get().iid) as u64]) }
    }

    /// `QueryInterface` for the program.
    ///
    /// # Safety
    /// `iid` is readable, `out` writable.
    pub(super) unsafe fn give(&self, iid: *const Guid, out: *mut *mut c_void) -> i32 {
        // SAFETY: every object has the method; id and place are right, as the caller says.
        unsafe { self.call(QUERY, &[iid as u64, out as u64]) as i32 }
    }

    /// The COM pointer with one more reference, for the program.
    pub(super) fn share(&self) -> *mut c_void {
        // SAFETY: every object has the method.
        unsafe { self.call(ADD_REF, &[]) };
        self.0.as_ptr()
    }
}

impl Clone for Foreign {
    fn clone(&self) -> Foreign {
        self.share();
        Foreign(self.0)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: the reference is given back once.
        unsafe { self.call(RELEASE, &[]) };
    }
}
