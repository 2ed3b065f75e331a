//! Formats of texels: the one table for pictures and dumps.
//!
//! Invariant: a format that is not in the table has no facts here, and what needs one says so by its number.

use reprise_d3d12::format::{self, has_stencil, is_planar_video, is_presentable};

pub(crate) use reprise_d3d12::format::planes;

/// How the bytes of a texel hold its channels. Numbers are little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Texel {
    /// 8 bits each of red, green, blue, alpha.
    Rgba8,
    /// 8 bits each of blue, green, red, alpha.
    Bgra8,
    /// The same; the fourth byte has no meaning.
    Bgrx8,
    /// From the low bits on: 10 each of red, green, blue, and 2 of alpha.
    Rgb10A2,
    /// 16 bits each of red, green, blue, alpha.
    Rgba16,
    /// One channel of 8 bits.
    Grey8,
    /// One channel of 16 bits.
    Grey16,
    /// So many floats of 16 bits.
    Halves(u8),
    /// So many floats of 32 bits.
    Floats(u8),
    /// `R11G11B10_FLOAT`: halves without a sign and with fewer bits behind the point.
    SmallFloats,
    /// `R9G9B9E5_SHAREDEXP`: each is n · 2^(e - 24).
    SharedExponent,
    /// Three or four channels in 16 bits.
    Packed16,
}

impl Texel {
    /// Bytes of one.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::Grey8 => 1,
            Self::Grey16 | Self::Packed16 => 2,
            Self::Rgba8 | Self::Bgra8 | Self::Bgrx8 | Self::Rgb10A2 | Self::SmallFloats | Self::SharedExponent => 4,
            Self::Rgba16 => 8,
            Self::Halves(channels) => 2 * u32::from(channels),
            Self::Floats(channels) => 4 * u32::from(channels),
        }
    }
}

/// What is known of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// `DXGI_FORMAT`.
    number: u32,
    /// Without the `DXGI_FORMAT_`.
    pub(crate) name: &'static str,
    /// How its texels lie; `None` for blocks and for what nothing here looks into.
    pub(crate) texel: Option<Texel>,
    /// The format of the same bits that a file states, which needs a type: that which typeless ones are used with most, and one of
    /// colour for depth.
    pub(crate) typed: u32,
}

/// A format.
const fn plain(number: u32, name: &'static str, texel: Texel, typed: u32) -> Format {
    Format { number, name, texel: Some(texel), typed }
}

/// One whose texels nothing here looks into.
const fn opaque(number: u32, name: &'static str, typed: u32) -> Format {
    Format { number, name, texel: None, typed }
}

const FORMATS: [Format; 48] = [
    plain(1, "R32G32B32A32_TYPELESS", Texel::Floats(4), 2),
    plain(2, "R32G32B32A32_FLOAT", Texel::Floats(4), 2),
    plain(5, "R32G32B32_TYPELESS", Texel::Floats(3), 6),
    plain(6, "R32G32B32_FLOAT", Texel::Floats(3), 6),
    plain(9, "R16G16B16A16_TYPELESS", Texel::Halves(4), 10),
    plain(10, "R16G16B16A16_FLOAT", Texel::Halves(4), 10),
    plain(11, "R16G16B16A16_UNORM", Texel::Rgba16, 11),
    plain(12, "R16G16B16A16_UINT", Texel::Rgba16, 12),
    plain(15, "R32G32_TYPELESS", Texel::Floats(2), 16),
    plain(16, "R32G32_FLOAT", Texel::Floats(2), 16),
    plain(23, "R10G10B10A2_TYPELESS", Texel::Rgb10A2, 24),
    plain(24, "R10G10B10A2_UNORM", Texel::Rgb10A2, 24),
    plain(26, "R11G11B10_FLOAT", Texel::SmallFloats, 26),
    plain(27, "R8G8B8A8_TYPELESS", Texel::Rgba8, 28),
    plain(28, "R8G8B8A8_UNORM", Texel::Rgba8, 28),
    plain(29, "R8G8B8A8_UNORM_SRGB", Texel::Rgba8, 29),
    plain(30, "R8G8B8A8_UINT", Texel::Rgba8, 30),
    plain(33, "R16G16_TYPELESS", Texel::Halves(2), 34),
    plain(34, "R16G16_FLOAT", Texel::Halves(2), 34),
    plain(39, "R32_TYPELESS", Texel::Floats(1), 41),
    plain(40, "D32_FLOAT", Texel::Floats(1), 41),
    plain(41, "R32_FLOAT", Texel::Floats(1), 41),
    opaque(48, "R8G8_TYPELESS", 49),
    plain(53, "R16_TYPELESS", Texel::Grey16, 56),
    plain(54, "R16_FLOAT", Texel::Halves(1), 54),
    plain(55, "D16_UNORM", Texel::Grey16, 56),
    plain(56, "R16_UNORM", Texel::Grey16, 56),
    plain(57, "R16_UINT", Texel::Grey16, 57),
    plain(60, "R8_TYPELESS", Texel::Grey8, 61),
    plain(61, "R8_UNORM", Texel::Grey8, 61),
    plain(62, "R8_UINT", Texel::Grey8, 62),
    plain(65, "A8_UNORM", Texel::Grey8, 65),
    plain(67, "R9G9B9E5_SHAREDEXP", Texel::SharedExponent, 67),
    opaque(70, "BC1_TYPELESS", 71),
    opaque(73, "BC2_TYPELESS", 74),
    opaque(76, "BC3_TYPELESS", 77),
    opaque(79, "BC4_TYPELESS", 80),
    opaque(82, "BC5_TYPELESS", 83),
    plain(85, "B5G6R5_UNORM", Texel::Packed16, 85),
    plain(86, "B5G5R5A1_UNORM", Texel::Packed16, 86),
    plain(87, "B8G8R8A8_UNORM", Texel::Bgra8, 87),
    plain(88, "B8G8R8X8_UNORM", Texel::Bgrx8, 88),
    plain(90, "B8G8R8A8_TYPELESS", Texel::Bgra8, 87),
    plain(91, "B8G8R8A8_UNORM_SRGB", Texel::Bgra8, 91),
    plain(92, "B8G8R8X8_TYPELESS", Texel::Bgrx8, 88),
    plain(93, "B8G8R8X8_UNORM_SRGB", Texel::Bgrx8, 93),
    opaque(94, "BC6H_TYPELESS", 95),
    opaque(97, "BC7_TYPELESS", 98),
];

/// What is known of a `DXGI_FORMAT`.
pub(crate) fn known(number: u32) -> Option<&'static Format> {
    let at = FORMATS.binary_search_by_key(&number, |format| format.number).ok()?;
    Some(&FORMATS[at])
}

/// How the texels of a format lie.
pub(crate) fn texel(number: u32) -> Option<Texel> {
    known(number)?.texel
}

/// How the pixels of a format lie that can be presented.
pub(crate) fn presented(number: u32) -> Option<Texel> {
    known(number).filter(|_| is_presentable(number))?.texel
}

/// Formats with depth of 24 bits, and stencil.
const DEPTH24_STENCIL: std::ops::RangeInclusive<u32> = 44..=47;

/// The name of a plane; `None` for the only one.
pub(crate) fn plane_name(number: u32, plane: u32) -> Option<&'static str> {
    match plane {
        0 if has_stencil(number) => Some("depth"),
        _ if has_stencil(number) => Some("stencil"),
        0 if is_planar_video(number) => Some("luma"),
        1 if planes(number) == 2 => Some("chroma"),
        1 if is_planar_video(number) => Some("chroma-blue"),
        _ if is_planar_video(number) => Some("chroma-red"),
        _ => None,
    }
}

/// The format of one plane, with a type. Depth is a format of colour here, and of 24 bits it is floats.
pub(crate) fn typed(number: u32, plane: u32) -> u32 {
    const R32_FLOAT: u32 = 41;
    const R8_UINT: u32 = 62;
    const R16_UNORM: u32 = 56;
    const R16G16_UNORM: u32 = 35;
    const R8_UNORM: u32 = 61;
    const R8G8_UNORM: u32 = 49;
    match (number, plane) {
        // 24 bits of depth become floats, which hold them exactly.
        (_, 0) if has_stencil(number) => R32_FLOAT,
        _ if has_stencil(number) => R8_UINT,
        _ if is_planar_video(number) => {
            match (plane, format::of(number).and_then(|format| format.planes.get(plane as usize)).map(|it| it.bytes)) {
                (_, Some(4)) => R16G16_UNORM,
                (0, Some(2)) => R16_UNORM,
                (_, Some(2)) => R8G8_UNORM,
                _ => R8_UNORM,
            }
        }
        _ => known(number).map_or(number, |format| format.typed),
    }
}

/// Depth of 24 bits beside 8 unused ones.
pub(crate) fn is_depth24(number: u32) -> bool {
    DEPTH24_STENCIL.contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_types_are_final() {
        assert!(FORMATS.is_sorted_by(|one, next| one.number < next.number));
        for format in &FORMATS {
            assert_eq!(typed(format.typed, 0), format.typed, "{}", format.name);
            let same = texel(format.typed).is_none_or(|texel| Some(texel) == format.texel);
            assert!(same, "{} lies otherwise than its typed format", format.name);
            let texel = format.texel.map(Texel::bytes);
            assert!(texel.is_none_or(|bytes| Some(bytes) == format::texel_bytes(format.number)), "{}", format.name);
        }
    }

    #[test]
    fn planes_have_names_and_types() {
        assert_eq!((planes(45), plane_name(45, 0), plane_name(45, 1)), (2, Some("depth"), Some("stencil")));
        assert_eq!((planes(28), plane_name(28, 0)), (1, None));
        assert_eq!((planes(110), plane_name(110, 1), plane_name(132, 2)), (2, Some("chroma"), Some("chroma-red")));
        assert_eq!(
            [103, 104, 106, 110, 131].map(|it| (typed(it, 0), typed(it, 1))),
            [(61, 49), (56, 35), (61, 49), (61, 49), (61, 61)]
        );
        assert_eq!((typed(45, 0), typed(45, 1), typed(104, 1), typed(28, 0), typed(71, 0)), (41, 62, 35, 28, 71));
    }
}
