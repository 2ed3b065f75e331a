//! `IDXCoreAdapterFactory` and `IDXCoreAdapterFactory1`: lists of adapters. There is one factory.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU32, Ordering};

use reprise_com::guard;
use reprise_com::guid::guid;
use reprise_com::result::{DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, E_POINTER, S_OK};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::LUID;

use super::adapter;
use super::list::{self, List};
use super::object::{Class, Object};

/// The factory: how many notifications were registered.
struct Factory(AtomicU32);

static FACTORY: Object<Factory> = Object::new(Factory(AtomicU32::new(0)));

impl Class for Factory {
    const INTERFACES: &'static [Guid] = &[
        guid(0x78ee_5945, 0xc36e, 0x4b13, [0xa6, 0x69, 0x00, 0x5d, 0xd1, 0x1c, 0x0f, 0x06]),
        guid(0xd568_2e19, 0x6d21, 0x401c, [0x82, 0x7a, 0x9a, 0x51, 0xa4, 0xea, 0x35, 0xd7]),
    ];
    const METHODS: &'static [*const c_void] = &[
        create_adapter_list as *const c_void,
        get_adapter_by_luid as *const c_void,
        is_notification_type_supported as *const c_void,
        register_event_notification as *const c_void,
        unregister_event_notification as *const c_void,
        create_adapter_list_by_workload as *const c_void,
    ];
    const GOES: bool = false;
}

/// Gives the factory to the program.
///
/// # Safety
/// `iid` is null or readable; `out` is null or writable.
pub(super) unsafe fn give(iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the caller promises: `iid` is null or readable; `out` is null or writable.
    unsafe { FACTORY.query(iid, out) }
}

unsafe extern "C" fn create_adapter_list(
    _this: *mut c_void,
    count: u32,
    attributes: *const Guid,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if count == 0 || attributes.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the program's array has so many ids.
        let attributes = unsafe { core::slice::from_raw_parts(attributes, count as usize) };
        let wanted = |adapter: &adapter::Adapter| attributes.iter().all(|attribute| adapter.has(attribute));
        // SAFETY: the list is new and ours; `give` looks at `iid` and `out`, which are null, or an id and room for a pointer.
        unsafe { Object::<List>::give(list::of(wanted), iid, out) }
    })
}

unsafe extern "C" fn get_adapter_by_luid(
    _this: *mut c_void,
    luid: *const LUID,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: the program's place is readable or null.
        let Some(luid) = (unsafe { luid.as_ref() }) else { return E_POINTER };
        let found = adapter::all().iter().find(|adapter| {
            let own = adapter.body.card.identity.luid;
            (own.low, own.high) == (luid.LowPart, luid.HighPart)
        });
        // SAFETY: adapters live as long as the process; `iid` and `out` are null, or an id and room for a pointer, which `query` looks at.
        found.map_or(E_INVALIDARG, |adapter| unsafe { adapter.query(iid, out) })
    })
}

/// The last of `DXCoreNotificationType`.
const LAST_NOTIFICATION: u32 = 3;

unsafe extern "C" fn is_notification_type_supported(_this: *mut c_void, kind: u32) -> bool {
    kind <= LAST_NOTIFICATION
}

/// Nothing of what programs can be notified of happens here: adapters stay, and no budget is ever taken from a process.
unsafe extern "C" fn register_event_notification(
    _this: *mut c_void,
    object: *mut c_void,
    kind: u32,
    callback: *const c_void,
    _context: *mut c_void,
    cookie: *mut u32,
) -> i32 {
    if object.is_null() || callback.is_null() || cookie.is_null() {
        return E_POINTER;
    }
    if kind > LAST_NOTIFICATION {
        return DXGI_ERROR_UNSUPPORTED;
    }
    // SAFETY: the program's place.
    unsafe { cookie.write(FACTORY.body.0.fetch_add(1, Ordering::Relaxed) + 1) };
    S_OK
}

unsafe extern "C" fn unregister_event_notification(_this: *mut c_void, cookie: u32) -> i32 {
    if (1..=FACTORY.body.0.load(Ordering::Relaxed)).contains(&cookie) { S_OK } else { E_INVALIDARG }
}

/// `DXCoreWorkload::Media`: there is no video here.
const MEDIA: u32 = 2;
/// The last of `DXCoreWorkload`.
const LAST_WORKLOAD: u32 = 3;
/// `DXCoreRuntimeFilterFlags::D3D11`.
const DIRECT3D_11: u32 = 1;
/// `DXCoreHardwareTypeFilterFlags::GPU`.
const GPU: u32 = 1;

unsafe extern "C" fn create_adapter_list_by_workload(
    _this: *mut c_void,
    workload: u32,
    runtime: u32,
    hardware: u32,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if workload > LAST_WORKLOAD {
            return E_INVALIDARG;
        }
        let serves = workload != MEDIA && runtime & DIRECT3D_11 == 0 && (hardware == 0 || hardware & GPU != 0);
        // SAFETY: the list is new and ours; `give` looks at `iid` and `out`, which are null, or an id and room for a pointer.
        unsafe { Object::<List>::give(list::of(|_| serves), iid, out) }
    })
}
