//! Which faces of a draw's triangles cover texels, culling undone.

use super::classes::{Class, Classes, GREEN, RED, YELLOW};
use super::evidence::Evidence;
use anyhow::Result;
use reprise_replay::{OverlayCull, OverlayLayer};

const CLASSES: [Class; 3] = [
    Class { name: "front", colour: GREEN, about: "front faces cover it, and no back face" },
    Class { name: "back", colour: RED, about: "back faces cover it, and no front face" },
    Class {
        name: "both",
        colour: YELLOW,
        about: "front and back faces cover it, or points or lines, which have no faces",
    },
];

const FRONT: OverlayLayer =
    OverlayLayer { scissor: true, cull: OverlayCull::BackFaces, depth_clip: true, ..OverlayLayer::COVERAGE };

pub(super) const LAYERS: [OverlayLayer; 2] = [FRONT, OverlayLayer { cull: OverlayCull::FrontFaces, ..FRONT }];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let layers = evidence.layers(&LAYERS)?;
    let mut found = layers.classes(&CLASSES, |[front, back]| match (front, back) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        (true, true) => Some(2),
        (false, false) => None,
    });
    found.notes.push("depth and stencil are not tested, and nothing is discarded".into());
    Ok(found)
}
