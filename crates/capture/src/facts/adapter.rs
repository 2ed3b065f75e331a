//! Adapter, driver and runtime of a device, stated once in the trace, for people and for replay on another machine.
//!
//! Invariant: only getters are called, on a device that the program has just made. A getter that fails leaves its field out.

use core::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

use reprise_d3d12::abi::Convention;
use reprise_d3d12::place::{HEADER, State};
use reprise_d3d12::{adapter, file};
use reprise_environment::runtime::{IMPORTED, UPLOAD_MEMORY};
use reprise_trace::fact;

use crate::facts::creation;
use crate::json::member;
use crate::loader::resolved;
use crate::session::{environment, record};
use crate::tracking;
use crate::wrapper::object::Chain;

/// The program made a device, by whichever function or method.
///
/// # Safety
/// The chain is a new device's.
pub(crate) unsafe fn of_device(chain: &Chain) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let (real, world) = (chain.real(), chain.identity().convention);
    let mut text = String::from("{");
    let physical = resolved::real(c"vkd3d_get_vk_physical_device");
    // Mesa makes its device by a method of `ID3D12DeviceFactory`.
    let library_file =
        [c"D3D12CreateDevice", c"D3D12GetInterface"].into_iter().find_map(|name| library(resolved::real(name)?));
    // Runtimes that nobody knows are not asked for what they need not understand.
    let known = physical.is_some() || library_file.as_deref().is_some_and(file::is_runtime);
    // SAFETY: the runtime's own device and function, in its convention.
    if let Some(found) = known.then(|| unsafe { adapter::of_device(world, real, physical) }).flatten() {
        member(&mut text, "adapter", &found.name);
        member(&mut text, "adapter_ids", &found.ids);
        member(&mut text, "driver", &found.driver);
        if found.is_processor {
            tracking::found_processor();
        }
    }
    if let Some(file) = library_file {
        member(&mut text, "runtime", &file);
        // Said of our runtime only: others do not know the variable.
        let imported = environment::get(UPLOAD_MEMORY).is_some_and(|value| value == IMPORTED);
        if imported && file.starts_with("libreprise_d3d12") {
            member(
                &mut text,
                "upload_memory_policy",
                "imported pages of the process where the device can, for exact tracking",
            );
        }
    }
    // SAFETY: a living device of the convention.
    if let Some(driver) = unsafe { addresses(real, world) } {
        member(&mut text, "addresses", &format!("kept: our runtime on the same driver ({driver}) has them again"));
    }
    text.push('}');
    record::fact(0, fact::META, text.as_bytes());
}

/// The build of the driver, where our runtime makes addresses that a later process can have again.
///
/// # Safety
/// The device is alive, of the convention.
unsafe fn addresses(device: *mut c_void, world: Convention) -> Option<String> {
    if !creation::addresses_are_kept() {
        return None;
    }
    // SAFETY: the caller passes a living device.
    let found = unsafe { creation::private_data(world, device) };
    let (header, state) = found.split_at_checked(HEADER)?;
    let kept = state.first_chunk::<4>().map(|state| u32::from_le_bytes(*state)) == Some(State::Repeatable as u32);
    kept.then(|| header.get(8..).unwrap_or_default().iter().map(|byte| format!("{byte:02x}")).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_in_the_library_that_holds_it() {
        let found = library(libc::getpid as *const c_void);
        assert!(found.is_some_and(|name| name.starts_with("libc")));
    }
}
