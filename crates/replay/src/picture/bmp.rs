//! Pictures as BMP files: 24 bits a pixel, rows bottom first, each padded to four bytes.

use std::io;
use std::path::Path;

use crate::picture::Picture;

/// File header and the oldest information header that every reader knows.
const HEADERS: u32 = 14 + 40;

/// Writes the colours as stored; alpha is left out.
///
/// # Errors
/// A channel has more bits than the file can hold, the picture is too large, or the file cannot be written.
pub(crate) fn write(picture: &Picture, path: &Path) -> Result<(), String> {
    let pixels = picture.bgr8().ok_or_else(|| {
        format!(
            "a BMP has 8 bits a channel, and DXGI format {} is not that; take --screenshot-format png",
            picture.format
        )
    })?;
    let bytes = encode((picture.width, picture.height), &pixels)
        .ok_or_else(|| format!("a picture of {}x{} pixels is too large for a BMP", picture.width, picture.height))?;
    std::fs::write(path, bytes).map_err(|error: io::Error| error.to_string())
}

/// `None` where a size does not fit.
fn encode((width, height): (u32, u32), pixels: &[[u8; 3]]) -> Option<Vec<u8>> {
    let row = width.checked_mul(3)?.checked_next_multiple_of(4)?;
    let image = row.checked_mul(height)?;
    let file = image.checked_add(HEADERS)?;
    // The format's sizes are signed.
    let (signed_width, signed_height) = (i32::try_from(width).ok()?, i32::try_from(height).ok()?);
    let mut bytes = Vec::with_capacity(file as usize);
    bytes.extend(b"BM");
    [file, 0, HEADERS, 40].into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    [signed_width, signed_height].into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    // One plane, 24 bits; then: not compressed, the size of the image, resolution and palette unspecified.
    [1u16, 24].into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    [0, image, 0, 0, 0, 0].into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    for pixels in pixels.chunks_exact(width.max(1) as usize).rev() {
        let start = bytes.len();
        pixels.iter().for_each(|pixel| bytes.extend(pixel));
        bytes.resize(start + row as usize, 0);
    }
    Some(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_padded_and_the_last_comes_first() {
        let bytes = encode((1, 2), &[[1, 2, 3], [4, 5, 6]]).unwrap();
        let word = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().unwrap());
        assert_eq!((&bytes[..2], word(2), word(10), word(14)), (&b"BM"[..], 62, 54, 40));
        assert_eq!((word(18), word(22), word(26), word(30), word(34)), (1, 2, 1 | 24 << 16, 0, 8));
        assert_eq!(bytes[54..], [4, 5, 6, 0, 1, 2, 3, 0]);
        assert!(encode((u32::MAX, 1), &[]).is_none());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let picture = Picture { width: 1, height: 1, format: 24, bytes: vec![0; 4] };
        let error = write(&picture, Path::new("never-written.bmp")).unwrap_err();
        assert!(error.contains("--screenshot-format png"), "{error}");
    }
}
