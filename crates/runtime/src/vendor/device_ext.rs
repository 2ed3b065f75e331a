//! `ID3D12DeviceExt` and its successors: Vulkan handles, and questions for what vendors' libraries could use.

use core::ffi::c_void;
use core::mem::offset_of;
use core::sync::atomic::Ordering;

use ash::vk;
use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{BOOL, D3D12_VK_EXT_PIPELINE_CREATION_STATE_FLAG, D3D12_VK_EXTENSION};

use crate::device::{Device, Facets};
use crate::own::{is_of, with_own};
use crate::queue::CommandQueue;

const NEWEST: InterfaceId = interface("ID3D12DeviceExt5");

/// The facet's number.
const NUMBER: usize = 0;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    <Device as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("GetVulkanHandles", get_vulkan_handles as *const c_void),
        ("GetExtensionSupport", get_extension_support as *const c_void),
        ("GetVulkanQueueInfoEx", get_vulkan_queue_info_ex as *const c_void),
        ("SupportsCubin64bit", no as *const c_void),
        ("SupportsAGSExtension", no as *const c_void),
        ("IsNvShaderExtnOpCodeSupported", no as *const c_void),
        ("SetCreatePipelineStateFlagsNVAPI", set_pipeline_flags as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, device_ext);
}

/// The facet of a new device.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where it is asked for.
pub(super) fn answer(object: &Object<Device>, asked: InterfaceId) -> Option<*mut c_void> {
    is_of(NEWEST, asked).then(|| facet::pointer::<Device, NUMBER>(object))
}

/// Writes the device's handles.
///
/// # Safety
/// The places are null or writable.
pub(super) unsafe fn write_handles(
    device: &Device,
    instance: *mut vk::Instance,
    physical: *mut vk::PhysicalDevice,
    vk: *mut vk::Device,
) -> i32 {
    if instance.is_null() || physical.is_null() || vk.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: the places are not null, so they are writable.
    unsafe {
        instance.write(device.instance.instance.handle());
        physical.write(device.physical);
        vk.write(device.vk.handle());
    }
    S_OK
}

unsafe extern "C" fn get_vulkan_handles(
    this: *mut c_void,
    instance: *mut vk::Instance,
    physical: *mut vk::PhysicalDevice,
    vk: *mut vk::Device,
) -> i32 {
    // SAFETY: our facet; the places are the program's.
    guard(E_INVALIDARG, || unsafe { write_handles(facet::object::<Device, NUMBER>(this), instance, physical, vk) })
}

/// Of what NVIDIA's library can ask for there are opacity micromaps.
unsafe extern "C" fn get_extension_support(this: *mut c_void, asked: D3D12_VK_EXTENSION) -> BOOL {
    guard(0, || {
        // SAFETY: our facet.
        let device = unsafe { facet::object::<Device, NUMBER>(this) };
        (asked == D3D12_VK_EXTENSION::EXT_OPACITY_MICROMAP && device.caps.has_micromaps()).into()
    })
}

/// Ray tracing pipelines that are described from now on meet opacity micromaps, or need not.
unsafe extern "C" fn set_pipeline_flags(this: *mut c_void, flags: D3D12_VK_EXT_PIPELINE_CREATION_STATE_FLAG) -> BOOL {
    guard(0, || {
        // SAFETY: our facet.
        let device = unsafe { facet::object::<Device, NUMBER>(this) };
        let asked = flags.0 & D3D12_VK_EXT_PIPELINE_CREATION_STATE_FLAG::ENABLE_OMM_SUPPORT.0 != 0;
        let can = !asked || device.caps.has_micromaps();
        if can {
            device.asks_for_micromaps.store(asked, Ordering::Relaxed);
        }
        can.into()
    })
}

/// The answer to every other question for an extension: no.
unsafe extern "C" fn no(_this: *mut c_void, _asked: u32) -> BOOL {
    0
}

/// Flags are those that Vulkan's queue was made with: none.
unsafe extern "C" fn get_vulkan_queue_info_ex(
    _this: *mut c_void,
    queue: *mut c_void,
    vk_queue: *mut vk::Queue,
    index: *mut u32,
    flags: *mut u32,
    family: *mut u32,
) -> i32 {
    guard(E_INVALIDARG, || {
        if vk_queue.is_null() || index.is_null() || flags.is_null() || family.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a queue of the program; its places are not null.
        let found = unsafe {
            with_own::<CommandQueue, _>(queue, |queue| {
                let hardware = queue.gpu.hardware();
                vk_queue.write(hardware.name());
                index.write(hardware.index);
                flags.write(0);
                family.write(hardware.family.index);
            })
        };
        if found.is_some() { S_OK } else { E_INVALIDARG }
    })
}
