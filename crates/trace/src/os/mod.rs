//! Calls of the operating system: files that are allocated whole and mapped shared, processes, clocks.
//!
//! Owns every system call of this crate besides plain file reading and writing. Invariant: access to a mapping never faults
//! for want of disk space, because its file was allocated whole before it was mapped.

use std::io;
use std::path::Path;
use std::sync::OnceLock;

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

/// Whether the file has a name, as far as the system tells.
pub fn is_named(file: &std::fs::File) -> bool {
    imp::is_named(file)
}

/// Who this process is, for processes that share files with it.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Its number.
    pub id: u32,
    /// Tells it from an earlier process with the same number; 0 when the system does not say.
    pub start: u64,
    /// Tells the space of process numbers that it lives in from others (containers have their own); 0 when the system does
    /// not say.
    pub namespace: u64,
    /// Nanoseconds of the monotonic clock that these processes share.
    pub monotonic_ns: fn() -> u64,
}

static INTRODUCED: OnceLock<Identity> = OnceLock::new();

/// States who this process is, where the system's own interfaces say something else: under Wine the native processes around it know
/// it by its native number. The first statement stays.
pub fn introduce(identity: Identity) {
    INTRODUCED.get_or_init(|| identity);
}

/// This process's number: that which [`introduce`] stated, or the system's.
pub fn own_id() -> u32 {
    INTRODUCED.get().map_or_else(std::process::id, |identity| identity.id)
}

/// [`Identity::start`] of this process.
pub fn own_start() -> u64 {
    INTRODUCED.get().map_or_else(imp::own_start, |identity| identity.start)
}

/// [`Identity::namespace`] of this process.
pub fn namespace() -> u64 {
    INTRODUCED.get().map_or_else(imp::namespace, |identity| identity.namespace)
}

/// When a process started, in clock ticks since the machine did, from the text of Linux's `/proc/PID/stat`.
pub fn start_of(stat: &[u8]) -> Option<u64> {
    Some(fields_of(stat)?.1)
}

/// State and start of a process, from the text of Linux's `/proc/PID/stat`: the fields behind the name, which may itself hold
/// spaces and brackets.
fn fields_of(stat: &[u8]) -> Option<(u8, u64)> {
    let close = stat.iter().rposition(|&byte| byte == b')')?;
    let mut fields = stat[close + 1..].split(|byte| byte.is_ascii_whitespace()).filter(|field| !field.is_empty());
    let state = fields.next()?.first().copied()?;
    // Field 22 of the whole line; the state was field 3.
    let start = fields.nth(18).and_then(|field| std::str::from_utf8(field).ok())?.parse().ok()?;
    Some((state, start))
}

/// The number that a process has here, which calls itself `pid` and began at `start`; `pid` itself where it is not found.
pub fn process_here(pid: u32, start: u64) -> u32 {
    imp::process_here(pid, start)
}

/// Whether the process that had this id and start number still runs (a zombie does not). `None` when the system cannot
/// tell, as for a native process seen from Wine.
pub fn process_alive(pid: u32, start: u64) -> Option<bool> {
    if cfg!(windows) && INTRODUCED.get().is_some() {
        // Native numbers, which Wine's interfaces do not know.
        return None;
    }
    imp::process_alive(pid, start)
}

/// The operating system's number of the calling thread.
pub fn thread_id() -> u64 {
    imp::thread_id()
}

/// Nanoseconds of the monotonic clock.
pub fn monotonic_ns() -> u64 {
    INTRODUCED.get().map_or_else(imp::monotonic_ns, |identity| (identity.monotonic_ns)())
}

/// Nanoseconds since 1970.
pub fn realtime_ns() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |d| d.as_nanos() as u64)
}
