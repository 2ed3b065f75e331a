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

/// A bump allocator; every allocation is aligned to 16 bytes and zeroed.
#[derive(Default)]
pub struct Arena {
    /// Units of 16 bytes give the alignment.
    chunks: Vec<Box<[u128]>>,
    chunk: usize,
    /// Bytes used in the current chunk.
    used: usize,
}

const CHUNK: usize = 16 << 10;

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
        self.rewind(Mark { chunk: 0, used: 0 });
    }

    /// `size` zeroed bytes, aligned to 16.
    pub fn zeroed(&mut self, size: usize) -> *mut u8 {
        let pointer = self.take(size);
        // SAFETY: `take` returned at least `size` bytes of our own memory.
        unsafe { pointer.write_bytes(0, size) };
        pointer
    }

    /// A copy of `size` bytes at `from`.
    ///
    /// # Safety
    /// `from` is readable for `size` bytes and does not lie in this arena's free part.
    pub unsafe fn copy(&mut self, from: *const u8, size: usize) -> *mut u8 {
        let pointer = self.take(size);
        // SAFETY: the source is readable by contract, the target is fresh memory of ours, so they do not overlap.
        unsafe { pointer.copy_from_nonoverlapping(from, size) };
        pointer
    }

    /// A copy of a slice.
    pub fn bytes(&mut self, from: &[u8]) -> *mut u8 {
        // SAFETY: a slice is readable for its length.
        unsafe { self.copy(from.as_ptr(), from.len()) }
    }

    fn take(&mut self, size: usize) -> *mut u8 {
        let size = size.next_multiple_of(16).max(16);
        loop {
            if let Some(chunk) = self.chunks.get_mut(self.chunk) {
                if chunk.len() * 16 - self.used >= size {
                    // SAFETY: `used + size` lies inside the chunk, as just compared.
                    let pointer = unsafe { chunk.as_mut_ptr().cast::<u8>().add(self.used) };
                    self.used += size;
                    return pointer;
                }
                self.chunk += 1;
            } else {
                let units = size.max(CHUNK) / 16;
                self.chunks.push(vec![0u128; units].into_boxed_slice());
                self.chunk = self.chunks.len() - 1;
            }
            self.used = 0;
        }
    }
}
