//! Wrappers for the objects that a call gave out.
//!
//! Invariant: an object of a device that is not recorded reaches the program as it is. That device takes it back, and knows no
//! wrappers: Direct3D 11 has swap chains of the same factories, and a program may have its Direct3D 12 from elsewhere.

use crate::call::Call;
use crate::model::special::Special;
use crate::session::record;
use crate::submission::fences;
use crate::wrapper::object::{self, Chain, FOREIGN};
use crate::wrapper::{self, vtable};
use crate::{Convention, model, real};
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId};
use std::sync::atomic::Ordering;

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
    /// The call succeeded; the slot holds a real interface pointer that it gave out with a reference.
    pub(super) unsafe fn wrap(
        &mut self,
        call: &Call<'_>,
        special: Special,
        output: reprise_codec::outputs::OutputObject,
    ) {
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
        let of_foreign = call.chain.is_some_and(|chain| chain.identity().is(FOREIGN));
        if of_foreign && !belongs_to_no_device(&iid) {
            return;
        }
        // SAFETY: a live interface pointer that the call gave out as an answer to this id.
        let (chain, new) = unsafe { wrap(call.convention, real, &iid, class) };
        // SAFETY: the caller's reference keeps the object, and with it the wrapper.
        let identity = unsafe { (*chain).identity() };
        // SAFETY: the device or the queue that the program passed to a call that succeeded.
        if special == Special::ForDevice && unsafe { is_foreign(call) } {
            identity.flags.fetch_or(FOREIGN, Ordering::Relaxed);
        }
        if new && model::by_iid(&iid).is_none() {
            record::gap(identity.id, &format!("interface {iid} is unknown: its calls are passed on unrecorded"));
        }
        // SAFETY: the slot is the program's output.
        unsafe { *output.slot = chain as u64 };
        self.chains.push((chain, new));
    }
}

/// Whether what has this interface is the same for all devices.
fn belongs_to_no_device(iid: &Guid) -> bool {
    let known = model::known();
    let is = |interface| [known.factory, known.adapter, known.output].iter().any(|of| model::derives(interface, *of));
    model::by_iid(iid).is_some_and(is)
}

/// Whether the device or the queue in argument 0 is none of ours.
///
/// # Safety
/// The argument is null or a live COM pointer.
unsafe fn is_foreign(call: &Call<'_>) -> bool {
    let device = call.words.first().map_or(core::ptr::null_mut(), |word| *word as *mut c_void);
    // SAFETY: the caller's promise is the same.
    unsafe { object::from_pointer(device) }.is_none()
}
