//! Texels with values that a range of values cuts off: that from 0 to 1, or that of `--range`.

use super::classes::{BLUE, Class, Classes, MAGENTA, RED};
use super::evidence::Evidence;
use anyhow::{Result, bail};
use reprise_picture::Kind;

const CLASSES: [Class; 3] = [
    Class { name: "below", colour: BLUE, about: "a channel is below the range, and none above it" },
    Class { name: "above", colour: RED, about: "a channel is above the range, and none below it" },
    Class { name: "both", colour: MAGENTA, about: "one channel is below the range, and another one above it" },
];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let mapping = &evidence.look.mapping;
    let is_whole = matches!(evidence.after.layout().kind(), Kind::Uint | Kind::Sint);
    if is_whole && mapping.range.is_none() {
        bail!("its values are whole numbers, which have no range that is cut off: say one by --range LOW,HIGH");
    }
    let (low, high) = mapping.range.unwrap_or((0.0, 1.0));
    let there = evidence.after.layout().channels();
    let mut shown = mapping.channels.shown(there);
    // Nothing that is shown is there, as in a picture.
    if shown == [false; 4] {
        shown = there;
    }
    let mut found = Classes::new(evidence.size(), &CLASSES, |x, y| {
        let texel = evidence.after.at(x, y)?;
        let has = |out: &dyn Fn(f64) -> bool| texel.into_iter().zip(shown).any(|(value, shown)| shown && out(value));
        match (has(&|value| value < low), has(&|value| value > high)) {
            (true, true) => Some(2),
            (false, true) => Some(1),
            (true, false) => Some(0),
            (false, false) => None,
        }
    });
    found.notes.push(format!("the range is {low} to {high}; NaN is neither below nor above"));
    Ok(found)
}
