//! Linux has files without a name, which get one when they are whole.

use super::folder;
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// A file without a name in a folder; `None` where there are no such files.
pub(super) fn unnamed(folder: &Path) -> io::Result<Option<File>> {
    match OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(folder) {
        Ok(file) => Ok(Some(file)),
        // The ways in which file systems, and kernels, say that they have no such files.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What this process has open, where the path names it (`/dev/stdout`): also where that is an ordinary file, which whoever
/// opened it goes on writing to.
pub(super) fn open_already(path: &Path) -> Option<io::Result<File>> {
    let path = fs::read_link(path).ok().filter(|to| to.starts_with("/proc")).unwrap_or_else(|| path.to_owned());
    let folder = fs::canonicalize(folder(&path)).ok()?;
    let number: i32 = path.file_name()?.to_str()?.parse().ok()?;
    if folder != fs::canonicalize("/proc/self/fd").ok()? {
        return None;
    }
    // SAFETY: there is no memory in these arguments.
    let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0) };
    // SAFETY: the copy is open, and nobody else's.
    Some(if copy < 0 { Err(io::Error::last_os_error()) } else { Ok(unsafe { File::from_raw_fd(copy) }) })
}

/// Gives a file without a name one.
pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
    let own = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let name = CString::new(name.as_os_str().as_bytes())?;
    // SAFETY: both are strings, alive during the call.
    let linked =
        unsafe { libc::linkat(libc::AT_FDCWD, own.as_ptr(), libc::AT_FDCWD, name.as_ptr(), libc::AT_SYMLINK_FOLLOW) };
    if linked == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
