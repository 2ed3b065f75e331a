//! One command under a time limit: its lines as they come, and what stands still when it hangs.

use anyhow::{Context, Result};
use reprise_testing::autopsy;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A test hangs when none has ended for so long.
const SILENCE: Duration = Duration::from_secs(20 * 60);

/// How a command ended.
pub(super) enum End {
    Status(ExitStatus),
    /// It was ended, with all that it started.
    OutOfTime,
}

pub(super) struct Watch<'a> {
    /// Whose states and stacks are shown when it hangs.
    pub(super) name: &'a str,
    pub(super) deadline: Instant,
    /// Whether silence is a hang from the beginning on. Otherwise it is one once the first test runs: all are built before.
    pub(super) silent: bool,
}

impl Watch<'_> {
    /// Runs the command and gives each line of its standard output.
    pub(super) fn run(self, mut command: Command, mut line: impl FnMut(&str)) -> Result<End> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().with_context(|| format!("cannot run {}", self.name))?;
        let (sender, lines) = mpsc::channel();
        let reader = child.stdout.take().map(|stdout| {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            })
        });
        let (mut runs, mut hangs) = (self.silent, false);
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(if runs { left.min(SILENCE) } else { left }) {
                Ok(text) => {
                    runs |= text.starts_with("running ");
                    line(&text);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    println!("test: {}: out of time:\n{}", self.name, autopsy::autopsy(child.id()));
                    end_group(child.id());
                    hangs = true;
                    break;
                }
            }
        }
        let status = child.wait().with_context(|| format!("cannot wait for {}", self.name))?;
        if let Some(reader) = reader {
            // The pipe may be held open by what a test left running; nobody waits for that.
            drop(lines);
            if reader.is_finished() {
                let _ = reader.join();
            }
        }
        Ok(if hangs { End::OutOfTime } else { End::Status(status) })
    }
}

/// Ends a command of ours and everything it started, which is the process group made for it.
fn end_group(leader: u32) {
    if let Ok(group) = libc::pid_t::try_from(leader)
        && group > 1
    {
        // SAFETY: sends a signal to the process group that `Watch::run` made; no memory is involved.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}
