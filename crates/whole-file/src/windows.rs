//! Windows has no files without a name, and no paths of open files.

use std::fs::File;
use std::io;
use std::path::Path;

pub(super) fn unnamed(_folder: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

pub(super) fn open_already(_path: &Path) -> Option<io::Result<File>> {
    None
}

pub(super) fn link(_file: &File, _name: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
