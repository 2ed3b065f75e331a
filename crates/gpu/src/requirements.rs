//! Extensions and features that this crate wants from Vulkan: one row each, required or not.
//!
//! Only what a row names is switched on. Everything that depends on a feature asks [`crate::caps::Caps`], never Vulkan.

use core::ffi::{CStr, c_void};
use core::ptr::null_mut;

use crate::error::{Error, Result};
use crate::instance::Instance;
use crate::settings::Addresses;
use crate::vulkan as vk;

macro_rules! extensions {
    ($($field:ident $name:literal $required:literal $why:literal;)*) => {
        /// Extensions that the device has and that are switched on.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Enabled {
            $(#[doc = $why] pub $field: bool,)*
        }

        type ExtensionRow = (&'static CStr, bool, fn(&mut Enabled) -> &mut bool);

        const EXTENSIONS: &[ExtensionRow] = &[$(($name, $required, |enabled| &mut enabled.$field),)*];
    };
}

extensions! {
    robustness2 c"VK_EXT_robustness2" true "Null descriptors, and reads outside of buffers give zero.";
    mutable_descriptors c"VK_EXT_mutable_descriptor_type" false "One bindless set for all views in place of one per type.";
    descriptor_buffer c"VK_EXT_descriptor_buffer" false "Descriptors as bytes in memory.";
    swapchain c"VK_KHR_swapchain" false "Images for the screen.";
    hdr_metadata c"VK_EXT_hdr_metadata" false "Displays are told how bright frames are.";
    push_descriptor c"VK_KHR_push_descriptor" false "Descriptors in the command stream.";
    maintenance5 c"VK_KHR_maintenance5" false "Index buffers with sizes, A8.";
    maintenance6 c"VK_KHR_maintenance6" false "Null index buffers.";
    maintenance8 c"VK_KHR_maintenance8" false "Offsets of texture reads that shaders compute.";
    divisor c"VK_EXT_vertex_attribute_divisor" true "Instance step rates other than one.";
    transform_feedback c"VK_EXT_transform_feedback" false "Stream output.";
    generated_commands c"VK_EXT_device_generated_commands" false "Indirect commands that change state.";
    conditional_rendering c"VK_EXT_conditional_rendering" false "Predication.";
    depth_clip c"VK_EXT_depth_clip_enable" false "Clipping apart from clamping.";
    border_color c"VK_EXT_custom_border_color" false "Any border colour.";
    stencil_export c"VK_EXT_shader_stencil_export" false "Stencil values from shaders.";
    dynamic_state2 c"VK_EXT_extended_dynamic_state2" false "Control points of a patch from the list.";
    dynamic_state3 c"VK_EXT_extended_dynamic_state3" false "More dynamic state.";
    conservative c"VK_EXT_conservative_rasterization" false "Conservative rasterisation.";
    depth_bias_control c"VK_EXT_depth_bias_control" false "Depth bias in steps of a format.";
    line_rasterization c"VK_EXT_line_rasterization" false "Lines as rectangles or by Bresenham.";
    unused_attachments c"VK_EXT_dynamic_rendering_unused_attachments" false "Null targets where a pipeline has formats.";
    vertex_input c"VK_EXT_vertex_input_dynamic_state" false "What legacy vertex attributes ask for; nothing of it is used.";
    legacy_vertices c"VK_EXT_legacy_vertex_attributes" false "Components of vertices that begin within others.";
    list_restart c"VK_EXT_primitive_topology_list_restart" false "Indices that end primitives of lists.";
    min_lod c"VK_EXT_image_view_min_lod" false "Views that clamp their levels.";
    sliced c"VK_EXT_image_sliced_view_of_3d" false "Views of some slices of a volume.";
    calibrated_timestamps c"VK_EXT_calibrated_timestamps" false "GPU and CPU clocks side by side.";
    host_memory c"VK_EXT_external_memory_host" false "Memory of the program as a heap.";
    memory_files c"VK_KHR_external_memory_fd" false "Memory that other processes open by a file descriptor.";
    memory_budget c"VK_EXT_memory_budget" false "How much memory is left.";
    viewport_layer c"VK_EXT_shader_viewport_index_layer" false "Layers and viewports from any stage.";
    interlock c"VK_EXT_fragment_shader_interlock" false "Ordered access in pixel shaders.";
    barycentric c"VK_KHR_fragment_shader_barycentric" false "Barycentric coordinates.";
    shading_rate c"VK_KHR_fragment_shading_rate" false "Pixels that are shaded together.";
    sample_locations c"VK_EXT_sample_locations" false "Samples where a list puts them.";
    mesh_shader c"VK_EXT_mesh_shader" false "Mesh and amplification shaders.";
    compute_derivatives c"VK_KHR_compute_shader_derivatives" false "Derivatives in compute shaders.";
    derivatives_nv c"VK_NV_compute_shader_derivatives" false "The same, under the name that an older Wine knows.";
    reconvergence c"VK_KHR_shader_maximal_reconvergence" false "Lanes come together as the source says.";
    quad_control c"VK_KHR_shader_quad_control" false "Quad operations where lanes diverge.";
    unified_layouts c"VK_KHR_unified_image_layouts" false "Images may stay in one layout at no cost.";
    deferred_operations c"VK_KHR_deferred_host_operations" false "What acceleration structures ask for; nothing is deferred.";
    acceleration c"VK_KHR_acceleration_structure" false "Acceleration structures of ray tracing.";
    ray_maintenance c"VK_KHR_ray_tracing_maintenance1" false "Sizes of acceleration structures, and what their serialised form names.";
    ray_query c"VK_KHR_ray_query" false "Rays traced within shaders of every stage.";
    pipeline_library c"VK_KHR_pipeline_library" false "Pipelines that are parts of others.";
    ray_pipeline c"VK_KHR_ray_tracing_pipeline" false "Ray tracing with shaders of its own.";
    group_handles c"VK_EXT_pipeline_library_group_handles" false "Shaders of a pipeline keep their handles in pipelines that it is part of.";
    micromaps c"VK_EXT_opacity_micromap" false "Opacity within triangles that rays are traced through.";
    index_bytes c"VK_EXT_index_type_uint8" false "Indices of one byte, for micromaps.";
    image_atomics c"VK_EXT_shader_image_atomic_int64" false "64-bit atomics on texels.";
    processors c"VK_NV_shader_sm_builtins" false "How many processors run shaders.";
    buffer_marker c"VK_AMD_buffer_marker" false "Words that say how far the GPU is, without a barrier.";
    executables c"VK_KHR_pipeline_executable_properties" false "What drivers say of a pipeline's shaders.";
    device_fault c"VK_EXT_device_fault" false "What a driver says of a fault once the device is lost.";
    performance_query c"VK_KHR_performance_query" false "Counters of the driver, for processes that ask for them.";
    raw_access_chains c"VK_NV_raw_access_chains" false "Raw buffers addressed in bytes, checked by component.";
}

macro_rules! features {
    ($($field:ident: $ty:ident, $extension:expr;)*) => {
        /// Vulkan's feature structures, those of Vulkan 1.3 and of the extensions above.
        #[derive(Clone, Default)]
        #[allow(missing_docs, reason = "named and explained by Vulkan")]
        pub struct Features {
            pub base: vk::PhysicalDeviceFeatures,
            $(pub $field: vk::$ty<'static>,)*
        }

        impl Features {
            /// Calls `with` with the head of a chain of the structures that exist on this device.
            pub fn chained<T>(&mut self, enabled: &Enabled, with: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> T) -> T {
                let next = self.link(enabled);
                let mut head = vk::PhysicalDeviceFeatures2 { features: self.base, p_next: next, ..Default::default() };
                let result = with(&mut head);
                self.base = head.features;
                // The chain ends with the borrow that it was made from.
                $(self.$field.p_next = null_mut();)*
                result
            }

            /// Chains the structures that exist on this device, and gives the first. The chain holds until they move.
            fn link(&mut self, enabled: &Enabled) -> *mut c_void {
                let mut next: *mut c_void = null_mut();
                $(
                    let present: fn(&Enabled) -> bool = $extension;
                    if present(enabled) {
                        self.$field.p_next = next;
                        next = (&raw mut self.$field).cast();
                    }
                )*
                next
            }
        }
    };
}

/// Features as a chain that stays in its place, for whoever keeps its address.
pub struct Chain {
    head: Box<vk::PhysicalDeviceFeatures2<'static>>,
    #[allow(dead_code, reason = "the chain's structures, held until dropped")]
    structures: Box<Features>,
}

// SAFETY: plain data, and pointers to what the value itself owns.
unsafe impl Send for Chain {}
// SAFETY: plain data that nobody changes once it is made, and pointers to what the value itself owns.
unsafe impl Sync for Chain {}

impl core::fmt::Debug for Chain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Chain({:p})", self.head())
    }
}

impl Chain {
    /// The features that are switched on, in the structures that exist on this device.
    pub fn new(features: &Features, enabled: &Enabled) -> Chain {
        let mut structures = Box::new(features.clone());
        let p_next = structures.link(enabled);
        let features = structures.base;
        Chain { head: Box::new(vk::PhysicalDeviceFeatures2 { features, p_next, ..Default::default() }), structures }
    }

    /// The first structure.
    pub fn head(&self) -> *const vk::PhysicalDeviceFeatures2<'static> {
        &raw const *self.head
    }
}

features! {
    v11: PhysicalDeviceVulkan11Features, |_| true;
    v12: PhysicalDeviceVulkan12Features, |_| true;
    v13: PhysicalDeviceVulkan13Features, |_| true;
    robustness2: PhysicalDeviceRobustness2FeaturesEXT, |has| has.robustness2;
    mutable: PhysicalDeviceMutableDescriptorTypeFeaturesEXT, |has| has.mutable_descriptors;
    descriptor_buffer: PhysicalDeviceDescriptorBufferFeaturesEXT, |has| has.descriptor_buffer;
    maintenance5: PhysicalDeviceMaintenance5FeaturesKHR, |has| has.maintenance5;
    maintenance6: PhysicalDeviceMaintenance6FeaturesKHR, |has| has.maintenance6;
    maintenance8: PhysicalDeviceMaintenance8FeaturesKHR, |has| has.maintenance8;
    divisor: PhysicalDeviceVertexAttributeDivisorFeaturesEXT, |has| has.divisor;
    transform_feedback: PhysicalDeviceTransformFeedbackFeaturesEXT, |has| has.transform_feedback;
    generated: PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT, |has| has.generated_commands;
    conditional: PhysicalDeviceConditionalRenderingFeaturesEXT, |has| has.conditional_rendering;
    depth_clip: PhysicalDeviceDepthClipEnableFeaturesEXT, |has| has.depth_clip;
    border_color: PhysicalDeviceCustomBorderColorFeaturesEXT, |has| has.border_color;
    dynamic_state2: PhysicalDeviceExtendedDynamicState2FeaturesEXT, |has| has.dynamic_state2;
    dynamic_state3: PhysicalDeviceExtendedDynamicState3FeaturesEXT, |has| has.dynamic_state3;
    bias_control: PhysicalDeviceDepthBiasControlFeaturesEXT, |has| has.depth_bias_control;
    lines: PhysicalDeviceLineRasterizationFeaturesEXT, |has| has.line_rasterization;
    unused: PhysicalDeviceDynamicRenderingUnusedAttachmentsFeaturesEXT, |has| has.unused_attachments;
    legacy_vertices: PhysicalDeviceLegacyVertexAttributesFeaturesEXT, |has| has.legacy_vertices;
    list_restart: PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT, |has| has.list_restart;
    min_lod: PhysicalDeviceImageViewMinLodFeaturesEXT, |has| has.min_lod;
    sliced: PhysicalDeviceImageSlicedViewOf3DFeaturesEXT, |has| has.sliced;
    interlock: PhysicalDeviceFragmentShaderInterlockFeaturesEXT, |has| has.interlock;
    barycentric: PhysicalDeviceFragmentShaderBarycentricFeaturesKHR, |has| has.barycentric;
    rates: PhysicalDeviceFragmentShadingRateFeaturesKHR, |has| has.shading_rate;
    mesh: PhysicalDeviceMeshShaderFeaturesEXT, |has| has.mesh_shader;
    // The extension's structure is the one that NVIDIA's had.
    derivatives: PhysicalDeviceComputeShaderDerivativesFeaturesNV, |has| has.compute_derivatives || has.derivatives_nv;
    reconvergence: PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR, |has| has.reconvergence;
    quads: PhysicalDeviceShaderQuadControlFeaturesKHR, |has| has.quad_control;
    layouts: PhysicalDeviceUnifiedImageLayoutsFeaturesKHR, |has| has.unified_layouts;
    acceleration: PhysicalDeviceAccelerationStructureFeaturesKHR, |has| has.acceleration;
    ray_maintenance: PhysicalDeviceRayTracingMaintenance1FeaturesKHR, |has| has.ray_maintenance;
    ray_query: PhysicalDeviceRayQueryFeaturesKHR, |has| has.ray_query;
    ray_pipeline: PhysicalDeviceRayTracingPipelineFeaturesKHR, |has| has.ray_pipeline;
    group_handles: PhysicalDevicePipelineLibraryGroupHandlesFeaturesEXT, |has| has.group_handles;
    micromaps: PhysicalDeviceOpacityMicromapFeaturesEXT, |has| has.micromaps;
    index_bytes: PhysicalDeviceIndexTypeUint8FeaturesEXT, |has| has.index_bytes;
    image_atomics: PhysicalDeviceShaderImageAtomicInt64FeaturesEXT, |has| has.image_atomics;
    executables: PhysicalDevicePipelineExecutablePropertiesFeaturesKHR, |has| has.executables;
    fault: PhysicalDeviceFaultFeaturesEXT, |has| has.device_fault;
    counters: PhysicalDevicePerformanceQueryFeaturesKHR, |has| has.performance_query;
    raw_access: PhysicalDeviceRawAccessChainsFeaturesNV, |has| has.raw_access_chains;
}

type FeatureRow = (&'static str, bool, fn(&mut Features) -> &mut vk::Bool32);

macro_rules! rows {
    ($($required:literal $part:ident . $feature:ident;)*) => {
        &[$((stringify!($feature), $required, |features| &mut features.$part.$feature),)*]
    };
}

/// Features: required or not, and where they are.
const FEATURES: &[FeatureRow] = rows! {
    true base.robust_buffer_access;
    true base.full_draw_index_uint32;
    true base.image_cube_array;
    true base.independent_blend;
    true base.sample_rate_shading;
    true base.multi_draw_indirect;
    true base.draw_indirect_first_instance;
    true base.depth_clamp;
    true base.depth_bias_clamp;
    true base.fill_mode_non_solid;
    true base.multi_viewport;
    true base.sampler_anisotropy;
    true base.occlusion_query_precise;
    true base.vertex_pipeline_stores_and_atomics;
    true base.fragment_stores_and_atomics;
    true base.shader_image_gather_extended;
    true base.shader_storage_image_extended_formats;
    true base.shader_storage_image_write_without_format;
    true base.shader_clip_distance;
    true base.shader_cull_distance;
    false base.geometry_shader;
    false base.tessellation_shader;
    false base.dual_src_blend;
    false base.logic_op;
    false base.depth_bounds;
    false base.wide_lines;
    false base.alpha_to_one;
    false base.texture_compression_bc;
    false base.pipeline_statistics_query;
    false base.shader_storage_image_multisample;
    false base.shader_storage_image_read_without_format;
    false base.shader_uniform_buffer_array_dynamic_indexing;
    false base.shader_sampled_image_array_dynamic_indexing;
    false base.shader_storage_buffer_array_dynamic_indexing;
    false base.shader_storage_image_array_dynamic_indexing;
    false base.shader_float64;
    false base.shader_int64;
    false base.shader_int16;
    false base.shader_resource_residency;
    false base.shader_resource_min_lod;
    false base.sparse_binding;
    false base.sparse_residency_buffer;
    false base.sparse_residency_image2_d;
    false base.sparse_residency_image3_d;
    false base.sparse_residency_aliased;
    false v11.storage_buffer16_bit_access;
    false v11.uniform_and_storage_buffer16_bit_access;
    false v11.storage_push_constant16;
    false v11.storage_input_output16;
    false v11.multiview;
    true v11.shader_draw_parameters;
    true v12.sampler_mirror_clamp_to_edge;
    false v12.draw_indirect_count;
    false v12.storage_buffer8_bit_access;
    false v12.uniform_and_storage_buffer8_bit_access;
    false v12.shader_buffer_int64_atomics;
    false v12.shader_shared_int64_atomics;
    false v12.shader_float16;
    false v12.shader_int8;
    true v12.descriptor_indexing;
    true v12.shader_uniform_texel_buffer_array_dynamic_indexing;
    true v12.shader_storage_texel_buffer_array_dynamic_indexing;
    true v12.shader_uniform_buffer_array_non_uniform_indexing;
    true v12.shader_sampled_image_array_non_uniform_indexing;
    true v12.shader_storage_buffer_array_non_uniform_indexing;
    true v12.shader_storage_image_array_non_uniform_indexing;
    true v12.shader_uniform_texel_buffer_array_non_uniform_indexing;
    true v12.shader_storage_texel_buffer_array_non_uniform_indexing;
    true v12.descriptor_binding_uniform_buffer_update_after_bind;
    true v12.descriptor_binding_sampled_image_update_after_bind;
    true v12.descriptor_binding_storage_image_update_after_bind;
    true v12.descriptor_binding_storage_buffer_update_after_bind;
    true v12.descriptor_binding_uniform_texel_buffer_update_after_bind;
    true v12.descriptor_binding_storage_texel_buffer_update_after_bind;
    true v12.descriptor_binding_update_unused_while_pending;
    true v12.descriptor_binding_partially_bound;
    true v12.descriptor_binding_variable_descriptor_count;
    true v12.runtime_descriptor_array;
    false v12.sampler_filter_minmax;
    true v12.scalar_block_layout;
    true v12.uniform_buffer_standard_layout;
    false v12.shader_subgroup_extended_types;
    true v12.host_query_reset;
    true v12.timeline_semaphore;
    true v12.buffer_device_address;
    false v12.buffer_device_address_capture_replay;
    false v12.vulkan_memory_model;
    false v12.vulkan_memory_model_device_scope;
    false v12.shader_output_viewport_index;
    false v12.shader_output_layer;
    false v12.separate_depth_stencil_layouts;
    true v13.robust_image_access;
    true v13.shader_demote_to_helper_invocation;
    true v13.subgroup_size_control;
    false v13.compute_full_subgroups;
    true v13.synchronization2;
    false v13.texture_compression_astc_hdr;
    true v13.shader_zero_initialize_workgroup_memory;
    true v13.dynamic_rendering;
    false v13.shader_integer_dot_product;
    true v13.maintenance4;
    true robustness2.robust_buffer_access2;
    true robustness2.robust_image_access2;
    true robustness2.null_descriptor;
    false mutable.mutable_descriptor_type;
    false descriptor_buffer.descriptor_buffer;
    false descriptor_buffer.descriptor_buffer_push_descriptors;
    false maintenance5.maintenance5;
    false maintenance6.maintenance6;
    false maintenance8.maintenance8;
    true divisor.vertex_attribute_instance_rate_divisor;
    false divisor.vertex_attribute_instance_rate_zero_divisor;
    false transform_feedback.transform_feedback;
    false transform_feedback.geometry_streams;
    false generated.device_generated_commands;
    false generated.dynamic_generated_pipeline_layout;
    false conditional.conditional_rendering;
    false depth_clip.depth_clip_enable;
    false border_color.custom_border_colors;
    false border_color.custom_border_color_without_format;
    false dynamic_state2.extended_dynamic_state2_patch_control_points;
    false dynamic_state3.extended_dynamic_state3_rasterization_samples;
    false dynamic_state3.extended_dynamic_state3_sample_mask;
    false bias_control.depth_bias_control;
    false bias_control.least_representable_value_force_unorm_representation;
    false bias_control.depth_bias_exact;
    false lines.rectangular_lines;
    false lines.bresenham_lines;
    false lines.smooth_lines;
    false unused.dynamic_rendering_unused_attachments;
    false legacy_vertices.legacy_vertex_attributes;
    false list_restart.primitive_topology_list_restart;
    false list_restart.primitive_topology_patch_list_restart;
    false min_lod.min_lod;
    false sliced.image_sliced_view_of3_d;
    false interlock.fragment_shader_pixel_interlock;
    false interlock.fragment_shader_sample_interlock;
    false barycentric.fragment_shader_barycentric;
    false rates.pipeline_fragment_shading_rate;
    false rates.primitive_fragment_shading_rate;
    false rates.attachment_fragment_shading_rate;
    false mesh.task_shader;
    false mesh.mesh_shader;
    false mesh.mesh_shader_queries;
    false mesh.primitive_fragment_shading_rate_mesh_shader;
    false derivatives.compute_derivative_group_quads;
    false derivatives.compute_derivative_group_linear;
    false reconvergence.shader_maximal_reconvergence;
    false quads.shader_quad_control;
    false layouts.unified_image_layouts;
    false acceleration.acceleration_structure;
    false ray_maintenance.ray_tracing_maintenance1;
    false ray_query.ray_query;
    false ray_maintenance.ray_tracing_pipeline_trace_rays_indirect2;
    false ray_pipeline.ray_tracing_pipeline;
    false ray_pipeline.ray_tracing_pipeline_trace_rays_indirect;
    false ray_pipeline.ray_tracing_pipeline_shader_group_handle_capture_replay;
    false ray_pipeline.ray_tracing_pipeline_shader_group_handle_capture_replay_mixed;
    false ray_pipeline.ray_traversal_primitive_culling;
    false group_handles.pipeline_library_group_handles;
    false micromaps.micromap;
    false index_bytes.index_type_uint8;
    false image_atomics.shader_image_int64_atomics;
    false image_atomics.sparse_image_int64_atomics;
    false executables.pipeline_executable_info;
    false fault.device_fault;
    false fault.device_fault_vendor_binary;
    false counters.performance_counter_query_pools;
    false counters.performance_counter_multiple_query_pools;
    false raw_access.shader_raw_access_chains;
};

/// What the device offers of the tables, or the names of what it lacks of the required rows.
pub(crate) fn choose(
    instance: &Instance,
    physical: vk::PhysicalDevice,
) -> Result<(Enabled, Vec<&'static CStr>, Features)> {
    let (addresses, dumps) = (instance.settings.addresses, instance.settings.fault_dumps);
    let unwanted = [
        instance.settings.no_generated_commands.then_some(c"VK_EXT_device_generated_commands"),
        // Drivers may work otherwise with it.
        instance.settings.counters.is_empty().then_some(ash::khr::performance_query::NAME),
    ];
    let (validation, instance) = (&instance.validation, &instance.instance);
    // SAFETY: the instance and its devices live.
    let there = unsafe { instance.enumerate_device_extension_properties(physical) }
        .map_err(|error| Error::Vulkan("vkEnumerateDeviceExtensionProperties", error))?;
    let mut missing: Vec<String> = Vec::new();
    let (mut enabled, mut names) = (Enabled::default(), Vec::new());
    for (name, required, flag) in EXTENSIONS {
        let known = validation.as_ref().is_none_or(|layer| layer.knows(name));
        if known
            && !unwanted.contains(&Some(*name))
            && there.iter().any(|row| row.extension_name_as_c_str() == Ok(name))
        {
            *flag(&mut enabled) = true;
            names.push(*name);
        } else if *required {
            missing.push(name.to_string_lossy().into_owned());
        }
    }
    let mut offered = Features::default();
    offered.chained(&enabled, |head| {
        // SAFETY: the chain holds structures of extensions that the device has.
        unsafe { instance.get_physical_device_features2(physical, head) }
    });
    let mut wanted = Features::default();
    for (name, required, field) in FEATURES {
        let has = *field(&mut offered) != 0;
        *field(&mut wanted) = has.into();
        if *required && !has {
            missing.push((*name).to_owned());
        }
    }
    if addresses == Addresses::Any {
        // Drivers may serve other addresses worse with it.
        wanted.v12.buffer_device_address_capture_replay = 0;
        let rays = &mut wanted.ray_pipeline;
        rays.ray_tracing_pipeline_shader_group_handle_capture_replay = 0;
        rays.ray_tracing_pipeline_shader_group_handle_capture_replay_mixed = 0;
    }
    if !dumps {
        // Drivers may need more memory with it.
        wanted.fault.device_fault_vendor_binary = 0;
    }
    if missing.is_empty() {
        Ok((enabled, names, wanted))
    } else {
        Err(Error::Device(format!(
            "the Vulkan device lacks {}: the driver is too old, or the GPU cannot do it (lavapipe can with Mesa of bookworm-backports, not with \
             Debian 12's own)",
            missing.join(", ")
        )))
    }
}
