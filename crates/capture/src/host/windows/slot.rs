//! A word of each thread, reached by two loads.
//!
//! Windows keeps the first 64 words of thread-local storage in the thread's block, 0x1480 bytes from its start (`TEB.TlsSlots` of x86-64,
//! on every Windows and every Wine). Invariant: the word of a thread that never set it is null.

use core::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn TlsAlloc() -> u32;
    fn TlsGetValue(slot: u32) -> *mut c_void;
    fn TlsSetValue(slot: u32, value: *mut c_void) -> i32;
}

/// Slots in the thread's block.
const IN_BLOCK: u32 = 64;
const NONE: u32 = u32::MAX;

static SLOT: AtomicU32 = AtomicU32::new(NONE);

/// Takes a slot. Called when the library is loaded, before any other function here.
pub(crate) fn take() {
    // SAFETY: takes nothing.
    SLOT.store(unsafe { TlsAlloc() }, Ordering::Relaxed);
}

/// The calling thread's word.
#[inline(always)]
pub(crate) fn get() -> *mut c_void {
    let slot = SLOT.load(Ordering::Relaxed);
    if slot < IN_BLOCK {
        let value;
        // SAFETY: reads one of the 64 words of the thread's own block.
        unsafe {
            core::arch::asm!(
                "mov {value}, qword ptr gs:[{slot} * 8 + 0x1480]",
                slot = in(reg) u64::from(slot),
                value = lateout(reg) value,
                options(readonly, nostack, preserves_flags),
            );
        }
        value
    } else {
        get_beyond(slot)
    }
}

#[cold]
#[inline(never)]
fn get_beyond(slot: u32) -> *mut c_void {
    // Nothing loads the tests as a library.
    #[cfg(test)]
    if slot == NONE {
        static TAKEN: std::sync::Once = std::sync::Once::new();
        TAKEN.call_once(take);
        return get();
    }
    // SAFETY: asks for a slot of ours; for one that was never taken Windows answers null.
    unsafe { TlsGetValue(slot) }
}

/// Sets the calling thread's word.
pub(crate) fn set(value: *mut c_void) {
    // SAFETY: sets a slot of ours.
    unsafe { TlsSetValue(SLOT.load(Ordering::Relaxed), value) };
}
