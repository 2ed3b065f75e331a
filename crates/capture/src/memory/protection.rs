//! The watch by protection: pages are made read-only, and a segmentation fault gives the address of a store.
//!
//! It serves memory that userfaultfd refuses, such as device files. It needs nothing but `mprotect`.

use std::io;
use std::ops::Range;

use super::page_lock::locked;
use super::pages::{self, RUNS};
use super::watch::Watch;
use super::{fault, signals};
use crate::tracking::Watched;

/// The watch by protection. There is one table for the process, so all of these are the same.
#[derive(Debug)]
pub(crate) struct Protection(());

impl Protection {
    /// Installs the signal handler, once.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) fn open() -> io::Result<Self> {
        fault::install()?;
        Ok(Self(()))
    }
}

impl Watch for Protection {
    fn mode(&self) -> Watched {
        Watched::Mprotect
    }

    fn arm(&self, pages: Range<usize>) -> io::Result<()> {
        // A store with the signal blocked, or without our handler, would end the process.
        fault::install()?;
        signals::unblock();
        pages::arm(&pages)
    }

    fn take(&self, pages: Range<usize>, written: &mut dyn FnMut(Range<usize>)) -> io::Result<()> {
        // Another library may have taken the signal by a system call of its own.
        fault::install()?;
        let mut from = pages.start;
        while from < pages.end {
            let mut runs = [const { 0..0 }; RUNS];
            let mut found = 0;
            let next = locked(|| pages::take_some(&(from..pages.end), &mut runs, &mut found))?;
            for run in &mut runs[..found] {
                written(std::mem::take(run));
            }
            from = next;
        }
        Ok(())
    }

    fn disarm(&self, pages: Range<usize>) {
        locked(|| {
            pages::unprotect(&pages);
            pages::clear(&pages);
        });
    }

    fn lift(&self, pages: Range<usize>) {
        locked(|| pages::lift(&pages));
    }

    fn forget(&self, pages: Range<usize>) {
        locked(|| pages::clear(&pages));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::pages::resolve;
    use crate::memory::userfault::PAGE;

    /// A thread stores to an armed page and is refused; before its handler looks, the page is disarmed.
    #[test]
    fn a_store_that_loses_to_a_disarming_is_tried_again_and_any_other_is_not() {
        let made = crate::host::kernel::zeros(PAGE).unwrap();
        let pages = made as usize..made as usize + PAGE;
        let watch = Protection::open().unwrap();
        // Again and again: each time it is another store.
        for round in 0..3 {
            watch.arm(pages.clone()).unwrap();
            watch.disarm(pages.clone());
            assert!(resolve(pages.start), "round {round}");
        }
        // Other tests may disarm meanwhile.
        assert!((0..1000).any(|_| !resolve(pages.start)), "a fault of the program's own is never passed on");
    }
}
