//! Methods of the device that make resources or ask about them.

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Object, Public, Slots, guard};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::method;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::types::{
    D3D12_BARRIER_LAYOUT, D3D12_CLEAR_VALUE, D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE,
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_ALLOCATION_INFO, D3D12_RESOURCE_ALLOCATION_INFO1,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_STATES, DXGI_FORMAT,
};

use crate::device::this;
use crate::heap::Heap;
use crate::memory::types::{as_custom, is_unified};
use crate::resource::create::{Initial, Wanted, committed, placed};
use crate::resource::desc::ALIGNMENT;
use crate::resource::methods::told;
use crate::resource::{Resource, allocation, desc, info};
use crate::{Device, Error, Result};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateCommittedResource", create_committed as *const c_void),
    ("CreateCommittedResource1", create_committed1 as *const c_void),
    ("CreateCommittedResource2", create_committed2 as *const c_void),
    ("CreateCommittedResource3", create_committed3 as *const c_void),
    ("CreatePlacedResource", create_placed as *const c_void),
    ("CreatePlacedResource1", create_placed1 as *const c_void),
    ("CreatePlacedResource2", create_placed2 as *const c_void),
    ("GetResourceAllocationInfo", get_allocation_info as *const c_void),
    ("GetResourceAllocationInfo1", get_allocation_info1 as *const c_void),
    ("GetResourceAllocationInfo2", get_allocation_info2 as *const c_void),
    ("GetResourceAllocationInfo3", get_allocation_info3 as *const c_void),
    ("GetCopyableFootprints", get_copyable_footprints as *const c_void),
    ("GetCopyableFootprints1", get_copyable_footprints1 as *const c_void),
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
        // SAFETY: by contract.
        unsafe {
            if !out.is_null() {
                out.write(null_mut());
            }
            let Some(iid) = iid.as_ref() else { return E_INVALIDARG };
            match make() {
                Ok(resource) => resource.give(iid, out),
                Err(error) => told(Err(error), method),
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
    // SAFETY: by contract.
    unsafe { core::slice::from_raw_parts(formats, count as usize) }
}

/// # Safety
/// The program's arguments, as the API demands them.
#[expect(clippy::too_many_arguments, reason = "the API's own")]
unsafe fn make_committed(
    device: *mut c_void,
    properties: *const D3D12_HEAP_PROPERTIES,
    flags: D3D12_HEAP_FLAGS,
    desc: Option<D3D12_RESOURCE_DESC1>,
    initial: Initial,
    clear: *const D3D12_CLEAR_VALUE,
    session: *mut c_void,
    castable: &[DXGI_FORMAT],
) -> Result<Public<Resource>> {
    if !session.is_null() {
        return Err(Error::Unsupported("protected sessions"));
    }
    // SAFETY: by contract.
    unsafe {
        let (Some(properties), Some(desc)) = (properties.as_ref(), desc) else {
            return Err(Error::Invalid("a resource needs heap properties and a description"));
        };
        let wanted = Wanted { desc: &desc, initial, clear: clear.as_ref(), castable };
        committed(this(device), properties, flags, &wanted)
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
    // SAFETY: the program's arguments, as the API demands them.
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
    // SAFETY: the program's arguments, as the API demands them.
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
    // SAFETY: the program's arguments, as the API demands them.
    unsafe {
        give(const { method("ID3D12Device10", "CreateCommittedResource3") }, iid, out, || {
            let castable = formats(castable_count, castable);
            let desc = desc.as_ref().copied();
            make_committed(device, properties, flags, desc, Initial::Layout(layout), clear, session, castable)
        })
    }
}

/// # Safety
/// The program's arguments, as the API demands them.
unsafe fn make_placed(
    device: *mut c_void,
    heap: *mut c_void,
    offset: u64,
    desc: Option<D3D12_RESOURCE_DESC1>,
    initial: Initial,
    clear: *const D3D12_CLEAR_VALUE,
    castable: &[DXGI_FORMAT],
) -> Result<Public<Resource>> {
    // SAFETY: by contract.
    unsafe {
        let (Some(heap), Some(desc)) = (Object::<Heap>::from_pointer(heap), desc) else {
            return Err(Error::Invalid("a placed resource needs a heap and a description"));
        };
        let wanted = Wanted { desc: &desc, initial, clear: clear.as_ref(), castable };
        placed(this(device), heap, offset, &wanted)
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
    // SAFETY: the program's arguments, as the API demands them.
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
    // SAFETY: the program's arguments, as the API demands them.
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
    // SAFETY: the program's arguments, as the API demands them.
    unsafe {
        give(const { method("ID3D12Device10", "CreatePlacedResource2") }, iid, out, || {
            let castable = formats(castable_count, castable);
            make_placed(device, heap, offset, desc.as_ref().copied(), Initial::Layout(layout), clear, castable)
        })
    }
}

type Info = D3D12_RESOURCE_ALLOCATION_INFO;
type Info1 = D3D12_RESOURCE_ALLOCATION_INFO1;

/// Sizes of descriptions one after the other in a heap, and of all; each with the formats that it casts to.
fn allocation_info<'a>(
    device: &Device,
    descs: impl Iterator<Item = (D3D12_RESOURCE_DESC1, &'a [DXGI_FORMAT])>,
    mut each: impl FnMut(usize, Info1),
) -> Info {
    let mut all = Info { SizeInBytes: 0, Alignment: ALIGNMENT };
    let mut failed = false;
    for (index, (desc, casts)) in descs.enumerate() {
        let room = allocation::room(device, &desc, casts).and_then(|room| {
            let start = all.SizeInBytes.checked_next_multiple_of(room.alignment);
            let end = start.and_then(|start| start.checked_add(room.size));
            Ok((room, start.zip(end).ok_or(Error::Memory)?))
        });
        match room {
            Ok((room, (start, end))) => {
                all.SizeInBytes = end;
                all.Alignment = if index == 0 { room.alignment } else { all.Alignment.max(room.alignment) };
                each(index, Info1 { Offset: start, Alignment: room.alignment, SizeInBytes: room.size });
            }
            Err(_) => {
                failed = true;
                each(index, Info1 { Offset: 0, Alignment: ALIGNMENT, SizeInBytes: u64::MAX });
            }
        }
    }
    if failed { Info { SizeInBytes: u64::MAX, Alignment: ALIGNMENT } } else { all }
}

/// # Safety
/// `descs` leads to `count` descriptions, `infos` is null or leads to as many places, `out` is writable.
unsafe fn answer<'a, D>(
    device: *mut c_void,
    out: *mut Info,
    count: u32,
    descs: *const D,
    newer: impl Fn(usize, &D) -> (D3D12_RESOURCE_DESC1, &'a [DXGI_FORMAT]),
    infos: *mut Info1,
) -> *mut Info {
    let failed = Info { SizeInBytes: u64::MAX, Alignment: ALIGNMENT };
    let info = guard(failed, || {
        if count == 0 {
            return Info { SizeInBytes: 0, Alignment: 1 };
        }
        if descs.is_null() {
            return failed;
        }
        // SAFETY: by contract.
        unsafe {
            let descs = core::slice::from_raw_parts(descs, count as usize).iter().enumerate();
            allocation_info(this(device), descs.map(|(at, desc)| newer(at, desc)), |index, info| {
                if !infos.is_null() {
                    infos.add(index).write(info);
                }
            })
        }
    });
    // SAFETY: by contract.
    unsafe { out.write(info) };
    out
}

unsafe extern "C" fn get_allocation_info(
    device: *mut c_void,
    out: *mut Info,
    visible: u32,
    count: u32,
    descs: *const D3D12_RESOURCE_DESC,
) -> *mut Info {
    // SAFETY: the same arguments.
    unsafe { get_allocation_info1(device, out, visible, count, descs, null_mut()) }
}

unsafe extern "C" fn get_allocation_info1(
    device: *mut c_void,
    out: *mut Info,
    _visible: u32,
    count: u32,
    descs: *const D3D12_RESOURCE_DESC,
    infos: *mut Info1,
) -> *mut Info {
    // SAFETY: the program's arguments, as the API demands them.
    unsafe { answer(device, out, count, descs, |_, desc| (desc::newer(desc), &[]), infos) }
}

unsafe extern "C" fn get_allocation_info2(
    device: *mut c_void,
    out: *mut Info,
    visible: u32,
    count: u32,
    descs: *const D3D12_RESOURCE_DESC1,
    infos: *mut Info1,
) -> *mut Info {
    // SAFETY: the same arguments.
    unsafe { get_allocation_info3(device, out, visible, count, descs, null(), null(), infos) }
}

unsafe extern "C" fn get_allocation_info3(
    device: *mut c_void,
    out: *mut Info,
    _visible: u32,
    count: u32,
    descs: *const D3D12_RESOURCE_DESC1,
    cast_counts: *const u32,
    casts: *const *const DXGI_FORMAT,
    infos: *mut Info1,
) -> *mut Info {
    let casts = |at: usize| {
        if cast_counts.is_null() || casts.is_null() {
            return &[][..];
        }
        // SAFETY: arrays of as many elements as descriptions.
        unsafe { formats(*cast_counts.add(at), *casts.add(at)) }
    };
    // SAFETY: the program's arguments, as the API demands them.
    unsafe { answer(device, out, count, descs, |at, desc| (*desc, casts(at)), infos) }
}

unsafe extern "C" fn get_copyable_footprints(
    device: *mut c_void,
    desc: *const D3D12_RESOURCE_DESC,
    first: u32,
    count: u32,
    base: u64,
    layouts: *mut D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    rows: *mut u32,
    row_sizes: *mut u64,
    total: *mut u64,
) {
    // SAFETY: the program's arguments, as the API demands them.
    unsafe {
        let newer = desc.as_ref().map(desc::newer);
        let newer = newer.as_ref().map_or(core::ptr::null(), core::ptr::from_ref);
        get_copyable_footprints1(device, newer, first, count, base, layouts, rows, row_sizes, total);
    }
}

unsafe extern "C" fn get_copyable_footprints1(
    _device: *mut c_void,
    desc: *const D3D12_RESOURCE_DESC1,
    first: u32,
    count: u32,
    base: u64,
    layouts: *mut D3D12_PLACED_SUBRESOURCE_FOOTPRINT,
    rows: *mut u32,
    row_sizes: *mut u64,
    total: *mut u64,
) {
    guard((), || {
        // SAFETY: the program's arguments: each place is null or has room for `count` answers.
        unsafe {
            // What cannot be answered is all ones.
            let places = count as usize;
            if !layouts.is_null() {
                layouts.write_bytes(0xff, places);
            }
            if !rows.is_null() {
                rows.write_bytes(0xff, places);
            }
            if !row_sizes.is_null() {
                row_sizes.write_bytes(0xff, places);
            }
            if !total.is_null() {
                total.write(u64::MAX);
            }
            let Some(desc) = desc.as_ref().and_then(|desc| desc::complete(desc, &[]).ok()) else { return };
            if first.checked_add(count).is_none_or(|end| end > desc::subresources(&desc)) {
                return;
            }
            let sum = info::footprints(&desc, first, count, base, |index, footprint| {
                let index = index as usize;
                if !layouts.is_null() {
                    layouts.add(index).write(footprint.placed);
                }
                if !rows.is_null() {
                    rows.add(index).write(footprint.rows);
                }
                if !row_sizes.is_null() {
                    row_sizes.add(index).write(footprint.row_size);
                }
            });
            if let (Some(sum), false) = (sum, total.is_null()) {
                total.write(sum);
            }
        }
    });
}

unsafe extern "C" fn get_custom_heap_properties(
    device: *mut c_void,
    out: *mut D3D12_HEAP_PROPERTIES,
    _node: u32,
    kind: D3D12_HEAP_TYPE,
) -> *mut D3D12_HEAP_PROPERTIES {
    // SAFETY: a device of ours; the place is the caller's.
    unsafe {
        let unified = is_unified(&this(device).caps.memory);
        out.write(as_custom(kind, unified).unwrap_or_default());
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
