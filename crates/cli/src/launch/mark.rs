//! How the processes of one run are known, whatever their parents: by a variable of their environment.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A variable, and a folder that no other run has as its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    pub(crate) variable: String,
    pub(crate) folder: PathBuf,
}

impl Mark {
    pub(crate) fn new(variable: &str, folder: &Path) -> Mark {
        Mark { variable: variable.to_owned(), folder: folder.to_owned() }
    }

    /// Whether an environment, as the system shows it, has the entry.
    pub(crate) fn is_in(&self, environment: &[u8]) -> bool {
        let entry = [self.variable.as_bytes(), b"=", self.folder.as_os_str().as_bytes()].concat();
        environment.split(|byte| *byte == 0).any(|one| one == entry)
    }
}
