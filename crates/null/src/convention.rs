//! Calls back into the program, on objects of its own, in the convention it calls us with.

use core::ffi::c_void;
use reprise_d3d12::abi::Convention;

/// Calls slot 1 or 2 of `IUnknown`.
fn count(convention: Convention, address: u64, slot: usize) -> u32 {
    let this = address as *mut c_void;
    // SAFETY: a COM object begins with the address of its table, whose slots 1 and 2 are `AddRef` and `Release`, in the
    // convention of this runtime's callers.
    unsafe {
        let function = *(*(address as *const *const *const c_void)).add(slot);
        match convention {
            Convention::Win64 => {
                let function: unsafe extern "win64" fn(*mut c_void) -> u32 = core::mem::transmute(function);
                function(this)
            }
            Convention::SystemV | Convention::Itanium => {
                let function: unsafe extern "sysv64" fn(*mut c_void) -> u32 = core::mem::transmute(function);
                function(this)
            }
        }
    }
}

/// `AddRef` on any COM object of the program's.
pub(crate) fn add_ref(convention: Convention, address: u64) -> u32 {
    count(convention, address, 1)
}

/// `Release` on any COM object of the program's.
pub(crate) fn release(convention: Convention, address: u64) -> u32 {
    count(convention, address, 2)
}
