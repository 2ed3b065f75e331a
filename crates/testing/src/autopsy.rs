//! What processes were doing when a test gave up on them, so that a failure is understood from a build server's log alone.
//!
//! Invariant: nothing here waits without bound, or fails: what cannot be told is left out.

use crate::program;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Longest that the debugger may take for one process; the symbols of a debug build are many.
const DEBUGGER: Duration = Duration::from_secs(60);
/// Processes of which stacks are told.
const STACKS: usize = 6;

/// A process, then all that it and its descendants have started and that the kernel still knows as theirs.
pub fn family(pid: u32) -> Vec<u32> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some((_, parent)) = state(&entry.path()) {
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

/// State and parent of a process, or of a thread, by its folder below `/proc`.
fn state(folder: &Path) -> Option<(char, u32)> {
    let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
    // Its name stands in parentheses and may have any character.
    let mut words = stat.rsplit_once(") ")?.1.split(' ');
    Some((words.next()?.chars().next()?, words.next()?.parse().ok()?))
}

/// What a process and its descendants are doing: command line, state, what each thread waits for, and, where gdb is
/// installed and may look, stacks.
pub fn autopsy(pid: u32) -> String {
    let mut text = String::new();
    for (index, pid) in family(pid).into_iter().enumerate() {
        let folder = Path::new("/proc").join(pid.to_string());
        let Some((how, _)) = state(&folder) else { continue };
        let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let _ = writeln!(text, "--- process {pid}, state {how}: {line}");
        for thread in std::fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
            let read = |name: &str| std::fs::read_to_string(thread.path().join(name)).unwrap_or_default();
            let how = state(&thread.path()).map_or('?', |(how, _)| how);
            let (name, place, call) = (read("comm"), read("wchan"), read("syscall"));
            let id = thread.file_name().to_string_lossy().into_owned();
            let _ = writeln!(text, "    thread {id} {}: {how} in {place} ({})", name.trim(), call.trim());
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
    let output = program::drain(child.stdout.take());
    // Ended without an autopsy of its own.
    if !matches!(program::wait_until(&mut child, DEBUGGER), Ok(Some(_))) {
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
        program::end_family(child.id());
        child.wait().unwrap();
        assert!(sleeps(&told), "{told}");
        assert!(told.contains("    thread "), "{told}");
    }
}
