//! What a device runs on, stated once in the trace: the DLL, the adapter, the system.
//!
//! Invariant: only getters are called, on a device that the program has just made. What fails is left out.

use core::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use reprise_d3d12::generated::types::DXGI_ADAPTER_DESC1;
use reprise_d3d12::model::{Guid, MethodId};
use reprise_d3d12::{interface, method};
use reprise_trace::fact;

use super::library;
use super::names::Dll;
use crate::Convention::Win64;
use crate::entry;
use crate::host::process;
use crate::host::windows::sign::{self, Event};
use crate::interposition::private_interfaces;
use crate::json::member;
use crate::real;

/// The program made a device; `out` is where it wanted the pointer, null when it only asked whether it could.
///
/// # Safety
/// The output of a call that succeeded.
pub(super) unsafe fn made(out: *const *mut c_void) {
    static SAID: AtomicBool = AtomicBool::new(false);
    private_interfaces::told();
    // SAFETY: the place of a call that succeeded, which holds the device.
    let device = if out.is_null() { core::ptr::null_mut() } else { unsafe { *out } };
    if device.is_null() || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    sign::leave(Event::Device, "");
    let mut text = String::from("{");
    // SAFETY: the program has just been given this interface pointer.
    if let Some(name) = unsafe { runtime(entry::unwrap(device)) } {
        member(&mut text, "runtime", &name);
    }
    if let Some(host) = process::host() {
        member(&mut text, "host", &host);
    }
    // SAFETY: the program has just been given this interface pointer.
    if let Some(adapter) = unsafe { adapter(entry::unwrap(device)) } {
        let units = adapter.Description.iter().take_while(|unit| **unit != 0);
        let name: String = char::decode_utf16(units.copied()).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
        member(&mut text, "adapter", &name);
        member(&mut text, "adapter_ids", &format!("{:04x}:{:04x}", adapter.VendorId, adapter.DeviceId));
    }
    text.push('}');
    entry::fact(0, fact::META, text.as_bytes());
}

/// `ID3D12DeviceExt`, which only vkd3d-proton's devices have.
const VKD3D_PROTON: Guid =
    Guid { data1: 0x11ea_7a1a, data2: 0x0f6a, data3: 0x49bf, data4: [0xb6, 0x12, 0x3e, 0x30, 0xf8, 0xe2, 0x01, 0xdd] };

/// The real DLL, and whose it is where the device tells: all of them have one name.
///
/// # Safety
/// A live device of the runtime itself.
unsafe fn runtime(device: *mut c_void) -> Option<String> {
    let file = library::real(Dll::D3d12)?.file()?;
    let name = file.file_name()?.to_string_lossy();
    let name = name.strip_prefix(library::ORIGINAL).unwrap_or(&name);
    // The launcher names our own runtime only.
    if library::is_named() {
        return Some(format!("{name} of Reprise"));
    }
    // SAFETY: the caller passes a live device; the reference is given back.
    let is_proton = unsafe {
        let answer = real::query(Win64, device, &VKD3D_PROTON);
        if !answer.is_null() {
            real::release(Win64, answer);
        }
        !answer.is_null()
    };
    Some(if is_proton { format!("{name} of vkd3d-proton") } else { name.to_owned() })
}

/// What DXGI says of a device's adapter. Wine's own DXGI names a card by a table, which may be wrong (measured: a GeForce for lavapipe).
///
/// # Safety
/// A live device of the runtime itself.
unsafe fn adapter(device: *mut c_void) -> Option<DXGI_ADAPTER_DESC1> {
    const LUID: MethodId = method("ID3D12Device", "GetAdapterLuid");
    const BY_LUID: MethodId = method("IDXGIFactory4", "EnumAdapterByLuid");
    const DESC: MethodId = method("IDXGIAdapter1", "GetDesc1");
    const FACTORY: &Guid = &interface("IDXGIFactory4").get().iid;
    const ADAPTER: &Guid = &interface("IDXGIAdapter1").get().iid;
    let create = library::real(Dll::Dxgi)?.export(c"CreateDXGIFactory1")?;
    // Nothing of this is the program's.
    entry::within(|| {
        // SAFETY: DXGI's function and methods, with the arguments that each takes; each reference is given back.
        unsafe {
            let create: unsafe extern "win64" fn(*const Guid, *mut *mut c_void) -> i32 = core::mem::transmute(create);
            let (mut factory, mut adapter) = (core::ptr::null_mut::<c_void>(), core::ptr::null_mut::<c_void>());
            if create(FACTORY, &raw mut factory) < 0 || factory.is_null() {
                return None;
            }
            let mut luid = 0u64;
            real::ask(Win64, device, LUID, &[(&raw mut luid) as u64]);
            let found = real::ask(
                Win64,
                factory,
                BY_LUID,
                &[luid, core::ptr::from_ref(ADAPTER) as u64, (&raw mut adapter) as u64],
            );
            real::release(Win64, factory);
            if (found as i32) < 0 || adapter.is_null() {
                return None;
            }
            let mut desc = DXGI_ADAPTER_DESC1::default();
            let told = real::ask(Win64, adapter, DESC, &[(&raw mut desc) as u64]);
            real::release(Win64, adapter);
            (told as i32 >= 0).then_some(desc)
        }
    })
}
