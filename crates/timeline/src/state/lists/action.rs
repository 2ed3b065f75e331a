//! The commands that make the GPU do something with what is bound.

use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;

/// A command that uses what is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Draws vertices.
    Draw,
    /// Draws by indices.
    DrawIndexed,
    /// Draws with mesh shaders.
    DrawMesh,
    /// Runs a compute shader.
    Dispatch,
    /// Traces rays.
    DispatchRays,
    /// Runs a work graph.
    DispatchGraph,
    /// Runs what a command signature says.
    Indirect,
}

impl Action {
    /// Whether it uses root arguments of draws.
    pub fn draws(self) -> bool {
        matches!(self, Action::Draw | Action::DrawIndexed | Action::DrawMesh)
    }
}

/// What a method does with what is bound, if it does something.
pub fn action(method: MethodId) -> Option<Action> {
    let row = MODEL.methods.get(usize::from(method.0))?;
    let interface = row.interface.map_or("", |interface| interface.get().name);
    if !interface.starts_with("ID3D12GraphicsCommandList") {
        return None;
    }
    Some(match row.name {
        "DrawInstanced" => Action::Draw,
        "DrawIndexedInstanced" => Action::DrawIndexed,
        "DispatchMesh" => Action::DrawMesh,
        "Dispatch" => Action::Dispatch,
        "DispatchRays" => Action::DispatchRays,
        "DispatchGraph" => Action::DispatchGraph,
        "ExecuteIndirect" => Action::Indirect,
        _ => return None,
    })
}
