//! Calls of the operating system: files that are allocated whole and mapped shared, processes, clocks.
//!
//! Owns every system call of this crate besides plain file reading and writing. Invariant: access to a mapping never faults
//! for want of disk space, because its file was allocated whole before it was mapped.

use std::io;
use std::path::Path;

#[cfg(unix)]
mod linux;
#[cfg(unix)]
use linux as imp;
#[cfg(windows)]
mod windows;
#[cfg(windows)]
use windows as imp;

/// Bytes of a file, mapped shared.
#[derive(Debug)]
pub struct Mapping {
    address: *mut u8,
    len: usize,
}

// SAFETY: the mapping belongs to the whole process, not to a thread, and is unmapped once, in `drop`.
unsafe impl Send for Mapping {}
// SAFETY: a shared `Mapping` only gives its address and length, which never change; it accesses no byte itself.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Makes the file, allocates it whole, filled with zeros, and maps it. `len` is in bytes.
    ///
    /// # Errors
    /// The file exists, or the system cannot make, allocate or map it.
    pub fn create(path: &Path, len: usize) -> io::Result<Fresh> {
        let file = std::fs::File::options().read(true).write(true).create_new(true).open(path)?;
        imp::allocate(&file, len as u64)
            .and_then(|()| imp::map(&file, len, false))
            .map(|address| Fresh(Mapping { address, len }))
            .inspect_err(|_| {
                // The error that matters is the first one.
                let _ = std::fs::remove_file(path);
            })
    }

    /// Maps a file that exists, whole. `at_least` is the shortest length that the caller can use. With `snapshot`, what is
    /// written to the mapping stays in this process and the file needs to be readable only.
    ///
    /// # Errors
    /// The file is shorter than `at_least` bytes, or the system cannot open or map it.
    pub fn open(path: &Path, at_least: usize, snapshot: bool) -> io::Result<Mapping> {
        let file = std::fs::File::options().read(true).write(!snapshot).open(path)?;
        let len = usize::try_from(file.metadata()?.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        if len < at_least {
            let text = format!("the file has {len} bytes, {at_least} are needed");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        imp::map(&file, len, snapshot).map(|address| Mapping { address, len })
    }

    /// Memory of this process only, for tests and for models of the ring.
    pub fn anonymous(len: usize) -> Fresh {
        let layout = anonymous_layout(len);
        // SAFETY: the layout's size is not zero.
        let address = unsafe { std::alloc::alloc_zeroed(layout) };
        if address.is_null() {
            std::alloc::handle_alloc_error(layout);
        }
        Fresh(Mapping { address, len: len | ANONYMOUS })
    }

    /// The first byte.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len & !ANONYMOUS
    }

    /// Whether there are no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A mapping full of zeros that nobody else knows yet: who has it may lay something out in it.
#[derive(Debug)]
pub struct Fresh(Mapping);

impl Fresh {
    /// The mapping, as one that may be shared from now on.
    pub fn into_mapping(self) -> Mapping {
        self.0
    }
}

impl std::ops::Deref for Fresh {
    type Target = Mapping;

    fn deref(&self) -> &Mapping {
        &self.0
    }
}

fn anonymous_layout(len: usize) -> std::alloc::Layout {
    // Aligned like a page, as a file's mapping is.
    std::alloc::Layout::from_size_align(len.max(1), 4096).unwrap_or(std::alloc::Layout::new::<u64>())
}

/// Marks the length of memory that is not a file's.
const ANONYMOUS: usize = 1 << 63;

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.len & ANONYMOUS != 0 {
            // SAFETY: allocated in `anonymous` with the same layout.
            unsafe { std::alloc::dealloc(self.address, anonymous_layout(self.len())) };
        } else {
            // SAFETY: `address` and `len` are those of a mapping that this value owns.
            unsafe { imp::unmap(self.address, self.len) };
        }
    }
}

/// Bytes free for an ordinary user in the file system of `path`; `None` when the system does not say.
pub fn free_space(path: &Path) -> Option<u64> {
    imp::free_space(path)
}

/// Reserves disk space for `len` bytes of the file from `from` on, without changing its length. Nothing happens where the
/// file system cannot do that.
///
/// # Errors
/// The disk is full, or the file would become larger than its limits allow.
pub fn reserve(file: &std::fs::File, from: u64, len: u64) -> io::Result<()> {
    imp::reserve(file, from, len)
}

/// A number that tells this process from an earlier one with the same id; 0 when the system does not say.
pub fn own_start() -> u64 {
    imp::own_start()
}

/// Tells the space of process numbers that this process lives in from others (containers have their own); 0 when the system
/// does not say.
pub fn namespace() -> u64 {
    imp::namespace()
}

/// The number that a process has here, which calls itself `pid` and began at `start`; `pid` itself where it is not found.
pub fn process_here(pid: u32, start: u64) -> u32 {
    imp::process_here(pid, start)
}

/// Whether the process that had this id and start number still runs (a zombie does not). `None` when the system cannot
/// tell, as for a native process seen from Wine.
pub fn process_alive(pid: u32, start: u64) -> Option<bool> {
    imp::process_alive(pid, start)
}

/// The operating system's number of the calling thread.
pub fn thread_id() -> u64 {
    imp::thread_id()
}

/// Nanoseconds of the monotonic clock.
pub fn monotonic_ns() -> u64 {
    imp::monotonic_ns()
}

/// Nanoseconds since 1970.
pub fn realtime_ns() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |d| d.as_nanos() as u64)
}
