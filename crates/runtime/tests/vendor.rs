//! Private interfaces of devices, queues and lists, called the way programs written for vkd3d-proton do. Needs a Vulkan 1.3 driver
//! (lavapipe does).
#![allow(clippy::unwrap_used)]

mod com;

use core::ffi::{CStr, c_char, c_void};
use core::ptr::{null, null_mut};
use std::sync::mpsc;
use std::time::Duration;

use ash::vk;
use ash::vk::Handle;
use com::{Com, at, buffer, committed, device, fence, iid, place, queue, texture};
use reprise_com::Object;
use reprise_com::result::*;
use reprise_d3d12::types::*;
use reprise_runtime::Device;

const EXT: &str = "ID3D12DeviceExt";
const INTEROP: &str = "ID3D12DXVKInteropDevice";

/// The runtime's device behind the interface.
fn body(device: &Com) -> &Object<Device> {
    // SAFETY: a device of ours, which the reference keeps.
    unsafe { Object::<Device>::this(device.0) }
}

/// Vulkan's handles, as an interface tells them.
fn handles(object: &Com, owner: &str) -> (i32, [u64; 3]) {
    let mut told = [0u64; 3];
    let [instance, physical, device] = &mut told;
    let code = object.code(owner, "GetVulkanHandles", &[place(instance), place(physical), place(device)]);
    (code, told)
}

#[test]
fn a_device_has_its_private_interfaces_with_its_own_counts() {
    let device = device();
    for name in [
        "ID3D12DeviceExt",
        "ID3D12DeviceExt1",
        "ID3D12DeviceExt2",
        "ID3D12DeviceExt3",
        "ID3D12DeviceExt4",
        "ID3D12DeviceExt5",
        "ID3D12DXVKInteropDevice",
        "ID3D12DXVKInteropDevice1",
        "ID3D12DXVKInteropDevice2",
        "ID3D12DXVKInteropDevice3",
        "ID3DLowLatencyDevice",
        "ID3D12DeviceConfiguration1",
    ] {
        let facet = device.query(name).unwrap();
        assert_eq!(device.count(), 2, "{name}");
        assert_eq!(facet.query("ID3D12Device").unwrap().0, device.0, "{name}");
        assert_eq!(facet.query("IUnknown").unwrap().0, device.0, "{name}");
        assert_eq!(facet.query(name).unwrap().0, facet.0, "{name}");
    }
    for name in ["IAmdExtAntiLagApi", "ID3D12CompatibilityDevice", "ID3D12DeviceTools", "ID3D12CommandQueueExt"] {
        assert_eq!(device.query(name).unwrap_err(), E_NOINTERFACE, "{name}");
    }
    assert_eq!(device.count(), 1);
}

#[test]
fn vendors_extensions_are_not_there() {
    let device = device();
    let ext = device.query("ID3D12DeviceExt5").unwrap();
    let has_micromaps = body(&device).caps.has_micromaps();
    for extension in 0..6 {
        let micromaps = extension == 0 && has_micromaps;
        assert_eq!(ext.call(EXT, "GetExtensionSupport", &[extension]), micromaps.into());
        assert_eq!(ext.call("ID3D12DeviceExt3", "SupportsAGSExtension", &[extension]), 0);
        assert_eq!(ext.call("ID3D12DeviceExt4", "IsNvShaderExtnOpCodeSupported", &[extension]), 0);
    }
    assert_eq!(ext.call("ID3D12DeviceExt2", "SupportsCubin64bit", &[]), 0);
    assert_eq!(ext.call("ID3D12DeviceExt5", "SetCreatePipelineStateFlagsNVAPI", &[1]), has_micromaps.into());
    assert_eq!(
        ext.call("ID3D12DeviceExt5", "SetCreatePipelineStateFlagsNVAPI", &[0]),
        1,
        "no device need do anything for it"
    );
    let mut room = [0u64; 16];
    let room = at(room.as_mut_ptr());
    let (mut made, desc) = (device.0, texture());
    for (owner, name, words) in [
        (EXT, "CreateCubinComputeShaderWithName", &[room, 8, 1, 1, 1, room, room][..]),
        (EXT, "DestroyCubinComputeShader", &[room]),
        (EXT, "GetCudaTextureObject", &[0, 0, room]),
        (EXT, "GetCudaSurfaceObject", &[0, room]),
        (EXT, "CaptureUAVInfo", &[room]),
        ("ID3D12DeviceExt1", "CreateResourceFromBorrowedHandle", &[at(&desc), 1, place(&mut made)]),
        ("ID3D12DeviceExt2", "CreateCubinComputeShaderExV2", &[room]),
        ("ID3D12DeviceExt2", "GetCudaMergedTextureSamplerObject", &[room]),
        ("ID3D12DeviceExt2", "GetCudaIndependentDescriptorObject", &[room]),
        ("ID3D12DeviceExt3", "SetAGSUAVSlot", &[7]),
        ("ID3D12DeviceExt4", "SetNvShaderExtnSlotSpace", &[7, 0, 0]),
    ] {
        assert_eq!(ext.code(owner, name, words), E_NOTIMPL, "{name}");
    }
    assert_eq!(made, null_mut(), "no object is left where one was asked for");
    let latency = device.query("ID3DLowLatencyDevice").unwrap();
    assert_eq!(latency.call("ID3DLowLatencyDevice", "SupportsLowLatency", &[]), 0);
    for (name, words) in [
        ("LatencySleep", &[][..]),
        ("SetLatencySleepMode", &[1, 0, 0]),
        ("SetLatencyMarker", &[1, 0]),
        ("GetLatencyInfo", &[room]),
    ] {
        assert_eq!(latency.code("ID3DLowLatencyDevice", name, words), E_NOTIMPL, "{name}");
    }
}

#[test]
fn handles_and_what_is_switched_on_are_vulkans() {
    let device = device();
    let gpu = body(&device);
    let expected = [gpu.instance.instance.handle().as_raw(), gpu.physical.as_raw(), gpu.vk.handle().as_raw()];
    let (ext, interop) = (device.query(EXT).unwrap(), device.query(INTEROP).unwrap());
    assert_eq!(handles(&ext, EXT), (S_OK, expected));
    assert_eq!(handles(&interop, INTEROP), (S_OK, expected));
    assert_eq!(ext.code(EXT, "GetVulkanHandles", &[0, 0, 0]), E_INVALIDARG);
    for (name, must) in [("GetInstanceExtensions", None), ("GetDeviceExtensions", Some(c"VK_EXT_robustness2"))] {
        let mut count = 0u32;
        assert_eq!(interop.code(INTEROP, name, &[0, 0]), E_INVALIDARG);
        assert_eq!(interop.code(INTEROP, name, &[place(&mut count), 0]), S_OK);
        let mut names = vec![null::<c_char>(); count as usize];
        let mut less = count.saturating_sub(1);
        if count > 0 {
            let words = [place(&mut less), at(names.as_mut_ptr())];
            assert_eq!(interop.code(INTEROP, name, &words), E_INVALIDARG, "there is no room for all");
        }
        assert_eq!(interop.code(INTEROP, name, &[place(&mut count), at(names.as_mut_ptr())]), S_OK);
        // SAFETY: the runtime wrote names of the process's life.
        let names: Vec<&CStr> = names.into_iter().map(|name| unsafe { CStr::from_ptr(name) }).collect();
        assert!(must.is_none_or(|must| names.contains(&must)), "{names:?}");
    }
    // The chain says what was switched on, by the structures' own numbers.
    let mut features: *const vk::PhysicalDeviceFeatures2<'_> = null();
    assert_eq!(interop.code(INTEROP, "GetDeviceFeatures", &[place(&mut features)]), S_OK);
    assert_eq!(interop.code(INTEROP, "GetDeviceFeatures", &[0]), E_INVALIDARG);
    // SAFETY: a chain of Vulkan's structures that lives as long as the device.
    let mut next = unsafe {
        assert_eq!((*features).features.full_draw_index_uint32, vk::TRUE, "the runtime requires it");
        (*features).p_next.cast_const().cast::<vk::BaseInStructure<'_>>()
    };
    let mut timeline = None;
    while !next.is_null() {
        // SAFETY: every structure of the chain begins so, and has the type that it names.
        unsafe {
            if (*next).s_type == vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES {
                timeline = Some((*next.cast::<vk::PhysicalDeviceVulkan12Features<'_>>()).timeline_semaphore);
            }
            next = (*next).p_next;
        }
    }
    assert_eq!(timeline, Some(vk::TRUE), "the runtime requires it");
    // The device was made without an adapter object.
    let adapter = interop.make(INTEROP, "GetDXGIAdapter", &[iid("IDXGIAdapter")]);
    assert_eq!(adapter.unwrap_err(), E_NOINTERFACE);
}

#[test]
fn resources_and_heaps_tell_what_they_are_to_vulkan() {
    let device = device();
    let interop = device.query("ID3D12DXVKInteropDevice3").unwrap();
    let info = |resource: &Com| {
        let (mut handle, mut offset, mut format) = (0u64, u64::MAX, u32::MAX);
        let words = [at(resource.0), place(&mut handle), place(&mut offset)];
        assert_eq!(interop.code(INTEROP, "GetVulkanResourceInfo", &words), S_OK);
        let first = (handle, offset);
        let words = [words[0], words[1], words[2], place(&mut format)];
        assert_eq!(interop.code("ID3D12DXVKInteropDevice1", "GetVulkanResourceInfo1", &words), S_OK);
        assert_eq!((handle, offset), first);
        (handle, offset, vk::Format::from_raw(format as i32))
    };
    let heap = {
        let desc = D3D12_HEAP_DESC {
            SizeInBytes: 1 << 20,
            Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
            ..Default::default()
        };
        device.make("ID3D12Device", "CreateHeap", &[at(&desc), iid("ID3D12Heap")]).unwrap()
    };
    let (mut memory, mut base, mut kind) = (0u64, u64::MAX, u32::MAX);
    let places = [place(&mut memory), place(&mut base), place(&mut kind)];
    let words = [at(heap.0), places[0], places[1], places[2]];
    assert_eq!(interop.code("ID3D12DXVKInteropDevice3", "GetVulkanHeapInfo", &words), S_OK);
    assert!(memory != 0 && base != u64::MAX && kind < 32);
    let placed = |offset: u64| {
        let desc = buffer(512);
        let words = [at(heap.0), offset, at(&desc), 0, 0, iid("ID3D12Resource")];
        device.make("ID3D12Device", "CreatePlacedResource", &words).unwrap()
    };
    let (near, far) = (info(&placed(0)), info(&placed(1 << 16)));
    assert_eq!((near.0, far.1 - near.1), (far.0, 1 << 16), "one buffer over the heap's memory");
    assert_eq!((near.1, near.2), (base, vk::Format::UNDEFINED));
    let image = committed(&device, D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_FLAGS::NONE, &texture());
    let (handle, offset, format) = info(&image);
    assert!(handle != 0);
    assert_eq!((offset, format), (0, vk::Format::R8G8B8A8_UNORM));
    for object in [&heap, &image] {
        assert_eq!(object.query("ID3D12ExtDummyInterface").unwrap().0, object.0);
    }
    let mut layout = vk::ImageLayout::PREINITIALIZED;
    for (resource, wanted) in [(&image, None), (&placed(0), Some(vk::ImageLayout::UNDEFINED))] {
        interop.call(INTEROP, "GetVulkanImageLayout", &[at(resource.0), 0, place(&mut layout)]);
        let rests = [vk::ImageLayout::GENERAL, vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL];
        assert!(wanted.map_or(rests.contains(&layout), |wanted| layout == wanted), "{layout:?}");
    }
    // What is none is refused.
    let words = [at(device.0), places[0], places[1]];
    assert_eq!(interop.code(INTEROP, "GetVulkanResourceInfo", &words), E_INVALIDARG);
    let words = [0, places[0], places[1], places[2]];
    assert_eq!(interop.code("ID3D12DXVKInteropDevice3", "GetVulkanHeapInfo", &words), E_INVALIDARG);
}

/// Everything for a list of the runtime's, and a buffer that the CPU reads.
struct Scene {
    device: Com,
    interop: Com,
    queue: Com,
    family: u32,
    vk_queue: vk::Queue,
    allocator: Com,
    list: Com,
    bytes: Com,
    vk_bytes: (vk::Buffer, u64),
    fence: Com,
}

const SIZE: u64 = 256;

impl Scene {
    fn new() -> Scene {
        let device = device();
        let interop = device.query("ID3D12DXVKInteropDevice2").unwrap();
        let queue = queue(&device);
        let (mut vk_queue, mut family) = (vk::Queue::null(), u32::MAX);
        let words = [at(queue.0), place(&mut vk_queue), place(&mut family)];
        assert_eq!(interop.code(INTEROP, "GetVulkanQueueInfo", &words), S_OK);
        let owner = "ID3D12DXVKInteropDevice1";
        let allocator = interop.make(owner, "CreateInteropCommandAllocator", &[0, family.into()]).unwrap();
        let words = [0, 0, at(allocator.0), 0, iid("ID3D12GraphicsCommandList")];
        let list = device.make("ID3D12Device", "CreateCommandList", &words).unwrap();
        let bytes = committed(&device, D3D12_HEAP_TYPE::READBACK, D3D12_HEAP_FLAGS::NONE, &buffer(SIZE));
        let (mut handle, mut offset) = (0u64, 0u64);
        let words = [at(bytes.0), place(&mut handle), place(&mut offset)];
        assert_eq!(interop.code(INTEROP, "GetVulkanResourceInfo", &words), S_OK);
        let fence = fence(&device, D3D12_FENCE_FLAGS::NONE);
        let vk_bytes = (vk::Buffer::from_raw(handle), offset);
        Scene { device, interop, queue, family, vk_queue, allocator, list, bytes, vk_bytes, fence }
    }

    /// Fills a half of the buffer by Vulkan.
    fn fill(&self, commands: vk::CommandBuffer, half: u64, value: u32) {
        let ((buffer, offset), vk) = (self.vk_bytes, &body(&self.device).vk);
        // SAFETY: a command buffer that is recorded; the bytes are the buffer's.
        unsafe { vk.cmd_fill_buffer(commands, buffer, offset + half * SIZE / 2, SIZE / 2, value) };
    }

    /// Closes and runs the list, and signals the fence.
    fn run(&self, value: u64) {
        assert_eq!(self.list.code("ID3D12GraphicsCommandList", "Close", &[]), S_OK);
        let lists = [self.list.0];
        self.queue.call("ID3D12CommandQueue", "ExecuteCommandLists", &[1, at(&lists)]);
        assert_eq!(self.queue.code("ID3D12CommandQueue", "Signal", &[at(self.fence.0), value]), S_OK);
    }

    fn wait(&self, value: u64) {
        assert_eq!(self.fence.code("ID3D12Fence", "SetEventOnCompletion", &[value, 0]), S_OK);
    }

    /// The first word of a half.
    fn read(&self, half: u64) -> u32 {
        let mut place_of: *const u32 = null();
        assert_eq!(self.bytes.code("ID3D12Resource", "Map", &[0, 0, place(&mut place_of)]), S_OK);
        // SAFETY: the buffer is mapped, and the GPU is done with it.
        unsafe { place_of.byte_add((half * SIZE / 2) as usize).read_volatile() }
    }

    fn begin(&self, list: &Com) -> Result<vk::CommandBuffer, i32> {
        let mut commands = vk::CommandBuffer::null();
        let words = [at(list.0), place(&mut commands)];
        match self.interop.code("ID3D12DXVKInteropDevice1", "BeginVkCommandBufferInterop", &words) {
            S_OK => Ok(commands),
            error => Err(error),
        }
    }
}

#[test]
fn programs_record_into_a_lists_command_buffer() {
    let scene = Scene::new();
    let commands = scene.begin(&scene.list).unwrap();
    scene.fill(commands, 0, 0x1111);
    let end = ["ID3D12DXVKInteropDevice1", "EndVkCommandBufferInterop"];
    assert_eq!(scene.interop.code(end[0], end[1], &[at(scene.list.0)]), S_OK);
    let ext = scene.list.query("ID3D12GraphicsCommandListExt2").unwrap();
    assert_eq!(ext.query("ID3D12GraphicsCommandList").unwrap().0, scene.list.0);
    let mut same = vk::CommandBuffer::null();
    assert_eq!(ext.code("ID3D12GraphicsCommandListExt", "GetVulkanHandle", &[place(&mut same)]), S_OK);
    assert_eq!(same, commands);
    scene.fill(same, 1, 0x2222);
    scene.run(1);
    scene.wait(1);
    assert_eq!((scene.read(0), scene.read(1)), (0x1111, 0x2222));
    // A closed list has none, and nothing else is a list.
    assert_eq!(scene.begin(&scene.list).unwrap_err(), DXGI_ERROR_INVALID_CALL);
    let closed = ext.code("ID3D12GraphicsCommandListExt", "GetVulkanHandle", &[place(&mut same)]);
    assert_eq!(closed, DXGI_ERROR_INVALID_CALL);
    assert_eq!(scene.begin(&scene.queue).unwrap_err(), E_INVALIDARG);
    assert_eq!(scene.interop.code(end[0], end[1], &[at(scene.queue.0)]), E_INVALIDARG);
    let room = [0u64; 4];
    let words = [at(&room), 1, 1, 1, at(&room), 8];
    assert_eq!(ext.code("ID3D12GraphicsCommandListExt", "LaunchCubinShader", &words), E_NOTIMPL);
    let words = [at(&room), 1, 1, 1, 0, at(&room), 8, 0, 0];
    assert_eq!(ext.code("ID3D12GraphicsCommandListExt1", "LaunchCubinShaderEx", &words), E_NOTIMPL);
    assert_eq!(ext.call("ID3D12GraphicsCommandListExt2", "VerifyOpacityMicromapArrayNVAPI", &[64]), 0);
    drop(ext);
    assert_eq!(scene.list.count(), 1);
    drop(scene.allocator);
}

/// The program has the Vulkan queue, so a submission that first uses a texture waits for it. Meanwhile another thread makes textures.
#[test]
fn textures_are_made_while_the_program_has_the_queue() {
    let scene = Scene::new();
    let make = || committed(&scene.device, D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_FLAGS::NONE, &texture());
    let waiting = make();
    let owner = "ID3D12DXVKInteropDevice2";
    assert_eq!(scene.interop.code(owner, "LockVulkanQueue", &[at(scene.queue.0)]), S_OK);
    scene.run(1);
    std::thread::sleep(Duration::from_millis(50));
    std::thread::scope(|scope| {
        let (made, told) = mpsc::channel();
        scope.spawn(move || {
            drop((make(), waiting));
            let _ = made.send(());
        });
        let is_made = told.recv_timeout(Duration::from_secs(20)).is_ok();
        assert_eq!(scene.interop.code(owner, "UnlockVulkanQueue", &[at(scene.queue.0)]), S_OK);
        assert!(is_made, "making a texture waits for the program's queue");
    });
    scene.wait(1);
}

/// The program's own submissions come after everything that it asked of the command queue before it locked it. What it asks while it has
/// the queue waits.
#[test]
fn a_locked_queue_is_the_programs() {
    for (lock, unlock) in [("LockCommandQueue", "UnlockCommandQueue"), ("LockVulkanQueue", "UnlockVulkanQueue")] {
        let owner = if lock == "LockVulkanQueue" { "ID3D12DXVKInteropDevice2" } else { INTEROP };
        let scene = Scene::new();
        let commands = scene.begin(&scene.list).unwrap();
        scene.fill(commands, 0, 0x3333);
        let queue = at(scene.queue.0);
        assert_eq!(scene.interop.code(owner, unlock, &[queue]), DXGI_ERROR_INVALID_CALL, "it is not locked");
        assert_eq!(scene.interop.code(owner, lock, &[queue]), S_OK);
        scene.run(1);
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(scene.fence.call("ID3D12Fence", "GetCompletedValue", &[]), 0, "the program has the queue");
        let vk = &body(&scene.device).vk;
        // SAFETY: objects of the test's own on a device that lives; the queue is the program's; it is idle at the end.
        unsafe {
            let info = vk::CommandPoolCreateInfo::default().queue_family_index(scene.family);
            let pool = vk.create_command_pool(&info, None).unwrap();
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let own = vk.allocate_command_buffers(&info).unwrap();
            vk.begin_command_buffer(own[0], &vk::CommandBufferBeginInfo::default()).unwrap();
            scene.fill(own[0], 1, 0x4444);
            vk.end_command_buffer(own[0]).unwrap();
            let work = [vk::SubmitInfo::default().command_buffers(&own)];
            vk.queue_submit(scene.vk_queue, &work, vk::Fence::null()).unwrap();
            vk.queue_wait_idle(scene.vk_queue).unwrap();
            vk.destroy_command_pool(pool, None);
        }
        assert_eq!((scene.read(0), scene.read(1)), (0, 0x4444));
        // On another thread than the one that locked it.
        std::thread::scope(|scope| {
            let unlocked = scope.spawn(|| scene.interop.code(owner, unlock, &[queue]));
            assert_eq!(unlocked.join().unwrap(), S_OK);
        });
        scene.wait(1);
        assert_eq!(scene.read(0), 0x3333);
        assert_eq!(scene.interop.code(owner, lock, &[at(scene.list.0)]), E_INVALIDARG, "a list is no queue");
    }
}

/// A new image leaves `UNDEFINED` before the program submits by itself.
#[test]
fn new_images_are_ready_behind_the_lock() {
    let scene = Scene::new();
    let image = committed(&scene.device, D3D12_HEAP_TYPE::DEFAULT, D3D12_HEAP_FLAGS::NONE, &texture());
    // SAFETY: a resource of ours, which the reference keeps.
    let image = unsafe { Object::<reprise_runtime::resource::Resource>::this(image.0).image().unwrap().clone() };
    assert!(!image.is_begun());
    let queue = at(scene.queue.0);
    assert_eq!(scene.interop.code(INTEROP, "LockCommandQueue", &[queue]), S_OK);
    assert!(image.is_begun());
    assert_eq!(scene.interop.code(INTEROP, "UnlockCommandQueue", &[queue]), S_OK);
}

#[test]
fn queues_of_a_vulkan_family_are_made_where_there_are_such() {
    let scene = Scene::new();
    let desc = D3D12_COMMAND_QUEUE_DESC { Type: D3D12_COMMAND_LIST_TYPE::DIRECT, ..Default::default() };
    let make = |family: u32| {
        scene.interop.make("ID3D12DXVKInteropDevice1", "CreateInteropCommandQueue", &[at(&desc), family.into()])
    };
    let made = make(scene.family).unwrap();
    assert_eq!(make(77).unwrap_err(), E_NOTIMPL);
    // The type says which family it is.
    make(vk::QUEUE_FAMILY_IGNORED).unwrap();
    let words = [0, vk::QUEUE_FAMILY_IGNORED.into()];
    scene.interop.make("ID3D12DXVKInteropDevice1", "CreateInteropCommandAllocator", &words).unwrap();
    let none = scene.interop.make("ID3D12DXVKInteropDevice1", "CreateInteropCommandAllocator", &[0, 77]);
    assert_eq!(none.unwrap_err(), E_NOTIMPL);
    let ext = scene.device.query("ID3D12DeviceExt1").unwrap();
    let (mut vk_queue, [mut index, mut flags, mut family]) = (vk::Queue::null(), [u32::MAX; 3]);
    let words = [at(made.0), place(&mut vk_queue), place(&mut index), place(&mut flags), place(&mut family)];
    assert_eq!(ext.code("ID3D12DeviceExt1", "GetVulkanQueueInfoEx", &words), S_OK);
    // SAFETY: the device was made with this queue, if the answer is right.
    let expected = unsafe { body(&scene.device).vk.get_device_queue(family, index) };
    assert_eq!((vk_queue, flags, family), (expected, 0, scene.family));
    assert_eq!(ext.code("ID3D12DeviceExt1", "GetVulkanQueueInfoEx", &[0; 5]), E_INVALIDARG);
    // The queue itself, through whatever wraps it, and the interface of a vendor's libraries.
    assert_eq!(made.query("ID3D12ExtDummyInterface").unwrap().0, made.0);
    let vendor = made.query("ID3D12CommandQueueExt").unwrap();
    assert_eq!(vendor.code("ID3D12CommandQueueExt", "NotifyOutOfBandCommandQueue", &[0]), E_NOTIMPL);
    assert_eq!(vendor.query("ID3D12CommandQueue").unwrap().0, made.0);
    assert_eq!(made.query("ID3D12SharingContract").unwrap_err(), E_NOINTERFACE);
}

/// Another library's wrapper of a queue: it answers for our queue only when asked for the object below.
#[test]
fn a_wrapped_queue_is_known_by_the_object_below() {
    #[repr(C)]
    struct Wrapper {
        vtable: *const [*const c_void; 3],
        below: *mut c_void,
    }
    unsafe extern "C" fn query(
        this: *mut Wrapper,
        asked: *const reprise_d3d12::model::Guid,
        out: *mut *mut c_void,
    ) -> i32 {
        // SAFETY: the runtime asks the wrapper below.
        unsafe {
            assert_eq!(*asked, reprise_d3d12::interface("ID3D12ExtDummyInterface").get().iid);
            let below = core::mem::ManuallyDrop::new(Com((*this).below));
            below.call("IUnknown", "AddRef", &[]);
            out.write(below.0);
        }
        S_OK
    }
    unsafe extern "C" fn count(_this: *mut Wrapper) -> u32 {
        1
    }
    let scene = Scene::new();
    let vtable = [query as *const c_void, count as *const c_void, count as *const c_void];
    let mut wrapper = Wrapper { vtable: &raw const vtable, below: scene.queue.0 };
    let (mut vk_queue, mut family) = (vk::Queue::null(), 0u32);
    let words = [place(&mut wrapper), place(&mut vk_queue), place(&mut family)];
    assert_eq!(scene.interop.code(INTEROP, "GetVulkanQueueInfo", &words), S_OK);
    assert_eq!((vk_queue, family), (scene.vk_queue, scene.family));
    assert_eq!(scene.queue.count(), 1, "the reference is given back");
}

/// What programs ask a runtime about debugging, before they make a device.
#[test]
fn the_debug_layer_and_settings_of_removal_are_objects_of_their_own() {
    let ask = |name: &str| {
        let mut out = null_mut();
        // SAFETY: the id is of the model and lives as long as the process, and the place is a local.
        let code = unsafe {
            let iid = &reprise_d3d12::interface(name).get().iid;
            reprise_runtime::entry::get_debug_interface(iid, &mut out)
        };
        if code == S_OK { Ok(Com(out)) } else { Err(code) }
    };
    let settings = ask("ID3D12DeviceRemovedExtendedDataSettings").unwrap();
    assert!(settings.query("ID3D12DeviceRemovedExtendedDataSettings2").is_ok());
    assert_eq!(settings.count(), 1);
    let layer = ask("ID3D12Debug").unwrap();
    assert!(layer.query("ID3D12Debug6").is_ok() && layer.query("ID3D12Debug2").is_ok());
    assert!(layer.query("ID3D12DeviceRemovedExtendedDataSettings").is_err() && settings.query("ID3D12Debug").is_err());
    assert_eq!(layer.count(), 1);
    assert_eq!(ask("ID3D12InfoQueue").unwrap_err(), E_NOINTERFACE, "that is the device's");
    assert_eq!(ask("ID3D12Tools").unwrap_err(), E_NOINTERFACE);
}
