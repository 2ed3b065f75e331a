//! Shader stages. Their numbers are the translator's (`dxil_spv_shader_stage`), which crates/shader passes on; compilers number them
//! otherwise ([`Stage::of_kind`]).

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
    /// Intersection shader: finds what a ray hits in a box of the program's own.
    Intersection = 7,
    /// Closest-hit shader.
    ClosestHit = 8,
    /// Miss shader.
    Miss = 9,
    /// Any-hit shader.
    AnyHit = 10,
    /// Ray generation shader.
    RayGeneration = 11,
    /// Callable shader.
    Callable = 12,
    /// Amplification shader (task).
    Amplification = 13,
    /// Mesh shader.
    Mesh = 14,
}

impl Stage {
    /// All stages.
    pub const ALL: [Stage; 14] = [
        Stage::Vertex,
        Stage::Hull,
        Stage::Domain,
        Stage::Geometry,
        Stage::Pixel,
        Stage::Compute,
        Stage::Intersection,
        Stage::ClosestHit,
        Stage::Miss,
        Stage::AnyHit,
        Stage::RayGeneration,
        Stage::Callable,
        Stage::Amplification,
        Stage::Mesh,
    ];

    /// The stage of a shader kind, as DXIL numbers it in version words and in what libraries say of themselves. `None`: a library, a
    /// stage that is not translated, or an unknown one.
    pub fn of_kind(kind: u32) -> Option<Stage> {
        Some(match kind {
            0 => Stage::Pixel,
            1 => Stage::Vertex,
            2 => Stage::Geometry,
            3 => Stage::Hull,
            4 => Stage::Domain,
            5 => Stage::Compute,
            7 => Stage::RayGeneration,
            8 => Stage::Intersection,
            9 => Stage::AnyHit,
            10 => Stage::ClosestHit,
            11 => Stage::Miss,
            12 => Stage::Callable,
            13 => Stage::Mesh,
            14 => Stage::Amplification,
            _ => return None,
        })
    }

    /// The name, as tools print it.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Hull => "hull",
            Stage::Domain => "domain",
            Stage::Geometry => "geometry",
            Stage::Pixel => "pixel",
            Stage::Compute => "compute",
            Stage::Intersection => "intersection",
            Stage::ClosestHit => "closesthit",
            Stage::Miss => "miss",
            Stage::AnyHit => "anyhit",
            Stage::RayGeneration => "raygeneration",
            Stage::Callable => "callable",
            Stage::Amplification => "amplification",
            Stage::Mesh => "mesh",
        }
    }

    /// The stage with this number of the translator.
    pub fn from_number(number: u32) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| *stage as u32 == number)
    }

    /// Whether a root parameter of this `D3D12_SHADER_VISIBILITY` can be seen from the stage. Compute and ray tracing see
    /// everything.
    pub fn sees(self, visibility: u32) -> bool {
        match self {
            Stage::Vertex => matches!(visibility, 0 | 1),
            Stage::Hull => matches!(visibility, 0 | 2),
            Stage::Domain => matches!(visibility, 0 | 3),
            Stage::Geometry => matches!(visibility, 0 | 4),
            Stage::Pixel => matches!(visibility, 0 | 5),
            Stage::Amplification => matches!(visibility, 0 | 6),
            Stage::Mesh => matches!(visibility, 0 | 7),
            _ => self == Stage::Compute || self.is_ray_tracing(),
        }
    }

    /// Whether it is a stage of ray tracing pipelines.
    pub fn is_ray_tracing(self) -> bool {
        matches!(
            self,
            Stage::Intersection
                | Stage::ClosestHit
                | Stage::Miss
                | Stage::AnyHit
                | Stage::RayGeneration
                | Stage::Callable
        )
    }
}
