//! What the device can do: limits, switched-on features, feature level and shader model.

use ash::vk;
use reprise_d3d12::types::{D3D_FEATURE_LEVEL, D3D_SHADER_MODEL};

use crate::device::requirements::{Enabled, Features};

/// Decided once, when the device is made.
pub struct Caps {
    /// The Vulkan device's name.
    pub name: String,
    /// Its vendor.
    pub vendor: u32,
    /// Its driver.
    pub driver: vk::DriverId,
    /// Limits and the like.
    pub limits: vk::PhysicalDeviceLimits,
    /// Of Vulkan 1.1.
    pub v11: vk::PhysicalDeviceVulkan11Properties<'static>,
    /// Of Vulkan 1.2: descriptor limits, denormals, resolve modes.
    pub v12: vk::PhysicalDeviceVulkan12Properties<'static>,
    /// Of Vulkan 1.3: subgroup sizes, texel buffer alignments.
    pub v13: vk::PhysicalDeviceVulkan13Properties<'static>,
    /// How exact robust buffer access is.
    pub robustness2: vk::PhysicalDeviceRobustness2PropertiesEXT<'static>,
    /// Memory types and heaps.
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// Extensions that are switched on.
    pub extensions: Enabled,
    /// Features that are switched on.
    pub features: Features,
    /// By policy, from what this runtime implements and the device has.
    pub feature_level: D3D_FEATURE_LEVEL,
    /// By policy, as above.
    pub shader_model: D3D_SHADER_MODEL,
}

// SAFETY: plain data; the structures' chains are null.
unsafe impl Send for Caps {}
// SAFETY: as above.
unsafe impl Sync for Caps {}

/// Functions of extensions, as far as the device has them.
#[allow(missing_docs, reason = "named by Vulkan")]
pub struct Extensions {
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub maintenance5: Option<ash::khr::maintenance5::Device>,
    pub maintenance6: Option<ash::khr::maintenance6::Device>,
    pub transform_feedback: Option<ash::ext::transform_feedback::Device>,
    pub conditional_rendering: Option<ash::ext::conditional_rendering::Device>,
    pub dynamic_state3: Option<ash::ext::extended_dynamic_state3::Device>,
    pub calibrated_timestamps: Option<ash::ext::calibrated_timestamps::Device>,
    pub host_memory: Option<ash::ext::external_memory_host::Device>,
}

impl Extensions {
    pub(super) fn load(instance: &ash::Instance, device: &ash::Device, has: &Enabled) -> Extensions {
        Extensions {
            push_descriptor: has.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(instance, device)),
            maintenance5: has.maintenance5.then(|| ash::khr::maintenance5::Device::new(instance, device)),
            maintenance6: has.maintenance6.then(|| ash::khr::maintenance6::Device::new(instance, device)),
            transform_feedback: has
                .transform_feedback
                .then(|| ash::ext::transform_feedback::Device::new(instance, device)),
            conditional_rendering: has
                .conditional_rendering
                .then(|| ash::ext::conditional_rendering::Device::new(instance, device)),
            dynamic_state3: has
                .dynamic_state3
                .then(|| ash::ext::extended_dynamic_state3::Device::new(instance, device)),
            calibrated_timestamps: has
                .calibrated_timestamps
                .then(|| ash::ext::calibrated_timestamps::Device::new(instance, device)),
            host_memory: has.host_memory.then(|| ash::ext::external_memory_host::Device::new(instance, device)),
        }
    }
}

impl Caps {
    pub(super) fn read(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        extensions: Enabled,
        features: Features,
    ) -> Caps {
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
        let mut robustness2 = vk::PhysicalDeviceRobustness2PropertiesEXT::default();
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut v11)
            .push_next(&mut v12)
            .push_next(&mut v13)
            .push_next(&mut robustness2);
        // SAFETY: the chain holds structures that the device knows.
        unsafe { instance.get_physical_device_properties2(physical, &mut all) };
        let properties = all.properties;
        // SAFETY: the instance lives.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let end = core::ptr::null_mut();
        (v11.p_next, v12.p_next, v13.p_next, robustness2.p_next) = (end, end, end, end);
        Caps {
            name: properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned(),
            vendor: properties.vendor_id,
            driver: v12.driver_id,
            limits: properties.limits,
            v11,
            v12,
            v13,
            robustness2,
            memory,
            extensions,
            features,
            feature_level: D3D_FEATURE_LEVEL(0xb000),
            shader_model: D3D_SHADER_MODEL(0x51),
        }
    }

    /// Whether one mutable descriptor serves all types of views.
    pub fn mutable_descriptors(&self) -> bool {
        self.features.mutable.mutable_descriptor_type != 0
    }
}
