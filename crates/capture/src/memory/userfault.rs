//! The watch by the kernel: userfaultfd in asynchronous write-protect mode, and the `PAGEMAP_SCAN` request.
//!
//! This file owns the two descriptors and the kernel's layouts for them. It knows pages, and neither resources nor writing
//! threads. Invariant: [`WriteWatch::take`] reports a page and re-arms it in one step. So a store is reported now or by a later
//! call, never lost. A store during a copy of the page makes the page written again.
//!
//! In asynchronous mode the kernel resolves the fault itself: no handler runs, system calls may store to watched pages, and the
//! program cannot notice the watch. It needs Linux 6.7, and no privilege (`UFFD_USER_MODE_ONLY`).

use std::io;
use std::ops::Range;

use super::watch::Watch;
use crate::host::kernel::{self, Descriptor};
use crate::tracking::Watched;

/// The page size of the architecture, in bytes.
pub const PAGE: usize = 4096;

const UFFD_API: u64 = 0xaa;
/// `O_CLOEXEC`, `O_NONBLOCK` and `UFFD_USER_MODE_ONLY` of x86-64.
const OPEN_FLAGS: i32 = 0o2_000_000 | 0o4_000 | 1;
const FEATURE_WP_HUGETLBFS_SHMEM: u64 = 1 << 12;
const FEATURE_WP_UNPOPULATED: u64 = 1 << 13;
const FEATURE_WP_ASYNC: u64 = 1 << 15;
const REGISTER_MODE_WP: u64 = 1 << 1;
const WRITEPROTECT_MODE_WP: u64 = 1;
const UFFDIO_API: u64 = 0xc018_aa3f;
const UFFDIO_REGISTER: u64 = 0xc020_aa00;
const UFFDIO_WRITEPROTECT: u64 = 0xc018_aa06;
const PAGEMAP_SCAN: u64 = 0xc060_6610;
const PM_SCAN_WP_MATCHING: u64 = 1;
const PM_SCAN_CHECK_WPASYNC: u64 = 2;
const PAGE_IS_WRITTEN: u64 = 1 << 1;

#[repr(C)]
#[derive(Default)]
struct ApiArgument {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
#[derive(Default)]
struct RegisterArgument {
    start: u64,
    len: u64,
    mode: u64,
    ioctls: u64,
}

#[repr(C)]
#[derive(Default)]
struct ProtectArgument {
    start: u64,
    len: u64,
    mode: u64,
}

#[repr(C)]
#[derive(Default)]
struct ScanArgument {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct PageRegion {
    start: u64,
    end: u64,
    categories: u64,
}

/// How many runs of written pages one request to the kernel returns at most; the rest come with the next request.
const REGIONS: usize = 256;

/// The watch over this process's memory. A forked child has to open its own.
#[derive(Debug)]
pub struct WriteWatch {
    faults: Descriptor,
    pagemap: Descriptor,
}

impl WriteWatch {
    /// Opens both descriptors and asks for the features that exactness needs.
    ///
    /// # Errors
    /// What the kernel says: it is too old, or a sandbox forbids the call.
    pub fn open() -> io::Result<Self> {
        let faults = Descriptor::userfault(OPEN_FLAGS)?;
        let mut api = ApiArgument {
            api: UFFD_API,
            features: FEATURE_WP_ASYNC | FEATURE_WP_UNPOPULATED | FEATURE_WP_HUGETLBFS_SHMEM,
            ioctls: 0,
        };
        // SAFETY: the request reads and writes one `uffdio_api`, which `ApiArgument` lays out.
        unsafe { faults.control(UFFDIO_API, &mut api) }?;
        let pagemap = Descriptor::open(c"/proc/self/pagemap")?;
        Ok(Self { faults, pagemap })
    }

    /// Puts `pages` (addresses, both ends on page boundaries, mapped) under the watch, all of them counted as not written.
    /// Pages watched before lose what was not taken yet: the caller leaves those out.
    ///
    /// # Errors
    /// The memory is of a kind the kernel cannot watch (device files), or is not mapped.
    pub fn arm(&self, pages: Range<usize>) -> io::Result<()> {
        let (start, len) = (pages.start as u64, pages.len() as u64);
        let mut register = RegisterArgument { start, len, mode: REGISTER_MODE_WP, ioctls: 0 };
        // SAFETY: the request reads and writes one `uffdio_register`; it changes only how faults on the range are served.
        unsafe { self.faults.control(UFFDIO_REGISTER, &mut register) }?;
        let mut protect = ProtectArgument { start, len, mode: WRITEPROTECT_MODE_WP };
        loop {
            // SAFETY: the request reads one `uffdio_writeprotect`; stores to the range still succeed (asynchronous mode).
            match unsafe { self.faults.control(UFFDIO_WRITEPROTECT, &mut protect) } {
                Ok(_) => return Ok(()),
                // The address space is changing under another thread.
                Err(error) if kernel::asks_again(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reports every run of pages in `pages` written since it was armed or last taken, in rising order, and arms those
    /// pages again.
    ///
    /// # Errors
    /// A part of the range is not under the watch (any more). Runs reported before the error have been taken; what else
    /// is written is not known, so the caller has to take everything as written.
    pub fn take(&self, pages: Range<usize>, mut written: impl FnMut(Range<usize>)) -> io::Result<()> {
        let mut regions = [PageRegion::default(); REGIONS];
        let mut start = pages.start;
        while start < pages.end {
            let mut scan = ScanArgument {
                size: size_of::<ScanArgument>() as u64,
                flags: PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC,
                start: start as u64,
                end: pages.end as u64,
                vec: regions.as_mut_ptr() as u64,
                vec_len: REGIONS as u64,
                category_mask: PAGE_IS_WRITTEN,
                return_mask: PAGE_IS_WRITTEN,
                ..ScanArgument::default()
            };
            // SAFETY: the request reads and writes one `pm_scan_arg`, and writes at most `vec_len` regions to `vec`, an
            // array of that length that outlives the call.
            let found = unsafe { self.pagemap.control(PAGEMAP_SCAN, &mut scan) }?;
            for region in regions.iter().take(found) {
                written(region.start as usize..region.end as usize);
            }
            // The walk ends early only when the array is full, and then says where.
            if found < REGIONS || scan.walk_end as usize <= start {
                return Ok(());
            }
            start = scan.walk_end as usize;
        }
        Ok(())
    }
}

impl Watch for WriteWatch {
    fn mode(&self) -> Watched {
        Watched::Pages
    }

    fn arm(&self, pages: Range<usize>) -> io::Result<()> {
        WriteWatch::arm(self, pages)
    }

    fn take(&self, pages: Range<usize>, written: &mut dyn FnMut(Range<usize>)) -> io::Result<()> {
        WriteWatch::take(self, pages, written)
    }

    // The kernel resolves every store to watched memory by itself, whoever makes it, and drops its watch with the mapping.
    fn disarm(&self, _pages: Range<usize>) {}
    fn lift(&self, _pages: Range<usize>) {}
    fn forget(&self, _pages: Range<usize>) {}
}
