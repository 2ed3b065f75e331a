//! How a program's end is told to its writer, which sees only that it is gone; and where a flight recorder keeps what it writes then.

use std::path::{Path, PathBuf};

/// The byte on the writer's standard input that says that the program ended well.
pub(crate) const ENDED_WELL: u8 = b'+';

/// The folder of a flight recorder's segments.
pub(crate) fn segments_beside(output: &Path) -> PathBuf {
    let mut folder = output.as_os_str().to_owned();
    folder.push(".flight");
    folder.into()
}
