//! What each method means to the plan of dumps.
//!
//! Invariant: a method that is not listed changes neither states nor bindings, and does not say where copies can stand.

use reprise_d3d12::model::Method;

use super::bindings::{Root, Slot};

/// The meaning of a method for the plan.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Nothing,
    /// Makes resources; the initial states are arguments.
    Resource,
    List,
    Release,
    Reset,
    Close,
    Legacy,
    Enhanced,
    BeginPass,
    EndPass,
    Predicate,
    Bundle,
    Execute,
    /// The rest matters to draws only.
    Address,
    /// A view of the resource that is an argument.
    View,
    ConstantsView,
    Signature,
    /// For dispatches.
    SetSignature(bool),
    Table(bool),
    CopyViews,
    Increment,
    Targets,
    Views(u8),
    Root(u8),
    Draw,
    Dispatch,
    /// Draws or dispatches, which is not told apart here.
    Indirect,
}

/// Beginnings of the names of methods that make resources.
const RESOURCES: [&str; 3] = ["CreateCommittedResource", "CreatePlacedResource", "CreateReservedResource"];

/// The meaning of a method of the model.
pub(super) fn act(method: &Method) -> Act {
    let interface = method.interface.map_or("", |interface| interface.get().name);
    let list = is_list(method);
    match method.name {
        name if RESOURCES.iter().any(|made| name.starts_with(made)) && interface.starts_with("ID3D12Device") => {
            Act::Resource
        }
        "CreateCommandList" | "CreateCommandList1" => Act::List,
        "Release" => Act::Release,
        "Reset" if list => Act::Reset,
        "Close" if list => Act::Close,
        "ResourceBarrier" if list => Act::Legacy,
        "Barrier" if list => Act::Enhanced,
        "BeginRenderPass" if list => Act::BeginPass,
        "EndRenderPass" if list => Act::EndPass,
        "SetPredication" if list => Act::Predicate,
        "ExecuteBundle" if list => Act::Bundle,
        "ExecuteCommandLists" => Act::Execute,
        "GetGPUVirtualAddress" => Act::Address,
        "CreateRenderTargetView"
        | "CreateDepthStencilView"
        | "CreateShaderResourceView"
        | "CreateUnorderedAccessView" => Act::View,
        "CreateConstantBufferView" => Act::ConstantsView,
        "CreateRootSignature" => Act::Signature,
        "SetGraphicsRootSignature" => Act::SetSignature(false),
        "SetComputeRootSignature" => Act::SetSignature(true),
        "SetGraphicsRootDescriptorTable" => Act::Table(false),
        "SetComputeRootDescriptorTable" => Act::Table(true),
        "CopyDescriptors" | "CopyDescriptorsSimple" => Act::CopyViews,
        "GetDescriptorHandleIncrementSize" => Act::Increment,
        "OMSetRenderTargets" => Act::Targets,
        "IASetVertexBuffers" => Act::Views(0),
        "IASetIndexBuffer" => Act::Views(1),
        "SOSetTargets" => Act::Views(2),
        "SetGraphicsRootConstantBufferView" => Act::Root(0),
        "SetGraphicsRootShaderResourceView" => Act::Root(1),
        "SetGraphicsRootUnorderedAccessView" => Act::Root(2),
        "SetComputeRootConstantBufferView" => Act::Root(3),
        "SetComputeRootShaderResourceView" => Act::Root(4),
        "SetComputeRootUnorderedAccessView" => Act::Root(5),
        "DrawInstanced" | "DrawIndexedInstanced" | "DispatchMesh" => Act::Draw,
        "ExecuteIndirect" => Act::Indirect,
        "Dispatch" => Act::Dispatch,
        _ => Act::Nothing,
    }
}

/// Whether it records into a list that copies can go into.
pub(super) fn is_list(method: &Method) -> bool {
    method.interface.is_some_and(|interface| interface.get().name.starts_with("ID3D12GraphicsCommandList"))
}

/// By the number of [`Act::Views`].
pub(super) const BUFFERS: [Slot; 3] = [Slot::Vertex, Slot::Index, Slot::StreamOutput];
/// By the number of [`Act::Root`].
pub(super) const ROOTS: [Slot; 6] = [
    Slot::Graphics(Root::Constants),
    Slot::Graphics(Root::Read),
    Slot::Graphics(Root::Write),
    Slot::Compute(Root::Constants),
    Slot::Compute(Root::Read),
    Slot::Compute(Root::Write),
];
