//! Second mappings: of memory that the GPU writes, too, the program gets a mapping of its own.
//!
//! A CPU that plays the GPU (lavapipe) writes through the driver's mapping. What is stored through the program's mapping is then the
//! program's alone, whichever way it is watched. Only Linux maps memory again by its address, and only shared memory: not what a device
//! file maps, where the GPU's writes do not show.
//!
//! Invariant: an address that a program once got can be stored to for as long as the process lives, or for many more mappings.

use std::collections::VecDeque;
use std::io;

use super::userfault::PAGE;
#[cfg(target_os = "linux")]
use crate::host::kernel;

/// The program's mapping of a subresource.
#[derive(Clone, Copy, Debug)]
pub(super) struct Second {
    /// Where the driver mapped the subresource.
    pub(super) driver: usize,
    /// Where the program sees it.
    pub(super) program: usize,
    /// Bytes of the subresource.
    pub(super) len: usize,
}

impl Second {
    /// Maps again what the driver has mapped.
    ///
    /// # Errors
    /// The memory cannot be mapped again.
    pub(super) fn of(driver: usize, len: usize) -> io::Result<Second> {
        let lead = driver % PAGE;
        let made = map_again(driver - lead, pages(lead + len))?;
        Ok(Second { driver, program: made + lead, len })
    }

    /// The whole mapping.
    fn pages(&self) -> (usize, usize) {
        let lead = self.program % PAGE;
        (self.program - lead, pages(lead + self.len))
    }
}

fn pages(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE)
}

/// Mappings of resources that are gone. A program that stores to one by mistake must not die of our having moved it.
#[derive(Debug, Default)]
pub(super) struct Left(VecDeque<(usize, usize)>);

impl Left {
    /// How many are kept.
    const MOST: usize = 1024;

    /// None yet.
    pub(super) const fn new() -> Left {
        Left(VecDeque::new())
    }

    /// The resource is gone.
    pub(super) fn add(&mut self, second: &Second) {
        let (start, len) = second.pages();
        put_zeros(start, len);
        self.0.push_back((start, len));
        if self.0.len() > Self::MOST
            && let Some((start, len)) = self.0.pop_front()
        {
            give_back(start, len);
        }
    }
}

#[cfg(target_os = "linux")]
fn map_again(start: usize, len: usize) -> io::Result<usize> {
    kernel::map_again(start, len)
}

#[cfg(target_os = "linux")]
fn put_zeros(start: usize, len: usize) {
    // SAFETY: a whole mapping that `Second::of` made, whose resource is gone.
    unsafe { kernel::put_zeros(start, len) };
}

#[cfg(target_os = "linux")]
fn give_back(start: usize, len: usize) {
    // SAFETY: a whole mapping of `Second::of`, left long ago.
    unsafe { kernel::give_back(start as *mut u8, len) };
}

#[cfg(not(target_os = "linux"))]
fn map_again(_start: usize, _len: usize) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn put_zeros(_start: usize, _len: usize) {}

#[cfg(not(target_os = "linux"))]
fn give_back(_start: usize, _len: usize) {}
