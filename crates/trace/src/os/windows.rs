//! Windows and Wine: file mappings through kernel32.

use std::fs::File;
use std::io::{self, Write};
use std::os::windows::io::AsRawHandle;
use std::path::Path;

type Handle = *mut core::ffi::c_void;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn CreateFileMappingW(
        file: Handle,
        security: *const u8,
        protect: u32,
        high: u32,
        low: u32,
        name: *const u16,
    ) -> Handle;
    fn MapViewOfFile(mapping: Handle, access: u32, high: u32, low: u32, bytes: usize) -> *mut u8;
    fn UnmapViewOfFile(address: *const u8) -> i32;
    fn CloseHandle(handle: Handle) -> i32;
    fn GetCurrentProcess() -> Handle;
    fn OpenProcess(access: u32, inherit: i32, process: u32) -> Handle;
    fn WaitForSingleObject(handle: Handle, milliseconds: u32) -> u32;
    fn GetProcessTimes(process: Handle, made: *mut u64, ended: *mut u64, kernel: *mut u64, user: *mut u64) -> i32;
    fn GetCurrentThreadId() -> u32;
    fn QueryPerformanceCounter(count: *mut i64) -> i32;
    fn QueryPerformanceFrequency(frequency: *mut i64) -> i32;
    fn GetDiskFreeSpaceExW(path: *const u16, available: *mut u64, total: *mut u64, free: *mut u64) -> i32;
}

const PAGE_READWRITE: u32 = 4;
const PAGE_WRITECOPY: u32 = 8;
const FILE_MAP_COPY: u32 = 1;
const FILE_MAP_WRITE: u32 = 2;
const FILE_MAP_READ: u32 = 4;

/// Writes zeros: setting the length would leave holes under Wine, and a hole on a full disk is a fault in the program.
pub(super) fn allocate(mut file: &File, len: u64) -> io::Result<()> {
    let zeros = [0; 64 << 10];
    let mut left = len;
    while left > 0 {
        let piece = left.min(zeros.len() as u64) as usize;
        file.write_all(&zeros[..piece])?;
        left -= piece as u64;
    }
    Ok(())
}

/// The writer is a native process; on Windows it finds out that the disk is full when it writes.
pub(super) fn reserve(_file: &File, _from: u64, _len: u64) -> io::Result<()> {
    Ok(())
}

/// Windows removes no file that is open.
pub(super) fn is_named(_file: &File) -> bool {
    true
}

pub(super) fn map(file: &File, len: usize, snapshot: bool) -> io::Result<*mut u8> {
    let protect = if snapshot { PAGE_WRITECOPY } else { PAGE_READWRITE };
    let access = if snapshot { FILE_MAP_COPY } else { FILE_MAP_READ | FILE_MAP_WRITE };
    let (none, high, low) = (std::ptr::null(), (len as u64 >> 32) as u32, len as u32);
    // SAFETY: the handle is an open file's; no name, no security descriptor.
    let mapping = unsafe { CreateFileMappingW(file.as_raw_handle(), none, protect, high, low, std::ptr::null()) };
    if mapping.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `mapping` is a mapping of at least `len` bytes.
    let address = unsafe { MapViewOfFile(mapping, access, 0, 0, len) };
    let error = io::Error::last_os_error();
    // SAFETY: the handle is ours; the view keeps the mapping alive.
    unsafe { CloseHandle(mapping) };
    if address.is_null() { Err(error) } else { Ok(address) }
}

/// # Safety
/// The range is a whole view made by [`map`], and nothing refers to it any more.
pub(super) unsafe fn unmap(address: *mut u8, _len: usize) {
    // SAFETY: the caller says that the range is a whole mapping made by `map`, to which nothing refers any more.
    unsafe { UnmapViewOfFile(address) };
}

pub(super) fn free_space(path: &Path) -> Option<u64> {
    use std::os::windows::ffi::OsStrExt;
    let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let mut available = 0;
    let unused = std::ptr::null_mut();
    // SAFETY: `path` is zero-terminated, `available` is writable, the other results may be null.
    let done = unsafe { GetDiskFreeSpaceExW(path.as_ptr(), &mut available, unused, unused) };
    (done != 0).then_some(available)
}

/// A handle of ours.
struct Owned(Handle);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the handle is ours and not used again.
        unsafe { CloseHandle(self.0) };
    }
}

/// When a process was made, in units of 100 ns since 1601.
fn made(process: Handle) -> Option<u64> {
    let [mut made, mut ended, mut kernel, mut user] = [0; 4];
    // SAFETY: a handle that may be asked, and four numbers that outlive the call.
    let told = unsafe { GetProcessTimes(process, &raw mut made, &raw mut ended, &raw mut kernel, &raw mut user) };
    (told != 0).then_some(made)
}

pub(super) fn own_start() -> u64 {
    // SAFETY: takes nothing; the handle means this process and is not closed.
    made(unsafe { GetCurrentProcess() }).unwrap_or(0)
}

/// Windows counts all processes together. Programs under Wine with a native writer state a namespace of Linux in its place
/// ([`super::introduce`]), so the numbers of one are never taken for the other's.
pub(super) fn namespace() -> u64 {
    u64::from_le_bytes(*b"windows\0")
}

pub(super) fn process_here(pid: u32, _start: u64) -> u32 {
    pid
}

pub(super) fn process_alive(pid: u32, start: u64) -> Option<bool> {
    const QUERY_LIMITED_AND_WAIT: u32 = 0x1000 | 0x0010_0000;
    const WAIT_TIMEOUT: u32 = 258;
    const ERROR_INVALID_PARAMETER: i32 = 87;
    // SAFETY: any number may be asked for.
    let process = unsafe { OpenProcess(QUERY_LIMITED_AND_WAIT, 0, pid) };
    if process.is_null() {
        // Other errors say that there is one that may not be asked.
        let error = io::Error::last_os_error().raw_os_error();
        return (error == Some(ERROR_INVALID_PARAMETER)).then_some(false);
    }
    let process = Owned(process);
    // SAFETY: the handle is open and may be waited for; no time is waited.
    let runs = unsafe { WaitForSingleObject(process.0, 0) } == WAIT_TIMEOUT;
    Some(runs && (start == 0 || made(process.0).is_none_or(|made| made == start)))
}

pub(super) fn thread_id() -> u64 {
    // SAFETY: takes nothing, changes nothing.
    u64::from(unsafe { GetCurrentThreadId() })
}

pub(super) fn monotonic_ns() -> u64 {
    let (mut count, mut frequency) = (0, 1);
    // SAFETY: both are writable for the length of the calls.
    unsafe { (QueryPerformanceCounter(&mut count), QueryPerformanceFrequency(&mut frequency)) };
    (i128::from(count) * 1_000_000_000 / i128::from(frequency.max(1))) as u64
}
