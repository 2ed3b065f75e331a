//! Memory watched by one means, and a test that the means reports stores.
//!
//! Invariant: a run of pages is watched by a means only after a test store to one of its pages was reported, and no other page
//! was.

use std::ops::Range;

use super::protection::Protection;
use super::runs::Runs;
use super::userfault::{PAGE, WriteWatch};
use super::watch::Watch;

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

    /// Asks Windows for its own account of written pages.
    ///
    /// # Errors
    /// None: the memory itself proves it when it is armed.
    #[cfg(windows)]
    pub(super) fn write_watch() -> Result<Self, String> {
        Ok(Self { watch: Box::new(super::write_watch::WriteWatch), runs: Runs::default() })
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
