//! Linux's system calls from code under Wine, whose processes are Linux processes.
//!
//! The calls go through a `syscall` instruction of the C library. Proton's Wine takes system calls from elsewhere for calls of
//! Windows (a seccomp filter by the instruction's address), and Wine from 11.5 on lets only the C library's through (Syscall User
//! Dispatch). Numbers are those of x86-64 Linux. Invariant: no call is made before one was tried whose answer is known.

use core::ffi::CStr;
use std::io;
use std::sync::OnceLock;

use super::{elf, ntdll};

const READ: usize = 0;
const OPEN: usize = 2;
const CLOSE: usize = 3;
const STAT: usize = 4;
const MPROTECT: usize = 10;
const IOCTL: usize = 16;
const GETPID: usize = 39;
const CLOCK_GETTIME: usize = 228;
const PROCESS_VM_READV: usize = 310;
const USERFAULTFD: usize = 323;

/// Where Wine keeps the address of its native entry on x86-64, if no export says it (Wine 6 and later).
const DISPATCHER: usize = 0x7ffe_1000;

/// The address of `syscall; ret`, tried; `None` on Windows, or where it was not found.
fn instruction() -> Option<usize> {
    static FOUND: OnceLock<Option<usize>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let ntdll = ntdll()?;
        ntdll.export(c"wine_get_version")?;
        let exports = [c"__wine_unix_call_dispatcher", c"__wine_syscall_dispatcher"];
        let places = exports.into_iter().filter_map(|name| ntdll.export(name)).map(|place| place as usize);
        // SAFETY: Wine's exports of these names are variables that hold an address, and so is the fixed place.
        let natives = places.chain([DISPATCHER]).map(|place| unsafe { (place as *const usize).read() });
        natives.filter_map(elf::find_syscall).find(|instruction| answers(*instruction))
    })
}

/// Whether a call through the instruction does what Linux does: the process's number is that of its own `stat` file.
fn answers(instruction: usize) -> bool {
    // SAFETY: takes nothing, touches nothing.
    let number = unsafe { call_through(instruction, GETPID, [0; 6]) };
    // SAFETY: a terminated path and flags.
    let file = unsafe { call_through(instruction, OPEN, [c"/proc/self/stat".as_ptr() as usize, 0, 0, 0, 0, 0]) };
    if number <= 0 || file < 0 {
        return false;
    }
    let mut text = [0u8; 16];
    // SAFETY: at most 16 bytes are stored to the buffer; the descriptor is closed once, here.
    unsafe {
        call_through(instruction, READ, [file as usize, text.as_mut_ptr() as usize, text.len(), 0, 0, 0]);
        call_through(instruction, CLOSE, [file as usize, 0, 0, 0, 0, 0]);
    }
    let digits = text.split(|byte| *byte == b' ').next().unwrap_or_default();
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) == Some(number)
}

/// A number of Linux's, which Windows would call by another name.
#[derive(Debug)]
struct LinuxError(i32);

impl std::fmt::Display for LinuxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "error {} of Linux", self.0)
    }
}

impl std::error::Error for LinuxError {}

/// `EAGAIN`.
const TRY_AGAIN: i32 = 11;

/// Whether the kernel asks to try a call again.
pub(crate) fn asks_again(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<LinuxError>());
    inner.is_some_and(|error| error.0 == TRY_AGAIN)
}

/// # Safety
/// `instruction` is the address of `syscall; ret`, and the call `number` with these arguments touches no memory but what they
/// point to.
unsafe fn call_through(instruction: usize, number: usize, arguments: [usize; 6]) -> isize {
    let result;
    // SAFETY: the kernel keeps all registers but rax, rcx and r11; the caller answers for what the call does.
    unsafe {
        core::arch::asm!(
            "call {instruction}",
            instruction = in(reg) instruction,
            inlateout("rax") number as isize => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

/// # Safety
/// The call `number` with these arguments touches no memory but what they point to.
unsafe fn call(number: usize, arguments: [usize; 6]) -> io::Result<usize> {
    let instruction = instruction().ok_or(io::ErrorKind::Unsupported)?;
    // SAFETY: `instruction` was found to be `syscall; ret` and tried; the caller answers for the call.
    let result = unsafe { call_through(instruction, number, arguments) };
    if (-4095..0).contains(&result) {
        return Err(io::Error::other(LinuxError(-result as i32)));
    }
    Ok(result as usize)
}

/// Whether Linux can be called.
pub(crate) fn is_available() -> bool {
    instruction().is_some()
}

/// The process's number as native processes see it; Wine's own number is another.
pub(super) fn process_id() -> Option<u32> {
    // SAFETY: takes nothing, touches nothing.
    unsafe { call(GETPID, [0; 6]) }.ok().map(|id| id as u32)
}

/// The inode that a path of Linux leads to.
pub(super) fn inode(path: &CStr) -> Option<u64> {
    // `struct stat` of x86-64: 144 bytes, of which the second word is the inode.
    let mut stat = [0u64; 18];
    // SAFETY: a terminated path, and a buffer of the structure's size.
    unsafe { call(STAT, [path.as_ptr() as usize, stat.as_mut_ptr() as usize, 0, 0, 0, 0]) }.ok()?;
    Some(stat[1])
}

/// Nanoseconds of Linux's monotonic clock; 0 where Linux cannot be called.
pub(crate) fn monotonic_ns() -> u64 {
    const MONOTONIC: usize = 1;
    let mut time = [0u64; 2];
    // SAFETY: the kernel stores seconds and nanoseconds, two words.
    let done = unsafe { call(CLOCK_GETTIME, [MONOTONIC, time.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    done.map_or(0, |_| time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1]))
}

/// Lets whole pages be read, and stored to where `writable`.
///
/// # Errors
/// What the kernel says.
pub(crate) fn protect(start: usize, len: usize, writable: bool) -> io::Result<()> {
    // SAFETY: the caller knows the memory as the program's mapped memory, and lets it be readable always.
    unsafe { call(MPROTECT, [start, len, if writable { 3 } else { 1 }, 0, 0, 0]) }.map(drop)
}

/// A Linux file descriptor.
#[derive(Debug)]
pub(crate) struct Descriptor(usize);

impl Descriptor {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn open(path: &CStr) -> io::Result<Self> {
        const CLOSE_ON_EXEC: usize = 0o2000000;
        // SAFETY: the path is zero-terminated.
        unsafe { call(OPEN, [path.as_ptr() as usize, CLOSE_ON_EXEC, 0, 0, 0, 0]) }.map(Self)
    }

    /// A `userfaultfd`.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn userfault(flags: i32) -> io::Result<Self> {
        // SAFETY: takes flags only.
        unsafe { call(USERFAULTFD, [flags as usize, 0, 0, 0, 0, 0]) }.map(Self)
    }

    /// An `ioctl` with a structure; gives its result.
    ///
    /// # Errors
    /// What the kernel says.
    ///
    /// # Safety
    /// `request` takes a `T`, and touches no memory but that and what it points to.
    pub(crate) unsafe fn control<T>(&self, request: u64, argument: &mut T) -> io::Result<usize> {
        // SAFETY: the caller says that the request takes this structure.
        unsafe { call(IOCTL, [self.0, request as usize, core::ptr::from_mut(argument) as usize, 0, 0, 0]) }
    }

    /// Reads bytes; gives how many.
    ///
    /// # Errors
    /// What the kernel says.
    pub(super) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // SAFETY: the kernel stores to the buffer, at most its length.
        unsafe { call(READ, [self.0, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0]) }
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: the descriptor is ours and not used again.
        let _ = unsafe { call(CLOSE, [self.0, 0, 0, 0, 0, 0]) };
    }
}

/// The word at an address of this process; `None` where nothing is mapped, or Linux cannot be asked.
pub(crate) fn word(address: usize) -> Option<u64> {
    let mut word = 0u64;
    let local = [(&raw mut word) as usize, 8];
    let remote = [address, 8];
    let process = process_id()? as usize;
    // SAFETY: the kernel stores 8 bytes to the local word, or answers with an error.
    let read = unsafe { call(PROCESS_VM_READV, [process, local.as_ptr() as usize, 1, remote.as_ptr() as usize, 1, 0]) };
    (read.ok()? == 8).then_some(word)
}

/// They run under Wine: the suite's test `windows::units` starts them.
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_instruction_is_found_and_calls_linux() {
        let instruction = instruction().expect("this is Wine");
        // SAFETY: the instruction's own bytes.
        assert_eq!(unsafe { (instruction as *const [u8; 3]).read() }, [0x0f, 0x05, 0xc3]);
        assert!(instruction > 0x7000_0000_0000, "{instruction:x} is no address of Linux's libraries");
        let number = process_id().unwrap();
        let mut text = [0; 32];
        let file = Descriptor::open(c"/proc/self/stat").unwrap();
        let len = file.read(&mut text).unwrap();
        assert!(std::str::from_utf8(&text[..len]).unwrap().starts_with(&format!("{number} ")));
        let error = Descriptor::open(c"/no/such/file").unwrap_err();
        assert_eq!(error.to_string(), "error 2 of Linux");
        assert!(!asks_again(&error));
    }

    #[test]
    fn words_are_read_where_there_is_memory() {
        let word = 0x0123_4567_89ab_cdefu64;
        assert_eq!(super::word((&raw const word) as usize), Some(word));
        assert_eq!(super::word(0x6000_0000_0000), None);
        let reader = crate::host::wine::peek::Reader::open().unwrap();
        assert_eq!(reader.word((&raw const word) as usize), Some(word));
        assert_eq!(reader.word(0x6000_0000_0000), None);
    }

    #[test]
    fn the_clock_is_linuxs() {
        let mut uptime = [0; 64];
        let before = monotonic_ns();
        let len = Descriptor::open(c"/proc/uptime").unwrap().read(&mut uptime).unwrap();
        let seconds: f64 = std::str::from_utf8(&uptime[..len]).unwrap().split(' ').next().unwrap().parse().unwrap();
        // The machine may have slept, which only the second clock counts.
        assert!(before > 0 && before as f64 / 1e9 <= seconds + 1.0, "{before} ns, {seconds} s");
    }
}
