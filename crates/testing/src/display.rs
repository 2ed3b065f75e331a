//! A virtual X display: started on a free number, ended by its process id.

use crate::missing::{self, Missing};
use crate::x11::Connection;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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
    /// When Xvfb is missing or ends before it has found a free display number.
    pub fn start() -> Result<Display> {
        let program = missing::program("Xvfb", "xvfb")?;
        // The server itself looks for a free number and reports it on its standard output once it listens. It must not
        // reset when the first client leaves, or a second program would meet a server in the middle of a restart.
        let mut server = Command::new(program)
            .args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start Xvfb")?;
        let mut line = String::new();
        if let Some(stdout) = server.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).context("cannot read the display number from Xvfb")?;
        }
        match line.trim().parse() {
            Ok(number) => Ok(Display { server, number }),
            Err(_) => {
                let _ = server.kill();
                let status = server.wait().context("cannot wait for Xvfb")?;
                anyhow::bail!("Xvfb found no free display ({status}); is /tmp/.X11-unix writable?")
            }
        }
    }

    /// The name for the environment variable `DISPLAY`.
    pub fn name(&self) -> String {
        format!(":{}", self.number)
    }

    /// Asks every top-level window to close, as a click on its close button would.
    ///
    /// Returns the number of windows that were asked.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub fn close_windows(&self) -> Result<usize> {
        let mut connection = Connection::open(self.number)?;
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
        let mut connection = Connection::open(self.number)?;
        let window = *connection.windows()?.first().context("there is no window")?;
        connection.image(window)
    }

    /// Presses a key, by its number on this server, in the first top-level window.
    ///
    /// # Errors
    /// As [`Display::picture`].
    pub fn press(&self, key: u8) -> Result<()> {
        let mut connection = Connection::open(self.number)?;
        let window = *connection.windows()?.first().context("there is no window")?;
        connection.press(window, key)?;
        connection.sync()
    }

    /// Waits until a top-level window is there; false when none came in time.
    ///
    /// # Errors
    /// When the server cannot be talked to.
    pub fn wait_for_window(&self, deadline: Duration) -> Result<bool> {
        let mut connection = Connection::open(self.number)?;
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
        crate::program::terminate(self.server.id());
        let _ = crate::program::wait(&mut self.server, Duration::from_secs(5));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
        let (status, timed_out) = crate::program::wait(&mut child, Duration::from_secs(60)).unwrap();
        assert!(status.success() && !timed_out, "{status}");
    }
}
