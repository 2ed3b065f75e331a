//! SDK configuration, device factories and `ID3D12DeviceConfiguration1`: how programs ask for a certain runtime, for devices of
//! their own, and what a device was made with.
//!
//! There is one runtime here, whatever version a program asks for, so all requests for versions succeed. There are no experimental features.

use core::ffi::{c_char, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use reprise_com::guid::guid;
use reprise_com::result::{E_INVALIDARG, E_NOINTERFACE, S_OK};
use reprise_com::{Class, Facet, Faceted, Object, Tables, Vtable, guard, vtable, vtable_of_lists};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D_FEATURE_LEVEL, D3D12_DEVICE_CONFIGURATION_DESC, D3D12_DEVICE_FACTORY_FLAGS, D3D12_DEVICE_FLAGS,
    D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
};

use crate::debug_layer;
use crate::device::{Device, Facets};
use crate::dred;
use crate::entry::{self, core_interface};

/// `CLSID_D3D12SDKConfiguration`.
const SDK_CONFIGURATION: Guid = guid(0x7cda_6aca, 0xa03e, 0x49c8, [0x94, 0x58, 0x03, 0x34, 0xd2, 0x0e, 0x07, 0xce]);
/// `CLSID_D3D12DeviceFactory`.
const DEVICE_FACTORY: Guid = guid(0x1148_63bf, 0xc386, 0x4aee, [0xb3, 0x9d, 0x8f, 0x0b, 0xbb, 0x06, 0x29, 0x55]);

/// The object of a class id of `D3D12GetInterface`.
///
/// # Safety
/// `out` is null or writable.
pub unsafe fn get(class: &Guid, iid: &Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the caller promises: `out` is null or writable.
    unsafe {
        match *class {
            SDK_CONFIGURATION => Object::make(SdkConfiguration).give(iid, out),
            DEVICE_FACTORY => Object::make(DeviceFactory::default()).give(iid, out),
            core_interface::CLASS => core_interface::get(iid, out),
            debug_layer::layer::CLASS => Object::make(debug_layer::layer::Layer::default()).give(iid, out),
            dred::settings::CLASS => Object::make(dred::settings::Settings).give(iid, out),
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
    const VTABLE: Tables = SDK_VTABLE.tables();
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
    // SAFETY: the object is new and ours; `iid` is not null and readable, `out` is null or room for a pointer.
    guard(E_NOINTERFACE, || unsafe { Object::make(DeviceFactory::default()).give(&*iid, out) })
}

unsafe extern "C" fn free_unused_sdks(_this: *mut c_void) {}

/// `ID3D12DeviceFactory`.
#[derive(Debug)]
pub struct DeviceFactory {
    flags: AtomicU32,
    configuration: Facet,
}

impl Default for DeviceFactory {
    fn default() -> DeviceFactory {
        DeviceFactory { flags: AtomicU32::new(0), configuration: facet::<DeviceFactory>() }
    }
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
    const VTABLE: Tables = FACTORY_VTABLE.tables();

    fn facet(object: &Object<DeviceFactory>, iid: &Guid) -> Option<*mut c_void> {
        answer(object, iid)
    }
}

/// Global state is experimental features and debug settings, which are the same for all factories.
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
    // SAFETY: both ids are null or readable and `out` is null or room for a pointer, which the function looks at as it does where the
    // program calls it.
    unsafe { entry::get_interface(class, iid, out) }
}

unsafe extern "C" fn enable_experimental_features(
    _this: *mut c_void,
    count: u32,
    features: *const Guid,
    structures: *const c_void,
    sizes: *const u32,
) -> i32 {
    // SAFETY: `features` is null or has `count` ids, and nothing else is read: the function looks at them as it does where the program calls it.
    unsafe { entry::enable_experimental_features(count, features, structures, sizes) }
}

/// Flags say what to do where devices cannot be independent of each other; here they can.
unsafe extern "C" fn create_device(
    _this: *mut c_void,
    adapter: *mut c_void,
    level: D3D_FEATURE_LEVEL,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the adapter is null or one that the program holds, `iid` is null or readable and `out` null or room for a pointer, which the
    // function looks at.
    unsafe { entry::create_any_device(adapter, level, iid, out, true) }
}

/// The number of the configuration's facet, in all classes that have one.
const FACET: usize = 1;

// SAFETY: the field of this offset is a facet made by `facet::<Device>`.
unsafe impl Faceted<FACET> for Device {
    const PLACE: usize = core::mem::offset_of!(Device, facets) + core::mem::offset_of!(Facets, configuration);
}

// SAFETY: the field of this offset is a facet made by `facet::<DeviceFactory>`.
unsafe impl Faceted<FACET> for DeviceFactory {
    const PLACE: usize = core::mem::offset_of!(DeviceFactory, configuration);
}

const CONFIGURATION: InterfaceId = interface("ID3D12DeviceConfiguration1");

/// The vtables of the facet.
trait Configured: Faceted<FACET> {
    const VTABLE: Tables;

    /// Whether devices have the debug layer.
    fn is_debugged(&self) -> bool;
}

const OWN: &reprise_com::Slots = &[
    ("GetEnabledExperimentalFeatures", get_enabled_experimental_features as *const c_void),
    ("SerializeVersionedRootSignature", serialize_versioned_root_signature as *const c_void),
    ("CreateVersionedRootSignatureDeserializer", create_versioned_root_signature_deserializer as *const c_void),
    (
        "CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary",
        create_versioned_root_signature_deserializer_from_subobject as *const c_void,
    ),
];

static OF_DEVICE: Vtable<{ CONFIGURATION.slots() as usize }> = vtable_of_lists(
    CONFIGURATION,
    <Device as Faceted<FACET>>::UNKNOWN,
    &[OWN, &[("GetDesc", get_desc::<Device> as *const c_void)]],
);
static OF_FACTORY: Vtable<{ CONFIGURATION.slots() as usize }> = vtable_of_lists(
    CONFIGURATION,
    <DeviceFactory as Faceted<FACET>>::UNKNOWN,
    &[OWN, &[("GetDesc", get_desc::<DeviceFactory> as *const c_void)]],
);

impl Configured for Device {
    const VTABLE: Tables = OF_DEVICE.tables();

    fn is_debugged(&self) -> bool {
        self.is_debugged
    }
}

impl Configured for DeviceFactory {
    const VTABLE: Tables = OF_FACTORY.tables();

    fn is_debugged(&self) -> bool {
        debug_layer::layer::is_enabled()
    }
}

/// The facet of a new object.
#[allow(private_bounds, reason = "the two classes that have it are known here")]
pub fn facet<T: Configured>() -> Facet {
    Facet::new(<T as Configured>::VTABLE)
}

/// The configuration of an object, if that is what is asked for.
#[allow(private_bounds, reason = "as above")]
pub fn answer<T: Configured>(object: &Object<T>, iid: &Guid) -> Option<*mut c_void> {
    let asked = reprise_d3d12::lookup::by_iid(iid)?;
    let mine = CONFIGURATION.derives_from(asked) && asked != interface("IUnknown");
    mine.then(|| reprise_com::facet::pointer::<T, FACET>(object))
}

/// The debug layer is all that can be configured; the SDK is the one that the API's model is of.
unsafe extern "C" fn get_desc<T: Configured>(
    this: *mut c_void,
    out: *mut D3D12_DEVICE_CONFIGURATION_DESC,
) -> *mut D3D12_DEVICE_CONFIGURATION_DESC {
    // SAFETY: a facet of a living object of ours.
    let is_debugged = unsafe { reprise_com::facet::object::<T, FACET>(this) }.is_debugged();
    let flags = if is_debugged { D3D12_DEVICE_FLAGS::DEBUG_LAYER_ENABLED } else { D3D12_DEVICE_FLAGS::NONE };
    let desc = D3D12_DEVICE_CONFIGURATION_DESC { Flags: flags, SDKVersion: SDK_VERSION, ..Default::default() };
    // SAFETY: the place is the caller's.
    unsafe { out.write(desc) };
    out
}

/// `D3D12_SDK_VERSION` of the headers that have everything in the model.
pub const SDK_VERSION: u32 = 618;

unsafe extern "C" fn get_enabled_experimental_features(_this: *mut c_void, _ids: *mut Guid, count: u32) -> i32 {
    if count == 0 { S_OK } else { E_INVALIDARG }
}

unsafe extern "C" fn serialize_versioned_root_signature(
    _this: *mut c_void,
    desc: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
    out: *mut *mut c_void,
    error: *mut *mut c_void,
) -> i32 {
    // SAFETY: the description is null, or readable with the arrays that it names until the call returns; both places are null or room for a
    // pointer.
    unsafe { entry::serialize_versioned_root_signature(desc, out, error) }
}

unsafe extern "C" fn create_versioned_root_signature_deserializer(
    _this: *mut c_void,
    bytes: *const c_void,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the bytes are null, or `size` of them readable until the call returns; `iid` is null or readable, `out` null or room for a
    // pointer.
    unsafe { entry::create_versioned_root_signature_deserializer(bytes, size, iid, out) }
}

unsafe extern "C" fn create_versioned_root_signature_deserializer_from_subobject(
    _this: *mut c_void,
    bytes: *const c_void,
    size: usize,
    name: *const u16,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the bytes are null, or `size` of them readable until the call returns, and the name ends with a zero; `iid` is null or
    // readable, `out` null or room for a pointer.
    unsafe { entry::create_versioned_root_signature_deserializer_from_subobject(bytes, size, name, iid, out) }
}
