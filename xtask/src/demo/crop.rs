//! A close look at the frames that differ most: the pixels around the first difference, from both replays.

use super::difference::Differences;
use super::picture;
use crate::picture::Picture;
use anyhow::{Context, Result};
use std::path::Path;

/// Pixels to each side of the one in the middle.
const AROUND: u32 = 7;

/// The same few pixels of one frame, as PNG, from both replays.
pub(super) struct Crop {
    pub(super) frame: u64,
    pub(super) pixels: u64,
    pub(super) step: u64,
    pub(super) first: (u32, u32),
    pub(super) theirs: Vec<u8>,
    pub(super) ours: Vec<u8>,
    /// The first pixel that differs, in parts of the picture's width and height: its left, its top, its size.
    pub(super) mark: (f64, f64, f64),
}

/// The frames in which a pixel differs most, with the pictures that `verify --difference-dir` wrote to `folder`.
pub(super) fn largest(differences: &Differences, folder: &Path, most: usize) -> Result<Vec<Crop>> {
    let mut frames: Vec<_> = differences.each.iter().filter_map(|one| Some((one, one.pixels?))).collect();
    frames.sort_by_key(|(one, _)| (std::cmp::Reverse(one.step), one.frame));
    let crops = frames.into_iter().take(most).map(|(one, pixels)| {
        let read = |what: &str| {
            let path = folder.join(format!("frame_{:06}_{what}.png", one.frame));
            Picture::from_png(&picture::read(&path)?).with_context(|| path.display().to_string())
        };
        let (theirs, ours) = (read("against")?, read("runtime")?);
        let (x, y) = window(&theirs, one.first);
        let side = f64::from(2 * AROUND + 1);
        Ok(Crop {
            frame: one.frame,
            pixels,
            step: one.step,
            first: one.first,
            theirs: cut(&theirs, (x, y)).to_png()?,
            ours: cut(&ours, (x, y)).to_png()?,
            mark: (f64::from(one.first.0 - x) / side, f64::from(one.first.1 - y) / side, 1.0 / side),
        })
    });
    crops.collect()
}

/// The upper left corner of the pixels around `first` that lie in the picture.
fn window(picture: &Picture, (x, y): (u32, u32)) -> (u32, u32) {
    let side = 2 * AROUND + 1;
    let start = |at: u32, size: u32| at.saturating_sub(AROUND).min(size.saturating_sub(side));
    (start(x, picture.width), start(y, picture.height))
}

/// A square of pixels; smaller where the picture is.
fn cut(picture: &Picture, (x, y): (u32, u32)) -> Picture {
    let side = 2 * AROUND + 1;
    let (width, height) = (side.min(picture.width), side.min(picture.height));
    let row = |row: u32| {
        let start = ((y + row) * picture.width + x) as usize * 3;
        &picture.rgb[start..start + width as usize * 3]
    };
    Picture { width, height, rgb: (0..height).flat_map(row).copied().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_lies_in_the_picture() {
        let rgb = (0..40 * 20).flat_map(|index: u32| [(index % 40) as u8, (index / 40) as u8, 0]).collect();
        let picture = Picture { width: 40, height: 20, rgb };
        for (first, corner) in [((20, 10), (13, 3)), ((0, 0), (0, 0)), ((39, 19), (25, 5))] {
            assert_eq!(window(&picture, first), corner);
            let part = cut(&picture, corner);
            assert_eq!((part.width, part.height), (15, 15));
            assert_eq!(part.rgb[..2], [corner.0 as u8, corner.1 as u8]);
        }
        let small = Picture { width: 2, height: 1, rgb: vec![1, 2, 3, 4, 5, 6] };
        assert_eq!(cut(&small, window(&small, (1, 0))).rgb, small.rgb);
    }
}
