//! One [`Identity`] per object of the runtime that the program can see, and the way from the object to it.
//!
//! A table from the real `IUnknown` pointer finds the identity of what the runtime returns. The entry goes when the real
//! object does: objects that can hold private data tell us, through an interface of ours that they release as they die
//! ([`Notice`]); of the others we count the program's references, and the entry goes *before* the last one is given back.
//! Invariant: an entry never outlives the object, so a re-used address is never taken for the old object; ids are
//! never used twice; the memory of an identity is kept for a while after its object's death.

use crate::chain::{self, Chain};
use crate::lock::Reentrant;
use crate::{Convention, api, raw};
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{LazyLock, Mutex, MutexGuard};

/// Under this id our notice lies among an object's private data.
pub(crate) static NOTICE_GUID: Guid =
    Guid { data1: 0x5b1d_7a60, data2: 0x3f0e, data3: 0x4c52, data4: [0x9e, 0x11, 0x72, 0x65, 0x70, 0x72, 0x69, 0x73] };

/// The program's references are counted here, because the object cannot tell us of its end.
pub(crate) const COUNTED: u32 = 1;
/// A subresource is mapped: the final release must not run beside a flush.
pub(crate) const MAPPED: u32 = 2;
/// The object is a fence: see [`crate::fences`].
pub(crate) const FENCE: u32 = 4;
/// The real object is gone.
pub(crate) const DEAD: u32 = 8;

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
    references: AtomicU32,
    /// Last completed value of a fence that was recorded.
    pub(crate) observed: AtomicU64,
    /// Greatest value of a fence that a queue was told to wait for and that was found reached.
    pub(crate) passed: AtomicU64,
    /// Decides the order of calls on a queue or a fence.
    pub(crate) order: Reentrant,
    /// Of a swap chain: the queue that it presents on.
    pub(crate) queue: AtomicPtr<Identity>,
    /// Of a heap in the program's own memory: where that is.
    pub(crate) host: AtomicUsize,
    /// Guards the list of further chains.
    pub(crate) adding: Mutex<()>,
    notice: Notice,
    key: usize,
}

// SAFETY: the raw pointers inside are only handed to the runtime or to the program, under the API's own threading rules.
unsafe impl Sync for Identity {}
// SAFETY: as above.
unsafe impl Send for Identity {}

struct Entry(*const Identity);
// SAFETY: identities are shared between threads.
unsafe impl Send for Entry {}

const SHARDS: usize = 64;
static TABLE: LazyLock<[Mutex<HashMap<usize, Entry>>; SHARDS]> =
    LazyLock::new(|| core::array::from_fn(|_| Mutex::new(HashMap::new())));

/// Ids come from the session. Objects met while there is none are numbered from the top half, which no session reaches.
fn new_id() -> u32 {
    static WITHOUT: AtomicU32 = AtomicU32::new(1 << 31);
    match crate::session::current() {
        Some(active) => active.session.new_object(),
        None => WITHOUT.fetch_add(1, Ordering::Relaxed),
    }
}

/// Dead identities wait here before their memory is used again: a program that uses an object just after its end meets
/// what it would have met without us, and not somebody else's object.
static GRAVE: Mutex<VecDeque<Entry>> = Mutex::new(VecDeque::new());
const GRAVE_SIZE: usize = 4096;

fn shard(key: usize) -> MutexGuard<'static, HashMap<usize, Entry>> {
    let mixed = (key as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
    TABLE[mixed as usize % SHARDS].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
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
    let asked = api::by_iid(iid);
    // What the call is known to make says more than a base that was asked for.
    let interface = match (asked, class) {
        (Some(asked), Some(class)) if api::derives(api::interface(class).family, asked) => Some(asked),
        (None, Some(class)) if *iid == raw::IID_UNKNOWN => Some(class),
        (asked, _) => asked,
    };
    let family = match (interface, class) {
        (Some(interface), Some(class)) if api::derives(api::interface(class).family, interface) => Some(class),
        (interface, _) => interface,
    };
    let unknown = interface.is_none_or(api::has_unknown);
    // SAFETY: `real` is live by contract.
    let key = if unknown { unsafe { raw::canonical(convention, real) } } else { real } as usize;
    let mut table = shard(key);
    if let Some(Entry(found)) = table.get(&key) {
        // SAFETY: entries lead to living identities; the lock keeps this one from going.
        let identity = unsafe { &**found };
        if unknown || identity.primary.interface == family.map(|family| api::interface(family).family) {
            if identity.flags.load(Ordering::Relaxed) & COUNTED != 0 {
                identity.references.fetch_add(1, Ordering::Relaxed);
            }
            drop(table);
            let (chain, _) = chain::of(identity, interface, iid, real);
            return (core::ptr::from_ref(chain).cast_mut(), false);
        }
    }
    let identity = Identity::new(convention, family, interface, iid, real, key);
    table.insert(key, Entry(identity));
    drop(table);
    // SAFETY: just made and in the table; the caller's reference keeps the object alive.
    let made = unsafe { &*identity };
    made.ask_for_notice(real);
    let fence = api::known().fence;
    if made.primary.interface.is_some_and(|family| api::derives(family, fence)) && made.primary.has(fence) {
        crate::fences::add(made);
    }
    (identity.cast(), true)
}

/// A further interface of an object that the program asked through one of its chains; takes over the reference.
pub(crate) fn query(identity: &Identity, iid: &Guid, real: *mut c_void) -> *mut Chain {
    if identity.flags.load(Ordering::Relaxed) & COUNTED != 0 {
        identity.add_reference();
    }
    let interface = api::by_iid(iid);
    let (chain, new) = chain::of(identity, interface, iid, real);
    if new && interface.is_none() {
        crate::record::gap(identity.id, &format!("interface {iid} is unknown: its calls are passed on unrecorded"));
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
        let mut primary = Chain::new(convention, family, *iid, real, core::ptr::null(), id);
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
            adding: Mutex::new(()),
            notice: Notice::new(convention),
            key,
        }));
        // SAFETY: just made, seen by nobody else.
        unsafe {
            (*identity).primary.belongs_to(identity);
            (*identity).notice.identity = identity;
        }
        identity
    }

    /// Has the real object hold our notice, or has the references counted where it cannot.
    fn ask_for_notice(&self, real: *mut c_void) {
        let Some((base, slot)) = private_data(self.primary.interface) else { return };
        let iid = &api::interface(base).iid;
        // The pointer at hand may be that of an interface below the one needed, as `IUnknown` is.
        // SAFETY: the caller's reference keeps the object alive; an interface asked for here is released below.
        let asked = (!self.primary.has(base)).then(|| unsafe { raw::query(self.convention, real, iid) });
        let object = asked.unwrap_or(real);
        if object.is_null() {
            self.flags.fetch_or(COUNTED, Ordering::Relaxed);
            return;
        }
        // SAFETY: the interface has SetPrivateDataInterface in this slot; the object adds a reference of its own.
        let function = unsafe { raw::slot(object, slot) };
        let result = raw::call!(
            self.convention,
            function,
            (*mut c_void, *const Guid, *const c_void) -> i32,
            (object, &raw const NOTICE_GUID, (&raw const self.notice).cast())
        );
        if result < 0 || self.notice.references.load(Ordering::Relaxed) < 2 {
            self.flags.fetch_or(COUNTED, Ordering::Relaxed);
        } else {
            // Ours; the object's own stays.
            self.notice.references.fetch_sub(1, Ordering::Release);
        }
        if let Some(asked) = asked {
            // SAFETY: the reference that the query above gave.
            unsafe { raw::release(self.convention, asked) };
        }
    }

    /// The program got one more reference to an object whose references are counted.
    pub(crate) fn add_reference(&self) {
        let _table = shard(self.key);
        self.references.fetch_add(1, Ordering::Relaxed);
    }

    /// The program is about to give a reference back. Forgets the object with the last one, before the real release.
    pub(crate) fn drop_reference(&self) {
        let mut table = shard(self.key);
        // Saturating: a program that releases too often must not wrap our count.
        let before = self.references.load(Ordering::Relaxed);
        self.references.store(before.saturating_sub(1), Ordering::Relaxed);
        if before == 1 {
            self.forget(&mut table);
            drop(table);
            bury(self);
        }
    }

    fn forget(&self, table: &mut HashMap<usize, Entry>) {
        if table.get(&self.key).is_some_and(|entry| core::ptr::eq(entry.0, self)) {
            table.remove(&self.key);
        }
        self.flags.fetch_or(DEAD, Ordering::Relaxed);
    }

    /// Whether a flag is set.
    pub(crate) fn is(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }
}

/// The interface through which a family's objects take private data, and the slot of `SetPrivateDataInterface`.
fn private_data(family: Option<InterfaceId>) -> Option<(InterfaceId, usize)> {
    const OBJECT: usize = reprise_d3d12::method("ID3D12Object", "SetPrivateDataInterface").get().slot as usize;
    const DXGI_OBJECT: usize = reprise_d3d12::method("IDXGIObject", "SetPrivateDataInterface").get().slot as usize;
    let (family, known) = (api::interface(family?).family, api::known());
    if api::derives(family, known.object) {
        Some((known.object, OBJECT))
    } else if api::derives(family, known.dxgi_object) {
        Some((known.dxgi_object, DXGI_OBJECT))
    } else {
        None
    }
}

fn bury(identity: *const Identity) {
    let mut grave = GRAVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    grave.push_back(Entry(identity));
    if grave.len() > GRAVE_SIZE
        && let Some(Entry(old)) = grave.pop_front()
    {
        drop(grave);
        // SAFETY: made by `Box::into_raw`; its object is long gone, and it is in no table.
        unsafe {
            let mut old = Box::from_raw(old.cast_mut());
            chain::free_further(&mut old.primary);
        }
    }
}

/// What the real object holds among its private data; its last release is the object's end.
#[repr(C)]
struct Notice {
    vtable: *const NoticeTable,
    references: AtomicU32,
    identity: *const Identity,
}

#[repr(C)]
struct NoticeTable([*const c_void; 3]);
// SAFETY: pointers to functions.
unsafe impl Sync for NoticeTable {}

impl Notice {
    fn new(convention: Convention) -> Notice {
        let vtable = match convention {
            Convention::Win64 => &WIN64,
            Convention::SystemV => &SYSV,
        };
        Notice { vtable, references: AtomicU32::new(1), identity: core::ptr::null() }
    }

    fn add(&self) -> u32 {
        self.references.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn release(&self) -> u32 {
        let left = self.references.fetch_sub(1, Ordering::Release) - 1;
        if left == 0 {
            fence(Ordering::Acquire);
            // SAFETY: the notice is part of its identity, which is buried here for the first time.
            let identity = unsafe { &*self.identity };
            identity.forget(&mut shard(identity.key));
            bury(identity);
        }
        left
    }
}

macro_rules! notice_table {
    ($name:ident, $convention:literal, $query:ident, $add:ident, $release:ident) => {
        unsafe extern $convention fn $query(this: *mut Notice, iid: *const Guid, out: *mut *mut c_void) -> i32 {
            // SAFETY: called by the runtime on our notice, with the arguments COM states.
            unsafe {
                if out.is_null() {
                    return raw::E_POINTER;
                }
                if !iid.is_null() && *iid == raw::IID_UNKNOWN {
                    (*this).add();
                    *out = this.cast();
                    raw::S_OK
                } else {
                    *out = core::ptr::null_mut();
                    raw::E_NOINTERFACE
                }
            }
        }
        unsafe extern $convention fn $add(this: *mut Notice) -> u32 {
            // SAFETY: called by the runtime on our notice.
            unsafe { (*this).add() }
        }
        unsafe extern $convention fn $release(this: *mut Notice) -> u32 {
            // SAFETY: called by the runtime on our notice, for a reference that it holds.
            unsafe { (*this).release() }
        }
        static $name: NoticeTable =
            NoticeTable([$query as *const c_void, $add as *const c_void, $release as *const c_void]);
    };
}

notice_table!(WIN64, "win64", query_win64, add_win64, release_win64);
notice_table!(SYSV, "sysv64", query_sysv, add_sysv, release_sysv);
