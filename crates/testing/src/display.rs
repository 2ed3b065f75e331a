//! A virtual X display: started on a free number, ended by its process id.

use crate::family::{terminate, wait_until};
use crate::missing::{self, Missing};
use crate::output::drain;
use crate::x11::Connection;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a server is started that finds no number.
const TRIES: usize = 10;
/// Longest that a server takes to start, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// An X server without a screen, running until dropped.
#[derive(Debug)]
pub struct Display {
    server: Child,
    number: u32,
}

impl Display {
    /// Says whether a display could be started at all.
    ///
    /// # Errors
    /// [`Missing`] when Xvfb is not installed.
    pub fn available() -> Result<(), Missing> {
        missing::program("Xvfb", "xvfb").map(|_| ())
    }

    /// Starts a server of 1280 × 1024 pixels of 24 bits, and returns when it accepts connections.
    ///
    /// # Errors
    /// When Xvfb is missing or ends, again and again, before it has found a free display number.
    pub fn start() -> Result<Display> {
        let program = missing::program("Xvfb", "xvfb")?;
        let mut said = String::new();
        // A server that takes the number of one that is just ending finds its lock file, and gives up.
        for _ in 0..TRIES {
            match Display::try_start(&program)? {
                Ok(display) => return Ok(display),
                Err(text) => said = text,
            }
        }
        anyhow::bail!("Xvfb found no free display in {TRIES} tries; is /tmp/.X11-unix writable? It says:\n{said}")
    }

    /// A server, or what it said when it ended.
    fn try_start(program: &Path) -> Result<Result<Display, String>> {
        // The server itself looks for a free number and reports it on its standard output once it listens. It must not
        // reset when the first client leaves, or a second program would meet a server in the middle of a restart.
        let mut server = Command::new(program)
            .args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start Xvfb")?;
        let (stdout, stderr) = (drain(server.stdout.take()), drain(server.stderr.take()));
        let started = Instant::now();
        let line = loop {
            let line = stdout.so_far();
            let ended = server.try_wait().context("cannot wait for Xvfb")?.is_some();
            if line.ends_with(b"\n") || ended || started.elapsed() > PATIENCE {
                break String::from_utf8_lossy(&line).into_owned();
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        if let Ok(number) = line.trim().parse() {
            return Ok(Ok(Display { server, number }));
        }
        let _ = server.kill();
        let status = server.wait().context("cannot wait for Xvfb")?;
        let said = stderr.bytes(PATIENCE).0;
        Ok(Err(format!("{status} {}", String::from_utf8_lossy(&said))))
    }

    /// The name for the environment variable `DISPLAY`.
    pub fn name(&self) -> String {
        format!(":{}", self.number)
    }

    /// Asks every top-level window that is shown to close, as a click on its close button would.
    ///
    /// Returns the number of windows that were asked.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub fn close_windows(&self) -> Result<usize> {
        let connection = Connection::open(self.number)?;
        let windows = connection.windows()?;
        windows.iter().try_for_each(|window| connection.close(*window))?;
        connection.sync()?;
        Ok(windows.len())
    }

    /// Width, height and pixels (four bytes each, blue first, rows top first) of the first top-level window.
    ///
    /// # Errors
    /// When there is none, or the server cannot be talked to.
    pub fn picture(&self) -> Result<(u16, u16, Vec<u8>)> {
        let connection = Connection::open(self.number)?;
        let window = *connection.windows()?.first().context("there is no window")?;
        connection.image(window)
    }

    /// As [`Display::picture`], of the whole screen: what a person would see.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub fn screen(&self) -> Result<(u16, u16, Vec<u8>)> {
        Connection::open(self.number)?.screen()
    }

    /// Presses a key, by its number on this server, in the first top-level window.
    ///
    /// # Errors
    /// As [`Display::picture`].
    pub fn press(&self, key: u8) -> Result<()> {
        let connection = Connection::open(self.number)?;
        let window = *connection.windows()?.first().context("there is no window")?;
        connection.press(window, key)?;
        connection.sync()
    }

    /// Waits until a top-level window is shown; false when none came in time.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub fn wait_for_window(&self, deadline: Duration) -> Result<bool> {
        let connection = Connection::open(self.number)?;
        let started = Instant::now();
        while connection.windows()?.is_empty() {
            if started.elapsed() > deadline {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(true)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // SIGTERM lets the server remove its socket and lock file.
        terminate(self.server.id());
        if !matches!(wait_until(&mut self.server, PATIENCE), Ok(Some(_))) {
            let _ = self.server.kill();
            let _ = self.server.wait();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::program;

    #[test]
    fn two_displays_at_once_and_both_gone_after() {
        if crate::require(Display::available()).is_none() {
            return;
        }
        let (first, second) = (Display::start().unwrap(), Display::start().unwrap());
        assert_ne!(first.name(), second.name());
        assert_eq!(first.close_windows().unwrap(), 0);
        assert!(!first.wait_for_window(Duration::ZERO).unwrap());
        let number = first.number;
        drop(first);
        assert!(Connection::open(number).is_err());
        assert_eq!(second.close_windows().unwrap(), 0);
    }

    #[test]
    fn a_program_closes_when_its_window_is_asked_to() {
        let gears = missing::program("vkd3d-gears", "vkd3d-demos");
        let (Some(()), Some(gears)) = (crate::require(Display::available()), crate::require(gears)) else { return };
        let display = Display::start().unwrap();
        let mut child = Command::new(gears).env("DISPLAY", display.name()).spawn().unwrap();
        assert!(display.wait_for_window(Duration::from_secs(60)).unwrap());
        assert_eq!(display.close_windows().unwrap(), 1);
        let (status, timed_out) = program::wait(&mut child, Duration::from_secs(60)).unwrap();
        assert!(status.success() && !timed_out, "{status}");
    }
}
