//! Commands that bundles can record.

use reprise_com::Ref;
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY, D3D12_DISPATCH_RAYS_DESC, D3D12_INDEX_BUFFER_VIEW, D3D12_SHADING_RATE,
    D3D12_SHADING_RATE_COMBINER, D3D12_VERTEX_BUFFER_VIEW, D3D12_WRITEBUFFERIMMEDIATE_MODE,
};

use crate::command_signature::CommandSignature;
use crate::descriptor::heap::DescriptorHeap;
use crate::pipeline::PipelineState;
use crate::resource::object::Resource;
use crate::root::RootSignature;
use crate::state_object::StateObject;

/// A command. `compute` says which root arguments are meant.
#[derive(Clone)]
#[allow(missing_docs, reason = "named by the methods")]
pub(crate) enum Command {
    Pipeline(Ref<PipelineState>),
    Heaps {
        views: Option<Ref<DescriptorHeap>>,
        samplers: Option<Ref<DescriptorHeap>>,
    },
    Root {
        compute: bool,
        signature: Option<Ref<RootSignature>>,
    },
    Constant {
        compute: bool,
        parameter: u32,
        offset: u32,
        value: u32,
    },
    Constants {
        compute: bool,
        parameter: u32,
        offset: u32,
        values: Box<[u32]>,
    },
    Address {
        compute: bool,
        parameter: u32,
        address: u64,
    },
    Table {
        compute: bool,
        parameter: u32,
        handle: u64,
    },
    Topology(D3D_PRIMITIVE_TOPOLOGY),
    Index(D3D12_INDEX_BUFFER_VIEW),
    Vertex {
        slot: u32,
        view: D3D12_VERTEX_BUFFER_VIEW,
    },
    Blend([f32; 4]),
    Stencil([u32; 2]),
    DepthBounds([f32; 2]),
    DepthBias([f32; 3]),
    StripCut(bool),
    Rate {
        rate: D3D12_SHADING_RATE,
        combiners: [D3D12_SHADING_RATE_COMBINER; 2],
    },
    RateImage(Option<Ref<Resource>>),
    ViewMask(u32),
    Draw {
        vertices: u32,
        instances: u32,
        first_vertex: u32,
        first_instance: u32,
    },
    DrawIndexed {
        indices: u32,
        instances: u32,
        first_index: u32,
        base_vertex: i32,
        first_instance: u32,
    },
    Dispatch([u32; 3]),
    DispatchMesh([u32; 3]),
    StateObject(Ref<StateObject>),
    DispatchRays(Box<D3D12_DISPATCH_RAYS_DESC>),
    WriteImmediate {
        address: u64,
        value: u32,
        mode: D3D12_WRITEBUFFERIMMEDIATE_MODE,
    },
    Indirect {
        signature: Ref<CommandSignature>,
        most: u32,
        arguments: Ref<Resource>,
        offset: u64,
        count: Option<(Ref<Resource>, u64)>,
    },
}
