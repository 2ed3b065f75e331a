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

/// Unknown: the writer of a program under Wine is a native process and knows the program by other means.
pub(super) fn own_start() -> u64 {
    0
}

pub(super) fn namespace() -> u64 {
    0
}

pub(super) fn process_here(pid: u32, _start: u64) -> u32 {
    pid
}

pub(super) fn process_alive(_pid: u32, _start: u64) -> Option<bool> {
    None
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
