//! Which breadcrumbs methods of lists leave in DRED's histories (`D3D12_AUTO_BREADCRUMB_OP`).
//!
//! Source: the header's names of operations, which are those of the methods but for clears. The API has no operations for render passes,
//! discards and queries' begins and ends. Invariant: a method leaves one breadcrumb or none.

use crate::generated::types::D3D12_AUTO_BREADCRUMB_OP as Op;

/// By the method's name.
const METHODS: &[(&str, Op)] = &[
    ("SetMarker", Op::SETMARKER),
    ("BeginEvent", Op::BEGINEVENT),
    ("EndEvent", Op::ENDEVENT),
    ("DrawInstanced", Op::DRAWINSTANCED),
    ("DrawIndexedInstanced", Op::DRAWINDEXEDINSTANCED),
    ("ExecuteIndirect", Op::EXECUTEINDIRECT),
    ("Dispatch", Op::DISPATCH),
    ("CopyBufferRegion", Op::COPYBUFFERREGION),
    ("CopyTextureRegion", Op::COPYTEXTUREREGION),
    ("CopyResource", Op::COPYRESOURCE),
    ("CopyTiles", Op::COPYTILES),
    ("ResolveSubresource", Op::RESOLVESUBRESOURCE),
    ("ResolveSubresourceRegion", Op::RESOLVESUBRESOURCEREGION),
    ("ClearRenderTargetView", Op::CLEARRENDERTARGETVIEW),
    ("ClearUnorderedAccessViewUint", Op::CLEARUNORDEREDACCESSVIEW),
    ("ClearUnorderedAccessViewFloat", Op::CLEARUNORDEREDACCESSVIEW),
    ("ClearDepthStencilView", Op::CLEARDEPTHSTENCILVIEW),
    ("ResourceBarrier", Op::RESOURCEBARRIER),
    ("Barrier", Op::BARRIER),
    ("ExecuteBundle", Op::EXECUTEBUNDLE),
    ("ResolveQueryData", Op::RESOLVEQUERYDATA),
    ("AtomicCopyBufferUINT", Op::ATOMICCOPYBUFFERUINT),
    ("AtomicCopyBufferUINT64", Op::ATOMICCOPYBUFFERUINT64),
    ("WriteBufferImmediate", Op::WRITEBUFFERIMMEDIATE),
    ("BuildRaytracingAccelerationStructure", Op::BUILDRAYTRACINGACCELERATIONSTRUCTURE),
    ("EmitRaytracingAccelerationStructurePostbuildInfo", Op::EMITRAYTRACINGACCELERATIONSTRUCTUREPOSTBUILDINFO),
    ("CopyRaytracingAccelerationStructure", Op::COPYRAYTRACINGACCELERATIONSTRUCTURE),
    ("DispatchRays", Op::DISPATCHRAYS),
    ("InitializeMetaCommand", Op::INITIALIZEMETACOMMAND),
    ("ExecuteMetaCommand", Op::EXECUTEMETACOMMAND),
    ("DispatchMesh", Op::DISPATCHMESH),
    ("DispatchGraph", Op::DISPATCHGRAPH),
    ("SetProtectedResourceSession", Op::SETPROTECTEDRESOURCESESSION),
    ("SetPipelineState1", Op::SETPIPELINESTATE1),
    ("SetProgram", Op::SETPROGRAM),
];

/// What a method of lists leaves; nothing for most.
#[must_use]
pub fn of_method(name: &str) -> Option<Op> {
    METHODS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op)
}

/// The method that leaves a breadcrumb; the first one, where several do.
#[must_use]
pub fn name(op: Op) -> &'static str {
    METHODS.iter().find(|(_, of)| *of == op).map_or("an operation", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::METHODS;
    use crate::MODEL;

    /// Every name is that of a method of lists, and stands once.
    #[test]
    fn names_are_methods_of_lists() {
        for (index, (name, _)) in METHODS.iter().enumerate() {
            let list = |method: &crate::model::Method| {
                let of = method.interface.is_some_and(|id| id.get().name.starts_with("ID3D12GraphicsCommandList"));
                of && method.name == *name
            };
            assert!(MODEL.methods.iter().any(list), "{name}");
            assert!(METHODS[..index].iter().all(|(other, _)| other != name), "{name} twice");
        }
    }
}
