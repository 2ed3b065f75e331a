//! What a draw would have reached without one of its tests, or without all.

use super::classes::{Class, Classes, GREEN, RED};
use super::evidence::Evidence;
use anyhow::Result;
use reprise_replay::{OverlayCull, OverlayLayer};

const CLASSES: [Class; 2] = [
    Class { name: "drawn", colour: GREEN, about: "the draw reaches it as it is" },
    Class { name: "more", colour: RED, about: "it would have been reached, too" },
];

/// A test that is left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Test {
    Scissor,
    Cull,
    DepthClip,
    SampleMask,
    Discard,
    Stencil,
    Depth,
    All,
}

impl Test {
    pub(super) const ALL: &[(&str, Test)] = &[
        ("scissor", Test::Scissor),
        ("cull", Test::Cull),
        ("depth-clip", Test::DepthClip),
        ("sample-mask", Test::SampleMask),
        ("discard", Test::Discard),
        ("stencil", Test::Stencil),
        ("depth", Test::Depth),
        ("all", Test::All),
    ];

    /// The draw as it is, and without the test.
    pub(super) fn layers(self) -> [OverlayLayer; 2] {
        let whole = OverlayLayer::WHOLE;
        let less = match self {
            Self::Scissor => OverlayLayer { scissor: false, ..whole },
            Self::Cull => OverlayLayer { cull: OverlayCull::Nothing, ..whole },
            Self::DepthClip => OverlayLayer { depth_clip: false, ..whole },
            Self::SampleMask => OverlayLayer { sample_mask: false, ..whole },
            Self::Discard => OverlayLayer { shader: false, ..whole },
            Self::Stencil => OverlayLayer { stencil: false, ..whole },
            // Bounds are a test of depth, too.
            Self::Depth => OverlayLayer { depth: false, depth_bounds: false, ..whole },
            Self::All => OverlayLayer::COVERAGE,
        };
        [whole, less]
    }
}

pub(super) fn classes(evidence: &Evidence, test: Test) -> Result<Classes> {
    let layers = evidence.layers(&test.layers())?;
    let mut found = layers.classes(&CLASSES, |[drawn, less]| match (drawn, less) {
        (true, _) => Some(0),
        (false, true) => Some(1),
        (false, false) => None,
    });
    found.notes.push("each fragment meets what was there before the draw".into());
    Ok(found)
}
