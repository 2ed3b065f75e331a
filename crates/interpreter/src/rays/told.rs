//! Rays of the watched lane, as people ask for them.

/// A ray that the watched lane traced.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedRay {
    /// The instruction that began it, in words from its module's beginning.
    pub offset: u32,
    /// Calls of shaders that it lies in: 0 is a query, or a ray of the first shader.
    pub depth: u32,
    /// The address of the structure.
    pub structure: u64,
    /// Where it begins.
    pub origin: [f32; 3],
    /// Where it goes.
    pub direction: [f32; 3],
    /// `TMin`.
    pub least: f32,
    /// `TMax`.
    pub greatest: f32,
    /// `RAY_FLAG`, all of them.
    pub flags: u32,
    /// `InstanceInclusionMask`.
    pub mask: u32,
    /// Primitives that a shader was asked about.
    pub candidates: u32,
    /// What it hit last.
    pub hit: Option<RayHit>,
    /// What of that the API leaves open, in words.
    pub open: Option<String>,
    /// Of rays of pipelines the shader that they end in: which record of which table.
    pub record: Option<(&'static str, u32)>,
    /// What the shaders of that record are called.
    pub shader: Option<String>,
}

/// What a ray hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// A triangle, and not a box.
    pub triangle: bool,
    /// The instance's number.
    pub instance: u32,
    /// Its id.
    pub id: u32,
    /// Number of the geometry.
    pub geometry: u32,
    /// Number of the primitive in it.
    pub primitive: u32,
    /// How far away, in lengths of the direction.
    pub distance: f64,
    /// Of triangles.
    pub barycentrics: Option<[f64; 2]>,
    /// It shows its front. Boxes have none.
    pub front: bool,
    /// `InstanceContributionToHitGroupIndex`.
    pub record: u32,
}
