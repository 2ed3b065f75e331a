//! SDK configuration and device factories: how programs ask for a certain runtime, and for devices of their own.
//!
//! There is one runtime here, whatever version is asked for; the objects say so by working with any. Experimental features
//! there are none.

use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use reprise_com::guid::guid;
use reprise_com::result::{E_INVALIDARG, E_NOINTERFACE, S_OK};
use reprise_com::{Class, Object, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D_FEATURE_LEVEL, D3D12_DEVICE_FACTORY_FLAGS};

use crate::device::Stored;
use crate::entry;

/// `CLSID_D3D12SDKConfiguration`.
const SDK_CONFIGURATION: Guid = guid(0x7cda_6aca, 0xa03e, 0x49c8, [0x94, 0x58, 0x03, 0x34, 0xd2, 0x0e, 0x07, 0xce]);
/// `CLSID_D3D12DeviceFactory`.
const DEVICE_FACTORY: Guid = guid(0x1148_63bf, 0xc386, 0x4aee, [0xb3, 0x9d, 0x8f, 0x0b, 0xbb, 0x06, 0x29, 0x55]);

/// The object of a class id of `D3D12GetInterface`.
///
/// # Safety
/// `out` is null or writable.
pub unsafe fn get(class: &Guid, iid: &Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: by contract.
    unsafe {
        match *class {
            SDK_CONFIGURATION => Object::make(SdkConfiguration).give(iid, out),
            DEVICE_FACTORY => Object::make(DeviceFactory::default()).give(iid, out),
            _ => E_NOINTERFACE,
        }
    }
}

/// `ID3D12SDKConfiguration1`.
#[derive(Debug)]
pub struct SdkConfiguration;

const SDK: InterfaceId = interface("ID3D12SDKConfiguration1");

static SDK_VTABLE: Vtable<{ SDK.slots() as usize }> = vtable(
    SDK,
    Object::<SdkConfiguration>::SHARED,
    &[
        ("SetSDKVersion", set_sdk_version as *const c_void),
        ("CreateDeviceFactory", create_device_factory as *const c_void),
        ("FreeUnusedSDKs", free_unused_sdks as *const c_void),
    ],
);

impl Class for SdkConfiguration {
    const INTERFACE: InterfaceId = SDK;
    const VTABLE: &'static [*const c_void] = SDK_VTABLE.slots();
}

unsafe extern "C" fn set_sdk_version(_this: *mut c_void, _version: u32, _path: *const c_char) -> i32 {
    S_OK
}

unsafe extern "C" fn create_device_factory(
    _this: *mut c_void,
    _version: u32,
    _path: *const c_char,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    if iid.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: the program's arguments, as the API demands them.
    guard(E_NOINTERFACE, || unsafe { Object::make(DeviceFactory::default()).give(&*iid, out) })
}

unsafe extern "C" fn free_unused_sdks(_this: *mut c_void) {}

/// `ID3D12DeviceFactory`.
#[derive(Debug, Default)]
pub struct DeviceFactory {
    flags: AtomicU32,
}

const FACTORY: InterfaceId = interface("ID3D12DeviceFactory");

static FACTORY_VTABLE: Vtable<{ FACTORY.slots() as usize }> = vtable(
    FACTORY,
    Object::<DeviceFactory>::SHARED,
    &[
        ("InitializeFromGlobalState", nothing as *const c_void),
        ("ApplyToGlobalState", nothing as *const c_void),
        ("SetFlags", set_flags as *const c_void),
        ("GetFlags", get_flags as *const c_void),
        ("GetConfigurationInterface", get_configuration_interface as *const c_void),
        ("EnableExperimentalFeatures", enable_experimental_features as *const c_void),
        ("CreateDevice", create_device as *const c_void),
    ],
);

impl Class for DeviceFactory {
    const INTERFACE: InterfaceId = FACTORY;
    const VTABLE: &'static [*const c_void] = FACTORY_VTABLE.slots();
}

/// Global state is experimental features and debug settings, of which there are none.
unsafe extern "C" fn nothing(_this: *mut c_void) -> i32 {
    S_OK
}

unsafe extern "C" fn set_flags(this: *mut c_void, flags: D3D12_DEVICE_FACTORY_FLAGS) -> i32 {
    // SAFETY: a factory of ours.
    unsafe { Object::<DeviceFactory>::this(this) }.flags.store(flags.0, Ordering::Relaxed);
    S_OK
}

unsafe extern "C" fn get_flags(this: *mut c_void) -> D3D12_DEVICE_FACTORY_FLAGS {
    // SAFETY: a factory of ours.
    D3D12_DEVICE_FACTORY_FLAGS(unsafe { Object::<DeviceFactory>::this(this) }.flags.load(Ordering::Relaxed))
}

unsafe extern "C" fn get_configuration_interface(
    _this: *mut c_void,
    class: *const Guid,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the program's arguments, as the API demands them.
    unsafe { entry::get_interface(class, iid, out) }
}

unsafe extern "C" fn enable_experimental_features(
    _this: *mut c_void,
    count: u32,
    features: *const Guid,
    structures: *const c_void,
    sizes: *const u32,
) -> i32 {
    // SAFETY: the program's arguments, as the API demands them.
    unsafe { entry::enable_experimental_features(count, features, structures, sizes) }
}

unsafe extern "C" fn create_device(
    this: *mut c_void,
    adapter: *mut c_void,
    level: D3D_FEATURE_LEVEL,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: a factory of ours; the program's arguments, as the API demands them.
    unsafe {
        let flags = Object::<DeviceFactory>::this(this).flags.load(Ordering::Relaxed);
        let has = |flag: D3D12_DEVICE_FACTORY_FLAGS| flags & flag.0 != 0;
        let stored = Stored::Independent { existing: has(D3D12_DEVICE_FACTORY_FLAGS::ALLOW_RETURNING_EXISTING_DEVICE) };
        entry::create_stored_device(adapter, level, iid, out, stored)
    }
}
