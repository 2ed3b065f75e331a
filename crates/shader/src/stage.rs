//! Shader stages, by the numbers that DXIL and the translator share.

/// A stage of a pipeline that can be translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Stage {
    /// Vertex shader.
    Vertex = 1,
    /// Hull shader (tessellation control).
    Hull = 2,
    /// Domain shader (tessellation evaluation).
    Domain = 3,
    /// Geometry shader.
    Geometry = 4,
    /// Pixel shader.
    Pixel = 5,
    /// Compute shader.
    Compute = 6,
    /// Amplification shader (task).
    Amplification = 13,
    /// Mesh shader.
    Mesh = 14,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 8] = [
        Stage::Vertex,
        Stage::Hull,
        Stage::Domain,
        Stage::Geometry,
        Stage::Pixel,
        Stage::Compute,
        Stage::Amplification,
        Stage::Mesh,
    ];

    /// The stage with this number of the translator.
    pub fn from_number(number: u32) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| *stage as u32 == number)
    }

    /// Whether a root parameter of this `D3D12_SHADER_VISIBILITY` can be seen from the stage. Compute sees everything.
    pub fn sees(self, visibility: u32) -> bool {
        match self {
            Stage::Compute => true,
            Stage::Vertex => matches!(visibility, 0 | 1),
            Stage::Hull => matches!(visibility, 0 | 2),
            Stage::Domain => matches!(visibility, 0 | 3),
            Stage::Geometry => matches!(visibility, 0 | 4),
            Stage::Pixel => matches!(visibility, 0 | 5),
            Stage::Amplification => matches!(visibility, 0 | 6),
            Stage::Mesh => matches!(visibility, 0 | 7),
        }
    }
}
