//! What the kernel can tell of written pages, whatever the means, and the proof that it does.
//!
//! Invariant: a means is trusted with a run of pages only after a store to one of them was told, and no other page.

use std::fmt::Debug;
use std::io;
use std::ops::Range;

use super::protect::Protection;
use super::runs::Runs;
use super::userfault::{PAGE, WriteWatch};
use crate::memory::Watched;

/// A means of being told which pages were written.
pub trait Watch: Debug + Send {
    /// As it is called in a trace.
    fn mode(&self) -> Watched;

    /// Puts pages under the watch, all of them counted as not written.
    ///
    /// # Errors
    /// The memory is of a kind that cannot be watched so.
    fn arm(&self, pages: Range<usize>) -> io::Result<()>;

    /// Reports every run of written pages, in rising order, and watches those again. A page that is stored to while its
    /// report is used is reported again by a later call.
    ///
    /// # Errors
    /// A part of the range is not under the watch (any more): everything has to be taken as written.
    fn take(&self, pages: Range<usize>, written: &mut dyn FnMut(Range<usize>)) -> io::Result<()>;

    /// Lets the memory be as it was before [`Watch::arm`]. It is still mapped.
    fn disarm(&self, pages: Range<usize>);

    /// Counts the pages as written: someone other than the program may store to them from now on.
    fn lift(&self, pages: Range<usize>);

    /// The memory is gone, or will be: whatever is known of it is not true of what lies there next.
    fn forget(&self, pages: Range<usize>);
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

/// Memory that is watched by one means.
#[derive(Debug)]
pub(super) struct Armed {
    pub(super) watch: Box<dyn Watch>,
    /// The pages under its watch.
    runs: Runs,
}

impl Armed {
    /// Opens the kernel's asynchronous write-protection.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn pages() -> Result<Self, String> {
        let watch = WriteWatch::open().map_err(|error| format!("userfaultfd or pagemap: {error}"))?;
        Ok(Self { watch: Box::new(watch), runs: Runs::default() })
    }

    /// Takes the process's segmentation faults.
    ///
    /// # Errors
    /// Why they cannot be had.
    pub(super) fn protection() -> Result<Self, String> {
        let watch = Protection::open().map_err(|error| format!("signal handler: {error}"))?;
        Ok(Self { watch: Box::new(watch), runs: Runs::default() })
    }

    /// Puts those of `pages` under the watch that are not yet, and proves on one page of each run that the watch tells the
    /// truth. Pages already armed keep what is not yet reported of them.
    ///
    /// # Errors
    /// Why the memory cannot be watched so.
    pub(super) fn arm(&mut self, pages: &Range<usize>) -> Result<(), String> {
        for run in self.runs.missing(pages) {
            self.watch.arm(run.clone()).map_err(|error| format!("write-protect: {error}"))?;
            if let Err(error) = probe(&*self.watch, &run) {
                self.watch.disarm(run);
                return Err(error);
            }
            self.runs.add(run);
        }
        Ok(())
    }

    /// Stops watching all there is, which is still mapped.
    fn disarm_all(&mut self) {
        for run in std::mem::take(&mut self.runs).all() {
            self.watch.disarm(run);
        }
    }

    /// Stops watching `pages`, but for those that others `keep`. `there`: the memory is still mapped.
    pub(super) fn disarm(&mut self, pages: &Range<usize>, keep: &Runs, there: bool) {
        for run in keep.missing(pages) {
            for run in self.runs.within(&run) {
                if there { self.watch.disarm(run) } else { self.watch.forget(run) }
            }
            self.runs.remove(&run);
        }
    }
}

impl Drop for Armed {
    /// The watch ends with whoever asked for it; the program and its memory go on.
    fn drop(&mut self) {
        self.disarm_all();
    }
}

/// Stores to one page of a run that was just armed, without changing a byte, and expects to be told that page and no
/// other. Nobody but the GPU can know these pages yet, so a neighbour's store is rare: three attempts.
fn probe(watch: &dyn Watch, run: &Range<usize>) -> Result<(), String> {
    let page = run.start + run.len() / PAGE / 2 * PAGE;
    let mut seen = Vec::new();
    for _ in 0..3 {
        watch.take(run.clone(), &mut |_| {}).map_err(|error| format!("page scan: {error}"))?;
        // SAFETY: the page is mapped and writable (`Tracker::map`), or a store to it is resolved by the watch. A locked `or`
        // with 0 stores what is there in one step, so no store of another thread or of the GPU can be undone; written in
        // assembly because the compiler may turn the atomic operation into a plain load.
        unsafe { std::arch::asm!("lock or byte ptr [{}], 0", in(reg) page, options(nostack)) };
        seen.clear();
        watch.take(run.clone(), &mut |region| seen.push(region)).map_err(|error| format!("page scan: {error}"))?;
        if matches!(seen.as_slice(), [only] if *only == (page..page + PAGE)) {
            return Ok(());
        }
    }
    Err(format!("probe stored to one page and was told {} runs", seen.len()))
}
