//! What a program really did, by a hook of our own that shares no code with the capture library: presents and waits, counted
//! in a file that both processes map.
//!
//! Invariant: a count is never behind what the trace can know, because the hook stands behind the capture library and counts
//! before it passes a call on.

use crate::missing::{self, Missing};
use crate::program;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SOURCE: &str = include_str!("hook/hook.c");

/// A hook, built, and the counts of the one program that runs with it.
#[derive(Debug)]
pub struct Hook {
    library: PathBuf,
    counts: PathBuf,
}

impl Hook {
    /// Builds the hook into a folder.
    ///
    /// # Errors
    /// [`Missing`] when there is no C compiler.
    ///
    /// # Panics
    /// When the folder cannot be written, or the compiler does not take the hook.
    pub fn build(folder: &Path) -> Result<Hook, Missing> {
        let compiler = missing::program("gcc", "gcc")?;
        let (source, library) = (folder.join("hook.c"), folder.join("hook.so"));
        std::fs::write(&source, SOURCE).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
        let mut command = Command::new(compiler);
        command.args(["-shared", "-fPIC", "-O1", "-Wall", "-o"]).arg(&library).arg(&source);
        let finished =
            program::run(&mut command, Duration::from_secs(120)).unwrap_or_else(|error| panic!("gcc: {error}"));
        assert!(finished.status.success(), "{}", finished.errors());
        Ok(Hook { library, counts: folder.join("counts") })
    }

    /// Where a program's environment must name the hook: `LD_PRELOAD`, after `before` (with a colon), and its file.
    pub fn environment(&self, before: Option<&Path>) -> [(&'static str, OsString); 2] {
        let mut preload = OsString::new();
        if let Some(before) = before {
            preload.push(before);
            preload.push(":");
        }
        preload.push(&self.library);
        [("LD_PRELOAD", preload), ("REPRISE_TESTING_HOOK", self.counts.clone().into_os_string())]
    }

    /// Calls of `vkQueuePresentKHR` so far.
    pub fn presents(&self) -> u64 {
        self.count(0)
    }

    /// Calls of `vkd3d_wait_event` so far. Programs make them only when the GPU is behind.
    pub fn waits(&self) -> u64 {
        self.count(1)
    }

    /// Waits until so many frames were presented, and says whether they were before the time was over.
    pub fn wait_for_presents(&self, presents: u64, patience: Duration) -> bool {
        let started = Instant::now();
        while self.presents() < presents {
            if started.elapsed() > patience {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    /// A program that has not begun has counted nothing.
    fn count(&self, index: usize) -> u64 {
        let bytes = std::fs::read(&self.counts).unwrap_or_default();
        let word = bytes.chunks_exact(8).nth(index).and_then(|word| word.try_into().ok());
        word.map_or(0, u64::from_le_bytes)
    }
}
