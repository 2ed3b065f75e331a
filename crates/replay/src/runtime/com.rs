//! References and interfaces of the runtime's objects: `QueryInterface`, `AddRef`, `Release`.

use reprise_d3d12::method;
use reprise_d3d12::model::{Guid, MethodId};

use super::Runtime;

/// The calls of COM that the table of objects makes.
pub(crate) trait Com {
    /// `QueryInterface`: a pointer with a reference of its own.
    fn query(&self, pointer: u64, iid: &Guid) -> Option<u64>;
    /// `Release`.
    fn release(&self, pointer: u64);
}

impl<T: Com> Com for std::sync::Arc<T> {
    fn query(&self, pointer: u64, iid: &Guid) -> Option<u64> {
        (**self).query(pointer, iid)
    }

    fn release(&self, pointer: u64) {
        (**self).release(pointer);
    }
}

impl Com for Runtime {
    fn query(&self, pointer: u64, iid: &Guid) -> Option<u64> {
        let mut out = 0u64;
        let words = [core::ptr::from_ref(iid) as u64, core::ptr::from_mut(&mut out) as u64];
        // SAFETY: the table passes pointers of this runtime only; both arguments are memory of ours.
        let result = unsafe { self.call(pointer, method("IUnknown", "QueryInterface"), &words) };
        (result as i32 >= 0 && out != 0).then_some(out)
    }

    fn release(&self, pointer: u64) {
        const RELEASE: MethodId = method("IUnknown", "Release");
        // SAFETY: the table passes pointers of this runtime only, each with a reference that it holds.
        unsafe { self.call(pointer, RELEASE, &[]) };
    }
}

impl Runtime {
    /// `AddRef`.
    pub(crate) fn add_reference(&self, pointer: u64) {
        const ADD: MethodId = method("IUnknown", "AddRef");
        // SAFETY: the pointer is a live one of this runtime; there are no arguments.
        unsafe { self.call(pointer, ADD, &[]) };
    }
}
