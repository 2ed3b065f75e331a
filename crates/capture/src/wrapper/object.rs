//! An object's identity in the trace ([`Identity`]), and the pointers that the program holds: one [`Chain`] for each family of
//! interfaces.
//!
//! A chain's vtable is the newest version of its family; older versions are prefixes of it. The program reaches a newer
//! version only after the real object has answered for it. Invariant: the first two words of a [`Chain`] are the vtable and the
//! real pointer, in this order (the stubs of unknown interfaces read them), and neither is ever null.

use crate::sync::link::Link;
use crate::sync::reentrant::Reentrant;
use crate::sync::version::Versioned;
use crate::wrapper::vtable;
use crate::{Convention, model, real};
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use reprise_d3d12::model::{Guid, InterfaceId};
use std::sync::Mutex;

/// The object behind an interface pointer of the program.
#[repr(C)]
pub(crate) struct Chain {
    vtable: *const usize,
    /// The runtime's pointer, and how many slots its interface is known to have; a newer version may be another pointer.
    real: Versioned<c_void>,
    /// As `Box::into_raw` made it.
    identity: *mut Identity,
    /// The identity's, so that a thunk finds it without another load.
    pub(crate) id: u32,
    /// `None` for an interface that the model does not know.
    pub(crate) interface: Option<InterfaceId>,
    /// Of an unknown interface.
    iid: Guid,
    next: Link<Chain>,
}

impl Chain {
    /// A chain of `interface`'s family over a real pointer that answers for `interface`.
    pub(crate) fn new(
        convention: Convention,
        interface: Option<InterfaceId>,
        iid: Guid,
        real: *mut c_void,
        identity: *mut Identity,
        id: u32,
    ) -> Chain {
        let family = interface.map(|interface| model::interface(interface).family);
        Chain {
            vtable: vtable::of(convention, family),
            real: Versioned::new(real, slots(interface)),
            identity,
            id,
            interface: family,
            iid,
            next: Link::end(),
        }
    }

    /// The runtime's own pointer.
    #[inline(always)]
    pub(crate) fn real(&self) -> *mut c_void {
        self.real.get()
    }

    /// The object this chain belongs to.
    #[inline(always)]
    pub(crate) fn identity(&self) -> &Identity {
        // SAFETY: a chain is a field of its identity or is freed by it, so the identity lives.
        unsafe { &*self.identity }
    }

    /// Completes the link that cannot be known before the identity has its place.
    pub(crate) fn belongs_to(&mut self, identity: *mut Identity) {
        self.identity = identity;
    }

    /// Whether the interface behind `real` is known to have all slots of `interface`.
    pub(crate) fn has(&self, interface: InterfaceId) -> bool {
        self.real.has(model::slots(interface))
    }

    /// Narrows what `real` is known to answer for: the family may have been known before the version.
    pub(crate) fn answers_for(&mut self, interface: Option<InterfaceId>) {
        self.real.restate(slots(interface));
    }

    fn answered(&self, interface: Option<InterfaceId>, real: *mut c_void) {
        // `IUnknown` says nothing about the versions behind the primary chain.
        if let Some(interface) = interface.filter(|interface| *interface != model::known().unknown) {
            self.real.learn(model::slots(interface), real, &self.identity().adding);
        }
    }

    fn serves(&self, interface: Option<InterfaceId>, iid: &Guid) -> bool {
        match (self.interface, interface) {
            (Some(own), Some(asked)) => model::derives(own, asked),
            (None, None) => self.iid == *iid,
            _ => false,
        }
    }
}

fn slots(interface: Option<InterfaceId>) -> u16 {
    interface.map_or(0, model::slots)
}

/// The chain behind a pointer that the program passed; `None` for null and for objects that are none of ours.
///
/// # Safety
/// `pointer` is null or a live COM pointer.
#[inline(always)]
pub(crate) unsafe fn from_pointer<'a>(pointer: *mut c_void) -> Option<&'a Chain> {
    // SAFETY: the caller passes null or a live COM pointer, which begins with a vtable's address; an address in our area stands
    // only at the beginning of a chain, which lives as long as the program's reference.
    unsafe { if !pointer.is_null() && vtable::is_ours(pointer) { Some(&*pointer.cast::<Chain>()) } else { None } }
}

/// The program's references are counted here, because the object cannot tell us of its end.
pub(crate) const COUNTED: u32 = 1;
/// A subresource is mapped: the final release must not run beside a flush.
pub(crate) const MAPPED: u32 = 2;
/// The object is a fence: see [`crate::submission::fences`].
pub(crate) const FENCE: u32 = 4;
/// The real object is gone.
pub(crate) const DEAD: u32 = 8;
/// A swap chain or a duplicated output that was made for a device that is not recorded, as those of Direct3D 11 are.
pub(crate) const FOREIGN: u32 = 16;

/// An object of the runtime as the trace knows it.
#[repr(C)]
pub(crate) struct Identity {
    pub(crate) primary: Chain,
    /// Calls so far whose order on the object the API leaves to the program.
    pub(crate) ordinal: AtomicU32,
    /// The trace's name for it; never used twice.
    pub(crate) id: u32,
    pub(crate) convention: Convention,
    pub(crate) flags: AtomicU32,
    /// References that the program holds; only with [`COUNTED`], changed under the table's lock.
    pub(super) references: AtomicU32,
    /// Last completed value of a fence that was recorded.
    pub(crate) observed: AtomicU64,
    /// Greatest value of a fence that a queue was told to wait for and that was found reached.
    pub(crate) passed: AtomicU64,
    /// Decides the order of calls on a queue or a fence.
    pub(crate) order: Reentrant,
    /// Of a swap chain: the queue that it presents on.
    pub(crate) queue: AtomicPtr<Identity>,
    /// Of a heap in the program's own memory: its address.
    pub(crate) host: AtomicUsize,
    /// Of a list: what `markers` keeps for it; null before its first operation, and where markers are off.
    pub(crate) markers: AtomicPtr<c_void>,
    /// Held by whoever adds a chain, or changes what one is known to have.
    pub(crate) adding: Mutex<()>,
    pub(super) notice: Notice,
    /// The real `IUnknown` pointer, under which the table finds the identity.
    pub(super) key: usize,
}

// SAFETY: what changes is atomic or behind a mutex; the raw pointers inside are constant, and calls through the real one follow
// the API's own rules of threads, since the program makes them.
unsafe impl Sync for Identity {}
// SAFETY: nothing in an identity belongs to the thread that made it.
unsafe impl Send for Identity {}

impl Identity {
    /// The pointer that `Box::into_raw` made: the only one that may free the identity.
    pub(super) fn origin(&self) -> *mut Identity {
        self.primary.identity
    }

    /// Whether a flag is set.
    pub(crate) fn is(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }
}

/// What the real object holds among its private data; its last release is the object's end.
#[repr(C)]
pub(super) struct Notice {
    pub(super) vtable: *const [*const c_void; 3],
    pub(super) references: AtomicU32,
    pub(super) identity: *mut Identity,
}

/// The chain of `identity` for an interface, made if there is none yet, and whether it was made. `real` answered for `iid`.
pub(crate) fn chain_of<'a>(
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
    let chain =
        Box::into_raw(Box::new(Chain::new(identity.convention, interface, *iid, real, identity.origin(), identity.id)));
    // SAFETY: made just now, and freed only with the identity, which `'a` does not outlive.
    let new: &'a Chain = unsafe { &*chain };
    // The pointer of the box itself goes into the list: it is what frees the chain.
    identity.primary.next.insert(chain, &new.next);
    (new, true)
}

fn find<'a>(identity: &'a Identity, interface: Option<InterfaceId>, iid: &Guid) -> Option<&'a Chain> {
    if *iid == real::IID_UNKNOWN {
        // One pointer for the object's identity, whatever it was asked through.
        return Some(&identity.primary);
    }
    let mut chain = &identity.primary;
    loop {
        if chain.serves(interface, iid) {
            return Some(chain);
        }
        let next = chain.next.next();
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
    let mut next = primary.next.cut();
    while !next.is_null() {
        // SAFETY: `of` made it by `Box::into_raw`; it was cut off the list here, once; the caller says that no thread uses it.
        let mut chain = unsafe { Box::from_raw(next) };
        next = chain.next.cut();
    }
}
