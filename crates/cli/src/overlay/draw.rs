//! Texels that a draw reaches with all of its tests.

use super::classes::{Class, Classes, MAGENTA};
use super::evidence::Evidence;
use anyhow::Result;
use reprise_replay::OverlayLayer;

const CLASSES: [Class; 1] =
    [Class { name: "drawn", colour: MAGENTA, about: "a fragment of the draw passes all tests there" }];

pub(super) const LAYERS: [OverlayLayer; 1] = [OverlayLayer::WHOLE];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let layers = evidence.layers(&LAYERS)?;
    Ok(layers.classes(&CLASSES, |[drawn]| drawn.then_some(0)))
}
