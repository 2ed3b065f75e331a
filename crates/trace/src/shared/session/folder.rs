//! The folder of a session: its place and the names of its files.

use std::io;
use std::path::{Path, PathBuf};

use crate::os::{self, Fresh, Mapping};
use crate::shared::page::FILE_BYTES;
use crate::shared::ring::CONTROL;
use crate::shared::session::error::SessionError;

/// Name of the control page's file within the folder.
pub const FILE: &str = "session";
/// Its name while it is being made.
pub(super) const MAKING: &str = "session.new";

/// Makes a file of a session: allocated whole, and mapped.
pub(super) fn create_mapping(path: &Path, bytes: usize) -> Result<Fresh, SessionError> {
    Mapping::create(path, bytes).map_err(|source| match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            SessionError::NoRoom { path: path.into(), needed: bytes as u64 }
        }
        _ => SessionError::Io { path: path.into(), what: "make and map the file", source },
    })
}

/// The name of a session's folder while process `pid` removes it.
pub fn doomed(folder: &Path, pid: u32) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(format!(".{pid}"));
    name.into()
}

/// The folder of a session whose trace is `output`: `OUTPUT.rings` beside it.
pub fn folder_beside(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".rings");
    name.into()
}

/// Picks the folder for a session: beside the output if the file system there maps files shared and has room for
/// `threads` rings of `ring_capacity` bytes, else in shared memory under the same conditions.
///
/// The place is tried with a real file; nothing is left behind but the empty folder.
///
/// # Errors
/// Neither place will do; the error is that of the first one.
pub fn pick_folder(output: &Path, ring_capacity: usize, threads: usize) -> Result<PathBuf, SessionError> {
    let needed = FILE_BYTES as u64 + threads as u64 * (ring_capacity + CONTROL) as u64;
    let beside = folder_beside(output);
    let first = match try_folder(&beside, needed) {
        Ok(()) => return Ok(beside),
        Err(error) => error,
    };
    let shared = Path::new("/dev/shm");
    if shared.is_dir() {
        let name = beside.file_name().unwrap_or("reprise.rings".as_ref());
        let folder = shared.join(format!("reprise-{}-{}", std::process::id(), name.to_string_lossy()));
        if try_folder(&folder, needed).is_ok() {
            return Ok(folder);
        }
    }
    Err(first)
}

fn try_folder(folder: &Path, needed: u64) -> Result<(), SessionError> {
    let existed = folder.is_dir();
    let attempt = || {
        std::fs::create_dir_all(folder).map_err(|source| SessionError::Io {
            path: folder.into(),
            what: "make the folder",
            source,
        })?;
        if os::free_space(folder).is_some_and(|free| free < needed) {
            return Err(SessionError::NoRoom { path: folder.into(), needed });
        }
        let probe = folder.join(MAKING);
        drop(create_mapping(&probe, CONTROL)?);
        std::fs::remove_file(&probe).map_err(|source| SessionError::Io {
            path: probe,
            what: "remove the probe",
            source,
        })
    };
    attempt().inspect_err(|_| {
        if !existed {
            // The error that matters is the attempt's.
            let _ = std::fs::remove_dir(folder);
        }
    })
}
