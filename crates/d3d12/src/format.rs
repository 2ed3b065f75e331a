//! Formats of texels: blocks, planes and bytes. The one statement of them: codec, timeline, lint, replay, pictures and our runtime ask here.
//!
//! Invariant: a number that is no format has no facts; nothing is guessed.

/// A plane of a format, in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plane {
    /// Bytes of a block.
    pub bytes: u8,
    /// Of how many texels of the first plane, as a logarithm, one stands for: across.
    pub across: u8,
    /// Down.
    pub down: u8,
}

/// A format, in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Texels of a block, across.
    pub block_width: u8,
    /// Down.
    pub block_height: u8,
    /// From 1 to 3.
    pub planes: &'static [Plane],
}

const fn plane(bytes: u8, across: u8, down: u8) -> Plane {
    Plane { bytes, across, down }
}

/// One plane of blocks that are texels, by the bytes of a texel.
const TEXELS: [&[Plane]; 17] = {
    const EACH: [[Plane; 1]; 17] = {
        let (mut each, mut bytes) = ([[plane(0, 0, 0)]; 17], 0);
        while bytes < 17 {
            each[bytes] = [plane(bytes as u8, 0, 0)];
            bytes += 1;
        }
        each
    };
    let (mut all, mut bytes): ([&[Plane]; 17], usize) = ([&[]; 17], 0);
    while bytes < 17 {
        all[bytes] = &EACH[bytes];
        bytes += 1;
    }
    all
};
const DEPTH_STENCIL: &[Plane] = &[plane(4, 0, 0), plane(1, 0, 0)];
/// Luma, and chroma at half of its width and height.
const VIDEO_8: &[Plane] = &[plane(1, 0, 0), plane(2, 1, 1)];
const VIDEO_16: &[Plane] = &[plane(2, 0, 0), plane(4, 1, 1)];
/// Chroma at a quarter of the width, and at half of it.
const VIDEO_411: &[Plane] = &[plane(1, 0, 0), plane(2, 2, 0)];
const VIDEO_422: &[Plane] = &[plane(1, 0, 0), plane(2, 1, 0)];
/// Both colours in planes of their own: at half of the height, and whole.
const VIDEO_440: &[Plane] = &[plane(1, 0, 0), plane(1, 0, 1), plane(1, 0, 1)];
const VIDEO_444: &[Plane] = &[plane(1, 0, 0), plane(1, 0, 0), plane(1, 0, 0)];

/// The format with this `DXGI_FORMAT`'s number; `None` for `UNKNOWN` and for numbers that are no format.
#[must_use]
pub const fn of(number: u32) -> Option<Format> {
    let (block_width, block_height, planes) = match number {
        1..=4 => (1, 1, TEXELS[16]),
        5..=8 => (1, 1, TEXELS[12]),
        9..=18 | 102 => (1, 1, TEXELS[8]),
        19..=22 | 44..=47 => (1, 1, DEPTH_STENCIL),
        23..=43 | 67 | 87..=93 | 100 | 101 => (1, 1, TEXELS[4]),
        48..=59 | 85 | 86 | 114 | 115 | 191 => (1, 1, TEXELS[2]),
        60..=65 | 111..=113 | 189 | 190 => (1, 1, TEXELS[1]),
        66 => (8, 1, TEXELS[1]),
        68 | 69 | 107 => (2, 1, TEXELS[4]),
        70..=72 | 79..=81 => (4, 4, TEXELS[8]),
        73..=78 | 82..=84 | 94..=99 => (4, 4, TEXELS[16]),
        103 | 106 => (1, 1, VIDEO_8),
        104 | 105 => (1, 1, VIDEO_16),
        108 | 109 => (2, 1, TEXELS[8]),
        110 => (1, 1, VIDEO_411),
        130 => (1, 1, VIDEO_422),
        131 => (1, 1, VIDEO_440),
        132 => (1, 1, VIDEO_444),
        _ => return None,
    };
    Some(Format { block_width, block_height, planes })
}

/// How many planes a format has (`D3D12_FEATURE_DATA_FORMAT_INFO::PlaneCount`); 1 where it is not known.
#[must_use]
pub const fn planes(number: u32) -> u32 {
    match of(number) {
        Some(format) => format.planes.len() as u32,
        None => 1,
    }
}

/// Bytes of one texel; `None` where a block is more than one, where there are several planes, and of no format.
#[must_use]
pub const fn texel_bytes(number: u32) -> Option<u32> {
    match of(number) {
        Some(Format { block_width: 1, block_height: 1, planes: [plane] }) => Some(plane.bytes as u32),
        _ => None,
    }
}

/// Whether pictures of frames can have a format: those that swap chains can have somewhere, and typeless ones that stand for them.
#[must_use]
pub const fn is_presentable(number: u32) -> bool {
    matches!(number, 2 | 9..=11 | 24 | 26..=29 | 85..=88 | 90 | 91 | 93)
}

/// Whether a format has depth and stencil, in planes of their own.
#[must_use]
pub const fn has_stencil(number: u32) -> bool {
    matches!(number, 19..=22 | 44..=47)
}

/// Whether a format is one of video, with luma and chroma in planes of their own.
#[must_use]
pub const fn is_planar_video(number: u32) -> bool {
    planes(number) > 1 && !has_stencil(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MODEL, enum_};

    fn members() -> &'static [(&'static str, i64)] {
        MODEL.enums[usize::from(enum_("DXGI_FORMAT").0)].members
    }

    /// By hand, from the documentation of `DXGI_FORMAT` and of the formats of video (bits of a texel or of a block, texels of a block) and
    /// from what `D3D12_FEATURE_FORMAT_INFO` answers (planes). The end of a name decides nothing, so names stand without it.
    const DOCUMENTED: &[(&str, u32, (u8, u8))] = &[
        ("R32G32B32A32", 128, (1, 1)),
        ("R32G32B32", 96, (1, 1)),
        ("R16G16B16A16", 64, (1, 1)),
        ("R32G32", 64, (1, 1)),
        ("R10G10B10A2", 32, (1, 1)),
        ("R10G10B10_XR_BIAS_A2", 32, (1, 1)),
        ("R11G11B10", 32, (1, 1)),
        ("R8G8B8A8", 32, (1, 1)),
        ("R16G16", 32, (1, 1)),
        ("R32", 32, (1, 1)),
        ("D32", 32, (1, 1)),
        ("R8G8", 16, (1, 1)),
        ("R16", 16, (1, 1)),
        ("D16", 16, (1, 1)),
        ("R8", 8, (1, 1)),
        ("A8", 8, (1, 1)),
        ("R1", 8, (8, 1)),
        ("R9G9B9E5", 32, (1, 1)),
        ("R8G8_B8G8", 32, (2, 1)),
        ("G8R8_G8B8", 32, (2, 1)),
        ("BC1", 64, (4, 4)),
        ("BC2", 128, (4, 4)),
        ("BC3", 128, (4, 4)),
        ("BC4", 64, (4, 4)),
        ("BC5", 128, (4, 4)),
        ("B5G6R5", 16, (1, 1)),
        ("B5G5R5A1", 16, (1, 1)),
        ("B8G8R8A8", 32, (1, 1)),
        ("B8G8R8X8", 32, (1, 1)),
        ("BC6H", 128, (4, 4)),
        ("BC7", 128, (4, 4)),
        ("AYUV", 32, (1, 1)),
        ("Y410", 32, (1, 1)),
        ("Y416", 64, (1, 1)),
        ("YUY2", 32, (2, 1)),
        ("Y210", 64, (2, 1)),
        ("Y216", 64, (2, 1)),
        ("AI44", 8, (1, 1)),
        ("IA44", 8, (1, 1)),
        ("P8", 8, (1, 1)),
        ("A8P8", 16, (1, 1)),
        ("B4G4R4A4", 16, (1, 1)),
        ("A4B4G4R4", 16, (1, 1)),
        ("SAMPLER_FEEDBACK_MIN_MIP", 8, (1, 1)),
        ("SAMPLER_FEEDBACK_MIP_REGION_USED", 8, (1, 1)),
    ];
    /// Bits of a texel, and how many texels of the first plane one stands for, across and down.
    type Plane = (u32, u32, u32);
    /// Formats with planes: bits of a texel of each, and how many texels of the first plane one stands for, across and down.
    const DOCUMENTED_PLANES: &[(&str, &[Plane])] = &[
        ("R32G8X24_TYPELESS", &[(32, 1, 1), (8, 1, 1)]),
        ("D32_FLOAT_S8X24_UINT", &[(32, 1, 1), (8, 1, 1)]),
        ("R32_FLOAT_X8X24_TYPELESS", &[(32, 1, 1), (8, 1, 1)]),
        ("X32_TYPELESS_G8X24_UINT", &[(32, 1, 1), (8, 1, 1)]),
        ("R24G8_TYPELESS", &[(32, 1, 1), (8, 1, 1)]),
        ("D24_UNORM_S8_UINT", &[(32, 1, 1), (8, 1, 1)]),
        ("R24_UNORM_X8_TYPELESS", &[(32, 1, 1), (8, 1, 1)]),
        ("X24_TYPELESS_G8_UINT", &[(32, 1, 1), (8, 1, 1)]),
        ("NV12", &[(8, 1, 1), (16, 2, 2)]),
        ("P010", &[(16, 1, 1), (32, 2, 2)]),
        ("P016", &[(16, 1, 1), (32, 2, 2)]),
        ("420_OPAQUE", &[(8, 1, 1), (16, 2, 2)]),
        ("NV11", &[(8, 1, 1), (16, 4, 1)]),
        ("P208", &[(8, 1, 1), (16, 2, 1)]),
        ("V208", &[(8, 1, 1), (8, 1, 2), (8, 1, 2)]),
        ("V408", &[(8, 1, 1), (8, 1, 1), (8, 1, 1)]),
    ];
    const ENDS: [&str; 11] = [
        "_TYPELESS",
        "_FLOAT",
        "_UINT",
        "_SINT",
        "_UNORM",
        "_SNORM",
        "_UNORM_SRGB",
        "_SHAREDEXP",
        "_UF16",
        "_SF16",
        "_OPAQUE",
    ];

    #[test]
    fn every_format_is_as_documented() {
        let formats = members().iter().filter(|(_, number)| !matches!(number, 0 | -1));
        let mut count = 0;
        for (name, number) in formats {
            let (number, name) = (*number as u32, name.trim_start_matches("DXGI_FORMAT_"));
            let format = of(number).unwrap_or_else(|| panic!("{name} has no facts"));
            let block = (format.block_width, format.block_height);
            let planes =
                format.planes.iter().map(|plane| (8 * u32::from(plane.bytes), 1 << plane.across, 1 << plane.down));
            let planes: Vec<(u32, u32, u32)> = planes.collect();
            match DOCUMENTED_PLANES.iter().find(|(planar, _)| *planar == name) {
                Some((_, documented)) => assert_eq!((&planes[..], block), (*documented, (1, 1)), "{name}"),
                None => {
                    let end = ENDS.iter().filter(|end| name.ends_with(**end)).max_by_key(|end| end.len());
                    let start = name.strip_suffix(end.map_or("", |end| end)).unwrap_or(name);
                    let documented = DOCUMENTED.iter().find(|(of, ..)| *of == start);
                    let (_, bits, texels) = documented.unwrap_or_else(|| panic!("{name} is not documented here"));
                    assert_eq!((&planes[..], block), (&[(*bits, 1, 1)][..], *texels), "{name}");
                }
            }
            assert_eq!(super::planes(number) as usize, planes.len());
            count += 1;
        }
        assert_eq!(count, 121);
    }

    #[test]
    fn what_is_no_format_has_no_facts() {
        let named = |number: u32| members().iter().any(|(_, named)| *named == i64::from(number));
        for number in (0..300).filter(|number| *number == 0 || !named(*number)) {
            assert_eq!((of(number), texel_bytes(number)), (None, None), "{number}");
        }
        assert_eq!(of(u32::MAX), None);
    }

    #[test]
    fn texels_and_planes_are_told_apart() {
        let texels = [28, 71, 66, 103, 45, 191].map(texel_bytes);
        assert_eq!(texels, [Some(4), None, None, None, None, Some(2)]);
        assert_eq!(
            [45, 103, 28, 110].map(|it| (has_stencil(it), is_planar_video(it))),
            [(true, false), (false, true), (false, false), (false, true)]
        );
    }
}
