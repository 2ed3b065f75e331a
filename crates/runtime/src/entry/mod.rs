//! The exported functions, as plain Rust functions.
//!
//! [`crate::export`] lists them with the names under which they are exported.

pub mod configuration;
mod core_interface;
pub mod device;
mod interface;

use core::ffi::c_void;

use reprise_com::result::{E_INVALIDARG, E_NOINTERFACE, S_FALSE, S_OK};
use reprise_com::{Object, guard};
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::{
    D3D_FEATURE_LEVEL, D3D_ROOT_SIGNATURE_VERSION, D3D12_ROOT_SIGNATURE_DESC, D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Version;

pub use configuration::SDK_VERSION;

use crate::deserializer::{Deserializer, VersionedDeserializer, subobject};
use crate::device::feature_level;
use crate::error::code;
use crate::sign::{self, Event};
use crate::{Error, Result, blob, debug_layer, description, dred};

/// The API's structures, for those who call these functions.
pub use reprise_d3d12::types;

/// Levels that a program can ask for: those of devices for computing alone are there wherever 11_0 is.
const LEVELS: [D3D_FEATURE_LEVEL; 7] = [
    D3D_FEATURE_LEVEL::LEVEL_1_0_GENERIC,
    D3D_FEATURE_LEVEL::LEVEL_1_0_CORE,
    D3D_FEATURE_LEVEL::LEVEL_11_0,
    D3D_FEATURE_LEVEL::LEVEL_11_1,
    D3D_FEATURE_LEVEL::LEVEL_12_0,
    D3D_FEATURE_LEVEL::LEVEL_12_1,
    D3D_FEATURE_LEVEL::LEVEL_12_2,
];

/// `D3D12CreateDevice`.
///
/// # Safety
/// `adapter` is null or a COM pointer; `iid` is readable; `out` is null or writable.
pub unsafe fn create_device(
    adapter: *mut c_void,
    level: D3D_FEATURE_LEVEL,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the caller promises: `adapter` is null or a COM pointer; `iid` is readable; `out` is null or writable.
    unsafe { create_any_device(adapter, level, iid, out, false) }
}

/// As [`create_device`], or an `independent` device, as factories make.
///
/// # Safety
/// As [`create_device`].
pub unsafe fn create_any_device(
    adapter: *mut c_void,
    level: D3D_FEATURE_LEVEL,
    iid: *const Guid,
    out: *mut *mut c_void,
    independent: bool,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the caller promises: `adapter` is null or a COM pointer; `iid` is readable; `out` is null or writable.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            if !LEVELS.contains(&level) {
                sign::leave(Event::Refused, || {
                    format!("the program asked for feature level {:#x}, which is none", level.0)
                });
                return E_INVALIDARG;
            }
            let device = match self::device::create(adapter, independent) {
                Ok(device) => device,
                Err(error) => {
                    reprise_log::error(format_args!("no device: {error}"));
                    sign::leave(Event::Refused, || format!("our runtime made no device: {error}"));
                    return error.code();
                }
            };
            let highest = feature_level(&device);
            if level > highest {
                sign::leave(Event::Refused, || refused_level(level, highest));
                return E_INVALIDARG;
            }
            // Without a place for it the call only asks, whatever the interface.
            let result = match iid.as_ref() {
                Some(iid) => device.give(iid, out),
                None if out.is_null() => S_FALSE,
                None => E_INVALIDARG,
            };
            if result == S_OK && !out.is_null() {
                sign::leave(Event::Device, String::new);
            }
            result
        }
    })
}

/// Why a device was refused that the program wants of a level, in words.
fn refused_level(level: D3D_FEATURE_LEVEL, highest: D3D_FEATURE_LEVEL) -> String {
    let name = |level: D3D_FEATURE_LEVEL| format!("{}_{}", level.0 >> 12, level.0 >> 8 & 0xf);
    format!("the program asked for feature level {}, and the Vulkan device has {}", name(level), name(highest))
}

/// `D3D12GetDebugInterface`: the debug layer, and settings of device-removed data.
///
/// # Safety
/// `iid` is readable; `out` is null or writable.
pub unsafe fn get_debug_interface(iid: *const Guid, out: *mut *mut c_void) -> i32 {
    // SAFETY: the caller promises: `iid` is readable; `out` is null or writable.
    unsafe {
        if !out.is_null() {
            out.write(core::ptr::null_mut());
        }
        if iid.is_null() {
            return E_INVALIDARG;
        }
        let iid = &*iid;
        guard(E_NOINTERFACE, || {
            if dred::settings::answers(iid) {
                return Object::make(dred::settings::Settings).give(iid, out);
            }
            let result = Object::make(debug_layer::layer::Layer::default()).give(iid, out);
            if result == E_NOINTERFACE {
                let asked = reprise_d3d12::lookup::by_iid(iid).map(|asked| asked.get().name.to_owned());
                let asked = asked.unwrap_or_else(|| iid.to_string());
                sign::leave(Event::Lacking, || format!("the debug interface {asked}"));
            }
            result
        })
    }
}

/// `D3D12GetInterface`: SDK configuration and device factory.
///
/// # Safety
/// `class` and `iid` are readable; `out` is null or writable.
pub unsafe fn get_interface(class: *const Guid, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_NOINTERFACE, || {
        // SAFETY: the caller promises: `class` and `iid` are readable; `out` is null or writable.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            if class.is_null() || iid.is_null() {
                return E_INVALIDARG;
            }
            configuration::get(&*class, &*iid, out)
        }
    })
}

/// `D3D12ExperimentalShaderModels`: shaders that Microsoft's validator has not signed. They are taken without it, too.
const EXPERIMENTAL_SHADER_MODELS: Guid =
    reprise_com::guid::guid(0x76f5_573e, 0xf13a, 0x40f5, [0xb2, 0x97, 0x81, 0xce, 0x9e, 0x18, 0x93, 0x3f]);

/// `D3D12EnableExperimentalFeatures`: unsigned shaders can be enabled, and nothing else.
///
/// # Safety
/// `features` leads to `count` ids, or is null.
pub unsafe fn enable_experimental_features(
    count: u32,
    features: *const Guid,
    _structures: *const c_void,
    _sizes: *const u32,
) -> i32 {
    if count == 0 {
        return S_OK;
    }
    if features.is_null() {
        return E_INVALIDARG;
    }
    // SAFETY: the caller promises an array of so many ids.
    let features = unsafe { core::slice::from_raw_parts(features, count as usize) };
    let known = features.iter().all(|feature| *feature == EXPERIMENTAL_SHADER_MODELS);
    if known { S_OK } else { E_NOINTERFACE }
}

/// `D3D12SerializeRootSignature`.
///
/// # Safety
/// `desc` is null or a description; `out` and `error` are null or writable.
pub unsafe fn serialize_root_signature(
    desc: *const D3D12_ROOT_SIGNATURE_DESC,
    version: D3D_ROOT_SIGNATURE_VERSION,
    out: *mut *mut c_void,
    error: *mut *mut c_void,
) -> i32 {
    // SAFETY: the caller promises: `desc` is null or a description; `out` and `error` are null or writable; the older
    // structure is always of version 1.0.
    unsafe {
        serialize(out, error, || {
            if version != D3D_ROOT_SIGNATURE_VERSION::VERSION_1_0 {
                return Err(Error::Invalid("this function serialises version 1.0 only"));
            }
            let desc = desc.as_ref().ok_or(Error::Invalid("no description"))?;
            Ok((description::read_1_0(desc)?, Version::V1_0))
        })
    }
}

/// `D3D12SerializeVersionedRootSignature`.
///
/// # Safety
/// As [`serialize_root_signature`].
pub unsafe fn serialize_versioned_root_signature(
    desc: *const D3D12_VERSIONED_ROOT_SIGNATURE_DESC,
    out: *mut *mut c_void,
    error: *mut *mut c_void,
) -> i32 {
    // SAFETY: the caller promises: `desc` is null or a description; `out` and `error` are null or writable.
    unsafe { serialize(out, error, || description::read(desc.as_ref().ok_or(Error::Invalid("no description"))?)) }
}

/// # Safety
/// `out` and `error` are null or writable.
unsafe fn serialize(
    out: *mut *mut c_void,
    error: *mut *mut c_void,
    read: impl FnOnce() -> Result<(RootSignature, Version)>,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the caller promises: `out` and `error` are null or writable.
        unsafe {
            // The place of the result is left alone on failure, unlike everywhere else in the API.
            if !error.is_null() {
                error.write(core::ptr::null_mut());
            }
            let checked = read().map_err(|error| error.to_string()).and_then(|(signature, version)| {
                signature.check_written().map(|()| (signature, version)).map_err(|fault| fault.to_string())
            });
            match checked {
                Ok((signature, version)) if !out.is_null() => blob::give(signature.to_container(version), out),
                Ok(_) => E_INVALIDARG,
                Err(text) => {
                    blob::give_text(&text, error);
                    E_INVALIDARG
                }
            }
        }
    })
}

/// `D3D12CreateRootSignatureDeserializer`.
///
/// # Safety
/// `bytes` leads to `size` bytes; `iid` is readable; `out` is null or writable.
pub unsafe fn create_root_signature_deserializer(
    bytes: *const c_void,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the caller promises: `bytes` leads to `size` bytes; `iid` is readable; `out` is null or writable.
    unsafe { deserialize(bytes, size, iid, out, Deserializer::new) }
}

/// `D3D12CreateVersionedRootSignatureDeserializer`.
///
/// # Safety
/// As [`create_root_signature_deserializer`].
pub unsafe fn create_versioned_root_signature_deserializer(
    bytes: *const c_void,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the caller promises: `bytes` leads to `size` bytes; `iid` is readable; `out` is null or writable.
    unsafe { deserialize(bytes, size, iid, out, VersionedDeserializer::new) }
}

/// `D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary`.
///
/// # Safety
/// `bytes` leads to `size` bytes; `name` is null or readable up to its zero; `iid` is readable; `out` is null or writable.
pub unsafe fn create_versioned_root_signature_deserializer_from_subobject(
    bytes: *const c_void,
    size: usize,
    name: *const u16,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the caller promises: `bytes` leads to `size` bytes; `name` is null or readable up to its zero; `iid` is
        // readable; `out` is null or writable.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            if bytes.is_null() {
                return E_INVALIDARG;
            }
            match subobject(core::slice::from_raw_parts(bytes.cast(), size), name) {
                Ok(found) => create_versioned_root_signature_deserializer(found.as_ptr().cast(), found.len(), iid, out),
                Err(error) => code(Err(error)),
            }
        }
    })
}

/// # Safety
/// As [`create_root_signature_deserializer`].
unsafe fn deserialize<T: reprise_com::Class>(
    bytes: *const c_void,
    size: usize,
    iid: *const Guid,
    out: *mut *mut c_void,
    new: fn(&[u8]) -> Result<T>,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: the caller promises: `adapter` is null or a COM pointer; `iid` is readable; `out` is null or writable.
        unsafe {
            if !out.is_null() {
                out.write(core::ptr::null_mut());
            }
            if bytes.is_null() || iid.is_null() {
                return E_INVALIDARG;
            }
            match new(core::slice::from_raw_parts(bytes.cast(), size)) {
                Ok(deserializer) if out.is_null() => {
                    drop(deserializer);
                    S_FALSE
                }
                Ok(deserializer) => Object::make(deserializer).give(&*iid, out),
                Err(error) => error.code(),
            }
        }
    })
}
