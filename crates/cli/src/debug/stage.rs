//! Stages of a draw's pipeline.

/// A stage of a pipeline whose shader is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Vertex,
    Hull,
    Domain,
    Geometry,
    Pixel,
    Mesh,
    Amplification,
}

impl Stage {
    pub(super) fn short(self) -> &'static str {
        match self {
            Stage::Vertex => "VS",
            Stage::Hull => "HS",
            Stage::Domain => "DS",
            Stage::Geometry => "GS",
            Stage::Pixel => "PS",
            Stage::Mesh => "MS",
            Stage::Amplification => "AS",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Hull => "hull",
            Stage::Domain => "domain",
            Stage::Geometry => "geometry",
            Stage::Pixel => "pixel",
            Stage::Mesh => "mesh",
            Stage::Amplification => "amplification",
        }
    }

    /// Whether it is of a draw that reads vertices, before the rasteriser.
    pub(super) fn is_of_vertices(self) -> bool {
        matches!(self, Stage::Vertex | Stage::Hull | Stage::Domain | Stage::Geometry)
    }
}
