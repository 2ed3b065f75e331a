//! `ID3D12DeviceRemovedExtendedData2`: what is known of a removed device: its state, and the address at which it faulted.
//!
//! There are no breadcrumbs, and no lists of allocations: the first are refused, the others are empty.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::result::{
    DXGI_ERROR_DEVICE_HUNG, DXGI_ERROR_NOT_CURRENTLY_AVAILABLE, DXGI_ERROR_UNSUPPORTED, E_INVALIDARG, S_OK,
};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{D3D12_DRED_DEVICE_STATE, D3D12_DRED_PAGE_FAULT_OUTPUT, D3D12_DRED_PAGE_FAULT_OUTPUT2};

use super::settings;
use crate::device::{Device, Facets};
use crate::own::is_of;

const INTERFACE: InterfaceId = interface("ID3D12DeviceRemovedExtendedData2");

/// The facet's number.
const NUMBER: usize = 4;

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    <Device as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("GetAutoBreadcrumbsOutput", breadcrumbs as *const c_void),
        ("GetAutoBreadcrumbsOutput1", breadcrumbs as *const c_void),
        ("GetPageFaultAllocationOutput", page_fault as *const c_void),
        ("GetPageFaultAllocationOutput1", page_fault as *const c_void),
        ("GetPageFaultAllocationOutput2", page_fault_2 as *const c_void),
        ("GetDeviceState", state as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for Device {
    const PLACE: usize = offset_of!(Device, facets) + offset_of!(Facets, removed);
}

/// The facet of a new device.
pub(crate) const FACET: Facet = Facet::new(VTABLE.slots());

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

unsafe extern "C" fn breadcrumbs(_this: *mut c_void, _output: *mut *const c_void) -> i32 {
    DXGI_ERROR_UNSUPPORTED
}

/// The address at which the device faulted, or why there is none.
fn address(device: &Device) -> Result<u64, i32> {
    if !settings::page_faults() {
        return Err(DXGI_ERROR_UNSUPPORTED);
    }
    match device.fault.get() {
        Some(address) if device.removed_reason() != S_OK => Ok(*address),
        _ => Err(DXGI_ERROR_NOT_CURRENTLY_AVAILABLE),
    }
}

/// Both older outputs, which are laid out alike: an address and two lists.
unsafe extern "C" fn page_fault(this: *mut c_void, output: *mut D3D12_DRED_PAGE_FAULT_OUTPUT) -> i32 {
    if output.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: a facet of a device of ours; the output is the program's.
    unsafe {
        match address(device(this)) {
            Ok(address) => output.write(D3D12_DRED_PAGE_FAULT_OUTPUT { PageFaultVA: address, ..Default::default() }),
            Err(code) => return code,
        }
    }
    S_OK
}

unsafe extern "C" fn page_fault_2(this: *mut c_void, output: *mut D3D12_DRED_PAGE_FAULT_OUTPUT2) -> i32 {
    if output.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: a facet of a device of ours; the output is the program's.
    unsafe {
        match address(device(this)) {
            Ok(address) => output.write(D3D12_DRED_PAGE_FAULT_OUTPUT2 { PageFaultVA: address, ..Default::default() }),
            Err(code) => return code,
        }
    }
    S_OK
}

unsafe extern "C" fn state(this: *mut c_void) -> D3D12_DRED_DEVICE_STATE {
    // SAFETY: a facet of a device of ours.
    let device = unsafe { device(this) };
    match device.removed_reason() {
        S_OK => D3D12_DRED_DEVICE_STATE::UNKNOWN,
        _ if device.fault.get().is_some() => D3D12_DRED_DEVICE_STATE::PAGEFAULT,
        DXGI_ERROR_DEVICE_HUNG => D3D12_DRED_DEVICE_STATE::HUNG,
        _ => D3D12_DRED_DEVICE_STATE::FAULT,
    }
}
