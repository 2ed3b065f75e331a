//! Programs run to their end or to a deadline, with both outputs kept.

use anyhow::{Context, Result};
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

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
    /// The deadline passed and the program was killed.
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

/// Runs a program without input, to its end or to the deadline, whichever comes first.
///
/// # Errors
/// When the program cannot be started or waited for.
pub fn run(command: &mut Command, deadline: Duration) -> Result<Finished> {
    let shown = format!("{command:?}");
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {shown}"))?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let (status, timed_out) = wait(&mut child, deadline).with_context(|| format!("cannot wait for {shown}"))?;
    let elapsed = started.elapsed();
    let collect = |thread: std::thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Finished { status, stdout: collect(stdout), stderr: collect(stderr), elapsed, timed_out })
}

/// Waits for a child until the deadline, then kills it; true when it had to be killed.
///
/// # Errors
/// When the operating system cannot wait for or kill it.
pub fn wait(child: &mut Child, deadline: Duration) -> Result<(ExitStatus, bool)> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        if started.elapsed() >= deadline {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        std::thread::sleep(Duration::from_millis(5));
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

fn drain(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still the program's output.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}
