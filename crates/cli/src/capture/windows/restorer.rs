//! A process that puts folders back when the capture is killed: `reprise restore`.
//!
//! It is told each folder before anything changes there, and learns from the end of its standard input that the capture is gone. After
//! an orderly end there is nothing left to do.

use reprise_log::environment;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The process; dropped, it is told that all is well, and waited for.
#[derive(Debug)]
pub(crate) struct Restorer(Child);

impl Restorer {
    /// Starts it, for the capture whose rings lie in this folder.
    ///
    /// # Errors
    /// This program cannot be started a second time.
    pub(crate) fn start(rings: &Path) -> io::Result<Restorer> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("restore").arg("--session").arg(rings).envs(environment());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).env_remove("LD_PRELOAD");
        // SAFETY: `setsid` is a plain system call, allowed between fork and exec; it touches no memory.
        unsafe {
            command.pre_exec(|| if libc::setsid() < 0 { Err(io::Error::last_os_error()) } else { Ok(()) });
        }
        command.spawn().map(Restorer)
    }

    /// Names a folder that is to be put back, before it changes.
    pub(crate) fn tell(&mut self, folder: &Path) {
        if let Some(input) = &mut self.0.stdin {
            // One that is gone restores nothing: then the journal is all there is.
            let _ = input.write_all(&[folder.as_os_str().as_bytes(), b"\0"].concat());
        }
    }
}

impl Drop for Restorer {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
