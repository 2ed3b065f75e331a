//! What shaders said of descriptors that they looked at (`REPRISE_CHECK_DESCRIPTORS=1`, [`check`]).
//!
//! Each draw or dispatch of a checking list has a record ([`reprise_shader::checks::layout`]), and a note of what was bound. When the
//! GPU may be done with a list, its records are read. A fault in a record, together with the note, makes a [`Finding`]. Findings go to the log, once
//! for each place in a shader, or to the program that links the runtime and collects them.
//!
//! Invariant: findings are bounded in number, and a message says how many are left out.

mod call;
mod finding;
mod place;

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

pub use call::{at_call, call};
pub use finding::{Finding, Heap, Root};
pub use place::{Register, register};

/// Lines in the log at most.
const LINES: usize = 100;
/// Findings that are collected at most.
const COLLECTED: usize = 100_000;

/// Records of a recording that is closed.
pub(crate) trait Unread: core::fmt::Debug + Send + Sync {
    /// Reports faults that shaders have written since the last time.
    fn read(&self);
}

/// What was found.
#[derive(Debug, Default)]
struct Found {
    /// Faults by shader, place, kind and stage that the log has.
    told: HashSet<(u64, u32, u32, u32)>,
    collected: Vec<Finding>,
    /// Findings beyond [`COLLECTED`].
    left_out: u64,
    /// Recordings whose records shaders may still write.
    unread: Vec<Weak<dyn Unread>>,
    /// All heaps that shaders see, by number.
    heaps: HashMap<u32, Heap>,
}

static FOUND: Mutex<Option<Found>> = Mutex::new(None);
static COLLECTS: AtomicBool = AtomicBool::new(false);

fn found() -> MutexGuard<'static, Option<Found>> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Findings are collected from now on, for [`take`], and the log has none.
pub fn collect() {
    COLLECTS.store(true, Ordering::Relaxed);
}

/// What was collected, and how many findings there were beside, for which there was no room. The GPU is done with what is asked for.
pub fn take() -> (Vec<Finding>, u64) {
    sweep();
    let took = |found: &mut Found| (core::mem::take(&mut found.collected), core::mem::take(&mut found.left_out));
    found().as_mut().map(took).unwrap_or_default()
}

/// A recording whose records are read from now on.
pub(crate) fn watch(records: Weak<dyn Unread>) {
    found().get_or_insert_default().unread.push(records);
}

/// There is a heap that shaders see.
pub(crate) fn known(heap: Heap) {
    found().get_or_insert_default().heaps.insert(heap.number, heap);
}

/// What is known of a heap by its number.
pub(crate) fn heap(number: u32) -> Heap {
    let known = found().as_ref().and_then(|found| found.heaps.get(&number).copied());
    known.unwrap_or(Heap { number, ..Heap::default() })
}

/// Reads the records of all recordings. What the GPU writes meanwhile is read the next time.
pub fn sweep() {
    let mut unread = Vec::new();
    if let Some(found) = found().as_mut() {
        found.unread.retain(|records| records.upgrade().map(|records| unread.push(records)).is_some());
    }
    // Those that go here read once more.
    unread.iter().for_each(|records: &Arc<dyn Unread>| records.read());
}

/// Takes findings in.
pub(crate) fn report(findings: Vec<Finding>) {
    if findings.is_empty() {
        return;
    }
    let mut guard = found();
    let found = guard.get_or_insert_default();
    if COLLECTS.load(Ordering::Relaxed) {
        let room = COLLECTED.saturating_sub(found.collected.len());
        found.left_out += findings.len().saturating_sub(room) as u64;
        found.collected.extend(findings.into_iter().take(room));
        return;
    }
    for finding in findings {
        let fault = &finding.fault;
        let stage = fault.stage.map_or(u32::MAX, |stage| stage as u32);
        if found.told.len() > LINES || !found.told.insert((fault.shader, fault.site, fault.kind as u32, stage)) {
            continue;
        }
        match found.told.len() > LINES {
            true => reprise_log::warning(format_args!("descriptor check: more than {LINES} places; no more are told")),
            false => reprise_log::warning(format_args!("descriptor check: {finding}")),
        }
    }
}
