//! What a draw would have drawn without one of its tests, without all, or without blending.
//!
//! The picture is what the target would have; the classes are counted.

use super::classes::{Class, Classes, GREEN, RED};
use super::evidence::Evidence;
use anyhow::Result;
use reprise_replay::{OverlayColours, OverlayCull, OverlayLayer};

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
    Blend,
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
        ("blend", Test::Blend),
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
            // It takes no fragments.
            Self::Blend => whole,
            Self::All => OverlayLayer::COVERAGE,
        };
        [whole, less]
    }

    /// How the draw is made in a copy of the target; `None`: only its pixel shader could give colours, and discards there.
    pub(super) fn colours(self) -> Option<OverlayColours> {
        let [_, layer] = self.layers();
        (self != Self::Discard).then_some(OverlayColours { layer, blend: self != Self::Blend })
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
    match evidence.colours()? {
        Some(Ok(colours)) => {
            let (width, height) = evidence.size();
            let different = |at: &(u32, u32)| colours.bytes_at(at.0, at.1) != evidence.after.bytes_at(at.0, at.1);
            let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
            found.numbers.push(("different", all.filter(different).count() as u64));
            found.instead = Some(evidence.look.mapping.picture(&colours));
            if test == Test::All {
                found.notes.push("what the pixel shader discards has no colour".into());
            }
        }
        Some(Err(reason)) => found.notes.push(format!("classes are painted, and not colours: {reason}")),
        None => {}
    }
    Ok(found)
}
