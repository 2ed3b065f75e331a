//! Pictures as BMP files: 24 bits a pixel, alpha left out. The crate `image` writes them; only this module names it.

use std::io::Write;
use std::path::Path;

use image::ExtendedColorType;
use image::codecs::bmp::BmpEncoder;

use super::Picture;

/// The largest width and height that a file can state, in pixels: the format's sizes are signed.
const LARGEST: u32 = i32::MAX as u32;

/// Writes the colours as stored.
///
/// # Errors
/// A channel has more bits than the file can hold, the picture is too large, or the file cannot be written.
pub(crate) fn write(picture: &Picture, path: &Path) -> Result<(), String> {
    let file = encode(picture)?;
    std::fs::File::create(path).and_then(|mut out| out.write_all(&file)).map_err(|error| error.to_string())
}

fn encode(picture: &Picture) -> Result<Vec<u8>, String> {
    let (width, height) = (picture.width, picture.height);
    let pixels = picture.rgb8().ok_or_else(|| {
        let format = picture.format;
        format!("a BMP has 8 bits a channel, and DXGI format {format} is not that; take --screenshot-format png")
    })?;
    // The encoder panics where the number of pixels is not the stated one.
    let fits = width <= LARGEST && height <= LARGEST && pixels.len() as u64 == u64::from(width) * u64::from(height);
    let mut file = Vec::new();
    let written =
        fits.then(|| BmpEncoder::new(&mut file).encode(pixels.as_flattened(), width, height, ExtendedColorType::Rgb8));
    match written {
        Some(Ok(())) => Ok(file),
        Some(Err(error)) => Err(error.to_string()),
        None => Err(format!("a picture of {width}x{height} pixels is too large for a BMP")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_padded_and_the_last_comes_first() {
        let picture = Picture { width: 1, height: 2, format: 87, bytes: vec![1, 2, 3, 0xee, 4, 5, 6, 0xee] };
        let bytes = encode(&picture).unwrap();
        let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        assert_eq!((&bytes[..2], word(2), word(10), word(14)), (&b"BM"[..], 62, 54, 40));
        assert_eq!((word(18), word(22), word(26), word(30), word(34)), (1, 2, 1 | 24 << 16, 0, 8));
        assert_eq!(bytes[54..], [4, 5, 6, 0, 1, 2, 3, 0]);
        assert!(encode(&Picture { width: u32::MAX, ..picture }).is_err());
    }

    #[test]
    fn formats_with_more_bits_are_refused() {
        let picture = Picture { width: 1, height: 1, format: 24, bytes: vec![0; 4] };
        let error = write(&picture, Path::new("never-written.bmp")).unwrap_err();
        assert!(error.contains("--screenshot-format png"), "{error}");
    }
}
