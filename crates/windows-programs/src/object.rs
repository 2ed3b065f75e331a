//! Objects with a reference of ours.

use crate::com;
use reprise_d3d12::method;
use std::ffi::c_void;

/// An object, released when dropped.
pub(crate) struct Object(pub(crate) *mut c_void);

impl Object {
    /// One that a call has made.
    pub(crate) fn made(result: u64, object: *mut c_void) -> Option<Object> {
        (result as i32 >= 0 && !object.is_null()).then(|| Object(object))
    }

    /// Calls a method with its words; gives the result.
    pub(crate) fn call(&self, class: &str, name: &str, words: &[u64]) -> i32 {
        // SAFETY: the object is alive; callers pass the words of the method that they name.
        unsafe { com::call(self.0, method(class, name), words) as i32 }
    }

    /// Calls a method without arguments whose result is a pointer or a handle.
    pub(crate) fn call_pointer(&self, class: &str, name: &str) -> *mut c_void {
        // SAFETY: the object is alive; callers name a method that takes nothing.
        unsafe { com::call(self.0, method(class, name), &[]) as usize as *mut c_void }
    }

    /// Calls a method whose last two words are an id and a place.
    pub(crate) fn make(&self, class: &str, name: &str, words: &[u64], wanted: &str) -> Option<Object> {
        // SAFETY: the object is alive; callers pass the words of the method that they name.
        unsafe { com::make(self.0, method(class, name), words, wanted).map(Object) }
    }

    /// Another interface.
    pub(crate) fn query(&self, wanted: &str) -> Option<Object> {
        self.make("IUnknown", "QueryInterface", &[], wanted)
    }

    /// Calls a method whose last word is a place for an object.
    pub(crate) fn take(&self, class: &str, name: &str, words: &[u64]) -> Option<Object> {
        let mut object: *mut c_void = std::ptr::null_mut();
        let mut words = words.to_vec();
        words.push((&raw mut object) as u64);
        Object::made(self.call(class, name, &words) as u32 as u64, object)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the reference is ours and given up once.
        unsafe { com::release(self.0) };
    }
}
