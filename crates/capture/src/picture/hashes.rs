//! The file of frame hashes that a capture writes beside its trace.
//!
//! Invariant: the file has one line for each frame, in order, each written by one system call right after its present was
//! read: a killed program leaves all lines of the frames it presented. A frame that cannot be hashed is a comment saying why.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use reprise_environment::capture::FRAME_HASHES;
use reprise_trace::frame_hash::{FrameHash, FrameLine};

use crate::session::environment;

/// What a process has of it. A forked child has its own.
struct Hashes {
    process: u32,
    file: Option<File>,
    /// Frames presented so far.
    frames: u64,
}

/// This process's file, opened on the first call.
fn hashes() -> MutexGuard<'static, Option<Hashes>> {
    static HASHES: Mutex<Option<Hashes>> = Mutex::new(None);
    let mut hashes = HASHES.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if hashes.as_ref().is_none_or(|hashes| hashes.process != process) {
        *hashes = Some(Hashes { process, file: open(), frames: 0 });
    }
    hashes
}

fn open() -> Option<File> {
    let path = PathBuf::from(environment::get(FRAME_HASHES)?);
    let new = |path: &Path| OpenOptions::new().append(true).create_new(true).open(path);
    // Another process of the same capture has the name already: this one's file gets the process id.
    let opened = match new(&path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => new(&with_pid(&path)),
        opened => opened,
    };
    opened.inspect_err(|error| reprise_log::warning(format_args!("no frame hashes: {}: {error}", path.display()))).ok()
}

/// Whether frames are to be hashed.
pub(crate) fn wanted() -> bool {
    hashes().as_ref().is_some_and(|hashes| hashes.file.is_some())
}

/// `a/b.ext` to `a/b.PID.ext`.
fn with_pid(path: &Path) -> PathBuf {
    let pid = std::process::id().to_string();
    let mut extension = OsString::from(pid);
    if let Some(old) = path.extension() {
        extension.push(".");
        extension.push(old);
    }
    path.with_extension(extension)
}

/// Says in the trace that hashing changed what the program asked for. Once.
#[cfg(target_os = "linux")]
pub(crate) fn note_policy() {
    static NOTED: OnceLock<()> = OnceLock::new();
    NOTED.get_or_init(|| {
        let text = "{\"swap_chain_policy\":\"made with TRANSFER_SRC for frame hashes; each present waits for a copy\"}";
        crate::panics::protected((), || crate::session::record::fact(0, reprise_trace::fact::META, text.as_bytes()));
    });
}

/// The number of the frame that the present now under way makes, from 1.
pub(crate) fn next_frame() -> u64 {
    hashes().as_mut().map_or(0, |hashes| {
        hashes.frames += 1;
        hashes.frames
    })
}

/// Writes a frame's line.
pub(crate) fn write(frame: u64, hash: Result<FrameHash, String>) {
    let line = match hash {
        Ok(hash) => format!("{}\n", FrameLine { frame, hash }),
        Err(reason) => format!("# frame {frame} has no hash: {reason}\n"),
    };
    let mut hashes = hashes();
    let Some(file) = hashes.as_mut().and_then(|hashes| hashes.file.as_mut()) else { return };
    if let Err(error) = reprise_log::without_signals(|| file.write_all(line.as_bytes())) {
        static SAID: OnceLock<()> = OnceLock::new();
        SAID.get_or_init(|| reprise_log::warning(format_args!("frame {frame} and later have no hash: {error}")));
    }
}
