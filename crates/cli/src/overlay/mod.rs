//! Overlays: what texels of a target are in some respect, painted over its picture, and counted.
//!
//! A module for each kind says which classes there are, and of which each texel is. Invariant: a texel is of one class or of none, and what
//! is counted is what is painted.

mod changed;
mod classes;
mod clipping;
mod evidence;
mod kind;
mod nan;
mod tell;
mod viewport;

pub(crate) use evidence::{Evidence, Rectangles};
pub(crate) use kind::Kind;
pub(crate) use tell::{in_words, told};

use anyhow::Result;
use classes::Classes;

/// What an overlay of this kind says of each texel.
///
/// # Errors
/// What it needs is not there: why, in words.
fn classes_of(kind: Kind, evidence: &Evidence) -> Result<Classes> {
    match kind {
        Kind::Changed => changed::classes(evidence),
        Kind::Nan => nan::classes(evidence),
        Kind::Clipping => clipping::classes(evidence),
        Kind::Viewport => viewport::classes(evidence),
    }
}
