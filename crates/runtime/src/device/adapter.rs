//! The adapter of DXGI behind a device. Its description says which Vulkan device it is. Swap chains hand it out.

mod dxcore;

use core::ffi::c_void;
use std::sync::OnceLock;

use ash::vk;
use ash::vk::Handle;
use reprise_com::result::{E_NOINTERFACE, S_OK};
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::types::{DXGI_ADAPTER_DESC, LUID};
use reprise_d3d12::{interface, method};
use reprise_gpu::Instance;
use reprise_gpu::adapter;
use reprise_gpu::identity::{Described, Luid};
use reprise_gpu::logical::Logical;

use crate::{Error, Result};

/// The adapter of DXGI that a device is of: the program's, or on Windows the one that DXGI has for the device, looked for when
/// somebody asks. Natively a device without the program's has none.
#[derive(Debug, Default)]
pub struct Adapter {
    held: OnceLock<Option<Held>>,
    luid: OnceLock<Luid>,
}

/// A reference to an object of the program or of its dxgi.
#[derive(Debug)]
struct Held(*mut c_void);

// SAFETY: adapters are objects of DXGI, which threads may share.
unsafe impl Send for Held {}
// SAFETY: adapters are objects of DXGI, which threads may share.
unsafe impl Sync for Held {}

/// A method of `IUnknown` of any object.
///
/// # Safety
/// `object` is a living COM pointer.
unsafe fn slot(object: *mut c_void, method: MethodId) -> *const c_void {
    // SAFETY: a COM pointer begins with its vtable, which begins with `IUnknown`.
    unsafe { *(*object.cast::<*const *const c_void>()).add(method.get().slot as usize) }
}

impl Adapter {
    /// Holds an adapter; the first one stays. Null is none.
    ///
    /// # Safety
    /// `adapter` is null or a living COM pointer.
    pub unsafe fn hold(&self, adapter: *mut c_void) {
        if adapter.is_null() {
            return;
        }
        self.held.get_or_init(|| {
            type AddRef = unsafe extern "C" fn(*mut c_void) -> u32;
            // SAFETY: the caller passes a living COM pointer; slot and signature are the model's.
            unsafe {
                let add: AddRef = core::mem::transmute(slot(adapter, method("IUnknown", "AddRef")));
                add(adapter);
            }
            Some(Held(adapter))
        });
    }

    /// The adapter's LUID, as DXGI has it.
    pub fn name(&self, luid: Luid) {
        self.luid.get_or_init(|| luid);
    }

    /// The LUID of the device: that of its adapter, or Vulkan's where there is no adapter.
    pub fn luid(&self, logical: &Logical) -> LUID {
        let Luid { low, high } = *self.luid.get_or_init(|| {
            let (instance, physical) = (&logical.instance, logical.physical);
            // SAFETY: the reference keeps the adapter.
            let described = self.held(logical).and_then(|held| unsafe { describe(instance, held.0) }.ok());
            described.map_or_else(|| adapter::identity(instance, physical).luid, |described| described.luid)
        });
        LUID { LowPart: low, HighPart: high }
    }

    fn held(&self, logical: &Logical) -> Option<&Held> {
        self.held.get_or_init(|| of_device(logical)).as_ref()
    }

    /// Asks the adapter for an interface.
    ///
    /// # Safety
    /// `out` is writable.
    pub unsafe fn query(&self, logical: &Logical, iid: &Guid, out: *mut *mut c_void) -> i32 {
        let Some(Held(adapter)) = self.held(logical) else { return E_NOINTERFACE };
        // SAFETY: the reference keeps the adapter; `out` is writable.
        unsafe { query(*adapter, iid, out) }
    }
}

/// DXGI's adapter for a device: the adapter that matches it by the surest reason.
#[cfg(windows)]
fn of_device(logical: &Logical) -> Option<Held> {
    type Create = unsafe extern "C" fn(*const Guid, *mut *mut c_void) -> i32;
    type Enumerate = unsafe extern "C" fn(*mut c_void, u32, *mut *mut c_void) -> i32;
    let instance = &logical.instance;
    let create = crate::module::function(c"dxgi.dll", c"CreateDXGIFactory1")?;
    // SAFETY: the export and the method have these types; the places are local ones.
    let mut adapters = unsafe {
        let create: Create = core::mem::transmute(create);
        let mut factory = core::ptr::null_mut();
        if create(&interface("IDXGIFactory1").get().iid, &mut factory) != S_OK {
            return None;
        }
        let factory = Held(factory);
        let enumerate: Enumerate = core::mem::transmute(slot(factory.0, method("IDXGIFactory", "EnumAdapters")));
        let adapters = (0..).map_while(|index| {
            let mut adapter = core::ptr::null_mut();
            (enumerate(factory.0, index, &mut adapter) == S_OK && !adapter.is_null()).then(|| Held(adapter))
        });
        adapters.collect::<Vec<Held>>()
    };
    let reason = |held: &Held| {
        // SAFETY: the reference keeps the adapter.
        let described = unsafe { describe(instance, held.0) }.ok()?;
        adapter::reason(instance, logical.physical, &described).ok()?
    };
    let found = adapters.iter().enumerate().filter_map(|(at, held)| Some((reason(held)?, at))).min();
    if found.is_none() {
        reprise_log::warning_once("the device has no adapter of DXGI:", "none describes itself as the Vulkan device");
    }
    found.map(|(_, at)| adapters.swap_remove(at))
}

/// Natively nobody asks DXGI.
#[cfg(not(windows))]
fn of_device(_logical: &Logical) -> Option<Held> {
    None
}

/// Asks an object for an interface.
///
/// # Safety
/// `object` is a living COM pointer, `out` is writable.
unsafe fn query(object: *mut c_void, iid: &Guid, out: *mut *mut c_void) -> i32 {
    type Query = unsafe extern "C" fn(*mut c_void, *const Guid, *mut *mut c_void) -> i32;
    // SAFETY: the object lives; slot and signature are the model's; `out` is writable.
    unsafe {
        let query: Query = core::mem::transmute(slot(object, method("IUnknown", "QueryInterface")));
        query(object, iid, out)
    }
}

/// An object as this interface; `None` where it does not have it.
///
/// # Safety
/// `object` is a living COM pointer.
unsafe fn cast(object: *mut c_void, iid: &Guid) -> Option<Held> {
    let mut found = core::ptr::null_mut();
    // SAFETY: the caller passes a living COM pointer; the place is a local one.
    let result = unsafe { query(object, iid, &mut found) };
    (result == S_OK && !found.is_null()).then(|| Held(found))
}

/// What an adapter of DXGI or of DXCore says about itself. The instance's loader asks about the device of DXVK's adapters.
///
/// # Errors
/// The object is no adapter, or does not describe itself.
///
/// # Safety
/// `adapter` is a living COM pointer.
pub unsafe fn describe(instance: &Instance, adapter: *mut c_void) -> Result<Described> {
    // SAFETY: the caller passes a living COM pointer.
    let (dxgi, core) = unsafe { (cast(adapter, &interface("IDXGIAdapter").get().iid), cast(adapter, &dxcore::IID)) };
    match (dxgi, core) {
        // SAFETY: the reference keeps the adapter, which answers this interface.
        (Some(dxgi), _) => unsafe { describe_dxgi(instance, &dxgi) },
        // SAFETY: the reference keeps the adapter, which answers this interface.
        (None, Some(core)) => unsafe { dxcore::describe(&core) },
        (None, None) => Err(Error::Invalid("the adapter is none of DXGI or DXCore")),
    }
}

/// # Safety
/// The object is an `IDXGIAdapter`.
unsafe fn describe_dxgi(instance: &Instance, dxgi: &Held) -> Result<Described> {
    type GetDesc = unsafe extern "C" fn(*mut c_void, *mut Words) -> i32;
    let mut words = UNTOUCHED;
    // SAFETY: the caller passes an adapter; slot and signature are the model's; the place is a local one with room for either form.
    let (result, uuid) = unsafe {
        let get: GetDesc = core::mem::transmute(slot(dxgi.0, method("IDXGIAdapter", "GetDesc")));
        (get(dxgi.0, &mut words), uuid(instance, dxgi.0))
    };
    if result != S_OK {
        return Err(Error::Invalid("the adapter does not describe itself"));
    }
    let (name, desc) = read(&words);
    Ok(Described {
        luid: Luid { low: desc.AdapterLuid.LowPart, high: desc.AdapterLuid.HighPart },
        uuid,
        vendor: desc.VendorId,
        device: desc.DeviceId,
        name,
    })
}

/// Characters of an adapter's name.
const NAME: usize = 128;
/// Words of `DXGI_ADAPTER_DESC` where characters have two bytes, and in native libraries, where they have four.
const SHORT: usize = size_of::<DXGI_ADAPTER_DESC>() / 4;
const LONG: usize = SHORT + NAME / 2;

/// Room for a description of either form.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Words([u32; LONG]);

/// No adapter has this LUID, at the end of the longer form.
const UNTOUCHED: Words = Words([0x5a5a_a5a5; LONG]);

/// The name, and the description without it. The form shows in what was written.
fn read(words: &Words) -> (String, DXGI_ADAPTER_DESC) {
    let Words(words) = words;
    let mut desc = DXGI_ADAPTER_DESC::default();
    let own = core::mem::offset_of!(DXGI_ADAPTER_DESC, VendorId) / 4;
    let long = words[LONG - 2..] != UNTOUCHED.0[LONG - 2..];
    let first = if long { NAME } else { own };
    // SAFETY: what follows the name has the same form in both, up to the end of the words of that form; any bytes are such a structure.
    unsafe {
        let place = (&raw mut desc).cast::<u32>().add(own);
        place.copy_from_nonoverlapping(words[first..].as_ptr(), SHORT - own);
    }
    let characters: Vec<u32> = match long {
        true => words[..NAME].to_vec(),
        false => words[..own].iter().flat_map(|pair| [pair & 0xffff, pair >> 16]).collect(),
    };
    let characters = characters.into_iter().take_while(|&character| character != 0);
    let name = match long {
        true => characters.map(|one| char::from_u32(one).unwrap_or(char::REPLACEMENT_CHARACTER)).collect(),
        false => String::from_utf16_lossy(&characters.map(|unit| unit as u16).collect::<Vec<u16>>()),
    };
    (name, desc)
}

/// The UUID of the Vulkan device of an adapter that has one: DXVK's, by `IDXGIVkInteropAdapter`.
///
/// # Safety
/// `adapter` is a living COM pointer.
unsafe fn uuid(instance: &Instance, adapter: *mut c_void) -> Option<[u8; 16]> {
    type GetHandles = unsafe extern "C" fn(*mut c_void, *mut vk::Instance, *mut vk::PhysicalDevice);
    let (mut theirs, mut physical) = (vk::Instance::null(), vk::PhysicalDevice::null());
    // SAFETY: the caller passes a living COM pointer; slot and signature are the model's; the places are local ones.
    unsafe {
        let interop = cast(adapter, &interface("IDXGIVkInteropAdapter").get().iid)?;
        let get: GetHandles =
            core::mem::transmute(slot(interop.0, method("IDXGIVkInteropAdapter", "GetVulkanHandles")));
        get(interop.0, &mut theirs, &mut physical);
    }
    if theirs.is_null() || physical.is_null() {
        return None;
    }
    let mut ids = vk::PhysicalDeviceIDProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
    // SAFETY: the adapter keeps the instance, which is of the process's one loader; the function of this name has this type.
    unsafe {
        let name = c"vkGetPhysicalDeviceProperties2";
        let function = (instance.entry.static_fn().get_instance_proc_addr)(theirs, name.as_ptr())?;
        let function: vk::PFN_vkGetPhysicalDeviceProperties2 = core::mem::transmute(function);
        function(physical, &mut all);
    }
    Some(ids.device_uuid)
}

impl Drop for Held {
    fn drop(&mut self) {
        type Release = unsafe extern "C" fn(*mut c_void) -> u32;
        // SAFETY: the reference of `hold`, given back once; slot and signature are the model's.
        unsafe {
            let release: Release = core::mem::transmute(slot(self.0, method("IUnknown", "Release")));
            release(self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `DXGI_ADAPTER_DESC` as a native library has it.
    #[repr(C)]
    struct Native {
        name: [u32; 128],
        ids: [u32; 4],
        memory: [usize; 3],
        luid: [u32; 2],
    }

    /// What lies behind a place for the description.
    #[repr(C)]
    struct Guarded {
        words: Words,
        behind: [u32; 64],
    }

    #[test]
    fn descriptions_of_native_libraries_fit_and_are_read() {
        let mut guarded = Guarded { words: UNTOUCHED, behind: [7; 64] };
        let mut name = [0; 128];
        "GPU \u{1d11e}".chars().enumerate().for_each(|(at, character)| name[at] = character.into());
        let native = Native { name, ids: [0x10de, 0x2335, 1, 2], memory: [3, 4, 5], luid: [6, 7] };
        assert_eq!(size_of::<Native>(), 560, "as native libraries have it");
        // SAFETY: as such a library writes it; the place is the first field, and the whole is larger.
        unsafe { (&raw mut guarded).cast::<Native>().write(native) };
        assert_eq!(guarded.behind, [7; 64], "written beyond the place");
        let (name, desc) = read(&guarded.words);
        assert_eq!((name.as_str(), desc.VendorId, desc.DeviceId), ("GPU \u{1d11e}", 0x10de, 0x2335));
        assert_eq!((desc.SharedSystemMemory, desc.AdapterLuid.LowPart, desc.AdapterLuid.HighPart), (5, 6, 7));
    }

    #[test]
    fn descriptions_of_windows_are_read() {
        let mut words = UNTOUCHED;
        let mut desc = DXGI_ADAPTER_DESC { VendorId: 1, DeviceId: 2, SharedSystemMemory: 5, ..Default::default() };
        (desc.AdapterLuid.LowPart, desc.AdapterLuid.HighPart) = (6, 7);
        "GPU \u{1d11e}".encode_utf16().enumerate().for_each(|(at, unit)| desc.Description[at] = unit);
        // SAFETY: the place is larger.
        unsafe { (&raw mut words).cast::<DXGI_ADAPTER_DESC>().write(desc) };
        let (name, read) = read(&words);
        assert_eq!((name.as_str(), read.VendorId, read.DeviceId), ("GPU \u{1d11e}", 1, 2));
        assert_eq!((read.SharedSystemMemory, read.AdapterLuid.LowPart, read.AdapterLuid.HighPart), (5, 6, 7));
    }
}
