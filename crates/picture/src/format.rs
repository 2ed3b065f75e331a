//! Formats of texels, read from their names in the API: `B5G6R5_UNORM` says which channels there are from the lowest bit on, how wide
//! each is, and what its bits mean.

use reprise_d3d12::MODEL;

/// What the bits of a channel mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A whole number of steps from 0 to 1.
    Unorm,
    /// A whole number of steps from -1 to 1.
    Snorm,
    /// A whole number.
    Uint,
    /// A whole number with a sign.
    Sint,
    /// A float.
    Float,
    /// Depth: a float, or steps from 0 to 1.
    Depth,
}

/// How a texel, or a block of them, lies in memory. Numbers are little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// Channels one after another, from the lowest bit on.
    Packed {
        /// Bytes of a texel.
        bytes: u32,
        /// Lowest bit and width of red, green, blue and alpha; a width of 0 where there is no such channel.
        channels: [(u8, u8); 4],
        /// Of each channel.
        kind: Kind,
        /// Colours are encoded as sRGB has them.
        srgb: bool,
    },
    /// `R9G9B9E5_SHAREDEXP`: each is n · 2^(e - 24).
    SharedExponent,
    /// Blocks of 4 by 4 texels; the number is that of the format's name.
    Blocks {
        /// 1 to 7.
        number: u8,
        /// `SNORM` or `SF16`.
        signed: bool,
        /// Colours are encoded as sRGB has them.
        srgb: bool,
    },
}

impl Layout {
    /// Of a `DXGI_FORMAT`; of one that has planes, of this plane. A format without a type is read as what it is used for most.
    ///
    /// # Errors
    /// The format is not known, or nothing here reads it.
    pub fn of(format: u32, plane: u32) -> Result<Self, String> {
        let name = format_name(format).ok_or_else(|| format!("no format has the number {format}"))?;
        let cannot = || format!("texels of {name} are not understood here; their bytes can be had as they are");
        match (name, plane) {
            ("R32G8X24_TYPELESS" | "D32_FLOAT_S8X24_UINT" | "R32_FLOAT_X8X24_TYPELESS", 0) | ("D32_FLOAT", _) => {
                return Ok(Self::single(4, 32, Kind::Depth));
            }
            ("R24G8_TYPELESS" | "D24_UNORM_S8_UINT" | "R24_UNORM_X8_TYPELESS", 0) => {
                return Ok(Self::single(4, 24, Kind::Depth));
            }
            ("D16_UNORM", _) => return Ok(Self::single(2, 16, Kind::Depth)),
            (
                "R32G8X24_TYPELESS"
                | "D32_FLOAT_S8X24_UINT"
                | "R32_FLOAT_X8X24_TYPELESS"
                | "X32_TYPELESS_G8X24_UINT"
                | "R24G8_TYPELESS"
                | "D24_UNORM_S8_UINT"
                | "R24_UNORM_X8_TYPELESS"
                | "X24_TYPELESS_G8_UINT",
                _,
            ) => return Ok(Self::single(1, 8, Kind::Uint)),
            ("NV12" | "420_OPAQUE" | "P010" | "P016", plane) => {
                let (bytes, width) = if matches!(name, "P010" | "P016") { (2, 16) } else { (1, 8) };
                let second = if plane == 0 { (0, 0) } else { (width, width) };
                let (bytes, kind) = (bytes << u32::from(plane != 0), Kind::Unorm);
                let channels = [(0, width), second, (0, 0), (0, 0)];
                return Ok(Self::Packed { bytes, channels, kind, srgb: false });
            }
            ("R9G9B9E5_SHAREDEXP", _) => return Ok(Self::SharedExponent),
            _ => {}
        }
        if let Some(block) = name.strip_prefix("BC") {
            let number = block.bytes().next().map(|digit| digit - b'0').filter(|number| (1..=7).contains(number));
            let (signed, srgb) = (block.contains("SNORM") || block.ends_with("SF16"), block.ends_with("SRGB"));
            return Ok(Self::Blocks { number: number.ok_or_else(cannot)?, signed, srgb });
        }
        let (channels, rest) = name.split_once('_').ok_or_else(cannot)?;
        let srgb = rest == "UNORM_SRGB";
        let (channels, bits) = channels_of(channels).ok_or_else(cannot)?;
        let widest = channels.iter().map(|(_, width)| *width).max().unwrap_or(0);
        let count = channels.iter().filter(|(_, width)| *width > 0).count();
        let kind = match rest {
            "UNORM" | "UNORM_SRGB" => Kind::Unorm,
            "SNORM" => Kind::Snorm,
            "UINT" => Kind::Uint,
            "SINT" => Kind::Sint,
            "FLOAT" => Kind::Float,
            "TYPELESS" if widest == 32 || widest == 16 && count > 1 => Kind::Float,
            "TYPELESS" => Kind::Unorm,
            _ => return Err(cannot()),
        };
        // A float of other widths is none that anything here reads.
        let sound = kind != Kind::Float || channels.iter().all(|(_, width)| matches!(width, 0 | 10 | 11 | 16 | 32));
        if !sound || bits % 8 != 0 || bits > 128 {
            return Err(cannot());
        }
        Ok(Self::Packed { bytes: bits / 8, channels, kind, srgb })
    }

    /// One channel.
    fn single(bytes: u32, width: u8, kind: Kind) -> Self {
        Self::Packed { bytes, channels: [(0, width), (0, 0), (0, 0), (0, 0)], kind, srgb: false }
    }

    /// Bytes of a texel, or of a block.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Packed { bytes, .. } => bytes,
            Self::SharedExponent => 4,
            Self::Blocks { number: 1 | 4, .. } => 8,
            Self::Blocks { .. } => 16,
        }
    }

    /// What its channels mean.
    pub fn kind(self) -> Kind {
        match self {
            Self::Packed { kind, .. } => kind,
            Self::SharedExponent | Self::Blocks { number: 6, .. } => Kind::Float,
            Self::Blocks { signed: true, .. } => Kind::Snorm,
            Self::Blocks { .. } => Kind::Unorm,
        }
    }

    /// Whether there are red, green, blue and alpha.
    pub fn channels(self) -> [bool; 4] {
        match self {
            Self::Packed { channels, .. } => channels.map(|(_, width)| width > 0),
            Self::SharedExponent | Self::Blocks { number: 6, .. } => [true, true, true, false],
            Self::Blocks { number: 4, .. } => [true, false, false, false],
            Self::Blocks { number: 5, .. } => [true, true, false, false],
            Self::Blocks { .. } => [true; 4],
        }
    }

    /// Whether colours are encoded as sRGB has them.
    pub fn is_srgb(self) -> bool {
        matches!(self, Self::Packed { srgb: true, .. } | Self::Blocks { srgb: true, .. })
    }

    /// The most bits that a channel has.
    pub fn depth(self) -> u8 {
        match self {
            Self::Packed { channels, .. } => channels.iter().map(|(_, width)| *width).max().unwrap_or(0),
            Self::SharedExponent | Self::Blocks { number: 6, .. } => 16,
            Self::Blocks { .. } => 8,
        }
    }
}

/// Letters and widths as in `R10G10B10A2`; and all bits, those without a meaning among them.
fn channels_of(text: &str) -> Option<([(u8, u8); 4], u32)> {
    let mut channels = [(0, 0); 4];
    let mut at = 0u32;
    let mut rest = text;
    while let Some(letter) = rest.bytes().next() {
        let end = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
        let width: u8 = rest[1..end].parse().ok()?;
        let channel = match letter {
            b'R' => Some(0),
            b'G' => Some(1),
            b'B' => Some(2),
            b'A' => Some(3),
            b'X' => None,
            _ => return None,
        };
        if let Some(channel) = channel {
            channels[channel] = (u8::try_from(at).ok()?, width);
        }
        at += u32::from(width);
        rest = &rest[end..];
    }
    Some((channels, at))
}

/// The format of colour, with a type, that the texels of a plane have in a file: that which they are read as.
///
/// # Errors
/// As [`Layout::of`].
pub fn file_format(format: u32, plane: u32) -> Result<u32, String> {
    let layout = Layout::of(format, plane)?;
    let name = format_name(format).unwrap_or_default();
    let of = |name: &str| format_number(name).ok_or_else(|| format!("no file has texels of {name}"));
    match layout {
        Layout::Packed { kind: Kind::Depth, bytes, .. } => of(if bytes == 2 { "R16_UNORM" } else { "R32_FLOAT" }),
        Layout::Packed { kind: Kind::Uint, bytes: 1, .. } => of("R8_UINT"),
        Layout::Packed { bytes, channels, .. } if matches!(name, "NV12" | "420_OPAQUE" | "P010" | "P016") => {
            let two = channels[1].1 > 0;
            of(match (bytes, two) {
                (1, _) => "R8_UNORM",
                (2, true) => "R8G8_UNORM",
                (2, false) => "R16_UNORM",
                _ => "R16G16_UNORM",
            })
        }
        Layout::Blocks { number: 6, .. } if name.ends_with("TYPELESS") => of("BC6H_UF16"),
        _ if name.ends_with("TYPELESS") => {
            let ending = if layout.kind() == Kind::Float { "FLOAT" } else { "UNORM" };
            of(&name.replace("TYPELESS", ending))
        }
        _ => Ok(format),
    }
}

fn formats() -> &'static [(&'static str, i64)] {
    const FORMAT: reprise_d3d12::model::EnumId = reprise_d3d12::lookup::enum_("DXGI_FORMAT");
    MODEL.enums.get(usize::from(FORMAT.0)).map_or(&[], |formats| formats.members)
}

/// Without the `DXGI_FORMAT_`.
pub fn format_name(number: u32) -> Option<&'static str> {
    let (name, _) = formats().iter().find(|(_, value)| *value == i64::from(number))?;
    Some(name.strip_prefix("DXGI_FORMAT_").unwrap_or(name))
}

/// The format of a name, with or without the `DXGI_FORMAT_`, in any case.
pub fn format_number(name: &str) -> Option<u32> {
    let name = name.to_ascii_uppercase();
    let name = name.strip_prefix("DXGI_FORMAT_").unwrap_or(&name);
    let (_, value) = formats().iter().find(|(other, _)| other.strip_prefix("DXGI_FORMAT_").unwrap_or(other) == name)?;
    u32::try_from(*value).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::format;

    /// Texels are as large as the API's table of formats says.
    #[test]
    fn bytes_are_those_of_the_table() {
        let mut count = 0;
        for number in 1..192 {
            for (plane, facts) in (0..).zip(format::of(number).map_or(&[][..], |format| format.planes)) {
                // Views of stencil show it whichever plane is named.
                let Ok(layout) = Layout::of(number, plane) else { continue };
                if !(matches!(number, 22 | 47) && plane == 0) {
                    assert_eq!(layout.bytes(), u32::from(facts.bytes), "format {number}, plane {plane}");
                    count += 1;
                }
            }
        }
        assert!(count > 90, "{count}");
    }

    #[test]
    fn names_say_how_texels_lie() {
        let packed = |number| match Layout::of(number, 0).unwrap() {
            Layout::Packed { bytes, channels, kind, srgb } => (bytes, channels, kind, srgb),
            other => panic!("{other:?}"),
        };
        assert_eq!(packed(24), (4, [(0, 10), (10, 10), (20, 10), (30, 2)], Kind::Unorm, false));
        assert_eq!(packed(91), (4, [(16, 8), (8, 8), (0, 8), (24, 8)], Kind::Unorm, true));
        assert_eq!(packed(88), (4, [(16, 8), (8, 8), (0, 8), (0, 0)], Kind::Unorm, false));
        assert_eq!(packed(85), (2, [(11, 5), (5, 6), (0, 5), (0, 0)], Kind::Unorm, false));
        assert_eq!(packed(26), (4, [(0, 11), (11, 11), (22, 10), (0, 0)], Kind::Float, false));
        assert_eq!(packed(65), (1, [(0, 0), (0, 0), (0, 0), (0, 8)], Kind::Unorm, false));
        assert_eq!(packed(191), (2, [(12, 4), (8, 4), (4, 4), (0, 4)], Kind::Unorm, false));
        assert_eq!(packed(3), (16, [(0, 32), (32, 32), (64, 32), (96, 32)], Kind::Uint, false));
        // DXGI_FORMAT_D24_UNORM_S8_UINT, its planes.
        assert_eq!(Layout::of(45, 0).unwrap(), Layout::single(4, 24, Kind::Depth));
        assert_eq!(Layout::of(45, 1).unwrap(), Layout::single(1, 8, Kind::Uint));
        assert_eq!(Layout::of(96, 0).unwrap(), Layout::Blocks { number: 6, signed: true, srgb: false });
    }

    #[test]
    fn every_format_is_read_or_refused_by_name() {
        let refused = (1..=191).filter_map(|number| format_name(number).filter(|_| Layout::of(number, 0).is_err()));
        let refused: Vec<&str> = refused.collect();
        let expected = [
            "R1_UNORM",
            "R8G8_B8G8_UNORM",
            "G8R8_G8B8_UNORM",
            "R10G10B10_XR_BIAS_A2_UNORM",
            "AYUV",
            "Y410",
            "Y416",
            "YUY2",
            "Y210",
            "Y216",
            "NV11",
            "AI44",
            "IA44",
            "P8",
            "A8P8",
            "P208",
            "V208",
            "V408",
        ];
        for name in &refused {
            assert!(expected.contains(name) || name.starts_with("SAMPLER_FEEDBACK"), "{name} is not read");
        }
        assert_eq!(format_number("dxgi_format_r8_uint"), Some(62));
        for number in (1..=191).filter(|number| Layout::of(*number, 0).is_ok()) {
            let of_file = file_format(number, 0).unwrap();
            assert_eq!(file_format(of_file, 0).unwrap(), of_file, "{:?}", format_name(number));
            let (one, other) = (Layout::of(number, 0).unwrap(), Layout::of(of_file, 0).unwrap());
            assert_eq!(one.channels(), other.channels(), "{:?}", format_name(number));
        }
    }
}
