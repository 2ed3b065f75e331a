//! Telling the runtime to misbehave: which method, on which call, does what.
//!
//! In a process of its own the runtime is told through `REPRISE_NULL`: rules separated by `;`, each
//! `METHOD[@CALL]=ACTION`, METHOD as `Interface::Method` or a function's name, CALL counted from 1 (every call without
//! it), ACTION one of `fail:HRESULT`, `null`, `crash`, `block`. `REPRISE_NULL_LOG=FILE` writes the log there, an
//! object a line; `REPRISE_NULL_LOG=off` leaves nothing but the floor.

use crate::lock::lock;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use reprise_d3d12::model::MethodId;
use reprise_environment::null::{LOG as LOG_FILE, OFF, RULES as RULES_OF};
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex};

/// What a call does instead of, or before, succeeding.
#[derive(Clone)]
pub enum Action {
    /// Return this `HRESULT`; outputs are left as they are, output objects null.
    Fail(i32),
    /// Succeed with null: output objects and results that are pointers.
    Null,
    /// Die from a segmentation fault.
    Crash,
    /// Wait until [`unblock`].
    Block,
    /// Run this inside the call, on its thread: calls back into the program's wrappers.
    Reenter(Arc<dyn Fn() + Send + Sync>),
}

#[derive(Default)]
struct Rules {
    /// By method; the number of the call it holds for, 0 for every call.
    by_method: BTreeMap<u16, Vec<(u64, Action)>>,
    calls: BTreeMap<u16, u64>,
}

const LOG: u8 = 1;
const RULES: u8 = 2;

static FLAGS: AtomicU8 = AtomicU8::new(LOG);
static GENERATION: Mutex<Rules> = Mutex::new(Rules { by_method: BTreeMap::new(), calls: BTreeMap::new() });
static BLOCKED: AtomicU64 = AtomicU64::new(0);
static DOOR: (Mutex<u64>, Condvar) = (Mutex::new(0), Condvar::new());

/// Whether neither log nor rules want to see calls: light calls then return at once.
#[inline(always)]
pub(crate) fn idle() -> bool {
    FLAGS.load(Ordering::Relaxed) == 0
}

pub(crate) fn logging() -> bool {
    FLAGS.load(Ordering::Relaxed) & LOG != 0
}

/// Turns the log on or off; off is the floor for measuring.
pub fn set_logging(on: bool) {
    if on {
        FLAGS.fetch_or(LOG, Ordering::Relaxed);
    } else {
        FLAGS.fetch_and(!LOG, Ordering::Relaxed);
    }
}

/// From now on, call number `nth` of `method` (from 1, counted since the last [`clear`]; 0: every call) does `action`.
pub fn on(method: MethodId, nth: u64, action: Action) {
    lock(&GENERATION).by_method.entry(method.0).or_default().push((nth, action));
    FLAGS.fetch_or(RULES, Ordering::Relaxed);
}

/// Forgets all rules and counts.
pub fn clear() {
    *lock(&GENERATION) = Rules::default();
    FLAGS.fetch_and(!RULES, Ordering::Relaxed);
}

/// What this call of `method` is told to do.
pub(crate) fn action(method: MethodId) -> Option<Action> {
    if FLAGS.load(Ordering::Relaxed) & RULES == 0 {
        return None;
    }
    let mut rules = lock(&GENERATION);
    let count = rules.calls.entry(method.0).or_default();
    *count += 1;
    let count = *count;
    let found = rules.by_method.get(&method.0)?.iter().find(|(nth, _)| *nth == 0 || *nth == count)?;
    Some(found.1.clone())
}

/// Number of calls that wait for [`unblock`].
pub fn blocked() -> u64 {
    BLOCKED.load(Ordering::Acquire)
}

/// Lets every waiting call go on.
pub fn unblock() {
    *lock(&DOOR.0) += 1;
    DOOR.1.notify_all();
}

pub(crate) fn block() {
    let mut opened = lock(&DOOR.0);
    let before = *opened;
    BLOCKED.fetch_add(1, Ordering::AcqRel);
    while *opened == before {
        opened = DOOR.1.wait(opened).unwrap_or_else(std::sync::PoisonError::into_inner);
    }
    BLOCKED.fetch_sub(1, Ordering::AcqRel);
}

/// Dies now, as [`Action::Crash`] does.
pub fn crash_here() -> ! {
    crash()
}

/// Dies as a bug in a runtime would: by a store to address 0.
pub(crate) fn crash() -> ! {
    // SAFETY: there is none; the segmentation fault is what was asked for.
    unsafe { core::ptr::null_mut::<u8>().write_volatile(1) };
    std::process::abort()
}

/// Takes the rules of `REPRISE_NULL` and the log's place from the environment.
///
/// # Errors
/// A rule that cannot be read, in words.
pub fn from_environment() -> Result<(), String> {
    if let Ok(place) = std::env::var(LOG_FILE) {
        if place == OFF {
            set_logging(false);
        } else {
            crate::log::to_file(&place).map_err(|e| format!("{LOG_FILE}: cannot create {place}: {e}"))?;
        }
    }
    let Ok(rules) = std::env::var(RULES_OF) else { return Ok(()) };
    for rule in rules.split(';').filter(|r| !r.is_empty()) {
        let (what, action) = rule.split_once('=').ok_or_else(|| format!("{RULES_OF}: no '=' in {rule}"))?;
        let (name, nth) = match what.split_once('@') {
            Some((name, nth)) => (name, nth.parse().map_err(|_| format!("{RULES_OF}: bad call number in {rule}"))?),
            None => (what, 0),
        };
        let method = crate::method_named(name).ok_or_else(|| format!("{RULES_OF}: no method {name}"))?;
        let action = match action.split_once(':').unwrap_or((action, "")) {
            ("fail", code) => {
                let code = code.trim_start_matches("0x");
                Action::Fail(
                    u32::from_str_radix(code, 16).map_err(|_| format!("{RULES_OF}: bad code in {rule}"))? as i32
                )
            }
            ("null", "") => Action::Null,
            ("crash", "") => Action::Crash,
            ("block", "") => Action::Block,
            _ => return Err(format!("{RULES_OF}: unknown action in {rule}")),
        };
        on(method, nth, action);
    }
    Ok(())
}
