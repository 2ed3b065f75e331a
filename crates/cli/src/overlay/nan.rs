//! Texels that have NaN, infinity or a negative value in a channel.

use super::classes::{BLUE, Class, Classes, MAGENTA, RED, YELLOW};
use super::evidence::Evidence;
use anyhow::Result;

/// A texel is of the first that fits one of its channels.
const CLASSES: [Class; 4] = [
    Class { name: "nan", colour: RED, about: "a channel is NaN" },
    Class { name: "infinite", colour: YELLOW, about: "a channel is positive infinity, and none is NaN" },
    Class {
        name: "negative_infinite",
        colour: MAGENTA,
        about: "a channel is negative infinity, and none of the above",
    },
    Class { name: "negative", colour: BLUE, about: "a channel is below 0, and all are finite" },
];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let there = evidence.after.layout().channels();
    Ok(Classes::new(evidence.size(), &CLASSES, |x, y| {
        let texel = evidence.after.at(x, y)?;
        let values = texel.into_iter().zip(there).filter(|(_, there)| *there);
        values.filter_map(|(value, _)| class_of(value)).min()
    }))
}

fn class_of(value: f64) -> Option<usize> {
    match value {
        value if value.is_nan() => Some(0),
        f64::INFINITY => Some(1),
        f64::NEG_INFINITY => Some(2),
        value if value < 0.0 => Some(3),
        _ => None,
    }
}
