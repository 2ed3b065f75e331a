//! `ID3D12DeviceRemovedExtendedData2`: what is known of a removed device. That is its state, how far the GPU came in its lists, and which
//! objects lie or lay at the address of the fault. It comes from the device's [`crate::trail`].
//!
//! Invariant: what is given stays as long as the device, and is the same at every question.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::result::{
    DXGI_ERROR_DEVICE_HUNG, DXGI_ERROR_NOT_CURRENTLY_AVAILABLE, DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, S_OK,
};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT, D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT1, D3D12_DRED_DEVICE_STATE,
    D3D12_DRED_PAGE_FAULT_OUTPUT, D3D12_DRED_PAGE_FAULT_OUTPUT1, D3D12_DRED_PAGE_FAULT_OUTPUT2,
};

use crate::device::{Device, Facets};
use crate::own::is_of;
use crate::trail::{Trail, Wishes};

const INTERFACE: InterfaceId = interface("ID3D12DeviceRemovedExtendedData2");

/// The facet's number.
const NUMBER: usize = 4;

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    <Device as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("GetAutoBreadcrumbsOutput", breadcrumbs as *const c_void),
        ("GetAutoBreadcrumbsOutput1", breadcrumbs_1 as *const c_void),
        ("GetPageFaultAllocationOutput", page_fault as *const c_void),
        ("GetPageFaultAllocationOutput1", page_fault_1 as *const c_void),
        ("GetPageFaultAllocationOutput2", page_fault_2 as *const c_void),
        ("GetDeviceState", state as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, removed);
}

/// The facet of a new device.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where it is asked for.
pub(crate) fn answer(object: &Object<Device>, asked: InterfaceId) -> Option<*mut c_void> {
    is_of(INTERFACE, asked).then(|| facet::pointer::<Device, NUMBER>(object))
}

/// # Safety
/// `this` is the facet of a living device.
unsafe fn device<'a>(this: *mut c_void) -> &'a Object<Device> {
    // SAFETY: as the caller promises.
    unsafe { facet::object::<Device, NUMBER>(this) }
}

/// Writes an answer from the trail of a removed device that keeps what is `wanted`.
///
/// # Safety
/// `this` is the facet of a living device, `output` null or writable.
unsafe fn give<T>(
    this: *mut c_void,
    output: *mut T,
    wanted: impl FnOnce(Wishes) -> bool,
    answer: impl FnOnce(&Trail) -> T,
) -> i32 {
    guard(E_FAIL, || {
        if output.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: as the caller promises.
        let device = unsafe { device(this) };
        if !wanted(device.trail.wishes()) {
            return DXGI_ERROR_UNSUPPORTED;
        }
        if device.removed_reason() == S_OK {
            return DXGI_ERROR_NOT_CURRENTLY_AVAILABLE;
        }
        // SAFETY: not null, so writable.
        unsafe { output.write(answer(&device.trail)) };
        S_OK
    })
}

unsafe extern "C" fn breadcrumbs(this: *mut c_void, output: *mut D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT) -> i32 {
    let answer =
        |trail: &Trail| D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT { pHeadAutoBreadcrumbNode: trail.breadcrumbs().first() };
    // SAFETY: a facet of a device of ours; the output is the program's.
    unsafe { give(this, output, |wishes| wishes.crumbs, answer) }
}

unsafe extern "C" fn breadcrumbs_1(this: *mut c_void, output: *mut D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT1) -> i32 {
    let answer = |trail: &Trail| D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT1 {
        pHeadAutoBreadcrumbNode: trail.breadcrumbs().first_newer(),
    };
    // SAFETY: a facet of a device of ours; the output is the program's.
    unsafe { give(this, output, |wishes| wishes.crumbs, answer) }
}

unsafe extern "C" fn page_fault(this: *mut c_void, output: *mut D3D12_DRED_PAGE_FAULT_OUTPUT) -> i32 {
    let answer = |trail: &Trail| {
        let [existing, freed] = trail.allocations().first();
        D3D12_DRED_PAGE_FAULT_OUTPUT {
            PageFaultVA: trail.fault().unwrap_or(0),
            pHeadExistingAllocationNode: existing,
            pHeadRecentFreedAllocationNode: freed,
        }
    };
    // SAFETY: a facet of a device of ours; the output is the program's.
    unsafe { give(this, output, |wishes| wishes.ranges, answer) }
}

unsafe extern "C" fn page_fault_1(this: *mut c_void, output: *mut D3D12_DRED_PAGE_FAULT_OUTPUT1) -> i32 {
    let answer = |trail: &Trail| {
        let [existing, freed] = trail.allocations().first_newer();
        D3D12_DRED_PAGE_FAULT_OUTPUT1 {
            PageFaultVA: trail.fault().unwrap_or(0),
            pHeadExistingAllocationNode: existing,
            pHeadRecentFreedAllocationNode: freed,
        }
    };
    // SAFETY: a facet of a device of ours; the output is the program's.
    unsafe { give(this, output, |wishes| wishes.ranges, answer) }
}

unsafe extern "C" fn page_fault_2(this: *mut c_void, output: *mut D3D12_DRED_PAGE_FAULT_OUTPUT2) -> i32 {
    let answer = |trail: &Trail| {
        let [existing, freed] = trail.allocations().first_newer();
        D3D12_DRED_PAGE_FAULT_OUTPUT2 {
            PageFaultVA: trail.fault().unwrap_or(0),
            pHeadExistingAllocationNode: existing,
            pHeadRecentFreedAllocationNode: freed,
            ..Default::default()
        }
    };
    // SAFETY: a facet of a device of ours; the output is the program's.
    unsafe { give(this, output, |wishes| wishes.ranges, answer) }
}

unsafe extern "C" fn state(this: *mut c_void) -> D3D12_DRED_DEVICE_STATE {
    guard(D3D12_DRED_DEVICE_STATE::UNKNOWN, || {
        // SAFETY: a facet of a device of ours.
        let device = unsafe { device(this) };
        match device.removed_reason() {
            S_OK => D3D12_DRED_DEVICE_STATE::UNKNOWN,
            _ if device.trail.fault().is_some() => D3D12_DRED_DEVICE_STATE::PAGEFAULT,
            DXGI_ERROR_DEVICE_HUNG => D3D12_DRED_DEVICE_STATE::HUNG,
            _ => D3D12_DRED_DEVICE_STATE::FAULT,
        }
    })
}
