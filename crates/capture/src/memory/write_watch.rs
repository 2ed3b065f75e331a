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
