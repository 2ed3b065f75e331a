//! Descriptions of graphics pipelines, and the two ways to make one: of a structure, and of a stream of subobjects.

use crate::com::create;
use crate::failure::Failure;
use crate::pipeline::{Pipeline, bytecode};
use crate::root::RootSignature;
use crate::shader::Shader;
use crate::stage::Stage;
use core::ffi::c_void;
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::*;

pub(crate) type Description = D3D12_GRAPHICS_PIPELINE_STATE_DESC;

/// The plainest pipeline: triangles without culling, one sample, targets that are written as they are, no depth.
pub(crate) fn plain(
    stage: &Stage,
    root: &RootSignature,
    vertex: &Shader,
    pixel: &Shader,
    targets: &[DXGI_FORMAT],
) -> Description {
    let mut desc = Description {
        pRootSignature: root.com.as_ptr(),
        VS: bytecode(stage.shader(vertex)),
        PS: bytecode(stage.shader(pixel)),
        SampleMask: u32::MAX,
        RasterizerState: D3D12_RASTERIZER_DESC {
            FillMode: D3D12_FILL_MODE::SOLID,
            CullMode: D3D12_CULL_MODE::NONE,
            DepthClipEnable: 1,
            ..Default::default()
        },
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE,
        NumRenderTargets: targets.len() as u32,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    };
    desc.BlendState.RenderTarget.fill(D3D12_RENDER_TARGET_BLEND_DESC {
        SrcBlend: D3D12_BLEND::ONE,
        DestBlend: D3D12_BLEND::ZERO,
        BlendOp: D3D12_BLEND_OP::ADD,
        SrcBlendAlpha: D3D12_BLEND::ONE,
        DestBlendAlpha: D3D12_BLEND::ZERO,
        BlendOpAlpha: D3D12_BLEND_OP::ADD,
        LogicOp: D3D12_LOGIC_OP::NOOP,
        RenderTargetWriteMask: 15,
        ..Default::default()
    });
    let keep = D3D12_DEPTH_STENCILOP_DESC {
        StencilFailOp: D3D12_STENCIL_OP::KEEP,
        StencilDepthFailOp: D3D12_STENCIL_OP::KEEP,
        StencilPassOp: D3D12_STENCIL_OP::KEEP,
        StencilFunc: D3D12_COMPARISON_FUNC::ALWAYS,
    };
    desc.DepthStencilState = D3D12_DEPTH_STENCIL_DESC {
        DepthWriteMask: D3D12_DEPTH_WRITE_MASK::ZERO,
        DepthFunc: D3D12_COMPARISON_FUNC::ALWAYS,
        StencilReadMask: 0xff,
        StencilWriteMask: 0xff,
        FrontFace: keep,
        BackFace: keep,
        ..Default::default()
    };
    desc.RTVFormats[..targets.len()].copy_from_slice(targets);
    desc
}

/// One number or vector of a vertex, from the vertex buffer of a slot; `steps` is 0 for one a vertex, else how many instances
/// share it.
pub(crate) fn element(
    name: &'static core::ffi::CStr,
    format: DXGI_FORMAT,
    slot: u32,
    offset: u32,
    steps: u32,
) -> D3D12_INPUT_ELEMENT_DESC {
    let per_vertex = D3D12_INPUT_CLASSIFICATION::VERTEX_DATA;
    D3D12_INPUT_ELEMENT_DESC {
        SemanticName: name.as_ptr().cast(),
        SemanticIndex: 0,
        Format: format,
        InputSlot: slot,
        AlignedByteOffset: offset,
        InputSlotClass: if steps == 0 { per_vertex } else { D3D12_INPUT_CLASSIFICATION::INSTANCE_DATA },
        InstanceDataStepRate: steps,
    }
}

/// The layout as descriptions hold it: without a copy.
pub(crate) fn layout(elements: &[D3D12_INPUT_ELEMENT_DESC]) -> D3D12_INPUT_LAYOUT_DESC {
    D3D12_INPUT_LAYOUT_DESC { pInputElementDescs: elements.as_ptr(), NumElements: elements.len() as u32 }
}

impl Pipeline {
    /// Made of the structure.
    pub(crate) fn graphics(stage: &Stage, desc: &Description) -> Result<Self, Failure> {
        let com = create!(
            stage.device.com, "ID3D12Device", "CreateGraphicsPipelineState", &raw const *desc; "ID3D12PipelineState"
        )?;
        Ok(Self { com })
    }

    /// Made of a stream that says the same.
    pub(crate) fn of_stream(stage: &Stage, desc: &Description) -> Result<Self, Failure> {
        let kind = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::DEPTH_STENCIL;
        Self::of_parts(stage, desc, Part::new(kind, desc.DepthStencilState))
    }

    /// Made of a stream that says the same, and tests the bounds of depths.
    pub(crate) fn with_bounds(stage: &Stage, desc: &Description) -> Result<Self, Failure> {
        let plain = &desc.DepthStencilState;
        let depth = D3D12_DEPTH_STENCIL_DESC1 {
            DepthEnable: plain.DepthEnable,
            DepthWriteMask: plain.DepthWriteMask,
            DepthFunc: plain.DepthFunc,
            StencilEnable: plain.StencilEnable,
            StencilReadMask: plain.StencilReadMask,
            StencilWriteMask: plain.StencilWriteMask,
            FrontFace: plain.FrontFace,
            BackFace: plain.BackFace,
            DepthBoundsTestEnable: 1,
        };
        Self::of_parts(stage, desc, Part::new(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::DEPTH_STENCIL1, depth))
    }

    /// Made of a stream with a mesh shader in place of the structure's shaders of vertices, and maybe an amplification shader
    /// before it.
    pub(crate) fn of_meshes(
        stage: &Stage,
        desc: &Description,
        amplification: Option<&Shader>,
        mesh: &Shader,
    ) -> Result<Self, Failure> {
        Self::of_subobjects(stage, &mut MeshStream::new(stage, desc, amplification, mesh))
    }

    /// Made of a stream that says the same, for view instances.
    pub(crate) fn of_views(
        stage: &Stage,
        desc: &Description,
        views: &D3D12_VIEW_INSTANCING_DESC,
    ) -> Result<Self, Failure> {
        use D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Kind;
        let rest = Stream::new(desc, Part::new(Kind::DEPTH_STENCIL, desc.DepthStencilState));
        Self::of_subobjects(stage, &mut ViewStream { views: Part::new(Kind::VIEW_INSTANCING, *views), rest })
    }

    /// The same of a mesh shader.
    pub(crate) fn of_mesh_views(
        stage: &Stage,
        desc: &Description,
        mesh: &Shader,
        views: &D3D12_VIEW_INSTANCING_DESC,
    ) -> Result<Self, Failure> {
        let rest = MeshStream::new(stage, desc, None, mesh);
        let views = Part::new(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::VIEW_INSTANCING, *views);
        Self::of_subobjects(stage, &mut ViewStream { views, rest })
    }

    /// Made of a stream that says the same by the newest description of the rasteriser, and what lines are.
    pub(crate) fn with_lines(
        stage: &Stage,
        desc: &Description,
        lines: D3D12_LINE_RASTERIZATION_MODE,
    ) -> Result<Self, Failure> {
        use D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Kind;
        let plain = &desc.RasterizerState;
        let rasterizer = D3D12_RASTERIZER_DESC2 {
            FillMode: plain.FillMode,
            CullMode: plain.CullMode,
            FrontCounterClockwise: plain.FrontCounterClockwise,
            DepthBias: plain.DepthBias as f32,
            DepthBiasClamp: plain.DepthBiasClamp,
            SlopeScaledDepthBias: plain.SlopeScaledDepthBias,
            DepthClipEnable: plain.DepthClipEnable,
            LineRasterizationMode: lines,
            ForcedSampleCount: plain.ForcedSampleCount,
            ConservativeRaster: plain.ConservativeRaster,
        };
        let depth = Part::new(Kind::DEPTH_STENCIL, desc.DepthStencilState);
        Self::of_subobjects(stage, &mut Stream::rasterized(desc, depth, Part::new(Kind::RASTERIZER2, rasterizer)))
    }

    /// Made of a structure whose members are subobjects.
    fn of_subobjects<S>(stage: &Stage, stream: &mut S) -> Result<Self, Failure> {
        const DEVICE: InterfaceId = interface("ID3D12Device2");
        let device = stage.device.com.query(DEVICE);
        let device = device.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device2".into()))?;
        let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size_of::<S>() as u64,
            pPipelineStateSubobjectStream: core::ptr::from_mut(stream).cast(),
        };
        let com = create!(device, "ID3D12Device2", "CreatePipelineState", &raw const desc; "ID3D12PipelineState")?;
        Ok(Self { com })
    }

    fn of_parts<D>(stage: &Stage, desc: &Description, depth: Part<D>) -> Result<Self, Failure> {
        Self::of_subobjects(stage, &mut Stream::new(desc, depth))
    }
}

/// A part of a stream; each begins where a pointer could.
#[repr(C, align(8))]
struct Part<T> {
    kind: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE,
    content: T,
}

impl<T> Part<T> {
    fn new(kind: D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, content: T) -> Self {
        Self { kind, content }
    }
}

/// What a pipeline of mesh shaders is made of.
#[repr(C)]
struct MeshStream {
    root: Part<*mut c_void>,
    amplification: Part<D3D12_SHADER_BYTECODE>,
    mesh: Part<D3D12_SHADER_BYTECODE>,
    pixel: Part<D3D12_SHADER_BYTECODE>,
    targets: Part<D3D12_RT_FORMAT_ARRAY>,
    rasterizer: Part<D3D12_RASTERIZER_DESC>,
    depth: Part<D3D12_DEPTH_STENCIL_DESC>,
}

impl MeshStream {
    fn new(stage: &Stage, desc: &Description, amplification: Option<&Shader>, mesh: &Shader) -> Self {
        use D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Kind;
        let targets = D3D12_RT_FORMAT_ARRAY { RTFormats: desc.RTVFormats, NumRenderTargets: desc.NumRenderTargets };
        let amplification = amplification.map(|shader| bytecode(stage.shader(shader))).unwrap_or_default();
        Self {
            root: Part::new(Kind::ROOT_SIGNATURE, desc.pRootSignature),
            amplification: Part::new(Kind::AS, amplification),
            mesh: Part::new(Kind::MS, bytecode(stage.shader(mesh))),
            pixel: Part::new(Kind::PS, desc.PS),
            targets: Part::new(Kind::RENDER_TARGET_FORMATS, targets),
            rasterizer: Part::new(Kind::RASTERIZER, desc.RasterizerState),
            depth: Part::new(Kind::DEPTH_STENCIL, desc.DepthStencilState),
        }
    }
}

/// View instances, and what else a pipeline is made of.
#[repr(C)]
struct ViewStream<S> {
    views: Part<D3D12_VIEW_INSTANCING_DESC>,
    rest: S,
}

/// Everything that the structure says, in an order of its own: a stream has none.
#[repr(C)]
struct Stream<D, R = D3D12_RASTERIZER_DESC> {
    pixel: Part<D3D12_SHADER_BYTECODE>,
    vertex: Part<D3D12_SHADER_BYTECODE>,
    geometry: Part<D3D12_SHADER_BYTECODE>,
    domain: Part<D3D12_SHADER_BYTECODE>,
    hull: Part<D3D12_SHADER_BYTECODE>,
    targets: Part<D3D12_RT_FORMAT_ARRAY>,
    depth_format: Part<DXGI_FORMAT>,
    samples: Part<DXGI_SAMPLE_DESC>,
    mask: Part<u32>,
    blend: Part<D3D12_BLEND_DESC>,
    rasterizer: Part<R>,
    depth: Part<D>,
    input: Part<D3D12_INPUT_LAYOUT_DESC>,
    cut: Part<D3D12_INDEX_BUFFER_STRIP_CUT_VALUE>,
    topology: Part<D3D12_PRIMITIVE_TOPOLOGY_TYPE>,
    output: Part<D3D12_STREAM_OUTPUT_DESC>,
    root: Part<*mut c_void>,
}

impl<D> Stream<D> {
    fn new(desc: &Description, depth: Part<D>) -> Self {
        let kind = D3D12_PIPELINE_STATE_SUBOBJECT_TYPE::RASTERIZER;
        Self::rasterized(desc, depth, Part::new(kind, desc.RasterizerState))
    }
}

impl<D, R> Stream<D, R> {
    fn rasterized(desc: &Description, depth: Part<D>, rasterizer: Part<R>) -> Self {
        use D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Kind;
        let targets = D3D12_RT_FORMAT_ARRAY { RTFormats: desc.RTVFormats, NumRenderTargets: desc.NumRenderTargets };
        Self {
            pixel: Part::new(Kind::PS, desc.PS),
            vertex: Part::new(Kind::VS, desc.VS),
            geometry: Part::new(Kind::GS, desc.GS),
            domain: Part::new(Kind::DS, desc.DS),
            hull: Part::new(Kind::HS, desc.HS),
            targets: Part::new(Kind::RENDER_TARGET_FORMATS, targets),
            depth_format: Part::new(Kind::DEPTH_STENCIL_FORMAT, desc.DSVFormat),
            samples: Part::new(Kind::SAMPLE_DESC, desc.SampleDesc),
            mask: Part::new(Kind::SAMPLE_MASK, desc.SampleMask),
            blend: Part::new(Kind::BLEND, desc.BlendState),
            rasterizer,
            depth,
            input: Part::new(Kind::INPUT_LAYOUT, desc.InputLayout),
            cut: Part::new(Kind::IB_STRIP_CUT_VALUE, desc.IBStripCutValue),
            topology: Part::new(Kind::PRIMITIVE_TOPOLOGY, desc.PrimitiveTopologyType),
            output: Part::new(Kind::STREAM_OUTPUT, desc.StreamOutput),
            root: Part::new(Kind::ROOT_SIGNATURE, desc.pRootSignature),
        }
    }
}
