//! Adapters of DXCore: `IDXCoreAdapter`, which is no part of the model.

use core::ffi::c_void;

use reprise_com::guid::guid;
use reprise_com::result::S_OK;
use reprise_d3d12::model::Guid;
use reprise_gpu::identity::{Described, Luid};

use super::Held;
use crate::{Error, Result};

pub(super) const IID: Guid = guid(0xf0db_4c7f, 0xfe5a, 0x42a2, [0xbd, 0x62, 0xf2, 0xa6, 0xcf, 0x6f, 0xc8, 0x3e]);
/// Slots of `GetProperty` and `GetPropertySize`, behind `IUnknown`, `IsValid`, `IsAttributeSupported` and `IsPropertySupported`.
const GET_PROPERTY: usize = 6;
const GET_PROPERTY_SIZE: usize = 7;
/// `DXCoreAdapterProperty`: `InstanceLuid`, `DriverDescription` and `HardwareID`.
const LUID: u32 = 0;
const DESCRIPTION: u32 = 2;
const HARDWARE: u32 = 3;

/// Bytes of a property; `None` where the adapter does not say it, or does not fill the place.
///
/// # Safety
/// The object is an `IDXCoreAdapter`.
unsafe fn property(adapter: &Held, property: u32, bytes: &mut [u8]) -> Option<()> {
    type GetProperty = unsafe extern "C" fn(*mut c_void, u32, usize, *mut u8) -> i32;
    // SAFETY: the caller passes an adapter, whose vtable has the method in this slot; the place is a local one.
    let result = unsafe {
        let vtable = *adapter.0.cast::<*const *const c_void>();
        let get: GetProperty = core::mem::transmute(*vtable.add(GET_PROPERTY));
        get(adapter.0, property, bytes.len(), bytes.as_mut_ptr())
    };
    (result == S_OK).then_some(())
}

/// Bytes that a property has; 0 where the adapter does not say it.
///
/// # Safety
/// The object is an `IDXCoreAdapter`.
unsafe fn size(adapter: &Held, property: u32) -> usize {
    type GetPropertySize = unsafe extern "C" fn(*mut c_void, u32, *mut usize) -> i32;
    let mut size = 0;
    // SAFETY: the caller passes an adapter, whose vtable has the method in this slot; the place is a local one.
    let result = unsafe {
        let vtable = *adapter.0.cast::<*const *const c_void>();
        let get: GetPropertySize = core::mem::transmute(*vtable.add(GET_PROPERTY_SIZE));
        get(adapter.0, property, &mut size)
    };
    if result == S_OK { size } else { 0 }
}

/// What an adapter says about itself. Only its LUID it has to say.
///
/// # Errors
/// It does not.
///
/// # Safety
/// The object is an `IDXCoreAdapter`.
pub(super) unsafe fn describe(adapter: &Held) -> Result<Described> {
    /// More than any description has.
    const LONGEST: usize = 4096;
    let (mut luid, mut hardware) = ([0; 8], [0; 16]);
    // SAFETY: the caller passes an adapter.
    let (named, identified, length) = unsafe {
        (property(adapter, LUID, &mut luid), property(adapter, HARDWARE, &mut hardware), size(adapter, DESCRIPTION))
    };
    named.ok_or(Error::Invalid("the adapter does not describe itself"))?;
    let mut text = vec![0; length.min(LONGEST)];
    // SAFETY: the caller passes an adapter.
    let described = !text.is_empty() && unsafe { property(adapter, DESCRIPTION, &mut text) }.is_some();
    let end = text.iter().position(|byte| *byte == 0 || !described).unwrap_or(text.len());
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(core::array::from_fn(|byte| bytes[4 * at + byte]));
    let id = |at: usize| identified.map_or(0, |()| word(&hardware, at));
    Ok(Described {
        luid: Luid { low: word(&luid, 0), high: word(&luid, 1) as i32 },
        uuid: None,
        vendor: id(0),
        device: id(1),
        name: String::from_utf8_lossy(&text[..end]).into_owned(),
    })
}
