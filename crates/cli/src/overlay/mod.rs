//! Overlays: what texels of a target are in some respect, painted over its picture, and counted.
//!
//! A module for each kind says which classes there are, and of which each texel is. Invariant: a texel is of one class or of none, and what
//! is counted is what is painted.

mod back_face;
mod changed;
mod classes;
mod clipping;
mod depth;
mod draw;
mod evidence;
mod geometry;
mod kind;
mod nan;
mod quads;
mod raster;
mod sizes;
mod stencil;
mod tell;
mod test;
mod viewport;
mod wireframe;
mod without;

pub(crate) use evidence::{Evidence, Found, Rectangles};
pub(crate) use kind::Kind;
pub(crate) use tell::{in_words, told};

use anyhow::Result;
use classes::Classes;
use reprise_replay::{OverlayColours, OverlayLayer};

/// What an overlay of this kind says of each texel.
///
/// # Errors
/// What it needs is not there: why, in words.
fn classes_of(kind: Kind, evidence: &Evidence) -> Result<Classes> {
    match kind {
        Kind::Draw => draw::classes(evidence),
        Kind::Wireframe => wireframe::classes(evidence),
        Kind::Depth => depth::classes(evidence),
        Kind::Stencil => stencil::classes(evidence),
        Kind::BackFace => back_face::classes(evidence),
        Kind::Quads => quads::classes(evidence),
        Kind::Triangles => sizes::classes(evidence),
        Kind::Without(test) => without::classes(evidence, test),
        Kind::Changed => changed::classes(evidence),
        Kind::Nan => nan::classes(evidence),
        Kind::Clipping => clipping::classes(evidence),
        Kind::Viewport => viewport::classes(evidence),
    }
}

/// The layers of a draw that a kind is made from.
pub(crate) fn layers_of(kind: Kind) -> Vec<OverlayLayer> {
    match kind {
        Kind::Draw => draw::LAYERS.to_vec(),
        Kind::Wireframe => wireframe::LAYERS.to_vec(),
        Kind::Depth => depth::LAYERS.to_vec(),
        Kind::Stencil => stencil::LAYERS.to_vec(),
        Kind::BackFace => back_face::LAYERS.to_vec(),
        Kind::Quads | Kind::Triangles => geometry::LAYERS.to_vec(),
        Kind::Without(test) => test.layers().to_vec(),
        Kind::Changed | Kind::Nan | Kind::Clipping | Kind::Viewport => Vec::new(),
    }
}

/// What the target is to have for a kind, made in a copy of it.
pub(crate) fn colours_of(kind: Kind) -> Option<OverlayColours> {
    if let Kind::Without(test) = kind { test.colours() } else { None }
}
