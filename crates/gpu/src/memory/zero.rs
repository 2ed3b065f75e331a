//! Zeroed memory: what the API promises of every resource and heap.
//!
//! The CPU clears memory that the program can map, at once. Only the GPU reaches the rest: the next submission with lists, of
//! any queue, fills it in front of its lists ([`crate::queue::initialisation`] keeps other submissions behind it). So nobody
//! waits for a GPU to create something.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ash::vk;

/// Memory that a fill goes to.
pub trait Filled {
    /// A buffer over the whole memory.
    fn buffer(&self) -> vk::Buffer;
    /// Bytes of the memory.
    fn size(&self) -> u64;
}

/// Bytes of an allocation that are to be zero, while the allocation lives.
#[derive(Debug)]
struct Waiting<M> {
    memory: Weak<M>,
    offset: u64,
    size: u64,
}

/// The memory that a submission has to make zero.
///
/// Invariant: while the list is locked no fill comes or goes, so neither another queue nor the next owner of the bytes gets
/// between a fill that is taken and its submission.
#[derive(Debug)]
pub struct Fills<M> {
    /// Whether the list has entries, or had some when it was locked for a submission.
    waiting: AtomicBool,
    list: Mutex<Vec<Waiting<M>>>,
}

impl<M> Default for Fills<M> {
    fn default() -> Fills<M> {
        Fills { waiting: AtomicBool::new(false), list: Mutex::default() }
    }
}

impl<M: Filled> Fills<M> {
    fn lock(&self) -> MutexGuard<'_, Vec<Waiting<M>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something waits, or a submission that took something is on its way to Vulkan.
    #[inline]
    pub fn is_waiting(&self) -> bool {
        self.waiting.load(Ordering::Acquire)
    }

    /// The slice of `size` bytes at `offset` must become zero.
    pub fn add(&self, memory: &Arc<M>, offset: u64, size: u64) {
        let mut list = self.lock();
        list.push(Waiting { memory: Arc::downgrade(memory), offset, size });
        self.waiting.store(true, Ordering::Release);
    }

    /// The slice at `offset` is gone: its next owner need not wait for a fill.
    pub fn forget(&self, memory: &Arc<M>, offset: u64) {
        if !self.is_waiting() {
            return;
        }
        let mut list = self.lock();
        let is_it =
            |fill: &Waiting<M>| fill.offset == offset && core::ptr::eq(fill.memory.as_ptr(), Arc::as_ptr(memory));
        if let Some(at) = list.iter().rposition(is_it) {
            list.swap_remove(at);
        }
    }

    /// Locks the list for a submission.
    pub fn enter(&self) -> Turn<'_, M> {
        Turn { fills: self, list: self.lock() }
    }
}

/// A submission that takes fills. What it takes must not be dropped before it ends: the end of a slice locks the list.
pub struct Turn<'a, M> {
    fills: &'a Fills<M>,
    list: MutexGuard<'a, Vec<Waiting<M>>>,
}

impl<M: Filled> Turn<'_, M> {
    /// As few fills as do for all that waits and still lives.
    pub fn take(&mut self) -> Vec<Fill<M>> {
        joined(core::mem::take(&mut self.list))
    }

    /// The submission is made.
    pub fn end(self) {
        self.fills.waiting.store(!self.list.is_empty(), Ordering::Release);
    }
}

/// Bytes that a submission fills. It keeps their memory until the GPU is done.
#[derive(Debug)]
pub struct Fill<M> {
    memory: Arc<M>,
    offset: u64,
    size: u64,
}

fn joined<M: Filled>(waiting: Vec<Waiting<M>>) -> Vec<Fill<M>> {
    let living = |it: Waiting<M>| Some(Fill { memory: it.memory.upgrade()?, offset: it.offset, size: it.size });
    let mut fills: Vec<Fill<M>> = waiting.into_iter().filter_map(living).collect();
    fills.sort_by_key(|fill| (Arc::as_ptr(&fill.memory) as usize, fill.offset));
    fills.dedup_by(|next, fill| {
        let joins = Arc::ptr_eq(&fill.memory, &next.memory) && fill.end() == next.offset;
        if joins {
            // From beginning to end, with the bytes between that fill up the last word.
            fill.size = next.offset + next.size - fill.offset;
        }
        joins
    });
    fills
}

impl<M: Filled> Fill<M> {
    /// The end, rounded up to a whole word of 4 bytes. Vulkan fills whole words. No other slice has the rest of the last
    /// word, because slices begin at words.
    fn end(&self) -> u64 {
        self.offset + self.size.next_multiple_of(4)
    }

    /// Records the fill.
    ///
    /// # Safety
    /// The command buffer is being recorded, outside of rendering, and `self` lives until the GPU is done with it.
    pub unsafe fn record(&self, vk: &ash::Device, buffer: vk::CommandBuffer) {
        let size = if self.end() > self.memory.size() { vk::WHOLE_SIZE } else { self.end() - self.offset };
        // SAFETY: the caller records the command buffer outside of rendering; the range lies inside of the filled buffer, which
        // lives as long as `self`.
        unsafe { vk.cmd_fill_buffer(buffer, self.memory.buffer(), self.offset, size, 0) };
    }
}

#[cfg(test)]
mod tests;
