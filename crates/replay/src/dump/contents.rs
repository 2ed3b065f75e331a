//! Contents of a resource on the CPU, and the table of formats that puts them into files.
//!
//! Invariant: rows are tightly packed, and bits are those of the GPU. Where a file format needs a conversion, it is exact or not
//! made.

use reprise_d3d12::types::D3D12_RESOURCE_DESC;

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

/// Which planes a format has.
pub(super) fn planes(format: u32) -> u32 {
    match format {
        19..=22 | 44..=47 | 103..=106 => 2,
        _ => 1,
    }
}

/// The part of a file name for a plane: nothing for the only one.
pub(super) fn plane_name(format: u32, plane: u32) -> &'static str {
    match (format, plane) {
        (19..=22 | 44..=47, 0) => "_depth",
        (19..=22 | 44..=47, _) => "_stencil",
        (103..=106, 0) => "_luma",
        (103..=106, _) => "_chroma",
        _ => "",
    }
}

/// The format of one plane, with a type: files need one. Depth is a format of colour here.
pub(super) fn typed(format: u32, plane: u32) -> u32 {
    const R8_UINT: u32 = 62;
    const R32_FLOAT: u32 = 41;
    match (format, plane) {
        (19..=22 | 44..=47, 1) => R8_UINT,
        // 24 bits of depth become floats, which hold them exactly.
        (19..=22 | 44..=47 | 39 | 40, _) => R32_FLOAT,
        (53 | 55, _) => 56,
        (103 | 106, 0) => 61,
        (103 | 106, _) => 49,
        (104 | 105, 0) => 56,
        (104 | 105, _) => 35,
        // Typeless ones, with the type that they are used with most.
        (1, _) => 2,
        (5, _) => 6,
        (9, _) => 10,
        (15, _) => 16,
        (23, _) => 24,
        (27, _) => 28,
        (33, _) => 34,
        (48, _) => 49,
        (60, _) => 61,
        (70, _) => 71,
        (73, _) => 74,
        (76, _) => 77,
        (79, _) => 80,
        (82, _) => 83,
        (90, _) => 87,
        (92, _) => 88,
        (94, _) => 95,
        (97, _) => 98,
        (typed, _) => typed,
    }
}

/// Depth of 24 bits beside 8 unused ones.
pub(super) fn is_depth24(format: u32) -> bool {
    matches!(format, 44..=47)
}

/// 24 bits of depth as floats: n / (2²⁴ - 1).
pub(super) fn floats_of_depth24(bytes: &[u8]) -> Vec<u8> {
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word) & 0xff_ffff);
    words.flat_map(|word| ((f64::from(word) / f64::from(0xff_ffff)) as f32).to_le_bytes()).collect()
}

/// How a plane's texels become those of a PNG: kind of pixel and bits a channel, and the bytes of one row or more.
pub(super) fn png(format: u32, bytes: &[u8]) -> Option<(png::ColorType, png::BitDepth, Vec<u8>)> {
    use png::{BitDepth, ColorType};
    let four = |order: [usize; 4]| bytes.as_chunks::<4>().0.iter().flat_map(|p| order.map(|at| p[at])).collect();
    let sixteen = || bytes.as_chunks::<2>().0.iter().flat_map(|&[low, high]| [high, low]).collect();
    Some(match format {
        // R8, A8; also as integers, such as stencil.
        61 | 62 | 65 => (ColorType::Grayscale, BitDepth::Eight, bytes.to_vec()),
        28..=30 => (ColorType::Rgba, BitDepth::Eight, bytes.to_vec()),
        87 | 91 => (ColorType::Rgba, BitDepth::Eight, four([2, 1, 0, 3])),
        88 | 93 => {
            let pixels = bytes.as_chunks::<4>().0.iter().flat_map(|&[b, g, r, _]| [r, g, b]).collect();
            (ColorType::Rgb, BitDepth::Eight, pixels)
        }
        56 | 57 => (ColorType::Grayscale, BitDepth::Sixteen, sixteen()),
        11 | 12 => (ColorType::Rgba, BitDepth::Sixteen, sixteen()),
        _ => return None,
    })
}

/// Channels of a float image, as OpenEXR has them.
pub(super) struct Channels {
    pub(super) names: &'static [&'static str],
    /// 2 bytes: halves; 4: floats.
    pub(super) bytes: usize,
}

/// The channels of a plane whose texels are floats, and the texels in that form.
pub(super) fn floats(format: u32, depth: bool, bytes: &[u8]) -> Option<(Channels, Vec<u8>)> {
    let channels = |names, bytes| Channels { names, bytes };
    Some(match format {
        2 => (channels(&["R", "G", "B", "A"], 4), bytes.to_vec()),
        6 => (channels(&["R", "G", "B"], 4), bytes.to_vec()),
        10 => (channels(&["R", "G", "B", "A"], 2), bytes.to_vec()),
        16 => (channels(&["R", "G"], 4), bytes.to_vec()),
        34 => (channels(&["R", "G"], 2), bytes.to_vec()),
        41 if depth => (channels(&["Z"], 4), bytes.to_vec()),
        41 => (channels(&["R"], 4), bytes.to_vec()),
        54 => (channels(&["R"], 2), bytes.to_vec()),
        26 => (channels(&["R", "G", "B"], 2), bytes.as_chunks::<4>().0.iter().flat_map(|p| small_floats(*p)).collect()),
        67 => (channels(&["R", "G", "B"], 4), bytes.as_chunks::<4>().0.iter().flat_map(|p| shared(*p)).collect()),
        _ => return None,
    })
}

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
