//! Linux: `posix_fallocate`, `mmap`, `/proc`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

pub(super) fn allocate(file: &File, len: u64) -> io::Result<()> {
    let len = libc::off_t::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut limit = FileLimit::hold();
    // SAFETY: the descriptor is open for writing; the call touches no memory of ours.
    match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, len) } {
        0 => Ok(()),
        error => {
            limit.reached = error == libc::EFBIG;
            Err(io::Error::from_raw_os_error(error))
        }
    }
}

/// Keeps the signal by which the kernel ends a process whose file would grow beyond its limit (`RLIMIT_FSIZE`) from this
/// thread: the program's files may have the limit, ours are an error that we tell of.
struct FileLimit {
    before: libc::sigset_t,
    held: bool,
    /// The limit was met while this was held, so the signal is pending.
    reached: bool,
}

impl FileLimit {
    fn signal() -> libc::sigset_t {
        // SAFETY: a structure of integers, filled by the two calls.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            libc::sigaddset(&raw mut set, libc::SIGXFSZ);
            set
        }
    }

    fn hold() -> FileLimit {
        // SAFETY: a structure of integers, for which zeros are valid.
        let mut before = unsafe { std::mem::zeroed() };
        // SAFETY: both sets outlive the call.
        let held = unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &FileLimit::signal(), &raw mut before) } == 0;
        FileLimit { before, held, reached: false }
    }
}

impl Drop for FileLimit {
    fn drop(&mut self) {
        if !self.held {
            return;
        }
        let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: all sets and the time outlive the calls. The kernel sent the signal to this thread, so it is this thread's
        // to take.
        unsafe {
            if self.reached {
                libc::sigtimedwait(&FileLimit::signal(), std::ptr::null_mut(), &none);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut());
        }
    }
}

pub(super) fn reserve(file: &File, from: u64, len: u64) -> io::Result<()> {
    let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
    let (from, len) = (libc::off_t::try_from(from).map_err(too_large)?, libc::off_t::try_from(len).map_err(too_large)?);
    // Disk space behind the end of a file is given without a look at the process's limit on the size of files.
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is writable, and outlives the call.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    if limit.rlim_cur != libc::RLIM_INFINITY && (from + len) as u64 > limit.rlim_cur {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    // SAFETY: the descriptor is open for writing; the call touches no memory of ours.
    if unsafe { libc::fallocate(file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE, from, len) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::ENODEV | libc::ESPIPE) => Ok(()),
        _ => Err(error),
    }
}

pub(super) fn is_named(file: &File) -> bool {
    file.metadata().map_or(true, |data| data.nlink() > 0)
}

pub(super) fn map(file: &File, len: usize, snapshot: bool) -> io::Result<*mut u8> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = if snapshot { libc::MAP_PRIVATE } else { libc::MAP_SHARED | libc::MAP_POPULATE };
    // SAFETY: a new mapping at an address that the kernel chooses overlays nothing.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, file.as_raw_fd(), 0) };
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address.cast()) }
}

/// # Safety
/// The range is a whole mapping made by [`map`], and nothing refers to it any more.
pub(super) unsafe fn unmap(address: *mut u8, len: usize) {
    // SAFETY: the caller says that the range is a whole mapping made by `map`, to which nothing refers any more.
    unsafe { libc::munmap(address.cast(), len) };
}

pub(super) fn free_space(path: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: a structure of integers, for which zeros are valid.
    let mut stat: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: `path` is zero-terminated, `stat` is writable; both outlive the call.
    let failed = unsafe { libc::statvfs(path.as_ptr(), &mut stat) } != 0;
    (!failed).then(|| stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// State and start of a process.
fn stat(pid: impl std::fmt::Display) -> io::Result<(u8, u64)> {
    let text = std::fs::read(format!("/proc/{pid}/stat"))?;
    super::fields_of(&text).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// Not by our number: `/proc` may be that of another namespace of numbers, where it is another's.
pub(super) fn own_start() -> u64 {
    stat("self").map_or(0, |(_, start)| start)
}

pub(super) fn namespace() -> u64 {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self/ns/pid").map_or(0, |data| data.ino())
}

pub(super) fn process_here(pid: u32, start: u64) -> u32 {
    let is = |candidate: u32| {
        let status = std::fs::read_to_string(format!("/proc/{candidate}/status")).unwrap_or_default();
        // From the outermost namespace to the process's own.
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
        let innermost = numbers.and_then(|numbers| numbers.split_whitespace().last()?.parse().ok());
        innermost.unwrap_or(candidate) == pid && stat(candidate).is_ok_and(|(_, found)| found == start)
    };
    if start == 0 || is(pid) {
        return pid;
    }
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(|other| is(*other)).unwrap_or(pid)
}

pub(super) fn process_alive(pid: u32, start: u64) -> Option<bool> {
    match stat(pid) {
        Ok((state, now)) => Some((start == 0 || now == start) && !matches!(state, b'Z' | b'X')),
        Err(error) if error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH) => {
            Some(false)
        }
        Err(_) => None,
    }
}

pub(super) fn thread_id() -> u64 {
    // SAFETY: takes nothing, changes nothing.
    unsafe { libc::syscall(libc::SYS_gettid) as u64 }
}

pub(super) fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable for the length of the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}
