//! Textures with several samples a texel: the views by which shaders read and draw all bits of their texels, which no copy reaches.
//!
//! Pure: a table of formats. Invariant: the channels of a texel are its bits, none left out but for the eight beside a depth of 24.

/// How a shader has the bits of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Channels {
    /// As whole numbers, red in the lowest bits.
    Words,
    /// As floats from 0 to 1, blue in the lowest bits.
    BlueFirst,
    /// As a float from 0 to 1, in alpha.
    Alpha,
    /// As the floats of 11, 11 and 10 bits that they are.
    SmallFloats,
    /// As a depth: a float of 32 bits, or steps from 0 to 1 in fewer.
    Depth,
    /// As a stencil: the second word of what is read.
    Stencil,
}

/// How texels of a plane are read and drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// `DXGI_FORMAT` of a texture that the format can be copied to and from, and that has both views.
    pub family: u32,
    /// `DXGI_FORMAT` of the view to read it by.
    pub read: u32,
    /// `DXGI_FORMAT` of the view to draw to it by.
    pub drawn: u32,
    /// What a shader gets by the one, and gives by the other.
    pub channels: Channels,
    /// Bits of each channel, from the lowest on.
    pub widths: &'static [u32],
}

impl Access {
    /// Of a plane of a texture of a `DXGI_FORMAT`, where there is a way. `is_depth`: it may be a depth buffer.
    pub fn of(format: u32, is_depth: bool, plane: u32) -> Option<Access> {
        use Channels::{Alpha, BlueFirst, Depth, SmallFloats, Stencil, Words};
        let (family, read, drawn, channels, widths): (_, _, _, _, &[u32]) = match (format, plane) {
            (1..=4, 0) => (1, 3, 3, Words, &[32; 4]),
            (9..=14, 0) => (9, 12, 12, Words, &[16; 4]),
            (15..=18, 0) => (15, 17, 17, Words, &[32; 2]),
            (19..=22, 0) => (19, 21, 20, Depth, &[32]),
            (19..=22, 1) => (19, 22, 20, Stencil, &[8]),
            (23..=25, 0) => (23, 25, 25, Words, &[10, 10, 10, 2]),
            (26, 0) => (26, 26, 26, SmallFloats, &[11, 11, 10]),
            (27..=32, 0) => (27, 30, 30, Words, &[8; 4]),
            (33..=38, 0) => (33, 36, 36, Words, &[16; 2]),
            (39..=43, 0) if is_depth => (39, 41, 40, Depth, &[32]),
            (39..=43, 0) => (39, 42, 42, Words, &[32]),
            (44..=47, 0) => (44, 46, 45, Depth, &[24]),
            (44..=47, 1) => (44, 47, 45, Stencil, &[8]),
            (48..=52, 0) => (48, 50, 50, Words, &[8; 2]),
            (53..=59, 0) if is_depth => (53, 56, 55, Depth, &[16]),
            (53..=59, 0) => (53, 57, 57, Words, &[16]),
            (60..=64, 0) => (60, 62, 62, Words, &[8]),
            (65, 0) => (65, 65, 65, Alpha, &[8]),
            (85, 0) => (85, 85, 85, BlueFirst, &[5, 6, 5]),
            (86, 0) => (86, 86, 86, BlueFirst, &[5, 5, 5, 1]),
            (87 | 90 | 91, 0) => (90, 87, 87, BlueFirst, &[8; 4]),
            (88 | 92 | 93, 0) => (92, 88, 88, BlueFirst, &[8; 4]),
            (115, 0) => (115, 115, 115, BlueFirst, &[4; 4]),
            _ => return None,
        };
        Some(Access { family, read, drawn, channels, widths })
    }

    /// Bits of a texel. A depth of 24 has a word.
    pub fn bits(&self) -> u32 {
        if self.widths == [24] { 32 } else { self.widths.iter().sum() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Kind, Layout};

    /// Against the names of the formats, which say how wide each channel is and where it lies.
    #[test]
    fn widths_are_those_of_the_names() {
        for (format, is_depth, plane) in
            (0..=115).flat_map(|format| [(format, false, 0), (format, true, 0), (format, true, 1)])
        {
            let Some(access) = Access::of(format, is_depth, plane) else { continue };
            // Formats of views alone: each names one of the planes.
            if [21, 22, 46, 47].contains(&format) {
                continue;
            }
            let Layout::Packed { bytes, channels, .. } = Layout::of(format, plane).unwrap() else {
                panic!("{format}: not packed")
            };
            assert_eq!(access.bits(), 8 * bytes, "{format}");
            let mut named: Vec<_> = channels.into_iter().filter(|(_, width)| *width > 0).collect();
            named.sort_unstable();
            let widths: Vec<u32> = named.iter().map(|(_, width)| u32::from(*width)).collect();
            assert!(widths == access.widths || widths == [8; 3] && access.widths == [8; 4], "{format}: {widths:?}");
            let blue_is_first = channels[2] == (0, channels[2].1) && channels[2].1 > 0;
            assert_eq!(access.channels == Channels::BlueFirst, blue_is_first, "{format}");
            assert_eq!(access.channels == Channels::Alpha, named.len() == 1 && named[0] == channels[3], "{format}");
        }
    }

    /// Whole numbers are read and drawn as such; everything else by views that are floats to a shader, but for stencils.
    #[test]
    fn views_give_what_the_channels_say() {
        for format in 0..=115 {
            for (is_depth, plane) in [(false, 0), (true, 0), (true, 1)] {
                let Some(access) = Access::of(format, is_depth, plane) else { continue };
                let Layout::Packed { kind, .. } = Layout::of(access.read, plane).unwrap() else { panic!("{format}") };
                let is_number = matches!(access.channels, Channels::Words | Channels::Stencil);
                assert_eq!(kind == Kind::Uint, is_number, "{format}");
                if access.channels == Channels::Words {
                    assert_eq!(access.read, access.drawn, "{format}");
                }
            }
        }
    }
}
