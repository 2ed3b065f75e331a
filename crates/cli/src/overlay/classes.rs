//! Classes of texels: which there are, which texel is of which, and their picture.

use reprise_picture::Image;

/// A colour that classes are painted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Colour {
    pub(super) name: &'static str,
    rgb: [u16; 3],
}

impl Colour {
    /// As pages name it: `#1ec83c`.
    pub(super) fn hexadecimal(self) -> String {
        let [red, green, blue] = self.rgb;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }
}

pub(super) const RED: Colour = Colour { name: "red", rgb: [230, 30, 30] };
pub(super) const GREEN: Colour = Colour { name: "green", rgb: [30, 200, 60] };
pub(super) const BLUE: Colour = Colour { name: "blue", rgb: [40, 90, 255] };
pub(super) const YELLOW: Colour = Colour { name: "yellow", rgb: [255, 220, 0] };
pub(super) const MAGENTA: Colour = Colour { name: "magenta", rgb: [255, 0, 220] };
pub(super) const CYAN: Colour = Colour { name: "cyan", rgb: [0, 220, 230] };

/// A class of texels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// As scripts have it.
    pub(super) name: &'static str,
    pub(super) colour: Colour,
    /// What texels of it are, in words for people.
    pub(super) about: &'static str,
}

/// The classes of the texels of a picture.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    pub(super) size: (u32, u32),
    pub(super) classes: Vec<Class>,
    /// Of each texel, row by row: 0 for none, or the place of its class from 1 on.
    pub(super) of: Vec<u8>,
    /// The picture, in the place of one of the classes.
    pub(super) instead: Option<Image>,
    /// Other numbers that scripts may want, by name.
    pub(super) numbers: Vec<(&'static str, u64)>,
    /// Remarks on what the classes are.
    pub(super) notes: Vec<String>,
}

/// The picture is shown in this part of its light below the classes.
const DIMMED: u16 = 3;

impl Classes {
    /// Those that `of` says of each place, as the place of its class in `classes`.
    pub(super) fn new(size: (u32, u32), classes: &[Class], of: impl Fn(u32, u32) -> Option<usize>) -> Self {
        let all = (0..size.1).flat_map(|y| (0..size.0).map(move |x| (x, y)));
        let of = all.map(|(x, y)| of(x, y).map_or(0, |class| class as u8 + 1)).collect();
        Self { size, classes: classes.to_vec(), of, instead: None, numbers: Vec::new(), notes: Vec::new() }
    }

    /// How many texels are of each class.
    pub(super) fn counts(&self) -> Vec<(Class, u64)> {
        let count = |place: usize| self.of.iter().filter(|of| usize::from(**of) == place + 1).count() as u64;
        self.classes.iter().enumerate().map(|(place, class)| (*class, count(place))).collect()
    }

    /// The classes over a picture of the same size, which is grey and dark below them.
    pub(super) fn picture(&self, below: Option<&Image>) -> Image {
        let (width, height) = self.size;
        let below = below.filter(|image| (image.width, image.height) == self.size);
        let mut channels = Vec::with_capacity(self.of.len() * 4);
        for (at, of) in self.of.iter().enumerate() {
            let class = usize::from(*of).checked_sub(1).and_then(|class| self.classes.get(class));
            let rgb = match (class, below) {
                (Some(class), _) => class.colour.rgb,
                (None, Some(image)) => [dimmed(image, at); 3],
                (None, None) => [0; 3],
            };
            channels.extend(rgb);
            channels.push(255);
        }
        Image { width, height, channels, is_deep: false, has_alpha: false }
    }
}

/// A pixel as a dark grey of eight bits.
fn dimmed(image: &Image, at: usize) -> u16 {
    let Some(pixel) = image.channels.get(at * 4..at * 4 + 3) else { return 0 };
    let shift = if image.is_deep { 8 } else { 0 };
    let [r, g, b] = [pixel[0], pixel[1], pixel[2]].map(|channel| u32::from(channel >> shift));
    // The weights of light that sRGB has, in 256ths.
    ((54 * r + 183 * g + 19 * b) >> 8) as u16 / DIMMED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_what_is_painted() {
        let classes = [Class { name: "one", colour: RED, about: "" }, Class { name: "two", colour: GREEN, about: "" }];
        let found = Classes::new((3, 2), &classes, |x, y| (y == 0).then_some(usize::from(x == 2)));
        assert_eq!(found.counts().iter().map(|(_, count)| *count).collect::<Vec<_>>(), [2, 1]);
        let white = Image { width: 3, height: 2, channels: vec![255; 24], is_deep: false, has_alpha: false };
        let image = found.picture(Some(&white));
        let pixels: Vec<&[u16]> = image.channels.chunks(4).map(|pixel| &pixel[..3]).collect();
        assert_eq!(pixels[..3], [&RED.rgb, &RED.rgb, &GREEN.rgb]);
        assert!(pixels[3..].iter().all(|pixel| **pixel == [85; 3]), "{pixels:?}");
    }
}
