//! The program's pipeline without one thing.

use reprise_codec::Codec;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BLEND_DESC, D3D12_COMPARISON_FUNC, D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC1,
    D3D12_DEPTH_STENCIL_DESC2, D3D12_DEPTH_WRITE_MASK, D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Subobject,
    D3D12_SHADER_BYTECODE, DXGI_FORMAT,
};

use crate::pipeline_description::Description;
use crate::pixel;
use crate::report::experiment::Experiment;
use crate::runtime::Runtime;

/// Takes one thing out of a depth-stencil state of any version, and gives whether it was there. `$bounds`: it has depth bounds.
macro_rules! depth {
    ($desc:expr, $what:expr, bounds: $bounds:tt) => {{
        let on = $desc.DepthEnable != 0;
        match $what {
            Experiment::DepthWrites => {
                let writes = on && $desc.DepthWriteMask != D3D12_DEPTH_WRITE_MASK::ZERO;
                $desc.DepthWriteMask = D3D12_DEPTH_WRITE_MASK::ZERO;
                writes
            }
            Experiment::DepthTest => {
                let tests = on && $desc.DepthFunc != D3D12_COMPARISON_FUNC::ALWAYS;
                $desc.DepthFunc = D3D12_COMPARISON_FUNC::ALWAYS;
                depth!(@bounds $desc, $bounds) || tests
            }
            _ => false,
        }
    }};
    (@bounds $desc:expr, true) => {
        core::mem::take(&mut $desc.DepthBoundsTestEnable) != 0
    };
    (@bounds $desc:expr, false) => {
        false
    };
}

/// Makes the pipeline without one thing, of one that the program made by this call; nothing where it has not that thing. The pointer is a
/// reference held.
///
/// # Errors
/// Why there is none.
///
/// # Safety
/// The words are those that the codec rebuilt for this method, and their memory is alive.
pub(super) unsafe fn make(
    runtime: &Runtime,
    codec: &Codec,
    device: u64,
    arguments: (MethodId, &[u64]),
    what: Experiment,
) -> Result<Option<u64>, String> {
    // SAFETY: as the caller says.
    let mut description = unsafe { Description::of(codec, arguments) }?;
    let nothing = pixel::nothing();
    let nothing =
        D3D12_SHADER_BYTECODE { pShaderBytecode: nothing.as_ptr().cast(), BytecodeLength: nothing.len() as _ };
    let mut had = false;
    match (&mut description, what) {
        (Description::Whole(desc), Experiment::PixelShader) => {
            had = shader(&mut desc.PS, nothing);
            masks(&mut desc.BlendState);
        }
        (Description::Stream(stream), Experiment::PixelShader) => {
            stream.put(Subobject::PS, |own: &mut D3D12_SHADER_BYTECODE| had = shader(own, nothing));
            stream.put(Subobject::BLEND, masks);
        }
        (Description::Whole(desc), Experiment::Blending) => had = blending(&mut desc.BlendState),
        (Description::Stream(stream), Experiment::Blending) => {
            stream.put(Subobject::BLEND, |desc: &mut D3D12_BLEND_DESC| had = blending(desc));
        }
        (Description::Whole(desc), _) => {
            had = desc.DSVFormat != DXGI_FORMAT(0) && depth!(desc.DepthStencilState, what, bounds: false);
        }
        (Description::Stream(stream), _) => {
            stream.put(Subobject::DEPTH_STENCIL, |desc: &mut D3D12_DEPTH_STENCIL_DESC| {
                had = depth!(desc, what, bounds: false);
            });
            stream.put(Subobject::DEPTH_STENCIL1, |desc: &mut D3D12_DEPTH_STENCIL_DESC1| {
                had = depth!(desc, what, bounds: true);
            });
            stream.put(Subobject::DEPTH_STENCIL2, |desc: &mut D3D12_DEPTH_STENCIL_DESC2| {
                had = depth!(desc, what, bounds: true);
            });
            let format = stream.get::<DXGI_FORMAT>(Subobject::DEPTH_STENCIL_FORMAT);
            had &= format.is_some_and(|format| format != DXGI_FORMAT(0));
        }
    }
    had.then(|| description.make(runtime, device, "a pipeline without some of its work")).transpose()
}

/// A pixel shader that does nothing, and not none: without any, lavapipe forgets push constants.
fn shader(own: &mut D3D12_SHADER_BYTECODE, nothing: D3D12_SHADER_BYTECODE) -> bool {
    let had = !own.pShaderBytecode.is_null();
    *own = nothing;
    had
}

/// Colours that no shader gives are left alone.
fn masks(desc: &mut D3D12_BLEND_DESC) {
    desc.AlphaToCoverageEnable = 0;
    desc.RenderTarget.iter_mut().for_each(|target| target.RenderTargetWriteMask = 0);
}

/// Whether a target was blended.
fn blending(desc: &mut D3D12_BLEND_DESC) -> bool {
    let count = if desc.IndependentBlendEnable != 0 { desc.RenderTarget.len() } else { 1 };
    let mut had = false;
    for target in desc.RenderTarget.iter_mut().take(count) {
        had |= target.RenderTargetWriteMask != 0 && (target.BlendEnable != 0 || target.LogicOpEnable != 0);
        (target.BlendEnable, target.LogicOpEnable) = (0, 0);
    }
    had
}
