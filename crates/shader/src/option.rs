//! The translator's options: each is set here, from one table, and nowhere else.

use core::ffi::c_int;

use dxil_spirv_sys as sys;

use crate::views::{SET, VIEWPORTS};
use crate::{Interface, Link, Target, TranslateError};

/// Gives one option to the converter. All option structures begin with their number.
macro_rules! options {
    ($converter:expr; $($([if $condition:expr])? $kind:ident, $structure:ident { $($field:ident: $value:expr),* $(,)? };)*) => {
        $(
            if true $(&& $condition)? {
                let option = sys::$structure {
                    base: sys::dxil_spv_option_base { type_: sys::$kind },
                    $($field: $value),*
                };
                // SAFETY: the converter is alive, and the structure is the one of its number.
                let code = unsafe { sys::dxil_spv_converter_add_option($converter, &raw const option.base) };
                check(code, stringify!($structure))?;
            }
        )*
    };
}

fn check(code: c_int, option: &str) -> Result<(), TranslateError> {
    if code == sys::dxil_spv_result_DXIL_SPV_SUCCESS {
        return Ok(());
    }
    Err(TranslateError::Rejected { step: "setting an option", code, log: option.to_owned() })
}

/// Sets all options. What `link` and `interface` hold must outlive the conversion: swizzles are kept as a pointer.
///
/// # Errors
/// When the translator does not know an option.
pub(crate) fn apply(
    converter: sys::dxil_spv_converter,
    interface: &Interface,
    link: &Link,
    target: &Target,
) -> Result<(), TranslateError> {
    let (overflow, local) = (interface.overflow.unwrap_or_default(), link.local.as_ref());
    let views = link.views;
    let viewports = views.is_some_and(|views| views.viewports);
    options! { converter;
        dxil_spv_option_DXIL_SPV_OPTION_SHADER_DEMOTE_TO_HELPER, dxil_spv_option_shader_demote_to_helper { supported: 1 };
        [if link.dual_source]
        dxil_spv_option_DXIL_SPV_OPTION_DUAL_SOURCE_BLENDING, dxil_spv_option_dual_source_blending { enabled: 1 };
        [if !link.swizzles.is_empty()]
        dxil_spv_option_DXIL_SPV_OPTION_OUTPUT_SWIZZLE, dxil_spv_option_output_swizzle {
            swizzles: link.swizzles.as_ptr(), swizzle_count: link.swizzles.len() as u32,
        };
        [if link.samples != 0]
        dxil_spv_option_DXIL_SPV_OPTION_RASTERIZER_SAMPLE_COUNT, dxil_spv_option_rasterizer_sample_count {
            sample_count: link.samples, spec_constant: 0,
        };
        // Views and layers come from a buffer, see `views`.
        [if views.is_some()]
        dxil_spv_option_DXIL_SPV_OPTION_VIEW_INSTANCING, dxil_spv_option_view_instancing {
            enabled: 1, last_pre_rasterization_stage: views.is_some_and(|views| views.last).into(),
            view_index_to_view_instance_spec_id: u32::MAX,
            view_instance_to_viewport_spec_id: if viewports { VIEWPORTS } else { u32::MAX },
        };
        [if interface.overflow.is_some()]
        dxil_spv_option_DXIL_SPV_OPTION_ROOT_CONSTANT_INLINE_UNIFORM_BLOCK,
        dxil_spv_option_root_constant_inline_uniform_block {
            desc_set: overflow.set, binding: overflow.binding, enable: 1,
        };
        [if link.local.is_some()]
        dxil_spv_option_DXIL_SPV_OPTION_SBT_DESCRIPTOR_SIZE_LOG2, dxil_spv_option_sbt_descriptor_size_log2 {
            size_log2_srv_uav_cbv: local.map_or(0, |local| local.resource_size_log2),
            size_log2_sampler: local.map_or(0, |local| local.sampler_size_log2),
        };
        // Counters and root descriptors are addresses.
        dxil_spv_option_DXIL_SPV_OPTION_PHYSICAL_STORAGE_BUFFER, dxil_spv_option_physical_storage_buffer { enable: 1 };
        dxil_spv_option_DXIL_SPV_OPTION_SSBO_ALIGNMENT, dxil_spv_option_ssbo_alignment {
            alignment: target.storage_alignment.max(1),
        };
        dxil_spv_option_DXIL_SPV_OPTION_TYPED_UAV_READ_WITHOUT_FORMAT, dxil_spv_option_typed_uav_read_without_format {
            supported: target.read_without_format.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_BINDLESS_TYPED_BUFFER_OFFSETS, dxil_spv_option_bindless_typed_buffer_offsets {
            enable: target.typed_offsets.into(),
        };
        // In units of 8 bytes: (offset, size) of the raw view, then of the typed one.
        dxil_spv_option_DXIL_SPV_OPTION_BINDLESS_OFFSET_BUFFER_LAYOUT, dxil_spv_option_bindless_offset_buffer_layout {
            untyped_offset: 0, typed_offset: 1, stride: 2,
        };
        dxil_spv_option_DXIL_SPV_OPTION_STORAGE_INPUT_OUTPUT_16BIT, dxil_spv_option_storage_input_output_16bit {
            supported: target.stage_io_16bit.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_MIN_PRECISION_NATIVE_16BIT, dxil_spv_option_min_precision_native_16bit {
            enabled: target.native_min_precision.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_SHADER_I8_DOT, dxil_spv_option_shader_i8_dot {
            supported: target.integer_dot.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_SHADER_RAY_TRACING_PRIMITIVE_CULLING,
        dxil_spv_option_shader_ray_tracing_primitive_culling { supported: target.ray_primitive_culling.into() };
        // Rays of queries meet micromaps in every shader. What Vulkan calls them, see `micromaps`.
        [if target.micromaps]
        dxil_spv_option_DXIL_SPV_OPTION_OPACITY_MICROMAP, dxil_spv_option_opacity_micromap {
            trace_ray_enabled: link.micromaps.into(), ray_query_force_omm_execution_mode_in_legacy_sm: 1,
        };
        dxil_spv_option_DXIL_SPV_OPTION_SCALAR_BLOCK_LAYOUT, dxil_spv_option_scalar_block_layout {
            supported: target.scalar_layout.into(), supports_per_component_robustness: target.robust_components.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_BARYCENTRIC_KHR, dxil_spv_option_barycentric_khr {
            supported: target.barycentrics.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_DENORM_PRESERVE_SUPPORT, dxil_spv_option_denorm_preserve_support {
            supports_float16_denorm_preserve: target.denorm_16.into(),
            supports_float64_denorm_preserve: target.denorm_64.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_SUBGROUP_PARTITIONED_NV, dxil_spv_option_subgroup_partitioned_nv {
            supported: target.subgroup_partitioned.into(),
        };
        // Without it a loop or branch that the compiler hints at loses the hint.
        dxil_spv_option_DXIL_SPV_OPTION_BRANCH_CONTROL, dxil_spv_option_branch_control {
            use_shader_metadata: 1, force_unroll: 0, force_loop: 0, force_flatten: 0, force_branch: 0,
        };
        dxil_spv_option_DXIL_SPV_OPTION_SUBGROUP_PROPERTIES, dxil_spv_option_subgroup_properties {
            minimum_size: target.subgroup_min, maximum_size: target.subgroup_max,
        };
        // Also where there is neither: the older option for NVIDIA's extension is on where this one is not given. Then derivatives are
        // differences between lanes.
        dxil_spv_option_DXIL_SPV_OPTION_COMPUTE_SHADER_DERIVATIVES, dxil_spv_option_compute_shader_derivatives {
            supports_nv: target.compute_derivatives_nv.into(), supports_khr: target.compute_derivatives.into(),
        };
        dxil_spv_option_DXIL_SPV_OPTION_QUAD_CONTROL_RECONVERGENCE, dxil_spv_option_quad_control_reconvergence {
            supports_quad_control: target.quad_control.into(),
            supports_maximal_reconvergence: target.maximal_reconvergence.into(),
            force_maximal_reconvergence: 0,
        };
        dxil_spv_option_DXIL_SPV_OPTION_RAW_ACCESS_CHAINS_NV, dxil_spv_option_raw_access_chains_nv {
            supported: target.raw_access_chains.into(),
        };
        // What it calls and where it writes is replaced afterwards, see `checks`.
        [if target.check_set != 0]
        dxil_spv_option_DXIL_SPV_OPTION_DESCRIPTOR_QA, dxil_spv_option_descriptor_qa {
            enabled: 1, version: sys::DXIL_SPV_DESCRIPTOR_QA_INTERFACE_VERSION,
            global_desc_set: target.check_set, global_binding: 0, heap_desc_set: target.check_set, heap_binding: 0,
            shader_hash: 0,
        };
        [if target.driver_id != 0]
        dxil_spv_option_DXIL_SPV_OPTION_DRIVER_VERSION, dxil_spv_option_driver_version {
            driver_id: target.driver_id, driver_version: target.driver_version,
        };
    }
    if views.is_some() {
        let offsets = sys::dxil_spv_meta_descriptor_DXIL_SPV_META_DESCRIPTOR_DYNAMIC_VIEW_INSTANCING_OFFSETS;
        let buffer = sys::dxil_spv_meta_descriptor_kind_DXIL_SPV_META_DESCRIPTOR_KIND_UBO_CONTAINING_CONSTANT;
        // SAFETY: the converter is alive; the rest are numbers.
        let code = unsafe { sys::dxil_spv_converter_set_meta_descriptor(converter, offsets, buffer, SET, 0) };
        check(code, "the buffer of view instances")?;
    }
    Ok(())
}
