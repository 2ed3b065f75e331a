//! A process and all that it has started: who they are, how long they run, and their end.
//!
//! Invariant: a signal goes to one process, by its id.

use anyhow::Result;
use std::collections::BTreeMap;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// A process, then all that it and its descendants have started and that the kernel still knows as theirs.
pub fn family(pid: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    // Processes that end meanwhile are left out.
    for stat in procfs::process::all_processes().into_iter().flatten().flatten().filter_map(|child| child.stat().ok()) {
        if let (Ok(child), Ok(parent)) = (stat.pid.try_into(), stat.ppid.try_into()) {
            children.entry(parent).or_default().push(child);
        }
    }
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(parent) = family.get(next) {
        family.extend(children.remove(parent).unwrap_or_default());
        next += 1;
    }
    family
}

/// Waits for a child; `None` when it runs on at the deadline.
///
/// # Errors
/// When the operating system cannot wait for it.
pub fn wait_until(child: &mut Child, deadline: Duration) -> Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= deadline {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Ends a child that has not been waited for, and all that it has started (SIGKILL).
pub fn end_family(child: u32) {
    for pid in family(child).into_iter().filter_map(|pid| libc::pid_t::try_from(pid).ok()) {
        // SAFETY: a signal to one process of ours, by its id; no memory is involved.
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
}

/// Asks a process to end (SIGTERM). A process that is gone already is no error.
pub fn terminate(pid: u32) {
    if let Ok(pid) = libc::pid_t::try_from(pid)
        && pid > 0
    {
        // SAFETY: sends a signal to one process by its id; no memory is involved.
        unsafe { libc::kill(pid, libc::SIGTERM) };
    }
}
