//! Programs run to their end or to a deadline, with both outputs kept.

use crate::autopsy;
use crate::output::drain;
use anyhow::{Context, Result};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub use crate::family::{end_family, family, terminate, wait_until};
pub use crate::output::{Lines, lines};

/// How a program ended and what it said.
#[derive(Debug)]
pub struct Finished {
    /// As the operating system reports it; a program ended by the deadline was killed with SIGKILL.
    pub status: ExitStatus,
    /// Everything it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// Everything it wrote to its standard error.
    pub stderr: Vec<u8>,
    /// Wall time.
    pub elapsed: Duration,
    /// The deadline passed, and the program was killed, or what it had started holds its output open.
    pub timed_out: bool,
}

impl Finished {
    /// The standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The standard error as text.
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Runs a program without input, to its end or to the deadline, whichever comes first, and tells of it on standard error, which
/// the test harness shows of tests that fail.
///
/// # Errors
/// When the program cannot be started or waited for.
pub fn run(command: &mut Command, deadline: Duration) -> Result<Finished> {
    let finished = run_quietly(command, deadline)?;
    let (status, seconds) = (finished.status, finished.elapsed.as_secs_f64());
    eprintln!("{}: {status} after {seconds:.2} s", shown(command));
    let said = if finished.status.success() { &[][..] } else { last(&finished.stdout) };
    for (name, bytes) in [("standard output", said), ("standard error", last(&finished.stderr))] {
        if !bytes.is_empty() {
            eprintln!("--- its {name}:\n{}", String::from_utf8_lossy(bytes));
        }
    }
    Ok(finished)
}

/// The program, its arguments and what is set in its environment, as a shell takes them.
fn shown(command: &Command) -> String {
    format!("{command:?}")
}

/// The end of an output, as much of it as helps.
fn last(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.len().saturating_sub(4000)..]
}

/// As [`run`], without a word unless it hangs.
///
/// # Errors
/// As [`run`].
pub fn run_quietly(command: &mut Command, deadline: Duration) -> Result<Finished> {
    run_held(command, deadline, HELD)
}

fn run_held(command: &mut Command, deadline: Duration, held: Duration) -> Result<Finished> {
    let shown = shown(command);
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {shown}"))?;
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let (status, mut timed_out) = wait(&mut child, deadline).with_context(|| format!("cannot wait for {shown}"))?;
    let elapsed = started.elapsed();
    // Whoever it has left behind may hold the pipes open.
    let ((stdout, whole), (stderr, both)) = (stdout.bytes(held), stderr.bytes(held));
    if !(whole && both || timed_out) {
        eprintln!("{shown} has ended ({status}), and something that it started holds its output open");
        timed_out = true;
    }
    Ok(Finished { status, stdout, stderr, elapsed, timed_out })
}

/// How long a program's output may stay open after its end.
const HELD: Duration = Duration::from_secs(60);

/// Waits for a child until the deadline, then says what it and all that it has started are doing, and kills them; true when that
/// had to be.
///
/// # Errors
/// When the operating system cannot wait for or kill it.
pub fn wait(child: &mut Child, deadline: Duration) -> Result<(ExitStatus, bool)> {
    if let Some(status) = wait_until(child, deadline)? {
        return Ok((status, false));
    }
    eprintln!("process {} has not ended after {} s:\n{}", child.id(), deadline.as_secs(), autopsy::autopsy(child.id()));
    end_family(child.id());
    Ok((child.wait()?, true))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Longer than anything here takes.
    const LONG: Duration = Duration::from_secs(300);
    const SHORT: Duration = Duration::from_secs(5);

    #[test]
    fn output_that_somebody_holds_open_is_not_waited_for() {
        // The one in the background outlives its parent, and has the pipes.
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & echo $!"]);
        let finished = run_held(&mut command, LONG, SHORT).unwrap();
        end_family(finished.text().trim().parse().unwrap());
        assert!(finished.timed_out && finished.status.success(), "{finished:?}");
    }

    #[test]
    fn what_hangs_is_ended_with_all_that_it_started() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & wait"]);
        let finished = run_held(&mut command, SHORT, LONG).unwrap();
        assert!(finished.timed_out && !finished.status.success(), "{finished:?}");
        assert!(finished.elapsed < LONG, "whoever had its pipes is gone");
    }
}
