//! Random bytes for the standard library, so that the DLL does not import `bcryptprimitives.dll`, which Wine before 8.13
//! does not have: a program would not start.
//!
//! The standard library refers to `ProcessPrng` through an import symbol. Both symbols are defined here, before the linker
//! looks for an import library, so no import is made. `SystemFunction036` is what `RtlGenRandom` is called in
//! `advapi32.dll`; every Windows and every Wine has it.

#[link(name = "advapi32")]
unsafe extern "system" {
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

#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the linker's name for an import")]
static __imp_ProcessPrng: unsafe extern "system" fn(*mut u8, usize) -> i32 = ProcessPrng;
