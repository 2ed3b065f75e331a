//! The objects of the runtime: identity, reference counts, interfaces, private data.
//!
//! An object is one identity with a *facet* (a COM pointer of its own) per interface chain it answers. Every facet of an
//! object shares its count. A child holds its device; private-data interfaces are held until replaced or until the object
//! dies. Invariant: a facet's address is in [`LIVE`] exactly while the object lives, so an address can be told from a
//! stranger's without touching it.

use crate::convention;
use crate::live::LIVE;
use crate::lock::lock;
use crate::state::State;
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use reprise_d3d12::abi::Convention;
use reprise_d3d12::model::{Guid, InterfaceId};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

/// What a COM pointer of this runtime points to.
#[repr(C)]
pub(crate) struct Facet {
    vtable: *const c_void,
    object: AtomicPtr<Object>,
    /// The newest interface of the chain that this facet answers.
    pub(crate) family: InterfaceId,
}

/// One object.
pub(crate) struct Object {
    pub(crate) convention: Convention,
    /// From 1, in order of creation, never reused.
    pub(crate) serial: u64,
    count: AtomicU32,
    facets: Box<[Facet]>,
    /// The device (or factory) that `GetDevice` and `GetParent` give; a reference is held.
    pub(crate) parent: *const Object,
    private: Mutex<BTreeMap<[u8; 16], Private>>,
    pub(crate) state: State,
}

// SAFETY: all mutable state is behind atomics and locks; `parent` is fixed and kept alive by a reference.
unsafe impl Send for Object {}
// SAFETY: nothing in an object belongs to a thread, and shared use goes through atomics and locks.
unsafe impl Sync for Object {}

enum Private {
    Bytes(Vec<u8>),
    Interface(u64),
}

/// Gives the function table of a family of interfaces in a convention.
pub(crate) type Vtables = fn(Convention, InterfaceId) -> *const c_void;
static VTABLES: OnceLock<Vtables> = OnceLock::new();

/// States where function tables come from: the functions in them make objects. To be called before the first object is made.
pub(crate) fn fill_with(vtables: Vtables) {
    VTABLES.get_or_init(|| vtables);
}

fn vtable(convention: Convention, family: InterfaceId) -> *const c_void {
    VTABLES.get().map_or(core::ptr::null(), |vtables| vtables(convention, family))
}

static SERIAL: AtomicU64 = AtomicU64::new(1);

impl Object {
    /// Makes an object of `class` with one reference, and returns its first facet.
    pub(crate) fn create(
        convention: Convention,
        class: InterfaceId,
        parent: *const Object,
        state: State,
    ) -> *mut c_void {
        let families = crate::chains::families(class);
        let facets = families
            .iter()
            .map(|&family| Facet {
                vtable: vtable(convention, family),
                object: AtomicPtr::new(core::ptr::null_mut()),
                family,
            })
            .collect();
        if !parent.is_null() {
            // SAFETY: the caller holds the parent alive.
            unsafe { (*parent).add_ref() };
        }
        let origin = Box::into_raw(Box::new(Object {
            convention,
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            count: AtomicU32::new(1),
            facets,
            parent,
            private: Mutex::new(BTreeMap::new()),
            state,
        }));
        // SAFETY: made just now, and not shared yet.
        let object = unsafe { &*origin };
        let mut live = lock(&LIVE);
        for facet in &object.facets {
            facet.object.store(origin, Ordering::Release);
            live.insert(core::ptr::from_ref(facet) as u64, object.serial);
        }
        object.pointer(0)
    }

    /// The object behind one of our COM pointers.
    ///
    /// # Safety
    /// `this` must be a facet of a live object.
    pub(crate) unsafe fn from_facet<'a>(this: *mut c_void) -> &'a Object {
        // SAFETY: the caller promises a facet, whose object was set before it was given out.
        unsafe { &*(*this.cast::<Facet>()).object.load(Ordering::Relaxed) }
    }

    /// The pointer that the object's allocation gave, which alone may free it.
    fn origin(&self) -> *mut Object {
        self.facets[0].object.load(Ordering::Relaxed)
    }

    fn pointer(&self, facet: usize) -> *mut c_void {
        core::ptr::from_ref(&self.facets[facet]).cast_mut().cast()
    }

    pub(crate) fn add_ref(&self) -> u32 {
        self.count.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Gives up one reference; the object is gone when 0 comes back.
    ///
    /// # Safety
    /// The caller must own the reference and not use the object through it again.
    pub(crate) unsafe fn release(this: *const Object) -> u32 {
        // SAFETY: the caller owns a reference, so the object is alive until the count is dropped.
        let (origin, left) = unsafe { ((*this).origin(), (*this).count.fetch_sub(1, Ordering::AcqRel) - 1) };
        if left == 0 {
            // SAFETY: `create` got this pointer from `Box::into_raw`; the last reference is gone, so nobody else can reach the
            // object.
            let object = unsafe { Box::from_raw(origin) };
            let mut live = lock(&LIVE);
            for facet in &object.facets {
                live.remove(&(core::ptr::from_ref(facet) as u64));
            }
            drop(live);
            let parent = object.parent;
            let convention = object.convention;
            // While the object's memory is still its own: whoever is told of its end must not meet a successor there.
            let private = core::mem::take(&mut *lock(&object.private));
            for held in private.into_values() {
                held.let_go(convention);
            }
            drop(object);
            if !parent.is_null() {
                // SAFETY: the child held this reference.
                unsafe { Object::release(parent) };
            }
        }
        left
    }

    /// The facet that answers `iid`, without a reference: our chains, `IUnknown` being the first facet.
    pub(crate) fn facet_for(&self, iid: &Guid) -> Option<*mut c_void> {
        let wanted = crate::chains::interface(iid)?;
        let at = self.facets.iter().position(|facet| crate::chains::derives(facet.family, wanted))?;
        Some(self.pointer(at))
    }

    /// `QueryInterface`.
    pub(crate) fn query(&self, iid: &Guid) -> Option<*mut c_void> {
        let facet = self.facet_for(iid)?;
        self.add_ref();
        Some(facet)
    }

    /// Stores bytes under `guid`; no bytes at all remove what was there.
    pub(crate) fn set_private(&self, guid: &Guid, bytes: Option<&[u8]>) {
        let old = match bytes {
            Some(bytes) => lock(&self.private).insert(key(guid), Private::Bytes(bytes.to_vec())),
            None => lock(&self.private).remove(&key(guid)),
        };
        self.let_go(old);
    }

    /// Stores an interface under `guid` with a reference of its own; null removes what was there.
    pub(crate) fn set_private_interface(&self, guid: &Guid, interface: u64) {
        let old = if interface == 0 {
            lock(&self.private).remove(&key(guid))
        } else {
            convention::add_ref(self.convention, interface);
            lock(&self.private).insert(key(guid), Private::Interface(interface))
        };
        self.let_go(old);
    }

    /// What is stored under `guid`: its bytes, an interface as its address with a reference added.
    pub(crate) fn private(&self, guid: &Guid, add_ref: bool) -> Option<Vec<u8>> {
        match lock(&self.private).get(&key(guid))? {
            Private::Bytes(bytes) => Some(bytes.clone()),
            Private::Interface(address) => {
                if add_ref {
                    convention::add_ref(self.convention, *address);
                }
                Some(address.to_le_bytes().to_vec())
            }
        }
    }

    /// Outside the lock: the release may come back to this object.
    fn let_go(&self, old: Option<Private>) {
        if let Some(old) = old {
            old.let_go(self.convention);
        }
    }
}

impl Private {
    fn let_go(self, convention: Convention) {
        if let Private::Interface(address) = self {
            convention::release(convention, address);
        }
    }
}

fn key(guid: &Guid) -> [u8; 16] {
    let mut key = [0; 16];
    key[..4].copy_from_slice(&guid.data1.to_le_bytes());
    key[4..6].copy_from_slice(&guid.data2.to_le_bytes());
    key[6..8].copy_from_slice(&guid.data3.to_le_bytes());
    key[8..].copy_from_slice(&guid.data4);
    key
}
