//! Pipelines that stream out: the program's shaders up to the last one before rasterisation, and a declaration of all its outputs.

use std::ffi::CString;

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_CULL_MODE, D3D12_FILL_MODE, D3D12_GRAPHICS_PIPELINE_STATE_DESC, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE,
    D3D12_INPUT_LAYOUT_DESC, D3D12_PIPELINE_STATE_FLAGS, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Subobject,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_RASTERIZER_DESC, D3D12_ROOT_SIGNATURE_FLAGS as Flags, D3D12_RT_FORMAT_ARRAY,
    D3D12_SHADER_BYTECODE, D3D12_SO_DECLARATION_ENTRY, D3D12_STREAM_OUTPUT_DESC, D3D12_VIEW_INSTANCING_DESC,
    DXGI_FORMAT, DXGI_SAMPLE_DESC,
};
use reprise_d3d12::{interface, method};
use reprise_dxbc::root_signature::Version;
use reprise_dxbc::signature::{self, Element};
use reprise_dxbc::{Container, RootSignature};

use super::meshlets::{self, Storer};
use super::plan::NO_VERTICES;
use super::shader::{bytes, refuse_writes};
use super::{patch, primitive, views};
use crate::pipeline_description::{Description, Stream as Described};
use crate::pipeline_origin::Origin;
use crate::report::mesh::{MeshColumn, MeshOf, MeshStage};
use crate::runtime::Runtime;
use crate::runtime::replay_objects::create;

const CREATE_GRAPHICS: MethodId = method("ID3D12Device", "CreateGraphicsPipelineState");

/// `D3D12_SO_NO_RASTERIZED_STREAM`.
const NO_RASTERIZED_STREAM: u32 = u32::MAX;
/// `D3D12_SO_OUTPUT_COMPONENT_COUNT`.
const MOST_COMPONENTS: u32 = 128;

/// What draws into a stream-output buffer. Pointers are references held.
#[derive(Clone, Debug)]
pub(super) struct Streamer {
    pub(super) root: u64,
    pub(super) pipeline: u64,
    pub(super) stage: MeshStage,
    /// Vertices of a primitive, where the last stage is no vertex shader and says it.
    pub(super) primitive: Option<u32>,
    pub(super) columns: Vec<MeshColumn>,
    /// Bytes of a vertex.
    pub(super) stride: u32,
    pub(super) notes: Vec<String>,
}

/// What the program's pipeline has up to rasterisation.
#[derive(Default)]
struct Given {
    vertex: D3D12_SHADER_BYTECODE,
    hull: D3D12_SHADER_BYTECODE,
    domain: D3D12_SHADER_BYTECODE,
    geometry: D3D12_SHADER_BYTECODE,
    input: D3D12_INPUT_LAYOUT_DESC,
    cut: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE,
    topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    flags: D3D12_PIPELINE_STATE_FLAGS,
    /// Targets, which ours does not write but which a render pass and what is bound ask for.
    targets: D3D12_RT_FORMAT_ARRAY,
    depth: DXGI_FORMAT,
    samples: DXGI_SAMPLE_DESC,
    /// The stream that is rasterised.
    stream: u32,
    views: D3D12_VIEW_INSTANCING_DESC,
}

impl Given {
    /// The stages whose vertices are wanted: of the vertex shader alone they are points.
    fn keep(&mut self, of: MeshOf) {
        match of {
            MeshOf::Rasteriser => {}
            MeshOf::VertexShader => {
                (self.hull, self.domain, self.geometry) = Default::default();
                (self.cut, self.stream) = Default::default();
                self.flags = D3D12_PIPELINE_STATE_FLAGS::default();
                self.topology = D3D12_PRIMITIVE_TOPOLOGY_TYPE::POINT;
            }
            MeshOf::Stream(stream) => self.stream = stream,
            MeshOf::DomainShader | MeshOf::Patches(_) => {
                self.geometry = D3D12_SHADER_BYTECODE::default();
                self.stream = 0;
            }
        }
    }
}

/// What gives the vertices of a draw.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// Stream output.
    Stream(Streamer),
    /// A mesh shader that stores them.
    Store(Storer),
}

/// Makes the pipeline that streams out, or stores, for one that the program made by this call, and its root signature. Stages behind those whose vertices are
/// wanted are left out. `view`: of several view instances the list's mask leaves one.
///
/// # Safety
/// The words are those that the codec rebuilt for this method, and their memory is alive.
pub(super) unsafe fn make(
    runtime: &Runtime,
    codec: &Codec,
    device: u64,
    (origin, arguments): (&Origin, (MethodId, &[u64])),
    ((root, version), of, view): (&(RootSignature, Version), MeshOf, Option<u32>),
) -> Result<Way, String> {
    // SAFETY: as the caller says.
    let description = unsafe { origin.description((runtime, codec, device), arguments) }?;
    let description = match description {
        Description::Stream(stream) if meshlets::is_of_meshes(&stream) => {
            if of != MeshOf::Rasteriser {
                return Err(NO_VERTICES.into());
            }
            // SAFETY: as the caller says.
            return unsafe { meshlets::make(runtime, device, stream, view) }.map(Way::Store);
        }
        description => description,
    };
    let mut given = match &description {
        Description::Whole(desc) => of_desc(desc),
        Description::Stream(stream) => of_stream(stream, of == MeshOf::VertexShader || view.is_some())?,
    };
    given.keep(of);
    // The shader that it names lives until the pipeline is made.
    let shown;
    if let MeshOf::Patches(part) = of {
        // SAFETY: the codec rebuilt the shader's bytes.
        shown = patch::make(unsafe { bytes(&given.hull) }, part)?;
        given.domain =
            D3D12_SHADER_BYTECODE { pShaderBytecode: shown.as_ptr().cast(), BytecodeLength: shown.len() as u64 };
    }
    for shader in [given.vertex, given.hull, given.domain, given.geometry] {
        // SAFETY: the codec rebuilt the shader's bytes.
        refuse_writes(unsafe { bytes(&shader) })?;
    }
    // SAFETY: the codec rebuilt the bytes of all shaders of the description.
    let [domain, geometry, vertex, hull] =
        [&given.domain, &given.geometry, &given.vertex, &given.hull].map(|shader| unsafe { bytes(shader) });
    let (stage, last, primitive) = match (geometry.is_empty(), domain.is_empty()) {
        (false, _) => (MeshStage::Geometry, geometry, primitive::of_geometry(geometry)),
        (true, false) => (MeshStage::Domain, domain, primitive::of_hull(hull)),
        (true, true) => (MeshStage::Vertex, vertex, None),
    };
    if vertex.is_empty() {
        return Err("its pipeline has no vertex shader".into());
    }
    let rows = outputs(last).map_err(|what| format!("the outputs of its {} shader: {what}", stage.name()))?;
    let mut notes = Vec::new();
    if of == MeshOf::Rasteriser && rows.iter().any(|row| row.stream != given.stream) {
        notes.push(format!("of stream {} only, which is the one that is rasterised", given.stream));
    }
    let rows: Vec<Element> = rows.into_iter().filter(|row| row.stream == given.stream && row.mask != 0).collect();
    let (mut columns, stride) = columns(&rows, stage)?;
    columns.iter_mut().for_each(|column| column.semantic = patch::shown(&column.semantic).to_owned());
    let names: Vec<CString> = rows
        .iter()
        .map(|row| CString::new(row.semantic.as_str()).map_err(|_| "an output's name has a zero in it".to_owned()))
        .collect::<Result<_, _>>()?;
    let entries: Vec<D3D12_SO_DECLARATION_ENTRY> = rows
        .iter()
        .zip(&names)
        .map(|(row, name)| D3D12_SO_DECLARATION_ENTRY {
            Stream: row.stream,
            SemanticName: name.as_ptr().cast(),
            SemanticIndex: row.index,
            StartComponent: 0,
            ComponentCount: row.mask.count_ones() as u8,
            OutputSlot: 0,
        })
        .collect();
    let allowing =
        RootSignature { flags: root.flags | Flags::ALLOW_STREAM_OUTPUT.0, ..root.clone() }.to_container(*version);
    let class = interface("ID3D12RootSignature");
    let root = create(runtime, device, "a root signature that allows stream output", class, |iid, out| {
        let words = vec![0, allowing.as_ptr() as u64, allowing.len() as u64, iid, out];
        (method_of_root(), words)
    })?;
    let strides = [stride];
    let desc = D3D12_GRAPHICS_PIPELINE_STATE_DESC {
        pRootSignature: root.pointer() as *mut _,
        VS: given.vertex,
        HS: given.hull,
        DS: given.domain,
        GS: given.geometry,
        StreamOutput: D3D12_STREAM_OUTPUT_DESC {
            pSODeclaration: entries.as_ptr(),
            NumEntries: entries.len() as u32,
            pBufferStrides: strides.as_ptr(),
            NumStrides: 1,
            RasterizedStream: NO_RASTERIZED_STREAM,
        },
        SampleMask: u32::MAX,
        RasterizerState: D3D12_RASTERIZER_DESC {
            FillMode: D3D12_FILL_MODE::SOLID,
            CullMode: D3D12_CULL_MODE::NONE,
            DepthClipEnable: 1,
            ..Default::default()
        },
        InputLayout: given.input,
        IBStripCutValue: given.cut,
        PrimitiveTopologyType: given.topology,
        NumRenderTargets: given.targets.NumRenderTargets,
        RTVFormats: given.targets.RTFormats,
        DSVFormat: given.depth,
        SampleDesc: DXGI_SAMPLE_DESC { Count: given.samples.Count.max(1), ..given.samples },
        Flags: D3D12_PIPELINE_STATE_FLAGS(given.flags.0 & D3D12_PIPELINE_STATE_FLAGS::DYNAMIC_INDEX_BUFFER_STRIP_CUT.0),
        ..Default::default()
    };
    let class = interface("ID3D12PipelineState");
    let what = "a pipeline with stream output";
    let pipeline = match view.filter(|_| given.views.ViewInstanceCount > 1) {
        Some(_) => Description::Stream(with_views(codec, &desc, given.views)).make(runtime, device, what)?,
        None => create(runtime, device, what, class, |iid, out| {
            (CREATE_GRAPHICS, vec![core::ptr::from_ref(&desc) as u64, iid, out])
        })?
        .into_pointer(),
    };
    let root = root.into_pointer();
    Ok(Way::Stream(Streamer { root, pipeline, stage, primitive, columns, stride, notes }))
}

/// The same description as a stream, with view instances that the list's mask chooses among.
fn with_views<'c>(
    codec: &'c Codec,
    desc: &D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    views: D3D12_VIEW_INSTANCING_DESC,
) -> Described<'c> {
    let mut stream = Described::new(codec);
    stream.append_far(Subobject::ROOT_SIGNATURE, desc.pRootSignature);
    let shaders =
        [(Subobject::VS, desc.VS), (Subobject::HS, desc.HS), (Subobject::DS, desc.DS), (Subobject::GS, desc.GS)];
    for (kind, shader) in shaders.into_iter().filter(|(_, shader)| !shader.pShaderBytecode.is_null()) {
        stream.append_far(kind, shader);
    }
    stream.append_far(Subobject::STREAM_OUTPUT, desc.StreamOutput);
    stream.append_far(Subobject::INPUT_LAYOUT, desc.InputLayout);
    stream.append(Subobject::RASTERIZER, desc.RasterizerState);
    stream.append(Subobject::IB_STRIP_CUT_VALUE, desc.IBStripCutValue);
    stream.append(Subobject::PRIMITIVE_TOPOLOGY, desc.PrimitiveTopologyType);
    let targets = D3D12_RT_FORMAT_ARRAY { RTFormats: desc.RTVFormats, NumRenderTargets: desc.NumRenderTargets };
    stream.append(Subobject::RENDER_TARGET_FORMATS, targets);
    stream.append(Subobject::DEPTH_STENCIL_FORMAT, desc.DSVFormat);
    stream.append(Subobject::SAMPLE_DESC, desc.SampleDesc);
    stream.append(Subobject::SAMPLE_MASK, desc.SampleMask);
    stream.append(Subobject::FLAGS, desc.Flags);
    stream.append_far(Subobject::VIEW_INSTANCING, views::masked(views));
    stream
}

fn method_of_root() -> MethodId {
    method("ID3D12Device", "CreateRootSignature")
}

fn of_desc(desc: &D3D12_GRAPHICS_PIPELINE_STATE_DESC) -> Given {
    Given {
        vertex: desc.VS,
        hull: desc.HS,
        domain: desc.DS,
        geometry: desc.GS,
        input: desc.InputLayout,
        cut: desc.IBStripCutValue,
        topology: desc.PrimitiveTopologyType,
        flags: desc.Flags,
        targets: D3D12_RT_FORMAT_ARRAY { RTFormats: desc.RTVFormats, NumRenderTargets: desc.NumRenderTargets },
        depth: desc.DSVFormat,
        samples: desc.SampleDesc,
        stream: rasterised(&desc.StreamOutput),
        views: D3D12_VIEW_INSTANCING_DESC::default(),
    }
}

/// The stream that a pipeline rasterises; the first where it rasterises none.
fn rasterised(output: &D3D12_STREAM_OUTPUT_DESC) -> u32 {
    if output.NumEntries == 0 || output.RasterizedStream == NO_RASTERIZED_STREAM { 0 } else { output.RasterizedStream }
}

fn of_stream(stream: &Described<'_>, takes_views: bool) -> Result<Given, String> {
    let shader = |kind| stream.get::<D3D12_SHADER_BYTECODE>(kind).unwrap_or_default();
    // Without them a vertex shader is told that it is of the first.
    let views = stream.get::<D3D12_VIEW_INSTANCING_DESC>(Subobject::VIEW_INSTANCING).unwrap_or_default();
    if !takes_views && views.ViewInstanceCount > 1 {
        return Err("its pipeline draws several view instances: not supported".into());
    }
    let output = stream.get::<D3D12_STREAM_OUTPUT_DESC>(Subobject::STREAM_OUTPUT);
    Ok(Given {
        vertex: shader(Subobject::VS),
        hull: shader(Subobject::HS),
        domain: shader(Subobject::DS),
        geometry: shader(Subobject::GS),
        input: stream.get(Subobject::INPUT_LAYOUT).unwrap_or_default(),
        cut: stream.get(Subobject::IB_STRIP_CUT_VALUE).unwrap_or_default(),
        topology: stream.get(Subobject::PRIMITIVE_TOPOLOGY).unwrap_or_default(),
        flags: stream.get(Subobject::FLAGS).unwrap_or_default(),
        targets: stream.get(Subobject::RENDER_TARGET_FORMATS).unwrap_or_default(),
        depth: stream.get(Subobject::DEPTH_STENCIL_FORMAT).unwrap_or_default(),
        samples: stream.get(Subobject::SAMPLE_DESC).unwrap_or_default(),
        stream: output.as_ref().map_or(0, rasterised),
        views,
    })
}

/// The rows of a shader's output signature.
fn outputs(shader: &[u8]) -> Result<Vec<Element>, String> {
    let container = Container::parse(shader).map_err(|error| error.to_string())?;
    let is_output = |tag: &[u8; 4]| matches!(tag, b"OSGN" | b"OSG5" | b"OSG1");
    let part = container.parts().iter().find(|part| is_output(&part.tag.0)).ok_or("it has no output signature")?;
    signature::parse(part).map_err(|error| error.to_string())
}

/// The columns that stream output takes, and the bytes of all.
fn columns(rows: &[Element], stage: MeshStage) -> Result<(Vec<MeshColumn>, u32), String> {
    let (columns, stride) = MeshColumn::of(rows).map_err(|what| format!("{what}: stream output takes words"))?;
    let words = stride / 4;
    if words == 0 {
        return Err(format!("its {} shader has no outputs", stage.name()));
    }
    if words > MOST_COMPONENTS {
        return Err(format!(
            "its {} shader gives {words} components, and stream output takes {MOST_COMPONENTS}",
            stage.name()
        ));
    }
    Ok((columns, stride))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::report::mesh::MeshKind;

    fn row(mask: u8, component_type: u32) -> Element {
        Element {
            semantic: "A".into(),
            index: 2,
            system_value: 0,
            component_type,
            register: 0,
            mask,
            stream: 0,
            min_precision: 0,
        }
    }

    #[test]
    fn outputs_lie_close_together_up_to_the_limit() {
        let (columns, stride) = columns(&[row(0b1111, 3), row(0b1100, 1), row(0b1, 2)], MeshStage::Vertex).unwrap();
        let places: Vec<_> = columns.iter().map(|it| (it.offset, it.components, it.kind)).collect();
        assert_eq!(places, [(0, 4, MeshKind::Float), (16, 2, MeshKind::Unsigned), (24, 1, MeshKind::Signed)]);
        assert_eq!(stride, 28);
        let said = |rows: &[Element]| super::columns(rows, MeshStage::Domain).unwrap_err();
        assert!(super::columns(&vec![row(0b1111, 3); 32], MeshStage::Domain).is_ok());
        assert!(said(&vec![row(0b1111, 3); 33]).contains("132 components"));
        assert!(said(&[]).contains("domain shader has no outputs"));
        assert!(said(&[row(1, 6)]).contains("A2 has components that are not of 32 bits"));
    }
}
