//! What a trace has to show on a driver, as files of a folder: `shown.txt` has the hash of each frame and read-back, `frame_000001.png` is a
//! picture, where the metric needs pictures.

use crate::suite::manifest::Golden;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::trial::reference::{Reference, Seen};
use anyhow::Context;
use reprise_replay::Picture;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const SHOWN: &str = "shown.txt";

/// The picture of a frame in a folder.
pub(crate) fn picture(folder: &Path, frame: u64) -> PathBuf {
    folder.join(format!("frame_{frame:06}.png"))
}

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
            std::fs::copy(picture(from, frame), picture(folder, frame))?;
        }
        Reference::Kept { seen, errors: BTreeSet::new() }.write(&folder.join(SHOWN))
    };
    write().with_context(cannot).or_exit(exit::FAILED)
}

/// A golden picture.
///
/// # Errors
/// There is none, or it cannot be read.
pub(crate) fn load(folder: &Path, frame: u64, format: u32) -> Result<Picture, String> {
    let path = picture(folder, frame);
    Picture::read_png(&path, format).map_err(|error| error.to_string())
}
