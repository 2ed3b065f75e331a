//! What an object made by a device holds of it.

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use reprise_com::{Class, Object, Ref};
use reprise_d3d12::model::Guid;

use crate::device::object::Device;
use crate::{Error, Result, error};

/// A child's hold on its device: a public reference until the program has released the child, and an internal one from then
/// on. So a program that leaks nothing sees its device's count fall to zero, also while the GPU still works.
///
/// Invariant: the child holds as many public references as `public` says, and an internal one while that is zero. Making and
/// destroying a child changes the device's counts once each: other threads change them too, so each change is dear.
#[derive(Debug)]
pub struct Child {
    device: NonNull<Object<Device>>,
    /// Public references: one while the program holds the child, and one more for an instant where a child that the runtime
    /// gives out again meets its last release.
    public: AtomicU32,
}

// SAFETY: `Object<Device>` is `Send` and `Sync`, since a class is, and both counts are atomic.
unsafe impl Send for Child {}
// SAFETY: a shared `Child` gives out shared references to the device, which is `Sync`; `public` is atomic.
unsafe impl Sync for Child {}

impl Child {
    /// For a new child of `device`. Call [`Child::release`] in `Class::released` and give [`Child::pointer`] in
    /// `Class::device`.
    pub fn new(device: &Object<Device>) -> Child {
        device.add_ref();
        Child { device: device.origin(), public: AtomicU32::new(1) }
    }

    /// For an object of the runtime's own, which no program will see.
    pub fn internal(device: &Object<Device>) -> Child {
        Child { device: device.keep().into_origin(), public: AtomicU32::new(0) }
    }

    /// The program has released the child.
    pub fn release(&self) {
        let internal = self.keep();
        let less = |count: u32| count.checked_sub(1);
        let Ok(before) = self.public.fetch_update(Ordering::AcqRel, Ordering::Relaxed, less) else { return };
        if before == 1 {
            // From here on it is the child's.
            internal.into_origin();
        }
        // SAFETY: the public reference of `new` or `hold`, given back once; an internal one keeps the device.
        unsafe { Object::release(self.device) };
    }

    /// The runtime gives a released child to the program again.
    pub fn hold(&self) {
        self.add_ref();
        if self.public.fetch_add(1, Ordering::AcqRel) == 0 {
            // SAFETY: the internal reference of a child without public ones, which it has now.
            drop(unsafe { Ref::from_origin(self.device) });
        }
    }

    /// The device's COM pointer.
    pub fn pointer(&self) -> NonNull<c_void> {
        self.device.cast()
    }
}

/// Gives the program a child that was made, or the code of why it was not; then nothing is given.
///
/// # Safety
/// `iid` is null or readable, `out` null or writable.
pub unsafe fn give<T: Class>(made: Result<T>, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    let made = match iid.is_null() {
        true => Err(Error::Invalid("no interface is asked for")),
        false => made,
    };
    match made {
        // SAFETY: `iid` is not null, so it is readable; `out` is null or writable.
        Ok(child) => unsafe { Object::make(child).give(&*iid, out) },
        Err(error) => {
            if !out.is_null() {
                // SAFETY: `out` is not null, so it is writable.
                unsafe { out.write(core::ptr::null_mut()) };
            }
            error::code_of_creation(&error)
        }
    }
}

impl Deref for Child {
    type Target = Object<Device>;

    fn deref(&self) -> &Object<Device> {
        // SAFETY: the child holds a reference of one kind or the other.
        unsafe { self.device.as_ref() }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        match *self.public.get_mut() {
            // SAFETY: the internal reference of a child without public ones, given back once.
            0 => drop(unsafe { Ref::from_origin(self.device) }),
            // A child that never became an object, or that goes with its release.
            public => (0..public).for_each(|_| {
                // SAFETY: one of the public references of `new` and `hold`, given back once.
                unsafe { Object::release(self.device) };
            }),
        }
    }
}
