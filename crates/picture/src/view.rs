//! From values to a picture: which channels, and which values are black and white.

use std::str::FromStr;

use crate::format::Kind;
use crate::image::Image;
use crate::srgb::encoded;
use crate::texels::Texels;

/// The channels that a picture shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channels([bool; 4]);

impl Channels {
    /// Those that are shown of these.
    pub fn shown(self, there: [bool; 4]) -> [bool; 4] {
        std::array::from_fn(|channel| self.0[channel] && there[channel])
    }
}

impl Default for Channels {
    /// Colours, and no alpha.
    fn default() -> Self {
        Self([true, true, true, false])
    }
}

impl FromStr for Channels {
    type Err = String;

    /// Some of the letters `rgba`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut channels = [false; 4];
        for letter in text.chars() {
            let at = "rgba".find(letter.to_ascii_lowercase());
            channels[at.ok_or_else(|| format!("{text:?} names no channels: write some of rgba, as in rgb or a"))?] =
                true;
        }
        if channels == [false; 4] {
            return Err("no channel is named: write some of rgba, as in rgb or a".into());
        }
        Ok(Self(channels))
    }
}

/// How values become a picture.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Mapping {
    /// What is black, and what is white; `None`: what the format says.
    pub range: Option<(f64, f64)>,
    /// The least and the greatest value that there are, in place of `range`.
    pub auto: bool,
    /// Where `auto` is set: each channel has a range of its own.
    pub each: bool,
    /// Which are shown.
    pub channels: Channels,
    /// Floats of three and four channels are shown as they are, and not encoded as sRGB has them.
    pub linear: bool,
}

impl Mapping {
    /// What is black, and what is white.
    pub fn range_of(&self, texels: &Texels) -> (f64, f64) {
        self.range_of_channels(texels, self.channels)
    }

    /// The same of each channel.
    pub fn ranges_of(&self, texels: &Texels) -> [(f64, f64); 4] {
        match self.auto && self.each {
            true => std::array::from_fn(|channel| {
                self.range_of_channels(texels, Channels(std::array::from_fn(|other| other == channel)))
            }),
            false => [self.range_of(texels); 4],
        }
    }

    fn range_of_channels(&self, texels: &Texels, Channels(wanted): Channels) -> (f64, f64) {
        if let Some(range) = self.range.filter(|_| !self.auto) {
            return range;
        }
        let layout = texels.layout();
        match layout.kind() {
            Kind::Uint if layout.depth() <= 8 && !self.auto => return (0.0, f64::from((1u32 << layout.depth()) - 1)),
            Kind::Uint | Kind::Sint => {}
            Kind::Snorm if !self.auto => return (-1.0, 1.0),
            _ if !self.auto => return (0.0, 1.0),
            _ => {}
        }
        let found = texels.statistics();
        let shown = |values: [Option<f64>; 4]| {
            let mut some: Vec<f64> =
                values.into_iter().zip(wanted).filter_map(|(value, shown)| value.filter(|_| shown)).collect();
            if some.is_empty() {
                some.extend(values.into_iter().flatten());
            }
            some
        };
        let least = shown(found.least).into_iter().fold(f64::INFINITY, f64::min);
        let greatest = shown(found.greatest).into_iter().fold(f64::NEG_INFINITY, f64::max);
        if least > greatest { (0.0, 1.0) } else { (least, greatest) }
    }

    /// The picture. Where every bit of the texels has room in it and nothing else is asked for, it has their very bits.
    pub fn picture(&self, texels: &Texels) -> Image {
        let layout = texels.layout();
        let ranges = self.ranges_of(texels);
        let there = layout.channels();
        let Channels(mut shown) = self.channels;
        // Of what has alpha alone, alpha is shown.
        if !shown.iter().zip(there).any(|(shown, there)| *shown && there) {
            shown = there;
        }
        let wanted: Vec<usize> = (0..4).filter(|channel| shown[*channel] && there[*channel]).collect();
        let is_plain = self.range.is_none() && !self.auto;
        let is_deep = is_plain && matches!(layout.kind(), Kind::Unorm | Kind::Depth) && layout.depth() > 8;
        let encode = layout.kind() == Kind::Float && there[2] && !self.linear;
        let most = if is_deep { f64::from(u16::MAX) } else { 255.0 };
        let scale = |value: f64, channel: usize| {
            let ((low, high), encode) = (ranges[channel], encode && channel < 3);
            // NaN becomes black; one value alone is white, unless it is 0.
            let part = match high > low {
                true => (value - low) / (high - low),
                false => f64::from(u8::from(value > 0.0 && value >= high)),
            };
            let part = if part > 0.0 { part.min(1.0) } else { 0.0 };
            let part = if encode { encoded(part) } else { part };
            (part * most).round() as u16
        };
        let has_alpha = wanted.len() > 1 && shown[3] && there[3];
        let mut channels = Vec::with_capacity(texels.bytes().len());
        for texel in texels.iter() {
            let mut pixel = [0, 0, 0, most as u16];
            match wanted.as_slice() {
                // One channel alone is grey.
                [one] => pixel[..3].fill(scale(texel[*one], *one)),
                _ => wanted.iter().for_each(|channel| pixel[*channel] = scale(texel[*channel], *channel)),
            }
            channels.extend(pixel);
        }
        let (width, height) = texels.size();
        Image { width, height, channels, is_deep, has_alpha }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn texels(format: u32, width: u32, bytes: &[u8]) -> Texels {
        Texels::new(format, 0, (width, 1), bytes.to_vec()).unwrap()
    }

    #[test]
    fn bits_stay_where_they_have_room() {
        let every: Vec<u8> = (0..=255).flat_map(|n| [n, 255 - n, n ^ 0x55, n / 2]).collect();
        let rgba = Mapping { channels: "rgba".parse().unwrap(), ..Mapping::default() };
        let image = rgba.picture(&texels(29, 256, &every));
        assert!(!image.is_deep && image.has_alpha);
        assert!(image.channels.iter().zip(&every).all(|(channel, byte)| *channel == u16::from(*byte)));
        let words: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let image = Mapping::default().picture(&texels(56, 65536, &words));
        assert!(image.is_deep && image.channels.iter().step_by(4).zip(0..=u16::MAX).all(|(channel, n)| *channel == n));
    }

    #[test]
    fn ranges_and_channels_are_what_was_asked_for() {
        let floats = [0.0f32, 5.0, 10.0, f32::NAN, f32::INFINITY, -1.0].map(f32::to_le_bytes).concat();
        let shown = |mapping: Mapping| -> Vec<u16> {
            mapping.picture(&texels(41, 6, &floats)).channels.iter().step_by(4).copied().collect()
        };
        assert_eq!(shown(Mapping { range: Some((0.0, 10.0)), ..Mapping::default() }), [0, 128, 255, 0, 255, 0]);
        assert_eq!(shown(Mapping { auto: true, ..Mapping::default() })[..3], [23, 139, 255]);
        let halves = Mapping { auto: true, each: true, ..Mapping::default() };
        assert_eq!(halves.ranges_of(&texels(28, 2, &[0, 51, 255, 0, 102, 102, 255, 0]))[..2], [(0.0, 0.4), (0.2, 0.4)]);
        assert_eq!(halves.picture(&texels(28, 2, &[0, 51, 255, 0, 102, 102, 255, 0])).channels[..2], [0, 0]);
        let alpha = Mapping { channels: "a".parse().unwrap(), ..Mapping::default() };
        assert_eq!(alpha.picture(&texels(28, 1, &[1, 2, 3, 4])).channels, [4, 4, 4, 255]);
        let green = Mapping { channels: "gb".parse().unwrap(), ..Mapping::default() };
        assert_eq!(green.picture(&texels(28, 1, &[1, 2, 3, 4])).channels, [0, 2, 3, 255]);
        assert!("rgx".parse::<Channels>().is_err() && "".parse::<Channels>().is_err());
        // Half of the light is 188 of sRGB.
        let light = [0.5f32, 1.0, 0.0, 1.0].map(f32::to_le_bytes).concat();
        assert_eq!(Mapping::default().picture(&texels(2, 1, &light)).channels, [188, 255, 0, 255]);
    }
}
