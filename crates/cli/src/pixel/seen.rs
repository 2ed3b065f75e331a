//! Values of a texel before and after each call: the shots that bring them, and what they bring.

use reprise_picture::{Layout, Texels};
use reprise_replay::{PixelEvent, PixelHistory, PixelPlace, Shot, ShotContents, ShotOf, ShotPart};
use std::collections::BTreeMap;

/// A texel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Texel {
    /// `DXGI_FORMAT` that it is read as.
    pub(crate) format: u32,
    /// As it lies; where texels lie in blocks, its block.
    pub(crate) bytes: Vec<u8>,
    /// Column and row in its block.
    pub(crate) within: (u32, u32),
    /// Of the channels that there are.
    pub(crate) values: Vec<f64>,
    /// Red, green, blue and alpha, for a picture.
    pub(crate) colour: [f64; 4],
}

/// What of a call is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    Own,
    Depth,
    Stencil,
}

impl Texel {
    /// Whether the bits are the same; of a texel in a block, whether it becomes the same of them.
    pub(crate) fn is_same(&self, other: &Texel) -> bool {
        let bits = |texel: &Texel| texel.values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        match is_block(self.format) {
            true => bits(self) == bits(other),
            false => self.bytes == other.bytes,
        }
    }
}

/// A value, or why there is none.
pub(crate) type Value = Result<Texel, Lack>;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Lack {
    /// The texture ends before the pixel.
    Outside(String),
    /// It cannot be read.
    Failed(String),
}

/// Whether texels of a `DXGI_FORMAT` lie in blocks.
fn is_block(format: u32) -> bool {
    matches!(Layout::of(format, 0), Ok(Layout::Blocks { .. }))
}

/// A shot that is wanted: of which event, what, before it or after it.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) event: usize,
    pub(crate) side: Side,
    pub(crate) before: bool,
    pub(crate) shot: Shot,
}

/// All that was seen, by event, side, and whether it is before.
pub(crate) type Seen = BTreeMap<(usize, Side, bool), Value>;

/// The shots that a history needs.
pub(crate) fn wanted(history: &PixelHistory, sample: u32) -> Vec<Wanted> {
    let mut all = Vec::new();
    for (event, of) in history.events.iter().enumerate() {
        let mut want = |side, place: PixelPlace| {
            for (before, can) in [true, false].into_iter().zip(of.can_be_shown) {
                if can {
                    all.push(Wanted { event, side, before, shot: shot(of, place, before, sample) });
                }
            }
        };
        want(Side::Own, history.place);
        if let Some((depth, has_stencil)) = of.depth {
            want(Side::Depth, depth);
            if has_stencil {
                want(Side::Stencil, PixelPlace { plane: 1, ..depth });
            }
        }
    }
    all
}

fn shot(event: &PixelEvent, place: PixelPlace, before: bool, sample: u32) -> Shot {
    let PixelPlace { resource, mip, slice, plane, .. } = place;
    let of = ShotOf::Texture { resource, mip, slice, plane, sample };
    Shot { call: event.call, before, submission: Some(event.submission), of }
}

/// What a shot shows, from which texels are taken.
pub(crate) struct Shown {
    contents: ShotContents,
    /// The format that was asked for last.
    asked: u32,
    /// The texels read as that or as the texture's own, and which of the two it is.
    read: Option<Result<(u32, Texels), String>>,
}

impl Shown {
    pub(crate) fn new(contents: ShotContents) -> Self {
        Self { contents, asked: 0, read: None }
    }

    /// A texel. `format`: that of the view, if one is known.
    pub(crate) fn texel(&mut self, at: (u32, u32), format: u32) -> Value {
        if self.asked != format {
            (self.asked, self.read) = (format, None);
        }
        match self.read.get_or_insert_with(|| read(&self.contents, format)) {
            Ok((format, texels)) => texel(texels, self.contents.resource, at, *format),
            Err(reason) => Err(Lack::Failed(reason.clone())),
        }
    }
}

fn read(contents: &ShotContents, format: u32) -> Result<(u32, Texels), String> {
    let ShotPart::Texels { plane, format: own, width, height, bytes, .. } = &contents.part else {
        return Err(format!("resource {} is a buffer", contents.resource));
    };
    let size = |format: u32| Layout::of(format, *plane).ok().map(Layout::bytes);
    let fits = format != 0 && size(format) == size(*own) && is_block(format) == is_block(*own);
    let format = if fits { format } else { *own };
    Ok((format, Texels::new(format, *plane, (*width, *height), bytes.clone())?))
}

fn texel(texels: &Texels, resource: u32, (x, y): (u32, u32), format: u32) -> Value {
    let (width, height) = texels.size();
    let outside =
        || Lack::Outside(format!("pixel {x},{y} lies outside: resource {resource} is {width} by {height} there"));
    let colour = texels.at(x, y).ok_or_else(outside)?;
    let (bytes, within) = texels.bytes_at(x, y).ok_or_else(outside)?;
    let bytes = bytes.to_vec();
    let there = texels.layout().channels();
    let values = colour.into_iter().zip(there).filter_map(|(value, there)| there.then_some(value)).collect();
    Ok(Texel { format, bytes, within, values, colour })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texel_of_a_block_has_the_bytes_of_its_own_block() {
        // BC1: two colours, and two bits for each texel. Of each block the second row has the other colour.
        let block = |colour: u16| {
            let [low, high] = colour.to_le_bytes();
            [low, high, 0, 0, 0x00, 0x55, 0x00, 0x00]
        };
        let (red, green, blue, white) = (block(0xf800), block(0x07e0), block(0x001f), block(0xffff));
        const BC1_UNORM: u32 = 71;
        let bytes = [red, green, blue, white].concat();
        let contents = || {
            let (bytes, format) = (bytes.clone(), BC1_UNORM);
            let part = ShotPart::Texels { mip: 0, slice: 0, plane: 0, sample: 0, format, width: 6, height: 7, bytes };
            ShotContents {
                resource: 9,
                desc: Default::default(),
                submission: None,
                part,
                notes: Vec::new(),
                moved: None,
            }
        };
        for (at, bytes, values) in [
            ((0, 0), red, [1.0, 0.0, 0.0, 1.0]),
            ((5, 0), green, [0.0, 1.0, 0.0, 1.0]),
            ((3, 6), blue, [0.0, 0.0, 1.0, 1.0]),
            ((4, 4), white, [1.0, 1.0, 1.0, 1.0]),
            ((4, 5), white, [0.0, 0.0, 0.0, 1.0]),
        ] {
            let texel = Shown::new(contents()).texel(at, 0).unwrap();
            assert_eq!((texel.bytes.as_slice(), texel.values), (&bytes[..], values.to_vec()), "{at:?}");
        }
        assert!(matches!(Shown::new(contents()).texel((6, 0), 0), Err(Lack::Outside(_))));
    }
}
