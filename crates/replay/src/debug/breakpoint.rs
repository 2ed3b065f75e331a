//! `--break-at`: a debugger stops right before a call is made, or the process waits for one.
//!
//! Owns the function that a debugger shows on the stack. Invariant: without a debugger the process goes on.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Place;

/// Calls to stop before, by the numbers of `reprise dump`.
#[derive(Clone, Debug, Default)]
pub struct Breakpoints(BTreeSet<u64>);

impl Breakpoints {
    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Stops if the call at `place` is one of them.
    pub(crate) fn hit(&self, place: &Place) {
        if self.0.contains(&place.call) {
            eprintln!("\nreprise: next is {place}");
            reprise_break(place.call);
        }
    }
}

impl FromIterator<u64> for Breakpoints {
    fn from_iter<T: IntoIterator<Item = u64>>(calls: T) -> Self {
        Self(calls.into_iter().collect())
    }
}

/// The call that `reprise_break` stops before, also where the debugger has no names of arguments:
/// `print (long) reprise_break_call`.
#[unsafe(no_mangle)]
static reprise_break_call: AtomicU64 = AtomicU64::new(0);

/// Stops in the debugger that watches this process; where there is none, says how to use one and stops the process until it
/// is continued. `call` is the number of the call that is made next.
#[unsafe(no_mangle)]
#[inline(never)]
#[expect(unreachable_pub, reason = "exported by its name, for a debugger")]
pub extern "C" fn reprise_break(call: u64) {
    reprise_break_call.store(call, Ordering::Relaxed);
    #[cfg(unix)]
    {
        if !is_watched() {
            let pid = std::process::id();
            eprintln!(
                "reprise: stopped before call {call}, and no debugger is attached: attach one (gdb -p {pid}), or go on with \
                 fg or kill -CONT {pid}; next time start under one: gdb --args reprise replay --break-at {call} ..."
            );
            // SAFETY: it stops this process, until someone continues it.
            unsafe { libc::raise(libc::SIGSTOP) };
        }
        // A debugger may have come meanwhile.
        if is_watched() {
            // SAFETY: it stops in the debugger, which does not pass it on.
            unsafe { libc::raise(libc::SIGTRAP) };
        }
    }
}

/// Whether a debugger traces this process.
#[cfg(unix)]
fn is_watched() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|pid| pid.trim() != "0")
}
