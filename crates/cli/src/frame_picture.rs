//! Pictures of frames as files of a folder: `frame_000001.png` and so on.

use reprise_replay::Picture;
use std::path::{Path, PathBuf};

/// The file of a frame.
pub(crate) fn path(folder: &Path, frame: u64) -> PathBuf {
    folder.join(format!("frame_{frame:06}.png"))
}

/// The picture of a frame.
///
/// # Errors
/// There is none, or it cannot be read.
pub(crate) fn read(folder: &Path, frame: u64, format: u32) -> Result<Picture, String> {
    Picture::read_png(&path(folder, frame), format).map_err(|error| error.to_string())
}
