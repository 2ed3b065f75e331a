//! The table that leads from a real `IUnknown` pointer to the object's identity, and the references that are counted here.
//!
//! The entry goes when the real object does. Invariants: an entry never outlives the object, so an address that is used again
//! is never taken for the old object; the memory of an identity is kept for a while after its object's death.

use crate::wrapper::object::{self, DEAD, Identity};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{LazyLock, Mutex, MutexGuard};

/// An identity, made by `Box::into_raw`.
pub(super) struct Entry(pub(super) *mut Identity);

// SAFETY: an identity is `Send` and `Sync`, and threads share it by this pointer.
unsafe impl Send for Entry {}

const SHARDS: usize = 64;
static TABLE: LazyLock<[Mutex<HashMap<usize, Entry>>; SHARDS]> =
    LazyLock::new(|| core::array::from_fn(|_| Mutex::new(HashMap::new())));

/// Dead identities wait here before their memory is used again: a program that uses an object just after its end meets
/// what it would have met without us, and not somebody else's object.
static GRAVE: Mutex<VecDeque<Entry>> = Mutex::new(VecDeque::new());
const GRAVE_SIZE: usize = 4096;

/// The part of the table that has a key, locked.
pub(super) fn shard(key: usize) -> MutexGuard<'static, HashMap<usize, Entry>> {
    let mixed = (key as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
    TABLE[mixed as usize % SHARDS].lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The id of the object with this real `IUnknown` pointer; 0 where the program has never had it.
pub(crate) fn id_of(key: *mut core::ffi::c_void) -> u32 {
    let key = key as usize;
    // SAFETY: an entry leaves the table before its identity is freed, and the lock is held.
    shard(key).get(&key).map_or(0, |entry| unsafe { (*entry.0).id })
}

impl Identity {
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
            bury(self.origin());
        }
    }

    /// Takes the identity out of the table: its object is gone, or goes now.
    pub(super) fn forget(&self, table: &mut HashMap<usize, Entry>) {
        if table.get(&self.key).is_some_and(|entry| core::ptr::eq(entry.0, self)) {
            table.remove(&self.key);
        }
        self.flags.fetch_or(DEAD, Ordering::Relaxed);
    }
}

/// Frees the identity of a dead object, some time later.
pub(super) fn bury(identity: *mut Identity) {
    let mut grave = GRAVE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    grave.push_back(Entry(identity));
    if grave.len() > GRAVE_SIZE
        && let Some(Entry(old)) = grave.pop_front()
    {
        drop(grave);
        // SAFETY: `Box::into_raw` made the pointer (`Identity::origin`); the identity left the table before it came here, once, and
        // its object died 4096 objects ago, so neither the program nor the runtime uses it.
        unsafe {
            let mut old = Box::from_raw(old);
            object::free_further(&mut old.primary);
        }
    }
}
