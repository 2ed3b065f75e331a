//! A program in a few calls: a device, a queue, a list, and what faults and their twins need.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

#[path = "../../../timeline/tests/common/mod.rs"]
pub(crate) mod script;

use reprise_d3d12::types::*;
use reprise_d3d12::{description, interface, method};
use reprise_dxbc::root_signature::{Content, Descriptor, Kind, Parameter, Range, Version};
use reprise_dxbc::{RootSignature, Tag, container};
use reprise_lint::{Finding, Linter};
use reprise_trace::fact;
use script::{INCREMENT, Script, pointer};

pub(crate) const DEVICE: u32 = 1;
pub(crate) const QUEUE: u32 = 2;
pub(crate) const FENCE: u32 = 3;
pub(crate) const ALLOCATOR: u32 = 4;
pub(crate) const LIST: u32 = 5;
/// The first handle of the heap of views.
const VIEWS: u64 = 0x10_0000;
/// And of the heap of targets.
const TARGETS: u64 = 0x20_0000;
/// Bytes of a buffer.
pub(crate) const BYTES: u64 = 256;

pub(crate) const COMMON: u32 = 0;
pub(crate) const TARGET: u32 = 4;
pub(crate) const UNORDERED: u32 = 8;
pub(crate) const PIXEL: u32 = 0x80;
pub(crate) const NON_PIXEL: u32 = 0x40;
pub(crate) const COPY_DEST: u32 = 0x400;
pub(crate) const COPY_SOURCE: u32 = 0x800;
pub(crate) const GENERIC_READ: u32 = 0xac3;

/// A program under construction.
pub(crate) struct Program {
    pub(crate) script: Script,
    next: u32,
    value: u64,
}

fn list_method(name: &str) -> reprise_d3d12::model::MethodId {
    method("ID3D12GraphicsCommandList", name)
}

/// A texture of four levels.
pub(crate) fn texture(flags: D3D12_RESOURCE_FLAGS) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        Width: 64,
        Height: 64,
        MipLevels: 4,
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN,
        Flags: flags,
        ..description::buffer(0, flags)
    }
}

/// A heap's type.
#[derive(Clone, Copy)]
pub(crate) enum In {
    Default = 1,
    Upload = 2,
    Readback = 3,
}

impl Program {
    pub(crate) fn new() -> Program {
        let mut script = Script::new(1);
        script.device(DEVICE);
        let mut program = Program { script, next: 10, value: 0 };
        program.queue_of(QUEUE, 0);
        program.fence_of(FENCE);
        program.list_of(LIST, ALLOCATOR, 0);
        program
    }

    pub(crate) fn id(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    pub(crate) fn queue_of(&mut self, id: u32, kind: i32) {
        let desc = D3D12_COMMAND_QUEUE_DESC { Type: D3D12_COMMAND_LIST_TYPE(kind), ..Default::default() };
        let create = method("ID3D12Device", "CreateCommandQueue");
        self.script.create(DEVICE, create, &[pointer(&desc)], interface("ID3D12CommandQueue"), id);
    }

    pub(crate) fn fence_of(&mut self, id: u32) {
        self.script.create(DEVICE, method("ID3D12Device", "CreateFence"), &[0, 0], interface("ID3D12Fence"), id);
    }

    /// An allocator and an open list of a type.
    pub(crate) fn list_of(&mut self, list: u32, allocator: u32, kind: u64) {
        let create = method("ID3D12Device", "CreateCommandAllocator");
        self.script.create(DEVICE, create, &[kind], interface("ID3D12CommandAllocator"), allocator);
        let words = [0, kind, u64::from(allocator), 0];
        let create = method("ID3D12Device", "CreateCommandList");
        self.script.create(DEVICE, create, &words, interface("ID3D12GraphicsCommandList"), list);
    }

    pub(crate) fn resource(&mut self, desc: &D3D12_RESOURCE_DESC, place: In, state: u32) -> u32 {
        let id = self.id();
        let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE(place as i32), ..Default::default() };
        let words = [pointer(&heap), 0, pointer(desc), u64::from(state), 0];
        let create = method("ID3D12Device", "CreateCommittedResource");
        self.script.create(DEVICE, create, &words, interface("ID3D12Resource"), id);
        if desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
            self.script.fact(id, fact::ADDRESS_RANGE, &[Program::address(id), BYTES]);
        }
        id
    }

    /// The GPU address of a buffer.
    pub(crate) fn address(id: u32) -> u64 {
        0x1_0000_0000 + u64::from(id) * 0x1_0000
    }

    pub(crate) fn buffer(&mut self, place: In) -> u32 {
        let state = match place {
            In::Default => COMMON,
            In::Upload => GENERIC_READ,
            In::Readback => COPY_DEST,
        };
        let flags = match place {
            In::Default => D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
            _ => D3D12_RESOURCE_FLAGS::NONE,
        };
        self.resource(&description::buffer(BYTES, flags), place, state)
    }

    /// A texture that may be drawn to and written by shaders.
    pub(crate) fn texture(&mut self, state: u32) -> u32 {
        let flags = D3D12_RESOURCE_FLAGS(
            D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0 | D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0,
        );
        self.resource(&texture(flags), In::Default, state)
    }

    /// A call of the first list.
    pub(crate) fn list(&mut self, name: &str, words: &[u64]) -> u64 {
        self.script.call(LIST, list_method(name), words, 0)
    }

    pub(crate) fn transition(&mut self, resource: u32, before: u32, after: u32) -> u64 {
        self.transition_of(LIST, resource, u32::MAX, (before, after), 0)
    }

    pub(crate) fn transition_of(
        &mut self,
        list: u32,
        resource: u32,
        index: u32,
        states: (u32, u32),
        flags: u32,
    ) -> u64 {
        let mut barrier = D3D12_RESOURCE_BARRIER {
            Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION,
            Flags: D3D12_RESOURCE_BARRIER_FLAGS(flags),
            ..Default::default()
        };
        barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: resource as usize as *mut _,
            Subresource: index,
            StateBefore: D3D12_RESOURCE_STATES(states.0),
            StateAfter: D3D12_RESOURCE_STATES(states.1),
        };
        self.script.call(list, list_method("ResourceBarrier"), &[1, pointer(&barrier)], 0)
    }

    /// 0: for all resources.
    pub(crate) fn unordered_barrier(&mut self, resource: u32) -> u64 {
        let mut barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() };
        barrier.Anonymous.UAV = D3D12_RESOURCE_UAV_BARRIER { pResource: resource as usize as *mut _ };
        self.list("ResourceBarrier", &[1, pointer(&barrier)])
    }

    pub(crate) fn alias(&mut self, before: u32, after: u32) -> u64 {
        let mut barrier = D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::ALIASING, ..Default::default() };
        barrier.Anonymous.Aliasing = D3D12_RESOURCE_ALIASING_BARRIER {
            pResourceBefore: before as usize as *mut _,
            pResourceAfter: after as usize as *mut _,
        };
        self.list("ResourceBarrier", &[1, pointer(&barrier)])
    }

    /// An enhanced barrier for all of a texture: scopes, accesses, layouts.
    pub(crate) fn layout(&mut self, resource: u32, sync: [u32; 2], access: [u32; 2], layouts: [u32; 2]) -> u64 {
        let barrier = D3D12_TEXTURE_BARRIER {
            SyncBefore: D3D12_BARRIER_SYNC(sync[0]),
            SyncAfter: D3D12_BARRIER_SYNC(sync[1]),
            AccessBefore: D3D12_BARRIER_ACCESS(access[0]),
            AccessAfter: D3D12_BARRIER_ACCESS(access[1]),
            LayoutBefore: D3D12_BARRIER_LAYOUT(layouts[0] as i32),
            LayoutAfter: D3D12_BARRIER_LAYOUT(layouts[1] as i32),
            pResource: resource as usize as *mut _,
            Subresources: D3D12_BARRIER_SUBRESOURCE_RANGE { IndexOrFirstMipLevel: u32::MAX, ..Default::default() },
            Flags: D3D12_TEXTURE_BARRIER_FLAGS::NONE,
        };
        let mut group = D3D12_BARRIER_GROUP { Type: D3D12_BARRIER_TYPE::TEXTURE, NumBarriers: 1, ..Default::default() };
        group.Anonymous.pTextureBarriers = &raw const barrier;
        self.script.call(LIST, method("ID3D12GraphicsCommandList7", "Barrier"), &[1, pointer(&group)], 0)
    }

    /// A texture barrier of a range, with any numbers in it: scopes, accesses, layouts.
    pub(crate) fn layout_of(&mut self, resource: u32, range: [u32; 6], numbers: [u32; 6]) -> u64 {
        let barrier = D3D12_TEXTURE_BARRIER {
            SyncBefore: D3D12_BARRIER_SYNC(numbers[0]),
            SyncAfter: D3D12_BARRIER_SYNC(numbers[1]),
            AccessBefore: D3D12_BARRIER_ACCESS(numbers[2]),
            AccessAfter: D3D12_BARRIER_ACCESS(numbers[3]),
            LayoutBefore: D3D12_BARRIER_LAYOUT(numbers[4] as i32),
            LayoutAfter: D3D12_BARRIER_LAYOUT(numbers[5] as i32),
            pResource: resource as usize as *mut _,
            Subresources: D3D12_BARRIER_SUBRESOURCE_RANGE {
                IndexOrFirstMipLevel: range[0],
                NumMipLevels: range[1],
                FirstArraySlice: range[2],
                NumArraySlices: range[3],
                FirstPlane: range[4],
                NumPlanes: range[5],
            },
            Flags: D3D12_TEXTURE_BARRIER_FLAGS(numbers[0] & 1),
        };
        let mut group = D3D12_BARRIER_GROUP { Type: D3D12_BARRIER_TYPE::TEXTURE, NumBarriers: 1, ..Default::default() };
        group.Anonymous.pTextureBarriers = &raw const barrier;
        self.script.call(LIST, method("ID3D12GraphicsCommandList7", "Barrier"), &[1, pointer(&group)], 0)
    }

    pub(crate) fn copy(&mut self, to: u32, from: u32) -> u64 {
        self.copy_in(LIST, to, from)
    }

    pub(crate) fn copy_in(&mut self, list: u32, to: u32, from: u32) -> u64 {
        self.script.call(list, list_method("CopyResource"), &[to.into(), from.into()], 0)
    }

    /// A heap of views, of eight.
    pub(crate) fn views(&mut self) -> u32 {
        let id = self.id();
        self.script.descriptors(DEVICE, D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV, 8, VIEWS + u64::from(id) * 0x1000, id);
        id
    }

    pub(crate) fn cpu(heap: u32, index: u64) -> u64 {
        VIEWS + u64::from(heap) * 0x1000 + index * INCREMENT
    }

    pub(crate) fn gpu(heap: u32, index: u64) -> u64 {
        ((VIEWS + u64::from(heap) * 0x1000) << 8) + index * INCREMENT
    }

    pub(crate) fn srv(&mut self, resource: u32, heap: u32, index: u64) {
        let words = [resource.into(), 0, Program::cpu(heap, index)];
        self.script.call(DEVICE, method("ID3D12Device", "CreateShaderResourceView"), &words, 0);
    }

    pub(crate) fn uav(&mut self, resource: u32, heap: u32, index: u64) {
        let words = [resource.into(), 0, 0, Program::cpu(heap, index)];
        self.script.call(DEVICE, method("ID3D12Device", "CreateUnorderedAccessView"), &words, 0);
    }

    /// A view of the first level of a target, in a heap of its own; gives its handle.
    pub(crate) fn rtv(&mut self, resource: u32) -> u64 {
        let heap = self.id();
        let handle = TARGETS + u64::from(heap) * 0x1000;
        self.script.descriptors(DEVICE, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, handle, heap);
        let words = [resource.into(), 0, handle];
        self.script.call(DEVICE, method("ID3D12Device", "CreateRenderTargetView"), &words, 0);
        handle
    }

    pub(crate) fn clear(&mut self, target: u64) -> u64 {
        let colour = [0f32; 4];
        self.list("ClearRenderTargetView", &[target, pointer(&colour), 0, 0])
    }

    pub(crate) fn clear_unordered(&mut self, resource: u32, heap: u32, index: u64) -> u64 {
        let values = [0u32; 4];
        let handles = [Program::gpu(heap, index), Program::cpu(heap, index)];
        self.list("ClearUnorderedAccessViewUint", &[handles[0], handles[1], resource.into(), pointer(&values), 0, 0])
    }

    /// A root signature with a table of `t0` and a root descriptor of `u0`; `other` adds a parameter.
    pub(crate) fn signature(&mut self, other: bool) -> u32 {
        let range = Range { kind: Kind::Srv, count: 1, register: 0, space: 0, flags: 3, offset: 0 };
        let descriptor = |register| Descriptor { kind: Kind::Uav, register, space: 0, flags: 2 };
        let mut parameters = vec![Content::Table(vec![range]), Content::Descriptor(descriptor(0))];
        if other {
            parameters.push(Content::Descriptor(descriptor(1)));
        }
        let parameters = parameters.into_iter().map(|content| Parameter { visibility: 0, content }).collect();
        self.signature_with(parameters)
    }

    /// A root signature with a table of `u0`.
    pub(crate) fn signature_of_table(&mut self) -> u32 {
        self.signature_of_views(1)
    }

    /// A root signature with a root descriptor of `t0`.
    pub(crate) fn signature_of_root_view(&mut self) -> u32 {
        let view = Descriptor { kind: Kind::Srv, register: 0, space: 0, flags: 2 };
        self.signature_with(vec![Parameter { visibility: 0, content: Content::Descriptor(view) }])
    }

    fn signature_with(&mut self, parameters: Vec<Parameter>) -> u32 {
        let bytes = RootSignature { parameters, ..RootSignature::default() }.to_container(Version::V1_1);
        let id = self.id();
        let words = [0, bytes.as_ptr() as u64, bytes.len() as u64];
        let create = method("ID3D12Device", "CreateRootSignature");
        self.script.create(DEVICE, create, &words, interface("ID3D12RootSignature"), id);
        id
    }

    /// A root signature with a table of `u0` and all that follow: a shader picks one by an index.
    pub(crate) fn signature_of_array(&mut self) -> u32 {
        self.signature_of_views(u32::MAX)
    }

    fn signature_of_views(&mut self, count: u32) -> u32 {
        let range = Range { kind: Kind::Uav, count, register: 0, space: 0, flags: 3, offset: 0 };
        let parameters = vec![Parameter { visibility: 0, content: Content::Table(vec![range]) }];
        self.signature_with(parameters)
    }

    /// A buffer for an acceleration structure.
    pub(crate) fn structure(&mut self) -> u32 {
        let flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
        self.resource(&description::buffer(BYTES, flags), In::Default, 0x40_0000)
    }

    /// Builds a structure of no instances.
    pub(crate) fn build(&mut self, structure: u32, scratch: u32) -> u64 {
        let desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC {
            DestAccelerationStructureData: Program::address(structure),
            ScratchAccelerationStructureData: Program::address(scratch),
            ..Default::default()
        };
        let build = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
        self.script.call(LIST, build, &[pointer(&desc), 0, 0], 0)
    }

    /// Records a build as described, with requests for information.
    pub(crate) fn build_of(
        &mut self,
        desc: &D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC,
        information: &[D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC],
    ) -> u64 {
        let build = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
        let words = [pointer(desc), information.len() as u64, information.as_ptr() as u64];
        self.script.call(LIST, build, &words, 0)
    }

    /// Builds a bottom level of a triangle whose vertices lie at an address.
    pub(crate) fn bottom(&mut self, structure: u32, scratch: u32, vertices: u64) -> u64 {
        self.bottom_of(structure, scratch, vertices, 0)
    }

    /// The same; not 0: changes the structure at that address.
    pub(crate) fn bottom_of(&mut self, structure: u32, scratch: u32, vertices: u64, source: u64) -> u64 {
        let mut geometry = D3D12_RAYTRACING_GEOMETRY_DESC::default();
        geometry.Anonymous.Triangles = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
            VertexFormat: DXGI_FORMAT::FORMAT_R32G32_FLOAT,
            VertexCount: 3,
            VertexBuffer: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: vertices, StrideInBytes: 8 },
            ..Default::default()
        };
        let update = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS::PERFORM_UPDATE;
        let mut desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC {
            DestAccelerationStructureData: Program::address(structure),
            SourceAccelerationStructureData: source,
            ScratchAccelerationStructureData: Program::address(scratch),
            ..Default::default()
        };
        desc.Inputs.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::BOTTOM_LEVEL;
        desc.Inputs.Flags = if source == 0 { Default::default() } else { update };
        desc.Inputs.NumDescs = 1;
        desc.Inputs.Anonymous.pGeometryDescs = &raw const geometry;
        self.build_of(&desc, &[])
    }

    /// Copies a structure; `mode`: `D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE`.
    pub(crate) fn copy_structure(&mut self, to: u32, from: u32, mode: u64) -> u64 {
        let copy = method("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure");
        self.script.call(LIST, copy, &[Program::address(to), Program::address(from), mode], 0)
    }

    /// Asks for the size that a structure has when it is compacted.
    pub(crate) fn ask_structure(&mut self, answer: u64, structure: u64) -> u64 {
        let desc =
            D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC { DestBuffer: answer, ..Default::default() };
        let ask = method("ID3D12GraphicsCommandList4", "EmitRaytracingAccelerationStructurePostbuildInfo");
        self.script.call(LIST, ask, &[pointer(&desc), 1, pointer(&structure)], 0)
    }

    /// Scratch memory of builds, or a buffer for what they answer.
    pub(crate) fn scratch(&mut self) -> u32 {
        let scratch = self.buffer(In::Default);
        self.transition(scratch, COMMON, UNORDERED);
        scratch
    }

    /// A view of an acceleration structure.
    pub(crate) fn structure_view(&mut self, structure: u32, heap: u32, index: u64) {
        let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
            ViewDimension: D3D12_SRV_DIMENSION::RAYTRACING_ACCELERATION_STRUCTURE,
            ..Default::default()
        };
        desc.Anonymous.RaytracingAccelerationStructure.Location = Program::address(structure);
        let words = [0, pointer(&desc), Program::cpu(heap, index)];
        self.script.call(DEVICE, method("ID3D12Device", "CreateShaderResourceView"), &words, 0);
    }

    /// A state object, set on the list.
    pub(crate) fn state_object(&mut self) -> u32 {
        let desc = D3D12_STATE_OBJECT_DESC { Type: D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE, ..Default::default() };
        let id = self.id();
        let create = method("ID3D12Device5", "CreateStateObject");
        self.script.create(DEVICE, create, &[pointer(&desc)], interface("ID3D12StateObject"), id);
        let set = method("ID3D12GraphicsCommandList4", "SetPipelineState1");
        self.script.call(LIST, set, &[id.into()], 0);
        id
    }

    /// Rays, by a record at an address.
    pub(crate) fn rays(&mut self, record: u64) -> u64 {
        let desc = D3D12_DISPATCH_RAYS_DESC {
            RayGenerationShaderRecord: D3D12_GPU_VIRTUAL_ADDRESS_RANGE { StartAddress: record, SizeInBytes: 32 },
            Width: 1,
            Height: 1,
            Depth: 1,
            ..Default::default()
        };
        self.script.call(LIST, method("ID3D12GraphicsCommandList4", "DispatchRays"), &[pointer(&desc)], 0)
    }

    /// A render pass with one target, which resolves into a texture at its end, if that is not 0.
    pub(crate) fn pass(&mut self, target: u64, from: u32, to: u32) -> u64 {
        let mut colour = D3D12_RENDER_PASS_RENDER_TARGET_DESC {
            cpuDescriptor: D3D12_CPU_DESCRIPTOR_HANDLE { ptr: target },
            ..Default::default()
        };
        colour.BeginningAccess.Type = D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE::PRESERVE;
        colour.EndingAccess.Type = D3D12_RENDER_PASS_ENDING_ACCESS_TYPE::PRESERVE;
        if to != 0 {
            colour.EndingAccess.Type = D3D12_RENDER_PASS_ENDING_ACCESS_TYPE::RESOLVE;
            colour.EndingAccess.Anonymous.Resolve = D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_PARAMETERS {
                pSrcResource: from as usize as *mut _,
                pDstResource: to as usize as *mut _,
                ..Default::default()
            };
        }
        let begin = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
        let call = self.script.call(LIST, begin, &[1, pointer(&colour), 0, 0], 0);
        self.script.call(LIST, method("ID3D12GraphicsCommandList4", "EndRenderPass"), &[], 0);
        call
    }

    /// A texture of depth, placed at the beginning of a heap of its own, and a view of it.
    pub(crate) fn placed_depth(&mut self) -> (u32, u64) {
        let (heap, id, views) = (self.id(), self.id(), self.id());
        self.script.heap(DEVICE, heap, 1 << 20);
        let flags = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
        let desc = D3D12_RESOURCE_DESC { Format: DXGI_FORMAT::FORMAT_D32_FLOAT, MipLevels: 1, ..texture(flags) };
        let words = [u64::from(heap), 0, pointer(&desc), 0x10, 0];
        let create = method("ID3D12Device", "CreatePlacedResource");
        self.script.create(DEVICE, create, &words, interface("ID3D12Resource"), id);
        let handle = TARGETS + u64::from(views) * 0x1000;
        self.script.descriptors(DEVICE, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 1, handle, views);
        let words = [id.into(), 0, handle];
        self.script.call(DEVICE, method("ID3D12Device", "CreateDepthStencilView"), &words, 0);
        (id, handle)
    }

    /// A render pass of depth alone, which it clears or keeps.
    pub(crate) fn depth_pass(&mut self, depth: u64, clears: bool) -> u64 {
        use D3D12_RENDER_PASS_BEGINNING_ACCESS_TYPE as Begin;
        let mut desc = D3D12_RENDER_PASS_DEPTH_STENCIL_DESC {
            cpuDescriptor: D3D12_CPU_DESCRIPTOR_HANDLE { ptr: depth },
            ..Default::default()
        };
        desc.DepthBeginningAccess.Type = if clears { Begin::CLEAR } else { Begin::PRESERVE };
        let begin = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
        let call = self.script.call(LIST, begin, &[0, 0, pointer(&desc), 0], 0);
        self.script.call(LIST, method("ID3D12GraphicsCommandList4", "EndRenderPass"), &[], 0);
        call
    }

    /// A heap of timestamps.
    pub(crate) fn queries(&mut self) -> u32 {
        let id = self.id();
        let desc = D3D12_QUERY_HEAP_DESC { Type: D3D12_QUERY_HEAP_TYPE::TIMESTAMP, Count: 4, NodeMask: 0 };
        let create = method("ID3D12Device", "CreateQueryHeap");
        self.script.create(DEVICE, create, &[pointer(&desc)], interface("ID3D12QueryHeap"), id);
        id
    }

    /// What makes a command of one dispatch.
    pub(crate) fn command_signature(&mut self) -> u32 {
        let id = self.id();
        let argument =
            D3D12_INDIRECT_ARGUMENT_DESC { Type: D3D12_INDIRECT_ARGUMENT_TYPE::DISPATCH, ..Default::default() };
        let desc = D3D12_COMMAND_SIGNATURE_DESC {
            ByteStride: 12,
            NumArgumentDescs: 1,
            pArgumentDescs: &raw const argument,
            NodeMask: 0,
        };
        let create = method("ID3D12Device", "CreateCommandSignature");
        self.script.create(DEVICE, create, &[pointer(&desc), 0], interface("ID3D12CommandSignature"), id);
        id
    }

    /// A compute pipeline whose shader uses these registers: a kind as its validator writes it, and the register.
    pub(crate) fn compute(&mut self, signature: u32, registers: &[(u32, u32)]) -> u32 {
        let registers: Vec<_> = registers.iter().map(|(kind, register)| (*kind, *register, *register)).collect();
        self.compute_of(signature, &registers)
    }

    /// A compute pipeline whose shader picks one of a range of registers: a kind, the first and the last.
    pub(crate) fn compute_of_array(&mut self, signature: u32, range: (u32, u32, u32)) -> u32 {
        self.compute_of(signature, &[range])
    }

    fn compute_of(&mut self, signature: u32, registers: &[(u32, u32, u32)]) -> u32 {
        let code = shader_of(registers);
        let id = self.id();
        let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC {
            pRootSignature: signature as usize as *mut _,
            CS: bytecode(&code),
            ..Default::default()
        };
        let create = method("ID3D12Device", "CreateComputePipelineState");
        self.script.create(DEVICE, create, &[pointer(&desc)], interface("ID3D12PipelineState"), id);
        id
    }

    /// A pipeline that draws to one target, with vertices of slot 0.
    pub(crate) fn graphics(&mut self, signature: u32) -> u32 {
        let code = shader_of(&[]);
        let id = self.id();
        let name = c"POSITION";
        let element = D3D12_INPUT_ELEMENT_DESC {
            SemanticName: name.as_ptr().cast(),
            Format: DXGI_FORMAT::FORMAT_R32G32_FLOAT,
            ..Default::default()
        };
        let mut desc = D3D12_GRAPHICS_PIPELINE_STATE_DESC {
            pRootSignature: signature as usize as *mut _,
            VS: bytecode(&code),
            PS: bytecode(&code),
            InputLayout: D3D12_INPUT_LAYOUT_DESC { pInputElementDescs: &raw const element, NumElements: 1 },
            NumRenderTargets: 1,
            ..Default::default()
        };
        desc.RTVFormats[0] = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
        let create = method("ID3D12Device", "CreateGraphicsPipelineState");
        self.script.create(DEVICE, create, &[pointer(&desc)], interface("ID3D12PipelineState"), id);
        id
    }

    pub(crate) fn set_heap(&mut self, heap: u32) {
        let heaps = [u64::from(heap)];
        self.list("SetDescriptorHeaps", &[1, pointer(&heaps)]);
    }

    pub(crate) fn set_compute(&mut self, signature: u32, pipeline: u32) {
        self.list("SetComputeRootSignature", &[signature.into()]);
        self.list("SetPipelineState", &[pipeline.into()]);
    }

    pub(crate) fn table(&mut self, heap: u32, index: u64) {
        self.list("SetComputeRootDescriptorTable", &[0, Program::gpu(heap, index)]);
    }

    pub(crate) fn dispatch(&mut self) -> u64 {
        self.list("Dispatch", &[1, 1, 1])
    }

    /// Everything of a draw to a target but for what `without` names.
    pub(crate) fn draw(&mut self, target: u64, without: &str) -> u64 {
        let signature = self.signature(false);
        let pipeline = self.graphics(signature);
        let vertices = self.buffer(In::Upload);
        self.list("SetGraphicsRootSignature", &[signature.into()]);
        self.list("SetPipelineState", &[pipeline.into()]);
        self.list("OMSetRenderTargets", &[1, pointer(&target), 0, 0]);
        if without != "vertices" {
            let view = D3D12_VERTEX_BUFFER_VIEW {
                BufferLocation: Program::address(vertices),
                SizeInBytes: BYTES as u32,
                StrideInBytes: 8,
            };
            self.list("IASetVertexBuffers", &[0, 1, pointer(&view)]);
        }
        if without != "topology" {
            self.list("IASetPrimitiveTopology", &[4]);
        }
        if without == "indices" {
            self.list("DrawIndexedInstanced", &[3, 1, 0, 0, 0])
        } else {
            self.list("DrawInstanced", &[3, 1, 0, 0])
        }
    }

    pub(crate) fn close(&mut self) {
        self.list("Close", &[]);
    }

    pub(crate) fn execute(&mut self) -> u64 {
        self.execute_on(QUEUE, LIST)
    }

    pub(crate) fn execute_on(&mut self, queue: u32, list: u32) -> u64 {
        let lists = [u64::from(list)];
        self.script.call(queue, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, pointer(&lists)], 0)
    }

    pub(crate) fn signal(&mut self, queue: u32, fence: u32, value: u64) -> u64 {
        self.script.call(queue, method("ID3D12CommandQueue", "Signal"), &[fence.into(), value], 0)
    }

    pub(crate) fn wait(&mut self, queue: u32, fence: u32, value: u64) -> u64 {
        self.script.call(queue, method("ID3D12CommandQueue", "Wait"), &[fence.into(), value], 0)
    }

    /// The queue signals its fence and the program waits for it.
    pub(crate) fn finish(&mut self) {
        self.value += 1;
        self.signal(QUEUE, FENCE, self.value);
        self.script.call(FENCE, method("ID3D12Fence", "SetEventOnCompletion"), &[self.value, 0], 0);
    }

    /// Closes, submits, waits.
    pub(crate) fn run(&mut self) {
        self.close();
        self.execute();
        self.finish();
    }

    pub(crate) fn reset(&mut self) {
        self.list("Reset", &[ALLOCATOR.into(), 0]);
    }

    pub(crate) fn release(&mut self, object: u32) -> u64 {
        self.script.release(object, 0)
    }

    /// The trace as a file.
    pub(crate) fn bytes(self) -> Vec<u8> {
        self.script.bytes()
    }

    /// What is found.
    pub(crate) fn lint(self) -> Vec<Finding> {
        let trace = self.script.trace();
        let mut linter = Linter::new(&trace);
        reprise_timeline::walk(&trace, &mut [&mut linter]).unwrap();
        linter.finish().0
    }
}

/// A container with the part that lists ranges of registers.
fn shader_of(registers: &[(u32, u32, u32)]) -> Vec<u8> {
    let mut words = vec![0, registers.len() as u32];
    if !registers.is_empty() {
        words.push(16);
    }
    registers.iter().for_each(|(kind, first, last)| words.extend([*kind, 0, *first, *last]));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    container::build(&[(Tag(*b"PSV0"), &bytes)])
}

fn bytecode(code: &[u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE { pShaderBytecode: code.as_ptr().cast(), BytecodeLength: code.len() as u64 }
}
