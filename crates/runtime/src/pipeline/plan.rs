//! All that Vulkan is told of a graphics pipeline, owned, so that it can be made again for other targets.

use ash::vk;
use reprise_d3d12::types::D3D12_DEPTH_STENCIL_DESC2;
use reprise_shader::{Primitive, Stage};

use super::formats::Formats;
use super::input::Input;
use super::pulled::Reads;
use super::shader::stage_flag;
use super::stages::Shaders;
use super::targets::{BiasUnit, serves};
use super::views::Views;
use super::{Description, state, targets};
use crate::device::Device;
use crate::device::lines::{Abilities, Lines};
use crate::root::RootSignature;
use crate::{Error, Result};

/// `D3D12_SO_NO_RASTERIZED_STREAM`.
const NO_RASTERIZED_STREAM: u32 = u32::MAX;

/// A graphics pipeline before it is made.
pub(super) struct Plan {
    pub(super) shaders: Shaders,
    pub(super) input: Input,
    pub(super) topology: vk::PrimitiveTopology,
    raster: Raster,
    sample_mask: u32,
    alpha_to_coverage: bool,
    depth: D3D12_DEPTH_STENCIL_DESC2,
    /// By colour target.
    blend: Vec<vk::PipelineColorBlendAttachmentState>,
    logic_op: Option<vk::LogicOp>,
    dynamic: Vec<vk::DynamicState>,
    views: Views,
}

/// What the rasteriser does.
#[derive(Clone, Debug)]
struct Raster {
    polygon_mode: vk::PolygonMode,
    cull: vk::CullModeFlags,
    front: vk::FrontFace,
    /// Whether there is a bias: constant, clamp, slope.
    bias: Option<[f32; 3]>,
    bias_unit: BiasUnit,
    clip: bool,
    /// Whether every pixel is drawn that a triangle touches.
    conservative: bool,
    lines: Lines,
    /// The stream that is drawn; `None` draws nothing.
    stream: Option<u32>,
}

/// What of a list's state a pipeline leaves open beside what all do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenState {
    pub(super) depth_bias: bool,
    /// Strips may end at the largest index, which depends on the topology.
    pub(super) strip_cut: bool,
    /// Stencil is tested against the list's reference.
    pub(super) stencil: bool,
    pub(super) depth_bounds: bool,
    /// Views may forbid to write depth.
    pub(super) depth_write: bool,
    /// And stencil, of which these bits are written at front and back faces.
    pub(super) stencil_write: [u32; 2],
    /// Control points of a patch.
    pub(super) patch_points: bool,
    /// The shading rate.
    pub(super) rate: bool,
}

impl Plan {
    /// Gathers a description's state.
    ///
    /// # Errors
    /// When a number is none of the API's, or the device has not what is asked for.
    pub(super) fn new(
        device: &Device,
        description: &Description<'_>,
        targets: &targets::Targets,
        shaders: Shaders,
        input: Input,
        open: OpenState,
    ) -> Result<Plan> {
        let topology = shaders.topology(description)?;
        let drawn = shaders.drawn(topology)?;
        let first = &description.blend.RenderTarget[0];
        if first.LogicOpEnable != 0 && device.caps.features.base.logic_op == 0 {
            return Err(Error::Unsupported("logical operations: the device has none"));
        }
        let mut dynamic = vec![vk::DynamicState::VIEWPORT_WITH_COUNT, vk::DynamicState::SCISSOR_WITH_COUNT];
        // Mesh shaders make primitives of one kind.
        dynamic.extend(description.shader(Stage::Mesh).is_none().then_some(vk::DynamicState::PRIMITIVE_TOPOLOGY));
        let blend = targets::blend_targets(description, targets)?;
        dynamic.extend(blend.iter().any(state::has_constants).then_some(vk::DynamicState::BLEND_CONSTANTS));
        dynamic.extend(open.strip_cut.then_some(vk::DynamicState::PRIMITIVE_RESTART_ENABLE));
        dynamic.extend(open.stencil.then_some(vk::DynamicState::STENCIL_REFERENCE));
        dynamic.extend((input.slots != 0).then_some(vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE));
        dynamic.extend(open.patch_points.then_some(vk::DynamicState::PATCH_CONTROL_POINTS_EXT));
        dynamic.extend(open.rate.then_some(vk::DynamicState::FRAGMENT_SHADING_RATE_KHR));
        dynamic.extend(open.depth_bias.then_some(vk::DynamicState::DEPTH_BIAS));
        dynamic.extend(open.depth_bounds.then_some(vk::DynamicState::DEPTH_BOUNDS));
        dynamic.extend(open.depth_write.then_some(vk::DynamicState::DEPTH_WRITE_ENABLE));
        dynamic.extend((open.stencil_write != [0; 2]).then_some(vk::DynamicState::STENCIL_WRITE_MASK));
        // Coverage is the shader's word where it says one.
        let alpha_to_coverage = description.blend.AlphaToCoverageEnable != 0 && !shaders.writes_coverage();
        Ok(Plan {
            raster: Raster::new(device, description, drawn, alpha_to_coverage, open, targets.bias_unit(device))?,
            topology,
            sample_mask: description.sample_mask,
            alpha_to_coverage,
            depth: description.depth_stencil,
            blend,
            logic_op: (first.LogicOpEnable != 0).then(|| state::logic_op(first.LogicOp)).transpose()?,
            dynamic,
            views: description.views,
            shaders,
            input,
        })
    }

    /// The same with shaders that read in memory, and another root signature of the same arguments.
    ///
    /// # Errors
    /// When a shader cannot be translated again, or cannot read so.
    pub(super) fn again(&self, device: &Device, root: &RootSignature, reads: Reads) -> Result<Plan> {
        let shaders = self.shaders.again(device, root, &self.input, reads)?;
        let (mut input, mut dynamic) = (self.input.clone(), self.dynamic.clone());
        if reads != Reads::Roots {
            input = Input::default();
            dynamic.retain(|state| *state != vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE);
        }
        Ok(Plan { shaders, input, raster: self.raster.clone(), blend: self.blend.clone(), dynamic, ..*self })
    }

    /// Whether it draws anything.
    pub(super) fn is_rasterised(&self) -> bool {
        self.raster.stream.is_some()
    }

    /// Whether a target is blended by the list's blend constants.
    pub(super) fn has_blend_constants(&self) -> bool {
        self.is_rasterised() && self.blend.iter().any(state::has_constants)
    }

    /// How each colour target is blended: not at all where the device cannot blend its format.
    fn blend(&self, device: &Device, formats: &Formats) -> Vec<vk::PipelineColorBlendAttachmentState> {
        let can = |format: vk::Format| {
            format == vk::Format::UNDEFINED || serves(device, format, vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND)
        };
        let each = self.blend.iter().zip(formats.colours());
        each.map(|(state, format)| match state.blend_enable != 0 && !can(*format) {
            true => state.blend_enable(false),
            false => *state,
        })
        .collect()
    }

    /// Makes the pipeline for targets of these formats, and for a view.
    ///
    /// # Errors
    /// When a comparison or a stencil operation is none of the API's, or Vulkan fails.
    pub(super) fn build(
        &self,
        device: &Device,
        layout: vk::PipelineLayout,
        cache: vk::PipelineCache,
        formats: &Formats,
        view: usize,
    ) -> Result<vk::Pipeline> {
        let constants: Vec<u8> = self.views.constants(view).iter().flat_map(|word| word.to_ne_bytes()).collect();
        let constants = vk::SpecializationInfo::default().map_entries(&Views::ENTRIES).data(&constants);
        let varying = vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE;
        let stages: Vec<_> = self
            .shaders
            .stages
            .iter()
            .filter(|shader| shader.stage != Stage::Pixel || self.is_rasterised())
            .map(|shader| {
                let flags = if shader.uses_wave_size { varying } else { Default::default() };
                let stage = vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage_flag(shader.stage))
                    .module(shader.module.module)
                    .name(&shader.entry)
                    .flags(flags);
                if self.views.any() { stage.specialization_info(&constants) } else { stage }
            })
            .collect();
        let mut divisors =
            vk::PipelineVertexInputDivisorStateCreateInfoEXT::default().vertex_binding_divisors(&self.input.divisors);
        let mut vertex = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&self.input.bindings)
            .vertex_attribute_descriptions(&self.input.attributes);
        if !self.input.divisors.is_empty() {
            vertex = vertex.push_next(&mut divisors);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(self.topology);
        let points = self.shaders.patch_points().max(1);
        let tessellation = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(points);
        let viewport = vk::PipelineViewportStateCreateInfo::default();
        let mut extra = Extra::default();
        let raster = self.raster.info(device, &mut extra);
        let mask = [self.sample_mask];
        // What the list says takes the place of these, but where the middle counts.
        let places = vec![vk::SampleLocationEXT { x: 0.5, y: 0.5 }; formats.samples.as_raw() as usize];
        let mut placed = vk::PipelineSampleLocationsStateCreateInfoEXT::default()
            .sample_locations_enable(true)
            .sample_locations_info(
                vk::SampleLocationsInfoEXT::default()
                    .sample_locations_per_pixel(formats.samples)
                    .sample_location_grid_size(vk::Extent2D { width: 1, height: 1 })
                    .sample_locations(&places),
            );
        let samples = match formats.middle && device.caps.covers_by_pipelines() {
            true => vk::SampleCountFlags::TYPE_1,
            false => formats.samples,
        };
        let mut multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(samples)
            .sample_mask(&mask)
            .alpha_to_coverage_enable(self.alpha_to_coverage);
        let mut dynamic = self.dynamic.clone();
        if samples == formats.samples && (formats.middle || formats.placed) {
            multisample = multisample.push_next(&mut placed);
            dynamic.extend((!formats.middle).then_some(vk::DynamicState::SAMPLE_LOCATIONS_EXT));
        }
        let tests = depth_stencil(&self.depth, formats)?;
        let mut states = self.blend(device, formats);
        let colours = formats.attachments(device.caps.pipelines_need_targets());
        states.resize(colours.len(), Default::default());
        let mut blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&states);
        if let Some(operation) = self.logic_op {
            blend = blend.logic_op_enable(true).logic_op(operation);
        }
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(colours)
            .depth_attachment_format(formats.depth)
            .stencil_attachment_format(formats.stencil);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .flags(device.pipeline_flags() | rates_flag(device))
            .stages(&stages)
            .vertex_input_state(&vertex)
            .input_assembly_state(&assembly)
            .tessellation_state(&tessellation)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&tests)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .push_next(&mut rendering);
        // SAFETY: the structures live until the call returns.
        let made = unsafe { device.vk.create_graphics_pipelines(cache, &[info], None) };
        let made = device.check("vkCreateGraphicsPipelines", made.map_err(|(_, error)| error))?;
        made.first().copied().ok_or(Error::Fail("Vulkan made no pipeline"))
    }
}

/// Any list may have an image of rates.
fn rates_flag(device: &Device) -> vk::PipelineCreateFlags {
    match device.caps.rates.tile {
        0 => vk::PipelineCreateFlags::empty(),
        _ => vk::PipelineCreateFlags::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR,
    }
}

/// Structures that a rasteriser's state can lead to.
#[derive(Default)]
struct Extra<'a> {
    bias: vk::DepthBiasRepresentationInfoEXT<'a>,
    clip: vk::PipelineRasterizationDepthClipStateCreateInfoEXT<'a>,
    stream: vk::PipelineRasterizationStateStreamCreateInfoEXT<'a>,
    lines: vk::PipelineRasterizationLineStateCreateInfoEXT<'a>,
    conservative: vk::PipelineRasterizationConservativeStateCreateInfoEXT<'a>,
}

impl Raster {
    fn new(
        device: &Device,
        description: &Description<'_>,
        drawn: Primitive,
        alpha_to_coverage: bool,
        open: OpenState,
        bias_unit: BiasUnit,
    ) -> Result<Raster> {
        let desc = &description.rasterizer;
        let polygon_mode = match desc.FillMode.0 {
            2 => vk::PolygonMode::LINE,
            3 => vk::PolygonMode::FILL,
            _ => return Err(Error::Invalid("a fill mode is none of the API's")),
        };
        let as_lines = drawn == Primitive::Triangles && polygon_mode == vk::PolygonMode::LINE;
        let lines = match drawn == Primitive::Lines || as_lines {
            true => Lines::new(desc.LineRasterizationMode.0, Abilities::of(&device.caps), alpha_to_coverage)?,
            // Modes of lines change how some drivers draw triangles.
            false => Lines::default(),
        };
        let streams = description.stream_output.NumEntries != 0;
        let stream = match description.stream_output.RasterizedStream {
            // What is stored is not drawn.
            _ if description.meshlets.is_some() => None,
            _ if !streams => Some(0),
            NO_RASTERIZED_STREAM => None,
            0 => Some(0),
            _ if device.caps.features.transform_feedback.geometry_streams == 0 => {
                return Err(Error::Unsupported("rasterising a stream other than the first"));
            }
            other => Some(other),
        };
        let (constant, slope) = (desc.DepthBias, desc.SlopeScaledDepthBias);
        let biased = open.depth_bias || constant != 0.0 || slope != 0.0;
        Ok(Raster {
            polygon_mode,
            cull: match desc.CullMode.0 {
                1 => vk::CullModeFlags::NONE,
                2 => vk::CullModeFlags::FRONT,
                3 => vk::CullModeFlags::BACK,
                _ => return Err(Error::Invalid("a cull mode is none of the API's")),
            },
            front: match desc.FrontCounterClockwise {
                0 => vk::FrontFace::CLOCKWISE,
                _ => vk::FrontFace::COUNTER_CLOCKWISE,
            },
            bias_unit,
            bias: biased.then_some([bias_unit.constant(constant), desc.DepthBiasClamp, slope]),
            clip: desc.DepthClipEnable != 0,
            // The API says nothing of lines and points.
            conservative: desc.ConservativeRaster.0 != 0 && drawn == Primitive::Triangles && !as_lines,
            lines,
            stream,
        })
    }

    fn info<'a>(&self, device: &Device, extra: &'a mut Extra<'a>) -> vk::PipelineRasterizationStateCreateInfo<'a> {
        let [constant, clamp, slope] = self.bias.unwrap_or_default();
        let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(self.polygon_mode)
            .cull_mode(self.cull)
            .front_face(self.front)
            .depth_bias_enable(self.bias.is_some())
            .depth_bias_constant_factor(constant)
            .depth_bias_clamp(clamp)
            .depth_bias_slope_factor(slope)
            .line_width(self.lines.width)
            .rasterizer_discard_enable(self.stream.is_none());
        if self.bias.is_some() && self.bias_unit.told.is_some() {
            extra.bias = self.bias_unit.info();
            raster = raster.push_next(&mut extra.bias);
        }
        // The API clamps depth to the viewport in any case, and clips only when asked to.
        if device.caps.features.depth_clip.depth_clip_enable != 0 {
            extra.clip.depth_clip_enable = self.clip.into();
            raster = raster.depth_clamp_enable(true).push_next(&mut extra.clip);
        } else {
            raster = raster.depth_clamp_enable(!self.clip);
        }
        if self.conservative {
            extra.conservative.conservative_rasterization_mode = vk::ConservativeRasterizationModeEXT::OVERESTIMATE;
            raster = raster.push_next(&mut extra.conservative);
        }
        if self.lines != Lines::default() {
            extra.lines.line_rasterization_mode = self.lines.mode;
            raster = raster.push_next(&mut extra.lines);
        }
        if let Some(stream @ 1..) = self.stream {
            extra.stream.rasterization_stream = stream;
            raster = raster.push_next(&mut extra.stream);
        }
        raster
    }
}

fn depth_stencil(
    desc: &D3D12_DEPTH_STENCIL_DESC2,
    formats: &Formats,
) -> Result<vk::PipelineDepthStencilStateCreateInfo<'static>> {
    let mut state = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_bounds_test_enable(desc.DepthBoundsTestEnable != 0)
        .max_depth_bounds(1.0);
    if desc.DepthEnable != 0 && formats.depth != vk::Format::UNDEFINED {
        state = state
            .depth_test_enable(true)
            .depth_write_enable(desc.DepthWriteMask.0 != 0)
            .depth_compare_op(state::compare(desc.DepthFunc)?);
    }
    if desc.StencilEnable != 0 && formats.stencil != vk::Format::UNDEFINED {
        state = state
            .stencil_test_enable(true)
            .front(state::stencil_face(&desc.FrontFace)?)
            .back(state::stencil_face(&desc.BackFace)?);
    }
    Ok(state)
}
