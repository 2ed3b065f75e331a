//! Values of a texel before and after each call: the shots that bring them, and what they bring.

use reprise_picture::{Layout, Texels};
use reprise_replay::{PixelEvent, PixelHistory, PixelPlace, Shot, ShotContents, ShotOf, ShotPart};
use std::collections::BTreeMap;

/// A texel.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Texel {
    /// `DXGI_FORMAT` that it is read as.
    pub(crate) format: u32,
    /// As it lies.
    pub(crate) bytes: Vec<u8>,
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

/// A value, or why there is none.
pub(crate) type Value = Result<Texel, String>;

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

/// The texel of what a shot shows. `format`: that of the view, if one is known.
pub(crate) fn texel(contents: ShotContents, (x, y): (u32, u32), format: u32) -> Value {
    let ShotContents { resource, part, .. } = contents;
    let ShotPart::Texels { plane, format: own, width, height, bytes, .. } = part else {
        return Err(format!("resource {resource} is a buffer"));
    };
    let size = |format: u32| Layout::of(format, plane).ok().map(Layout::bytes);
    let format = if format != 0 && size(format) == size(own) { format } else { own };
    let texels = Texels::new(format, plane, (width, height), bytes)?;
    let outside = || format!("pixel {x},{y} lies outside of resource {resource}, which is {width} by {height} there");
    let colour = texels.at(x, y).ok_or_else(outside)?;
    let layout = texels.layout();
    let size = layout.bytes() as usize;
    let from = (texels.row_bytes() * u64::from(y)) as usize + size * x as usize;
    let bytes = texels.bytes().get(from..from + size).ok_or_else(outside)?.to_vec();
    let there = layout.channels();
    let values = colour.into_iter().zip(there).filter_map(|(value, there)| there.then_some(value)).collect();
    Ok(Texel { format, bytes, values, colour })
}
