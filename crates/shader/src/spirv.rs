//! A translated shader.

use crate::Stage;

/// A translated shader and what a pipeline must know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spirv {
    /// The module.
    pub words: Vec<u32>,
    /// The stage that it is for.
    pub stage: Stage,
    /// Name of the entry point in the module.
    pub entry: String,
    /// Compute, amplification, mesh: threads per group in each dimension; else zeros.
    pub group: [u32; 3],
    /// Compute: the least, most and preferred size of a wave that the shader asks for; zeros where it does not.
    pub wave: [u32; 3],
    /// The size of a subgroup is seen by the shader, so it must be allowed to vary.
    pub uses_wave_size: bool,
    /// Hull: number of control points of a patch that goes in; else 0.
    pub patch_vertices: u32,
    /// Hull: what the domain shader's [`crate::Link::patch_location_offset`] must be.
    pub patch_location_offset: u32,
}
