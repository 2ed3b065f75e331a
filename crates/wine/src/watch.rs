//! Which pages of mapped memory the program has stored to: `userfaultfd` in asynchronous write-protect mode, read and
//! re-armed by one `PAGEMAP_SCAN` ioctl (Linux 6.7 and newer), all from code under Wine.
//!
//! Constants are those of `linux/userfaultfd.h` and `linux/fs.h`. Invariant: a page is reported once for any number of
//! stores since the last scan, and never without a store.

use crate::kernel::Descriptor;

const PAGE: u64 = 4096;

#[repr(C)]
struct Api {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
struct Register {
    start: u64,
    len: u64,
    mode: u64,
    ioctls: u64,
}

#[repr(C)]
struct Protect {
    start: u64,
    len: u64,
    mode: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

#[repr(C)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    regions: u64,
    region_count: u64,
    max_pages: u64,
    inverted: u64,
    all_of: u64,
    any_of: u64,
    returned: u64,
}

const UFFDIO_API: usize = 0xc018_aa3f;
const UFFDIO_REGISTER: usize = 0xc020_aa00;
const UFFDIO_WRITEPROTECT: usize = 0xc018_aa06;
const PAGEMAP_SCAN: usize = 0xc060_6610;
/// Write-protect for shared memory, for pages not yet touched, and without a reader of faults.
const FEATURES: u64 = 1 << 12 | 1 << 13 | 1 << 15;
const MODE_WRITE_PROTECT: u64 = 2;
const PROTECT: u64 = 1;
/// Re-arm what matches; fail if the range is not armed.
const SCAN_FLAGS: u64 = 1 | 2;
const PAGE_IS_WRITTEN: u64 = 2;

/// A watched range of the program's memory.
#[derive(Debug)]
pub(crate) struct Watch {
    faults: Descriptor,
    pages: Descriptor,
    start: u64,
    end: u64,
}

/// What the kernel would not do, and its error number.
pub(crate) type Refusal = (&'static str, i32);

impl Watch {
    /// Arms the pages that hold `len` bytes at `address`.
    pub(crate) fn arm(address: u64, len: u64) -> Result<Watch, Refusal> {
        let start = address & !(PAGE - 1);
        let end = (address + len).next_multiple_of(PAGE);
        let faults = Descriptor::userfaultfd().map_err(|e| ("userfaultfd", e))?;
        let pages = Descriptor::open(c"/proc/self/pagemap").map_err(|e| ("open pagemap", e))?;
        let mut api = Api { api: 0xaa, features: FEATURES, ioctls: 0 };
        let mut register = Register { start, len: end - start, mode: MODE_WRITE_PROTECT, ioctls: 0 };
        let mut protect = Protect { start, len: end - start, mode: PROTECT };
        // SAFETY: each request takes the structure given to it; protecting changes no contents.
        unsafe {
            faults.control(UFFDIO_API, &mut api).map_err(|e| ("UFFDIO_API", e))?;
            faults.control(UFFDIO_REGISTER, &mut register).map_err(|e| ("UFFDIO_REGISTER", e))?;
            faults.control(UFFDIO_WRITEPROTECT, &mut protect).map_err(|e| ("UFFDIO_WRITEPROTECT", e))?;
        }
        Ok(Watch { faults, pages, start, end })
    }

    /// Calls `found` with the address ranges stored to since the last call, and re-arms them.
    pub(crate) fn written(&self, mut found: impl FnMut(u64, u64)) -> Result<(), Refusal> {
        let _keeps_armed = &self.faults;
        let mut from = self.start;
        while from < self.end {
            let mut regions = [Region::default(); 64];
            let mut scan = Scan {
                size: size_of::<Scan>() as u64,
                flags: SCAN_FLAGS,
                start: from,
                end: self.end,
                walk_end: 0,
                regions: regions.as_mut_ptr() as u64,
                region_count: regions.len() as u64,
                max_pages: 0,
                inverted: 0,
                all_of: PAGE_IS_WRITTEN,
                any_of: 0,
                returned: PAGE_IS_WRITTEN,
            };
            // SAFETY: the request takes this structure and fills at most `region_count` regions.
            let count = unsafe { self.pages.control(PAGEMAP_SCAN, &mut scan) }.map_err(|e| ("PAGEMAP_SCAN", e))?;
            regions.iter().take(count).for_each(|r| found(r.start, r.end));
            if scan.walk_end <= from {
                return Err(("PAGEMAP_SCAN made no progress", 0));
            }
            from = scan.walk_end;
        }
        Ok(())
    }
}
