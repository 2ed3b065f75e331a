//! A process that uses the GPU a little all the time and says so: while it is silent, nothing on the GPU ends.
//!
//! Some drivers let all processes of a GPU share their fate. A test that hangs is told from one that waits behind a GPU that has
//! stopped by this third one.

use super::group::end_group;
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A line a second is usual. A GPU that does nothing else is late by less than this, also where tests fill it.
const PATIENCE: Duration = Duration::from_secs(15);
/// Making a device takes longer than a beat.
const FIRST: Duration = Duration::from_secs(60);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// The process, which ends with this.
#[derive(Debug)]
pub(super) struct Heartbeat {
    child: Child,
    last: Arc<Mutex<Option<Instant>>>,
    patience: Duration,
}

impl Heartbeat {
    /// Starts `PROGRAM --heartbeat` and waits for its first line.
    ///
    /// # Errors
    /// When it cannot be started or says nothing for a minute: then the GPU has stopped before the first test.
    pub(super) fn start(program: &std::path::Path) -> Result<Heartbeat> {
        Heartbeat::with_patience(Command::new(program).arg("--heartbeat"), PATIENCE, FIRST)
    }

    /// As [`Heartbeat::start`], for a command whose silence means something after `patience`.
    pub(super) fn with_patience(command: &mut Command, patience: Duration, first: Duration) -> Result<Heartbeat> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
        let output = child.stdout.take().context("the heartbeat has no output")?;
        let last = Arc::new(Mutex::new(None));
        let heard = last.clone();
        std::thread::spawn(move || {
            for _ in BufReader::new(output).lines().map_while(Result::ok) {
                *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            }
        });
        let heartbeat = Heartbeat { child, last, patience };
        let started = Instant::now();
        while heartbeat.last().is_none() {
            ensure!(started.elapsed() < first, "the heartbeat is silent from the beginning: does the GPU work?");
            std::thread::sleep(LOOK);
        }
        Ok(heartbeat)
    }

    /// The last beat, if there was one.
    fn last(&self) -> Option<Instant> {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the GPU has stopped.
    pub(super) fn is_silent(&self) -> bool {
        self.last().is_none_or(|last| last.elapsed() >= self.patience)
    }

    /// Whether beats were missing already at a moment after the last one: then what began at that moment did not stop the GPU.
    pub(super) fn was_late(&self, moment: Instant) -> bool {
        self.last().is_some_and(|last| moment.saturating_duration_since(last) > self.patience / 5)
    }

    /// Waits for a beat after a moment; false when there is none.
    pub(super) fn beats_after(&self, moment: Instant) -> bool {
        loop {
            if self.last().is_some_and(|last| last > moment) {
                return true;
            }
            if self.is_silent() {
                return false;
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        // Nobody waits for it: on a GPU that has stopped it may never end.
        end_group(self.child.id());
        let _ = self.child.try_wait();
    }
}
