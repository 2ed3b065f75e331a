//! A process that takes away what a killed run has left: `reprise restore`.
//!
//! It is told each folder before anything changes there, and learns from the end of its standard input that the run is over. Then it
//! waits until no process of the run is left. After an orderly end there is little left to do.

use crate::launch::mark::Mark;
use reprise_log::environment;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The process; dropped, it is told that the run is over, and waited for.
#[derive(Debug)]
pub(crate) struct Restorer {
    child: Child,
    waits: bool,
}

impl Restorer {
    /// Starts it for the run whose processes have this mark. At the end it removes `doomed`, a file of the run or its folder. `None`, and
    /// a warning, where this program cannot be started a second time.
    pub(crate) fn start(mark: &Mark, doomed: &Path) -> Option<Restorer> {
        let started = Restorer::spawn(mark, doomed);
        let warn = |error: &io::Error| {
            reprise_log::warning(format_args!("if this process is killed, nobody takes back what it changed: {error}"));
        };
        started.inspect_err(warn).ok()
    }

    fn spawn(mark: &Mark, doomed: &Path) -> io::Result<Restorer> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("restore").arg("--session").arg(&mark.folder).args(["--variable", &mark.variable]);
        command.arg("--remove").arg(doomed).envs(environment());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).env_remove("LD_PRELOAD");
        // SAFETY: `setsid` is a plain system call, allowed between fork and exec; it touches no memory.
        unsafe {
            command.pre_exec(|| if libc::setsid() < 0 { Err(io::Error::last_os_error()) } else { Ok(()) });
        }
        command.spawn().map(|child| Restorer { child, waits: true })
    }

    /// Names a folder that is to be put back, before it changes.
    pub(crate) fn tell(&mut self, folder: &Path) {
        if let Some(input) = &mut self.child.stdin {
            // One that is gone restores nothing: then the journal is all there is.
            let _ = input.write_all(&[folder.as_os_str().as_bytes(), b"\0"].concat());
        }
    }

    /// It has to wait for processes that the program left: nobody waits for it then.
    pub(crate) fn outlives_us(mut self) {
        self.waits = false;
    }
}

impl Drop for Restorer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if self.waits {
            let _ = self.child.wait();
        }
    }
}
