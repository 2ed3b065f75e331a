//! A picture for a screen: four bytes a pixel, of any size.
//!
//! Invariant: channels of 8 bits keep their bits, wider ones are rounded down, floats are taken as linear (scRGB) and clamped.

use crate::format::{self, Texel};
use crate::picture::Picture;
use reprise_picture::srgb;

impl Picture {
    /// Blue, green, red and nothing of each pixel, rows top first, scaled to a size in pixels (the nearest pixel).
    ///
    /// # Errors
    /// The format cannot be shown.
    pub fn for_screen(&self, width: u32, height: u32) -> Result<Vec<u8>, String> {
        let cannot = || format!("pictures of DXGI format {} cannot be shown in a window", self.format);
        let texel = format::presented(self.format).ok_or_else(cannot)?;
        let pixel = texel.bytes() as usize;
        let convert = converter(texel).ok_or_else(cannot)?;
        let row_bytes = pixel * self.width as usize;
        if self.bytes.len() < row_bytes * self.height as usize || row_bytes == 0 || self.height == 0 {
            return Err("a picture without pixels".into());
        }
        let place =
            |at: u32, from: u32, to: u32| (u64::from(from) * (2 * u64::from(at) + 1) / (2 * u64::from(to))) as usize;
        let columns: Vec<usize> = (0..width).map(|x| place(x, self.width, width) * pixel).collect();
        let mut out = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            let row = &self.bytes[place(y, self.height, height) * row_bytes..][..row_bytes];
            for &column in &columns {
                let [r, g, b] = convert(&row[column..column + pixel]);
                out.extend([b, g, r, 0]);
            }
        }
        Ok(out)
    }
}

/// Red, green and blue of one pixel's bytes.
type Convert = fn(&[u8]) -> [u8; 3];

fn converter(texel: Texel) -> Option<Convert> {
    Some(match texel {
        Texel::Floats(4) => |pixel| {
            [0, 4, 8].map(|at| linear(f32::from_le_bytes([pixel[at], pixel[at + 1], pixel[at + 2], pixel[at + 3]])))
        },
        Texel::Halves(4) => {
            |pixel| [0, 2, 4].map(|at| linear(half::f16::from_le_bytes([pixel[at], pixel[at + 1]]).to_f32()))
        }
        Texel::Rgba16 => |pixel| [pixel[1], pixel[3], pixel[5]],
        Texel::Rgb10A2 => |pixel| {
            let word = u32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]);
            [0, 10, 20].map(|shift| (word >> (shift + 2)) as u8)
        },
        Texel::Rgba8 => |pixel| [pixel[0], pixel[1], pixel[2]],
        Texel::Bgra8 | Texel::Bgrx8 => |pixel| [pixel[2], pixel[1], pixel[0]],
        _ => return None,
    })
}

/// Linear light as a byte of sRGB.
fn linear(value: f32) -> u8 {
    // NaN becomes black.
    let value = if value > 0.0 { value.min(1.0) } else { 0.0 };
    (srgb::encoded(value.into()) * 255.0).round() as u8
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn channels_and_places_are_right() {
        let picture = Picture { width: 2, height: 1, format: 28, bytes: vec![1, 2, 3, 4, 5, 6, 7, 8] };
        assert_eq!(picture.for_screen(2, 1).unwrap(), [3, 2, 1, 0, 7, 6, 5, 0]);
        assert_eq!(
            picture.for_screen(4, 2).unwrap(),
            [[3, 2, 1, 0], [3, 2, 1, 0], [7, 6, 5, 0], [7, 6, 5, 0]].concat().repeat(2)
        );
        let picture = Picture { format: 87, ..picture };
        assert_eq!(picture.for_screen(1, 1).unwrap(), [5, 6, 7, 0], "the pixel under the centre");
        let ten = (1023u32 | 512 << 10 | 3 << 20).to_le_bytes().to_vec();
        let picture = Picture { width: 1, height: 1, format: 24, bytes: ten };
        assert_eq!(picture.for_screen(1, 1).unwrap(), [0, 128, 255, 0]);
        // 1.0, 0.5 and -2.0 as halves.
        let picture = Picture { format: 10, bytes: vec![0x00, 0x3c, 0x00, 0x38, 0x00, 0xc0, 0, 0], ..picture };
        assert_eq!(picture.for_screen(1, 1).unwrap(), [0, 188, 255, 0]);
        assert!(Picture { format: 26, ..picture }.for_screen(1, 1).is_err());
    }
}
