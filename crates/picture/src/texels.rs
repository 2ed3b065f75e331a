//! The texels of one subresource or slice, and what their bits mean.

use crate::format::{Kind, Layout};

/// Texels row by row, top first, without gaps.
#[derive(Clone, Debug)]
pub struct Texels {
    width: u32,
    height: u32,
    layout: Layout,
    bytes: Vec<u8>,
    /// Texels of blocks, by four.
    decoded: Option<Vec<f32>>,
}

/// What the values of a picture are like, channel by channel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Statistics {
    /// The least that is a number and not infinite; none where there is no channel, or no such value.
    pub least: [Option<f64>; 4],
    /// The greatest.
    pub greatest: [Option<f64>; 4],
    /// Values that are NaN, in all channels.
    pub nan: u64,
    /// Values that are infinite.
    pub infinite: u64,
}

impl Texels {
    /// Texels of a `DXGI_FORMAT`; of a format with planes, those of one plane.
    ///
    /// # Errors
    /// The format is not read here, or the bytes are not those of so many texels.
    pub fn new(format: u32, plane: u32, (width, height): (u32, u32), mut bytes: Vec<u8>) -> Result<Self, String> {
        let layout = Layout::of(format, plane)?;
        let units = match layout {
            Layout::Blocks { .. } => u64::from(width.div_ceil(4)) * u64::from(height.div_ceil(4)),
            _ => u64::from(width) * u64::from(height),
        };
        let wanted = units.checked_mul(layout.bytes().into()).and_then(|wanted| usize::try_from(wanted).ok());
        let wanted = wanted.filter(|wanted| *wanted <= bytes.len()).ok_or_else(|| {
            format!("{width} by {height} texels take more than the {} bytes that there are", bytes.len())
        })?;
        bytes.truncate(wanted);
        let decoded = match layout {
            Layout::Blocks { number, signed, .. } => Some(decode(number, signed, (width, height), &bytes)),
            _ => None,
        };
        Ok(Self { width, height, layout, bytes, decoded })
    }

    /// In texels.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// How they lie.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// As they lie.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of a row of texels, or of blocks.
    pub fn row_bytes(&self) -> u64 {
        let units = if self.decoded.is_some() { self.width.div_ceil(4) } else { self.width };
        u64::from(units) * u64::from(self.layout.bytes())
    }

    /// Red, green, blue and alpha of a texel; 0, and 1 for alpha, where there is no such channel. `None` outside.
    pub fn at(&self, x: u32, y: u32) -> Option<[f64; 4]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let texel = y as usize * self.width as usize + x as usize;
        if let Some(decoded) = &self.decoded {
            return decoded.get(texel * 4..)?.first_chunk::<4>().map(|texel| texel.map(f64::from));
        }
        let size = self.layout.bytes() as usize;
        let bytes = self.bytes.get(texel * size..)?.get(..size)?;
        let mut word = [0; 16];
        word[..size].copy_from_slice(bytes);
        Some(values(self.layout, u128::from_le_bytes(word)))
    }

    /// The bytes of a texel, and 0, 0; or those of the block that it lies in, and its place there. `None` outside.
    pub fn bytes_at(&self, x: u32, y: u32) -> Option<(&[u8], (u32, u32))> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let side = if self.decoded.is_some() { 4 } else { 1 };
        let (column, row) = (u64::from(x / side), u64::from(y / side));
        let size = self.layout.bytes() as usize;
        let from = usize::try_from(row * self.row_bytes()).ok()? + column as usize * size;
        Some((self.bytes.get(from..)?.get(..size)?, (x % side, y % side)))
    }

    /// Every texel, row by row.
    pub fn iter(&self) -> impl Iterator<Item = [f64; 4]> + '_ {
        (0..self.height).flat_map(move |y| (0..self.width).filter_map(move |x| self.at(x, y)))
    }

    /// What the values are like.
    pub fn statistics(&self) -> Statistics {
        let there = self.layout.channels();
        let mut found = Statistics { least: [None; 4], greatest: [None; 4], nan: 0, infinite: 0 };
        for texel in self.iter() {
            for (channel, value) in texel.into_iter().enumerate().filter(|(channel, _)| there[*channel]) {
                if value.is_finite() {
                    let (least, greatest) = (&mut found.least[channel], &mut found.greatest[channel]);
                    *least = Some(least.map_or(value, |least| least.min(value)));
                    *greatest = Some(greatest.map_or(value, |greatest| greatest.max(value)));
                } else {
                    found.nan += u64::from(value.is_nan());
                    found.infinite += u64::from(value.is_infinite());
                }
            }
        }
        found
    }
}

/// The channels of a texel that lies in the low bits.
fn values(layout: Layout, word: u128) -> [f64; 4] {
    match layout {
        Layout::Packed { channels, kind, .. } => {
            let mut all = [0.0, 0.0, 0.0, 1.0];
            for (value, (shift, width)) in all.iter_mut().zip(channels).filter(|(_, (_, width))| *width > 0) {
                // No channel is wider than 32 bits.
                *value = value_of(kind, width, (word >> shift & ((1 << width) - 1)) as u32);
            }
            all
        }
        Layout::SharedExponent => {
            let word = word as u32;
            let scale = (f64::from(word >> 27) - 24.0).exp2();
            let [r, g, b] = [0, 9, 18].map(|shift| f64::from(word >> shift & 0x1ff) * scale);
            [r, g, b, 1.0]
        }
        Layout::Blocks { .. } => [0.0, 0.0, 0.0, 1.0],
    }
}

fn value_of(kind: Kind, width: u8, bits: u32) -> f64 {
    let most = (1u64 << width) - 1;
    // The sign is the highest bit.
    let signed = || {
        let shift = 32 - u32::from(width);
        (bits << shift) as i32 >> shift
    };
    match kind {
        Kind::Depth if width == 32 => f32::from_bits(bits).into(),
        Kind::Unorm | Kind::Depth => f64::from(bits) / most as f64,
        // The least stands for -1, as does the one above it.
        Kind::Snorm => (f64::from(signed()) / (most / 2) as f64).max(-1.0),
        Kind::Uint => bits.into(),
        Kind::Sint => signed().into(),
        Kind::Float => match width {
            32 => f32::from_bits(bits).into(),
            16 => small_float(bits & 0x7fff, 10) * if bits >> 15 == 1 { -1.0 } else { 1.0 },
            11 => small_float(bits, 6),
            _ => small_float(bits, 5),
        },
    }
}

/// A float of five bits of exponent, and so many behind the point.
fn small_float(bits: u32, fraction: u32) -> f64 {
    let (exponent, rest) = (bits >> fraction, bits & ((1 << fraction) - 1));
    let part = f64::from(rest) / f64::from(1u32 << fraction);
    match exponent {
        0 => part * (-14f64).exp2(),
        31 if rest == 0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + part) * (f64::from(exponent) - 15.0).exp2(),
    }
}

/// Four floats for each texel. `bytes` hold all blocks.
fn decode(number: u8, signed: bool, (width, height): (u32, u32), bytes: &[u8]) -> Vec<f32> {
    let (width, height) = (width as usize, height as usize);
    let size = Layout::Blocks { number, signed, srgb: false }.bytes() as usize;
    let mut out = vec![0.0; width * height * 4];
    let across = width.div_ceil(4);
    for (at, block) in bytes.chunks_exact(size).enumerate() {
        let texels = block_of(number, signed, block);
        let (left, top) = (at % across * 4, at / across * 4);
        for (index, texel) in texels.iter().enumerate() {
            let (x, y) = (left + index % 4, top + index / 4);
            if x < width && y < height {
                out[(y * width + x) * 4..][..4].copy_from_slice(texel);
            }
        }
    }
    out
}

/// The sixteen texels of a block.
fn block_of(number: u8, signed: bool, block: &[u8]) -> [[f32; 4]; 16] {
    let mut texels = [[0.0, 0.0, 0.0, 1.0]; 16];
    match number {
        1 | 2 | 3 | 7 => {
            let mut bytes = [0u8; 64];
            let decode = match number {
                1 => bcdec_rs::bc1,
                2 => bcdec_rs::bc2,
                3 => bcdec_rs::bc3,
                _ => bcdec_rs::bc7,
            };
            decode(block, &mut bytes, 16);
            for (texel, bytes) in texels.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *texel = bytes.map(|byte| f32::from(byte) / 255.0);
            }
        }
        4 => {
            let mut floats = [0f32; 16];
            bcdec_rs::bc4_float(block, &mut floats, 4, signed);
            texels.iter_mut().zip(floats).for_each(|(texel, red)| texel[0] = red);
        }
        5 => {
            let mut floats = [0f32; 32];
            bcdec_rs::bc5_float(block, &mut floats, 8, signed);
            texels.iter_mut().zip(floats.as_chunks::<2>().0).for_each(|(texel, both)| texel[..2].copy_from_slice(both));
        }
        _ => {
            let mut floats = [0f32; 48];
            bcdec_rs::bc6h_float(block, &mut floats, 12, signed);
            texels.iter_mut().zip(floats.as_chunks::<3>().0).for_each(|(texel, rgb)| texel[..3].copy_from_slice(rgb));
        }
    }
    texels
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::format::{format_name, format_number};
    use proptest::prelude::*;

    fn one(name: &str, bytes: &[u8]) -> [f64; 4] {
        let texels = Texels::new(format_number(name).unwrap(), 0, (1, 1), bytes.to_vec()).unwrap();
        texels.at(0, 0).unwrap()
    }

    #[test]
    fn values_are_those_of_the_specification() {
        assert_eq!(one("R8G8B8A8_UNORM", &[255, 0, 51, 102]), [1.0, 0.0, 0.2, 0.4]);
        assert_eq!(one("B8G8R8A8_UNORM_SRGB", &[255, 0, 51, 102]), [0.2, 0.0, 1.0, 0.4]);
        assert_eq!(one("R8_SNORM", &[0x80])[0], -1.0);
        assert_eq!(one("R8_SNORM", &[0x81])[0], -1.0);
        assert_eq!(one("R16_SINT", &[0xfe, 0xff])[0], -2.0);
        assert_eq!(one("R32_UINT", &[0xff; 4])[0], 4294967295.0);
        // 1.0, -2.0, 65504 and the least above 0 as halves.
        let halves = [0x3c00u16, 0xc000, 0x7bff, 1].map(u16::to_le_bytes).concat();
        assert_eq!(one("R16G16B16A16_FLOAT", &halves), [1.0, -2.0, 65504.0, (-24f64).exp2()]);
        // 1 as floats of 6, 6 and 5 bits behind the point.
        let word = 15u32 << 6 | 16 << (11 + 6) | 15 << (22 + 5);
        assert_eq!(one("R11G11B10_FLOAT", &word.to_le_bytes()), [1.0, 2.0, 1.0, 1.0]);
        assert_eq!(one("R9G9B9E5_SHAREDEXP", &(256u32 | 24 << 27).to_le_bytes())[0], 256.0);
        assert_eq!(one("D24_UNORM_S8_UINT", &0xff80_0000u32.to_le_bytes())[0], f64::from(0x80_0000) / 16777215.0);
        assert!(one("R16_FLOAT", &0x7e00u16.to_le_bytes())[0].is_nan());
    }

    /// Source: the documentation of block compression; colour 0 is red, colour 1 blue, and two thirds lie between.
    #[test]
    fn blocks_are_decoded() {
        let block = [0x00, 0xf8, 0x1f, 0x00, 0b11_10_01_00, 0, 0, 0];
        let texels = Texels::new(71, 0, (4, 4), block.to_vec()).unwrap();
        assert_eq!(texels.at(0, 0).unwrap(), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(texels.at(1, 0).unwrap(), [0.0, 0.0, 1.0, 1.0]);
        let third = |x| texels.at(x, 0).unwrap()[0];
        assert!((third(2) - 2.0 / 3.0).abs() < 0.01 && (third(3) - 1.0 / 3.0).abs() < 0.01);
        // BC4: ends 255 and 0, all indices 1: the other end.
        let block = [255, 0, 0b01_001_001, 0b1001_0010, 0b0010_0100, 0b01_001_001, 0b1001_0010, 0b0010_0100];
        let texels = Texels::new(80, 0, (2, 3), block.to_vec()).unwrap();
        assert!(texels.iter().all(|texel| texel == [0.0, 0.0, 0.0, 1.0]));
    }

    proptest! {
        /// Whatever a trace says of a texture, its bytes are judged first.
        #[test]
        fn made_up_texels_are_no_trouble(
            format in 0u32..200, plane in 0u32..3, size in (0u32..9, 0u32..9), bytes in prop::collection::vec(any::<u8>(), 0..512),
        ) {
            if let Ok(texels) = Texels::new(format, plane, size, bytes) {
                prop_assert_eq!(texels.iter().count() as u32, size.0 * size.1, "{:?}", format_name(format));
                texels.statistics();
            }
        }
    }

    #[test]
    fn a_made_up_size_takes_no_memory() {
        assert!(Texels::new(28, 0, (u32::MAX, u32::MAX), vec![0; 64]).is_err());
        assert!(Texels::new(98, 0, (u32::MAX, u32::MAX), vec![0; 64]).is_err());
    }
}
