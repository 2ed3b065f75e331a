//! Contents of a resource on the CPU, and what files hold of them.
//!
//! Invariant: rows are tightly packed, and bits are those of the GPU. Where a file format needs a conversion, it is exact or not
//! made.

use reprise_d3d12::types::D3D12_RESOURCE_DESC;
use reprise_picture::exr::Channels;

use crate::format::{self, Texel};
use crate::marks::{self, Marks};
use crate::picture::png::Pixels;

/// The contents that a copy brought.
pub(super) enum Contents {
    /// Bytes from an offset of a buffer that is so wide.
    Buffer { offset: u64, width: u64, bytes: Vec<u8> },
    /// Subresources of a texture, in their order; multisampled ones resolved.
    Texture { desc: D3D12_RESOURCE_DESC, pieces: Vec<Piece> },
}

/// One subresource.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) subresource: u32,
    /// In texels.
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) depth: u32,
    /// Rows of texels, or of blocks.
    pub(super) bytes: Vec<u8>,
}

impl Contents {
    /// The elements that are NaN or infinite, as a view of this format has them.
    ///
    /// # Errors
    /// The format is none of floats, or has other elements.
    pub(super) fn marks(&self, format: u32) -> Result<Marks, String> {
        match self {
            Self::Buffer { offset, bytes, .. } => Marks::of_buffer(*offset, bytes, format),
            Self::Texture { desc, pieces } => {
                let pieces = pieces.iter().map(|piece| marks::Piece {
                    subresource: piece.subresource,
                    width: piece.width,
                    height: piece.height,
                    bytes: &piece.bytes,
                });
                Marks::of_texture(desc.Format.0 as u32, pieces, format)
            }
        }
    }
}

/// 24 bits of depth as floats: n / (2²⁴ - 1).
pub(super) fn floats_of_depth24(bytes: &[u8]) -> Vec<u8> {
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word) & 0xff_ffff);
    words.flat_map(|word| ((f64::from(word) / f64::from(0xff_ffff)) as f32).to_le_bytes()).collect()
}

/// A plane's texels as a PNG has them; `None` where it would not have their very bits.
pub(super) fn png(format: u32, bytes: &[u8]) -> Option<Pixels> {
    let exact = format::texel(format).filter(|texel| *texel != Texel::Rgb10A2);
    Pixels::of(exact?, bytes)
}

/// The channels of a plane whose texels are floats, and the texels in that form.
pub(super) fn floats(format: u32, depth: bool, bytes: &[u8]) -> Option<(Channels, Vec<u8>)> {
    let texels = bytes.as_chunks::<4>().0.iter();
    let (names, size, bytes): (&[&str], _, Vec<u8>) = match format::texel(format)? {
        Texel::Floats(1) if depth => (&["Z"], 4, bytes.to_vec()),
        Texel::Floats(count) => (RGBA.get(..count.into())?, 4, bytes.to_vec()),
        Texel::Halves(count) => (RGBA.get(..count.into())?, 2, bytes.to_vec()),
        Texel::SmallFloats => (&RGBA[..3], 2, texels.flat_map(|texel| small_floats(*texel)).collect()),
        Texel::SharedExponent => (&RGBA[..3], 4, texels.flat_map(|texel| shared(*texel)).collect()),
        _ => return None,
    };
    Some((Channels { names, bytes: size }, bytes))
}

/// Names of channels, as OpenEXR has them.
const RGBA: [&str; 4] = ["R", "G", "B", "A"];

/// `R11G11B10_FLOAT`: halves without a sign and with fewer bits behind the point.
fn small_floats(pixel: [u8; 4]) -> [u8; 6] {
    let word = u32::from_le_bytes(pixel);
    let halves = [(word & 0x7ff) << 4, (word >> 11 & 0x7ff) << 4, (word >> 22) << 5];
    let [[a, b], [c, d], [e, f]] = halves.map(|half| (half as u16).to_le_bytes());
    [a, b, c, d, e, f]
}

/// `R9G9B9E5_SHAREDEXP`: each is n · 2^(e - 24).
fn shared(pixel: [u8; 4]) -> [u8; 12] {
    let word = u32::from_le_bytes(pixel);
    let scale = ((word >> 27) as f32 - 24.0).exp2();
    let mut out = [0; 12];
    for (at, shift) in [0, 9, 18].into_iter().enumerate() {
        out[at * 4..at * 4 + 4].copy_from_slice(&((word >> shift & 0x1ff) as f32 * scale).to_le_bytes());
    }
    out
}
