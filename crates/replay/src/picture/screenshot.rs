//! Screenshots: which frames become files, of what size and kind, and their names.
//!
//! Invariant: a file holds pixels of the frame as they were presented; scaling picks single pixels and never mixes two.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::error::Error;
use crate::picture::Picture;
use crate::picture::bmp;
use crate::picture::frame_ranges::FrameRanges;

/// Frames to write as files.
#[derive(Clone, PartialEq, Debug)]
pub struct Screenshots {
    /// Frames count from 1.
    pub frames: FrameRanges,
    /// Of each range the first frame and every so many-th after it; 0 as 1.
    pub interval: u64,
    /// Folder, made if absent.
    pub dir: PathBuf,
    /// The beginning of the names: `frame_000012.png` for `frame_`.
    pub prefix: String,
    /// Of the files.
    pub format: ScreenshotFormat,
    /// Of the pictures in them.
    pub size: ScreenshotSize,
}

/// Kind of file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ScreenshotFormat {
    /// Every channel as stored, 16 bits a channel where it has more than 8.
    #[default]
    Png,
    /// 24 bits a pixel: alpha is left out, and formats with more than 8 bits a channel are refused.
    Bmp,
}

/// Size of a picture in a file. Scaling takes the pixel under the centre of each new one.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum ScreenshotSize {
    /// As presented.
    #[default]
    Presented,
    /// So many times as wide and as high, rounded, one pixel at least; a negative factor mirrors.
    Scale(f64, f64),
    /// In pixels.
    Pixels(u32, u32),
}

/// A larger side than Direct3D's textures have.
const LARGEST: u32 = 16384;

impl Default for Screenshots {
    fn default() -> Self {
        Self {
            frames: FrameRanges::default(),
            interval: 1,
            dir: PathBuf::from("."),
            prefix: "frame_".into(),
            format: ScreenshotFormat::default(),
            size: ScreenshotSize::default(),
        }
    }
}

impl Screenshots {
    /// Whether `frame` becomes a file.
    pub fn wants(&self, frame: u64) -> bool {
        self.frames.contains_every(frame, self.interval)
    }

    /// Name of a frame's file.
    pub(crate) fn path(&self, frame: u64) -> PathBuf {
        let extension = match self.format {
            ScreenshotFormat::Png => "png",
            ScreenshotFormat::Bmp => "bmp",
        };
        self.dir.join(format!("{}{frame:06}.{extension}", self.prefix))
    }

    /// Writes the picture of `frame`.
    ///
    /// # Errors
    /// The size is out of bounds, the format cannot hold the pixels, or the file cannot be written.
    pub(crate) fn write(&self, frame: u64, picture: &Picture) -> Result<(), Error> {
        let path = self.path(frame);
        let fail = |reason: String| Error::Output { path: path.clone(), reason };
        std::fs::create_dir_all(&self.dir)
            .map_err(|error| Error::Output { path: self.dir.clone(), reason: error.to_string() })?;
        let scaled = self.size.of(picture).map_err(fail)?;
        let picture = scaled.as_ref().unwrap_or(picture);
        match self.format {
            ScreenshotFormat::Png => picture.write_png(&path),
            ScreenshotFormat::Bmp => bmp::write(picture, &path).map_err(fail),
        }
    }
}

impl ScreenshotSize {
    /// The picture at this size; `None` where it is the picture itself.
    fn of(self, picture: &Picture) -> Result<Option<Picture>, String> {
        let factor = |side: u32, factor: f64| (f64::from(side) * factor.abs()).round().max(1.0);
        let (width, height, mirrored) = match self {
            Self::Presented => return Ok(None),
            Self::Pixels(width, height) => (f64::from(width), f64::from(height), (false, false)),
            Self::Scale(x, y) => {
                (factor(picture.width, x), factor(picture.height, y), (x.is_sign_negative(), y.is_sign_negative()))
            }
        };
        // Written so that NaN is out of bounds, too.
        if !(width <= f64::from(LARGEST) && height <= f64::from(LARGEST)) {
            return Err(format!("a picture of {width}x{height} pixels; no side may have more than {LARGEST}"));
        }
        picture.scaled((width as u32, height as u32), mirrored).map(Some)
    }
}

impl Picture {
    /// As large as `size`: each pixel is the one under its centre, mirrored horizontally and vertically where asked for.
    fn scaled(&self, size: (u32, u32), mirrored: (bool, bool)) -> Result<Picture, String> {
        let (width, height) = size;
        let row_bytes = self.bytes.len() / (self.height.max(1) as usize);
        let pixel = row_bytes / (self.width.max(1) as usize);
        if pixel == 0 {
            return Err("a picture without pixels cannot be scaled".into());
        }
        // The centre of pixel n of `to` lies at (n + 1/2) / to; in whole numbers.
        let places = |from: u32, to: u32, mirrored: bool| -> Vec<usize> {
            let place = |at: u32| (u64::from(from) * (2 * u64::from(at) + 1) / (2 * u64::from(to))) as usize;
            (0..to).map(|at| place(if mirrored { to - 1 - at } else { at })).collect()
        };
        let columns = places(self.width, width, mirrored.0);
        let mut bytes = Vec::with_capacity(width as usize * height as usize * pixel);
        for row in places(self.height, height, mirrored.1) {
            let row = &self.bytes[row * row_bytes..(row + 1) * row_bytes];
            columns.iter().for_each(|&column| bytes.extend_from_slice(&row[column * pixel..(column + 1) * pixel]));
        }
        Ok(Picture { width, height, format: self.format, bytes })
    }
}

impl FromStr for ScreenshotFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "png" => Ok(Self::Png),
            "bmp" => Ok(Self::Bmp),
            _ => Err(format!("{text:?} is no format of screenshots: png or bmp")),
        }
    }
}

impl fmt::Display for ScreenshotFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Png => "png",
            Self::Bmp => "bmp",
        })
    }
}

impl ScreenshotSize {
    /// `0.5`, or `0.5,-1` for the two sides apart.
    ///
    /// # Errors
    /// The text is not that.
    pub fn from_scale(text: &str) -> Result<Self, String> {
        let factor = |word: &str| word.trim().parse().ok().filter(|&factor: &f64| factor.is_finite() && factor != 0.0);
        let pair = match text.split_once(',') {
            Some((x, y)) => factor(x).zip(factor(y)),
            None => factor(text).map(|both| (both, both)),
        };
        let (x, y) = pair.ok_or_else(|| format!("{text:?} is no scale: write it like 0.5 or 2,-1, but not 0"))?;
        Ok(Self::Scale(x, y))
    }

    /// `640x360`.
    ///
    /// # Errors
    /// The text is not that, or a side is out of bounds.
    pub fn from_pixels(text: &str) -> Result<Self, String> {
        let side = |word: &str| word.parse().ok().filter(|side| (1..=LARGEST).contains(side));
        let pair = text.split_once('x').and_then(|(width, height)| side(width).zip(side(height)));
        let (width, height) =
            pair.ok_or_else(|| format!("{text:?} is no size: write it like 640x360, no side above {LARGEST}"))?;
        Ok(Self::Pixels(width, height))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A picture whose pixels say where they are: x, y, 7, 9.
    fn picture(width: u32, height: u32) -> Picture {
        let bytes = (0..height).flat_map(|y| (0..width).flat_map(move |x| [x as u8, y as u8, 7, 9])).collect();
        Picture { width, height, format: 28, bytes }
    }

    /// Where pixels of a scaled picture came from.
    fn places(size: ScreenshotSize, of: (u32, u32)) -> (u32, u32, Vec<(u8, u8)>) {
        let scaled = size.of(&picture(of.0, of.1)).unwrap().unwrap();
        let pixels = scaled.bytes.as_chunks::<4>().0;
        assert!(pixels.iter().all(|pixel| pixel[2..] == [7, 9]));
        (scaled.width, scaled.height, pixels.iter().map(|pixel| (pixel[0], pixel[1])).collect())
    }

    #[test]
    fn scaling_takes_what_lies_under_the_centre() {
        for (of, to) in [((5, 3), (2, 2)), ((3, 2), (7, 5)), ((4, 4), (4, 4)), ((1, 1), (3, 1)), ((7, 9), (1, 1))] {
            // In the plane: a point in the middle of the new pixel, and the old pixel around it.
            let under = |at: u32, from: u32, to: u32| ((f64::from(at) + 0.5) / f64::from(to) * f64::from(from)) as u8;
            let expected = (0..to.1).flat_map(|y| (0..to.0).map(move |x| (under(x, of.0, to.0), under(y, of.1, to.1))));
            assert_eq!(places(ScreenshotSize::Pixels(to.0, to.1), of), (to.0, to.1, expected.collect()), "{of:?}");
        }
    }

    #[test]
    fn negative_factors_mirror() {
        let size = ScreenshotSize::from_scale("-1,1").unwrap();
        assert_eq!(places(size, (2, 2)), (2, 2, vec![(1, 0), (0, 0), (1, 1), (0, 1)]));
        let size = ScreenshotSize::from_scale("1,-0.5").unwrap();
        assert_eq!(places(size, (1, 4)), (1, 2, vec![(0, 3), (0, 1)]));
        // Nothing vanishes, and nothing grows without end.
        assert_eq!(places(ScreenshotSize::from_scale("0.001").unwrap(), (9, 9)), (1, 1, vec![(4, 4)]));
        assert!(ScreenshotSize::from_scale("1e300").unwrap().of(&picture(2, 2)).is_err());
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "0", "1,", "1,2,3", "nan", "inf", "a"] {
            assert!(ScreenshotSize::from_scale(text).is_err(), "{text}");
        }
        for text in ["", "5", "0x5", "5x", "5x16385", "-1x5", "5x5x5"] {
            assert!(ScreenshotSize::from_pixels(text).is_err(), "{text}");
        }
        assert!("jpg".parse::<ScreenshotFormat>().is_err());
    }

    #[test]
    fn files_sort_in_frame_order() {
        let dir = PathBuf::from("out");
        let png = Screenshots { dir, ..Screenshots::default() };
        assert_eq!(png.path(12), PathBuf::from("out/frame_000012.png"));
        let bmp = Screenshots { format: ScreenshotFormat::Bmp, prefix: "a".into(), ..png };
        assert_eq!(bmp.path(7), PathBuf::from("out/a000007.bmp"));
    }
}
