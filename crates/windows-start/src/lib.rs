//! Lets Rust programs and DLLs start on Wine before 8.13.
//!
//! Rust's standard library imports `ProcessPrng` from `bcryptprimitives.dll`, which Wine has from 8.13 on; on older ones the
//! loader refuses the program. This crate defines the function and its import symbol, so the linker makes no import. A program
//! or DLL takes it with `use reprise_windows_start as _;`. Invariant: it needs nothing that Windows 7 and Wine 1.0 lack.
#![cfg(windows)]

#[link(name = "advapi32")]
unsafe extern "system" {
    /// `RtlGenRandom` under the name that `advapi32.dll` exports on every Windows and every Wine.
    fn SystemFunction036(buffer: *mut u8, len: u32) -> u8;
}

/// Fills the buffer with random bytes; nonzero on success.
///
/// # Safety
/// `buffer` is writable for `len` bytes.
#[unsafe(no_mangle)]
unsafe extern "system" fn ProcessPrng(mut buffer: *mut u8, mut len: usize) -> i32 {
    while len > 0 {
        let piece = len.min(1 << 30);
        // SAFETY: `piece` bytes of the caller's buffer are left.
        if unsafe { SystemFunction036(buffer, piece as u32) } == 0 {
            return 0;
        }
        // SAFETY: still within the caller's buffer, or one past its end.
        buffer = unsafe { buffer.add(piece) };
        len -= piece;
    }
    1
}

/// The standard library calls through this pointer.
#[used]
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the linker's name for an import")]
static __imp_ProcessPrng: unsafe extern "system" fn(*mut u8, usize) -> i32 = ProcessPrng;
