//! OpenEXR files: one part, scan lines, no compression. Facts: "OpenEXR File Layout".
//!
//! Invariant: floats and halves keep their bits.

use super::contents::Channels;

const MAGIC: u32 = 20_000_630;
const VERSION: u32 = 2;
/// Pixel types.
const HALF: u32 = 1;
const FLOAT: u32 = 2;

/// The file for an image of rows of texels, channels side by side in each texel.
pub(super) fn encode(width: u32, height: u32, channels: &Channels, texels: &[u8]) -> Vec<u8> {
    let mut order: Vec<usize> = (0..channels.names.len()).collect();
    // Channels lie in the order of their names.
    order.sort_by_key(|&at| channels.names[at]);
    let mut out = Vec::with_capacity(texels.len() + 1024);
    out.extend(MAGIC.to_le_bytes());
    out.extend(VERSION.to_le_bytes());
    let mut list = Vec::new();
    for &at in &order {
        list.extend(channels.names[at].bytes().chain([0]));
        list.extend(if channels.bytes == 2 { HALF } else { FLOAT }.to_le_bytes());
        // Not perceptually linear, three bytes of nothing, and a sample at every pixel.
        list.extend([0; 4]);
        list.extend([1u32, 1].into_iter().flat_map(u32::to_le_bytes));
    }
    list.push(0);
    attribute(&mut out, "channels", "chlist", &list);
    attribute(&mut out, "compression", "compression", &[0]);
    let window: Vec<u8> = [0, 0, width - 1, height - 1].into_iter().flat_map(u32::to_le_bytes).collect();
    attribute(&mut out, "dataWindow", "box2i", &window);
    attribute(&mut out, "displayWindow", "box2i", &window);
    attribute(&mut out, "lineOrder", "lineOrder", &[0]);
    attribute(&mut out, "pixelAspectRatio", "float", &1f32.to_le_bytes());
    attribute(&mut out, "screenWindowCenter", "v2f", &[0; 8]);
    attribute(&mut out, "screenWindowWidth", "float", &1f32.to_le_bytes());
    out.push(0);
    let texel = channels.bytes * channels.names.len();
    let row_bytes = texel * width as usize;
    let first = out.len() + 8 * height as usize;
    for row in 0..height as usize {
        out.extend(((first + row * (8 + row_bytes)) as u64).to_le_bytes());
    }
    for (y, row) in texels.chunks_exact(row_bytes).enumerate().take(height as usize) {
        out.extend((y as u32).to_le_bytes());
        out.extend((row_bytes as u32).to_le_bytes());
        for &at in &order {
            for texel in row.chunks_exact(texel) {
                out.extend(&texel[at * channels.bytes..(at + 1) * channels.bytes]);
            }
        }
    }
    out
}

fn attribute(out: &mut Vec<u8>, name: &str, kind: &str, value: &[u8]) {
    out.extend(name.bytes().chain([0]));
    out.extend(kind.bytes().chain([0]));
    out.extend((value.len() as u32).to_le_bytes());
    out.extend(value);
}
