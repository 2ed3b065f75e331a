//! `ID3D12DXVKInteropDevice` and its successors, for programs that drive the device by Vulkan as well: Direct3D 11 on 12, runtimes of
//! headsets, video.
//!
//! Between lists, images have the layout that [`get_vulkan_image_layout`] names, whatever their state is.

use core::ffi::{CStr, c_char, c_void};
use core::mem::offset_of;

use ash::vk;
use ash::vk::Handle;
use reprise_com::result::{DXGI_ERROR_INVALID_CALL, E_INVALIDARG, E_NOINTERFACE, S_OK};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE, D3D12_COMMAND_QUEUE_DESC, D3D12_RESOURCE_STATES};
use reprise_d3d12::{interface, method};
use reprise_gpu::queue::hardware::Hardware;
use reprise_gpu::requirements::Chain;

use crate::device::{Device, Facets, give};
use crate::error::{code, code_of_method};
use crate::list::{CommandAllocator, CommandList};
use crate::list_type::role;
use crate::own::{is_of, with_own};
use crate::queue::{self, CommandQueue};
use crate::resource::{Heap, Resource};
use crate::vendor::device_ext;
use crate::{Error, Result};

const NEWEST: InterfaceId = interface("ID3D12DXVKInteropDevice3");

/// The facet's number: `ID3D12DeviceConfiguration1` is 1.
const NUMBER: usize = 2;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    <Device as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("GetDXGIAdapter", get_dxgi_adapter as *const c_void),
        ("GetInstanceExtensions", get_instance_extensions as *const c_void),
        ("GetDeviceExtensions", get_device_extensions as *const c_void),
        ("GetDeviceFeatures", get_device_features as *const c_void),
        ("GetVulkanHandles", get_vulkan_handles as *const c_void),
        ("GetVulkanQueueInfo", get_vulkan_queue_info as *const c_void),
        ("GetVulkanImageLayout", get_vulkan_image_layout as *const c_void),
        ("GetVulkanResourceInfo", get_vulkan_resource_info as *const c_void),
        ("LockCommandQueue", lock_command_queue as *const c_void),
        ("UnlockCommandQueue", unlock as *const c_void),
        ("GetVulkanResourceInfo1", get_vulkan_resource_info1 as *const c_void),
        ("CreateInteropCommandQueue", create_interop_command_queue as *const c_void),
        ("CreateInteropCommandAllocator", create_interop_command_allocator as *const c_void),
        ("BeginVkCommandBufferInterop", begin_vk_command_buffer_interop as *const c_void),
        ("EndVkCommandBufferInterop", end_vk_command_buffer_interop as *const c_void),
        ("LockVulkanQueue", lock_vulkan_queue as *const c_void),
        ("UnlockVulkanQueue", unlock as *const c_void),
        ("GetVulkanHeapInfo", get_vulkan_heap_info as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, interop);
}

/// The facet of a new device.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where it is asked for.
pub(super) fn answer(object: &Object<Device>, asked: InterfaceId) -> Option<*mut c_void> {
    is_of(NEWEST, asked).then(|| facet::pointer::<Device, NUMBER>(object))
}

/// # Safety
/// `this` is our facet of a living device.
unsafe fn device<'a>(this: *mut c_void) -> &'a Object<Device> {
    // SAFETY: the caller passes our facet of a living device.
    unsafe { facet::object::<Device, NUMBER>(this) }
}

/// The adapter object that the program made the device with.
unsafe extern "C" fn get_dxgi_adapter(this: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_NOINTERFACE, || {
        if iid.is_null() || out.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: our facet; the program's pointers are not null.
        unsafe {
            out.write(core::ptr::null_mut());
            let answer = device(this).adapter.query(&device(this).logical, &*iid, out);
            if answer == E_NOINTERFACE {
                reprise_log::warning_once(
                    "ID3D12DXVKInteropDevice::GetDXGIAdapter fails:",
                    "the device was made without such an adapter",
                );
            }
            answer
        }
    })
}

/// # Safety
/// `count` is null or leads to the number of places behind `out`, which is null or so long.
unsafe fn write_names(names: &[&'static CStr], count: *mut u32, out: *mut *const c_char) -> i32 {
    // SAFETY: the caller passes a count that is null or valid, and places that are null or as many as it says.
    unsafe {
        let Some(count) = count.as_mut() else { return E_INVALIDARG };
        if !out.is_null() {
            if (*count as usize) < names.len() {
                return E_INVALIDARG;
            }
            names.iter().enumerate().for_each(|(at, name)| out.add(at).write(name.as_ptr()));
        }
        *count = names.len() as u32;
    }
    S_OK
}

unsafe extern "C" fn get_instance_extensions(this: *mut c_void, count: *mut u32, out: *mut *const c_char) -> i32 {
    // SAFETY: our facet; the places are the program's.
    guard(E_INVALIDARG, || unsafe { write_names(&device(this).instance.extensions, count, out) })
}

unsafe extern "C" fn get_device_extensions(this: *mut c_void, count: *mut u32, out: *mut *const c_char) -> i32 {
    // SAFETY: our facet; the places are the program's.
    guard(E_INVALIDARG, || unsafe { write_names(&device(this).extensions, count, out) })
}

/// The structures live as long as the device.
unsafe extern "C" fn get_device_features(
    this: *mut c_void,
    out: *mut *const vk::PhysicalDeviceFeatures2<'static>,
) -> i32 {
    guard(E_INVALIDARG, || {
        if out.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: our facet; the place is not null.
        unsafe {
            let device = device(this);
            let caps = &device.caps;
            out.write(device.features.get_or_init(|| Chain::new(&caps.features, &caps.extensions)).head());
        }
        S_OK
    })
}

unsafe extern "C" fn get_vulkan_handles(
    this: *mut c_void,
    instance: *mut vk::Instance,
    physical: *mut vk::PhysicalDevice,
    vk: *mut vk::Device,
) -> i32 {
    // SAFETY: our facet; the places are the program's.
    guard(E_INVALIDARG, || unsafe { device_ext::write_handles(device(this), instance, physical, vk) })
}

unsafe extern "C" fn get_vulkan_queue_info(
    _this: *mut c_void,
    queue: *mut c_void,
    vk_queue: *mut vk::Queue,
    family: *mut u32,
) -> i32 {
    guard(E_INVALIDARG, || {
        if vk_queue.is_null() || family.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a queue of the program; its places are not null.
        let found = unsafe {
            with_own::<CommandQueue, _>(queue, |queue| {
                vk_queue.write(queue.gpu.hardware().name());
                family.write(queue.gpu.family().index);
            })
        };
        if found.is_some() { S_OK } else { E_INVALIDARG }
    })
}

/// Images rest in one layout between lists, whatever the API's state is; buffers have none.
unsafe extern "C" fn get_vulkan_image_layout(
    _this: *mut c_void,
    resource: *mut c_void,
    _state: D3D12_RESOURCE_STATES,
    out: *mut vk::ImageLayout,
) {
    guard((), || {
        if out.is_null() {
            return;
        }
        // SAFETY: a resource of the program; its place is not null.
        unsafe {
            let layout = with_own::<Resource, _>(resource, |resource| resource.image().map(|image| image.layout));
            out.write(layout.flatten().unwrap_or(vk::ImageLayout::UNDEFINED));
        }
    });
}

/// `format` may be null.
unsafe extern "C" fn get_vulkan_resource_info1(
    _this: *mut c_void,
    resource: *mut c_void,
    handle: *mut u64,
    offset: *mut u64,
    format: *mut vk::Format,
) -> i32 {
    guard(E_INVALIDARG, || {
        if handle.is_null() || offset.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a resource of the program.
        let found = unsafe {
            with_own::<Resource, _>(resource, |resource| {
                let buffer = resource.buffer().map(|it| (it.vk().as_raw(), it.slice.offset, vk::Format::UNDEFINED));
                buffer.or_else(|| resource.image().map(|image| (image.image.as_raw(), 0, image.format)))
            })
        };
        let Some((name, at, vk_format)) = found.flatten() else { return E_INVALIDARG };
        // SAFETY: the program's places; two are not null.
        unsafe {
            handle.write(name);
            offset.write(at);
            if !format.is_null() {
                format.write(vk_format);
            }
        }
        S_OK
    })
}

unsafe extern "C" fn get_vulkan_resource_info(
    this: *mut c_void,
    resource: *mut c_void,
    handle: *mut u64,
    offset: *mut u64,
) -> i32 {
    // SAFETY: the same arguments.
    unsafe { get_vulkan_resource_info1(this, resource, handle, offset, core::ptr::null_mut()) }
}

/// # Safety
/// `queue` is null or a living COM pointer.
unsafe fn with_queue(queue: *mut c_void, act: impl FnOnce(&CommandQueue, &Hardware) -> i32) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the caller passes null or a living COM pointer.
        let done = unsafe { with_own::<CommandQueue, _>(queue, |queue| act(queue, queue.gpu.hardware())) };
        done.unwrap_or_else(|| code(Err(Error::Invalid("the queue is null or of another runtime"))))
    })
}

/// The Vulkan queue is the program's until it unlocks the command queue, behind everything that it asked of the command queue.
unsafe extern "C" fn lock_command_queue(_this: *mut c_void, queue: *mut c_void) -> i32 {
    // SAFETY: a queue of the program.
    unsafe {
        with_queue(queue, |queue, hardware| {
            queue.gpu.hand_over();
            hardware.lend();
            S_OK
        })
    }
}

/// As [`lock_command_queue`], without an order to what the command queue does.
unsafe extern "C" fn lock_vulkan_queue(_this: *mut c_void, queue: *mut c_void) -> i32 {
    // SAFETY: a queue of the program.
    unsafe {
        with_queue(queue, |_, hardware| {
            hardware.lend();
            S_OK
        })
    }
}

unsafe extern "C" fn unlock(_this: *mut c_void, queue: *mut c_void) -> i32 {
    // SAFETY: a queue of the program.
    unsafe { with_queue(queue, |_, hardware| if hardware.take_back() { S_OK } else { DXGI_ERROR_INVALID_CALL }) }
}

/// Whether queues and allocators of a type use a Vulkan family here. `VK_QUEUE_FAMILY_IGNORED` leaves it to the type.
fn check_family(device: &Device, kind: D3D12_COMMAND_LIST_TYPE, family: u32) -> Result<()> {
    let role = role(kind).ok_or(Error::Invalid("there are no command queues of this type"))?;
    match family {
        vk::QUEUE_FAMILY_IGNORED => Ok(()),
        _ if device.families.of(role).index == family => Ok(()),
        _ => Err(Error::Unsupported("a Vulkan queue family other than the one for queues of this type")),
    }
}

unsafe extern "C" fn create_interop_command_queue(
    this: *mut c_void,
    desc: *const D3D12_COMMAND_QUEUE_DESC,
    family: u32,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: our facet; the program's pointers, checked for null.
        unsafe {
            if out.is_null() {
                return E_INVALIDARG;
            }
            out.write(core::ptr::null_mut());
            let Some(desc) = desc.as_ref() else { return E_INVALIDARG };
            let device = device(this);
            if let Err(error) = check_family(device, desc.Type, family) {
                return code_of_method(
                    Err(error),
                    const { method("ID3D12DXVKInteropDevice1", "CreateInteropCommandQueue") },
                );
            }
            let made = CommandQueue::new(device, desc, queue::facets());
            give(made, &interface("ID3D12CommandQueue").get().iid, out)
        }
    })
}

unsafe extern "C" fn create_interop_command_allocator(
    this: *mut c_void,
    kind: D3D12_COMMAND_LIST_TYPE,
    family: u32,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: our facet; the program's place, checked for null.
        unsafe {
            if out.is_null() {
                return E_INVALIDARG;
            }
            out.write(core::ptr::null_mut());
            let device = device(this);
            if let Err(error) = check_family(device, kind, family) {
                return code_of_method(
                    Err(error),
                    const { method("ID3D12DXVKInteropDevice1", "CreateInteropCommandAllocator") },
                );
            }
            let made = CommandAllocator::new(device, kind);
            give(made, &interface("ID3D12CommandAllocator").get().iid, out)
        }
    })
}

/// The command buffer behind an open list. What the program records there comes after what the list has; Vulkan's state is the
/// program's until the list's next command, which sets everything anew.
unsafe extern "C" fn begin_vk_command_buffer_interop(
    _this: *mut c_void,
    list: *mut c_void,
    out: *mut vk::CommandBuffer,
) -> i32 {
    guard(E_INVALIDARG, || {
        if out.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a list of the program, which calls no other method of it meanwhile; its place is not null.
        unsafe {
            out.write(vk::CommandBuffer::null());
            match with_own::<CommandList, _>(list, |list| list.lend()) {
                Some(Ok(buffer)) => {
                    out.write(buffer);
                    S_OK
                }
                Some(Err(error)) => code(Err(error)),
                None => code(Err(Error::Invalid("the list is null or of another runtime"))),
            }
        }
    })
}

/// The list took its command buffer back when it lent it.
unsafe extern "C" fn end_vk_command_buffer_interop(_this: *mut c_void, list: *mut c_void) -> i32 {
    // SAFETY: a list of the program.
    let known = guard(None, || unsafe { with_own::<CommandList, _>(list, |_| ()) });
    if known.is_some() { S_OK } else { E_INVALIDARG }
}

unsafe extern "C" fn get_vulkan_heap_info(
    _this: *mut c_void,
    heap: *mut c_void,
    memory: *mut u64,
    offset: *mut u64,
    memory_type: *mut u32,
) -> i32 {
    guard(E_INVALIDARG, || {
        if memory.is_null() || offset.is_null() || memory_type.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a heap of the program; its places are not null.
        let found = unsafe {
            with_own::<Heap, _>(heap, |heap| {
                let allocation = heap.slice.allocation();
                memory.write(allocation.memory.as_raw());
                offset.write(heap.slice.offset);
                memory_type.write(allocation.type_index);
            })
        };
        if found.is_some() { S_OK } else { E_INVALIDARG }
    })
}
