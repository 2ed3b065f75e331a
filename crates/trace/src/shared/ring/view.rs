//! A ring as both its ends see it.

use std::sync::atomic::Ordering;

use crate::os::{Fresh, Mapping};
use crate::shared::ring::control::{
    CLOSED, CONTROL, ConsumerLine, Control, LIVE, MAGIC, NAME, ProducerLine, Reading, RingError, VERSION,
    check_capacity,
};
use crate::shared::ring::position;

/// A mapped ring file. It reads; only a [`Producer`](super::Producer) and a [`Consumer`](super::Consumer) change anything, and
/// a new name.
#[derive(Debug)]
pub struct Ring {
    mapping: Mapping,
    capacity: u64,
}

impl Ring {
    /// Lays out a ring in fresh memory of [`CONTROL`] + `capacity` bytes.
    ///
    /// # Errors
    /// The capacity is no power of two, or one that no ring has.
    pub(super) fn create(memory: Fresh, index: u32, thread_id: u64, name: &str) -> Result<Ring, RingError> {
        let capacity = memory.len().saturating_sub(CONTROL) as u64;
        check_capacity(capacity)?;
        let ring = Ring { mapping: memory.into_mapping(), capacity };
        let control = ring.control();
        control.version.store(VERSION, Ordering::Relaxed);
        control.data_offset.store(CONTROL as u32, Ordering::Relaxed);
        control.capacity.store(capacity, Ordering::Relaxed);
        control.thread_id.store(thread_id, Ordering::Relaxed);
        control.index.store(index, Ordering::Relaxed);
        control.state.store(LIVE, Ordering::Relaxed);
        ring.set_name(name);
        // Last, so that whoever sees the magic sees the rest.
        control.magic.store(MAGIC, Ordering::Release);
        Ok(ring)
    }

    /// Opens a ring that another process laid out.
    ///
    /// # Errors
    /// The file is no ring, of another version, or its control page says what cannot be.
    pub fn open(mapping: Mapping) -> Result<Ring, RingError> {
        if mapping.len() < CONTROL {
            return Err(RingError::Short { found: mapping.len() as u64, promised: CONTROL as u64 });
        }
        // Nothing beyond the control page is looked at before the capacity is checked.
        let mut ring = Ring { mapping, capacity: 0 };
        let control = ring.control();
        let magic = control.magic.load(Ordering::Acquire);
        if magic != MAGIC {
            return Err(RingError::Magic(magic));
        }
        let found = control.version.load(Ordering::Relaxed);
        if found != VERSION {
            return Err(RingError::Version { found });
        }
        let offset = control.data_offset.load(Ordering::Relaxed);
        if offset as usize != CONTROL {
            return Err(RingError::Field { field: "data_offset", value: offset.into() });
        }
        let capacity = control.capacity.load(Ordering::Relaxed);
        check_capacity(capacity)?;
        let promised = CONTROL as u64 + capacity;
        if (ring.mapping.len() as u64) < promised {
            return Err(RingError::Short { found: ring.mapping.len() as u64, promised });
        }
        ring.capacity = capacity;
        let (head, tail) = (ring.head(), ring.tail());
        if tail > head || head - tail > capacity || !head.is_multiple_of(8) || !tail.is_multiple_of(8) {
            return Err(RingError::Field { field: "head", value: head });
        }
        Ok(ring)
    }

    fn control(&self) -> &Control {
        // SAFETY: `create` and `open` make a `Ring` only over a mapping of at least `CONTROL` bytes, which begins at a page and
        // lives as long as `self`. All fields of the control page are atomics, for which every bit pattern is valid, so what
        // another process writes meanwhile is no data race.
        unsafe { &*self.mapping.address().cast::<Control>() }
    }

    pub(super) fn producer(&self) -> &ProducerLine {
        &self.control().producer
    }

    pub(super) fn consumer(&self) -> &ConsumerLine {
        &self.control().consumer
    }

    /// The first byte of the data.
    pub(super) fn data(&self) -> *mut u8 {
        // SAFETY: the mapping has at least `CONTROL` bytes, as `control` says.
        unsafe { self.mapping.address().add(CONTROL) }
    }

    /// Says that the thread has ended and publishes nothing more.
    pub(super) fn close(&self) {
        self.control().state.store(CLOSED, Ordering::Release);
    }

    /// Bytes of data.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Number of the ring within its session: the thread number of the trace.
    pub fn index(&self) -> u32 {
        self.control().index.load(Ordering::Relaxed)
    }

    /// The operating system's number of the thread.
    pub fn thread_id(&self) -> u64 {
        self.control().thread_id.load(Ordering::Relaxed)
    }

    /// The thread's name, as far as it was known.
    pub fn name(&self) -> String {
        let words = self.control().name.iter().flat_map(|w| w.load(Ordering::Relaxed).to_le_bytes());
        let len = (self.control().name_len.load(Ordering::Acquire) as usize).min(NAME);
        String::from_utf8_lossy(&words.take(len).collect::<Vec<u8>>()).into_owned()
    }

    /// Names the thread; a name that is longer than [`NAME`] bytes is cut.
    pub fn set_name(&self, name: &str) {
        let mut bytes = [0; NAME];
        let len = name.floor_char_boundary(NAME);
        bytes[..len].copy_from_slice(&name.as_bytes()[..len]);
        for (to, from) in self.control().name.iter().zip(bytes.as_chunks::<8>().0) {
            to.store(u64::from_le_bytes(*from), Ordering::Relaxed);
        }
        self.control().name_len.store(len as u32, Ordering::Release);
    }

    /// Whether the thread has ended and nothing more will be published.
    pub fn is_closed(&self) -> bool {
        self.control().state.load(Ordering::Acquire) == CLOSED
    }

    /// End of what is published. Everything that happened before the publishing is visible after this.
    #[inline]
    pub fn head(&self) -> u64 {
        position::published(&self.producer().head)
    }

    /// The position before which the consumer has given everything back.
    #[inline]
    pub fn tail(&self) -> u64 {
        self.consumer().tail.load(Ordering::Acquire)
    }

    /// The position right after the enter record of the light call that the thread is in; 0 for none.
    pub fn in_call(&self) -> u64 {
        self.producer().in_call.load(Ordering::Relaxed)
    }

    /// The call whose arguments the thread is reading; `None` outside of that.
    pub fn reading(&self) -> Option<Reading> {
        Reading::from_word(self.producer().reading.load(Ordering::Relaxed))
    }

    /// How often, and for how many nanoseconds in all, the thread waited for room.
    pub fn waits(&self) -> (u64, u64) {
        let line = &self.producer();
        (line.waits.load(Ordering::Relaxed), line.waited_ns.load(Ordering::Relaxed))
    }

    /// Records that the thread did not write because it had stopped recording.
    pub fn lost(&self) -> u64 {
        self.producer().lost.load(Ordering::Relaxed)
    }
}
