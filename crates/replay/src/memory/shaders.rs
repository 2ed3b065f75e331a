//! Calls by which shaders get at resources that they may write to. Without one of them a flag of the resource says only that they could.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_INDIRECT_ARGUMENT_TYPE as Type;
use reprise_timeline::argument::{Argument, GpuAddress, ObjectId};
use reprise_timeline::state::lists::strided;
use reprise_timeline::{Call, argument};
use std::collections::HashSet;

/// Root descriptors through which shaders write.
pub(super) const ROOTS: [Argument<GpuAddress>; 2] = [
    argument!("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView", "BufferLocation"),
    argument!("ID3D12GraphicsCommandList", "SetGraphicsRootUnorderedAccessView", "BufferLocation"),
];
/// Calls that make views through which shaders write, with what they show.
pub(super) const VIEWS: [Argument<ObjectId>; 4] = [
    argument!("ID3D12Device", "CreateUnorderedAccessView", "pResource"),
    argument!("ID3D12Device", "CreateUnorderedAccessView", "pCounterResource"),
    argument!("ID3D12Device15", "TryCreateUnorderedAccessView", "pResource"),
    argument!("ID3D12Device15", "TryCreateUnorderedAccessView", "pCounterResource"),
];
const INDIRECT: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
const SIGNATURE: MethodId = method("ID3D12Device", "CreateCommandSignature");

/// Commands whose shaders may have addresses that no call of the list names.
#[derive(Default)]
pub(super) struct Anywhere {
    /// Signatures whose commands give shaders nothing to write through.
    reading: HashSet<u32>,
}

impl Anywhere {
    pub(super) const COMMANDS: [MethodId; 4] = [
        INDIRECT.method(),
        method("ID3D12GraphicsCommandList4", "DispatchRays"),
        method("ID3D12GraphicsCommandList4", "ExecuteMetaCommand"),
        method("ID3D12GraphicsCommandList10", "DispatchGraph"),
    ];
    /// What tells of signatures, to be given to [`Self::made`] once it has ended.
    pub(super) const MAKES: MethodId = SIGNATURE;

    pub(super) fn made(&mut self, call: &Call<'_>) {
        let Some(made) = call.given().ok().and_then(|given| given.first().map(|given| given.object)) else { return };
        let reading = strided(call).is_some_and(|(_, arguments)| arguments.iter().all(|one| reads(one.Type)));
        if reading {
            self.reading.insert(made);
        } else {
            self.reading.remove(&made);
        }
    }

    pub(super) fn has(&self, call: &Call<'_>) -> bool {
        let indirect = call.method == INDIRECT.method();
        let reading = || INDIRECT.of(call).is_ok_and(|signature| self.reading.contains(&signature.0));
        Self::COMMANDS.contains(&call.method) && !(indirect && reading())
    }
}

/// Whether an argument of indirect commands gives shaders nothing to write through: tables of rays have addresses of their own.
fn reads(kind: Type) -> bool {
    let draws = [Type::DRAW, Type::DRAW_INDEXED, Type::DISPATCH, Type::DISPATCH_MESH];
    let sets = [Type::VERTEX_BUFFER_VIEW, Type::INDEX_BUFFER_VIEW, Type::CONSTANT, Type::INCREMENTING_CONSTANT];
    let views = [Type::CONSTANT_BUFFER_VIEW, Type::SHADER_RESOURCE_VIEW];
    draws.contains(&kind) || sets.contains(&kind) || views.contains(&kind)
}
