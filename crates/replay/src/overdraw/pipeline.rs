//! Pipelines that count: the program's, with no render targets and with a stencil test that counts.

use reprise_codec::Codec;
use reprise_d3d12::interface;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_COMPARISON_FUNC, D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC1, D3D12_DEPTH_STENCIL_DESC2,
    D3D12_DEPTH_STENCILOP_DESC, D3D12_DEPTH_STENCILOP_DESC1, D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    D3D12_PIPELINE_STATE_STREAM_DESC, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Subobject, D3D12_RT_FORMAT_ARRAY,
    D3D12_SHADER_BYTECODE, D3D12_STENCIL_OP, DXGI_FORMAT,
};
use reprise_dxbc::root_signature::Kind;

use crate::runtime::Runtime;
use crate::runtime::replay_objects::create;

const CREATE_GRAPHICS: MethodId = method("ID3D12Device", "CreateGraphicsPipelineState");
const CREATE_STREAM: MethodId = method("ID3D12Device2", "CreatePipelineState");
const LOAD_GRAPHICS: MethodId = method("ID3D12PipelineLibrary", "LoadGraphicsPipeline");
const LOAD_STREAM: MethodId = method("ID3D12PipelineLibrary1", "LoadPipeline");

/// What a counting pipeline is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Variant {
    /// `DXGI_FORMAT` of the view of replay's depth buffer.
    pub(crate) view: u32,
    /// The program has a depth buffer bound, so its depth test counts.
    pub(crate) has_depth: bool,
}

/// As [`count`], for the newer states, which are other types with fields of the same names. Changes the state at this place, and gives whether its
/// stencil test could fail. `$mask`: the masks that the type has outside of its faces.
macro_rules! counting {
    ($at:expr, $operation:expr, $variant:expr $(, $mask:ident)*) => {{
        let mut desc = $at.read_unaligned();
        let (front, back) = (desc.FrontFace.StencilFunc, desc.BackFace.StencilFunc);
        let can_fail = DepthStencil { front, back, on: desc.StencilEnable != 0 }.can_fail();
        if !$variant.has_depth {
            desc.DepthEnable = Default::default();
            desc.DepthBoundsTestEnable = Default::default();
        }
        desc.StencilEnable = 1;
        $(desc.$mask = 0xff;)*
        (desc.FrontFace, desc.BackFace) = ($operation, $operation);
        $at.write_unaligned(desc);
        can_fail
    }};
}

const OPERATION: D3D12_DEPTH_STENCILOP_DESC = D3D12_DEPTH_STENCILOP_DESC {
    StencilFailOp: D3D12_STENCIL_OP::KEEP,
    StencilDepthFailOp: D3D12_STENCIL_OP::KEEP,
    StencilPassOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilFunc: D3D12_COMPARISON_FUNC::ALWAYS,
};
const OPERATION1: D3D12_DEPTH_STENCILOP_DESC1 = D3D12_DEPTH_STENCILOP_DESC1 {
    StencilFailOp: D3D12_STENCIL_OP::KEEP,
    StencilDepthFailOp: D3D12_STENCIL_OP::KEEP,
    StencilPassOp: D3D12_STENCIL_OP::INCR_SAT,
    StencilFunc: D3D12_COMPARISON_FUNC::ALWAYS,
    StencilReadMask: 0xff,
    StencilWriteMask: 0xff,
};

/// What is said of a pipeline that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Traits {
    /// Its stencil test can fail.
    pub(super) tests_stencil: bool,
    /// A shader of it can write through unordered views, which a second draw would do again.
    pub(super) writes: bool,
}

/// Makes the counting pipelines of one that the program made by this call.
///
/// # Safety
/// The words are those that the codec rebuilt for this method, and their memory is alive.
pub(super) unsafe fn make(
    runtime: &Runtime,
    codec: &Codec,
    device: u64,
    (method, words): (MethodId, &[u64]),
    variants: &[Variant],
) -> Result<(Traits, Vec<u64>), String> {
    let at = match method {
        CREATE_GRAPHICS | CREATE_STREAM => 0,
        LOAD_GRAPHICS | LOAD_STREAM => 1,
        _ => return Err("pipelines that are made in a way that is not known".into()),
    };
    let word = words.get(at).copied().filter(|word| *word != 0).ok_or("pipelines without a description")?;
    let class = interface("ID3D12PipelineState");
    let mut made = Vec::new();
    if matches!(method, CREATE_GRAPHICS | LOAD_GRAPHICS) {
        // SAFETY: the caller says that the word leads to such a structure.
        let given = unsafe { *(word as *const D3D12_GRAPHICS_PIPELINE_STATE_DESC) };
        let mut traits = Traits { tests_stencil: DepthStencil::of(&given.DepthStencilState).can_fail(), writes: false };
        for shader in [given.VS, given.PS, given.DS, given.HS, given.GS] {
            // SAFETY: the codec rebuilt the shader's bytes.
            traits.writes |= unsafe { writes(shader) };
        }
        for variant in variants {
            let mut desc = given;
            count(&mut desc.DepthStencilState, *variant);
            desc.NumRenderTargets = 0;
            desc.RTVFormats = [DXGI_FORMAT(0); 8];
            desc.DSVFormat = DXGI_FORMAT(variant.view as _);
            desc.CachedPSO = Default::default();
            let pipeline = create(runtime, device, "a pipeline that counts", class, |iid, out| {
                (CREATE_GRAPHICS, vec![core::ptr::from_ref(&desc) as u64, iid, out])
            })?;
            made.push(pipeline.into_pointer());
        }
        return Ok((traits, made));
    }
    // SAFETY: the caller says that the word leads to such a structure, and that the stream is where it says.
    let given = unsafe {
        let stream = *(word as *const D3D12_PIPELINE_STATE_STREAM_DESC);
        core::slice::from_raw_parts(stream.pPipelineStateSubobjectStream.cast::<u8>(), stream.SizeInBytes as usize)
    };
    let mut traits = Traits::default();
    for kind in
        [Subobject::VS, Subobject::PS, Subobject::DS, Subobject::HS, Subobject::GS, Subobject::AS, Subobject::MS]
    {
        // SAFETY: the bytes are a stream, and hold what the codec says.
        unsafe {
            if let Some(at) = codec.subobject_in_stream(given.as_ptr(), given.len(), kind.0 as u32) {
                traits.writes |= writes(given.as_ptr().add(at).cast::<D3D12_SHADER_BYTECODE>().read_unaligned());
            }
        }
    }
    for variant in variants {
        // As words, so that subobjects lie as they have to.
        let mut words: Vec<u64> = vec![0; given.len().div_ceil(8)];
        // SAFETY: the words have room for the stream; each place is one that the codec found in it, of the type that stands there.
        unsafe {
            let start = words.as_mut_ptr().cast::<u8>();
            core::ptr::copy_nonoverlapping(given.as_ptr(), start, given.len());
            let find =
                |kind: Subobject| codec.subobject_in_stream(start, given.len(), kind.0 as u32).map(|at| start.add(at));
            let mut has_state = false;
            if let Some(at) = find(Subobject::DEPTH_STENCIL) {
                let mut desc = at.cast::<D3D12_DEPTH_STENCIL_DESC>().read_unaligned();
                traits.tests_stencil |= DepthStencil::of(&desc).can_fail();
                count(&mut desc, *variant);
                at.cast::<D3D12_DEPTH_STENCIL_DESC>().write_unaligned(desc);
                has_state = true;
            }
            if let Some(at) = find(Subobject::DEPTH_STENCIL1) {
                let at = at.cast::<D3D12_DEPTH_STENCIL_DESC1>();
                traits.tests_stencil |= counting!(at, OPERATION, *variant, StencilReadMask, StencilWriteMask);
                has_state = true;
            }
            if let Some(at) = find(Subobject::DEPTH_STENCIL2) {
                let at = at.cast::<D3D12_DEPTH_STENCIL_DESC2>();
                traits.tests_stencil |= counting!(at, OPERATION1, *variant);
                has_state = true;
            }
            let view = find(Subobject::DEPTH_STENCIL_FORMAT);
            if !has_state || view.is_none() {
                return Err("pipelines from streams without a depth-stencil state or format".into());
            }
            if let Some(at) = view {
                at.cast::<DXGI_FORMAT>().write_unaligned(DXGI_FORMAT(variant.view as _));
            }
            if let Some(at) = find(Subobject::RENDER_TARGET_FORMATS) {
                at.cast::<D3D12_RT_FORMAT_ARRAY>().write_unaligned(D3D12_RT_FORMAT_ARRAY::default());
            }
        }
        let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: given.len() as _,
            pPipelineStateSubobjectStream: words.as_mut_ptr().cast(),
        };
        let pipeline = create(runtime, device, "a pipeline that counts", class, |iid, out| {
            (CREATE_STREAM, vec![core::ptr::from_ref(&desc) as u64, iid, out])
        })?;
        made.push(pipeline.into_pointer());
    }
    Ok((traits, made))
}

/// The stencil tests of both faces.
struct DepthStencil {
    front: D3D12_COMPARISON_FUNC,
    back: D3D12_COMPARISON_FUNC,
    on: bool,
}

impl DepthStencil {
    fn of(desc: &D3D12_DEPTH_STENCIL_DESC) -> Self {
        Self { front: desc.FrontFace.StencilFunc, back: desc.BackFace.StencilFunc, on: desc.StencilEnable != 0 }
    }

    fn can_fail(&self) -> bool {
        self.on && [self.front, self.back].iter().any(|test| *test != D3D12_COMPARISON_FUNC::ALWAYS)
    }
}

fn count(desc: &mut D3D12_DEPTH_STENCIL_DESC, variant: Variant) {
    if !variant.has_depth {
        desc.DepthEnable = Default::default();
    }
    desc.StencilEnable = 1;
    (desc.StencilReadMask, desc.StencilWriteMask) = (0xff, 0xff);
    (desc.FrontFace, desc.BackFace) = (OPERATION, OPERATION);
}

/// Whether a shader can write through unordered views.
///
/// # Safety
/// The bytecode is where the structure says.
pub(crate) unsafe fn writes(shader: D3D12_SHADER_BYTECODE) -> bool {
    if shader.pShaderBytecode.is_null() {
        return false;
    }
    // SAFETY: as the caller says.
    let bytes =
        unsafe { core::slice::from_raw_parts(shader.pShaderBytecode.cast::<u8>(), shader.BytecodeLength as usize) };
    reprise_dxbc::registers::registers(bytes).iter().any(|register| register.kind == Kind::Uav)
}
