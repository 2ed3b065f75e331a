//! Root signatures and pipeline states, made the way a C program makes them. Needs a Vulkan 1.3 driver (lavapipe does).
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::null_mut;

use reprise_com::result::*;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::*;
use reprise_runtime::entry;

macro_rules! shader {
    ($name:expr) => {
        include_bytes!(concat!("../../shader/tests/shaders/", $name))
    };
}

/// Serialises the tests: they count references of the one device of the process.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// A method's function as the type that a C program sees.
///
/// # Safety
/// `F` is the method's type, `object` has the interface.
unsafe fn slot<F: Copy>(object: *mut c_void, owner: &str, name: &str) -> F {
    let slot = usize::from(method(owner, name).get().slot);
    // SAFETY: the caller promises: `F` is the method's type, `object` has the interface.
    unsafe { core::mem::transmute_copy(&*(*object.cast::<*const *const c_void>()).add(slot)) }
}

fn release(object: *mut c_void) -> u32 {
    // SAFETY: every object has it.
    unsafe { slot::<unsafe extern "C" fn(*mut c_void) -> u32>(object, "IUnknown", "Release")(object) }
}

fn device() -> *mut c_void {
    let mut out = null_mut();
    let iid = &interface("ID3D12Device").get().iid;
    // SAFETY: no adapter is named, the id is of the model and lives as long as the process, and the place is a local.
    let made = unsafe { entry::create_device(null_mut(), D3D_FEATURE_LEVEL::LEVEL_11_0, iid, &mut out) };
    assert_eq!(made, S_OK, "is there a Vulkan 1.3 driver?");
    out
}

fn make_root(device: *mut c_void, bytes: &[u8]) -> (i32, *mut c_void) {
    type Create = unsafe extern "C" fn(*mut c_void, u32, *const u8, usize, *const Guid, *mut *mut c_void) -> i32;
    let mut out = null_mut();
    let iid = &interface("ID3D12RootSignature").get().iid;
    // SAFETY: the type is that of the slot, the test holds the device, and bytes, id and place live through the call.
    let result = unsafe {
        let create: Create = slot(device, "ID3D12Device", "CreateRootSignature");
        create(device, 0, bytes.as_ptr(), bytes.len(), iid, &mut out)
    };
    (result, out)
}

fn range(kind: Kind, register: u32, count: u32) -> Range {
    Range { kind, count, register, space: 0, flags: 0, offset: APPEND }
}

fn parameter(content: Content) -> Parameter {
    Parameter { visibility: 0, content }
}

/// Fits all shaders used here.
fn signature() -> RootSignature {
    let root = |kind| parameter(Content::Descriptor(Descriptor { kind, register: 0, space: 1, flags: 0 }));
    RootSignature {
        // Input assembler, stream output, both heaps directly indexed.
        flags: 0x1 | 0x40 | 0x400 | 0x800,
        parameters: vec![
            parameter(Content::Table(vec![
                range(Kind::Cbv, 1, 1),
                range(Kind::Srv, 0, 8),
                range(Kind::Uav, 0, UNBOUNDED),
            ])),
            parameter(Content::Constants(Constants { register: 0, space: 0, count: 16 })),
            root(Kind::Srv),
            parameter(Content::Table(vec![range(Kind::Sampler, 0, 2)])),
            root(Kind::Uav),
        ],
        samplers: vec![StaticSampler {
            filter: 0x15,
            address_u: 1,
            address_v: 2,
            address_w: 4,
            mip_lod_bias: 0,
            max_anisotropy: 1,
            comparison: 8,
            border_color: 1,
            min_lod: 0,
            max_lod: f32::MAX.to_bits(),
            register: 4,
            space: 0,
            visibility: 0,
            flags: 0,
        }],
    }
}

fn root(device: *mut c_void) -> *mut c_void {
    let (result, root) = make_root(device, &signature().to_container(Version::V1_1));
    assert_eq!(result, S_OK);
    root
}

fn code(bytes: &'static [u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE { pShaderBytecode: bytes.as_ptr().cast(), BytecodeLength: bytes.len() as u64 }
}

/// Calls a function that makes a pipeline state of a structure.
fn make<T>(device: *mut c_void, owner: &str, name: &str, desc: &T) -> (i32, *mut c_void) {
    type Create = unsafe extern "C" fn(*mut c_void, *const c_void, *const Guid, *mut *mut c_void) -> i32;
    let mut out = device;
    let iid = &interface("ID3D12PipelineState").get().iid;
    // SAFETY: the type is that of the slot, whose description is a `T`; the test holds the device, and description, id and place live
    // through the call.
    let result =
        unsafe { slot::<Create>(device, owner, name)(device, core::ptr::from_ref(desc).cast(), iid, &mut out) };
    assert_eq!(result == S_OK, !out.is_null(), "an object exactly with success");
    (result, out)
}

fn compute(device: *mut c_void, root: *mut c_void, shader: &'static [u8]) -> (i32, *mut c_void) {
    let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC { pRootSignature: root, CS: code(shader), ..Default::default() };
    make(device, "ID3D12Device", "CreateComputePipelineState", &desc)
}

/// A plain pipeline: one target, depth, all else as simple as can be.
fn plain(root: *mut c_void) -> D3D12_GRAPHICS_PIPELINE_STATE_DESC {
    let mut desc = D3D12_GRAPHICS_PIPELINE_STATE_DESC {
        pRootSignature: root,
        VS: code(shader!("triangle_vertex.dxbc")),
        PS: code(shader!("triangle_pixel.dxbc")),
        SampleMask: u32::MAX,
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE,
        NumRenderTargets: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        DSVFormat: DXGI_FORMAT::FORMAT_D32_FLOAT,
        InputLayout: D3D12_INPUT_LAYOUT_DESC { pInputElementDescs: ELEMENTS.0.as_ptr(), NumElements: 3 },
        ..Default::default()
    };
    desc.RTVFormats[0] = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
    desc.BlendState.RenderTarget[0].RenderTargetWriteMask = 0xf;
    desc.RasterizerState.FillMode = D3D12_FILL_MODE::SOLID;
    desc.RasterizerState.CullMode = D3D12_CULL_MODE::BACK;
    desc.RasterizerState.DepthClipEnable = 1;
    desc.DepthStencilState.DepthEnable = 1;
    desc.DepthStencilState.DepthWriteMask = D3D12_DEPTH_WRITE_MASK(1);
    desc.DepthStencilState.DepthFunc = D3D12_COMPARISON_FUNC::LESS;
    desc
}

struct Elements([D3D12_INPUT_ELEMENT_DESC; 3]);
// SAFETY: the pointers are to constants.
unsafe impl Sync for Elements {}

const fn element(name: &'static core::ffi::CStr, index: u32, format: DXGI_FORMAT) -> D3D12_INPUT_ELEMENT_DESC {
    D3D12_INPUT_ELEMENT_DESC {
        SemanticName: name.as_ptr().cast(),
        SemanticIndex: index,
        Format: format,
        InputSlot: 0,
        AlignedByteOffset: u32::MAX,
        InputSlotClass: D3D12_INPUT_CLASSIFICATION(0),
        InstanceDataStepRate: 0,
    }
}

static ELEMENTS: Elements = Elements([
    element(c"position", 0, DXGI_FORMAT::FORMAT_R32G32B32_FLOAT),
    element(c"TEXCOORD", 0, DXGI_FORMAT::FORMAT_R16G16_FLOAT),
    element(c"Color", 1, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM),
]);

fn graphics(device: *mut c_void, desc: &D3D12_GRAPHICS_PIPELINE_STATE_DESC) -> (i32, *mut c_void) {
    make(device, "ID3D12Device", "CreateGraphicsPipelineState", desc)
}

/// Expects success, and lets the pipeline go.
#[track_caller]
fn works((result, pipeline): (i32, *mut c_void)) {
    assert_eq!(result, S_OK);
    assert_eq!(release(pipeline), 0);
}

#[test]
fn compute_pipelines_of_both_languages_work() {
    let _alone = ALONE.lock();
    let device = device();
    let root = root(device);
    for shader in [&shader!("fill.dxbc")[..], shader!("fill.dxil"), shader!("tables.dxbc"), shader!("tables.dxil")] {
        works(compute(device, root, shader));
    }
    works(compute(device, root, shader!("heap.dxil")));
    assert_eq!(compute(device, root, shader!("triangle_pixel.dxbc")).0, E_INVALIDARG, "a pixel shader");
    assert_eq!(compute(device, root, &shader!("fill.dxbc")[..500]).0, E_INVALIDARG, "cut off");
    assert_eq!(compute(device, null_mut(), shader!("fill.dxbc")).0, E_INVALIDARG, "no root signature anywhere");
    let (_, empty) = make_root(device, &RootSignature::default().to_container(Version::V1_0));
    assert_eq!(compute(device, empty, shader!("fill.dxbc")).0, E_INVALIDARG, "a root signature without u0");
    assert_eq!((release(empty), release(root), release(device)), (0, 0, 0));
}

/// Shader models 6.9 and 6.10: what is translated makes pipelines, what is too new makes none.
#[test]
fn newer_shaders_make_pipelines_or_are_refused() {
    let _alone = ALONE.lock();
    let device = device();
    let root = root(device);
    for shader in [&shader!("vectors_6_9.dxil")[..], shader!("vectors_6_10.dxil")] {
        works(compute(device, root, shader));
    }
    assert_eq!(compute(device, root, shader!("long_vectors.dxil")).0, E_INVALIDARG);
    assert_eq!((release(root), release(device)), (0, 0));
}

/// 65 words are one too many for a root signature, not for its serialised form. A register that is claimed twice is refused by both.
#[test]
fn root_signatures_that_cost_too_much_are_written_and_not_made() {
    let _alone = ALONE.lock();
    let device = device();
    let constants = |count| D3D12_ROOT_PARAMETER {
        ParameterType: D3D12_ROOT_PARAMETER_TYPE::TYPE_32BIT_CONSTANTS,
        Anonymous: D3D12_ROOT_PARAMETER_1 {
            Constants: D3D12_ROOT_CONSTANTS { ShaderRegister: 0, RegisterSpace: 0, Num32BitValues: count },
        },
        ShaderVisibility: D3D12_SHADER_VISIBILITY::ALL,
    };
    let serialized = |parameters: &[D3D12_ROOT_PARAMETER]| {
        let desc = D3D12_ROOT_SIGNATURE_DESC {
            NumParameters: parameters.len() as u32,
            pParameters: parameters.as_ptr(),
            ..Default::default()
        };
        let mut blob = null_mut();
        let version = D3D_ROOT_SIGNATURE_VERSION::VERSION_1_0;
        // SAFETY: the description's parameters are a local that lives through the call, as the place does; no place for errors is named.
        let result = unsafe { entry::serialize_root_signature(&desc, version, &mut blob, null_mut()) };
        (result, blob)
    };
    let made = |blob: *mut c_void| {
        // SAFETY: a blob of ours, which lives until it is released.
        let bytes = unsafe {
            let start: unsafe extern "C" fn(*mut c_void) -> *const u8 = slot(blob, "ID3DBlob", "GetBufferPointer");
            let size: unsafe extern "C" fn(*mut c_void) -> usize = slot(blob, "ID3DBlob", "GetBufferSize");
            core::slice::from_raw_parts(start(blob), size(blob)).to_vec()
        };
        assert_eq!(release(blob), 0);
        make_root(device, &bytes)
    };
    for (count, expected) in [(64, S_OK), (65, E_INVALIDARG)] {
        let (result, blob) = serialized(&[constants(count)]);
        assert_eq!(result, S_OK, "{count} words");
        let (result, root) = made(blob);
        assert_eq!(result, expected, "{count} words");
        if !root.is_null() {
            release(root);
        }
    }
    assert_eq!(serialized(&[constants(1), constants(1)]), (E_INVALIDARG, null_mut()));
    assert_eq!(release(device), 0);
}

#[test]
fn graphics_pipelines_of_all_stages_work() {
    let _alone = ALONE.lock();
    let device = device();
    let root = root(device);
    let mut desc = plain(root);
    works(graphics(device, &desc));
    (desc.VS, desc.PS) = (code(shader!("triangle_vertex.dxil")), code(shader!("triangle_pixel.dxil")));
    works(graphics(device, &desc));
    desc.PS = D3D12_SHADER_BYTECODE::default();
    works(graphics(device, &desc));
    let mut desc = plain(root);
    desc.VS = code(shader!("tessellate_corner.dxbc"));
    desc.GS = code(shader!("tessellate_geometry.dxbc"));
    desc.PS = D3D12_SHADER_BYTECODE::default();
    works(graphics(device, &desc));
    desc.PrimitiveTopologyType = D3D12_PRIMITIVE_TOPOLOGY_TYPE::LINE;
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "lines for a geometry shader of triangles");
    desc.PrimitiveTopologyType = D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE;
    desc.VS = code(shader!("tessellate_vertex.dxbc"));
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "a vertex shader without what the geometry shader takes");
    macro_rules! stages {
        ($kind:literal) => {
            desc.VS = code(shader!(concat!("tessellate_vertex.", $kind)));
            desc.HS = code(shader!(concat!("tessellate_hull.", $kind)));
            desc.DS = code(shader!(concat!("tessellate_domain.", $kind)));
            desc.GS = code(shader!(concat!("tessellate_geometry.", $kind)));
        };
    }
    desc.PS = D3D12_SHADER_BYTECODE::default();
    stages!("dxbc");
    works(graphics(device, &desc));
    desc.PrimitiveTopologyType = D3D12_PRIMITIVE_TOPOLOGY_TYPE::PATCH;
    works(graphics(device, &desc));
    stages!("dxil");
    works(graphics(device, &desc));
    desc.GS = D3D12_SHADER_BYTECODE::default();
    works(graphics(device, &desc));
    desc.DS = D3D12_SHADER_BYTECODE::default();
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "a hull shader alone");
    assert_eq!((release(root), release(device)), (0, 0));
}

#[test]
fn state_of_every_kind_is_taken() {
    let _alone = ALONE.lock();
    let device = device();
    let root = root(device);
    let mut desc = plain(root);
    desc.RTVFormats[1] = DXGI_FORMAT::FORMAT_R8_UNORM;
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "a second format for one target");
    desc.NumRenderTargets = 2;
    works(graphics(device, &desc));
    desc.DSVFormat = DXGI_FORMAT::FORMAT_R8_UNORM;
    works(graphics(device, &desc));
    for format in [
        DXGI_FORMAT::FORMAT_A8_UNORM,
        DXGI_FORMAT::FORMAT_B8G8R8X8_UNORM,
        DXGI_FORMAT::FORMAT_R32_UINT,
        DXGI_FORMAT::FORMAT_UNKNOWN,
        DXGI_FORMAT::FORMAT_R16G16B16A16_FLOAT,
    ] {
        for (source, destination) in [(5, 6), (7, 8), (14, 15), (11, 20), (3, 9)] {
            let mut desc = plain(root);
            desc.RTVFormats[0] = format;
            let target = &mut desc.BlendState.RenderTarget[0];
            target.BlendEnable = 1;
            (target.SrcBlend, target.DestBlend) = (D3D12_BLEND(source), D3D12_BLEND(destination));
            (target.SrcBlendAlpha, target.DestBlendAlpha) = (D3D12_BLEND(2), D3D12_BLEND(1));
            (target.BlendOp, target.BlendOpAlpha) = (D3D12_BLEND_OP(1), D3D12_BLEND_OP(5));
            match format {
                DXGI_FORMAT::FORMAT_R32_UINT => assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "integers"),
                _ => works(graphics(device, &desc)),
            }
        }
    }
    let mut desc = plain(root);
    desc.DSVFormat = DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT;
    desc.DepthStencilState.StencilEnable = 1;
    for op in 1..=8 {
        let face = D3D12_DEPTH_STENCILOP_DESC {
            StencilFailOp: D3D12_STENCIL_OP(op),
            StencilDepthFailOp: D3D12_STENCIL_OP(9 - op),
            StencilPassOp: D3D12_STENCIL_OP(op),
            StencilFunc: D3D12_COMPARISON_FUNC(op),
        };
        (desc.DepthStencilState.FrontFace, desc.DepthStencilState.BackFace) = (face, face);
        works(graphics(device, &desc));
    }
    desc.SampleDesc.Count = 4;
    desc.BlendState.AlphaToCoverageEnable = 1;
    desc.RasterizerState.DepthBias = 3;
    works(graphics(device, &desc));
    desc.SampleDesc.Count = 3;
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "three samples");
    let mut desc = plain(root);
    desc.InputLayout.NumElements = 2;
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "the shader reads a colour, too");
    let mut desc = plain(root);
    desc.VS = D3D12_SHADER_BYTECODE::default();
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "no vertex shader");
    let mut desc = plain(root);
    desc.RTVFormats[0] = DXGI_FORMAT::FORMAT_R8G8B8A8_UINT;
    desc.PS = D3D12_SHADER_BYTECODE::default();
    desc.BlendState.RenderTarget[0].LogicOpEnable = 1;
    for op in 0..16 {
        desc.BlendState.RenderTarget[0].LogicOp = D3D12_LOGIC_OP(op);
        works(graphics(device, &desc));
    }
    desc.BlendState.RenderTarget[0].BlendEnable = 1;
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "blending and a logical operation");
    let entries = [
        D3D12_SO_DECLARATION_ENTRY {
            SemanticName: c"SV_Position".as_ptr().cast(),
            ComponentCount: 4,
            ..Default::default()
        },
        D3D12_SO_DECLARATION_ENTRY { ComponentCount: 2, ..Default::default() },
        D3D12_SO_DECLARATION_ENTRY {
            SemanticName: c"texcoord".as_ptr().cast(),
            ComponentCount: 2,
            ..Default::default()
        },
    ];
    let mut desc = plain(root);
    desc.StreamOutput = D3D12_STREAM_OUTPUT_DESC {
        pSODeclaration: entries.as_ptr(),
        NumEntries: 3,
        RasterizedStream: u32::MAX,
        ..Default::default()
    };
    works(graphics(device, &desc));
    let mut closed = signature();
    closed.flags = 1;
    let (_, closed) = make_root(device, &closed.to_container(Version::V1_1));
    desc.pRootSignature = closed;
    assert_eq!(graphics(device, &desc).0, E_INVALIDARG, "a root signature without stream output");
    assert_eq!((release(closed), release(root), release(device)), (0, 0, 0));
}

#[test]
fn pipelines_keep_what_they_need_and_give_blobs() {
    let _alone = ALONE.lock();
    let device = device();
    let root = root(device);
    let (result, pipeline) = compute(device, root, shader!("fill.dxil"));
    assert_eq!(result, S_OK);
    assert_eq!(release(root), 0, "the program's reference is the only one that counts");
    // SAFETY: calls as a program makes them.
    unsafe {
        let mut found = null_mut();
        type Ask = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
        let ask: Ask = slot(pipeline, "ID3D12PipelineState1", "GetRootSignature");
        assert_eq!(ask(pipeline, &interface("ID3D12RootSignature").get().iid, &mut found), S_OK);
        assert_eq!(found, root);
        let mut blob = null_mut();
        let get: unsafe extern "C" fn(*mut c_void, *mut *mut c_void) -> i32 =
            slot(pipeline, "ID3D12PipelineState", "GetCachedBlob");
        assert_eq!(get(pipeline, &mut blob), S_OK);
        let pointer: unsafe extern "C" fn(*mut c_void) -> *const c_void = slot(blob, "ID3DBlob", "GetBufferPointer");
        let size: unsafe extern "C" fn(*mut c_void) -> u64 = slot(blob, "ID3DBlob", "GetBufferSize");
        let mut desc = D3D12_COMPUTE_PIPELINE_STATE_DESC {
            pRootSignature: found,
            CS: code(shader!("fill.dxil")),
            CachedPSO: D3D12_CACHED_PIPELINE_STATE { pCachedBlob: pointer(blob), CachedBlobSizeInBytes: size(blob) },
            ..Default::default()
        };
        let create =
            |desc: &D3D12_COMPUTE_PIPELINE_STATE_DESC| make(device, "ID3D12Device", "CreateComputePipelineState", desc);
        works(create(&desc));
        desc.CS = code(shader!("fill.dxbc"));
        assert_eq!(create(&desc).0, E_INVALIDARG, "the blob is of another shader");
        let mut other = signature();
        other.parameters.pop();
        let (_, other) = make_root(device, &other.to_container(Version::V1_1));
        (desc.CS, desc.pRootSignature) = (code(shader!("fill.dxil")), other);
        assert_eq!(create(&desc).0, E_INVALIDARG, "the blob is of another root signature");
        assert_eq!(release(other), 0);
        desc.pRootSignature = found;
        desc.CachedPSO.pCachedBlob = shader!("fill.dxil").as_ptr().cast();
        assert_eq!(create(&desc).0, 0x887e_0002_u32 as i32, "a blob of another driver");
        assert_eq!((release(blob), release(found), release(pipeline), release(device)), (0, 0, 0, 0));
    }
}

#[test]
fn root_signatures_that_the_api_refuses_are_refused() {
    let _alone = ALONE.lock();
    let device = device();
    let whole = signature().to_container(Version::V1_1);
    for length in (0..whole.len()).step_by(3) {
        assert_eq!(make_root(device, &whole[..length]), (E_INVALIDARG, null_mut()), "{length}");
    }
    let mut large = signature();
    large.parameters.push(parameter(Content::Constants(Constants { register: 9, space: 9, count: 60 })));
    assert_eq!(make_root(device, &large.to_container(Version::V1_1)), (E_INVALIDARG, null_mut()), "more than 64 words");
    // Exactly 64 words: 4 for two addresses, 16 constants, 2 tables, and the rest.
    let mut full = signature();
    full.parameters.push(parameter(Content::Constants(Constants { register: 9, space: 9, count: 42 })));
    let (result, root) = make_root(device, &full.to_container(Version::V1_1));
    assert_eq!(result, S_OK);
    works(compute(device, root, shader!("tables.dxil")));
    assert_eq!((release(root), release(device)), (0, 0));
}

/// An association may name a subobject outside of the array, which nobody has looked at before.
#[test]
fn an_association_of_a_subobject_without_a_description_is_refused() {
    type Create =
        unsafe extern "C" fn(*mut c_void, *const D3D12_STATE_OBJECT_DESC, *const Guid, *mut *mut c_void) -> i32;
    let _alone = ALONE.lock();
    let device = device();
    let root = root(device);
    for (description, expected) in [((&raw const root).cast(), S_OK), (core::ptr::null(), E_INVALIDARG)] {
        let outside =
            D3D12_STATE_SUBOBJECT { Type: D3D12_STATE_SUBOBJECT_TYPE::GLOBAL_ROOT_SIGNATURE, pDesc: description };
        let association =
            D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION { pSubobjectToAssociate: &raw const outside, ..Default::default() };
        let all = [D3D12_STATE_SUBOBJECT {
            Type: D3D12_STATE_SUBOBJECT_TYPE::SUBOBJECT_TO_EXPORTS_ASSOCIATION,
            pDesc: (&raw const association).cast(),
        }];
        let desc = D3D12_STATE_OBJECT_DESC {
            Type: D3D12_STATE_OBJECT_TYPE::EXECUTABLE,
            NumSubobjects: 1,
            pSubobjects: all.as_ptr(),
        };
        let mut out = null_mut();
        let iid = &interface("ID3D12StateObject").get().iid;
        // SAFETY: the type is that of the slot, the test holds the device, and all structures live through the call.
        let result =
            unsafe { slot::<Create>(device, "ID3D12Device5", "CreateStateObject")(device, &desc, iid, &mut out) };
        assert_eq!((result, out.is_null()), (expected, expected != S_OK));
        if !out.is_null() {
            release(out);
        }
    }
    release(root);
    release(device);
}

#[test]
fn what_is_kept_on_disk_is_used_when_whole_and_ignored_when_damaged() {
    let folder = std::env::temp_dir().join(format!("reprise-pipelines-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    // A process of its own: the folder is chosen once.
    let run = || {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "compute_pipelines_of_both_languages_work"]).env("REPRISE_SHADER_CACHE", &folder);
        assert!(command.output().unwrap().status.success());
    };
    let files = || -> std::collections::BTreeMap<_, _> {
        let paths = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        paths.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    };
    run();
    let first = files();
    // Five shaders, and the device's pipelines.
    assert_eq!(first.len(), 5 + 1);
    run();
    assert_eq!(
        files().keys().collect::<Vec<_>>(),
        first.keys().collect::<Vec<_>>(),
        "the same shaders, the same device"
    );
    for (path, bytes) in &first {
        let mut damaged = bytes.clone();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(path, damaged).unwrap();
    }
    run();
    assert_eq!(files().len(), first.len(), "damaged files are replaced");
    std::fs::remove_dir_all(&folder).unwrap();
}
