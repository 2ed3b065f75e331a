//! Methods of the device that say how large resources are, in heaps and in buffers.

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use reprise_com::{Slots, guard};
use reprise_d3d12::types::{
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RESOURCE_ALLOCATION_INFO, D3D12_RESOURCE_ALLOCATION_INFO1,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1, DXGI_FORMAT,
};

use crate::device::this;
use crate::resource::allocation;
use crate::resource::desc::{self, ALIGNMENT};
use crate::resource::device::formats;
use crate::resource::footprint;
use crate::{Device, Error};

/// Methods of the device that ask about sizes.
pub(crate) const SIZE_METHODS: &Slots = &[
    ("GetResourceAllocationInfo", get_allocation_info as *const c_void),
    ("GetResourceAllocationInfo1", get_allocation_info1 as *const c_void),
    ("GetResourceAllocationInfo2", get_allocation_info2 as *const c_void),
    ("GetResourceAllocationInfo3", get_allocation_info3 as *const c_void),
    ("GetCopyableFootprints", get_copyable_footprints as *const c_void),
    ("GetCopyableFootprints1", get_copyable_footprints1 as *const c_void),
];

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
            Ok((room, start.zip(end).ok_or(Error::MEMORY)?))
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
        // SAFETY: the caller promises: `descs` leads to `count` descriptions, `infos` is null or leads to as many places,
        // `out` is writable.
        unsafe {
            let descs = core::slice::from_raw_parts(descs, count as usize).iter().enumerate();
            allocation_info(this(device), descs.map(|(at, desc)| newer(at, desc)), |index, info| {
                if !infos.is_null() {
                    infos.add(index).write(info);
                }
            })
        }
    });
    // SAFETY: the caller promises: `descs` leads to `count` descriptions, `infos` is null or leads to as many places, `out`
    // is writable.
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
    // SAFETY: the slot is of a device's vtable; `out` has room for the answer, `descs` has `count` elements and `infos` is null or has room
    // for as many.
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
    // SAFETY: the slot is of a device's vtable; `out` has room for the answer, `descs` has `count` elements and `infos` is null or has room
    // for as many.
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
    // SAFETY: the description is null or readable, and its newer form lives here until the call returns; the four places are null or have
    // room for `count` elements (`total`: for one), and are passed on.
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
            let sum = footprint::footprints(&desc, first, count, base, |index, footprint| {
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
