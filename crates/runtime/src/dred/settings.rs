//! Settings of device-removed data, which programs ask for before they make a device. A device that is there keeps what it was made with.
//!
//! `SYSTEM_CONTROLLED` is off, unless the user sets `REPRISE_BREADCRUMBS`, which switches everything on. Dumps for Watson are accepted and
//! never made: there is nobody to send them to.

use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, Ordering};

use reprise_com::guid::guid;
use reprise_com::{Class, Object, Tables, Vtable, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::D3D12_DRED_ENABLEMENT;

use crate::environment::settings;
use crate::trail::Wishes;

/// `CLSID_D3D12DeviceRemovedExtendedData`.
pub const CLASS: Guid = guid(0x4a75_bbc4, 0x9ff4, 0x4ad8, [0x9f, 0x18, 0xab, 0xae, 0x84, 0xdc, 0x5f, 0xf2]);

/// `ID3D12DeviceRemovedExtendedDataSettings2`.
#[derive(Debug)]
pub struct Settings;

const INTERFACE: InterfaceId = interface("ID3D12DeviceRemovedExtendedDataSettings2");

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    Object::<Settings>::SHARED,
    &[
        ("SetAutoBreadcrumbsEnablement", set_auto_breadcrumbs_enablement as *const c_void),
        ("SetPageFaultEnablement", set_page_fault_enablement as *const c_void),
        ("SetWatsonDumpEnablement", set_watson_dump_enablement as *const c_void),
        ("SetBreadcrumbContextEnablement", set_breadcrumb_context_enablement as *const c_void),
        ("UseMarkersOnlyAutoBreadcrumbs", use_markers_only_auto_breadcrumbs as *const c_void),
    ],
);

/// Whether an interface is one of the settings'.
pub fn answers(iid: &Guid) -> bool {
    let unknown = interface("IUnknown");
    by_iid(iid).is_some_and(|asked| INTERFACE.derives_from(asked) && asked != unknown)
}

impl Class for Settings {
    const INTERFACE: InterfaceId = INTERFACE;
    const VTABLE: Tables = VTABLE.tables();
}

/// What programs ask for.
static BREADCRUMBS: AtomicBool = AtomicBool::new(false);
static MARKS_ONLY: AtomicBool = AtomicBool::new(false);
static CONTEXTS: AtomicBool = AtomicBool::new(false);
static PAGE_FAULTS: AtomicBool = AtomicBool::new(false);

/// What a device that is made now keeps.
pub(crate) fn wishes() -> Wishes {
    let all = settings().breadcrumbs;
    let wants = |setting: &AtomicBool| all || setting.load(Ordering::Relaxed);
    Wishes {
        crumbs: wants(&BREADCRUMBS),
        marks_only: MARKS_ONLY.load(Ordering::Relaxed) && !all,
        contexts: wants(&CONTEXTS),
        ranges: wants(&PAGE_FAULTS),
    }
}

fn set(setting: &AtomicBool, enablement: D3D12_DRED_ENABLEMENT) {
    setting.store(enablement == D3D12_DRED_ENABLEMENT::FORCED_ON, Ordering::Relaxed);
}

unsafe extern "C" fn set_auto_breadcrumbs_enablement(_this: *mut c_void, enablement: D3D12_DRED_ENABLEMENT) {
    set(&BREADCRUMBS, enablement);
}

unsafe extern "C" fn set_page_fault_enablement(_this: *mut c_void, enablement: D3D12_DRED_ENABLEMENT) {
    set(&PAGE_FAULTS, enablement);
}

unsafe extern "C" fn set_watson_dump_enablement(_this: *mut c_void, _enablement: D3D12_DRED_ENABLEMENT) {}

unsafe extern "C" fn set_breadcrumb_context_enablement(_this: *mut c_void, enablement: D3D12_DRED_ENABLEMENT) {
    set(&CONTEXTS, enablement);
}

unsafe extern "C" fn use_markers_only_auto_breadcrumbs(_this: *mut c_void, only: i32) {
    MARKS_ONLY.store(only != 0, Ordering::Relaxed);
}
