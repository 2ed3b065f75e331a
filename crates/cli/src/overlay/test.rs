//! What a test does with the fragments that come to it.

use super::classes::{Class, Classes, GREEN, RED};
use super::evidence::{Evidence, Layers};
use anyhow::Result;
use reprise_replay::OverlayLayer;

const CLASSES: [Class; 2] = [
    Class { name: "passed", colour: GREEN, about: "a fragment passes the test" },
    Class { name: "failed", colour: RED, about: "fragments come to the test, and none passes" },
];

/// What passes of what comes to a test: with the tests before it, and with the test, too.
pub(super) fn classes<'e>(evidence: &'e Evidence, layers: &[OverlayLayer; 2]) -> Result<(Classes, Layers<'e>)> {
    let layers = evidence.layers(layers)?;
    let mut found = layers.classes(&CLASSES, |[comes, passes]| match (comes, passes) {
        (_, true) => Some(0),
        (true, false) => Some(1),
        (false, false) => None,
    });
    found.notes.push("each fragment meets what was there before the draw".into());
    Ok((found, layers))
}
