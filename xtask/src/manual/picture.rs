//! A picture that a chapter shows, beside the one that its commands made.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// How far pixels may be apart, in the mean over all channels, of 255: programs that move by the clock move otherwise each time.
const PIXELS: f64 = 8.0;
/// How far the mean of each channel may be: what moves keeps its colours.
const CHANNELS: f64 = 1.0;

/// Compares the picture that was made with the one that is kept; with `take` replaces that.
///
/// # Errors
/// The picture was not made, or is another one.
pub(super) fn compare(made: &Path, kept: &Path, take: bool) -> Result<()> {
    ensure!(made.is_file(), "it shows {}, which its commands do not make", kept.display());
    if take {
        if let Some(folder) = kept.parent() {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        fs::copy(made, kept).with_context(|| kept.display().to_string())?;
        return Ok(());
    }
    let (new, old) = (read(made)?, read(kept)?);
    let same = new.size == old.size && new.channels == old.channels;
    ensure!(same, "{} is of {:?} pixels, and the one that was made of {:?}", kept.display(), old.size, new.size);
    let sum: f64 = new.bytes.iter().zip(&old.bytes).map(|(new, old)| f64::from(new.abs_diff(*old))).sum();
    let mean = sum / new.bytes.len().max(1) as f64;
    let channels = new.means().into_iter().zip(old.means()).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
    ensure!(
        mean <= PIXELS && channels <= CHANNELS,
        "{} differs from the one that was made, by {mean:.1} of 255 in the mean, and by {channels:.1} in the mean of a channel",
        kept.display()
    );
    Ok(())
}

struct Pixels {
    size: (u32, u32),
    channels: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// The mean of each channel.
    fn means(&self) -> Vec<f64> {
        let texels = (self.bytes.len() / self.channels).max(1) as f64;
        let sum =
            |channel| self.bytes.iter().skip(channel).step_by(self.channels).map(|byte| f64::from(*byte)).sum::<f64>();
        (0..self.channels).map(|channel| sum(channel) / texels).collect()
    }
}

fn read(path: &Path) -> Result<Pixels> {
    let file = fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().with_context(|| path.display().to_string())?;
    let size = reader.output_buffer_size().with_context(|| format!("{} is too large", path.display()))?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).with_context(|| path.display().to_string())?;
    bytes.truncate(frame.buffer_size());
    Ok(Pixels { size: (frame.width, frame.height), channels: frame.color_type.samples(), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, width: u32, value: u8) -> Result<()> {
        let mut encoder = png::Encoder::new(fs::File::create(path)?, width, 2);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&vec![value; width as usize * 6])?;
        Ok(())
    }

    #[test]
    fn another_picture_is_seen() -> Result<()> {
        let place = tempfile::tempdir()?;
        let (made, kept) = (place.path().join("made.png"), place.path().join("pictures/kept.png"));
        assert!(compare(&made, &kept, false).is_err());
        write(&made, 4, 100)?;
        assert!(compare(&made, &kept, false).is_err());
        compare(&made, &kept, true)?;
        write(&made, 4, 101)?;
        compare(&made, &kept, false)?;
        write(&made, 4, 110)?;
        assert!(compare(&made, &kept, false).is_err());
        write(&made, 5, 100)?;
        assert!(compare(&made, &kept, false).is_err());
        Ok(())
    }
}
