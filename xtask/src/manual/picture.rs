//! A picture that a chapter shows, beside the one that its commands made.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;

/// How far pictures may be apart, in the mean over all channels, of 255: drivers round otherwise.
const MEAN: f64 = 2.0;

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
    ensure!(new.0 == old.0, "{} is of {:?} pixels, and the one that was made of {:?}", kept.display(), old.0, new.0);
    let sum: f64 = new.1.iter().zip(&old.1).map(|(new, old)| f64::from(new.abs_diff(*old))).sum();
    let mean = sum / new.1.len().max(1) as f64;
    ensure!(mean <= MEAN, "{} differs from the one that was made, by {mean:.1} of 255 in the mean", kept.display());
    Ok(())
}

/// Width and height, and the bytes of all pixels.
fn read(path: &Path) -> Result<((u32, u32), Vec<u8>)> {
    let file = fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut decoder = png::Decoder::new(std::io::BufReader::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().with_context(|| path.display().to_string())?;
    let size = reader.output_buffer_size().with_context(|| format!("{} is too large", path.display()))?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).with_context(|| path.display().to_string())?;
    bytes.truncate(frame.buffer_size());
    Ok(((frame.width, frame.height), bytes))
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
