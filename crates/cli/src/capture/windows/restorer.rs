//! A process that puts folders back when the capture is killed: `reprise restore`.
//!
//! It learns from the end of its standard input that the capture is gone. After an orderly end there is nothing left to do.

use reprise_log::environment;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The process; dropped, it is told that all is well, and waited for.
#[derive(Debug)]
pub(crate) struct Restorer(Child);

impl Restorer {
    /// Starts it for these folders.
    ///
    /// # Errors
    /// This program cannot be started a second time.
    pub(crate) fn start<'a>(rings: &Path, folders: impl Iterator<Item = &'a Path>) -> io::Result<Restorer> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("restore").arg("--session").arg(rings).args(folders).envs(environment());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).env_remove("LD_PRELOAD");
        // SAFETY: `setsid` is a plain system call, allowed between fork and exec; it touches no memory.
        unsafe {
            command.pre_exec(|| if libc::setsid() < 0 { Err(io::Error::last_os_error()) } else { Ok(()) });
        }
        command.spawn().map(Restorer)
    }
}

impl Drop for Restorer {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
