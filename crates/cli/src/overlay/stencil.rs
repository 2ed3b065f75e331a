//! The stencil test of a draw, before its depth test.

use super::classes::Classes;
use super::evidence::Evidence;
use super::test;
use anyhow::Result;
use reprise_replay::OverlayLayer;

const PASSES: OverlayLayer = OverlayLayer { depth: false, ..OverlayLayer::WHOLE };

pub(super) const LAYERS: [OverlayLayer; 2] = [OverlayLayer { stencil: false, ..PASSES }, PASSES];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let (mut found, layers) = test::classes(evidence, &LAYERS)?;
    if !layers.overlay.tests_stencil {
        found.notes.push("the draw tests no stencil, so all fragments pass".into());
    }
    Ok(found)
}
