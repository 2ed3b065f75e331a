//! One process of the test program: started in a group of its own, ended by a deadline, its output kept in a file.
//!
//! Invariant: when [`run`] returns, nothing of that process group runs any more, unless the GPU has stopped: what waits in its
//! driver cannot be ended.

use super::group::end_group;
use super::heartbeat::Heartbeat;
use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A process that writes more is ended: it repeats itself.
const OUTPUT_LIMIT: u64 = 64 << 20;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// By us, because it ran or wrote too long.
    TimedOut,
    /// Not: the GPU stopped while it ran.
    Wedged,
    /// Not: the GPU had stopped before it was begun.
    Waited,
}

/// A process that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) end: End,
    /// Both outputs, as they came.
    pub(super) output: String,
    /// Wall time.
    pub(super) seconds: f64,
}

/// A process that was killed and has not ended by then waits in a driver.
const KILLED: Duration = Duration::from_secs(30);
/// As above, where it is known that the GPU has stopped.
const STOPPED: Duration = Duration::from_secs(1);

/// Runs a command to its end, to the deadline, or until a heartbeat is silent; `log` receives both outputs.
pub(super) fn run(
    command: &mut Command,
    deadline: Duration,
    log: &Path,
    heartbeat: Option<&Heartbeat>,
) -> Result<Ended> {
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let again = file.try_clone().context("cannot share the log")?;
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(again)
        .stderr(file.try_clone().context("cannot share the log")?)
        // What it starts (under capture: the test program) must end with it.
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    let (mut timed_out, mut silent) = (false, false);
    while !has_ended(child.id())? && !timed_out && !silent {
        let written = file.metadata().map_or(0, |metadata| metadata.len());
        timed_out = started.elapsed() >= deadline || written > OUTPUT_LIMIT;
        silent = heartbeat.is_some_and(Heartbeat::is_silent);
        std::thread::sleep(Duration::from_millis(5));
    }
    let seconds = started.elapsed().as_secs_f64();
    // A GPU that has stopped shows in tests that fail or hang before the heartbeat is late.
    let clean = !timed_out && !silent && is_clean(child.id())?;
    let stopped = heartbeat.filter(|heartbeat| !clean && !heartbeat.beats_after(Instant::now()));
    // Also what a process that ended by itself has left running; before it is waited for, which frees the group's number.
    end_group(child.id());
    let patience = if stopped.is_some() { STOPPED } else { KILLED };
    let killed = Instant::now();
    while !has_ended(child.id())? && killed.elapsed() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = match has_ended(child.id())? {
        true => Some(child.wait().context("cannot wait for the test program")?),
        false => None,
    };
    let output = std::fs::read(log).with_context(|| format!("cannot read {}", log.display()))?;
    let end = match (stopped, status) {
        (Some(heartbeat), _) if heartbeat.was_late(started) => End::Waited,
        (Some(_), _) => End::Wedged,
        (None, Some(status)) if !timed_out => end(status),
        (None, _) => End::TimedOut,
    };
    Ok(Ended { end, output: String::from_utf8_lossy(&output).into_owned(), seconds })
}

/// A launcher such as `reprise capture` tells its program's signal as 128 + signal, as shells do.
fn end(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code @ 129..=192), _) => End::Signal(code - 128),
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// Says whether a child has ended, and leaves it to be waited for.
fn has_ended(child: u32) -> Result<bool> {
    // SAFETY: the call filled the structure, or left the zeroes that say that nothing has ended.
    Ok(unsafe { look(child)?.si_pid() } != 0)
}

/// Says whether a child that has ended did so by itself, with exit code 0.
fn is_clean(child: u32) -> Result<bool> {
    let information = look(child)?;
    // SAFETY: the call filled the structure.
    Ok(information.si_code == libc::CLD_EXITED && unsafe { information.si_status() } == 0)
}

/// What the system says of a child that has ended; zeroes while it runs.
fn look(child: u32) -> Result<libc::siginfo_t> {
    // SAFETY: all zeroes is a value of this plain structure.
    let mut information: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: the call writes to the structure, which lives across it.
    let result = unsafe { libc::waitid(libc::P_PID, child, &mut information, options) };
    ensure!(result == 0, "cannot look at the test program: {}", std::io::Error::last_os_error());
    Ok(information)
}
