//! What processes were doing when a test gave up on them, so that a failure is understood from a build server's log alone.
//!
//! Invariant: nothing here waits without bound, or fails: what cannot be told is left out.

pub use crate::family::family;
use crate::family::wait_until;
use crate::output;
use procfs::process::Process;
use std::fmt::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Longest that the debugger may take for one process; the symbols of a debug build are many.
const DEBUGGER: Duration = Duration::from_secs(60);
/// Processes of which stacks are told.
const STACKS: usize = 6;

/// What a process and its descendants are doing: command line, state, what each thread waits for, and, where gdb is
/// installed and may look, stacks.
pub fn autopsy(pid: u32) -> String {
    let mut text = String::new();
    for (index, pid) in family(pid).into_iter().enumerate() {
        let Ok(process) = i32::try_from(pid).map_err(drop).and_then(|pid| Process::new(pid).map_err(drop)) else {
            continue;
        };
        let Ok(how) = process.stat().map(|stat| stat.state) else { continue };
        let line = process.cmdline().unwrap_or_default().join(" ");
        let _ = writeln!(text, "--- process {pid}, state {how}: {line}");
        for thread in process.tasks().into_iter().flatten().flatten() {
            let Ok(stat) = thread.stat() else { continue };
            let folder = format!("/proc/{pid}/task/{}", thread.tid);
            let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
            let (place, call) = (read("wchan"), read("syscall"));
            let _ =
                writeln!(text, "    thread {} {}: {} in {place} ({})", thread.tid, stat.comm, stat.state, call.trim());
        }
        if index < STACKS && how != 'Z' {
            text += &stacks(pid);
        }
    }
    text
}

fn stacks(pid: u32) -> String {
    let mut command = Command::new("gdb");
    command.args(["-nx", "-batch", "-p", &pid.to_string(), "-ex", "thread apply all backtrace 16"]);
    let Ok(mut child) = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        return String::new();
    };
    let output = output::drain(child.stdout.take());
    // A debugger that hangs is ended without an autopsy of its own.
    if !matches!(wait_until(&mut child, DEBUGGER), Ok(Some(_))) {
        let _ = child.kill();
        let _ = child.wait();
    }
    let bytes = output.bytes(Duration::from_secs(1)).0;
    let text = String::from_utf8_lossy(&bytes);
    let told = text.lines().filter(|line| line.starts_with("Thread ") || line.starts_with('#'));
    told.map(|line| format!("    {line}\n")).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::family::end_family;

    #[test]
    fn a_family_is_told_with_its_grandchildren() {
        let mut child = Command::new("sh").args(["-c", "sleep 600 & wait"]).spawn().unwrap();
        let started = std::time::Instant::now();
        let sleeps =
            |text: &str| text.lines().any(|line| line.starts_with("--- process") && line.contains("sleep 600"));
        let mut told = autopsy(child.id());
        while !sleeps(&told) && started.elapsed() < Duration::from_secs(60) {
            told = autopsy(child.id());
        }
        end_family(child.id());
        child.wait().unwrap();
        assert!(sleeps(&told), "{told}");
        assert!(told.contains("    thread "), "{told}");
    }
}
