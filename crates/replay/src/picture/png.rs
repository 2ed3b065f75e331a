//! Texels as PNG files. The crate `png` writes them; only this module names it.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use png::{BitDepth, ColorType};

use crate::format::Texel;

/// Pixels as a PNG has them.
pub(crate) struct Pixels {
    color: ColorType,
    depth: BitDepth,
    bytes: Vec<u8>,
}

impl Pixels {
    /// Red, green and blue of 8 bits each.
    pub(crate) fn rgb(bytes: Vec<u8>) -> Self {
        Self { color: ColorType::Rgb, depth: BitDepth::Eight, bytes }
    }

    /// Texels as stored, without a change of colours; alpha is kept where there is one. `None` for those that no PNG holds.
    pub(crate) fn of(texel: Texel, bytes: &[u8]) -> Option<Self> {
        let fours = || bytes.as_chunks::<4>().0.iter();
        let big_endian = || bytes.as_chunks::<2>().0.iter().flat_map(|&[low, high]| [high, low]).collect();
        let (color, depth, bytes) = match texel {
            Texel::Rgba8 => (ColorType::Rgba, BitDepth::Eight, bytes.to_vec()),
            Texel::Bgra8 => {
                (ColorType::Rgba, BitDepth::Eight, fours().flat_map(|&[b, g, r, a]| [r, g, b, a]).collect())
            }
            Texel::Bgrx8 => return Some(Self::rgb(fours().flat_map(|&[b, g, r, _]| [r, g, b]).collect())),
            Texel::Rgb10A2 => (ColorType::Rgba, BitDepth::Sixteen, fours().flat_map(|&texel| widened(texel)).collect()),
            Texel::Rgba16 => (ColorType::Rgba, BitDepth::Sixteen, big_endian()),
            Texel::Grey8 => (ColorType::Grayscale, BitDepth::Eight, bytes.to_vec()),
            Texel::Grey16 => (ColorType::Grayscale, BitDepth::Sixteen, big_endian()),
            Texel::Halves(_) | Texel::Floats(_) | Texel::SmallFloats | Texel::SharedExponent | Texel::Packed16 => {
                return None;
            }
        };
        Some(Self { color, depth, bytes })
    }

    /// Writes the file.
    pub(crate) fn write(&self, path: &Path, (width, height): (u32, u32)) -> Result<(), String> {
        let write = || -> Result<(), png::EncodingError> {
            let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
            encoder.set_color(self.color);
            encoder.set_depth(self.depth);
            encoder.set_compression(png::Compression::Fast);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&self.bytes)?;
            writer.finish()
        };
        write().map_err(|error| error.to_string())
    }
}

/// The texels of a picture that [`Pixels::write`] wrote, and its size; the byte without a meaning is 255. `None` where the file is of another
/// kind than these texels make.
pub(crate) fn read(path: &Path, texel: Texel) -> Result<Option<(u32, u32, Vec<u8>)>, String> {
    let read = || -> Result<(png::OutputInfo, Vec<u8>), png::DecodingError> {
        let mut decoder = png::Decoder::new(BufReader::new(File::open(path)?));
        decoder.set_limits(png::Limits { bytes: LARGEST });
        let mut reader = decoder.read_info()?;
        let mut bytes = vec![0; reader.output_buffer_size().unwrap_or(0)];
        let info = reader.next_frame(&mut bytes)?;
        bytes.truncate(info.buffer_size());
        Ok((info, bytes))
    };
    let (info, bytes) = read().map_err(|error| error.to_string())?;
    let fours = || bytes.as_chunks::<4>().0.iter();
    let texels: Vec<u8> = match (texel, info.color_type, info.bit_depth) {
        (Texel::Rgba8, ColorType::Rgba, BitDepth::Eight) => bytes,
        (Texel::Bgra8, ColorType::Rgba, BitDepth::Eight) => fours().flat_map(|&[r, g, b, a]| [b, g, r, a]).collect(),
        (Texel::Bgrx8, ColorType::Rgb, BitDepth::Eight) => {
            bytes.as_chunks::<3>().0.iter().flat_map(|&[r, g, b]| [b, g, r, 255]).collect()
        }
        (Texel::Rgb10A2, ColorType::Rgba, BitDepth::Sixteen) => {
            bytes.as_chunks::<8>().0.iter().flat_map(|texel| narrowed(*texel)).collect()
        }
        (Texel::Rgba16, ColorType::Rgba, BitDepth::Sixteen) => {
            bytes.as_chunks::<2>().0.iter().flat_map(|&[high, low]| [low, high]).collect()
        }
        _ => return Ok(None),
    };
    Ok(Some((info.width, info.height, texels)))
}

/// No picture of a swap chain is larger, in bytes.
const LARGEST: usize = 1 << 30;

/// The reverse of [`widened`].
fn narrowed(texel: [u8; 8]) -> [u8; 4] {
    let [red, green, blue, alpha] = [0, 2, 4, 6].map(|at| u32::from(texel[at]) << 8 | u32::from(texel[at + 1]));
    (red >> 6 | green >> 6 << 10 | blue >> 6 << 20 | alpha >> 14 << 30).to_le_bytes()
}

/// A texel of ten bits a channel, with 16: the high bits again behind the low ones, so that full stays full.
fn widened(texel: [u8; 4]) -> [u8; 8] {
    let word = u32::from_le_bytes(texel);
    let ten = |shift: u32| {
        let value = (word >> shift & 0x3ff) as u16;
        (value << 6 | value >> 4).to_be_bytes()
    };
    let alpha = ((word >> 30) as u16 * 0x5555).to_be_bytes();
    let [[a, b], [c, d], [e, f]] = [0, 10, 20].map(ten);
    [a, b, c, d, e, f, alpha[0], alpha[1]]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_in_the_order_of_a_png() {
        let of = |texel, bytes: &[u8]| Pixels::of(texel, bytes).unwrap().bytes;
        assert_eq!(of(Texel::Bgrx8, &[1, 2, 3, 4]), [3, 2, 1]);
        assert_eq!(of(Texel::Grey16, &[1, 2]), [2, 1]);
        let full = (0x3ffu32 | 1 << 10 | 3 << 30).to_le_bytes();
        assert_eq!(of(Texel::Rgb10A2, &full), [0xff, 0xff, 0, 0x40, 0, 0, 0xff, 0xff]);
        assert!(Pixels::of(Texel::Halves(4), &[0; 8]).is_none());
    }

    #[test]
    fn what_is_written_is_read() {
        let path = std::env::temp_dir().join(format!("reprise-png-{}.png", std::process::id()));
        for (texel, bytes) in [
            (Texel::Rgba8, vec![1, 2, 3, 4, 5, 6, 7, 8]),
            (Texel::Bgra8, vec![1, 2, 3, 4, 5, 6, 7, 8]),
            (Texel::Bgrx8, vec![1, 2, 3, 255, 5, 6, 7, 255]),
            (Texel::Rgb10A2, [0xffff_ffffu32, 0x9234_5678].map(u32::to_le_bytes).concat()),
            (Texel::Rgba16, (0..16).collect()),
        ] {
            Pixels::of(texel, &bytes).unwrap().write(&path, (2, 1)).unwrap();
            assert_eq!(read(&path, texel).unwrap(), Some((2, 1, bytes)), "{texel:?}");
        }
        assert_eq!(read(&path, Texel::Rgba8).unwrap(), None);
        std::fs::write(&path, "no picture").unwrap();
        assert!(read(&path, Texel::Rgba8).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
