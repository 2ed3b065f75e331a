//! DDS files with the DX10 header: any format, all mips, array slices or the slices of a volume.
//!
//! Source: "DDS_HEADER" and "DDS_HEADER_DXT10" of the documentation. The crate `ddsfile` reads these files in tests; it does not
//! write them here, because it refuses formats above 187, such as `A4B4G4R4_UNORM`.

/// The texture in the file, as its header describes it.
#[derive(Clone, Copy)]
pub struct Shape {
    /// `DXGI_FORMAT`, typed.
    pub format: u32,
    /// 2, 3 or 4 for textures of one, two or three dimensions: `D3D10_RESOURCE_DIMENSION` is as that of the API.
    pub dimension: u32,
    /// Levels of detail.
    pub mips: u32,
    /// Of an array; 1 for volumes.
    pub slices: u32,
}

/// The file; `size` is that of the first piece: width, height and depth. `pieces` stand in the order of subresources: mips of the first
/// slice, then of the next.
pub fn encode<'p>(shape: Shape, size: [u32; 3], pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<u8> {
    const CAPS_HEIGHT_WIDTH_FORMAT: u32 = 0x1 | 0x2 | 0x4 | 0x1000;
    const MIPS: u32 = 0x2_0000;
    const DEPTH: u32 = 0x80_0000;
    const FOURCC: u32 = 0x4;
    const COMPLEX: u32 = 0x8;
    const MIPMAPS: u32 = 0x40_0000;
    const TEXTURE: u32 = 0x1000;
    const VOLUME: u32 = 0x20_0000;
    let [width, height, depth] = size;
    let volume = shape.dimension == 4;
    let mut out = b"DDS ".to_vec();
    let mut words = vec![124, CAPS_HEIGHT_WIDTH_FORMAT, height, width, 0, 0, shape.mips];
    words[1] |= if shape.mips > 1 { MIPS } else { 0 } | if volume { DEPTH } else { 0 };
    words[5] = if volume { depth } else { 0 };
    words.extend([0; 11]);
    // The pixel format: that another header follows.
    words.extend([32, FOURCC, u32::from_le_bytes(*b"DX10"), 0, 0, 0, 0, 0]);
    let complex = if shape.mips > 1 || shape.slices > 1 || volume { COMPLEX } else { 0 };
    words.push(TEXTURE | complex | if shape.mips > 1 { MIPMAPS } else { 0 });
    words.extend([if volume { VOLUME } else { 0 }, 0, 0, 0]);
    words.extend([shape.format, shape.dimension, 0, shape.slices, 0]);
    out.extend(words.into_iter().flat_map(u32::to_le_bytes));
    pieces.into_iter().for_each(|piece| out.extend(piece));
    out
}
