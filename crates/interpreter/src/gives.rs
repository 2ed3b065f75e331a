//! What shaders between vertices and the rasteriser declare of the primitives that they take and give.

use spirv::ExecutionMode;

/// What a shader declares of the primitives that it gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gives {
    /// Vertices of a primitive that a geometry shader gives, and of one that goes in.
    pub(crate) primitive: Option<u32>,
    pub(crate) taken: Option<u32>,
    /// Vertices that a geometry shader emits at most, and points of the patch that a hull shader gives.
    pub(crate) vertices: u32,
    /// Runs of a geometry shader for each primitive.
    pub(crate) instances: Option<u32>,
    /// Patches are triangles.
    pub(crate) triangles: bool,
}

impl Gives {
    /// Takes in an execution mode.
    pub(crate) fn mode(&mut self, mode: u32, values: &[u32]) {
        match (ExecutionMode::from_u32(mode), values) {
            (Some(ExecutionMode::OutputPoints), _) => self.primitive = Some(1),
            (Some(ExecutionMode::OutputLineStrip), _) => self.primitive = Some(2),
            (Some(ExecutionMode::OutputTriangleStrip), _) => self.primitive = Some(3),
            (Some(ExecutionMode::OutputVertices), [count, ..]) => self.vertices = *count,
            (Some(ExecutionMode::Triangles), _) => (self.triangles, self.taken) = (true, Some(3)),
            (Some(ExecutionMode::InputPoints), _) => self.taken = Some(1),
            (Some(ExecutionMode::InputLines), _) => self.taken = Some(2),
            (Some(ExecutionMode::Invocations), [count, ..]) => self.instances = Some(*count),
            _ => {}
        }
    }
}
