//! Which adapter, driver and runtime a device is of: stated once in the trace, for people and for replay elsewhere.
//!
//! Invariant: only getters are called, on a device that the program has just made; what nobody answers is left out.

use core::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use reprise_trace::fact;

use super::{exports, surface};
use crate::entry;

/// The program made a device; `out` is where it wanted the pointer, null when it only asked whether it could.
///
/// # Safety
/// The output of a call that succeeded.
pub(super) unsafe fn device_made(out: *const *mut c_void) {
    static SAID: AtomicBool = AtomicBool::new(false);
    // SAFETY: by contract.
    let device = if out.is_null() { core::ptr::null_mut() } else { unsafe { *out } };
    if device.is_null() || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    // SAFETY: a live interface pointer by contract.
    let real = unsafe { entry::unwrap(device) };
    let mut text = String::from("{");
    // SAFETY: the runtime's own device.
    if let Some((properties, driver)) = unsafe { properties(real) } {
        member(&mut text, "adapter", &name(properties.device_name_as_c_str()));
        let ids = format!("{:04x}:{:04x}", properties.vendor_id, properties.device_id);
        member(&mut text, "adapter_ids", &ids);
        let version = format!("{} {}", name(driver.driver_name_as_c_str()), name(driver.driver_info_as_c_str()));
        member(&mut text, "driver", version.trim());
    }
    if let Some(file) = exports::real(c"D3D12CreateDevice").and_then(library) {
        member(&mut text, "runtime", &file);
        // Said of our runtime only: others do not know the variable.
        let imported = std::env::var_os("REPRISE_UPLOAD_MEMORY").is_some_and(|value| value == "imported");
        if imported && file.starts_with("libreprise_d3d12") {
            member(
                &mut text,
                "upload_memory_policy",
                "imported pages of the process where the device can, for exact tracking",
            );
        }
    }
    text.push('}');
    entry::fact(0, fact::META, text.as_bytes());
}

/// # Safety
/// A device of the runtime.
unsafe fn properties(
    device: *mut c_void,
) -> Option<(vk::PhysicalDeviceProperties, vk::PhysicalDeviceDriverProperties<'static>)> {
    let physical = exports::real(c"vkd3d_get_vk_physical_device")?;
    // SAFETY: the type of vkd3d's header.
    let physical = unsafe {
        core::mem::transmute::<*const c_void, unsafe extern "sysv64" fn(*mut c_void) -> vk::PhysicalDevice>(physical)
    };
    // SAFETY: the type of Vulkan's header.
    let get = unsafe { surface::loader::<vk::PFN_vkGetPhysicalDeviceProperties2>(c"vkGetPhysicalDeviceProperties2") }?;
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the runtime's device, and structures of ours chained as Vulkan wants them.
    unsafe { get(physical(device), &raw mut all) };
    let properties = all.properties;
    driver.p_next = core::ptr::null_mut();
    Some((properties, driver))
}

fn name(text: Result<&CStr, core::ffi::FromBytesUntilNulError>) -> String {
    text.map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned())
}

/// The file that holds a function, without folders: where it lies is this machine's business.
fn library(function: *const c_void) -> Option<String> {
    // SAFETY: all fields may be null.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: any address may be asked for; the call fills `info`.
    if unsafe { libc::dladdr(function, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's own terminated name.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned();
    // The name asked for is a link to the name with the version.
    let path = std::fs::canonicalize(&path).unwrap_or_else(|_| path.into());
    Some(path.file_name()?.to_string_lossy().into_owned())
}

/// Appends a member of a JSON object.
fn member(text: &mut String, name: &str, value: &str) {
    if text.len() > 1 {
        text.push(',');
    }
    text.push_str(&format!("\"{name}\":\""));
    for c in value.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            c if c.is_control() => text.push_str(&format!("\\u{:04x}", c as u32)),
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_driver_says_stays_one_text() {
        let mut text = String::from("{");
        member(&mut text, "adapter", "a \"b\" \\ \n");
        member(&mut text, "driver", "d");
        assert_eq!(text, r#"{"adapter":"a \"b\" \\ \u000a","driver":"d""#);
    }

    #[test]
    fn a_function_is_in_the_library_that_holds_it() {
        let found = library(libc::getpid as *const c_void);
        assert!(found.is_some_and(|name| name.starts_with("libc")));
    }
}
