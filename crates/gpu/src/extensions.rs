//! Functions of Vulkan's extensions.

use crate::instance::Instance;
use crate::requirements::Enabled;
use crate::vulkan as vk;

/// Functions of extensions, as far as the device has them.
#[allow(missing_docs, reason = "named by Vulkan")]
pub struct Extensions {
    pub generated_commands: Option<vk::DeviceGeneratedCommands>,
    pub debug_utils: Option<ash::ext::debug_utils::Device>,
    pub descriptor_buffer: Option<ash::ext::descriptor_buffer::Device>,
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub swapchain: Option<ash::khr::swapchain::Device>,
    pub hdr_metadata: Option<ash::ext::hdr_metadata::Device>,
    pub maintenance5: Option<ash::khr::maintenance5::Device>,
    pub maintenance6: Option<ash::khr::maintenance6::Device>,
    pub transform_feedback: Option<ash::ext::transform_feedback::Device>,
    pub conditional_rendering: Option<ash::ext::conditional_rendering::Device>,
    pub depth_bias_control: Option<ash::ext::depth_bias_control::Device>,
    pub dynamic_state2: Option<ash::ext::extended_dynamic_state2::Device>,
    pub dynamic_state3: Option<ash::ext::extended_dynamic_state3::Device>,
    pub calibrated_timestamps: Option<ash::ext::calibrated_timestamps::Device>,
    pub host_memory: Option<ash::ext::external_memory_host::Device>,
    pub memory_files: Option<ash::khr::external_memory_fd::Device>,
    pub shading_rate: Option<ash::khr::fragment_shading_rate::Device>,
    pub sample_locations: Option<ash::ext::sample_locations::Device>,
    pub mesh_shader: Option<ash::ext::mesh_shader::Device>,
    pub acceleration: Option<ash::khr::acceleration_structure::Device>,
    pub ray_pipeline: Option<ash::khr::ray_tracing_pipeline::Device>,
    pub ray_maintenance: Option<ash::khr::ray_tracing_maintenance1::Device>,
    pub micromaps: Option<ash::ext::opacity_micromap::Device>,
    pub buffer_marker: Option<ash::amd::buffer_marker::Device>,
    pub device_fault: Option<ash::ext::device_fault::Device>,
    pub executables: Option<ash::khr::pipeline_executable_properties::Device>,
}

impl Extensions {
    /// Loads the functions of the extensions that are switched on.
    pub(crate) fn load(instance: &Instance, device: &ash::Device, has: &Enabled) -> Extensions {
        let marks = instance.marks;
        let instance = &instance.instance;
        Extensions {
            generated_commands: match has.generated_commands {
                true => vk::DeviceGeneratedCommands::load(instance, device),
                false => None,
            },
            debug_utils: marks.then(|| ash::ext::debug_utils::Device::new(instance, device)),
            descriptor_buffer: has
                .descriptor_buffer
                .then(|| ash::ext::descriptor_buffer::Device::new(instance, device)),
            push_descriptor: has.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(instance, device)),
            swapchain: has.swapchain.then(|| ash::khr::swapchain::Device::new(instance, device)),
            hdr_metadata: has.hdr_metadata.then(|| ash::ext::hdr_metadata::Device::new(instance, device)),
            maintenance5: has.maintenance5.then(|| ash::khr::maintenance5::Device::new(instance, device)),
            maintenance6: has.maintenance6.then(|| ash::khr::maintenance6::Device::new(instance, device)),
            transform_feedback: has
                .transform_feedback
                .then(|| ash::ext::transform_feedback::Device::new(instance, device)),
            conditional_rendering: has
                .conditional_rendering
                .then(|| ash::ext::conditional_rendering::Device::new(instance, device)),
            depth_bias_control: has
                .depth_bias_control
                .then(|| ash::ext::depth_bias_control::Device::new(instance, device)),
            dynamic_state2: has
                .dynamic_state2
                .then(|| ash::ext::extended_dynamic_state2::Device::new(instance, device)),
            dynamic_state3: has
                .dynamic_state3
                .then(|| ash::ext::extended_dynamic_state3::Device::new(instance, device)),
            calibrated_timestamps: has
                .calibrated_timestamps
                .then(|| ash::ext::calibrated_timestamps::Device::new(instance, device)),
            host_memory: has.host_memory.then(|| ash::ext::external_memory_host::Device::new(instance, device)),
            memory_files: has.memory_files.then(|| ash::khr::external_memory_fd::Device::new(instance, device)),
            shading_rate: has.shading_rate.then(|| ash::khr::fragment_shading_rate::Device::new(instance, device)),
            sample_locations: has.sample_locations.then(|| ash::ext::sample_locations::Device::new(instance, device)),
            mesh_shader: has.mesh_shader.then(|| ash::ext::mesh_shader::Device::new(instance, device)),
            acceleration: has.acceleration.then(|| ash::khr::acceleration_structure::Device::new(instance, device)),
            ray_pipeline: has.ray_pipeline.then(|| ash::khr::ray_tracing_pipeline::Device::new(instance, device)),
            ray_maintenance: has
                .ray_maintenance
                .then(|| ash::khr::ray_tracing_maintenance1::Device::new(instance, device)),
            micromaps: has.micromaps.then(|| ash::ext::opacity_micromap::Device::new(instance, device)),
            device_fault: has.device_fault.then(|| ash::ext::device_fault::Device::new(instance, device)),
            executables: has
                .executables
                .then(|| ash::khr::pipeline_executable_properties::Device::new(instance, device)),
            buffer_marker: has.buffer_marker.then(|| ash::amd::buffer_marker::Device::new(instance, device)),
        }
    }
}
