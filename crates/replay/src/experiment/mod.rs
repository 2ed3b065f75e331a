//! Frames without some of their work, so that what it is worth can be measured.
//!
//! A pass over the trace finds the operations that lists of some frames alone have ([`plan`]). While they are recorded, they are left out, or
//! something else is set right before each and set back right behind it ([`Experimenter`]): a pipeline state that differs in one thing
//! ([`pipeline`]), scissors. Views of textures are written over once everything before these frames is done ([`textures`]). Invariant: frames
//! before are played as they were, and an operation that was to be changed is, or is named with the reason why not. What the frames show is wrong.

mod experimenter;
mod pipeline;
mod plan;
mod textures;

pub(crate) use experimenter::{Experimenter, LEFT_OUT};
pub(crate) use plan::Finder;
