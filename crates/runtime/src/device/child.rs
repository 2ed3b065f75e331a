//! What an object made by a device holds of it.

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

use reprise_com::Object;

use crate::device::{Device, DeviceRef};

/// A child's hold on its device: an internal reference for as long as the child is there, and a public one until the
/// program has released the child. So a program that leaks nothing sees its device's count fall to zero, also while the GPU
/// still works.
#[derive(Debug)]
pub struct Child {
    device: DeviceRef,
    public: AtomicBool,
}

impl Child {
    /// For a new child of `device`. Call [`Child::release`] in `Class::released` and give [`Child::pointer`] in
    /// `Class::device`.
    pub fn new(device: &Object<Device>) -> Child {
        device.add_ref();
        Child { device: device.keep(), public: AtomicBool::new(true) }
    }

    /// For an object of the runtime's own, which no program will see.
    pub fn internal(device: &Object<Device>) -> Child {
        Child { device: device.keep(), public: AtomicBool::new(false) }
    }

    /// The program has released the child.
    pub fn release(&self) {
        if self.public.swap(false, Ordering::AcqRel) {
            // SAFETY: the public reference of `new`, given back once; the internal one keeps the device.
            unsafe { Object::release(NonNull::from(&*self.device)) };
        }
    }

    /// The device's COM pointer.
    pub fn pointer(&self) -> NonNull<c_void> {
        NonNull::from(&*self.device).cast()
    }

    /// The device.
    pub fn device(&self) -> &DeviceRef {
        &self.device
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
