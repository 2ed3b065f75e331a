//! What the program holds: one [`Chain`] per interface family of an object.
//!
//! A chain's vtable is the newest version of its family; older versions are prefixes of it, and the program reaches a
//! newer version only after the real object has answered for it. Invariant: [`Chain`]'s first three words are the vtable, the
//! real pointer and the identity, in this order (thunks and the blind shim read them), and the first two are never null.

use crate::identity::Identity;
use crate::{Convention, api, raw, vtable};
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU16, Ordering};
use reprise_d3d12::model::{Guid, InterfaceId};

/// The object behind an interface pointer of the program.
#[repr(C)]
pub(crate) struct Chain {
    vtable: *const usize,
    real: AtomicPtr<c_void>,
    identity: *const Identity,
    /// The identity's, so that a thunk finds it without another load.
    pub(crate) id: u32,
    /// Slots that the interface behind `real` is known to have; a newer version may be another pointer.
    slots: AtomicU16,
    /// `None` for an interface that the model does not know.
    pub(crate) interface: Option<InterfaceId>,
    /// Of an unknown interface.
    iid: Guid,
    next: AtomicPtr<Chain>,
}

impl Chain {
    /// A chain of `interface`'s family over a real pointer that has `slots` slots.
    pub(crate) fn new(
        convention: Convention,
        interface: Option<InterfaceId>,
        iid: Guid,
        real: *mut c_void,
        identity: *const Identity,
        id: u32,
    ) -> Chain {
        let family = interface.map(|interface| api::interface(interface).family);
        let slots = interface.map_or(0, api::slots);
        Chain {
            vtable: vtable::of(convention, family),
            real: AtomicPtr::new(real),
            identity,
            id,
            slots: AtomicU16::new(slots),
            interface: family,
            iid,
            next: AtomicPtr::new(core::ptr::null_mut()),
        }
    }

    /// The runtime's own pointer.
    #[inline(always)]
    pub(crate) fn real(&self) -> *mut c_void {
        self.real.load(Ordering::Relaxed)
    }

    /// The object this chain belongs to.
    #[inline(always)]
    pub(crate) fn identity(&self) -> &Identity {
        // SAFETY: a chain lives in, or is owned by, its identity.
        unsafe { &*self.identity }
    }

    /// Completes the link that cannot be known before the identity has its place.
    pub(crate) fn belongs_to(&mut self, identity: *const Identity) {
        self.identity = identity;
    }

    /// Whether the interface behind `real` is known to have all slots of `interface`.
    pub(crate) fn has(&self, interface: InterfaceId) -> bool {
        self.slots.load(Ordering::Acquire) >= api::slots(interface)
    }

    /// Narrows what `real` is known to answer for: the family may have been known before the version.
    pub(crate) fn answers_for(&mut self, interface: Option<InterfaceId>) {
        *self.slots.get_mut() = interface.map_or(0, api::slots);
    }

    /// Notes that `real` answers for `interface`, and takes it over where it is a newer version's own pointer.
    fn learn(&self, interface: InterfaceId, real: *mut c_void) {
        let slots = api::slots(interface);
        if slots <= self.slots.load(Ordering::Acquire) {
            return;
        }
        // One at a time: the newest version must win, and its pointer must be there before anybody relies on its slots.
        let _adding = self.identity().adding.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if slots > self.slots.load(Ordering::Relaxed) {
            self.real.store(real, Ordering::Relaxed);
            self.slots.store(slots, Ordering::Release);
        }
    }

    fn answered(&self, interface: Option<InterfaceId>, real: *mut c_void) {
        // `IUnknown` says nothing about the versions behind the primary chain.
        if let Some(interface) = interface.filter(|interface| *interface != api::known().unknown) {
            self.learn(interface, real);
        }
    }

    fn serves(&self, interface: Option<InterfaceId>, iid: &Guid) -> bool {
        match (self.interface, interface) {
            (Some(own), Some(asked)) => api::derives(own, asked),
            (None, None) => self.iid == *iid,
            _ => false,
        }
    }
}

/// The chain of `identity` for an interface, made if there is none yet, and whether it was made. `real` answered for `iid`.
pub(crate) fn of<'a>(
    identity: &'a Identity,
    interface: Option<InterfaceId>,
    iid: &Guid,
    real: *mut c_void,
) -> (&'a Chain, bool) {
    if let Some(found) = find(identity, interface, iid) {
        found.answered(interface, real);
        return (found, false);
    }
    let adding = identity.adding.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(found) = find(identity, interface, iid) {
        drop(adding);
        found.answered(interface, real);
        return (found, false);
    }
    let chain = Box::new(Chain::new(identity.convention, interface, *iid, real, identity, identity.id));
    chain.next.store(identity.primary.next.load(Ordering::Relaxed), Ordering::Relaxed);
    let chain = Box::into_raw(chain);
    identity.primary.next.store(chain, Ordering::Release);
    // SAFETY: just made; freed only with the identity.
    (unsafe { &*chain }, true)
}

fn find<'a>(identity: &'a Identity, interface: Option<InterfaceId>, iid: &Guid) -> Option<&'a Chain> {
    if *iid == raw::IID_UNKNOWN {
        // One pointer for the object's identity, whatever it was asked through.
        return Some(&identity.primary);
    }
    let mut chain = &identity.primary;
    loop {
        if chain.serves(interface, iid) {
            return Some(chain);
        }
        let next = chain.next.load(Ordering::Acquire);
        if next.is_null() {
            return None;
        }
        // SAFETY: links lead to chains that live as long as the identity.
        chain = unsafe { &*next };
    }
}

/// Frees the further chains of an identity that nothing refers to any more.
///
/// # Safety
/// No thread uses a chain of the identity.
pub(crate) unsafe fn free_further(primary: &mut Chain) {
    let mut next = core::mem::replace(primary.next.get_mut(), core::ptr::null_mut());
    while !next.is_null() {
        // SAFETY: made by `Box::into_raw` in `of`, unlinked here, used by nobody by contract.
        let mut chain = unsafe { Box::from_raw(next) };
        next = core::mem::replace(chain.next.get_mut(), core::ptr::null_mut());
    }
}

/// The chain behind a pointer that the program passed; `None` for null and for objects that are none of ours.
///
/// # Safety
/// `pointer` is null or a live COM pointer.
#[inline(always)]
pub(crate) unsafe fn from_pointer<'a>(pointer: *mut c_void) -> Option<&'a Chain> {
    // SAFETY: by contract; a vtable in our area stands only at the beginning of a chain.
    unsafe { if !pointer.is_null() && vtable::is_ours(pointer) { Some(&*pointer.cast::<Chain>()) } else { None } }
}
