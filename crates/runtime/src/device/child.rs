//! What an object made by a device holds of it.

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};

use reprise_com::{Class, Object, Ref};
use reprise_d3d12::model::Guid;

use crate::device::object::Device;
use crate::{Error, Result, error};

/// A child's hold on its device: an internal reference for as long as the child is there, and a public one until the
/// program has released the child. So a program that leaks nothing sees its device's count fall to zero, also while the GPU
/// still works.
#[derive(Debug)]
pub struct Child {
    device: Ref<Device>,
    /// Public references: one while the program holds the child, and one more for an instant where a child that the runtime
    /// gives out again meets its last release.
    public: AtomicU32,
}

impl Child {
    /// For a new child of `device`. Call [`Child::release`] in `Class::released` and give [`Child::pointer`] in
    /// `Class::device`.
    pub fn new(device: &Object<Device>) -> Child {
        device.add_ref();
        Child { device: device.keep(), public: AtomicU32::new(1) }
    }

    /// For an object of the runtime's own, which no program will see.
    pub fn internal(device: &Object<Device>) -> Child {
        Child { device: device.keep(), public: AtomicU32::new(0) }
    }

    /// The program has released the child.
    pub fn release(&self) {
        let less = |count: u32| count.checked_sub(1);
        if self.public.fetch_update(Ordering::AcqRel, Ordering::Relaxed, less).is_ok() {
            // SAFETY: the public reference of `new` or `hold`, given back once; the internal one keeps the device.
            unsafe { Object::release(NonNull::from(&*self.device)) };
        }
    }

    /// The runtime gives a released child to the program again.
    pub fn hold(&self) {
        self.device.add_ref();
        self.public.fetch_add(1, Ordering::AcqRel);
    }

    /// The device's COM pointer.
    pub fn pointer(&self) -> NonNull<c_void> {
        NonNull::from(&*self.device).cast()
    }

    /// The device.
    pub fn device(&self) -> &Ref<Device> {
        &self.device
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
            error::code(Err(error))
        }
    }
}

impl Deref for Child {
    type Target = Object<Device>;

    fn deref(&self) -> &Object<Device> {
        &self.device
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A child that never became an object still has its public reference.
        self.release();
    }
}
