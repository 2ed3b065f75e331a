//! The depth test of a draw, of what passes its stencil test.

use super::classes::Classes;
use super::evidence::Evidence;
use super::test;
use anyhow::Result;
use reprise_replay::OverlayLayer;

pub(super) const LAYERS: [OverlayLayer; 2] =
    [OverlayLayer { depth: false, ..OverlayLayer::WHOLE }, OverlayLayer::WHOLE];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let (mut found, layers) = test::classes(evidence, &LAYERS)?;
    if !layers.overlay.tests_depth {
        found.notes.push("the draw tests no depth, so all fragments pass".into());
    }
    Ok(found)
}
