//! Reading memory that may not be mapped.
//!
//! Wine turns the fault of such a read into a Windows exception. A vectored handler, there for the time of a search, lets the read
//! end with nothing. Invariant: only faults of the one instruction here are answered; the thread's other ones go on as ever.

use core::ffi::c_void;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn AddVectoredExceptionHandler(first: u32, handler: *const c_void) -> *mut c_void;
    fn RemoveVectoredExceptionHandler(handler: *mut c_void) -> u32;
}

core::arch::global_asm!(
    // win64: the address in rcx, the place for the word in rdx; 1 in eax where it was read.
    ".globl reprise_peek",
    ".globl reprise_peek_read",
    ".globl reprise_peek_failed",
    "reprise_peek:",
    "reprise_peek_read:",
    "mov rax, qword ptr [rcx]",
    "mov qword ptr [rdx], rax",
    "mov eax, 1",
    "ret",
    "reprise_peek_failed:",
    "xor eax, eax",
    "ret",
);

unsafe extern "win64" {
    fn reprise_peek(address: usize, word: *mut u64) -> u32;
    fn reprise_peek_read();
    fn reprise_peek_failed();
}

/// `EXCEPTION_RECORD`, as far as it is read.
#[repr(C)]
struct Record {
    code: u32,
    flags: u32,
    next: *mut Record,
    address: usize,
}

/// `EXCEPTION_POINTERS`.
#[repr(C)]
struct Pointers {
    record: *mut Record,
    context: *mut u8,
}

/// Where `CONTEXT` of x86-64 has the instruction pointer, in bytes.
const CONTEXT_RIP: usize = 0xf8;
const CONTINUE_EXECUTION: i32 = -1;
const CONTINUE_SEARCH: i32 = 0;

unsafe extern "system" fn on_exception(pointers: *mut Pointers) -> i32 {
    // SAFETY: Windows passes valid structures to vectored handlers.
    unsafe {
        if (*(*pointers).record).address != reprise_peek_read as *const () as usize {
            return CONTINUE_SEARCH;
        }
        let rip = (*pointers).context.add(CONTEXT_RIP).cast::<usize>();
        rip.write(reprise_peek_failed as *const () as usize);
    }
    CONTINUE_EXECUTION
}

/// Reads words while it lives.
pub(super) struct Reader(*mut c_void);

impl Reader {
    /// `None` where the system takes no handler.
    pub(super) fn open() -> Option<Self> {
        // SAFETY: the handler has the type of vectored handlers and stays loaded.
        let handle = unsafe { AddVectoredExceptionHandler(1, on_exception as *const c_void) };
        (!handle.is_null()).then_some(Self(handle))
    }

    /// The word at an address; `None` where nothing is mapped.
    pub(super) fn word(&self, address: usize) -> Option<u64> {
        let mut word = 0;
        // SAFETY: a fault of the read ends at `reprise_peek_failed`, by the handler that lives as long as `self`.
        (unsafe { reprise_peek(address, &raw mut word) } != 0).then_some(word)
    }

    /// Bytes at an address, as many as fit `buffer`; whether all are there.
    pub(super) fn bytes(&self, address: usize, buffer: &mut [u8]) -> bool {
        for (index, piece) in buffer.chunks_mut(8).enumerate() {
            let Some(word) = self.word(address + index * 8) else { return false };
            piece.copy_from_slice(&word.to_le_bytes()[..piece.len()]);
        }
        true
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: the handle is this reader's.
        unsafe { RemoveVectoredExceptionHandler(self.0) };
    }
}
