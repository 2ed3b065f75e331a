//! Heaps that a program places resources in.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::Arc;

use ash::vk;
use reprise_com::result::{E_INVALIDARG, S_FALSE};
use reprise_com::{Class, Object, Public, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::method;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_CPU_PAGE_PROPERTY, D3D12_DRED_ALLOCATION_TYPE, D3D12_HEAP_DESC, D3D12_HEAP_FLAGS as Flags,
    D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_MEMORY_POOL, D3D12_RESOURCE_DESC1,
    D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_FLAGS,
};
#[cfg(unix)]
use reprise_gpu::memory::outside::{Described, Foreign};
use reprise_gpu::memory::{CpuAccess, Purpose, Request, Slice};
use reprise_log::warning_once;

use crate::device::this;
use crate::error::{code, code_at, code_of_method};
use crate::handle::sweep_for;
use crate::own::is_own;
use crate::resource::desc::{self, ALIGNMENT, ALIGNMENT_MULTISAMPLED};
use crate::resource::{heap_type, place};
use crate::{Child, Device, Error, Result};

/// The body of `ID3D12Heap`.
pub struct Heap {
    /// The device.
    pub device: Child,
    /// Complete: alignment filled in.
    pub desc: D3D12_HEAP_DESC,
    /// The memory. Tiles that are mapped to it keep it, too.
    pub slice: Arc<Slice>,
}

impl core::fmt::Debug for Heap {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Heap").field("slice", &self.slice).finish_non_exhaustive()
    }
}

const NEWEST: InterfaceId = interface("ID3D12Heap1");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<Heap>::SHARED, HEAP_METHODS);

impl Class for Heap {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn facet(object: &Object<Heap>, iid: &Guid) -> Option<*mut c_void> {
        is_own(iid).then(|| object.pointer())
    }

    fn own_data(object: &Object<Heap>, id: &Guid) -> Option<Vec<u8>> {
        place::of_slice(&object.device, id, Some(&object.slice))
    }

    fn leaving(object: &Object<Heap>) {
        object.device.trail.release(object);
    }

    fn released(object: &Object<Heap>) {
        sweep_for(object.desc.Flags);
        // What lies in it may be buried and counts only its own bytes.
        object.device.graveyard.bury(object.slice.clone(), object.slice.size);
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

impl Heap {
    fn make(device: &Object<Device>, desc: D3D12_HEAP_DESC, slice: Arc<Slice>) -> Public<Heap> {
        let (address, size) = (slice.address(), slice.size);
        let heap = Object::make(Heap { device: Child::new(device), desc, slice });
        device.trail.own(&heap, D3D12_DRED_ALLOCATION_TYPE::HEAP, address, size);
        heap
    }

    /// Whether a resource of a complete description may be placed here, by the heap's flags.
    ///
    /// # Errors
    /// It may not.
    pub fn admits(&self, desc: &D3D12_RESOURCE_DESC1) -> Result<()> {
        let denied = if desc.Dimension == Dimension::BUFFER {
            Flags::DENY_BUFFERS
        } else if desc::is_target(desc) {
            Flags::DENY_RT_DS_TEXTURES
        } else {
            Flags::DENY_NON_RT_DS_TEXTURES
        };
        if self.desc.Flags.0 & denied.0 != 0 {
            return Err(Error::Invalid("the heap denies such resources"));
        }
        check_sharing(self.desc.Flags, desc)
    }
}

/// Whether adapters share the heap exactly where they share the resource in it.
///
/// # Errors
/// One is shared and the other is not.
pub fn check_sharing(flags: Flags, desc: &D3D12_RESOURCE_DESC1) -> Result<()> {
    let shared = flags.0 & Flags::SHARED_CROSS_ADAPTER.0 != 0;
    if shared != desc::has(desc, D3D12_RESOURCE_FLAGS::ALLOW_CROSS_ADAPTER) {
        return Err(Error::Invalid("heaps that adapters share hold resources that adapters share, and no others"));
    }
    Ok(())
}

/// A node mask of the program's: it means the one node that there is.
pub fn one_node(mask: u32) {
    if mask > 1 {
        warning_once("a node mask is treated as that of the first node:", "there is no other");
    }
}

/// Whether heap properties are allowed on this device.
///
/// # Errors
/// They are not; the error says which.
pub fn check_properties(device: &Device, heap: &D3D12_HEAP_PROPERTIES) -> Result<()> {
    one_node(heap.CreationNodeMask | heap.VisibleNodeMask);
    heap_type::wish(heap, device.caps.architecture, device.caps.maps_local_memory()).map(|_| ())
}

/// Whether there are such flags for a heap of these properties.
///
/// # Errors
/// They contradict each other or the properties, or are not supported.
pub fn check_flags(flags: Flags, properties: &D3D12_HEAP_PROPERTIES) -> Result<()> {
    let denials = Flags::DENY_BUFFERS.0 | Flags::DENY_RT_DS_TEXTURES.0 | Flags::DENY_NON_RT_DS_TEXTURES.0;
    if flags.0 & denials == denials {
        return Err(Error::Invalid("a heap that denies everything"));
    }
    // What a program cannot tell from its absence is accepted: nothing is evicted, atomics work, and what need not be zero is:
    // drivers of the API's own runtime clear it all the same, and programs came to rely on that. A heap that may be shared is
    // like any other.
    let known = denials
        | Flags::SHARED.0
        | Flags::SHARED_CROSS_ADAPTER.0
        | Flags::ALLOW_SHADER_ATOMICS.0
        | Flags::CREATE_NOT_RESIDENT.0
        | Flags::CREATE_NOT_ZEROED.0
        | Flags::TOOLS_USE_MANUAL_WRITE_TRACKING.0;
    if flags.0 & Flags::ALLOW_DISPLAY.0 != 0 {
        return Err(Error::Invalid("heaps cannot be displayed"));
    }
    if flags.0 & !known != 0 {
        return Err(Error::Unsupported("heaps that are protected or watched for writes"));
    }
    if flags.0 & Flags::SHARED_CROSS_ADAPTER.0 != 0 && heap_type::access(properties) != CpuAccess::None {
        return Err(Error::Invalid("the CPU sees no heap that adapters share"));
    }
    Ok(())
}

/// Whether other devices and processes may open memory with these flags. What the CPU sees stays within its device, because captures
/// watch it.
pub fn is_outside(flags: Flags, access: CpuAccess) -> bool {
    flags.0 & Flags::SHARED.0 != 0 && access == CpuAccess::None
}

/// A heap that another device or process has given, with what it says of it.
///
/// # Errors
/// The API or this device has no such heap, or the memory is not for it.
#[cfg(unix)]
pub fn opened(
    device: &Object<Device>,
    desc: D3D12_HEAP_DESC,
    memory: &Described,
    file: Foreign,
) -> Result<Public<Heap>> {
    check_properties(device, &desc.Properties)?;
    check_flags(desc.Flags, &desc.Properties)?;
    let aligned = matches!(desc.Alignment, ALIGNMENT | ALIGNMENT_MULTISAMPLED);
    let size = desc.SizeInBytes.checked_next_multiple_of(ALIGNMENT);
    let shared = is_outside(desc.Flags, heap_type::access(&desc.Properties));
    if !aligned || desc.SizeInBytes == 0 || size != Some(memory.size) || !shared || memory.type_index >= 32 {
        return Err(Error::Invalid("a heap that was given is none that can be"));
    }
    let addressed = device.memory.buffer_types() & (1 << memory.type_index) != 0;
    let slice = Arc::new(device.memory.open(memory, file, vk::Image::null(), addressed)?);
    Ok(Heap::make(device, desc, slice))
}

/// Makes a heap.
///
/// # Errors
/// The API does not allow the description, or there is no memory.
pub fn create(device: &Object<Device>, desc: &D3D12_HEAP_DESC) -> Result<Public<Heap>> {
    let addressing = place::next(device);
    let mut desc = *desc;
    check_properties(device, &desc.Properties)?;
    check_flags(desc.Flags, &desc.Properties)?;
    match desc.Alignment {
        0 => desc.Alignment = ALIGNMENT,
        ALIGNMENT | ALIGNMENT_MULTISAMPLED => {}
        _ => return Err(Error::Invalid("a heap's alignment is 64 KiB or 4 MiB")),
    }
    if desc.SizeInBytes == 0 {
        return Err(Error::Invalid("a heap has no size"));
    }
    let size = desc.SizeInBytes.checked_next_multiple_of(ALIGNMENT).ok_or(Error::MEMORY)?;
    let buffers = desc.Flags.0 & Flags::DENY_BUFFERS.0 == 0;
    let textures = Flags::DENY_RT_DS_TEXTURES.0 | Flags::DENY_NON_RT_DS_TEXTURES.0;
    let host = matches!(desc.Properties.Type, D3D12_HEAP_TYPE::UPLOAD | D3D12_HEAP_TYPE::READBACK);
    let images = desc.Flags.0 & textures != textures && !host;
    let request = Request {
        size,
        alignment: ALIGNMENT,
        types: !0,
        wish: heap_type::wish(&desc.Properties, device.caps.architecture, device.caps.maps_local_memory())?,
        access: heap_type::access(&desc.Properties),
        purpose: Purpose::Heap { buffers, images },
        dedicated: vk::Image::null(),
        zeroed: true,
        addressing,
        gpu_writes: heap_type::gpu_writes(&desc.Properties),
        outside: is_outside(desc.Flags, heap_type::access(&desc.Properties)),
    };
    let slice = Arc::new(device.memory.allocate(&request)?);
    for mask in [&mut desc.Properties.CreationNodeMask, &mut desc.Properties.VisibleNodeMask] {
        *mask = 1;
    }
    Ok(Heap::make(device, desc, slice))
}

/// A heap over memory of the program, for buffers.
///
/// # Safety
/// The bytes are readable and writable, and stay so while anything uses the heap.
unsafe fn open(device: &Object<Device>, place: NonNull<u8>, size: u64) -> Result<Public<Heap>> {
    // SAFETY: the caller keeps the bytes readable and writable while anything uses the heap, which holds the slice.
    let slice = Arc::new(unsafe { device.memory.import(place, size) }?);
    let desc = D3D12_HEAP_DESC {
        SizeInBytes: size,
        Properties: D3D12_HEAP_PROPERTIES {
            Type: D3D12_HEAP_TYPE::CUSTOM,
            CPUPageProperty: D3D12_CPU_PAGE_PROPERTY::WRITE_BACK,
            MemoryPoolPreference: D3D12_MEMORY_POOL::L0,
            CreationNodeMask: 1,
            VisibleNodeMask: 1,
        },
        Alignment: ALIGNMENT,
        Flags: Flags(
            Flags::SHARED.0
                | Flags::SHARED_CROSS_ADAPTER.0
                | Flags::DENY_RT_DS_TEXTURES.0
                | Flags::DENY_NON_RT_DS_TEXTURES.0,
        ),
    };
    Ok(Heap::make(device, desc, slice))
}

const HEAP_METHODS: &Slots = &[("GetDesc", get_desc as *const c_void)];

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateHeap", create_heap as *const c_void),
    ("CreateHeap1", create_heap1 as *const c_void),
    #[cfg(windows)]
    ("OpenExistingHeapFromAddress", open_existing_heap_from_address as *const c_void),
    ("OpenExistingHeapFromAddress1", open_existing_heap_from_address1 as *const c_void),
];

unsafe extern "C" fn get_desc(heap: *mut c_void, out: *mut D3D12_HEAP_DESC) -> *mut D3D12_HEAP_DESC {
    // SAFETY: a heap of ours; the place is the caller's.
    unsafe { out.write(Object::<Heap>::this(heap).desc) };
    out
}

unsafe extern "C" fn create_heap(
    device: *mut c_void,
    desc: *const D3D12_HEAP_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the slot is of a device's vtable; the description is null or readable, `iid` is not looked through before it is known not
        // to be null, and `out` is null or room for a pointer.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            let (Some(desc), false) = (desc.as_ref(), iid.is_null()) else { return E_INVALIDARG };
            match create(this(device), desc) {
                Ok(_) if out.is_null() => S_FALSE,
                Ok(heap) => heap.give(&*iid, out),
                Err(error) => code_at(Err(error), const { method("ID3D12Device", "CreateHeap") }),
            }
        }
    })
}

unsafe extern "C" fn create_heap1(
    device: *mut c_void,
    desc: *const D3D12_HEAP_DESC,
    session: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    if !session.is_null() {
        return code(Err(Error::Unsupported("protected sessions")));
    }
    // SAFETY: the same arguments.
    unsafe { create_heap(device, desc, iid, out) }
}

/// A heap over a whole allocation of Windows, which knows its size. Other systems' do not, and the method is refused there.
#[cfg(windows)]
unsafe extern "C" fn open_existing_heap_from_address(
    device: *mut c_void,
    place: *const c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        let size = NonNull::new(place.cast_mut().cast()).ok_or(Error::Invalid("there is no address"));
        match size.and_then(crate::resource::region::size) {
            // SAFETY: the same arguments.
            Ok(size) => unsafe { open_existing_heap_from_address1(device, place, size as usize, iid, out) },
            Err(error) => code(Err(error)),
        }
    })
}

unsafe extern "C" fn open_existing_heap_from_address1(
    device: *mut c_void,
    place: *const c_void,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the slot is of a device's vtable; `iid` and the place are not looked through before they are known not to be null, `out`
        // is null or room for a pointer, and the program keeps the memory as long as the heap.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            let (Some(place), false) = (NonNull::new(place.cast_mut().cast()), iid.is_null()) else {
                return E_INVALIDARG;
            };
            let opened = match size {
                0 => Err(Error::Invalid("a heap has no size")),
                _ => open(this(device), place, size as u64),
            };
            match opened {
                Ok(_) if out.is_null() => S_FALSE,
                Ok(heap) => heap.give(&*iid, out),
                Err(error) => {
                    code_of_method(Err(error), const { method("ID3D12Device13", "OpenExistingHeapFromAddress1") })
                }
            }
        }
    })
}
