//! The entry points: functions that the dynamic linker binds to this library before it looks into the runtime's.
//!
//! Every export is a jump through a table. At first all entries lead to one piece of assembly, which saves the argument
//! registers of both calling conventions and asks [`dispatch`]. If nothing is to be recorded, the table's entry becomes the
//! real function. Invariants: a call that is passed on reaches the runtime with all registers and the stack as the program left
//! them; a call made by the runtime's own code is passed on.

use core::ffi::c_void;
use std::arch::naked_asm;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use reprise_d3d12::model::Type;

use super::decision::{Decision, Registers, decide};
use crate::loader::names::{COUNT, Declared, EXPORTS, Index, each_export};
use crate::loader::resolved::{self, BEHIND, known};

macro_rules! exports {
    ($($name:ident $declared:ident;)*) => {
        $(
            /// Exported in the runtime's place.
            ///
            /// # Safety
            /// As the function of this name.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            #[allow(non_snake_case)]
            pub(super) unsafe extern "sysv64" fn $name() {
                naked_asm!(
                    "mov eax, {index}",
                    "jmp qword ptr [rip + {table} + 8*{index}]",
                    index = const Index::$name as usize,
                    table = sym TABLE,
                )
            }
        )*

        /// What we export, by number.
        static OWN: [unsafe extern "sysv64" fn(); COUNT] = [$($name),*];
    };
}

each_export!(exports);

/// Where each export jumps to: [`ask`], or the real function.
static TABLE: [AtomicPtr<c_void>; COUNT] = [const { AtomicPtr::new(ask as *mut c_void) }; COUNT];

/// What `ask` does next: returns `value`, or jumps to `target` where that is not null.
#[repr(C)]
struct Answer {
    value: u64,
    target: *const c_void,
}

/// Keeps the argument registers of both conventions (and what win64 wants preserved), asks [`dispatch`], and then either
/// returns or jumps on as if it had never been there. `eax` holds the export's index.
#[unsafe(naked)]
unsafe extern "sysv64" fn ask() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 304",
        "and rsp, -16",
        "mov [rsp], rdi",
        "mov [rsp+8], rsi",
        "mov [rsp+16], rdx",
        "mov [rsp+24], rcx",
        "mov [rsp+32], r8",
        "mov [rsp+40], r9",
        "movaps [rsp+48], xmm0",
        "movaps [rsp+64], xmm1",
        "movaps [rsp+80], xmm2",
        "movaps [rsp+96], xmm3",
        "movaps [rsp+112], xmm4",
        "movaps [rsp+128], xmm5",
        "movaps [rsp+144], xmm6",
        "movaps [rsp+160], xmm7",
        "movaps [rsp+176], xmm8",
        "movaps [rsp+192], xmm9",
        "movaps [rsp+208], xmm10",
        "movaps [rsp+224], xmm11",
        "movaps [rsp+240], xmm12",
        "movaps [rsp+256], xmm13",
        "movaps [rsp+272], xmm14",
        "movaps [rsp+288], xmm15",
        "mov edi, eax",
        "mov rsi, rsp",
        "lea rdx, [rbp+8]",
        "call {dispatch}",
        "mov r11, rdx",
        "movaps xmm0, [rsp+48]",
        "movaps xmm1, [rsp+64]",
        "movaps xmm2, [rsp+80]",
        "movaps xmm3, [rsp+96]",
        "movaps xmm4, [rsp+112]",
        "movaps xmm5, [rsp+128]",
        "movaps xmm6, [rsp+144]",
        "movaps xmm7, [rsp+160]",
        "movaps xmm8, [rsp+176]",
        "movaps xmm9, [rsp+192]",
        "movaps xmm10, [rsp+208]",
        "movaps xmm11, [rsp+224]",
        "movaps xmm12, [rsp+240]",
        "movaps xmm13, [rsp+256]",
        "movaps xmm14, [rsp+272]",
        "movaps xmm15, [rsp+288]",
        "mov rdi, [rsp]",
        "mov rsi, [rsp+8]",
        "mov rdx, [rsp+16]",
        "mov rcx, [rsp+24]",
        "mov r8, [rsp+32]",
        "mov r9, [rsp+40]",
        "leave",
        "test r11, r11",
        "jnz 2f",
        "ret",
        "2:",
        "jmp r11",
        dispatch = sym dispatch,
    )
}

/// What a call gets that nobody behind us can answer: the failure that its result has a word for. A program meets it only where it
/// refers to a function weakly, which without us would be null.
fn nobody(index: usize) -> u64 {
    /// `E_NOTIMPL`.
    const NOT_IMPLEMENTED: u64 = 0x8000_4001;
    const NOT_PRESENT: u32 = ash::vk::Result::ERROR_EXTENSION_NOT_PRESENT.as_raw() as u32;
    let export = &EXPORTS[index];
    static SAID: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    if !SAID[index].swap(true, Ordering::Relaxed) {
        let name = export.name.to_string_lossy();
        reprise_log::warning(format_args!("the program calls {name}, which no loaded library has"));
    }
    match resolved::function(export.name).map(|method| method.get().result) {
        Some(Type::Hresult) => NOT_IMPLEMENTED,
        Some(Type::I32) if export.declared == Declared::Vulkan => NOT_PRESENT.into(),
        // A number of a queue family, or the outcome of a wait: the greatest number means none, and failure.
        Some(Type::U32) if !export.name.to_bytes().ends_with(b"ref") => u32::MAX.into(),
        // Handles, objects and counts: none.
        _ => 0,
    }
}

/// Carries out what is decided about one call of an export.
///
/// # Safety
/// Called by `ask`, with the registers and the stack pointer of the program's call.
unsafe extern "sysv64" fn dispatch(index: u32, registers: &Registers, stack: *const u64) -> Answer {
    let index = index as usize;
    // SAFETY: the registers and the stack are those of the program's call of this export.
    match unsafe { decide(index, registers, stack) } {
        Decision::Nobody => Answer { value: nobody(index), target: core::ptr::null() },
        Decision::Recorded(value) => Answer { value, target: core::ptr::null() },
        Decision::Pass(target) => Answer { value: 0, target },
        Decision::PassAlways(target) => {
            TABLE[index].store(target.cast_mut(), Ordering::Relaxed);
            Answer { value: 0, target }
        }
    }
}

/// Whether a look-up in the process's own order met our export, and no library behind us has the function: without us it would
/// have failed.
pub(super) fn is_only_ours(index: usize, found: *const c_void) -> bool {
    found == OWN[index] as *const c_void && known(index).is_none()
}

/// What a program gets that looks an export up behind a handle of a library that has `found`: ours, or null where it is to get
/// `found` itself.
pub(super) fn found_behind_handle(index: usize, found: *const c_void) -> *const c_void {
    let own = OWN[index] as *const c_void;
    if found.is_null() || found == own {
        return core::ptr::null();
    }
    let before =
        BEHIND[index].compare_exchange(core::ptr::null_mut(), found.cast_mut(), Ordering::AcqRel, Ordering::Acquire);
    let first = match before {
        Ok(_) => known(index).map(|known| known.next.address),
        Err(first) => Some(first.cast_const()),
    };
    if first == Some(found) {
        return own;
    }
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        let name = EXPORTS[index].name.to_string_lossy();
        reprise_log::warning(format_args!("the program uses a second library's {name}, which is not recorded"));
    }
    core::ptr::null()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(name: &str) -> u64 {
        let index = EXPORTS.iter().position(|export| export.name.to_bytes() == name.as_bytes());
        nobody(index.unwrap_or(COUNT))
    }

    /// Expectations from the headers: a `VkResult` has no `E_NOTIMPL`, and a pointer is null.
    #[test]
    fn nobody_answers_in_the_results_own_words() {
        assert_eq!(answer("D3D12CreateDevice"), 0x8000_4001);
        assert_eq!(answer("vkd3d_create_instance"), 0x8000_4001);
        assert_eq!(answer("vkGetPhysicalDeviceSurfaceSupportKHR") as u32 as i32, -7);
        assert_eq!(answer("vkQueuePresentKHR") as u32 as i32, -7);
        assert_eq!(answer("vkd3d_get_vk_device"), 0);
        assert_eq!(answer("vkd3d_get_device_parent"), 0);
        assert_eq!(answer("vkd3d_create_event"), 0);
        assert_eq!(answer("vkd3d_instance_decref"), 0);
        assert_eq!(answer("vkd3d_get_vk_queue_family_index"), u64::from(u32::MAX));
    }
}
