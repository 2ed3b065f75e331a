//! What a trace has to show on a driver, as files of a folder: `shown.txt` has the hash of each frame and read-back, `frame_000001.png` is a
//! picture, where the metric needs pictures.

use crate::frame_picture;
use crate::suite::manifest::Golden;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::trial::reference::{Reference, Seen};
use anyhow::Context;
use std::collections::BTreeSet;
use std::path::Path;

const SHOWN: &str = "shown.txt";

/// What a golden's folder holds.
///
/// # Errors
/// The file is missing, or not as it was written.
pub(crate) fn read(suite: &Path, golden: &Golden) -> Result<Vec<Seen>, String> {
    let path = suite.join(&golden.folder).join(SHOWN);
    match Reference::read(&path) {
        Some(Reference::Kept { seen, .. }) => Ok(seen),
        _ => Err(format!("{} is missing, or not as it was written", path.display())),
    }
}

/// Writes a golden's folder anew; `pictures` is a folder with pictures under their names.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write(folder: &Path, seen: Vec<Seen>, pictures: Option<&Path>) -> Result<(), Failure> {
    let cannot = || folder.display().to_string();
    let frames: Vec<u64> = seen.iter().filter_map(Seen::picture).map(|(frame, _)| frame).collect();
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        for entry in std::fs::read_dir(folder)?.flatten() {
            // Pictures of what was golden before.
            if entry.file_name().to_string_lossy().starts_with("frame_") {
                std::fs::remove_file(entry.path())?;
            }
        }
        for (from, frame) in pictures.into_iter().flat_map(|from| frames.iter().map(move |frame| (from, *frame))) {
            std::fs::copy(frame_picture::path(from, frame), frame_picture::path(folder, frame))?;
        }
        Reference::Kept { seen, errors: BTreeSet::new() }.write(&folder.join(SHOWN))
    };
    write().with_context(cannot).or_exit(exit::FAILED)
}
