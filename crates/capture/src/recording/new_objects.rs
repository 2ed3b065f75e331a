//! Wrappers for the objects that a call gave out.

use crate::session::record;
use crate::submission::fences;
use crate::wrapper::object::Chain;
use crate::wrapper::{self, vtable};
use crate::{Convention, model, real};
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId};

/// Wraps a real pointer that the runtime gave out with a reference of its own: the object's chain for what was asked for, and
/// whether the object is new to us. A new fence is among those that live from now on.
///
/// # Safety
/// `real` is a live interface pointer, of `convention`, that answers for `iid`.
pub(crate) unsafe fn wrap(
    convention: Convention,
    real: *mut c_void,
    iid: &Guid,
    class: Option<InterfaceId>,
) -> (*mut Chain, bool) {
    // SAFETY: the caller's promise is the same.
    let (chain, new) = unsafe { wrapper::wrap::wrap(convention, real, iid, class) };
    if new {
        // SAFETY: made just now; the caller's reference keeps the object, and with it the wrapper.
        let identity = unsafe { (*chain).identity() };
        let fence = model::known().fence;
        if identity.primary.interface.is_some_and(|family| model::derives(family, fence)) && identity.primary.has(fence)
        {
            fences::add(identity);
        }
    }
    (chain, new)
}

/// Objects that a call gave out, wrapped.
#[derive(Default)]
pub(crate) struct Made {
    /// Chain, and whether the object is new to us.
    pub(crate) chains: Vec<(*mut Chain, bool)>,
}

impl Made {
    /// # Safety
    /// The slot holds a real interface pointer that the call gave out with a reference.
    pub(super) unsafe fn wrap(&mut self, convention: Convention, output: reprise_codec::outputs::OutputObject) {
        // SAFETY: the codec gives a place in which the call has just put an object.
        let real = unsafe { *output.slot } as *mut c_void;
        // SAFETY: a COM pointer; one of ours comes back where the program had stored it (private data).
        if unsafe { vtable::is_ours(real) } {
            return;
        }
        let class = output.class.or(output.iid.is_none().then_some(output.interface));
        let iid: Guid = match (output.iid, class) {
            (Some(iid), _) => iid,
            (None, Some(class)) => model::interface(class).iid,
            (None, None) => real::IID_UNKNOWN,
        };
        // SAFETY: a live interface pointer that the call gave out as an answer to this id.
        let (chain, new) = unsafe { wrap(convention, real, &iid, class) };
        if new && model::by_iid(&iid).is_none() {
            // SAFETY: the chain was made just now.
            let id = unsafe { (*chain).id };
            record::gap(id, &format!("interface {iid} is unknown: its calls are passed on unrecorded"));
        }
        // SAFETY: the slot is the program's output.
        unsafe { *output.slot = chain as u64 };
        self.chains.push((chain, new));
    }
}
