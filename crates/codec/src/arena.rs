//! Memory for the copies that one call needs: structures with pointers replaced, rebuilt arguments, output storage.
//!
//! A bump allocator over chunks that are kept between calls, so that a warm arena does not allocate. Invariant: memory
//! handed out stays where it is, zeroed when fresh, until the arena is rewound past it or dropped.

/// A position to rewind to, see [`Arena::mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    chunk: usize,
    used: usize,
}

/// A bump allocator; every allocation is aligned to 16 bytes.
#[derive(Default)]
pub struct Arena {
    chunks: Vec<Chunk>,
    chunk: usize,
    /// Bytes used in the current chunk.
    used: usize,
}

struct Chunk {
    /// From `Box::into_raw`, not a box: what was handed out must stay valid while the arena is used further.
    memory: *mut u128,
    /// Units of 16 bytes; they give the alignment.
    units: usize,
    /// Bytes that were ever handed out: what lies beyond is still zero.
    touched: usize,
}

impl Chunk {
    fn new(units: usize) -> Chunk {
        let memory = Box::into_raw(vec![0u128; units].into_boxed_slice()).cast();
        Chunk { memory, units, touched: 0 }
    }

    fn bytes(&self) -> usize {
        self.units * 16
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw` with this length, and freed only here.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.memory, self.units)) });
    }
}

// SAFETY: a chunk owns its memory, which is plain data.
unsafe impl Send for Chunk {}

const CHUNK: usize = 16 << 10;
/// Larger chunks are given back when the arena is cleared.
const KEPT: usize = 1 << 20;

impl Arena {
    /// An empty arena; the first allocation takes memory from the system.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Where the arena stands: what is allocated later is freed by [`Arena::rewind`]. For calls within calls.
    pub fn mark(&self) -> Mark {
        Mark { chunk: self.chunk, used: self.used }
    }

    /// Frees what was allocated after `mark`, keeping the memory for re-use.
    pub fn rewind(&mut self, mark: Mark) {
        self.chunk = mark.chunk;
        self.used = mark.used;
    }

    /// Frees everything, keeping the memory for re-use.
    pub fn clear(&mut self) {
        self.chunks.retain(|c| c.bytes() <= KEPT);
        self.rewind(Mark { chunk: 0, used: 0 });
    }

    /// `size` zeroed bytes, aligned to 16.
    pub fn zeroed(&mut self, size: usize) -> *mut u8 {
        let (pointer, dirty) = self.take(size);
        // SAFETY: `take` returned at least `size` bytes of our own memory.
        unsafe { pointer.write_bytes(0, size.min(dirty)) };
        pointer
    }

    /// A copy of `size` bytes at `from`.
    ///
    /// # Safety
    /// `from` is readable for `size` bytes and does not lie in this arena's free part.
    pub unsafe fn copy(&mut self, from: *const u8, size: usize) -> *mut u8 {
        let (pointer, _) = self.take(size);
        // SAFETY: the caller has `size` readable bytes at `from`, outside the arena's free part, of which the target was just taken.
        unsafe { pointer.copy_from_nonoverlapping(from, size) };
        pointer
    }

    /// A copy of a slice.
    pub fn bytes(&mut self, from: &[u8]) -> *mut u8 {
        // SAFETY: a slice is readable for its length.
        unsafe { self.copy(from.as_ptr(), from.len()) }
    }

    /// Memory, and how many of its first bytes may not be zero.
    fn take(&mut self, size: usize) -> (*mut u8, usize) {
        let size = size.next_multiple_of(16).max(16);
        loop {
            if let Some(chunk) = self.chunks.get_mut(self.chunk) {
                if chunk.bytes() - self.used >= size {
                    // SAFETY: `used + size` lies inside the chunk, as just compared.
                    let pointer = unsafe { chunk.memory.cast::<u8>().add(self.used) };
                    let dirty = chunk.touched.saturating_sub(self.used);
                    self.used += size;
                    chunk.touched = chunk.touched.max(self.used);
                    return (pointer, dirty);
                }
                self.chunk += 1;
            } else {
                self.chunks.push(Chunk::new(size.max(CHUNK) / 16));
                self.chunk = self.chunks.len() - 1;
            }
            self.used = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arena;

    #[test]
    fn memory_is_aligned_zeroed_and_used_again() {
        let mut arena = Arena::new();
        for size in [1, 17, 20_000, 3 << 20, 5] {
            let pointer = arena.zeroed(size);
            assert!((pointer as usize).is_multiple_of(16));
            for i in 0..size {
                // SAFETY: `size` bytes were just given.
                unsafe {
                    assert_eq!(*pointer.add(i), 0);
                    *pointer.add(i) = 0xff;
                }
                if cfg!(miri) && i > 64 {
                    break;
                }
            }
        }
        arena.clear();
        let mark = arena.mark();
        let first = arena.zeroed(64);
        // SAFETY: 64 bytes were just given.
        assert_eq!(unsafe { std::slice::from_raw_parts(first, 64) }, [0; 64], "also where memory is used again");
        arena.rewind(mark);
        assert_eq!(arena.bytes(b"again"), first);
    }
}
