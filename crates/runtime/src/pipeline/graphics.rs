//! Graphics pipelines.

use ash::vk;
use reprise_com::Object;
use reprise_d3d12::meshlets::Layout;
use reprise_shader::{Primitive, Stage};

use super::formats::{Formats, TARGETS};
use super::plan::{OpenState, Plan};
use super::stages::{ORDER, Shaders};
use super::targets::{BiasUnit, targets};
use super::variants::Variants;
use super::views::Views;
use super::{Description, input, stream_output};
use crate::device::Device;
use crate::root::{RootSignature, Work};
use crate::{Error, Result};

/// `D3D12_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS` and `_DYNAMIC_INDEX_BUFFER_STRIP_CUT`.
const DYNAMIC_DEPTH_BIAS: u32 = 4;
const DYNAMIC_STRIP_CUT: u32 = 8;
/// `D3D12_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT`.
const ALLOW_STREAM_OUTPUT: u32 = 0x40;

/// What a list must know of a graphics pipeline.
///
/// Always dynamic, to be set before a draw: viewports and scissors with their counts (heights are negative, so that up is
/// up), primitive topology. Dynamic where the fields below say so: primitive restart, blend constants, stencil reference,
/// strides of vertex buffers, depth bias, depth bounds, writes of depth and of stencil, shading rate.
#[derive(Clone, Debug, Default)]
pub struct Graphics {
    /// The targets that the pipeline is made for. For others there are variants: [`super::PipelineState::for_targets`].
    pub formats: Formats,
    /// Colour targets that the pixel shader writes, one bit each.
    pub written: u32,
    /// Depth and stencil are tested or written.
    pub tests: [bool; 2],
    /// The formats of depth and stencil are not known, and whatever is bound is tested.
    pub any_depth: bool,
    /// It begins with amplification or mesh shaders, and has no input assembler: all that is said of topologies, strips, patches and
    /// vertices means nothing.
    pub meshes: bool,
    /// Points, lines, triangles or patches, as the class's list topology; a list's topology must be of the class.
    pub topology: vk::PrimitiveTopology,
    /// The primitives that a geometry shader takes from the input assembler; `None` without one, or after tessellation.
    pub takes: Option<Primitive>,
    /// Control points of a patch that the hull shader takes; 0 without one.
    pub patch_points: u32,
    /// Control points of a patch are dynamic: as many as the list's topology has.
    pub dynamic_patch_points: bool,
    /// Vertex buffer slots that are read, one bit each.
    pub vertex_slots: u32,
    /// By slot: bits that are zero in places and strides of vertices whose components are in their places.
    pub vertex_masks: [u8; 32],
    /// Strips end at the largest index; lists never do.
    pub strip_cut: bool,
    /// [`Graphics::strip_cut`] is only where a list begins: it may set another value.
    pub dynamic_strip_cut: bool,
    /// Depth bias is dynamic: where a list sets none, it is [`Graphics::depth_bias`].
    pub dynamic_depth_bias: bool,
    /// Constant factor, clamp, slope factor, in the API's units.
    pub depth_bias: [f32; 3],
    /// The API's unit of the constant factor in Vulkan's.
    pub bias_unit: BiasUnit,
    /// A target is blended by the list's blend constants, which are dynamic then.
    pub blend_constants: bool,
    /// Stencil is tested, and the reference is dynamic.
    pub stencil_reference: bool,
    /// Depth bounds are tested, and dynamic.
    pub depth_bounds: bool,
    /// Depth is written where the view allows it; dynamic then.
    pub depth_write: bool,
    /// Bits of stencil that front and back faces write where the view allows it; dynamic unless both are 0.
    pub stencil_write: [u32; 2],
    /// Something is drawn. Otherwise what blends and tests is not the pipeline's, and must not be set.
    pub rasterised: bool,
    /// The shading rate is the list's, and dynamic.
    pub rate: bool,
    /// There may be one viewport only.
    pub one_viewport: bool,
    /// View instances.
    pub views: Views,
    /// Stream output buffers that vertices go to, one bit each.
    pub stream_output: u32,
    /// The stages, one bit each, where the driver forgets push constants for stages that the last pipeline had not; else none.
    pub stages_to_tell: u8,
}

impl Graphics {
    /// Its sort of work.
    pub fn work(&self) -> Work {
        if self.meshes { Work::Meshes } else { Work::Vertices }
    }
}

/// A graphics pipeline, and what else a pipeline state has of it.
pub(super) struct Made {
    pub(super) pipeline: vk::Pipeline,
    pub(super) graphics: Graphics,
    pub(super) variants: Variants,
    /// Descriptor sets that the shaders name, one bit each.
    pub(super) sets: u32,
    /// Whether a shader traces rays inline.
    pub(super) traces: bool,
    /// Where the mesh shader stores what it gives.
    pub(super) meshlets: Option<Layout>,
}

/// Makes a graphics pipeline.
///
/// # Errors
/// When the description is invalid or asks for what is not supported, a shader cannot be translated, or Vulkan fails.
pub(super) fn create(
    device: &Object<Device>,
    root: &RootSignature,
    description: &Description<'_>,
    cache: vk::PipelineCache,
) -> Result<Made> {
    check(device, description)?;
    let targets = targets(device, description)?;
    // SAFETY: the program's arrays are valid during its call.
    let outputs = unsafe { stream_output::read(&description.stream_output) }?;
    if !outputs.is_empty() && root.signature.flags & ALLOW_STREAM_OUTPUT == 0 {
        return Err(Error::Invalid("stream output, which the root signature does not allow"));
    }
    if !outputs.is_empty() && device.caps.features.transform_feedback.transform_feedback == 0 {
        return Err(Error::Unsupported("stream output: the device has no transform feedback"));
    }
    let mut shaders = Shaders::translate(device, root, description, &targets, &outputs)?;
    let meshlets = shaders.meshlets.take();
    let meshes = description.shader(Stage::Mesh).is_some();
    let input = match description.shader(Stage::Vertex) {
        Some(vertex) => {
            // SAFETY: the program's arrays are valid during its call.
            let attributes = unsafe { input::read(device, &description.input_layout) }?;
            input::connect(&attributes, &input::inputs(vertex)?)?
        }
        None => input::Input::default(),
    };
    let limits = &device.caps.limits;
    if input.attributes.iter().any(|attribute| attribute.offset > limits.max_vertex_input_attribute_offset) {
        return Err(Error::Invalid("an input element lies too far behind the beginning of its vertex for the device"));
    }
    if input.divisors.iter().any(|divisor| divisor.divisor == 0)
        && device.caps.features.divisor.vertex_attribute_instance_rate_zero_divisor == 0
    {
        return Err(Error::Unsupported("instance step rate 0: the device cannot repeat one instance's data"));
    }
    let (raster, depth) = (&description.rasterizer, &description.depth_stencil);
    let patch_points = shaders.patch_points();
    let open = OpenState {
        depth_bias: description.flags & DYNAMIC_DEPTH_BIAS != 0,
        strip_cut: !meshes && (description.strip_cut.0 != 0 || description.flags & DYNAMIC_STRIP_CUT != 0),
        stencil: depth.StencilEnable != 0,
        depth_bounds: depth.DepthBoundsTestEnable != 0,
        depth_write: depth.DepthEnable != 0 && depth.DepthWriteMask.0 != 0,
        stencil_write: match depth.StencilEnable {
            0 => [0; 2],
            _ => [depth.FrontFace.StencilWriteMask.into(), depth.BackFace.StencilWriteMask.into()],
        },
        rate: device.caps.rates.lists && raster.ForcedSampleCount == 0 && shaders.may_shade_coarsely(),
        patch_points: patch_points != 0
            && device.caps.features.dynamic_state2.extended_dynamic_state2_patch_control_points != 0,
    };
    let plan = Plan::new(device, description, &targets, shaders, input, open)?;
    let graphics = Graphics {
        formats: targets.formats,
        written: targets.written,
        tests: [depth.DepthEnable != 0 || depth.DepthBoundsTestEnable != 0, depth.StencilEnable != 0],
        any_depth: description.depth_format.0 == 0 && (depth.DepthEnable != 0 || depth.StencilEnable != 0),
        meshes,
        topology: plan.topology,
        takes: plan.shaders.takes(),
        patch_points,
        dynamic_patch_points: open.patch_points,
        vertex_slots: plan.input.slots,
        vertex_masks: plan.input.masks,
        strip_cut: description.strip_cut.0 != 0,
        dynamic_strip_cut: description.flags & DYNAMIC_STRIP_CUT != 0,
        dynamic_depth_bias: open.depth_bias,
        depth_bias: [raster.DepthBias, raster.DepthBiasClamp, raster.SlopeScaledDepthBias],
        bias_unit: targets.bias_unit(device),
        blend_constants: plan.has_blend_constants(),
        stencil_reference: plan.is_rasterised() && open.stencil,
        depth_bounds: open.depth_bounds,
        depth_write: open.depth_write,
        stencil_write: open.stencil_write,
        rasterised: plan.is_rasterised(),
        rate: open.rate,
        one_viewport: plan.shaders.gives_rates() && !device.caps.rates.viewports,
        views: description.views,
        stream_output: outputs.iter().fold(0, |slots, output| slots | 1 << output.buffer),
        stages_to_tell: match device.caps.absent_stages_miss_constants() {
            true => ORDER
                .iter()
                .zip(0..)
                .filter(|(stage, _)| description.shader(**stage).is_some())
                .fold(0, |bits, (_, at)| bits | 1 << at),
            false => 0,
        },
    };
    let layout = root.layout_for(graphics.work());
    let pipeline = plan.build(device, layout, cache, &graphics.formats, 0)?;
    let (sets, traces) = (plan.shaders.sets(), plan.shaders.traces());
    Ok(Made { pipeline, graphics, variants: Variants::new(plan), sets, traces, meshlets })
}

/// Refuses what is not supported, before anything is made.
fn check(device: &Device, description: &Description<'_>) -> Result<()> {
    let has = |stage| description.shader(stage).is_some();
    let features = &device.caps.features;
    let meshes = has(Stage::Mesh);
    if has(Stage::Amplification) && !meshes {
        return Err(Error::Invalid("an amplification shader without a mesh shader"));
    }
    if meshes && [Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry].into_iter().any(has) {
        return Err(Error::Invalid("a mesh shader beside shaders of vertices"));
    }
    if meshes && description.stream_output.NumEntries != 0 {
        return Err(Error::Invalid("stream output of a mesh shader"));
    }
    if meshes && !device.caps.has_mesh_shaders() {
        return Err(Error::Unsupported("mesh shaders: the device has none"));
    }
    if !meshes && !has(Stage::Vertex) {
        return Err(Error::Invalid("a graphics pipeline state without a vertex shader"));
    }
    if has(Stage::Hull) != has(Stage::Domain) {
        return Err(Error::Invalid("a hull shader without a domain shader, or a domain shader without a hull shader"));
    }
    if has(Stage::Hull) && features.base.tessellation_shader == 0 {
        return Err(Error::Unsupported("tessellation: the device has none"));
    }
    if has(Stage::Geometry) && features.base.geometry_shader == 0 {
        return Err(Error::Unsupported("geometry shaders: the device has none"));
    }
    if description.targets.NumRenderTargets as usize > TARGETS {
        return Err(Error::Invalid("more than eight render targets"));
    }
    if description.depth_stencil.DepthBoundsTestEnable != 0 && features.base.depth_bounds == 0 {
        return Err(Error::Unsupported("depth bounds: the device has none"));
    }
    let blend = &description.blend;
    let blended = if blend.IndependentBlendEnable != 0 { TARGETS } else { 1 };
    if blend.RenderTarget.iter().take(blended).any(|target| target.LogicOpEnable != 0) {
        if blend.IndependentBlendEnable != 0 {
            return Err(Error::Invalid("logical operations with blending that differs between targets"));
        }
        if blend.RenderTarget[0].BlendEnable != 0 {
            return Err(Error::Invalid("a target with both blending and a logical operation"));
        }
    }
    if description.rasterizer.ConservativeRaster.0 != 0 && !device.caps.extensions.conservative {
        return Err(Error::Unsupported("conservative rasterisation: the device has none"));
    }
    Ok(())
}
