//! Graphics pipelines.

use std::ffi::CString;

use ash::vk;
use reprise_com::Object;
use reprise_shader::{Link, Spirv, Stage};

use super::shader::{Module, stage_flag, translate};
use super::{Description, input, state, stream_output};
use crate::device::Device;
use crate::format::{Format, caps};
use crate::root::RootSignature;
use crate::{Error, Result};

/// `D3D12_PIPELINE_STATE_FLAG_DYNAMIC_DEPTH_BIAS` and `_DYNAMIC_INDEX_BUFFER_STRIP_CUT`.
const DYNAMIC_DEPTH_BIAS: u32 = 4;
const DYNAMIC_STRIP_CUT: u32 = 8;
/// `D3D12_ROOT_SIGNATURE_FLAG_ALLOW_STREAM_OUTPUT`.
const ALLOW_STREAM_OUTPUT: u32 = 0x40;
/// `D3D12_SO_NO_RASTERIZED_STREAM`.
const NO_RASTERIZED_STREAM: u32 = u32::MAX;
/// Render targets.
const TARGETS: usize = 8;

/// What a list must know of a graphics pipeline.
///
/// Always dynamic, to be set before a draw: viewports and scissors with their counts (heights are negative, so that up is
/// up), blend constants, stencil reference, primitive topology, strides of vertex buffers, primitive restart. Dynamic where
/// the fields below say so: depth bias, depth bounds.
#[derive(Clone, Debug)]
pub struct Graphics {
    /// Formats of the colour attachments; `UNDEFINED` where none is written.
    pub color_formats: Vec<vk::Format>,
    /// Format of the depth attachment; `UNDEFINED` without depth.
    pub depth_format: vk::Format,
    /// Format of the stencil attachment; `UNDEFINED` without stencil.
    pub stencil_format: vk::Format,
    /// Samples of all attachments.
    pub samples: vk::SampleCountFlags,
    /// Points, lines, triangles or patches, as the class's list topology; a list's topology must be of the class.
    pub topology: vk::PrimitiveTopology,
    /// Vertex buffer slots that are read, one bit each.
    pub vertex_slots: u32,
    /// Strips end at the largest index; lists never do.
    pub strip_cut: bool,
    /// [`Graphics::strip_cut`] is only where a list begins: it may set another value.
    pub dynamic_strip_cut: bool,
    /// Depth bias is dynamic: where a list sets none, it is [`Graphics::depth_bias`].
    pub dynamic_depth_bias: bool,
    /// Constant factor, clamp, slope factor.
    pub depth_bias: [f32; 3],
    /// Depth bounds are tested, and dynamic.
    pub depth_bounds: bool,
    /// Vertices go to stream output buffers.
    pub stream_output: bool,
}

/// Makes a graphics pipeline.
///
/// # Errors
/// When the description is invalid or asks for what is not supported, a shader cannot be translated, or Vulkan fails.
pub(super) fn create(
    device: &Object<Device>,
    root: &RootSignature,
    description: &Description<'_>,
) -> Result<(vk::Pipeline, Graphics)> {
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
    let streams = !outputs.is_empty();
    let shaders = Shaders::translate(device, root, description, &targets, outputs)?;
    let vertex = description.stages.iter().find(|(stage, _)| *stage == Stage::Vertex).map(|(_, blob)| *blob);
    let rows = input::inputs(vertex.unwrap_or_default())?;
    // SAFETY: as above.
    let attributes = unsafe { input::read(device, &description.input_layout) }?;
    let input = input::connect(&attributes, &rows)?;
    if input.divisors.iter().any(|divisor| divisor.divisor == 0)
        && device.caps.features.divisor.vertex_attribute_instance_rate_zero_divisor == 0
    {
        return Err(Error::Unsupported("instance step rate 0: the device cannot repeat one instance's data"));
    }
    let topology = shaders.topology(description)?;
    let raster = &description.rasterizer;
    let depth = &description.depth_stencil;
    let graphics = Graphics {
        color_formats: targets.formats.clone(),
        depth_format: targets.depth,
        stencil_format: targets.stencil,
        samples: targets.samples,
        topology,
        vertex_slots: input.slots,
        strip_cut: description.strip_cut.0 != 0,
        dynamic_strip_cut: description.flags & DYNAMIC_STRIP_CUT != 0,
        dynamic_depth_bias: description.flags & DYNAMIC_DEPTH_BIAS != 0,
        depth_bias: [raster.DepthBias, raster.DepthBiasClamp, raster.SlopeScaledDepthBias],
        depth_bounds: depth.DepthBoundsTestEnable != 0,
        stream_output: streams,
    };
    let pipeline = build(device, root, description, &targets, &shaders, &input, &graphics)?;
    Ok((pipeline, graphics))
}

/// Refuses what is not supported, before anything is made.
fn check(device: &Device, description: &Description<'_>) -> Result<()> {
    let has = |stage| description.stages.iter().any(|(other, _)| *other == stage);
    let features = &device.caps.features;
    if has(Stage::Mesh) || has(Stage::Amplification) {
        return Err(Error::Unsupported("mesh shaders"));
    }
    if !has(Stage::Vertex) {
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
    if description.views > 1 {
        return Err(Error::Unsupported("view instancing"));
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
    if description.rasterizer.ConservativeRaster.0 != 0 {
        return Err(Error::Unsupported("conservative rasterisation"));
    }
    Ok(())
}

/// What is rendered to.
struct Targets {
    rows: Vec<Option<&'static Format>>,
    /// Those that the pixel shader writes, one bit each; the others keep what they have.
    written: u32,
    formats: Vec<vk::Format>,
    depth: vk::Format,
    stencil: vk::Format,
    samples: vk::SampleCountFlags,
}

fn targets(device: &Device, description: &Description<'_>) -> Result<Targets> {
    let count = description.targets.NumRenderTargets as usize;
    let (mut rows, mut formats) = (Vec::new(), Vec::new());
    for dxgi in description.targets.RTFormats.iter().take(count) {
        let row = match dxgi.0 {
            0 => None,
            _ => Some(Format::get(*dxgi).ok_or(Error::Invalid("a render target's format is none of the API's"))?),
        };
        let vk = match row {
            Some(row) => caps::vulkan(device, row).ok_or(Error::Unsupported("the format of a render target"))?,
            None => vk::Format::UNDEFINED,
        };
        rows.push(row);
        formats.push(vk);
    }
    if description.targets.RTFormats.iter().skip(count).any(|format| format.0 != 0) {
        return Err(Error::Invalid("a format for a render target beyond their number"));
    }
    let pixel = description.stages.iter().find(|(stage, _)| *stage == Stage::Pixel);
    let written = pixel.map_or(Ok(0), |(_, blob)| input::written_targets(blob))?;
    check_blending(description, &rows, written)?;
    let (mut depth, mut stencil) = (vk::Format::UNDEFINED, vk::Format::UNDEFINED);
    // A format without depth and stencil is the same as none.
    let row = Format::get(description.depth_format).filter(|row| row.has_depth() || row.has_stencil());
    if let Some(row) = row {
        let vk = caps::vulkan(device, row).ok_or(Error::Unsupported("the format of depth and stencil"))?;
        depth = if row.has_depth() { vk } else { depth };
        stencil = if row.has_stencil() { vk } else { stencil };
    }
    let forced = description.rasterizer.ForcedSampleCount;
    let has_target = formats.iter().any(|format| *format != vk::Format::UNDEFINED) || row.is_some();
    let samples = match (description.samples.Count, forced) {
        (_, forced) if forced > 1 && !has_target => forced,
        (count, forced) if forced > 1 && forced != count => {
            return Err(Error::Unsupported("a forced sample count other than the targets'"));
        }
        (0, _) if has_target => return Err(Error::Invalid("a pipeline state for targets of no samples")),
        (count, _) => count.max(1),
    };
    let limits = &device.caps.limits;
    let possible = limits.framebuffer_color_sample_counts & limits.framebuffer_depth_sample_counts;
    let samples = vk::SampleCountFlags::from_raw(samples);
    if samples.as_raw().count_ones() != 1 || !possible.contains(samples) {
        return Err(Error::Invalid("the device has no targets of so many samples"));
    }
    Ok(Targets { rows, written, formats, depth, stencil, samples })
}

/// Refuses blending of what the pixel shader writes where the API does: of integers, and of a second target beside two
/// sources for the first.
fn check_blending(description: &Description<'_>, rows: &[Option<&'static Format>], written: u32) -> Result<()> {
    let all = &description.blend.RenderTarget;
    let independent = description.blend.IndependentBlendEnable != 0;
    if independent && state::is_dual_source(&all[0]) && all[1..].iter().any(|other| other.BlendEnable != 0) {
        return Err(Error::Invalid("blending of another target beside blending of two sources"));
    }
    for (at, (row, own)) in rows.iter().zip(all).enumerate() {
        let Some(row) = row.filter(|_| written & 1 << at != 0) else { continue };
        let own = if independent { own } else { &all[0] };
        if own.BlendEnable != 0 && row.is_integer() {
            return Err(Error::Invalid("blending of a target of integers"));
        }
        if at > 0 && state::is_dual_source(&all[0]) {
            return Err(Error::Invalid("a second target beside blending of two sources"));
        }
    }
    Ok(())
}

/// The translated stages.
struct Shaders<'a> {
    stages: Vec<(Spirv, Module<'a>, CString)>,
}

impl<'a> Shaders<'a> {
    fn translate(
        device: &'a Device,
        root: &RootSignature,
        description: &Description<'_>,
        targets: &Targets,
        outputs: Vec<reprise_shader::StreamOutput>,
    ) -> Result<Shaders<'a>> {
        let order = [Stage::Vertex, Stage::Hull, Stage::Domain, Stage::Geometry, Stage::Pixel];
        let has = |stage| description.stages.iter().any(|(other, _)| *other == stage);
        let last = [Stage::Geometry, Stage::Domain, Stage::Vertex].into_iter().find(|stage| has(*stage));
        let swizzles: Vec<u32> = targets.rows.iter().map(|row| state::output_swizzle(*row)).collect();
        let independent = description.blend.IndependentBlendEnable != 0;
        let blended = if independent { targets.rows.len() } else { 1 };
        let dual_source = description.blend.RenderTarget.iter().take(blended).any(state::is_dual_source);
        let mut stages: Vec<(Spirv, Module<'a>, CString)> = Vec::new();
        let mut patch_location_offset = 0;
        for stage in order {
            let Some((_, blob)) = description.stages.iter().find(|(other, _)| *other == stage) else { continue };
            let mut link = Link::default();
            if stage == Stage::Domain {
                link.patch_location_offset = patch_location_offset;
            }
            if Some(stage) == last {
                link.stream_outputs.clone_from(&outputs);
            }
            if stage == Stage::Pixel {
                link.dual_source = dual_source;
                link.samples = targets.samples.as_raw();
                if !state::is_plain(&swizzles) {
                    link.swizzles.clone_from(&swizzles);
                }
            }
            let spirv = translate(device, blob, stage, &root.interface, &link)?;
            if stage == Stage::Hull {
                patch_location_offset = spirv.patch_location_offset;
            }
            let module = Module::new(device, &spirv)?;
            let entry = CString::new(spirv.entry.as_str());
            let entry = entry.map_err(|_| Error::Invalid("an entry point with a zero in its name"))?;
            stages.push((spirv, module, entry));
        }
        Ok(Shaders { stages })
    }

    /// Control points of a patch; 0 without tessellation.
    fn patch_points(&self) -> u32 {
        self.stages.iter().map(|(spirv, ..)| spirv.patch_vertices).max().unwrap_or(0)
    }

    /// The list topology of the pipeline's class.
    fn topology(&self, description: &Description<'_>) -> Result<vk::PrimitiveTopology> {
        let patches = self.patch_points() != 0;
        match description.topology.0 {
            // The API takes any type beside a hull shader.
            _ if patches => Ok(vk::PrimitiveTopology::PATCH_LIST),
            4 => Err(Error::Invalid("patches without a hull shader")),
            1 => Ok(vk::PrimitiveTopology::POINT_LIST),
            2 => Ok(vk::PrimitiveTopology::LINE_LIST),
            0 | 3 => Ok(vk::PrimitiveTopology::TRIANGLE_LIST),
            _ => Err(Error::Invalid("a primitive topology type is none of the API's")),
        }
    }
}

fn build(
    device: &Device,
    root: &RootSignature,
    description: &Description<'_>,
    targets: &Targets,
    shaders: &Shaders<'_>,
    input: &input::Input,
    graphics: &Graphics,
) -> Result<vk::Pipeline> {
    let stages: Vec<_> = shaders
        .stages
        .iter()
        .map(|(spirv, module, entry)| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(stage_flag(spirv.stage))
                .module(module.module)
                .name(entry)
                .flags(match spirv.uses_wave_size {
                    true => vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE,
                    false => vk::PipelineShaderStageCreateFlags::empty(),
                })
        })
        .collect();
    let mut divisors =
        vk::PipelineVertexInputDivisorStateCreateInfoEXT::default().vertex_binding_divisors(&input.divisors);
    let mut vertex = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&input.bindings)
        .vertex_attribute_descriptions(&input.attributes);
    if !input.divisors.is_empty() {
        vertex = vertex.push_next(&mut divisors);
    }
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(graphics.topology);
    let tessellation =
        vk::PipelineTessellationStateCreateInfo::default().patch_control_points(shaders.patch_points().max(1));
    let viewport = vk::PipelineViewportStateCreateInfo::default();
    let mut depth_clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::default();
    let mut stream = vk::PipelineRasterizationStateStreamCreateInfoEXT::default();
    let raster = rasterizer(device, description, graphics, &mut depth_clip, &mut stream)?;
    let mask = [description.sample_mask];
    let multisample = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(targets.samples)
        .sample_mask(&mask)
        .alpha_to_coverage_enable(description.blend.AlphaToCoverageEnable != 0);
    let depth = depth_stencil(description, targets)?;
    let attachments = blend_targets(description, targets)?;
    let first = &description.blend.RenderTarget[0];
    let mut blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
    if first.LogicOpEnable != 0 {
        if device.caps.features.base.logic_op == 0 {
            return Err(Error::Unsupported("logical operations: the device has none"));
        }
        blend = blend.logic_op_enable(true).logic_op(state::logic_op(first.LogicOp)?);
    }
    let mut dynamic = vec![
        vk::DynamicState::VIEWPORT_WITH_COUNT,
        vk::DynamicState::SCISSOR_WITH_COUNT,
        vk::DynamicState::BLEND_CONSTANTS,
        vk::DynamicState::STENCIL_REFERENCE,
        vk::DynamicState::PRIMITIVE_TOPOLOGY,
        vk::DynamicState::PRIMITIVE_RESTART_ENABLE,
        vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE,
    ];
    dynamic.extend(graphics.dynamic_depth_bias.then_some(vk::DynamicState::DEPTH_BIAS));
    dynamic.extend(graphics.depth_bounds.then_some(vk::DynamicState::DEPTH_BOUNDS));
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&targets.formats)
        .depth_attachment_format(targets.depth)
        .stencil_attachment_format(targets.stencil);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertex)
        .input_assembly_state(&assembly)
        .tessellation_state(&tessellation)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(root.layout)
        .push_next(&mut rendering);
    // SAFETY: the structures live until the call returns.
    let made = unsafe { device.vk.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    let made = device.check("vkCreateGraphicsPipelines", made.map_err(|(_, error)| error))?;
    made.first().copied().ok_or(Error::Fail("Vulkan made no pipeline"))
}

fn rasterizer<'a>(
    device: &Device,
    description: &Description<'_>,
    graphics: &Graphics,
    depth_clip: &'a mut vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'a>,
    stream: &'a mut vk::PipelineRasterizationStateStreamCreateInfoEXT<'a>,
) -> Result<vk::PipelineRasterizationStateCreateInfo<'a>> {
    let desc = &description.rasterizer;
    let [constant, clamp, slope] = graphics.depth_bias;
    let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
        .polygon_mode(match desc.FillMode.0 {
            2 => vk::PolygonMode::LINE,
            3 => vk::PolygonMode::FILL,
            _ => return Err(Error::Invalid("a fill mode is none of the API's")),
        })
        .cull_mode(match desc.CullMode.0 {
            1 => vk::CullModeFlags::NONE,
            2 => vk::CullModeFlags::FRONT,
            3 => vk::CullModeFlags::BACK,
            _ => return Err(Error::Invalid("a cull mode is none of the API's")),
        })
        .front_face(match desc.FrontCounterClockwise {
            0 => vk::FrontFace::CLOCKWISE,
            _ => vk::FrontFace::COUNTER_CLOCKWISE,
        })
        .depth_bias_enable(graphics.dynamic_depth_bias || constant != 0.0 || slope != 0.0)
        .depth_bias_constant_factor(constant)
        .depth_bias_clamp(clamp)
        .depth_bias_slope_factor(slope)
        .line_width(1.0);
    // The API clamps depth to the viewport in any case, and clips only when asked to.
    if device.caps.features.depth_clip.depth_clip_enable != 0 {
        depth_clip.depth_clip_enable = (desc.DepthClipEnable != 0).into();
        raster = raster.depth_clamp_enable(true).push_next(depth_clip);
    } else {
        raster = raster.depth_clamp_enable(desc.DepthClipEnable == 0);
    }
    if graphics.stream_output {
        match description.stream_output.RasterizedStream {
            NO_RASTERIZED_STREAM => raster = raster.rasterizer_discard_enable(true),
            0 => {}
            other => {
                if device.caps.features.transform_feedback.geometry_streams == 0 {
                    return Err(Error::Unsupported("rasterising a stream other than the first"));
                }
                stream.rasterization_stream = other;
                raster = raster.push_next(stream);
            }
        }
    }
    Ok(raster)
}

fn depth_stencil(
    description: &Description<'_>,
    targets: &Targets,
) -> Result<vk::PipelineDepthStencilStateCreateInfo<'static>> {
    let desc = &description.depth_stencil;
    let depth = desc.DepthEnable != 0 && targets.depth != vk::Format::UNDEFINED;
    let stencil = desc.StencilEnable != 0 && targets.stencil != vk::Format::UNDEFINED;
    let mut state = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_bounds_test_enable(desc.DepthBoundsTestEnable != 0)
        .max_depth_bounds(1.0);
    if depth {
        state = state
            .depth_test_enable(true)
            .depth_write_enable(desc.DepthWriteMask.0 != 0)
            .depth_compare_op(state::compare(desc.DepthFunc)?);
    }
    if stencil {
        state = state
            .stencil_test_enable(true)
            .front(state::stencil_face(&desc.FrontFace)?)
            .back(state::stencil_face(&desc.BackFace)?);
    }
    Ok(state)
}

fn blend_targets(
    description: &Description<'_>,
    targets: &Targets,
) -> Result<Vec<vk::PipelineColorBlendAttachmentState>> {
    let all = &description.blend.RenderTarget;
    let independent = description.blend.IndependentBlendEnable != 0;
    targets
        .rows
        .iter()
        .zip(all)
        .enumerate()
        .map(|(at, (row, own))| {
            // What the shader does not write is undefined in Vulkan, and untouched in the API.
            let row = row.filter(|_| targets.written & 1 << at != 0);
            state::blend_target(if independent { own } else { &all[0] }, row)
        })
        .collect()
}
