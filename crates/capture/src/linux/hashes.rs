//! The file of frame hashes that a capture writes beside its trace.
//!
//! Invariant: the file has one line for each frame, in order, each written by one system call right after its present was
//! read: a killed program leaves all lines of the frames it presented. A frame that cannot be hashed is a comment saying why.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use reprise_trace::fact;
use reprise_trace::frame_hash::{FrameHash, FrameLine};

use crate::entry;

/// Environment: the file to write. Without it no frame is hashed.
const FILE: &str = "REPRISE_FRAME_HASHES";

/// Frames presented so far.
static FRAMES: AtomicU64 = AtomicU64::new(0);

/// Whether frames are to be hashed.
pub(super) fn wanted() -> bool {
    file().is_some()
}

fn file() -> Option<&'static Mutex<File>> {
    static OPENED: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    let open = || {
        let path = PathBuf::from(std::env::var_os(FILE).filter(|path| !path.is_empty())?);
        let new = |path: &Path| OpenOptions::new().append(true).create_new(true).open(path);
        // Another process of the same capture has the name already: this one's file gets the process id.
        let opened = match new(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => new(&with_pid(&path)),
            opened => opened,
        };
        match opened {
            Ok(file) => Some(Mutex::new(file)),
            Err(error) => {
                say(&format!("no frame hashes: {}: {error}", path.display()));
                None
            }
        }
    };
    OPENED.get_or_init(open).as_ref()
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
pub(super) fn note_policy() {
    static NOTED: OnceLock<()> = OnceLock::new();
    NOTED.get_or_init(|| {
        let text = "{\"swap_chain_policy\":\"made with TRANSFER_SRC for frame hashes; each present waits for a copy\"}";
        entry::fact(0, fact::META, text.as_bytes());
    });
}

/// The number of the frame that the present now under way makes, from 1.
pub(super) fn next_frame() -> u64 {
    FRAMES.fetch_add(1, Ordering::Relaxed) + 1
}

/// Writes a frame's line.
pub(super) fn write(frame: u64, hash: Result<FrameHash, String>) {
    let Some(file) = file() else { return };
    let line = match hash {
        Ok(hash) => format!("{}\n", FrameLine { frame, hash }),
        Err(reason) => format!("# frame {frame} has no hash: {reason}\n"),
    };
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = file.write_all(line.as_bytes()) {
        static SAID: OnceLock<()> = OnceLock::new();
        SAID.get_or_init(|| say(&format!("frame {frame} and later have no hash: {error}")));
    }
}

/// On the program's standard error. Whether anybody reads it is not the program's business.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "reprise: {text}");
}
