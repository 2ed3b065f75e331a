//! The watch by Windows: memory that was allocated with `MEM_WRITE_WATCH` tells which of its pages were stored to.
//!
//! A runtime allocates upload heaps so where a program asks for it (`D3D12_HEAP_FLAG_ALLOW_WRITE_WATCH`). The mapping itself proves
//! it: elsewhere the first question fails. The system's count of a page begins anew in the step that reports it.

use core::ffi::c_void;
use std::io;
use std::ops::Range;

use super::userfault::PAGE;
use super::watch::Watch;
use crate::tracking::Watched;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetWriteWatch(
        flags: u32,
        start: *const c_void,
        len: usize,
        addresses: *mut usize,
        count: *mut usize,
        page: *mut u32,
    ) -> u32;
    fn ResetWriteWatch(start: *const c_void, len: usize) -> u32;
}

/// Reported pages count as not written from then on.
const RESET: u32 = 1;
/// Pages that one question reports at most.
const PAGES: usize = 512;

/// The watch by Windows.
#[derive(Debug)]
pub(crate) struct WriteWatch;

impl Watch for WriteWatch {
    fn mode(&self) -> Watched {
        Watched::WriteWatch
    }

    fn arm(&self, pages: Range<usize>) -> io::Result<()> {
        // SAFETY: the call changes only the system's own account of the pages.
        let failed = unsafe { ResetWriteWatch(pages.start as *const c_void, pages.len()) } != 0;
        if failed { Err(io::Error::other("not allocated with MEM_WRITE_WATCH")) } else { Ok(()) }
    }

    fn take(&self, pages: Range<usize>, written: &mut dyn FnMut(Range<usize>)) -> io::Result<()> {
        let mut from = pages.start;
        while from < pages.end {
            let mut found = [0usize; PAGES];
            let (mut count, mut page) = (PAGES, 0);
            // SAFETY: `found` has room for `count` addresses; the call changes only the system's account of the pages.
            let failed = unsafe {
                let start = from as *const c_void;
                GetWriteWatch(RESET, start, pages.end - from, found.as_mut_ptr(), &raw mut count, &raw mut page)
            };
            if failed != 0 {
                return Err(io::Error::last_os_error());
            }
            let mut run: Option<Range<usize>> = None;
            for &address in found.iter().take(count) {
                match &mut run {
                    Some(run) if run.end == address => run.end += PAGE,
                    _ => {
                        if let Some(run) = run.replace(address..address + PAGE) {
                            written(run);
                        }
                    }
                }
            }
            if let Some(run) = run {
                from = run.end;
                written(run);
            }
            if count < PAGES {
                return Ok(());
            }
        }
        Ok(())
    }

    // The system only counts: no store is ever refused.
    fn disarm(&self, _pages: Range<usize>) {}
    fn lift(&self, _pages: Range<usize>) {}
    fn forget(&self, _pages: Range<usize>) {}
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn VirtualAlloc(start: *mut c_void, len: usize, kind: u32, protection: u32) -> *mut c_void;
    }

    const RESERVE_AND_COMMIT: u32 = 0x3000;
    const WRITE_WATCH: u32 = 0x20_0000;
    const READ_AND_WRITE: u32 = 4;
    /// More than one question reports.
    const MANY: usize = 2 * PAGES + 100;

    fn allocate(kind: u32) -> Range<usize> {
        let len = MANY * PAGE;
        // SAFETY: new memory at a place of the system's choice.
        let start = unsafe { VirtualAlloc(core::ptr::null_mut(), len, kind, READ_AND_WRITE) } as usize;
        assert_ne!(start, 0);
        start..start + len
    }

    fn taken(pages: &Range<usize>) -> Vec<usize> {
        let mut taken = Vec::new();
        WriteWatch.take(pages.clone(), &mut |run| taken.extend(run.step_by(PAGE))).unwrap();
        taken
    }

    #[test]
    fn each_page_that_was_stored_to_is_told_once() {
        let pages = allocate(RESERVE_AND_COMMIT | WRITE_WATCH);
        WriteWatch.arm(pages.clone()).unwrap();
        for step in [1, 2, 3, 700] {
            let stored: Vec<usize> = pages.clone().step_by(step * PAGE).collect();
            for page in &stored {
                // SAFETY: a page of the memory above.
                unsafe { (*page as *mut u8).add(5).write_volatile(step as u8) };
            }
            assert_eq!(taken(&pages), stored, "every page number {step}");
            assert!(taken(&pages).is_empty(), "again, without a store");
        }
    }

    #[test]
    fn other_memory_is_refused() {
        let pages = allocate(RESERVE_AND_COMMIT);
        assert!(WriteWatch.arm(pages.clone()).is_err());
        assert!(WriteWatch.take(pages, &mut |_| {}).is_err());
    }
}
