//! The exported functions.
//!
//! Recorded exports take six words, more than any of them has: what a function does not have is read from the caller's stack and
//! passed on unseen. Exports that are passed on are jumps through a table, which keep every argument register as it was.

use core::ffi::c_void;
use std::arch::naked_asm;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::decision::{self, E_NOTIMPL};
use super::names::{Dll, PASSED, each_passed, each_recorded};
use crate::entry;

#[link(name = "ntdll")]
unsafe extern "system" {
    fn RtlCaptureStackBackTrace(skip: u32, count: u32, frames: *mut *const c_void, hash: *mut u32) -> u16;
}

/// Where the export that calls this returns to.
#[inline(never)]
fn caller() -> *const c_void {
    let mut frames = [core::ptr::null(); 2];
    // SAFETY: room for two frames: behind this function is the export, behind the export its caller.
    unsafe { RtlCaptureStackBackTrace(1, 2, frames.as_mut_ptr(), core::ptr::null_mut()) };
    frames[1]
}

macro_rules! numbers {
    ($($own:ident $dll:ident $name:literal;)*) => {
        /// Numbers of the recorded exports.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum Recorded { $($own,)* }
    };
}
each_recorded!(numbers);

macro_rules! recorded {
    ($($own:ident $dll:ident $name:literal;)*) => {$(
        /// Exported in the real function's place.
        ///
        /// # Safety
        /// As the function of this name.
        #[unsafe(no_mangle)]
        #[inline(never)]
        #[allow(non_snake_case)]
        pub(super) unsafe extern "win64" fn $own(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
            // SAFETY: the program's words, of which the function has as many as the model says.
            unsafe { decision::call(Recorded::$own as usize, &[a, b, c, d, e, f], caller()) }
        }
    )*};
}
each_recorded!(recorded);

macro_rules! numbers_of_passed {
    ($($own:ident $dll:ident $name:literal;)*) => {
        /// Numbers of the exports that are passed on.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum Passed { $($own,)* }
    };
}
each_passed!(numbers_of_passed);

macro_rules! passed {
    ($($own:ident $dll:ident $name:literal;)*) => {$(
        /// Exported in the real function's place.
        ///
        /// # Safety
        /// As the function of this name.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub(super) unsafe extern "win64" fn $own() {
            naked_asm!(
                "lea r10, [rip + {table}]",
                "mov eax, {index}",
                "jmp qword ptr [r10 + 8*rax]",
                index = const Passed::$own as usize,
                table = sym TABLE,
            )
        }
    )*};
}
each_passed!(passed);

/// Where each of them jumps to: [`first`], then the real function.
static TABLE: [AtomicPtr<c_void>; PASSED.len()] = [const { AtomicPtr::new(first as *mut c_void) }; PASSED.len()];

/// Looks the real function up and jumps on as if it had never been there. `eax` holds the export's number.
#[unsafe(naked)]
unsafe extern "win64" fn first() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 128",
        "and rsp, -16",
        "mov [rsp+32], rcx",
        "mov [rsp+40], rdx",
        "mov [rsp+48], r8",
        "mov [rsp+56], r9",
        "movups [rsp+64], xmm0",
        "movups [rsp+80], xmm1",
        "movups [rsp+96], xmm2",
        "movups [rsp+112], xmm3",
        "mov ecx, eax",
        "call {find}",
        "mov rcx, [rsp+32]",
        "mov rdx, [rsp+40]",
        "mov r8, [rsp+48]",
        "mov r9, [rsp+56]",
        "movups xmm0, [rsp+64]",
        "movups xmm1, [rsp+80]",
        "movups xmm2, [rsp+96]",
        "movups xmm3, [rsp+112]",
        "mov rsp, rbp",
        "pop rbp",
        "jmp rax",
        find = sym find,
    )
}

extern "win64" fn find(index: u32) -> *const c_void {
    let real = decision::passed(index as usize);
    let real = if real.is_null() { nobody as *const c_void } else { real };
    TABLE[index as usize].store(real.cast_mut(), Ordering::Release);
    real
}

/// Stands for a function that the real DLL does not have.
extern "win64" fn nobody() -> u32 {
    E_NOTIMPL
}

/// What `d3d11.dll` calls with the factory and the adapter that its program has, which may be wrappers of ours: DXGI takes its own
/// objects only.
///
/// # Safety
/// As the function of this name, which is Wine's and Windows' own: both objects are null or alive.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub(super) unsafe extern "win64" fn DXGID3D10CreateDevice(
    module: *mut c_void,
    factory: *mut c_void,
    adapter: *mut c_void,
    flags: u32,
    levels: *const i32,
    count: u32,
    device: *mut *mut c_void,
) -> u32 {
    type Create =
        unsafe extern "win64" fn(*mut c_void, *mut c_void, *mut c_void, u32, *const i32, u32, *mut *mut c_void) -> u32;
    static REAL: OnceLock<Option<Create>> = OnceLock::new();
    let real = REAL.get_or_init(|| {
        let address = decision::real_of(Dll::Dxgi, c"DXGID3D10CreateDevice");
        // SAFETY: the function of this name has this type.
        (!address.is_null()).then(|| unsafe { core::mem::transmute::<*const c_void, Create>(address) })
    });
    let Some(real) = real else { return E_NOTIMPL };
    // SAFETY: the program's arguments, with DXGI's own objects in place of wrappers.
    unsafe { real(module, entry::unwrap(factory), entry::unwrap(adapter), flags, levels, count, device) }
}

/// The version of the Agility SDK that `d3d12core.dll` is of; vkd3d-proton's states the same number.
#[unsafe(no_mangle)]
pub(super) static D3D12SDKVersion: u32 = 619;
