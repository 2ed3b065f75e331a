//! The values of a pixel as a row of squares, each with its call above it.

use crate::pixel::seen::Texel;
use reprise_picture::{Image, Mapping, Texels, Tile};

/// Pixels of a side.
const SIDE: u32 = 32;
/// `DXGI_FORMAT_R32G32B32A32_FLOAT`.
const FLOATS: u32 = 2;

/// A square of this colour.
pub(crate) fn square(texel: &Texel, plane: u32, label: String) -> Result<Tile, String> {
    // A texel of a block is shown from its whole block.
    let (x, y) = texel.within;
    let size = (x + 1, y + 1);
    let texels = match Texels::new(texel.format, plane, size, texel.bytes.clone()) {
        Ok(texels) => texels,
        Err(_) => {
            let floats = texel.colour.iter().flat_map(|value| (*value as f32).to_le_bytes()).collect();
            Texels::new(FLOATS, 0, (1, 1), floats)?
        }
    };
    let one = Mapping::default().picture(&texels);
    let (width, height) = texels.size();
    let size = one.channels.len() / (width * height) as usize;
    let last = &one.channels[one.channels.len() - size..];
    let channels = last.repeat((SIDE * SIDE) as usize);
    Ok(Tile { image: Image { width: SIDE, height: SIDE, channels, ..one }, label })
}
