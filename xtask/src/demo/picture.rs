//! The frames of three runs as pictures: raw dumps of the capture library, PNG files of the replays.

use super::run::Run;
use crate::picture::Picture;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// One frame of all three runs, each as a PNG.
pub(super) struct Row {
    pub(super) frame: u64,
    pub(super) captured: Vec<u8>,
    /// Replayed on the library of the capture.
    pub(super) theirs: Replayed,
    /// Replayed on our runtime.
    pub(super) ours: Replayed,
}

/// A frame of a replay.
pub(super) struct Replayed {
    pub(super) png: Vec<u8>,
    /// Pixels that are not as captured.
    pub(super) different: usize,
}

/// The rows of the asked frames that the capture has.
pub(super) fn rows(run: &Run<'_>, frames: &[u64]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for &frame in frames {
        let dump = run.captured.pictures.join(format!("frame_{frame:06}.pam"));
        if !dump.exists() {
            continue; // The program ended before this frame.
        }
        let captured = Picture::from_pam(&read(&dump)?).with_context(|| dump.display().to_string())?;
        let replayed = |folder: &Path| -> Result<Replayed> {
            let path = folder.join(format!("frame_{frame:06}.png"));
            let png = read(&path)?;
            let picture = Picture::from_png(&png).with_context(|| path.display().to_string())?;
            let different = captured.different(&picture).context("a replayed frame has another size")?;
            Ok(Replayed { png, different })
        };
        let (theirs, ours) = (replayed(&run.theirs.pictures)?, replayed(&run.ours.pictures)?);
        let captured = captured.to_png()?;
        std::fs::write(dump.with_extension("png"), &captured).context("cannot write a picture")?;
        std::fs::remove_file(&dump).context("cannot remove a dump")?;
        rows.push(Row { frame, captured, theirs, ours });
    }
    ensure!(!rows.is_empty(), "none of the frames {frames:?} was captured");
    Ok(rows)
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
