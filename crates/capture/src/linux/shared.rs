//! The tracker as the capture layer sees it: opened at the first map, with the means that the environment asks for.
//!
//! Invariant: a forked child opens its own; it inherits its parent's mappings and protections, not the parent's watch.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::memory::{Key, Tracker};
use crate::memory::{MappedMemory, Mapping, Tracking, Watched, Written};

/// Environment: `auto`, `pages`, `mprotect` or `compare`.
pub const TRACKING: &str = "REPRISE_MEMORY_TRACKING";

/// What the environment asks for; another word is as none, since the program must run (`reprise capture` refuses it).
pub(super) fn asked() -> Tracking {
    let asked = std::env::var(TRACKING).ok();
    asked.and_then(|name| Tracking::ALL.into_iter().find(|tracking| tracking.name() == name)).unwrap_or_default()
}

/// Whether memory may come to be watched by protection in this process.
pub(super) fn may_protect() -> bool {
    let recorded = std::env::var_os(crate::session::FOLDER).is_some_and(|folder| !folder.is_empty());
    recorded && matches!(asked(), Tracking::Auto | Tracking::Mprotect)
}

/// The process's tracker.
#[derive(Debug)]
pub struct Shared(Mutex<(libc::pid_t, Option<Tracker>)>);

impl Shared {
    /// Nothing is opened yet.
    pub const fn new() -> Self {
        Self(Mutex::new((0, None)))
    }

    fn lock(&self) -> MutexGuard<'_, (libc::pid_t, Option<Tracker>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Shared {
    fn default() -> Self {
        Self::new()
    }
}

/// `D3D12_HEAP_TYPE_READBACK`.
const HEAP_TYPE_READBACK: u32 = 3;

impl MappedMemory for Shared {
    fn on_map(&self, mapping: &Mapping) -> Watched {
        let Ok(len) = usize::try_from(mapping.size) else { return Watched::Nothing };
        if len == 0 || mapping.address == 0 {
            return Watched::Nothing;
        }
        let mut guard = self.lock();
        // SAFETY: takes nothing, cannot fail.
        let pid = unsafe { libc::getpid() };
        if guard.0 != pid {
            *guard = (pid, None);
        }
        let tracker = guard.1.get_or_insert_with(|| Tracker::new(asked()));
        let key = Key { object: mapping.object, subresource: mapping.subresource };
        let observed = mapping.heap_type == HEAP_TYPE_READBACK;
        // SAFETY: the runtime has just returned this range from a successful map call, and keeps it until the unmap, or
        // the end of the resource, which the capture layer both tells before they happen.
        unsafe { tracker.map(key, mapping.address as *mut u8, len, observed) }
    }

    fn refused(&self) -> Option<String> {
        self.lock().1.as_ref()?.refused().map(str::to_owned)
    }

    fn on_unmap(&self, object: u32, subresource: u32, emit: &mut dyn FnMut(&Written)) {
        if let Some(tracker) = &mut self.lock().1 {
            tracker.unmap(Key { object, subresource }, emit);
        }
    }

    fn on_dying(&self, object: u32) {
        if let Some(tracker) = &mut self.lock().1 {
            tracker.dying(object);
        }
    }

    fn on_destroy(&self, object: u32) {
        if let Some(tracker) = &mut self.lock().1 {
            tracker.forget(object);
        }
    }

    fn flush(&self, emit: &mut dyn FnMut(&Written)) {
        if let Some(tracker) = &mut self.lock().1 {
            tracker.flush(emit);
        }
    }
}
