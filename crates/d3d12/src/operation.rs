//! Which calls of a list are operations: those that the GPU works at, and can be at when it stops.

use crate::model::Method;

/// Beginnings of the names of methods that are operations.
const OPERATIONS: [&str; 12] = [
    "Draw",
    "Dispatch",
    "Copy",
    "Resolve",
    "Execute",
    "Build",
    "Emit",
    "Discard",
    "AtomicCopy",
    "WriteBufferImmediate",
    "Initialize",
    "EndRenderPass",
];

/// Whether the GPU works at what this method records. Settings, markers and queries take no time of their own; barriers do, since what
/// follows waits there.
#[must_use]
pub fn is_operation(method: &Method) -> bool {
    let name = method.name;
    method.interface.is_some_and(|interface| interface.get().name.starts_with("ID3D12GraphicsCommandList"))
        && (OPERATIONS.iter().any(|start| name.starts_with(start))
            || (name.starts_with("Clear") && name.contains("View"))
            || matches!(name, "ResourceBarrier" | "Barrier"))
}

/// Whether the operation computes, draws, copies or builds: all but barriers, discards, words that a list writes, and the end of render passes.
#[must_use]
pub fn is_work(method: &Method) -> bool {
    let idle = ["ResourceBarrier", "Barrier", "DiscardResource", "WriteBufferImmediate", "EndRenderPass"];
    is_operation(method) && !idle.contains(&method.name)
}

#[cfg(test)]
mod tests {
    use crate::MODEL;

    use super::is_operation;

    /// Every method of the newest list interface, told apart by hand from its documentation.
    #[test]
    fn operations_are_what_the_gpu_works_at() {
        let settings = |name: &str| {
            let begins = [
                "Set",
                "IASet",
                "OMSet",
                "RSSet",
                "SOSet",
                "Begin",
                "SetMarker",
                "EndEvent",
                "EndQuery",
                "Reset",
                "Close",
            ];
            begins.iter().any(|start| name.starts_with(start)) || name == "ClearState"
        };
        let mut operations = 0;
        for method in MODEL.methods {
            let Some(interface) = method.interface.map(|interface| interface.get().name) else { continue };
            if !interface.starts_with("ID3D12GraphicsCommandList") || interface.contains("ListExt") {
                continue;
            }
            assert_eq!(is_operation(method), !settings(method.name), "{interface}::{}", method.name);
            operations += usize::from(is_operation(method));
        }
        assert!(operations > 30, "{operations}");
    }
}
