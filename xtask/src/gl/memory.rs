//! The most memory that a program has at one time, while it runs: the kernel forgets it when the process ends.

use reprise_testing::program::family;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two looks. The kernel keeps the peak itself: only that of the last moments can be missed.
const PAUSE: Duration = Duration::from_millis(50);

/// Watches a process and all that it starts, until it is asked.
pub(super) struct Peak {
    most: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Peak {
    pub(super) fn of(pid: u32) -> Self {
        let (most, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (known, ended) = (most.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            while !ended.load(Ordering::Relaxed) {
                let here = family(pid).into_iter().filter_map(peak).max().unwrap_or(0);
                known.fetch_max(here, Ordering::Relaxed);
                std::thread::sleep(PAUSE);
            }
        });
        Self { most, stop, thread }
    }

    /// Bytes of the process that had most.
    pub(super) fn bytes(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
        self.most.load(Ordering::Relaxed)
    }
}

/// `VmHWM` of proc_pid_status(5), in bytes; a process that has ended has none.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_childs_peak_is_seen_after_it_is_let_go() {
        // The shell holds 64 MB in a variable, lets go of it, and waits.
        let script = "v=$(head -c 64000000 /dev/zero | tr '\\0' x); v=; sleep 1 & wait";
        let mut child = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let watched = Peak::of(child.id());
        child.wait().unwrap();
        let bytes = watched.bytes();
        assert!((64_000_000..2_000_000_000).contains(&bytes), "{bytes}");
    }
}
