//! The step from an object of the runtime to its one wrapper, which the program gets.
//!
//! Invariant: an object has one identity while it lives, and ids are never used twice.

use crate::session::{active, record};
use crate::sync::reentrant::Reentrant;
use crate::wrapper::notice::private_data;
use crate::wrapper::object::{self, COUNTED, Chain, Identity, Notice};
use crate::wrapper::table::{Entry, shard};
use crate::{Convention, model, real};
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Ids come from the session. Objects met while there is none are numbered from the top half, which no session reaches.
fn new_id() -> u32 {
    static WITHOUT: AtomicU32 = AtomicU32::new(1 << 31);
    match active::current() {
        Some(active) => active.session.new_object(),
        None => WITHOUT.fetch_add(1, Ordering::Relaxed),
    }
}

/// Wraps a real pointer that the runtime gave out with a reference of its own: the object's chain for what was asked for.
/// The second value tells whether the object is new to us.
///
/// # Safety
/// `real` is a live interface pointer, of `convention`, that answers for `iid`.
pub(crate) unsafe fn wrap(
    convention: Convention,
    real: *mut c_void,
    iid: &Guid,
    class: Option<InterfaceId>,
) -> (*mut Chain, bool) {
    let asked = model::by_iid(iid);
    // What the call is known to make says more than a base that was asked for.
    let interface = match (asked, class) {
        (Some(asked), Some(class)) if model::derives(model::interface(class).family, asked) => Some(asked),
        (None, Some(class)) if *iid == real::IID_UNKNOWN => Some(class),
        (asked, _) => asked,
    };
    let family = match (interface, class) {
        (Some(interface), Some(class)) if model::derives(model::interface(class).family, interface) => Some(class),
        (interface, _) => interface,
    };
    let unknown = interface.is_none_or(model::has_unknown);
    // SAFETY: the caller passes a live interface pointer.
    let key = if unknown { unsafe { real::canonical(convention, real) } } else { real } as usize;
    let mut table = shard(key);
    if let Some(Entry(found)) = table.get(&key) {
        // SAFETY: an entry leaves the table before its identity is freed, and the lock is held.
        let identity = unsafe { &**found };
        if unknown || identity.primary.interface == family.map(|family| model::interface(family).family) {
            if identity.flags.load(Ordering::Relaxed) & COUNTED != 0 {
                identity.references.fetch_add(1, Ordering::Relaxed);
            }
            drop(table);
            let (chain, _) = object::chain_of(identity, interface, iid, real);
            return (core::ptr::from_ref(chain).cast_mut(), false);
        }
    }
    let identity = Identity::new(convention, family, interface, iid, real, key);
    table.insert(key, Entry(identity));
    drop(table);
    // SAFETY: made just now; it lives as long as the object, which the caller's reference keeps.
    let made = unsafe { &*identity };
    made.ask_for_notice(real);
    (identity.cast(), true)
}

/// A further interface of an object that the program asked through one of its chains; takes over the reference.
pub(crate) fn query(identity: &Identity, iid: &Guid, real: *mut c_void) -> *mut Chain {
    if identity.flags.load(Ordering::Relaxed) & COUNTED != 0 {
        identity.add_reference();
    }
    let interface = model::by_iid(iid);
    let (chain, new) = object::chain_of(identity, interface, iid, real);
    if new && interface.is_none() {
        record::gap(identity.id, &format!("interface {iid} is unknown: its calls are passed on unrecorded"));
    }
    core::ptr::from_ref(chain).cast_mut()
}

impl Identity {
    fn new(
        convention: Convention,
        family: Option<InterfaceId>,
        interface: Option<InterfaceId>,
        iid: &Guid,
        real: *mut c_void,
        key: usize,
    ) -> *mut Identity {
        let id = new_id();
        let mut primary = Chain::new(convention, family, *iid, real, core::ptr::null_mut(), id);
        primary.answers_for(interface);
        let identity = Box::into_raw(Box::new(Identity {
            primary,
            ordinal: AtomicU32::new(0),
            id,
            convention,
            flags: AtomicU32::new(if private_data(family).is_some() { 0 } else { COUNTED }),
            references: AtomicU32::new(1),
            observed: AtomicU64::new(u64::MAX),
            passed: AtomicU64::new(0),
            order: Reentrant::new(),
            queue: AtomicPtr::new(core::ptr::null_mut()),
            host: AtomicUsize::new(0),
            markers: AtomicPtr::new(core::ptr::null_mut()),
            adding: Mutex::new(()),
            notice: Notice::new(convention),
            key,
        }));
        // SAFETY: made just now; no other thread has the pointer.
        unsafe {
            (*identity).primary.belongs_to(identity);
            (*identity).notice.identity = identity;
        }
        identity
    }
}
