//! A presented picture on the CPU: its hash, its channels, its files.
//!
//! Invariant: rows are tightly packed, top first, in the format's own byte
//! order; the padding of readback buffers is left out.

pub(crate) mod bmp;
pub(crate) mod frame_ranges;
pub(crate) mod pixel_comparison;
pub(crate) mod png;
pub(crate) mod readback;
pub(crate) mod screen;
pub(crate) mod screenshot;

use std::path::Path;

use reprise_trace::frame_hash::{FrameHash, FrameHasher};

use crate::error::Error;
use crate::format::{self, Texel};
use png::Pixels;

/// Bytes a pixel of a format that can be presented.
pub(crate) fn pixel_bytes(format: u32) -> Option<u32> {
    format::presented(format).map(Texel::bytes)
}

/// The channels of one pixel, in steps; `None` for formats whose channels are no plain integers.
pub(crate) fn channels(format: u32, pixel: &[u8]) -> Option<[u32; 4]> {
    let texel = format::presented(format)?;
    let word = u32::from_le_bytes(*pixel.first_chunk()?);
    match texel {
        Texel::Rgba8 | Texel::Bgra8 | Texel::Bgrx8 => Some(word.to_le_bytes().map(u32::from)),
        Texel::Rgb10A2 => Some([word & 0x3ff, word >> 10 & 0x3ff, word >> 20 & 0x3ff, word >> 30]),
        _ => None,
    }
}

/// Whether each byte of a pixel is a channel.
pub(crate) fn has_byte_channels(format: u32) -> bool {
    matches!(format::presented(format), Some(Texel::Rgba8 | Texel::Bgra8 | Texel::Bgrx8))
}

/// Pixels as they were presented.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// `DXGI_FORMAT`.
    pub format: u32,
    /// Rows, top first, tightly packed.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// From rows that start every `pitch` bytes; an error where the bytes do not hold them.
    pub(crate) fn from_rows(
        (width, height, format): (u32, u32, u32),
        rows: &[u8],
        pitch: usize,
    ) -> Result<Self, String> {
        let pixel =
            pixel_bytes(format).ok_or_else(|| format!("pictures of DXGI format {format} cannot be read back yet"))?;
        let row_bytes = width as usize * pixel as usize;
        let mut bytes = Vec::with_capacity(row_bytes.min(rows.len()) * height as usize);
        for row in 0..height as usize {
            let start = row.saturating_mul(pitch);
            let row = rows.get(start..start.saturating_add(row_bytes));
            bytes.extend(row.ok_or("the readback buffer is smaller than the picture")?);
        }
        Ok(Self { width, height, format, bytes })
    }

    /// The part of so many pixels from the upper left corner.
    pub(crate) fn cut(mut self, (width, height): (u32, u32)) -> Self {
        let (width, height) = (width.min(self.width), height.min(self.height));
        if (width, height) == (self.width, self.height) {
            return self;
        }
        let row = self.row_bytes();
        let kept = row / (self.width.max(1) as usize) * width as usize;
        let rows = self.bytes.chunks_exact(row.max(1)).take(height as usize);
        self.bytes = rows.flat_map(|row| &row[..kept]).copied().collect();
        (self.width, self.height) = (width, height);
        self
    }

    fn row_bytes(&self) -> usize {
        self.bytes.len() / (self.height.max(1) as usize)
    }

    /// Its hash, as frame hash files have it.
    pub fn hash(&self) -> FrameHash {
        let mut hasher = FrameHasher::new(self.width, self.height, self.format);
        if self.row_bytes() > 0 {
            self.bytes.chunks_exact(self.row_bytes()).for_each(|row| hasher.row(row));
        }
        hasher.finish()
    }

    /// Red, green and blue of each pixel; `None` where the format does not have 8 bits for each.
    pub fn rgb8(&self) -> Option<Vec<[u8; 3]>> {
        let texel = format::presented(self.format)?;
        let pixels = self.bytes.as_chunks::<4>().0.iter();
        match texel {
            Texel::Rgba8 => Some(pixels.map(|&[r, g, b, _]| [r, g, b]).collect()),
            Texel::Bgra8 | Texel::Bgrx8 => Some(pixels.map(|&[b, g, r, _]| [r, g, b]).collect()),
            _ => None,
        }
    }

    /// Writes the pixels as stored: no colour conversion, alpha kept where the format has it.
    ///
    /// # Errors
    /// The format has no PNG, or the file cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<(), Error> {
        let fail = |reason: String| Error::Output { path: path.to_owned(), reason };
        let pixels = format::presented(self.format).and_then(|texel| Pixels::of(texel, &self.bytes));
        let pixels = pixels.ok_or_else(|| {
            let name = format::known(self.format).map_or("unknown", |format| format.name);
            fail(format!("no PNG can hold pixels of DXGI format {} ({name}) as stored", self.format))
        })?;
        pixels.write(path, (self.width, self.height)).map_err(fail)
    }

    /// A picture of this format that [`Picture::write_png`] wrote. Of a format with a byte that has no meaning, that byte is 255.
    ///
    /// # Errors
    /// The file cannot be read, or is no picture of this format.
    pub fn read_png(path: &Path, format: u32) -> Result<Picture, Error> {
        let fail = |reason: String| Error::Picture { path: path.to_owned(), reason };
        let texel = format::presented(format).ok_or_else(|| fail(format!("no picture has DXGI format {format}")))?;
        match png::read(path, texel).map_err(fail)? {
            Some((width, height, bytes)) => Ok(Picture { width, height, format, bytes }),
            None => Err(fail(format!("this is no picture of DXGI format {format}"))),
        }
    }

    /// Writes where it differs from `other`, a picture of the same shape: magenta on a dim grey of this one.
    ///
    /// # Errors
    /// As [`Picture::write_png`].
    pub fn write_difference(&self, other: &Picture, path: &Path) -> Result<(), Error> {
        const UNLIKE: [u8; 3] = [255, 0, 255];
        let size = pixel_bytes(self.format).unwrap_or(1).max(1) as usize;
        let ten = format::presented(self.format) == Some(Texel::Rgb10A2);
        let pairs = self.bytes.chunks_exact(size).zip(other.bytes.chunks_exact(size));
        let pixels: Vec<u8> = pairs
            .flat_map(|(a, b)| match channels(self.format, a) {
                _ if a != b => UNLIKE,
                // Dim enough that nothing in it counts as a difference; the order of the channels does not matter.
                Some([x, y, z, _]) => [((x + y + z) / if ten { 24 } else { 6 }) as u8; 3],
                None => [32; 3],
            })
            .collect();
        Pixels::rgb(pixels)
            .write(path, (self.width, self.height))
            .map_err(|reason| Error::Output { path: path.to_owned(), reason })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_left_behind() {
        let mut rows = vec![0xee; 256 + 8];
        rows[..8].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
        rows[256..].copy_from_slice(&[9, 10, 11, 12, 13, 14, 15, 16]);
        let picture = Picture::from_rows((2, 2, 87), &rows, 256).unwrap();
        assert_eq!(picture.bytes, (1..=16).collect::<Vec<u8>>());
        let expected = reprise_trace::frame_hash::hash_rows((2, 2, 87), &rows, 256, 8).unwrap();
        assert_eq!(picture.hash(), expected);
        assert!(Picture::from_rows((2, 3, 87), &rows, 256).is_err());
        assert!(Picture::from_rows((2, 2, 71), &rows, 256).is_err(), "block compression is not presentable");
    }

    #[test]
    fn the_upper_left_corner_is_cut_out() {
        let picture = Picture { width: 3, height: 2, format: 28, bytes: (0..24).collect() };
        let cut = picture.clone().cut((2, 1));
        assert_eq!((cut.width, cut.height, cut.bytes), (2, 1, (0..8).collect()));
        let lower = picture.clone().cut((1, 2));
        assert_eq!(lower.bytes, [0, 1, 2, 3, 12, 13, 14, 15]);
        assert_eq!(picture.clone().cut((9, 9)), picture);
    }

    #[test]
    fn channels_are_in_the_order_of_a_png() {
        let picture = Picture { width: 1, height: 1, format: 87, bytes: vec![1, 2, 3, 4] };
        let path = std::env::temp_dir().join(format!("reprise-picture-{}.png", std::process::id()));
        picture.write_png(&path).unwrap();
        let decoder = ::png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; 4];
        reader.next_frame(&mut pixels).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(pixels, [3, 2, 1, 4]);
        assert_eq!(picture.rgb8(), Some(vec![[3, 2, 1]]));
        assert_eq!(Picture { format: 28, ..picture }.rgb8(), Some(vec![[1, 2, 3]]));
    }
}
