//! A draw by itself, of those that a bundle or an indirect call makes: what is asked for.

use std::sync::Arc;

use reprise_timeline::state::lists::Bound;

/// What a draw reads of its vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawCounts {
    /// Vertices of an instance, or indices.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    /// The first vertex, or the first index.
    pub start: u32,
    /// What is added to indices; `None`: none name the vertices.
    pub base: Option<i32>,
    /// The first instance.
    pub first_instance: u32,
}

/// What a draw begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawnAlone {
    /// Vertices.
    Vertices(DrawCounts),
    /// Groups of amplification or mesh shaders, in each direction.
    Meshes([u32; 3]),
}

/// One of the draws that a call makes: it is made alone, with what is bound for it.
#[derive(Clone, Debug)]
pub struct LoneDraw {
    /// Values of the trace.
    pub(crate) bound: Arc<Bound>,
    pub(crate) drawn: DrawnAlone,
}

impl LoneDraw {
    /// A draw with all that is bound where it is made, in values of the trace.
    pub fn new(bound: Bound, drawn: DrawnAlone) -> LoneDraw {
        LoneDraw { bound: Arc::new(bound), drawn }
    }
}
