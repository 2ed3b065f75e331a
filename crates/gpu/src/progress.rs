//! Words in memory that say how far the GPU is in a command buffer: the number of the last operation that it has begun, and of the last
//! one that it has done.
//!
//! The memory is what the process reads, so that it stays readable when the device is lost: the system's, where there is such memory.
//! Invariant: a pair of words belongs to one recording at a time; it is free again when the [`Words`] go.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;

use crate::error::{Error, Result};
use crate::memory::{CpuAccess, Memory, Slice};

/// Bytes of the two words of a recording.
const PAIR: u64 = 8;
/// Pairs of a page: so many that no program's buffer shares the page's Vulkan buffer. Draws may reach to the end of theirs, as far as Vulkan's
/// layers know.
const PAIRS: u32 = 1 << 18;

/// Words of a device.
#[derive(Debug)]
pub struct Progress {
    memory: Arc<Memory>,
    pages: Mutex<Vec<Arc<Page>>>,
}

#[derive(Debug)]
struct Page {
    slice: Slice,
    mapped: NonNull<u8>,
    free: Mutex<Free>,
}

/// Pairs that nobody has.
#[derive(Debug, Default)]
struct Free {
    /// From here on nobody ever had one.
    fresh: u32,
    /// Those that were given back.
    back: Vec<u32>,
}

// SAFETY: the mapping is used through atomic words only, and lives as long as the slice; the rest is synchronised.
unsafe impl Send for Page {}
// SAFETY: the mapping is used through atomic words only, and lives as long as the slice; the rest is synchronised.
unsafe impl Sync for Page {}

impl Page {
    fn new(memory: &Memory) -> Result<Page> {
        let slice = memory.scratch(CpuAccess::Readback, u64::from(PAIRS) * PAIR)?;
        let mapped = slice.mapped().ok_or(Error::Failed("memory that the process reads is not mapped"))?;
        Ok(Page { slice, mapped, free: Mutex::default() })
    }

    fn take(&self) -> Option<u32> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = free.back.pop() {
            return Some(number);
        }
        let number = free.fresh;
        (number < PAIRS).then(|| {
            free.fresh += 1;
            number
        })
    }
}

impl Progress {
    /// No words yet.
    pub fn new(memory: &Arc<Memory>) -> Progress {
        Progress { memory: memory.clone(), pages: Mutex::default() }
    }

    /// Words of a recording, both zero.
    ///
    /// # Errors
    /// The device has no memory left.
    pub fn words(&self) -> Result<Words> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let found = pages.iter().rev().find_map(|page| Some((page.clone(), page.take()?)));
        let (page, number) = match found {
            Some(found) => found,
            None => {
                let page = Arc::new(Page::new(&self.memory)?);
                pages.push(page.clone());
                let number = page.take().ok_or(Error::Memory)?;
                (page, number)
            }
        };
        drop(pages);
        let words = Words { page, number };
        words.clear();
        Ok(words)
    }
}

/// The two words of a recording.
#[derive(Debug)]
pub struct Words {
    page: Arc<Page>,
    number: u32,
}

impl Words {
    /// The buffer, and where in it the word for begun operations lies; the one for done operations lies behind it.
    pub(crate) fn place(&self) -> (vk::Buffer, u64) {
        let slice = &self.page.slice;
        (slice.allocation().buffer, slice.offset + u64::from(self.number) * PAIR)
    }

    fn pair(&self) -> &[AtomicU32; 2] {
        // SAFETY: the pair lies inside of the page's mapping, aligned to 8 bytes; the GPU writes whole words, and nobody else but by
        // these atomics.
        unsafe { self.page.mapped.byte_add(self.number as usize * PAIR as usize).cast::<[AtomicU32; 2]>().as_ref() }
    }

    /// The last operations that the GPU has begun and done; 0 before the first.
    pub fn read(&self) -> [u32; 2] {
        let [begun, done] = self.pair();
        // What is done was begun: so the word for done operations is read first.
        let done = done.load(Ordering::Acquire);
        [begun.load(Ordering::Acquire).max(done), done]
    }

    /// The recording is given to the GPU anew.
    pub fn clear(&self) {
        self.pair().iter().for_each(|word| word.store(0, Ordering::Release));
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.page.free.lock().unwrap_or_else(PoisonError::into_inner).back.push(self.number);
    }
}
