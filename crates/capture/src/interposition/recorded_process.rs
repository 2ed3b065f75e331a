//! The decision whether this process is recorded; it also installs the tracker of mapped memory.

use std::sync::atomic::{AtomicU8, Ordering};

use reprise_environment::capture::SESSION;

use crate::host::process;
use crate::memory::process_tracker::ProcessTracker;
use crate::session::{self, environment};
use crate::tracking;

/// Finds the bytes stored to mapped memory.
static MEMORY: ProcessTracker = ProcessTracker::new();

/// Whether the launcher said where to record this process, and the program does not run with another's rights. The first answer
/// stays.
pub(super) fn is_recorded() -> bool {
    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;
    static WANTED: AtomicU8 = AtomicU8::new(UNKNOWN);
    match WANTED.load(Ordering::Relaxed) {
        UNKNOWN => {
            let secure = process::has_foreign_rights();
            let asked = environment::get(SESSION).is_some();
            if asked && secure {
                reprise_log::warning("not recorded: the program runs with rights that its user has not");
            }
            let wanted = asked && !secure && session::process::is_wanted();
            if wanted {
                tracking::install(&MEMORY);
            }
            WANTED.store(if wanted { YES } else { NO }, Ordering::Relaxed);
            wanted
        }
        known => known == YES,
    }
}
