//! What calls of lists are: draws, dispatches, copies and the rest, said once for whoever counts, shows or plays them.
//!
//! A bundle's operations are those of the bundle, where they are recorded; the call that runs it is an operation of its own kind and adds none
//! to the others. An indirect command is what its command signature ends with (`reprise_timeline::operations`); without the signature it is
//! [`Operation::Indirect`]. Invariant: a method is one operation or none.

use std::sync::LazyLock;

use crate::MODEL;
use crate::model::Method;

/// What the GPU does for a call of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Draws: vertices, by indices, with mesh shaders.
    Draw,
    /// Runs a compute shader.
    Dispatch,
    /// Traces rays.
    Rays,
    /// Runs a work graph.
    Graph,
    /// Runs what a command signature says, where that is not known.
    Indirect,
    /// Runs a bundle.
    Bundle,
    /// Copies bytes, texels or tiles, also atomically.
    Copy,
    /// Makes one sample of many.
    Resolve,
    /// Clears a target or an unordered view.
    Clear,
    /// Writes what queries found.
    Query,
    /// Builds, copies or measures acceleration structures.
    Build,
    /// Prepares or runs a meta command.
    Meta,
    /// Writes words of the list.
    Write,
    /// Gives contents up.
    Discard,
    /// Waits for what came before, and changes layouts.
    Barrier,
    /// Ends a render pass, with its resolves.
    PassEnd,
}

/// By the method's name.
const METHODS: &[(&str, Operation)] = &[
    ("DrawInstanced", Operation::Draw),
    ("DrawIndexedInstanced", Operation::Draw),
    ("DispatchMesh", Operation::Draw),
    ("Dispatch", Operation::Dispatch),
    ("DispatchRays", Operation::Rays),
    ("DispatchGraph", Operation::Graph),
    ("ExecuteIndirect", Operation::Indirect),
    ("ExecuteBundle", Operation::Bundle),
    ("CopyBufferRegion", Operation::Copy),
    ("CopyTextureRegion", Operation::Copy),
    ("CopyResource", Operation::Copy),
    ("CopyTiles", Operation::Copy),
    ("AtomicCopyBufferUINT", Operation::Copy),
    ("AtomicCopyBufferUINT64", Operation::Copy),
    ("ResolveSubresource", Operation::Resolve),
    ("ResolveSubresourceRegion", Operation::Resolve),
    ("ClearRenderTargetView", Operation::Clear),
    ("ClearDepthStencilView", Operation::Clear),
    ("ClearUnorderedAccessViewUint", Operation::Clear),
    ("ClearUnorderedAccessViewFloat", Operation::Clear),
    ("ResolveQueryData", Operation::Query),
    ("BuildRaytracingAccelerationStructure", Operation::Build),
    ("CopyRaytracingAccelerationStructure", Operation::Build),
    ("EmitRaytracingAccelerationStructurePostbuildInfo", Operation::Build),
    ("InitializeMetaCommand", Operation::Meta),
    ("ExecuteMetaCommand", Operation::Meta),
    ("WriteBufferImmediate", Operation::Write),
    ("DiscardResource", Operation::Discard),
    ("ResourceBarrier", Operation::Barrier),
    ("Barrier", Operation::Barrier),
    ("EndRenderPass", Operation::PassEnd),
];

/// What a method of lists is; nothing for settings, markers, queries' begins and ends, and methods of other objects.
#[must_use]
pub fn of(method: &Method) -> Option<Operation> {
    let interface = method.interface?.get().name;
    if interface.starts_with(LISTS) { of_name(method.name) } else { None }
}

/// The same by a method's number; nothing for numbers that only a trace's own model has.
#[must_use]
pub fn of_number(method: u16) -> Option<Operation> {
    static ALL: LazyLock<Vec<Option<Operation>>> = LazyLock::new(|| MODEL.methods.iter().map(of).collect());
    ALL.get(usize::from(method)).copied().flatten()
}

/// The same of a method that is known to be one of lists.
#[must_use]
pub fn of_name(method: &str) -> Option<Operation> {
    METHODS.iter().find(|(name, _)| *name == method).map(|(_, operation)| *operation)
}

/// The beginning of the names of lists' interfaces.
const LISTS: &str = "ID3D12GraphicsCommandList";

impl Operation {
    /// As JSON names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operation::Draw => "draw",
            Operation::Dispatch => "dispatch",
            Operation::Rays => "rays",
            Operation::Graph => "graph",
            Operation::Indirect => "indirect",
            Operation::Bundle => "bundle",
            Operation::Copy => "copy",
            Operation::Resolve => "resolve",
            Operation::Clear => "clear",
            Operation::Query => "query",
            Operation::Build => "build",
            Operation::Meta => "meta",
            Operation::Write => "write",
            Operation::Discard => "discard",
            Operation::Barrier => "barrier",
            Operation::PassEnd => "pass_end",
        }
    }

    /// Whether it counts as a draw.
    #[must_use]
    pub fn draws(self) -> bool {
        self == Operation::Draw
    }

    /// Whether it counts as a dispatch: of compute shaders, rays and work graphs.
    #[must_use]
    pub fn dispatches(self) -> bool {
        matches!(self, Operation::Dispatch | Operation::Rays | Operation::Graph)
    }

    /// Whether it uses what is bound: draws, dispatches, and indirect commands of any kind.
    #[must_use]
    pub fn uses_bound(self) -> bool {
        self.draws() || self.dispatches() || self == Operation::Indirect
    }

    /// Whether it computes, draws, copies or builds: all but barriers, discards, words that a list writes, and the end of render passes.
    #[must_use]
    pub fn works(self) -> bool {
        !matches!(self, Operation::Barrier | Operation::Discard | Operation::Write | Operation::PassEnd)
    }
}

/// Whether the GPU works at what this method records. Settings, markers and queries take no time of their own; barriers do, since what
/// follows waits there.
#[must_use]
pub fn is_operation(method: &Method) -> bool {
    of(method).is_some()
}

/// Whether the operation computes, draws, copies or builds: see [`Operation::works`].
#[must_use]
pub fn is_work(method: &Method) -> bool {
    of(method).is_some_and(Operation::works)
}

#[cfg(test)]
mod tests {
    use super::{METHODS, Operation, is_operation, is_work, of};
    use crate::MODEL;

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

    /// Every name is that of a method, stands once, and is told by the first word of it, as people say it.
    #[test]
    fn each_method_is_one_operation() {
        for (place, (name, operation)) in METHODS.iter().enumerate() {
            assert!(METHODS[..place].iter().all(|(other, _)| other != name), "{name} twice");
            let methods = MODEL.methods.iter().filter(|method| method.name == *name && of(method).is_some());
            assert!(methods.count() > 0, "{name} is no method of lists");
            let word = match operation {
                Operation::Draw => ["Draw", "DispatchMesh"],
                Operation::Dispatch | Operation::Rays | Operation::Graph => ["Dispatch", "Dispatch"],
                Operation::Copy => ["Copy", "AtomicCopy"],
                Operation::Build => {
                    ["Build", if name.starts_with("Copy") { "CopyRaytracing" } else { "EmitRaytracing" }]
                }
                Operation::Meta => ["InitializeMetaCommand", "ExecuteMetaCommand"],
                Operation::Barrier => ["ResourceBarrier", "Barrier"],
                other => {
                    let start = match other {
                        Operation::Indirect => "ExecuteIndirect",
                        Operation::Bundle => "ExecuteBundle",
                        Operation::Resolve => "ResolveSubresource",
                        Operation::Clear => "Clear",
                        Operation::Query => "ResolveQueryData",
                        Operation::Write => "WriteBuffer",
                        Operation::Discard => "Discard",
                        _ => "EndRenderPass",
                    };
                    [start, start]
                }
            };
            assert!(word.iter().any(|word| name.starts_with(word)), "{name} is {operation:?}");
        }
    }

    #[test]
    fn work_is_all_but_waiting_and_words() {
        let names = |of: fn(&crate::model::Method) -> bool| {
            let mut names: Vec<&str> =
                MODEL.methods.iter().filter(|method| of(method)).map(|method| method.name).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let (all, work) = (names(is_operation), names(is_work));
        let idle: Vec<&str> = all.into_iter().filter(|name| !work.contains(name)).collect();
        assert_eq!(idle, ["Barrier", "DiscardResource", "EndRenderPass", "ResourceBarrier", "WriteBufferImmediate"]);
    }
}
