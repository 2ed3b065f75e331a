//! Blending, depth, stencil and rasteriser in Vulkan's words.

use ash::vk;
use reprise_d3d12::types::{
    D3D12_BLEND, D3D12_BLEND_OP, D3D12_COMPARISON_FUNC, D3D12_DEPTH_STENCILOP_DESC1, D3D12_LOGIC_OP,
    D3D12_RENDER_TARGET_BLEND_DESC, D3D12_STENCIL_OP,
};

use crate::{Error, Result};
use reprise_gpu::format::{Format, Swizzle};

/// Comparison of depth, stencil or texels. 0 (`NONE`) is what tests that are off may have.
pub(super) fn compare(function: D3D12_COMPARISON_FUNC) -> Result<vk::CompareOp> {
    match function.0 {
        0 => Ok(vk::CompareOp::NEVER),
        1..=8 => Ok(vk::CompareOp::from_raw(function.0 - 1)),
        _ => Err(Error::Invalid("a comparison function is none of the API's")),
    }
}

fn stencil_op(op: D3D12_STENCIL_OP) -> Result<vk::StencilOp> {
    Ok(match op.0 {
        // 0 is what a test that is off may have.
        0 | 1 => vk::StencilOp::KEEP,
        2 => vk::StencilOp::ZERO,
        3 => vk::StencilOp::REPLACE,
        4 => vk::StencilOp::INCREMENT_AND_CLAMP,
        5 => vk::StencilOp::DECREMENT_AND_CLAMP,
        6 => vk::StencilOp::INVERT,
        7 => vk::StencilOp::INCREMENT_AND_WRAP,
        8 => vk::StencilOp::DECREMENT_AND_WRAP,
        _ => return Err(Error::Invalid("a stencil operation is none of the API's")),
    })
}

/// One face of the stencil test; the reference is dynamic.
pub(super) fn stencil_face(face: &D3D12_DEPTH_STENCILOP_DESC1) -> Result<vk::StencilOpState> {
    Ok(vk::StencilOpState {
        fail_op: stencil_op(face.StencilFailOp)?,
        pass_op: stencil_op(face.StencilPassOp)?,
        depth_fail_op: stencil_op(face.StencilDepthFailOp)?,
        compare_op: compare(face.StencilFunc)?,
        compare_mask: face.StencilReadMask.into(),
        write_mask: face.StencilWriteMask.into(),
        reference: 0,
    })
}

/// A factor of `D3D12_BLEND`. In the alpha part the colour factors of Vulkan mean alpha, as the API's do.
fn factor(factor: D3D12_BLEND) -> Result<vk::BlendFactor> {
    Ok(match factor.0 {
        1 => vk::BlendFactor::ZERO,
        2 => vk::BlendFactor::ONE,
        3 => vk::BlendFactor::SRC_COLOR,
        4 => vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        5 => vk::BlendFactor::SRC_ALPHA,
        6 => vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        7 => vk::BlendFactor::DST_ALPHA,
        8 => vk::BlendFactor::ONE_MINUS_DST_ALPHA,
        9 => vk::BlendFactor::DST_COLOR,
        10 => vk::BlendFactor::ONE_MINUS_DST_COLOR,
        11 => vk::BlendFactor::SRC_ALPHA_SATURATE,
        14 => vk::BlendFactor::CONSTANT_COLOR,
        15 => vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR,
        16 => vk::BlendFactor::SRC1_COLOR,
        17 => vk::BlendFactor::ONE_MINUS_SRC1_COLOR,
        18 => vk::BlendFactor::SRC1_ALPHA,
        19 => vk::BlendFactor::ONE_MINUS_SRC1_ALPHA,
        20 => vk::BlendFactor::CONSTANT_ALPHA,
        21 => vk::BlendFactor::ONE_MINUS_CONSTANT_ALPHA,
        _ => return Err(Error::Invalid("a blend factor is none of the API's")),
    })
}

/// The same factor where alpha is stored as red: after the shader's output is swapped likewise, alpha is found in red.
fn in_red(factor: vk::BlendFactor) -> vk::BlendFactor {
    match factor {
        vk::BlendFactor::SRC_ALPHA => vk::BlendFactor::SRC_COLOR,
        vk::BlendFactor::ONE_MINUS_SRC_ALPHA => vk::BlendFactor::ONE_MINUS_SRC_COLOR,
        vk::BlendFactor::DST_ALPHA => vk::BlendFactor::DST_COLOR,
        vk::BlendFactor::ONE_MINUS_DST_ALPHA => vk::BlendFactor::ONE_MINUS_DST_COLOR,
        vk::BlendFactor::SRC1_ALPHA => vk::BlendFactor::SRC1_COLOR,
        vk::BlendFactor::ONE_MINUS_SRC1_ALPHA => vk::BlendFactor::ONE_MINUS_SRC1_COLOR,
        // In the alpha part the colour of the constant is its alpha.
        vk::BlendFactor::CONSTANT_COLOR => vk::BlendFactor::CONSTANT_ALPHA,
        vk::BlendFactor::ONE_MINUS_CONSTANT_COLOR => vk::BlendFactor::ONE_MINUS_CONSTANT_ALPHA,
        vk::BlendFactor::SRC_ALPHA_SATURATE => vk::BlendFactor::ONE,
        other => other,
    }
}

/// The same factor where the target's alpha is one, whatever is stored.
fn with_opaque_target(factor: vk::BlendFactor) -> vk::BlendFactor {
    match factor {
        vk::BlendFactor::DST_ALPHA => vk::BlendFactor::ONE,
        vk::BlendFactor::ONE_MINUS_DST_ALPHA | vk::BlendFactor::SRC_ALPHA_SATURATE => vk::BlendFactor::ZERO,
        other => other,
    }
}

fn blend_op(op: D3D12_BLEND_OP) -> Result<vk::BlendOp> {
    match op.0 {
        1..=5 => Ok(vk::BlendOp::from_raw(op.0 - 1)),
        _ => Err(Error::Invalid("a blend operation is none of the API's")),
    }
}

/// Whether a target's blending needs the shader's second output.
pub(super) fn is_dual_source(target: &D3D12_RENDER_TARGET_BLEND_DESC) -> bool {
    let factors = [target.SrcBlend, target.DestBlend, target.SrcBlendAlpha, target.DestBlendAlpha];
    target.BlendEnable != 0 && factors.iter().any(|factor| (16..=19).contains(&factor.0))
}

/// How one target is blended; `format` is `None` where nothing can be bound.
pub(super) fn blend_target(
    target: &D3D12_RENDER_TARGET_BLEND_DESC,
    format: Option<&Format>,
) -> Result<vk::PipelineColorBlendAttachmentState> {
    let mask = vk::ColorComponentFlags::from_raw(u32::from(target.RenderTargetWriteMask & 0xf));
    let mut state = vk::PipelineColorBlendAttachmentState::default().color_write_mask(mask);
    let Some(format) = format else { return Ok(state.color_write_mask(vk::ColorComponentFlags::empty())) };
    let alpha_in_red = format.swizzle == Swizzle::Alpha;
    if alpha_in_red {
        let writes = mask.contains(vk::ColorComponentFlags::A);
        state.color_write_mask = match writes {
            true => vk::ColorComponentFlags::R,
            false => vk::ColorComponentFlags::empty(),
        };
    }
    // Integers are not blended; Vulkan does not allow to ask for it.
    if target.BlendEnable == 0 || format.is_integer() {
        return Ok(state);
    }
    let opaque = format.swizzle == Swizzle::Opaque;
    let convert =
        |blend: D3D12_BLEND| factor(blend).map(|found| if opaque { with_opaque_target(found) } else { found });
    state = state
        .blend_enable(true)
        .src_color_blend_factor(convert(target.SrcBlend)?)
        .dst_color_blend_factor(convert(target.DestBlend)?)
        .color_blend_op(blend_op(target.BlendOp)?)
        .src_alpha_blend_factor(factor(target.SrcBlendAlpha)?)
        .dst_alpha_blend_factor(factor(target.DestBlendAlpha)?)
        .alpha_blend_op(blend_op(target.BlendOpAlpha)?);
    if alpha_in_red {
        state.src_color_blend_factor = in_red(state.src_alpha_blend_factor);
        state.dst_color_blend_factor = in_red(state.dst_alpha_blend_factor);
        state.color_blend_op = state.alpha_blend_op;
    }
    Ok(state)
}

/// Whether a target is blended by the list's blend constants.
pub(super) fn has_constants(target: &vk::PipelineColorBlendAttachmentState) -> bool {
    let factors = [
        target.src_color_blend_factor,
        target.dst_color_blend_factor,
        target.src_alpha_blend_factor,
        target.dst_alpha_blend_factor,
    ];
    let constants = vk::BlendFactor::CONSTANT_COLOR.as_raw()..=vk::BlendFactor::ONE_MINUS_CONSTANT_ALPHA.as_raw();
    target.blend_enable != 0 && factors.iter().any(|factor| constants.contains(&factor.as_raw()))
}

/// Which component of the shader's output goes where in a target: 2 bits for red, green, blue, alpha.
pub(super) fn output_swizzle(format: Option<&Format>) -> u32 {
    const IDENTITY: u32 = 0b11_10_01_00;
    const ALPHA_IN_RED: u32 = 0b00_10_01_11;
    match format {
        Some(format) if format.swizzle == Swizzle::Alpha => ALPHA_IN_RED,
        _ => IDENTITY,
    }
}

/// Whether a list of [`output_swizzle`] changes anything.
pub(super) fn is_plain(swizzles: &[u32]) -> bool {
    swizzles.iter().all(|swizzle| *swizzle == output_swizzle(None))
}

/// A logical operation; both APIs have the same sixteen.
pub(super) fn logic_op(op: D3D12_LOGIC_OP) -> Result<vk::LogicOp> {
    Ok(match op.0 {
        0 => vk::LogicOp::CLEAR,
        1 => vk::LogicOp::SET,
        2 => vk::LogicOp::COPY,
        3 => vk::LogicOp::COPY_INVERTED,
        4 => vk::LogicOp::NO_OP,
        5 => vk::LogicOp::INVERT,
        6 => vk::LogicOp::AND,
        7 => vk::LogicOp::NAND,
        8 => vk::LogicOp::OR,
        9 => vk::LogicOp::NOR,
        10 => vk::LogicOp::XOR,
        11 => vk::LogicOp::EQUIVALENT,
        12 => vk::LogicOp::AND_REVERSE,
        13 => vk::LogicOp::AND_INVERTED,
        14 => vk::LogicOp::OR_REVERSE,
        15 => vk::LogicOp::OR_INVERTED,
        _ => return Err(Error::Invalid("a logical operation is none of the API's")),
    })
}
