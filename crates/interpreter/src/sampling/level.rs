//! The level of detail.

use super::cube;
use super::{FRACTION, Shape, is_kept};

/// What a level of detail comes of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Detail {
    /// The shader says it.
    Level(f64),
    /// How coordinates change to the next column and to the next row of pixels.
    Changes([[f64; 3]; 2]),
}

/// A level of detail, and between which ones a device may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lod {
    pub(crate) value: f64,
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

impl Lod {
    /// All three changed by a rule.
    pub(crate) fn map(self, rule: impl Fn(f64) -> f64) -> Lod {
        Lod { value: rule(self.value), least: rule(self.least), greatest: rule(self.greatest) }
    }

    /// A level that is converted to 8 bits of fraction.
    fn fixed(value: f64) -> Lod {
        let slack = if is_kept(value) { 0.0 } else { FRACTION };
        Lod { value, least: value - slack, greatest: value + slack }
    }
}

/// The level of detail of coordinates that change so, before biases and clamps (7.18.11). `size`: texels of the first level along each
/// axis.
///
/// Devices may take approximations of the length of the longer change: from the greatest of its components up to their sum.
pub(crate) fn of_changes(
    [x, y]: [[f64; 3]; 2],
    at: [f64; 3],
    shape: Shape,
    size: [u32; 3],
    most_anisotropy: Option<u32>,
) -> Lod {
    let scaled = |by: [f64; 3]| {
        if shape.cube {
            let [u, v] = cube::change(cube::face(at), at, by);
            return [u * f64::from(size[0]), v * f64::from(size[0]), 0.0];
        }
        let axis = |axis: usize| if axis < shape.axes { by[axis] * f64::from(size[axis]) } else { 0.0 };
        [0, 1, 2].map(axis)
    };
    let (x, y) = (scaled(x), scaled(y));
    let length = |of: [f64; 3]| of.iter().map(|it| it * it).sum::<f64>().sqrt();
    let (long, short) = (length(x).max(length(y)), length(x).min(length(y)));
    let greatest = |of: [f64; 3]| of.iter().fold(0.0, |most: f64, it| most.max(it.abs()));
    let sum = |of: [f64; 3]| of.iter().map(|it| it.abs()).sum::<f64>();
    let (low, high) = (greatest(x).max(greatest(y)), sum(x).max(sum(y)));
    let lod = |length: f64| if length > 0.0 { length.log2() } else { f64::NEG_INFINITY };
    let isotropic = Lod { value: lod(long), least: lod(low) - FRACTION, greatest: lod(high) + FRACTION };
    match most_anisotropy {
        None => isotropic,
        // The footprint may be a line of up to so many samples, each of the length of the shorter change.
        Some(most) => {
            let minor = short.max(long / f64::from(most.max(1)));
            let value = lod(minor);
            Lod { value, least: value.min(lod(low) - f64::from(most.max(1)).log2()) - FRACTION, ..isotropic }
        }
    }
}

/// A level that a shader says.
pub(crate) fn of_shader(level: f64) -> Lod {
    Lod::fixed(level)
}

/// Levels of detail at which something else begins, within those that a device may choose, and the ends.
pub(crate) fn turns(lod: Lod, levels: u32) -> Vec<f64> {
    let mut all = vec![lod.least, lod.greatest];
    // Beyond the first and the last level all is the same.
    let (low, high) = (lod.least.max(-1.0), lod.greatest.min(f64::from(levels)));
    let mut halves = (low * 2.0).ceil();
    while halves <= high * 2.0 {
        let at = halves / 2.0;
        // On both sides of it.
        all.extend([at, at.next_up(), at.next_down()].into_iter().filter(|at| (lod.least..=lod.greatest).contains(at)));
        halves += 1.0;
    }
    all
}

/// The levels that are read, and how much the second one weighs.
pub(crate) fn pair(lod: f64, mixed: bool, levels: u32) -> (u32, u32, f64) {
    let last = f64::from(levels.saturating_sub(1));
    let lod = if lod.is_nan() { 0.0 } else { lod };
    if !mixed {
        let level = (lod + 0.5).floor().clamp(0.0, last) as u32;
        return (level, level, 0.0);
    }
    let within = lod.clamp(0.0, last);
    let first = within.floor();
    (first as u32, (first + 1.0).min(last) as u32, within - first)
}
