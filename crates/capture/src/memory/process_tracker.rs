//! The one tracker of a process, opened at the first map with the means that the environment asks for.
//!
//! Invariant: a forked child opens its own; it inherits its parent's mappings and protections, not the parent's watch.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::mapping::Key;
use super::tracker::Tracker;
use crate::session::{active, environment};
use crate::tracking::{MappedMemory, Mapping, Watched, Written};
use reprise_environment::Tracking;
use reprise_environment::capture::MEMORY_TRACKING;

/// What the environment asks for; another word is as none, since the program must run (`reprise capture` refuses it).
pub(super) fn asked() -> Tracking {
    environment::text(MEMORY_TRACKING).and_then(|name| Tracking::named(&name)).unwrap_or_default()
}

/// Whether memory may come to be watched by protection in this process.
#[cfg(target_os = "linux")]
pub(super) fn may_protect() -> bool {
    let recorded = environment::get(reprise_environment::capture::SESSION).is_some();
    recorded && matches!(asked(), Tracking::Auto | Tracking::Mprotect)
}

/// The process's tracker.
#[derive(Debug)]
pub(crate) struct ProcessTracker(Mutex<Owned>);

#[derive(Debug)]
struct Owned {
    /// The process that opened the tracker; 0 before.
    process: u32,
    tracker: Option<Tracker>,
}

impl ProcessTracker {
    /// Nothing is opened yet.
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Owned { process: 0, tracker: None }))
    }

    fn lock(&self) -> MutexGuard<'_, Owned> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ProcessTracker {
    fn default() -> Self {
        Self::new()
    }
}

/// `D3D12_HEAP_TYPE_READBACK`.
const HEAP_TYPE_READBACK: u32 = 3;

impl MappedMemory for ProcessTracker {
    fn on_map(&self, mapping: &Mapping) -> Watched {
        let Ok(len) = usize::try_from(mapping.size) else { return Watched::Nothing };
        if len == 0 || mapping.address == 0 {
            return Watched::Nothing;
        }
        let mut guard = self.lock();
        let pid = std::process::id();
        if guard.process != pid {
            // The parent's watch stays the parent's, and its protections are resolved here as they come.
            std::mem::forget(guard.tracker.take());
            *guard = Owned { process: pid, tracker: None };
        }
        if !active::records() {
            return Watched::Nothing;
        }
        let tracker = guard.tracker.get_or_insert_with(|| Tracker::new(asked()));
        let key = Key { object: mapping.object, subresource: mapping.subresource };
        let observed = mapping.heap_type == HEAP_TYPE_READBACK;
        // SAFETY: the runtime has just returned this range from a successful map call, and keeps it until the unmap, or
        // the end of the resource, which the capture layer both tells before they happen.
        unsafe { tracker.map(key, mapping.address as *mut u8, len, observed) }
    }

    fn refused(&self) -> Option<String> {
        self.lock().tracker.as_ref()?.refused().map(str::to_owned)
    }

    fn on_unmap(&self, object: u32, subresource: u32, emit: &mut dyn FnMut(&Written)) {
        if let Some(tracker) = &mut self.lock().tracker {
            tracker.unmap(Key { object, subresource }, emit);
        }
    }

    fn on_dying(&self, object: u32) {
        if let Some(tracker) = &mut self.lock().tracker {
            tracker.dying(object);
        }
    }

    fn on_destroy(&self, object: u32) {
        if let Some(tracker) = &mut self.lock().tracker {
            tracker.forget(object);
        }
    }

    fn on_end(&self) {
        let mut guard = self.lock();
        if guard.process == std::process::id() {
            guard.tracker = None;
        }
    }

    fn flush(&self, emit: &mut dyn FnMut(&Written)) {
        if let Some(tracker) = &mut self.lock().tracker {
            tracker.flush(emit);
        }
    }
}
