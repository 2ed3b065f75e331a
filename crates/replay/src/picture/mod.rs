//! A presented picture on the CPU: its hash, its channels, its PNG.
//!
//! Owns the table of formats that a swap chain can have. Invariant: rows are tightly packed, top first, in the format's own byte
//! order; the padding of readback buffers is left out.

pub(crate) mod bmp;
pub(crate) mod compare;
pub(crate) mod frame_ranges;
pub(crate) mod readback;
pub(crate) mod screen;
pub(crate) mod screenshot;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use reprise_trace::frame_hash::{FrameHash, FrameHasher};

use crate::error::Error;

/// How the bytes of one pixel become those of a PNG.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Png {
    Rgba,
    Bgra,
    /// The fourth byte has no meaning.
    Bgrx,
    /// Ten bits a channel, two of alpha: stored as 16 bits a channel.
    Rgb10A2,
    None,
}

/// `DXGI_FORMAT_R10G10B10A2_UNORM`.
const RGB10A2: u32 = 24;

/// Formats that a swap chain can have: number of the `DXGI_FORMAT`, bytes a pixel, name.
const FORMATS: [(u32, u32, Png, &str); 16] = [
    (2, 16, Png::None, "R32G32B32A32_FLOAT"),
    (9, 8, Png::None, "R16G16B16A16_TYPELESS"),
    (10, 8, Png::None, "R16G16B16A16_FLOAT"),
    (11, 8, Png::None, "R16G16B16A16_UNORM"),
    (RGB10A2, 4, Png::Rgb10A2, "R10G10B10A2_UNORM"),
    (26, 4, Png::None, "R11G11B10_FLOAT"),
    (27, 4, Png::Rgba, "R8G8B8A8_TYPELESS"),
    (28, 4, Png::Rgba, "R8G8B8A8_UNORM"),
    (29, 4, Png::Rgba, "R8G8B8A8_UNORM_SRGB"),
    (85, 2, Png::None, "B5G6R5_UNORM"),
    (86, 2, Png::None, "B5G5R5A1_UNORM"),
    (87, 4, Png::Bgra, "B8G8R8A8_UNORM"),
    (88, 4, Png::Bgrx, "B8G8R8X8_UNORM"),
    (90, 4, Png::Bgra, "B8G8R8A8_TYPELESS"),
    (91, 4, Png::Bgra, "B8G8R8A8_UNORM_SRGB"),
    (93, 4, Png::Bgrx, "B8G8R8X8_UNORM_SRGB"),
];

/// Bytes a pixel of a format that can be presented.
pub(crate) fn pixel_bytes(format: u32) -> Option<u32> {
    FORMATS.iter().find(|row| row.0 == format).map(|row| row.1)
}

/// The channels of one pixel, in steps; `None` for formats whose channels are no plain integers.
pub(crate) fn channels(format: u32, pixel: &[u8]) -> Option<[u32; 4]> {
    let kind = FORMATS.iter().find(|row| row.0 == format)?.2;
    let word = u32::from_le_bytes(*pixel.first_chunk()?);
    match kind {
        Png::Rgba | Png::Bgra | Png::Bgrx => Some(word.to_le_bytes().map(u32::from)),
        Png::Rgb10A2 => Some([word & 0x3ff, word >> 10 & 0x3ff, word >> 20 & 0x3ff, word >> 30]),
        Png::None => None,
    }
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
    pub(crate) fn rgb8(&self) -> Option<Vec<[u8; 3]>> {
        let kind = FORMATS.iter().find(|row| row.0 == self.format)?.2;
        let pixels = self.bytes.as_chunks::<4>().0.iter();
        match kind {
            Png::Rgba => Some(pixels.map(|&[r, g, b, _]| [r, g, b]).collect()),
            Png::Bgra | Png::Bgrx => Some(pixels.map(|&[b, g, r, _]| [r, g, b]).collect()),
            Png::Rgb10A2 | Png::None => None,
        }
    }

    /// Writes the pixels as stored: no colour conversion, alpha kept where the format has it.
    ///
    /// # Errors
    /// The format has no PNG, or the file cannot be written.
    pub fn write_png(&self, path: &Path) -> Result<(), Error> {
        let fail = |reason: String| Error::Output { path: path.to_owned(), reason };
        let kind = FORMATS.iter().find(|row| row.0 == self.format).map_or(Png::None, |row| row.2);
        let (color, depth) = match kind {
            Png::Rgba | Png::Bgra => (png::ColorType::Rgba, png::BitDepth::Eight),
            Png::Bgrx => (png::ColorType::Rgb, png::BitDepth::Eight),
            Png::Rgb10A2 => (png::ColorType::Rgba, png::BitDepth::Sixteen),
            Png::None => {
                let name = FORMATS.iter().find(|row| row.0 == self.format).map_or("unknown", |row| row.3);
                return Err(fail(format!("no PNG can hold pixels of DXGI format {} ({name}) as stored", self.format)));
            }
        };
        encode(path, (self.width, self.height), (color, depth), &png_bytes(kind, &self.bytes)).map_err(fail)
    }

    /// Writes where it differs from `other`, a picture of the same shape: magenta on a dim grey of this one.
    ///
    /// # Errors
    /// As [`Picture::write_png`].
    pub fn write_difference(&self, other: &Picture, path: &Path) -> Result<(), Error> {
        const UNLIKE: [u8; 3] = [255, 0, 255];
        let size = pixel_bytes(self.format).unwrap_or(1).max(1) as usize;
        let pairs = self.bytes.chunks_exact(size).zip(other.bytes.chunks_exact(size));
        let pixels: Vec<u8> = pairs
            .flat_map(|(a, b)| match channels(self.format, a) {
                _ if a != b => UNLIKE,
                // Dim enough that nothing in it is taken for a difference; the order of the channels does not matter.
                Some([x, y, z, _]) => [((x + y + z) / if self.format == RGB10A2 { 24 } else { 6 }) as u8; 3],
                None => [32; 3],
            })
            .collect();
        let kind = (png::ColorType::Rgb, png::BitDepth::Eight);
        encode(path, (self.width, self.height), kind, &pixels)
            .map_err(|reason| Error::Output { path: path.to_owned(), reason })
    }
}

/// Writes a PNG.
pub(crate) fn encode(
    path: &Path,
    (width, height): (u32, u32),
    (color, depth): (png::ColorType, png::BitDepth),
    pixels: &[u8],
) -> Result<(), String> {
    let write = || -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(pixels)?;
        writer.finish()
    };
    write().map_err(|error| error.to_string())
}

fn png_bytes(kind: Png, bytes: &[u8]) -> Vec<u8> {
    let pixels = bytes.as_chunks::<4>().0;
    match kind {
        Png::Rgba | Png::None => bytes.to_vec(),
        Png::Bgra => pixels.iter().flat_map(|&[b, g, r, a]| [r, g, b, a]).collect(),
        Png::Bgrx => pixels.iter().flat_map(|&[b, g, r, _]| [r, g, b]).collect(),
        Png::Rgb10A2 => pixels
            .iter()
            .flat_map(|&pixel| {
                let word = u32::from_le_bytes(pixel);
                let ten = |shift: u32| {
                    let value = (word >> shift & 0x3ff) as u16;
                    (value << 6 | value >> 4).to_be_bytes()
                };
                let alpha = ((word >> 30) as u16 * 0x5555).to_be_bytes();
                [ten(0), ten(10), ten(20), alpha].concat()
            })
            .collect(),
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
    fn channels_are_in_the_order_of_a_png() {
        let picture = Picture { width: 1, height: 1, format: 87, bytes: vec![1, 2, 3, 4] };
        let path = std::env::temp_dir().join(format!("reprise-picture-{}.png", std::process::id()));
        picture.write_png(&path).unwrap();
        let decoder = png::Decoder::new(std::io::BufReader::new(File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; 4];
        reader.next_frame(&mut pixels).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(pixels, [3, 2, 1, 4]);
        assert_eq!(picture.rgb8(), Some(vec![[3, 2, 1]]));
        assert_eq!(Picture { format: 28, ..picture }.rgb8(), Some(vec![[1, 2, 3]]));
        assert_eq!(png_bytes(Png::Bgrx, &[1, 2, 3, 4]), [3, 2, 1]);
        let full = (0x3ffu32 | 1 << 10 | 3 << 30).to_le_bytes();
        assert_eq!(png_bytes(Png::Rgb10A2, &full), [0xff, 0xff, 0, 0x40, 0, 0, 0xff, 0xff]);
    }
}
