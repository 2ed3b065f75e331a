//! Textures with several samples a texel, and how the texels of each format are drawn.
//!
//! Pure: a table of formats. Invariant: the channels of a texel are its bits, none left out but for the eight beside a depth of 24.

use reprise_d3d12::types::{D3D12_RESOURCE_DESC1, D3D12_RESOURCE_FLAGS};

/// A texture with several samples a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Samples {
    /// `DXGI_FORMAT`.
    pub(crate) format: u32,
    /// In texels.
    pub(crate) size: (u32, u32),
    /// Elements of the array.
    pub(crate) slices: u32,
    /// Samples a texel, and the quality.
    pub(crate) count: (u32, u32),
    pub(crate) is_depth: bool,
}

impl Samples {
    /// Of a texture's description, where it has several.
    pub(crate) fn of(desc: &D3D12_RESOURCE_DESC1) -> Option<Samples> {
        (desc.SampleDesc.Count > 1).then(|| Samples {
            format: desc.Format.0 as u32,
            size: (u32::try_from(desc.Width).unwrap_or(u32::MAX), desc.Height),
            slices: desc.DepthOrArraySize.into(),
            count: (desc.SampleDesc.Count, desc.SampleDesc.Quality),
            is_depth: desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL.0 != 0,
        })
    }

    /// Whether there is a way to draw it.
    pub(crate) fn can_be_drawn(&self) -> bool {
        Texels::of(self.format, self.is_depth, 0).is_some()
    }
}

/// What a draw writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum What {
    Words,
    Floats,
    Depth,
    Stencil,
}

/// How channels become a colour, as the shader numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    RedFirst = 0,
    BlueFirst = 1,
    Alpha = 2,
    SmallFloats = 3,
    Float = 4,
}

/// How texels of a plane are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Texels {
    /// `DXGI_FORMAT` of the target: one that the texture can be copied from.
    pub(crate) family: u32,
    /// `DXGI_FORMAT` of its view.
    pub(crate) view: u32,
    pub(crate) what: What,
    pub(crate) order: Order,
    /// Bits of each channel, from the lowest on.
    pub(crate) widths: &'static [u32],
    /// Bits of a texel.
    pub(crate) bits: u32,
}

impl Texels {
    /// Of a plane of such a format, where there is a way.
    pub(crate) fn of(format: u32, is_depth: bool, plane: u32) -> Option<Texels> {
        use Order::{Alpha, BlueFirst, Float, RedFirst, SmallFloats};
        use What::{Depth, Floats, Stencil, Words};
        let (family, view, what, order, widths): (_, _, _, _, &[u32]) = match (format, plane) {
            (1..=4, 0) => (1, 3, Words, RedFirst, &[32; 4]),
            (9..=14, 0) => (9, 12, Words, RedFirst, &[16; 4]),
            (15..=18, 0) => (15, 17, Words, RedFirst, &[32; 2]),
            (19..=22, 0) => (19, 20, Depth, Float, &[32]),
            (19..=22, 1) => (19, 20, Stencil, RedFirst, &[8]),
            (23..=25, 0) => (23, 25, Words, RedFirst, &[10, 10, 10, 2]),
            (26, 0) => (26, 26, Floats, SmallFloats, &[11, 11, 10]),
            (27..=32, 0) => (27, 30, Words, RedFirst, &[8; 4]),
            (33..=38, 0) => (33, 36, Words, RedFirst, &[16; 2]),
            (39..=43, 0) if is_depth => (39, 40, Depth, Float, &[32]),
            (39..=43, 0) => (39, 42, Words, RedFirst, &[32]),
            (44..=47, 0) => (44, 45, Depth, RedFirst, &[24]),
            (44..=47, 1) => (44, 45, Stencil, RedFirst, &[8]),
            (48..=52, 0) => (48, 50, Words, RedFirst, &[8; 2]),
            (53..=59, 0) if is_depth => (53, 55, Depth, RedFirst, &[16]),
            (53..=59, 0) => (53, 57, Words, RedFirst, &[16]),
            (60..=64, 0) => (60, 62, Words, RedFirst, &[8]),
            (65, 0) => (65, 65, Floats, Alpha, &[8]),
            (85, 0) => (85, 85, Floats, BlueFirst, &[5, 6, 5]),
            (86, 0) => (86, 86, Floats, BlueFirst, &[5, 5, 5, 1]),
            (87 | 90 | 91, 0) => (90, 87, Floats, BlueFirst, &[8; 4]),
            (88 | 92 | 93, 0) => (92, 88, Floats, BlueFirst, &[8; 4]),
            (115, 0) => (115, 115, Floats, BlueFirst, &[4; 4]),
            _ => return None,
        };
        // 24 bits of depth have a word.
        let bits = if widths == [24] { 32 } else { widths.iter().sum() };
        Some(Texels { family, view, what, order, widths, bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_fill_texels_and_lie_in_one_word() {
        for (format, is_depth, plane) in
            (0..=115).flat_map(|format| [(format, false, 0), (format, true, 0), (format, true, 1)])
        {
            let Some(texels) = Texels::of(format, is_depth, plane) else { continue };
            assert!(texels.bits.is_power_of_two() && texels.bits >= 8, "{format}: {texels:?}");
            let mut at = 0;
            for bits in texels.widths {
                assert!(at % 32 + bits <= 32, "{format}: {texels:?}");
                at += bits;
            }
            assert!(at == texels.bits || at == 24, "{format}: {texels:?}");
        }
    }
}
