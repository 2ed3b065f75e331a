//! Which file a path leads to, under whatever name.

use std::path::Path;

/// Equal for two paths of one file.
#[cfg(unix)]
pub(crate) type Identity = (u64, u64);

/// The file that is there; `None` where there is none.
#[cfg(unix)]
pub(crate) fn of(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

/// Equal for two paths of one file, but for hard links.
#[cfg(windows)]
pub(crate) type Identity = std::path::PathBuf;

/// The file that is there; `None` where there is none.
#[cfg(windows)]
pub(crate) fn of(path: &Path) -> Option<Identity> {
    std::fs::canonicalize(path).ok()
}
