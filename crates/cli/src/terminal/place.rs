//! Where files are that options name.

use crate::terminal::exit::{self, Failure};
use std::collections::HashSet;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A path from the root, without `..`: programs under Wine get paths in the form that names files of Linux, in which Wine does not
/// resolve it.
///
/// # Errors
/// The path is empty, or there is no current folder.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    if path.components().any(|part| part == Component::ParentDir)
        && let (Some(folder), Some(name)) = (path.parent(), path.file_name())
        && let Ok(folder) = folder.canonicalize()
    {
        return Ok(folder.join(name));
    }
    Ok(path)
}

/// Refuses `-` as the name of a file to write. Some commands take it for standard output; those that call this cannot write there.
///
/// # Errors
/// A usage failure when it is that.
pub(crate) fn named(output: &Path) -> Result<(), Failure> {
    match output.as_os_str() == "-" {
        true => Err(Failure::message(
            exit::USAGE,
            "-: this is not written to standard output: name a file (./- where it is to have that name)",
        )),
        false => Ok(()),
    }
}

/// Refuses as a trace to write what is there and is no file: a folder, a device.
///
/// # Errors
/// A usage failure when it is that.
pub(crate) fn other_than_file(output: &Path) -> Result<(), Failure> {
    match std::fs::metadata(output) {
        Ok(there) if !there.is_file() => {
            let message = format!("{} is no file: a trace cannot take its place", output.display());
            Err(Failure::message(exit::USAGE, message))
        }
        _ => Ok(()),
    }
}

/// Refuses to replace a file, unless `force` allows it. Devices and pipes are no files, and are not refused.
///
/// # Errors
/// A usage failure when it is there.
pub(crate) fn free(output: &Path, force: bool) -> Result<(), Failure> {
    if force || !std::fs::metadata(output).is_ok_and(|there| there.is_file()) {
        return Ok(());
    }
    let message = format!("{} exists: name another file, or replace it with --force", output.display());
    Err(Failure::message(exit::USAGE, message))
}

/// Refuses a file to write that is among those of before; then it is one of them. A device takes what several write to it.
///
/// # Errors
/// A usage failure when it is.
pub(crate) fn apart(names: &mut HashSet<PathBuf>, file: &Path) -> Result<(), Failure> {
    let takes_all = std::fs::metadata(file).is_ok_and(|there| !there.is_file());
    // Links are followed as far as there is something.
    let name = file.canonicalize().or_else(|_| absolute(file)).unwrap_or_else(|_| file.to_owned());
    if takes_all || names.insert(name) {
        return Ok(());
    }
    let message = format!("{} is named for two files to write: one would replace the other", file.display());
    Err(Failure::message(exit::USAGE, message))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_resolved_through_links() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/inner")).unwrap();
        std::os::unix::fs::symlink(root.join("real/inner"), root.join("link")).unwrap();
        assert_eq!(absolute(&root.join("link/../x")).unwrap(), root.join("real/x"));
        assert_eq!(
            absolute(&root.join("link/x")).unwrap(),
            root.join("link/x"),
            "what needs no resolving stays as it is named"
        );
        assert_eq!(absolute(&root.join("nowhere/../x")).unwrap(), root.join("nowhere/../x"));
    }
}
