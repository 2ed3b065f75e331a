//! What a device can do: limits, switched-on features, memory.

use crate::architecture::{self, Architecture};
use crate::instance::Instance;
use crate::positions::Positions;
use crate::rates::Rates;
use crate::requirements::{Enabled, Features};
use crate::rules::{self, Rule};
use crate::vulkan as vk;

/// Vulkan's format of texels that are one integer of 64 bits.
pub const WIDE: vk::Format = vk::Format::R64_UINT;

/// Views of 64-bit texels for atomics on a device, of textures and of buffers each, with the null view. The views of a heap leave room
/// for so many below the limits of devices (48,576 of 1,048,576 images on NVIDIA's driver).
pub const WIDE_SLOTS: u32 = 16384;

/// Stages of ray tracing pipelines.
pub const RAYS: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::RAYGEN_KHR.as_raw()
        | vk::ShaderStageFlags::ANY_HIT_KHR.as_raw()
        | vk::ShaderStageFlags::CLOSEST_HIT_KHR.as_raw()
        | vk::ShaderStageFlags::MISS_KHR.as_raw()
        | vk::ShaderStageFlags::INTERSECTION_KHR.as_raw()
        | vk::ShaderStageFlags::CALLABLE_KHR.as_raw(),
);

/// Decided once, when the device is made.
pub struct Caps {
    /// The Vulkan device's name.
    pub name: String,
    /// Its vendor.
    pub vendor: u32,
    /// Its driver.
    pub driver: vk::DriverId,
    /// What is known of this driver's release beside what it says.
    pub rules: Vec<&'static Rule>,
    /// Whether it is the CPU.
    pub software: bool,
    /// Names the driver's version and this runtime's, for what is kept of one process for another.
    pub identity: [u8; 16],
    /// Limits and the like.
    pub limits: vk::PhysicalDeviceLimits,
    /// How sparse resources are cut.
    pub sparse: vk::PhysicalDeviceSparseProperties,
    /// Of Vulkan 1.1.
    pub v11: vk::PhysicalDeviceVulkan11Properties<'static>,
    /// Of Vulkan 1.2: descriptor limits, denormals, resolve modes.
    pub v12: vk::PhysicalDeviceVulkan12Properties<'static>,
    /// Of Vulkan 1.3: subgroup sizes, texel buffer alignments.
    pub v13: vk::PhysicalDeviceVulkan13Properties<'static>,
    /// How exact robust buffer access is.
    pub robustness2: vk::PhysicalDeviceRobustness2PropertiesEXT<'static>,
    /// Whether a list may draw any topology with any pipeline, whatever its type.
    pub any_topology: bool,
    /// How exact conservative rasterisation is; zero without the extension.
    pub conservative: vk::PhysicalDeviceConservativeRasterizationPropertiesEXT<'static>,
    /// Limits of generated commands; zero without the extension.
    pub generated: vk::PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT<'static>,
    /// Limits of mesh and amplification shaders; zero without the extension.
    pub mesh: vk::PhysicalDeviceMeshShaderPropertiesEXT<'static>,
    /// Whether amplification and mesh shaders have derivatives, as compute shaders do.
    pub mesh_derivatives: bool,
    /// Limits of ray tracing pipelines; zero without the extension.
    pub rays: vk::PhysicalDeviceRayTracingPipelinePropertiesKHR<'static>,
    /// How finely opacity micromaps divide triangles; zero without the extension.
    pub micromaps: vk::PhysicalDeviceOpacityMicromapPropertiesEXT<'static>,
    /// Shading rates.
    pub rates: Rates,
    /// Where samples can lie.
    pub positions: Positions,
    /// What memory that is imported begins and ends at multiples of; 0 without the extension.
    pub host_pages: u64,
    /// Sizes and limits of descriptors in memory; zero without the extension.
    pub descriptor_buffer: vk::PhysicalDeviceDescriptorBufferPropertiesEXT<'static>,
    /// Memory types and heaps.
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// Extensions that are switched on.
    pub extensions: Enabled,
    /// Features that are switched on.
    pub features: Features,
    /// Who shares the memory.
    pub architecture: Architecture,
    /// Lanes of all processors that run at the same time; 0 where Vulkan does not say.
    pub lanes: u32,
    /// What 64-bit integers in one component can be used for.
    pub wide_texels: vk::FormatProperties,
    /// Whether one memory type of the device serves buffers, textures and attachments alike.
    pub mixed_memory: bool,
}

// SAFETY: plain data; the structures' chains are null.
unsafe impl Send for Caps {}
// SAFETY: plain data that nobody changes once it is made; the structures' chains are null.
unsafe impl Sync for Caps {}

impl Caps {
    pub(crate) fn read(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        vk: &ash::Device,
        extensions: Enabled,
        features: Features,
    ) -> Caps {
        let rates = Rates::read(instance, physical, &extensions, &features.rates, &features.mesh);
        let positions = Positions::read(instance, physical, &extensions);
        let (settings, instance) = (&instance.settings, &instance.instance);
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
        let mut robustness2 = vk::PhysicalDeviceRobustness2PropertiesEXT::default();
        let mut generated = vk::PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT::default();
        let mut mesh = vk::PhysicalDeviceMeshShaderPropertiesEXT::default();
        let mut rays = vk::PhysicalDeviceRayTracingPipelinePropertiesKHR::default();
        let mut micromaps = vk::PhysicalDeviceOpacityMicromapPropertiesEXT::default();
        let mut dynamic = vk::PhysicalDeviceExtendedDynamicState3PropertiesEXT::default();
        let mut conservative = vk::PhysicalDeviceConservativeRasterizationPropertiesEXT::default();
        let mut derivatives = vk::PhysicalDeviceComputeShaderDerivativesPropertiesKHR::default();
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        let mut processors = vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV::default();
        let mut descriptor_buffer = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut v11)
            .push_next(&mut v12)
            .push_next(&mut v13)
            .push_next(&mut robustness2);
        if extensions.generated_commands {
            all = all.push_next(&mut generated);
        }
        if extensions.conservative {
            all = all.push_next(&mut conservative);
        }
        if extensions.dynamic_state3 {
            all = all.push_next(&mut dynamic);
        }
        if extensions.descriptor_buffer {
            all = all.push_next(&mut descriptor_buffer);
        }
        if extensions.mesh_shader {
            all = all.push_next(&mut mesh);
        }
        if extensions.compute_derivatives {
            all = all.push_next(&mut derivatives);
        }
        if extensions.ray_pipeline {
            all = all.push_next(&mut rays);
        }
        if extensions.micromaps {
            all = all.push_next(&mut micromaps);
        }
        if extensions.host_memory {
            all = all.push_next(&mut host);
        }
        if extensions.processors {
            all = all.push_next(&mut processors);
        }
        // SAFETY: the chain holds structures that the device knows.
        unsafe { instance.get_physical_device_properties2(physical, &mut all) };
        let properties = all.properties;
        let info = v12.driver_info_as_c_str().unwrap_or_default().to_string_lossy().into_owned();
        // SAFETY: the instance lives.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        // SAFETY: the instance lives.
        let wide_texels = unsafe { instance.get_physical_device_format_properties(physical, WIDE) };
        let end = core::ptr::null_mut();
        (v11.p_next, v12.p_next, v13.p_next, robustness2.p_next) = (end, end, end, end);
        (generated.p_next, descriptor_buffer.p_next, conservative.p_next, mesh.p_next) = (end, end, end, end);
        (rays.p_next, micromaps.p_next) = (end, end);
        Caps {
            name: properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned(),
            vendor: properties.vendor_id,
            driver: v12.driver_id,
            rules: rules::acting(v12.driver_id, &info, settings),
            software: properties.device_type == vk::PhysicalDeviceType::CPU,
            identity: identity(&properties),
            limits: properties.limits,
            sparse: properties.sparse_properties,
            v11,
            v12,
            v13,
            robustness2,
            any_topology: dynamic.dynamic_primitive_topology_unrestricted != 0,
            conservative,
            generated,
            mesh,
            mesh_derivatives: derivatives.mesh_and_task_shader_derivatives != 0,
            rays,
            micromaps,
            rates,
            positions,
            host_pages: host.min_imported_host_pointer_alignment,
            descriptor_buffer,
            memory,
            extensions,
            features,
            architecture: Architecture::of(&memory),
            wide_texels,
            // NVIDIA's processors have four parts, each of which runs one warp at a time (its white papers, since Maxwell).
            lanes: processors.shader_sm_count * 4 * v11.subgroup_size,
            mixed_memory: has_mixed_memory(vk, &memory),
        }
    }

    /// Stages that see descriptors: those that pipelines of this crate have. Mesa's lavapipe (25.0) writes beyond its state where a
    /// descriptor buffer's layout names stages that it does not know.
    pub(crate) fn stages(&self) -> vk::ShaderStageFlags {
        let always = vk::ShaderStageFlags::ALL_GRAPHICS | vk::ShaderStageFlags::COMPUTE;
        let meshes = match self.has_mesh_shaders() {
            true => vk::ShaderStageFlags::TASK_EXT | vk::ShaderStageFlags::MESH_EXT,
            false => vk::ShaderStageFlags::empty(),
        };
        let rays = if self.has_ray_pipelines() { RAYS } else { vk::ShaderStageFlags::empty() };
        always | meshes | rays
    }

    /// Whether shaders have 64-bit atomics on texels, of textures and of typed buffers, tiled ones included; and whether there is room
    /// for their descriptors.
    pub fn has_wide_texels(&self) -> bool {
        let features = &self.features;
        let (image, buffer) = (self.wide_texels.optimal_tiling_features, self.wide_texels.buffer_features);
        let images = vk::FormatFeatureFlags::STORAGE_IMAGE | vk::FormatFeatureFlags::STORAGE_IMAGE_ATOMIC;
        let texels = vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER | vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER_ATOMIC;
        let tiled =
            features.base.sparse_residency_image2_d == 0 || features.image_atomics.sparse_image_int64_atomics != 0;
        let v12 = &self.v12;
        let most = v12
            .max_descriptor_set_update_after_bind_storage_images
            .min(v12.max_per_stage_descriptor_update_after_bind_storage_images);
        features.image_atomics.shader_image_int64_atomics != 0
            && features.base.shader_int64 != 0
            && tiled
            && image.contains(images)
            && buffer.contains(texels)
            && most >= 8 * WIDE_SLOTS
            // Views of each type, samplers, 64-bit texels, static samplers, root arguments.
            && self.limits.max_bound_descriptor_sets >= 10
    }

    /// Whether nodes of work graphs run: they compute addresses in 64 bits, push root arguments, and take records as waves.
    pub fn runs_nodes(&self) -> bool {
        let operations = vk::SubgroupFeatureFlags::BASIC
            | vk::SubgroupFeatureFlags::VOTE
            | vk::SubgroupFeatureFlags::BALLOT
            | vk::SubgroupFeatureFlags::ARITHMETIC;
        self.extensions.push_descriptor
            && self.features.base.shader_int64 != 0
            && self.features.v11.storage_buffer16_bit_access != 0
            && self.v11.subgroup_supported_operations.contains(operations)
            && self.v11.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
    }

    /// Whether the kernel that decompresses GDeflate runs: it writes bytes, which threads of a group show each other.
    pub fn inflates(&self) -> bool {
        self.features.v12.storage_buffer8_bit_access != 0 && self.features.v12.vulkan_memory_model != 0
    }

    /// Whether the process can map all memory of the device.
    pub fn maps_local_memory(&self) -> bool {
        architecture::maps_local_memory(&self.memory)
    }

    /// Whether allocations can be made at addresses that an earlier process had: the device was made so.
    pub fn repeats_addresses(&self) -> bool {
        self.features.v12.buffer_device_address_capture_replay != 0
    }

    /// Whether shader groups can have the handles that an earlier process had: the device was made so.
    pub fn repeats_groups(&self) -> bool {
        self.features.ray_pipeline.ray_tracing_pipeline_shader_group_handle_capture_replay != 0
    }

    /// Whether a rule acts here.
    fn acts(&self, rule: &'static Rule) -> bool {
        self.rules.iter().any(|other| core::ptr::eq(*other, rule))
    }

    /// The build of the driver.
    pub fn driver_build(&self) -> [u8; 16] {
        self.v11.driver_uuid
    }

    /// Whether memory is zero when the driver gives it, also where another allocation of this process had it before. Vulkan does
    /// not promise it. NVIDIA's driver does it, and other translation layers rely on that. Mesa's drivers do it for processes
    /// that they know by name.
    pub fn zeroes_memory(&self) -> bool {
        self.acts(&rules::ZEROED_MEMORY)
    }

    /// Whether a copy of an image's depth takes its stencil along, and the other way round (Mesa's lavapipe, 25.0).
    pub fn copies_aspects_together(&self) -> bool {
        self.acts(&rules::ASPECTS_TOGETHER)
    }

    /// How many of the smallest steps of a UNORM depth format a unit of depth bias is, where Vulkan is not told
    /// ([`vk::DepthBiasRepresentationInfoEXT`]): it leaves one to two to the driver, the API says one. Mesa's lavapipe (25.0) and NVIDIA's
    /// driver (580.159) take two.
    pub fn steps_of_bias(&self) -> f32 {
        if self.acts(&rules::TWO_STEPS_OF_BIAS) { 2.0 } else { 1.0 }
    }

    /// Whether a pipeline of one sample covers all samples of targets of several, by the middle of the pixel (Mesa's lavapipe, 25.0).
    pub fn covers_by_pipelines(&self) -> bool {
        self.acts(&rules::SAMPLES_OF_PIPELINES)
    }

    /// How many steps of a UNORM depth format the driver adds to a depth bias, away from zero (Mesa's lavapipe, 26.1), asked for exact
    /// ones or not.
    pub fn added_bias(&self) -> f32 {
        if self.acts(&rules::HALF_A_STEP_OF_BIAS) { 0.5 } else { 0.0 }
    }

    /// Whether the tiles of sparse images of blocks are stated in blocks, but bound and read in texels (Mesa's lavapipe, 25.0).
    pub fn says_tiles_in_blocks(&self) -> bool {
        self.acts(&rules::TILES_IN_BLOCKS)
    }

    /// Whether texel views of sparse buffers read 0 and lose stores (Mesa's lavapipe, 25.0; 26.1 is right).
    pub fn loses_texels_of_tiles(&self) -> bool {
        self.acts(&rules::TEXELS_OF_TILES)
    }

    /// Whether images may stay in one layout at no cost. Vulkan says so by a feature, which NVIDIA's driver has since 2025
    /// (Vulkan-Docs, issue 2543); versions of it before serve the same GPUs. The images of Mesa's software rasteriser are plain
    /// texels without anything beside them.
    pub fn has_free_layouts(&self) -> bool {
        self.features.layouts.unified_image_layouts != 0 || self.acts(&rules::FREE_LAYOUTS)
    }

    /// Whether shaders call functions whose addresses are in descriptors (Mesa's lavapipe): a texture read through a typed
    /// buffer's descriptor ends the process there. The driver has room for any number of descriptors in each set that it binds,
    /// whatever its limits say of all sets together.
    pub fn calls_through_descriptors(&self) -> bool {
        self.acts(&rules::DESCRIPTORS_ARE_CODE)
    }

    /// Whether textures that are no arrays are shown as arrays of one layer. The API lets shaders read views of one layer under
    /// either declaration, which Vulkan leaves undefined. NVIDIA's driver reads array views right under both, and other views
    /// under their own only.
    pub fn wants_array_views(&self) -> bool {
        self.acts(&rules::ARRAY_VIEWS)
    }

    /// Whether arrays of one layer are shown as textures that are no arrays: lavapipe reads these right under either declaration,
    /// and array views under their own only.
    pub fn wants_plain_views(&self) -> bool {
        self.acts(&rules::PLAIN_VIEWS)
    }

    /// Bytes that the beginnings of raw buffer descriptors are multiples of: a power of two from 2 to 256.
    ///
    /// NVIDIA's driver asks for 16 because of vectors of four words. The translator reads vectors only where the API aligns
    /// the view as well. So the smallest element of the API, 2 bytes, is enough there: no view needs an offset in shaders, and a
    /// view can be read by every declaration of its bytes.
    pub fn raw_alignment(&self) -> u32 {
        match self.acts(&rules::RAW_ALIGNMENT) {
            true => 2,
            false => self.limits.min_storage_buffer_offset_alignment.clamp(4, 256) as u32,
        }
    }

    /// Whether pieces of sparse buffers lie in memory of every type. The API allows tiles of upload heaps. NVIDIA's driver names its
    /// own memory only, and binds the other as well (580.159, seen with vkd3d-proton's conformance program).
    pub fn binds_buffers_to_any_memory(&self) -> bool {
        self.acts(&rules::ANY_MEMORY)
    }

    /// Whether the CPU sees what rendering leaves in images that lie in rows. On NVIDIA's driver 580.159 clears of single texels
    /// of such a target are not in the rows that the CPU reads; in other images the texels are right.
    pub fn shows_rendered_rows(&self) -> bool {
        !self.acts(&rules::RENDERED_ROWS)
    }

    /// Whether shaders can be told, type by type, what becomes of denormals. NVIDIA's driver keeps those of 16 and 64 bits
    /// without being told; told so, it keeps those of 32 bits, too, against the shader's word.
    pub fn separates_denormals(&self) -> bool {
        !self.acts(&rules::DENORMALS)
            && self.v12.denorm_behavior_independence != vk::ShaderFloatControlsIndependence::NONE
    }

    /// Whether point samplers take the texel that holds the coordinate, as Vulkan says. Mesa's drivers of hardware round the
    /// coordinate to 1/256 of a texel first, as the API's drivers for the same hardware do.
    pub fn samples_points_exactly(&self) -> bool {
        !self.acts(&rules::POINTS)
    }

    /// Whether the sampler says whether a read compares (Mesa's lavapipe, 25.0). Vulkan leaves it open; the API's
    /// instruction says whether it compares.
    pub fn compares_by_samplers(&self) -> bool {
        self.acts(&rules::COMPARING_SAMPLERS)
    }

    /// Whether nested loops that read buffers are to stay loops. lavapipe unrolls them where their iterations are known, and its compiler
    /// takes seconds for 64 iterations of four reads: five shaders of wonnx 0.5.1 took 8.9 s of processor time, and 1.0 s as loops.
    pub fn keeps_loops(&self) -> bool {
        self.acts(&rules::UNROLLED_LOOPS)
    }

    /// How many descriptors a call may push: lavapipe maps memory for each until the list is done, and a process has room for some ten
    /// thousands.
    pub fn pushes_at_most(&self) -> u32 {
        if self.driver == vk::DriverId::MESA_LLVMPIPE { 1 << 15 } else { u32::MAX }
    }

    /// Whether stores of mesh shaders to single components of what they give are lost (Mesa's lavapipe, 25.0).
    pub fn loses_parts_of_mesh_outputs(&self) -> bool {
        self.acts(&rules::MESH_OUTPUTS)
    }

    /// Whether pixels of a quad stay together, helper lanes included, wherever the whole quad goes one way. Vulkan says so by a
    /// feature. Mesa's lavapipe runs a quad as neighbouring lanes of one vector, and only masks what they store.
    pub fn keeps_quads_together(&self) -> bool {
        self.features.quads.shader_quad_control != 0 || self.acts(&rules::QUADS)
    }

    /// Whether compute shaders can have derivatives. Vulkan says so by a feature. The translator makes them of differences between lanes
    /// where lanes are known to be threads in a row, as Mesa's lavapipe has them.
    pub fn has_compute_derivatives(&self) -> bool {
        self.features.derivatives.compute_derivative_group_linear != 0 || self.acts(&rules::ROWS_OF_LANES)
    }

    /// Whether shaders may compute the offsets of texture reads. Vulkan says so by a feature; Mesa's lavapipe adds any number.
    pub fn reads_at_computed_offsets(&self) -> bool {
        self.features.maintenance8.maintenance8 != 0 || self.acts(&rules::COMPUTED_OFFSETS)
    }

    /// Whether lanes that have parted come together again where the source says. Vulkan says so by a feature. Mesa's lavapipe has a mask of
    /// lanes, which is as it was behind each branch and loop.
    pub fn reconverges(&self) -> bool {
        self.features.reconvergence.shader_maximal_reconvergence != 0 || self.acts(&rules::RECONVERGENCE)
    }

    /// Whether more groups of a dispatch run than the limits say (Mesa's lavapipe, 25.0).
    pub fn runs_more_groups(&self) -> bool {
        self.acts(&rules::MORE_GROUPS)
    }

    /// Whether shaders compute with 16 bits, of floats and of integers, and keep both in buffers.
    pub fn computes_narrowly(&self) -> bool {
        self.features.base.shader_int16 != 0
            && self.features.v12.shader_float16 != 0
            && self.features.v11.storage_buffer16_bit_access != 0
            && self.features.v11.uniform_and_storage_buffer16_bit_access != 0
    }

    /// Whether mesh shaders end the process (Mesa's lavapipe, 26.1).
    pub(crate) fn breaks_mesh_shaders(&self) -> bool {
        self.acts(&rules::MESH_SHADERS)
    }

    /// Whether there are mesh and amplification shaders. The limits that Vulkan demands of both are at least those of the API.
    pub fn has_mesh_shaders(&self) -> bool {
        self.features.mesh.mesh_shader != 0 && self.features.mesh.task_shader != 0
    }

    /// Whether shaders of every stage trace rays inline.
    pub fn has_ray_queries(&self) -> bool {
        self.features.acceleration.acceleration_structure != 0 && self.features.ray_query.ray_query != 0
    }

    /// Whether shaders can give feedback of what they sample: they compute its bits as 64-bit integers, together in a wave.
    pub fn has_sampler_feedback(&self) -> bool {
        let features = &self.features;
        features.base.shader_int64 != 0
            && features.v12.shader_buffer_int64_atomics != 0
            && features.v12.shader_subgroup_extended_types != 0
            && self.extensions.push_descriptor
    }

    /// Whether there are ray tracing pipelines as the API has them: identifiers of shaders have 32 bytes (the API's
    /// `D3D12_SHADER_IDENTIFIER_SIZE_IN_BYTES`), tables begin at multiples of 64 and records of 32, and records have up to 4096 bytes.
    pub fn has_ray_pipelines(&self) -> bool {
        self.features.acceleration.acceleration_structure != 0
            && self.features.ray_pipeline.ray_tracing_pipeline != 0
            && self.extensions.pipeline_library
            && self.rays.shader_group_handle_size == 32
            && self.rays.shader_group_handle_alignment <= 32
            && self.rays.shader_group_base_alignment <= 64
            && self.rays.max_shader_group_stride >= 4096
    }

    /// Whether triangles of acceleration structures can have opacity micromaps.
    pub fn has_micromaps(&self) -> bool {
        self.features.acceleration.acceleration_structure != 0 && self.features.micromaps.micromap != 0
    }

    /// Whether micromaps divide triangles as finely as the API allows (`D3D12_RAYTRACING_OPACITY_MICROMAP_OC1_MAX_SUBDIVISION_LEVEL`
    /// is 12), and are named by indices of all the API's formats.
    pub fn has_all_of_micromaps(&self) -> bool {
        let levels =
            [self.micromaps.max_opacity2_state_subdivision_level, self.micromaps.max_opacity4_state_subdivision_level];
        self.has_micromaps()
            && self.features.index_bytes.index_type_uint8 != 0
            && levels.iter().all(|level| *level >= 12)
    }

    /// Whether shader groups keep their handles in pipelines that their library is part of. Vulkan says so by a feature; Mesa's lavapipe
    /// copies the handles.
    pub fn keeps_group_handles(&self) -> bool {
        self.features.group_handles.pipeline_library_group_handles != 0 || self.acts(&rules::GROUP_HANDLES)
    }

    /// Whether shaders see no push constants where a ray tracing pipeline has all of its ray generation shaders from libraries (Mesa's
    /// lavapipe, 25.0).
    pub fn links_without_push_constants(&self) -> bool {
        self.acts(&rules::LINKED_CONSTANTS)
    }

    /// How many bytes of root arguments of draws and dispatches lie in push constants: none where draws see others' (Mesa's lavapipe, 26.1).
    pub fn push_room(&self) -> u32 {
        if self.acts(&rules::LINEAR_CONSTANTS) { 0 } else { self.limits.max_push_constants_size }
    }

    /// Whether pipelines after one without colour attachments use the first attachment's state for all (Mesa's lavapipe, 25.0;
    /// `findings/lavapipe-no-attachments.sh`).
    pub fn pipelines_need_targets(&self) -> bool {
        self.acts(&rules::NO_TARGETS)
    }

    /// Whether stages that a pipeline has not miss push constants that are told before it draws (Mesa's lavapipe, 25.0;
    /// `findings/lavapipe-push-constants.sh`).
    pub fn absent_stages_miss_constants(&self) -> bool {
        self.acts(&rules::ABSENT_STAGES)
    }

    /// Whether dispatches of rays read all that they do from memory, tables included.
    pub fn traces_rays_indirectly(&self) -> bool {
        self.has_ray_pipelines() && self.features.ray_maintenance.ray_tracing_pipeline_trace_rays_indirect2 != 0
    }

    /// Whether rays can be traced behind a compute shader in one command buffer that has traced rays before. Mesa's lavapipe (25.0) crashes
    /// in the second dispatch of rays; that release applies predicates to rays itself, and 26.1 does not.
    pub fn traces_rays_after_compute(&self) -> bool {
        !self.acts(&rules::RAYS_AFTER_COMPUTE)
    }

    /// Whether the driver takes the size of an acceleration structure from Vulkan's object, not from what was built there (Mesa's
    /// lavapipe, 25.0). It answers questions about sizes so, and copies as many bytes.
    pub fn sizes_structures_by_objects(&self) -> bool {
        self.acts(&rules::STRUCTURE_SIZES)
    }

    /// Whether one mutable descriptor serves several types of views.
    pub fn mutable_descriptors(&self) -> bool {
        self.features.mutable.mutable_descriptor_type != 0
    }
}

/// Whether a descriptor set takes the memory that its layout has room for, whatever count is asked for (Mesa's lavapipe, 25.0).
pub(crate) fn takes_room_of_layouts(driver: vk::DriverId) -> bool {
    rules::ROOM_OF_LAYOUTS.is_of(driver)
}

fn identity(properties: &vk::PhysicalDeviceProperties) -> [u8; 16] {
    let numbers = [properties.vendor_id, properties.device_id, properties.driver_version];
    let mut bytes = properties.pipeline_cache_uuid.to_vec();
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(env!("CARGO_PKG_VERSION").as_bytes());
    xxhash_rust::xxh3::xxh3_128(&bytes).to_le_bytes()
}

/// Asks for the memory types of each kind of resource, without making one.
fn has_mixed_memory(vk: &ash::Device, memory: &vk::PhysicalDeviceMemoryProperties) -> bool {
    let buffer = vk::BufferCreateInfo::default()
        .size(1 << 16)
        .usage(vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    let mut requirements = vk::MemoryRequirements2::default();
    let question = vk::DeviceBufferMemoryRequirements::default().create_info(&buffer);
    // SAFETY: the device lives; Vulkan 1.3 has these queries.
    unsafe { vk.get_device_buffer_memory_requirements(&question, &mut requirements) };
    let mut types = requirements.memory_requirements.memory_type_bits;
    let sampled = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
    for (format, usage) in [
        (vk::Format::R8G8B8A8_UNORM, sampled),
        (vk::Format::R8G8B8A8_UNORM, sampled | vk::ImageUsageFlags::COLOR_ATTACHMENT),
        (vk::Format::D32_SFLOAT, sampled | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT),
    ] {
        let image = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: 64, height: 64, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let question = vk::DeviceImageMemoryRequirements::default().create_info(&image);
        // SAFETY: the device lives; Vulkan 1.3 has these queries.
        unsafe { vk.get_device_image_memory_requirements(&question, &mut requirements) };
        types &= requirements.memory_requirements.memory_type_bits;
    }
    memory.memory_types_as_slice().iter().enumerate().any(|(index, kind)| {
        types & (1 << index) != 0 && kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
    })
}
