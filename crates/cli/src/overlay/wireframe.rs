//! The edges of a draw's primitives, without tests of depth and stencil.

use super::classes::{Class, Classes, YELLOW};
use super::evidence::Evidence;
use anyhow::Result;
use reprise_replay::{OverlayCull, OverlayLayer};

const CLASSES: [Class; 1] =
    [Class { name: "edge", colour: YELLOW, about: "an edge of a primitive that is not culled" }];

pub(super) const LAYERS: [OverlayLayer; 1] = [OverlayLayer {
    scissor: true,
    cull: OverlayCull::Program,
    depth_clip: true,
    wireframe: true,
    ..OverlayLayer::COVERAGE
}];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let layers = evidence.layers(&LAYERS)?;
    Ok(layers.classes(&CLASSES, |[edge]| edge.then_some(0)))
}
