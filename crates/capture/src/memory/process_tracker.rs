//! The trackers of a process, opened at the first map with the means that the environment asks for: one for the program's mappings, and
//! two for the driver's mappings of the same memory, where the program has mappings of its own.
//!
//! Invariant: a forked child opens its own; it inherits its parent's mappings and protections, not the parent's watch.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::mapping::Key;
use super::second::{Left, Second};
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

#[derive(Debug, Default)]
struct Owned {
    /// The process that opened the trackers; 0 before.
    process: u32,
    /// The program's mappings.
    program: Option<Tracker>,
    /// The driver's mappings of readback memory: what the GPU writes there is reported by each flush.
    readback: Option<Tracker>,
    /// The driver's mappings of other memory: what the GPU writes there is reported when the program maps it to read, and while it keeps
    /// such a mapping, when the GPU is idle.
    shown: Option<Tracker>,
    /// Where the program has a mapping of its own.
    seconds: BTreeMap<Key, Second>,
    left: Left,
    /// Driver's mappings whose first report was made.
    known: BTreeSet<Key>,
    /// What the program mapped to read what the GPU wrote, and has not unmapped for good.
    read: BTreeSet<Key>,
}

/// No more second mappings than that: the kernel allows a process 65,530 of all kinds.
const MOST_SECONDS: usize = 8192;

impl Owned {
    /// All trackers that there are.
    fn all(&mut self) -> impl Iterator<Item = &mut Tracker> {
        [&mut self.program, &mut self.readback, &mut self.shown].into_iter().flatten()
    }

    /// Begins anew in a forked child.
    fn enter_process(&mut self) {
        let pid = std::process::id();
        if self.process != pid {
            // The parent's watch stays the parent's, and its protections are resolved here as they come. Its mappings are here, too.
            std::mem::forget(std::mem::take(self));
            self.process = pid;
        }
    }
}

/// Watches the GPU's side: its writes make no fault that may be taken.
fn of_gpu() -> Tracker {
    Tracker::new(match asked() {
        Tracking::Auto | Tracking::Pages => Tracking::Pages,
        _ => Tracking::Compare,
    })
}

impl ProcessTracker {
    /// Nothing is opened yet.
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Owned {
            process: 0,
            program: None,
            readback: None,
            shown: None,
            seconds: BTreeMap::new(),
            left: Left::new(),
            known: BTreeSet::new(),
            read: BTreeSet::new(),
        }))
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

/// `D3D12_HEAP_TYPE_UPLOAD`, which the GPU does not write.
const HEAP_TYPE_UPLOAD: u32 = 2;
/// `D3D12_HEAP_TYPE_READBACK`.
const HEAP_TYPE_READBACK: u32 = 3;

impl MappedMemory for ProcessTracker {
    fn apart(&self, mapping: &Mapping) -> Option<usize> {
        let len = usize::try_from(mapping.size).ok().filter(|len| *len > 0)?;
        let key = key_of(mapping);
        let mut guard = self.lock();
        guard.enter_process();
        if let Some(second) = guard.seconds.get(&key) {
            if second.driver == mapping.address && second.len == len {
                return Some(second.program);
            }
            // The driver moved it. Whoever still has the old place may store there.
            guard.seconds.remove(&key);
        }
        // Compare mode reads the memory, through whichever mapping.
        let compares = asked() == Tracking::Compare;
        if compares
            || mapping.heap_type == HEAP_TYPE_UPLOAD
            || !active::records()
            || guard.seconds.len() >= MOST_SECONDS
        {
            return None;
        }
        let second = Second::of(mapping.address, len).ok()?;
        guard.seconds.insert(key, second);
        Some(second.program)
    }

    fn on_map(&self, mapping: &Mapping) -> Watched {
        let Ok(len) = usize::try_from(mapping.size) else { return Watched::Nothing };
        if len == 0 || mapping.address == 0 {
            return Watched::Nothing;
        }
        let mut guard = self.lock();
        guard.enter_process();
        if !active::records() {
            return Watched::Nothing;
        }
        let key = key_of(mapping);
        let readback = mapping.heap_type == HEAP_TYPE_READBACK;
        if mapping.readable && mapping.heap_type != HEAP_TYPE_UPLOAD {
            guard.read.insert(key);
        }
        let second = guard.seconds.get(&key).filter(|second| second.program == mapping.address).copied();
        if let Some(second) = second {
            let of_gpu_side = if readback { &mut guard.readback } else { &mut guard.shown };
            let tracker = of_gpu_side.get_or_insert_with(of_gpu);
            // SAFETY: as below; the driver's mapping lives as long as the program's.
            unsafe { tracker.map(key, second.driver as *mut u8, len, true) };
        }
        let tracker = guard.program.get_or_insert_with(|| Tracker::new(asked()));
        let observed = readback && second.is_none();
        // SAFETY: the runtime has just returned this range from a successful map call, and keeps it until the unmap, or
        // the end of the resource, which the capture layer both tells before they happen. A second mapping stays longer.
        unsafe { tracker.map(key, mapping.address as *mut u8, len, observed) }
    }

    fn is_apart(&self, mapping: &Mapping) -> bool {
        self.lock().seconds.get(&key_of(mapping)).is_some_and(|second| second.program == mapping.address)
    }

    fn show(&self, mapping: &Mapping, emit: &mut dyn FnMut(&Written)) -> bool {
        let (mut guard, key) = (self.lock(), key_of(mapping));
        let known = !guard.known.insert(key);
        // Other mappings have the same pages where resources alias each other.
        let own = |written: &Written| (written.object, written.subresource) == (key.object, key.subresource);
        if guard.seconds.contains_key(&key) {
            // All of it may be new the first time, and the caller takes all.
            let mut emit = |written: &Written| {
                if known || !own(written) {
                    emit(written)
                }
            };
            return guard.shown.as_mut().is_some_and(|tracker| tracker.show(key, &mut emit)) && known;
        }
        let Some(tracker) = guard.program.as_mut().filter(|tracker| tracker.is_first(key)) else { return false };
        // Those may be stored to.
        tracker.show(key, &mut |written| emit(&Written { observed: written.observed || own(written), ..*written }))
            && known
    }

    fn refused(&self) -> Option<String> {
        self.lock().program.as_ref()?.refused().map(str::to_owned)
    }

    fn on_unmap(&self, object: u32, subresource: u32, emit: &mut dyn FnMut(&Written)) {
        for tracker in self.lock().all() {
            tracker.unmap(Key { object, subresource }, emit);
        }
    }

    fn keeps_for_reading(&self) -> bool {
        let guard = self.lock();
        guard.shown.as_ref().is_some_and(|tracker| !tracker.is_idle()) && !guard.read.is_empty()
    }

    fn show_kept(&self, emit: &mut dyn FnMut(&Written)) {
        let mut guard = self.lock();
        let Owned { shown: Some(tracker), read, .. } = &mut *guard else { return };
        for key in read.iter() {
            tracker.changed(*key, emit);
        }
    }

    fn on_dying(&self, object: u32, emit: &mut dyn FnMut(&Written)) {
        let mut guard = self.lock();
        let owned = &mut *guard;
        // Lists that are not submitted yet may read what was stored, against the rules, and runtimes keep it for them.
        if let Some(tracker) = &mut owned.program {
            tracker.changed_of(object, emit);
        }
        for tracker in [&mut owned.readback, &mut owned.shown].into_iter().flatten() {
            owned.read.range(all_of(object)).for_each(|key| tracker.changed(*key, emit));
        }
        for tracker in owned.all() {
            tracker.dying(object);
        }
    }

    fn on_destroy(&self, object: u32) {
        let mut guard = self.lock();
        let owned = &mut *guard;
        for tracker in owned.all() {
            tracker.forget(object);
        }
        let own = all_of(object);
        let gone: Vec<Key> = owned.seconds.range(own.clone()).map(|(key, _)| *key).collect();
        for key in gone {
            if let Some(second) = owned.seconds.remove(&key) {
                owned.left.add(&second);
            }
        }
        owned.known.retain(|key| !own.contains(key));
        owned.read.retain(|key| !own.contains(key));
    }

    fn on_end(&self) {
        let mut guard = self.lock();
        if guard.process == std::process::id() {
            // The program keeps its mappings.
            (guard.program, guard.readback, guard.shown) = (None, None, None);
        }
    }

    fn flush(&self, emit: &mut dyn FnMut(&Written)) {
        let mut guard = self.lock();
        let owned = &mut *guard;
        for tracker in [&mut owned.program, &mut owned.readback].into_iter().flatten() {
            tracker.flush(emit);
        }
    }
}

fn key_of(mapping: &Mapping) -> Key {
    Key { object: mapping.object, subresource: mapping.subresource }
}

/// The keys of a resource's subresources.
fn all_of(object: u32) -> RangeInclusive<Key> {
    Key { object, subresource: 0 }..=Key { object, subresource: u32::MAX }
}
