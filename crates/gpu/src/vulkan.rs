//! Vulkan's names: those of `ash`, and of extensions that are younger than it: `VK_EXT_device_generated_commands`,
//! `VK_KHR_maintenance8`, `VK_KHR_unified_image_layouts`, the properties of `VK_KHR_compute_shader_derivatives` and `VK_EXT_legacy_vertex_attributes`.
//!
//! Invariant: structures lie as in Vulkan's registry; a test holds their sizes.
#![allow(missing_docs, reason = "named and explained by Vulkan")]

use core::ffi::{CStr, c_void};
use core::marker::PhantomData;
use core::ptr::{null, null_mut};

pub use ash::vk::*;

/// The numbers of the structures of generated commands count from this one.
const fn kind(number: i32) -> StructureType {
    StructureType::from_raw(1_000_572_000 + number)
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub device_generated_commands: Bool32,
    pub dynamic_generated_pipeline_layout: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

impl Default for PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT<'_> {
    fn default() -> Self {
        Self {
            s_type: kind(0),
            p_next: null_mut(),
            device_generated_commands: FALSE,
            dynamic_generated_pipeline_layout: FALSE,
            _marker: PhantomData,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceMaintenance8FeaturesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub maintenance8: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

impl Default for PhysicalDeviceMaintenance8FeaturesKHR<'_> {
    fn default() -> Self {
        let s_type = StructureType::from_raw(1_000_574_000);
        Self { s_type, p_next: null_mut(), maintenance8: FALSE, _marker: PhantomData }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceUnifiedImageLayoutsFeaturesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub unified_image_layouts: Bool32,
    pub unified_image_layouts_video: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

impl Default for PhysicalDeviceUnifiedImageLayoutsFeaturesKHR<'_> {
    fn default() -> Self {
        Self {
            s_type: StructureType::from_raw(1_000_527_000),
            p_next: null_mut(),
            unified_image_layouts: FALSE,
            unified_image_layouts_video: FALSE,
            _marker: PhantomData,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceLegacyVertexAttributesFeaturesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub legacy_vertex_attributes: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

impl Default for PhysicalDeviceLegacyVertexAttributesFeaturesEXT<'_> {
    fn default() -> Self {
        let s_type = StructureType::from_raw(1_000_495_000);
        Self { s_type, p_next: null_mut(), legacy_vertex_attributes: FALSE, _marker: PhantomData }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceComputeShaderDerivativesPropertiesKHR<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub mesh_and_task_shader_derivatives: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

impl Default for PhysicalDeviceComputeShaderDerivativesPropertiesKHR<'_> {
    fn default() -> Self {
        let s_type = StructureType::from_raw(1_000_511_000);
        Self { s_type, p_next: null_mut(), mesh_and_task_shader_derivatives: FALSE, _marker: PhantomData }
    }
}

// SAFETY: the structure lies as the properties that Vulkan chains, and begins with its number.
unsafe impl ExtendsPhysicalDeviceProperties2 for PhysicalDeviceComputeShaderDerivativesPropertiesKHR<'_> {}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT<'a> {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub max_indirect_pipeline_count: u32,
    pub max_indirect_shader_object_count: u32,
    pub max_indirect_sequence_count: u32,
    pub max_indirect_commands_token_count: u32,
    pub max_indirect_commands_token_offset: u32,
    pub max_indirect_commands_indirect_stride: u32,
    pub supported_indirect_commands_input_modes: u32,
    pub supported_indirect_commands_shader_stages: ShaderStageFlags,
    pub supported_indirect_commands_shader_stages_pipeline_binding: ShaderStageFlags,
    pub supported_indirect_commands_shader_stages_shader_binding: ShaderStageFlags,
    pub device_generated_commands_transform_feedback: Bool32,
    pub device_generated_commands_multi_draw_indirect_count: Bool32,
    pub _marker: PhantomData<&'a ()>,
}

impl Default for PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT<'_> {
    fn default() -> Self {
        // SAFETY: zero is a value of every field.
        let zero: Self = unsafe { core::mem::zeroed() };
        Self { s_type: kind(1), ..zero }
    }
}

// SAFETY: the extension says that the structure extends this chain.
unsafe impl ExtendsPhysicalDeviceProperties2 for PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT<'_> {}

/// A non-dispatchable handle.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndirectCommandsLayoutEXT(pub u64);

/// `VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT`.
pub const DXGI_INDEX_BUFFERS: u32 = 2;

/// `VkIndirectCommandsTokenTypeEXT`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndirectCommandsTokenTypeEXT(pub i32);

impl IndirectCommandsTokenTypeEXT {
    pub const PUSH_CONSTANT: Self = Self(1);
    pub const SEQUENCE_INDEX: Self = Self(2);
    pub const INDEX_BUFFER: Self = Self(3);
    pub const VERTEX_BUFFER: Self = Self(4);
    pub const DRAW_INDEXED: Self = Self(5);
    pub const DRAW: Self = Self(6);
    pub const DISPATCH: Self = Self(9);
    pub const DRAW_MESH_TASKS: Self = Self(1_000_328_000);
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IndirectCommandsLayoutTokenEXT {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub kind: IndirectCommandsTokenTypeEXT,
    /// Leads to a `PushConstantRange`, or to a word: the vertex buffer's slot, or the index buffer's mode.
    pub data: *const c_void,
    pub offset: u32,
}

impl IndirectCommandsLayoutTokenEXT {
    pub fn new(kind_of: IndirectCommandsTokenTypeEXT, offset: u32, data: *const c_void) -> Self {
        Self { s_type: kind(7), p_next: null(), kind: kind_of, data, offset }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IndirectCommandsLayoutCreateInfoEXT {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub flags: Flags,
    pub shader_stages: ShaderStageFlags,
    pub indirect_stride: u32,
    pub pipeline_layout: PipelineLayout,
    pub token_count: u32,
    pub p_tokens: *const IndirectCommandsLayoutTokenEXT,
}

impl IndirectCommandsLayoutCreateInfoEXT {
    /// The tokens must live as long as the structure is used.
    pub fn new(
        shader_stages: ShaderStageFlags,
        indirect_stride: u32,
        pipeline_layout: PipelineLayout,
        tokens: &[IndirectCommandsLayoutTokenEXT],
    ) -> Self {
        Self {
            s_type: kind(6),
            p_next: null(),
            flags: 0,
            shader_stages,
            indirect_stride,
            pipeline_layout,
            token_count: tokens.len() as u32,
            p_tokens: tokens.as_ptr(),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeneratedCommandsPipelineInfoEXT {
    pub s_type: StructureType,
    pub p_next: *mut c_void,
    pub pipeline: Pipeline,
}

impl GeneratedCommandsPipelineInfoEXT {
    pub fn new(pipeline: Pipeline) -> Self {
        Self { s_type: kind(13), p_next: null_mut(), pipeline }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeneratedCommandsMemoryRequirementsInfoEXT {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub indirect_execution_set: u64,
    pub indirect_commands_layout: IndirectCommandsLayoutEXT,
    pub max_sequence_count: u32,
    pub max_draw_count: u32,
}

impl GeneratedCommandsMemoryRequirementsInfoEXT {
    /// The pipeline's structure must live as long as this one is used.
    pub fn new(pipeline: &GeneratedCommandsPipelineInfoEXT, layout: IndirectCommandsLayoutEXT, most: u32) -> Self {
        Self {
            s_type: kind(2),
            p_next: core::ptr::from_ref(pipeline).cast(),
            indirect_execution_set: 0,
            indirect_commands_layout: layout,
            max_sequence_count: most,
            max_draw_count: 0,
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GeneratedCommandsInfoEXT {
    pub s_type: StructureType,
    pub p_next: *const c_void,
    pub shader_stages: ShaderStageFlags,
    pub indirect_execution_set: u64,
    pub indirect_commands_layout: IndirectCommandsLayoutEXT,
    pub indirect_address: DeviceAddress,
    pub indirect_address_size: DeviceSize,
    pub preprocess_address: DeviceAddress,
    pub preprocess_size: DeviceSize,
    pub max_sequence_count: u32,
    /// 0 where there is none.
    pub sequence_count_address: DeviceAddress,
    pub max_draw_count: u32,
}

impl GeneratedCommandsInfoEXT {
    /// The pipeline's structure must live as long as this one is used.
    pub fn new(
        pipeline: &GeneratedCommandsPipelineInfoEXT,
        stages: ShaderStageFlags,
        layout: IndirectCommandsLayoutEXT,
    ) -> Self {
        Self {
            s_type: kind(4),
            p_next: core::ptr::from_ref(pipeline).cast(),
            shader_stages: stages,
            indirect_execution_set: 0,
            indirect_commands_layout: layout,
            indirect_address: 0,
            indirect_address_size: 0,
            preprocess_address: 0,
            preprocess_size: 0,
            max_sequence_count: 0,
            sequence_count_address: 0,
            max_draw_count: 0,
        }
    }
}

/// `VK_BUFFER_USAGE_2_PREPROCESS_BUFFER_BIT_EXT`.
pub const PREPROCESS_BUFFER: BufferUsageFlags2KHR = BufferUsageFlags2KHR::from_raw(0x8000_0000);

type Requirements =
    unsafe extern "system" fn(Device, *const GeneratedCommandsMemoryRequirementsInfoEXT, *mut MemoryRequirements2<'_>);
type Execute = unsafe extern "system" fn(CommandBuffer, Bool32, *const GeneratedCommandsInfoEXT);
type Create = unsafe extern "system" fn(
    Device,
    *const IndirectCommandsLayoutCreateInfoEXT,
    *const AllocationCallbacks<'_>,
    *mut IndirectCommandsLayoutEXT,
) -> Result;
type Destroy = unsafe extern "system" fn(Device, IndirectCommandsLayoutEXT, *const AllocationCallbacks<'_>);

/// The extension's functions.
#[derive(Clone)]
pub struct DeviceGeneratedCommands {
    pub requirements: Requirements,
    pub execute: Execute,
    pub create: Create,
    pub destroy: Destroy,
}

impl DeviceGeneratedCommands {
    /// The functions of a device that has the extension switched on; `None` if the driver lacks one all the same.
    pub fn load(instance: &ash::Instance, device: &ash::Device) -> Option<DeviceGeneratedCommands> {
        // SAFETY: the device is the instance's.
        let find = |name: &CStr| unsafe { instance.get_device_proc_addr(device.handle(), name.as_ptr()) };
        let (requirements, execute, create, destroy) = (
            find(c"vkGetGeneratedCommandsMemoryRequirementsEXT")?,
            find(c"vkCmdExecuteGeneratedCommandsEXT")?,
            find(c"vkCreateIndirectCommandsLayoutEXT")?,
            find(c"vkDestroyIndirectCommandsLayoutEXT")?,
        );
        // SAFETY: the functions of these names have these types.
        unsafe {
            Some(DeviceGeneratedCommands {
                requirements: core::mem::transmute::<unsafe extern "system" fn(), Requirements>(requirements),
                execute: core::mem::transmute::<unsafe extern "system" fn(), Execute>(execute),
                create: core::mem::transmute::<unsafe extern "system" fn(), Create>(create),
                destroy: core::mem::transmute::<unsafe extern "system" fn(), Destroy>(destroy),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes on 64-bit machines, by the rules of C.
    #[test]
    fn structures_are_as_large_as_in_c() {
        assert_eq!(size_of::<PhysicalDeviceDeviceGeneratedCommandsFeaturesEXT<'_>>(), 24);
        assert_eq!(size_of::<PhysicalDeviceMaintenance8FeaturesKHR<'_>>(), 24);
        assert_eq!(size_of::<PhysicalDeviceUnifiedImageLayoutsFeaturesKHR<'_>>(), 24);
        assert_eq!(size_of::<PhysicalDeviceComputeShaderDerivativesPropertiesKHR<'_>>(), 24);
        assert_eq!(size_of::<PhysicalDeviceLegacyVertexAttributesFeaturesEXT<'_>>(), 24);
        assert_eq!(size_of::<PhysicalDeviceDeviceGeneratedCommandsPropertiesEXT<'_>>(), 64);
        assert_eq!(size_of::<IndirectCommandsLayoutTokenEXT>(), 40);
        assert_eq!(size_of::<IndirectCommandsLayoutCreateInfoEXT>(), 56);
        assert_eq!(size_of::<GeneratedCommandsPipelineInfoEXT>(), 24);
        assert_eq!(size_of::<GeneratedCommandsMemoryRequirementsInfoEXT>(), 40);
        assert_eq!(size_of::<GeneratedCommandsInfoEXT>(), 96);
        assert_eq!(core::mem::offset_of!(GeneratedCommandsInfoEXT, sequence_count_address), 80);
        assert_eq!(GeneratedCommandsPipelineInfoEXT::new(Pipeline::null()).s_type.as_raw(), 1_000_572_013);
    }
}
