//! Settings of device-removed data, which programs ask for before they make a device.
//!
//! Addresses of faults can be asked for. The other settings say once that they have no effect: programs that only prepare for a removal
//! go on.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use reprise_com::guid::guid;
use reprise_com::{Class, Object, Vtable, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::D3D12_DRED_ENABLEMENT;

/// `CLSID_D3D12DeviceRemovedExtendedData`.
pub const CLASS: Guid = guid(0x4a75_bbc4, 0x9ff4, 0x4ad8, [0x9f, 0x18, 0xab, 0xae, 0x84, 0xdc, 0x5f, 0xf2]);

/// `ID3D12DeviceRemovedExtendedDataSettings2`.
#[derive(Debug)]
pub struct Settings;

const INTERFACE: InterfaceId = interface("ID3D12DeviceRemovedExtendedDataSettings2");

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    Object::<Settings>::SHARED,
    &[("SetPageFaultEnablement", set_page_fault_enablement as *const c_void)],
);

/// Whether an interface is one of the settings'.
pub fn answers(iid: &Guid) -> bool {
    let unknown = interface("IUnknown");
    by_iid(iid).is_some_and(|asked| INTERFACE.derives_from(asked) && asked != unknown)
}

impl Class for Settings {
    const INTERFACE: InterfaceId = INTERFACE;
    const VTABLE: &'static [*const c_void] = VTABLE.slots();
}

/// Whether programs may ask for addresses of faults.
static PAGE_FAULTS: AtomicBool = AtomicBool::new(false);

/// Whether a program wants addresses of faults.
pub(super) fn page_faults() -> bool {
    PAGE_FAULTS.load(Ordering::Relaxed)
}

unsafe extern "C" fn set_page_fault_enablement(_this: *mut c_void, enablement: D3D12_DRED_ENABLEMENT) {
    PAGE_FAULTS.store(enablement == D3D12_DRED_ENABLEMENT::FORCED_ON, Ordering::Relaxed);
}
