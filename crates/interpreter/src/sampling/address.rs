//! Which texels coordinates name, along one axis.

use super::state::Address;
use super::{FRACTION, WEIGHT, is_kept};

/// The texels along an axis that a sample is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    /// The first texel, before the mode of addressing.
    pub(crate) first: i64,
    /// How much the one behind it weighs; `None`: only the first is taken.
    pub(crate) weight: Option<f64>,
    /// How far the weight may be off.
    pub(crate) slack: f64,
    /// The nearest texel may be the one behind the first.
    pub(crate) unsure: bool,
}

/// A coordinate in texels as whole numbers; what is beyond every texture stays so.
fn whole(scaled: f64) -> i64 {
    const FAR: f64 = 1e12;
    if scaled.is_nan() { 0 } else { scaled.clamp(-FAR, FAR).floor() as i64 }
}

/// The nearest texel. A coordinate just below the next texel may be rounded to it, as it is converted to fixed point.
pub(crate) fn nearest(scaled: f64, offset: i64) -> Reach {
    let unsure = scaled.fract() != 0.0 && (scaled + FRACTION).floor() != scaled.floor() && !is_kept(scaled);
    Reach { first: whole(scaled).saturating_add(offset), weight: None, slack: 0.0, unsure }
}

/// The two nearest texels.
pub(crate) fn linear(scaled: f64, offset: i64) -> Reach {
    let behind = scaled - 0.5;
    let weight = behind - behind.floor();
    let weight = if weight.is_finite() { weight } else { 0.0 };
    let slack = if is_kept(behind) { 0.0 } else { WEIGHT };
    Reach { first: whole(behind).saturating_add(offset), weight: Some(weight), slack, unsure: false }
}

/// A texel within the texture; `None`: the border.
pub(crate) fn within(at: i64, count: u32, mode: Address) -> Option<i64> {
    let count = i64::from(count.max(1));
    if (0..count).contains(&at) {
        return Some(at);
    }
    let mirrored = if at < 0 { -1 - at } else { at };
    Some(match mode {
        Address::Wrap => at.rem_euclid(count),
        Address::Mirror if mirrored / count % 2 == 1 => count - 1 - mirrored % count,
        Address::Mirror => mirrored % count,
        Address::Clamp => at.clamp(0, count - 1),
        Address::MirrorOnce => mirrored.min(count - 1),
        Address::Border => return None,
    })
}
