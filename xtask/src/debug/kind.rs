//! What of a call is run.

use std::path::PathBuf;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compute,
    Vertex,
    Hull,
    Domain,
    Geometry,
    Amplification,
    Mesh,
    Pixel,
    Rays,
}

impl Kind {
    /// As the table calls its rows.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Compute => "compute",
            Kind::Vertex => "vertices",
            Kind::Hull => "hull",
            Kind::Domain => "domain",
            Kind::Geometry => "geometry",
            Kind::Amplification => "amplification",
            Kind::Mesh => "meshes",
            Kind::Pixel => "pixels",
            Kind::Rays => "rays",
        }
    }

    /// As descriptions of pipelines call it; `None`: its shaders are those of a state object.
    pub(super) fn stage(self) -> Option<&'static str> {
        match self {
            Kind::Compute => Some("CS"),
            Kind::Vertex => Some("VS"),
            Kind::Hull => Some("HS"),
            Kind::Domain => Some("DS"),
            Kind::Geometry => Some("GS"),
            Kind::Amplification => Some("AS"),
            Kind::Mesh => Some("MS"),
            Kind::Pixel => Some("PS"),
            Kind::Rays => None,
        }
    }
}

/// A call that runs a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) trace: PathBuf,
    pub(super) call: u64,
    pub(super) kind: Kind,
    /// It draws by mesh shaders.
    pub(super) of_meshes: bool,
}
