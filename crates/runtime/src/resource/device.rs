//! Methods of the device that make resources and keep them resident.

use core::ffi::c_void;
use core::ptr::null_mut;

use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Object, Public, Slots, guard};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::method;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::types::{
    D3D12_BARRIER_LAYOUT, D3D12_CLEAR_VALUE, D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_STATES, DXGI_FORMAT,
};

use crate::device::this;
use crate::error::code_of_method;
use crate::resource::create::{Initial, Wanted, committed, placed};
use crate::resource::desc;
use crate::resource::heap::Heap;
use crate::resource::heap_type::as_custom;
use crate::resource::object::Resource;
use crate::{Error, Result};

/// Methods of the device that make or ask about these.
pub(crate) const DEVICE_METHODS: &Slots = &[
    ("CreateCommittedResource", create_committed as *const c_void),
    ("CreateCommittedResource1", create_committed1 as *const c_void),
    ("CreateCommittedResource2", create_committed2 as *const c_void),
    ("CreateCommittedResource3", create_committed3 as *const c_void),
    ("CreatePlacedResource", create_placed as *const c_void),
    ("CreatePlacedResource1", create_placed1 as *const c_void),
    ("CreatePlacedResource2", create_placed2 as *const c_void),
    ("GetCustomHeapProperties", get_custom_heap_properties as *const c_void),
    ("MakeResident", make_resident as *const c_void),
    ("Evict", make_resident as *const c_void),
    ("SetResidencyPriority", set_residency_priority as *const c_void),
    ("EnqueueMakeResident", enqueue_make_resident as *const c_void),
];

/// Gives a new resource to the program.
///
/// # Safety
/// `iid` is null or readable, `out` null or writable.
pub(super) unsafe fn give(
    method: MethodId,
    iid: *const Guid,
    out: *mut *mut c_void,
    make: impl FnOnce() -> Result<Public<Resource>>,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the caller promises: `iid` is null or readable, `out` null or writable.
        unsafe {
            if !out.is_null() {
                out.write(null_mut());
            }
            let Some(iid) = iid.as_ref() else { return E_INVALIDARG };
            match make() {
                Ok(resource) => resource.give(iid, out),
                Err(error) => code_of_method(Err(error), method),
            }
        }
    })
}

/// # Safety
/// The pointer is null or leads to so many formats.
pub(super) unsafe fn formats<'a>(count: u32, formats: *const DXGI_FORMAT) -> &'a [DXGI_FORMAT] {
    if count == 0 || formats.is_null() {
        return &[];
    }
    // SAFETY: the caller promises: the pointer is null or leads to so many formats.
    unsafe { core::slice::from_raw_parts(formats, count as usize) }
}

/// # Safety
/// `device` is of the vtable that the slot is in. Pointers to descriptions are null or readable, and `out` is null or room for a pointer.
#[expect(clippy::too_many_arguments, reason = "the API's own")]
unsafe fn make_committed(
    device: *mut c_void,
    properties: *const D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    mut desc: Option<D3D12_RESOURCE_DESC1>,
    initial: Initial,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    castable: &[DXGI_FORMAT],
) -> Result<Public<Resource>> {
    if !session.is_null() {
        return Err(Error::Unsupported("protected sessions"));
    }
    // SAFETY: the caller promises a device of ours, and properties and a clear value that are null or readable; the description is our
    // copy.
    unsafe {
        let (Some(properties), Some(desc)) = (properties.as_ref(), desc.as_mut()) else {
            return Err(Error::Invalid("a resource needs heap properties and a description"));
        };
        let mut wanted = Wanted { desc, initial, clear: clear.as_ref(), castable };
        committed(this(device), properties, flags, &mut wanted)
    }
}

unsafe extern "C" fn create_committed(
    device: *mut c_void,
    properties: *const D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    desc: *const D3D12_RESOURCE_DESC,
    state: D3D12_RESOURCE_STATES,
    clear: *const D3D12_CLEAR_VALUE,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the same arguments.
    unsafe { create_committed1(device, properties, flags, desc, state, clear, null_mut(), iid, out) }
}

unsafe extern "C" fn create_committed1(
    device: *mut c_void,
    properties: *const D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    desc: *const D3D12_RESOURCE_DESC,
    state: D3D12_RESOURCE_STATES,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; properties, description and clear value are null or readable until the call returns, `iid`
    // and `out` null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device4", "CreateCommittedResource1") }, iid, out, || {
            let desc = desc.as_ref().map(desc::newer);
            make_committed(device, properties, flags, desc, Initial::State(state), clear, session, &[])
        })
    }
}

unsafe extern "C" fn create_committed2(
    device: *mut c_void,
    properties: *const D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    desc: *const D3D12_RESOURCE_DESC1,
    state: D3D12_RESOURCE_STATES,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; properties, description and clear value are null or readable until the call returns, `iid`
    // and `out` null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device8", "CreateCommittedResource2") }, iid, out, || {
            let desc = desc.as_ref().copied();
            make_committed(device, properties, flags, desc, Initial::State(state), clear, session, &[])
        })
    }
}

unsafe extern "C" fn create_committed3(
    device: *mut c_void,
    properties: *const D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    desc: *const D3D12_RESOURCE_DESC1,
    layout: D3D12_BARRIER_LAYOUT,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    castable_count: u32,
    castable: *const DXGI_FORMAT,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; properties, description, clear value and the array of `castable_count` formats are null or
    // readable until the call returns, `iid` and `out` null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device10", "CreateCommittedResource3") }, iid, out, || {
            let castable = formats(castable_count, castable);
            let desc = desc.as_ref().copied();
            make_committed(device, properties, flags, desc, Initial::Layout(layout), clear, session, castable)
        })
    }
}

/// # Safety
/// `device` is of the vtable that the slot is in, and the heap is null or one that the program holds. Pointers to descriptions are null or
/// readable, and `out` is null or room for a pointer.
unsafe fn make_placed(
    device: *mut c_void,
    heap: *mut c_void,
    offset: u64,
    mut desc: Option<D3D12_RESOURCE_DESC1>,
    initial: Initial,
    clear: *const D3D12_CLEAR_VALUE,
    castable: &[DXGI_FORMAT],
) -> Result<Public<Resource>> {
    // SAFETY: the caller promises a device of ours, a heap that is null or that the program holds, and a clear value that is null or
    // readable; the description is our copy.
    unsafe {
        let (Some(heap), Some(desc)) = (Object::<Heap>::from_pointer(heap), desc.as_mut()) else {
            return Err(Error::Invalid("a placed resource needs a heap and a description"));
        };
        let mut wanted = Wanted { desc, initial, clear: clear.as_ref(), castable };
        placed(this(device), heap, offset, &mut wanted)
    }
}

unsafe extern "C" fn create_placed(
    device: *mut c_void,
    heap: *mut c_void,
    offset: u64,
    desc: *const D3D12_RESOURCE_DESC,
    state: D3D12_RESOURCE_STATES,
    clear: *const D3D12_CLEAR_VALUE,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; the heap is null or one that the program holds, description and clear value are null or
    // readable until the call returns, `iid` and `out` null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device", "CreatePlacedResource") }, iid, out, || {
            make_placed(device, heap, offset, desc.as_ref().map(desc::newer), Initial::State(state), clear, &[])
        })
    }
}

unsafe extern "C" fn create_placed1(
    device: *mut c_void,
    heap: *mut c_void,
    offset: u64,
    desc: *const D3D12_RESOURCE_DESC1,
    state: D3D12_RESOURCE_STATES,
    clear: *const D3D12_CLEAR_VALUE,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; the heap is null or one that the program holds, description and clear value are null or
    // readable until the call returns, `iid` and `out` null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device8", "CreatePlacedResource1") }, iid, out, || {
            make_placed(device, heap, offset, desc.as_ref().copied(), Initial::State(state), clear, &[])
        })
    }
}

unsafe extern "C" fn create_placed2(
    device: *mut c_void,
    heap: *mut c_void,
    offset: u64,
    desc: *const D3D12_RESOURCE_DESC1,
    layout: D3D12_BARRIER_LAYOUT,
    clear: *const D3D12_CLEAR_VALUE,
    castable_count: u32,
    castable: *const DXGI_FORMAT,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the slot is of a device's vtable; the heap is null or one that the program holds, description, clear value and the array of
    // `castable_count` formats are null or readable until the call returns, `iid` and `out` null, or an id and room for a pointer.
    unsafe {
        give(const { method("ID3D12Device10", "CreatePlacedResource2") }, iid, out, || {
            let castable = formats(castable_count, castable);
            make_placed(device, heap, offset, desc.as_ref().copied(), Initial::Layout(layout), clear, castable)
        })
    }
}

unsafe extern "C" fn get_custom_heap_properties(
    device: *mut c_void,
    out: *mut D3D12_HEAP_PROPERTIES,
    _node: u32,
    kind: D3D12_HEAP_TYPE,
) -> *mut D3D12_HEAP_PROPERTIES {
    // SAFETY: a device of ours; the place is the caller's.
    unsafe {
        out.write(as_custom(kind, this(device).caps.architecture).unwrap_or_default());
    }
    out
}

/// Nothing is ever evicted, so everything is resident all the time; the same function serves `Evict`.
unsafe extern "C" fn make_resident(_device: *mut c_void, count: u32, objects: *const *mut c_void) -> i32 {
    // SAFETY: the program's array.
    let complete = || unsafe { core::slice::from_raw_parts(objects, count as usize) }.iter().all(|one| !one.is_null());
    if count > 0 && (objects.is_null() || !complete()) { E_INVALIDARG } else { S_OK }
}

/// Nothing is ever evicted, so the order of eviction has no effect.
unsafe extern "C" fn set_residency_priority(
    _device: *mut c_void,
    count: u32,
    objects: *const *mut c_void,
    priorities: *const u32,
) -> i32 {
    if count > 0 && (objects.is_null() || priorities.is_null()) { E_INVALIDARG } else { S_OK }
}

unsafe extern "C" fn enqueue_make_resident(
    device: *mut c_void,
    _flags: u32,
    count: u32,
    objects: *const *mut c_void,
    fence: *mut c_void,
    value: u64,
) -> i32 {
    const SIGNAL: u16 = method("ID3D12Fence", "Signal").get().slot;
    const { assert!(interface("ID3D12Fence").slots() > SIGNAL) };
    // SAFETY: the program's arguments; a fence's slot has this type.
    unsafe {
        let result = make_resident(device, count, objects);
        if result < 0 || fence.is_null() {
            return if result < 0 { result } else { E_INVALIDARG };
        }
        let vtable = *fence.cast::<*const *const c_void>();
        let signal: unsafe extern "C" fn(*mut c_void, u64) -> i32 = core::mem::transmute(*vtable.add(SIGNAL.into()));
        signal(fence, value)
    }
}
