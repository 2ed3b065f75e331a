//! What the device can do: limits, switched-on features, shader model.

use crate::vulkan as vk;
use reprise_d3d12::types::{D3D_SHADER_MODEL, D3D12_RESOURCE_HEAP_TIER};

use crate::config::debug;
use crate::device::policy;
use crate::device::requirements::{Enabled, Features};

/// Decided once, when the device is made.
pub struct Caps {
    /// The Vulkan device's name.
    pub name: String,
    /// Its vendor.
    pub vendor: u32,
    /// Its driver.
    pub driver: vk::DriverId,
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
    /// Limits of generated commands; zero without the extension.
    pub generated: vk::PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT<'static>,
    /// What memory that is imported begins and ends at multiples of; 0 without the extension.
    pub host_pages: u64,
    /// Memory types and heaps.
    pub memory: vk::PhysicalDeviceMemoryProperties,
    /// Extensions that are switched on.
    pub extensions: Enabled,
    /// Features that are switched on.
    pub features: Features,
    /// Whether CPU and GPU share all memory.
    pub unified_memory: bool,
    /// Tier 2 when one memory type serves buffers, textures and attachments alike.
    pub heap_tier: D3D12_RESOURCE_HEAP_TIER,
    /// By [`policy`].
    pub shader_model: D3D_SHADER_MODEL,
}

// SAFETY: plain data; the structures' chains are null.
unsafe impl Send for Caps {}
// SAFETY: as above.
unsafe impl Sync for Caps {}

/// Functions of extensions, as far as the device has them.
#[allow(missing_docs, reason = "named by Vulkan")]
pub struct Extensions {
    pub generated_commands: Option<vk::DeviceGeneratedCommands>,
    pub debug_utils: Option<ash::ext::debug_utils::Device>,
    pub push_descriptor: Option<ash::khr::push_descriptor::Device>,
    pub maintenance5: Option<ash::khr::maintenance5::Device>,
    pub maintenance6: Option<ash::khr::maintenance6::Device>,
    pub transform_feedback: Option<ash::ext::transform_feedback::Device>,
    pub conditional_rendering: Option<ash::ext::conditional_rendering::Device>,
    pub dynamic_state2: Option<ash::ext::extended_dynamic_state2::Device>,
    pub dynamic_state3: Option<ash::ext::extended_dynamic_state3::Device>,
    pub calibrated_timestamps: Option<ash::ext::calibrated_timestamps::Device>,
    pub host_memory: Option<ash::ext::external_memory_host::Device>,
}

impl Extensions {
    pub(super) fn load(instance: &crate::Instance, device: &ash::Device, has: &Enabled) -> Extensions {
        let marks = instance.marks;
        let instance = &instance.instance;
        Extensions {
            generated_commands: match has.generated_commands {
                true => vk::DeviceGeneratedCommands::load(instance, device),
                false => None,
            },
            debug_utils: marks.then(|| ash::ext::debug_utils::Device::new(instance, device)),
            push_descriptor: has.push_descriptor.then(|| ash::khr::push_descriptor::Device::new(instance, device)),
            maintenance5: has.maintenance5.then(|| ash::khr::maintenance5::Device::new(instance, device)),
            maintenance6: has.maintenance6.then(|| ash::khr::maintenance6::Device::new(instance, device)),
            transform_feedback: has
                .transform_feedback
                .then(|| ash::ext::transform_feedback::Device::new(instance, device)),
            conditional_rendering: has
                .conditional_rendering
                .then(|| ash::ext::conditional_rendering::Device::new(instance, device)),
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
        }
    }
}

impl Caps {
    pub(super) fn read(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        vk: &ash::Device,
        extensions: Enabled,
        features: Features,
    ) -> Caps {
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
        let mut robustness2 = vk::PhysicalDeviceRobustness2PropertiesEXT::default();
        let mut generated = vk::PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT::default();
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceProperties2::default()
            .push_next(&mut v11)
            .push_next(&mut v12)
            .push_next(&mut v13)
            .push_next(&mut robustness2);
        if extensions.generated_commands {
            all = all.push_next(&mut generated);
        }
        if extensions.host_memory {
            all = all.push_next(&mut host);
        }
        // SAFETY: the chain holds structures that the device knows.
        unsafe { instance.get_physical_device_properties2(physical, &mut all) };
        let properties = all.properties;
        // SAFETY: the instance lives.
        let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
        let end = core::ptr::null_mut();
        (v11.p_next, v12.p_next, v13.p_next, robustness2.p_next) = (end, end, end, end);
        generated.p_next = end;
        let unified_memory = memory.memory_types_as_slice().iter().all(|kind| {
            let all = vk::MemoryPropertyFlags::DEVICE_LOCAL | vk::MemoryPropertyFlags::HOST_CACHED;
            kind.property_flags.contains(all)
        });
        let (shader_model, missing) = policy::shader_model(&shaders(&features, &v11, &v13));
        debug(|| format!("shader model {:#x}; the next one lacks {missing:?}", shader_model.0));
        Caps {
            name: properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned(),
            vendor: properties.vendor_id,
            driver: v12.driver_id,
            identity: identity(&properties),
            limits: properties.limits,
            sparse: properties.sparse_properties,
            v11,
            v12,
            v13,
            robustness2,
            generated,
            host_pages: host.min_imported_host_pointer_alignment,
            memory,
            extensions,
            features,
            unified_memory,
            heap_tier: heap_tier(vk, &memory),
            shader_model,
        }
    }

    /// Whether a copy of an image's depth takes its stencil along, and the other way round (Mesa's lavapipe, 25.0).
    pub fn copies_aspects_together(&self) -> bool {
        self.driver == vk::DriverId::MESA_LLVMPIPE
    }

    /// Whether the tiles of sparse images of blocks are stated in blocks, but bound and read in texels (Mesa's lavapipe, 25.0).
    pub fn says_tiles_in_blocks(&self) -> bool {
        self.driver == vk::DriverId::MESA_LLVMPIPE
    }

    /// Whether shaders may compute with 16-bit types. The API's keep denormals, and lie in buffers of any kind.
    pub fn native_16(&self) -> bool {
        let (features, has) = (&self.features, |feature: vk::Bool32| feature != 0);
        self.shader_model >= D3D_SHADER_MODEL::SHADER_MODEL_6_2
            && has(features.base.shader_int16)
            && has(features.v12.shader_float16)
            && has(features.v11.storage_buffer16_bit_access)
            && has(features.v11.uniform_and_storage_buffer16_bit_access)
            && has(self.v12.shader_denorm_preserve_float16)
    }

    /// Whether one mutable descriptor serves all types of views.
    pub fn mutable_descriptors(&self) -> bool {
        self.features.mutable.mutable_descriptor_type != 0
    }
}

fn identity(properties: &vk::PhysicalDeviceProperties) -> [u8; 16] {
    let numbers = [properties.vendor_id, properties.device_id, properties.driver_version];
    let mut bytes = properties.pipeline_cache_uuid.to_vec();
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend(env!("CARGO_PKG_VERSION").as_bytes());
    xxhash_rust::xxh3::xxh3_128(&bytes).to_le_bytes()
}

/// What of the device shader models ask for.
fn shaders(
    features: &Features,
    v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
    v13: &vk::PhysicalDeviceVulkan13Properties<'_>,
) -> policy::Shaders {
    type Ops = vk::SubgroupFeatureFlags;
    let operations = Ops::BASIC | Ops::VOTE | Ops::ARITHMETIC | Ops::BALLOT | Ops::SHUFFLE | Ops::QUAD;
    let compute = vk::ShaderStageFlags::COMPUTE;
    let has = |feature: vk::Bool32| feature != 0;
    policy::Shaders {
        waves: v11.subgroup_supported_operations.contains(operations)
            && v11.subgroup_supported_stages.contains(compute | vk::ShaderStageFlags::FRAGMENT)
            && v13.min_subgroup_size >= 4,
        int16: has(features.base.shader_int16),
        atomics_64: has(features.v12.shader_buffer_int64_atomics) && has(features.base.shader_int64),
        int8: has(features.v12.shader_int8),
        compute_derivatives: has(features.derivatives.compute_derivative_group_linear),
        wave_size: v13.min_subgroup_size == v13.max_subgroup_size
            || v13.required_subgroup_size_stages.contains(compute) && has(features.v13.compute_full_subgroups),
        quad_control: has(features.quads.shader_quad_control),
        reconvergence: has(features.reconvergence.shader_maximal_reconvergence),
    }
}

/// Asks for the memory types of each kind of resource, without making one.
fn heap_tier(vk: &ash::Device, memory: &vk::PhysicalDeviceMemoryProperties) -> D3D12_RESOURCE_HEAP_TIER {
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
        // SAFETY: as above.
        unsafe { vk.get_device_image_memory_requirements(&question, &mut requirements) };
        types &= requirements.memory_requirements.memory_type_bits;
    }
    let local = memory.memory_types_as_slice().iter().enumerate().any(|(index, kind)| {
        types & (1 << index) != 0 && kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
    });
    if local { D3D12_RESOURCE_HEAP_TIER::TIER_2 } else { D3D12_RESOURCE_HEAP_TIER::TIER_1 }
}
