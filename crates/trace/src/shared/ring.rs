//! A ring of records from one thread of the program to the writer, in a file that both have mapped.
//!
//! Owns the layout and the publishing protocol. Positions only rise; a position's place is its remainder by the capacity.
//! Records never straddle the end: a pad record fills it. Invariants: the producer writes only at `head..tail + capacity`
//! and only before it publishes; the consumer reads only `tail..head`. So a thread that dies at any instruction leaves
//! every published record whole and the unpublished one invisible.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::os::Mapping;
use crate::record::{AFTER, HEADER, Header, Kind, MAX_PIECE, OBSERVED, SEQUENCE, TICKS, head_size, padded};
use crate::shared::session::SessionPage;

/// First word of a ring file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"RPRRING\0");
/// Version of the layout below.
pub const VERSION: u32 = 1;
/// Bytes before the data.
pub const CONTROL: usize = 4096;
/// The smallest capacity that a session gives out, in bytes.
pub const MIN_CAPACITY: usize = 512 << 10;
/// The largest capacity, in bytes.
pub const MAX_CAPACITY: usize = 16 << 20;
/// The usual capacity, in bytes: 80,000 light calls.
pub const DEFAULT_CAPACITY: usize = 4 << 20;
/// Longest thread name kept, in bytes of UTF-8.
pub const NAME: usize = 64;

/// State of a ring: its thread may still write.
pub const LIVE: u32 = 1;
/// State of a ring: its thread has ended and publishes nothing more.
pub const CLOSED: u32 = 2;

/// The control page at the beginning of a ring file.
///
/// The words of the producer and of the consumer lie 128 bytes apart: processors fetch cache lines in pairs.
#[repr(C, align(128))]
pub struct Control {
    magic: AtomicU64,
    version: AtomicU32,
    data_offset: AtomicU32,
    capacity: AtomicU64,
    thread_id: AtomicU64,
    index: AtomicU32,
    state: AtomicU32,
    name_len: AtomicU32,
    _reserved: AtomicU32,
    name: [AtomicU64; NAME / 8],
    _pad0: [u64; 2],
    producer: ProducerLine,
    consumer: ConsumerLine,
}

#[repr(C, align(128))]
struct ProducerLine {
    /// End of what is published.
    head: AtomicU64,
    /// The published position after the enter record of the light call that the thread is in; 0 for none.
    in_call: AtomicU64,
    /// How often the thread had to wait for room.
    waits: AtomicU64,
    /// Nanoseconds spent waiting.
    waited_ns: AtomicU64,
    /// Records not written because the thread stopped recording.
    lost: AtomicU64,
    /// The call whose arguments are being read right now, as [`Reading`] has it; 0 for none.
    reading: AtomicU64,
}

#[repr(C, align(128))]
struct ConsumerLine {
    /// Everything before it may be overwritten.
    tail: AtomicU64,
}

// As `FORMAT.md` says.
const _: () = {
    assert!(std::mem::offset_of!(Control, name) == 48);
    assert!(std::mem::offset_of!(Control, producer) == 128);
    assert!(std::mem::offset_of!(ProducerLine, lost) == 32);
    assert!(std::mem::offset_of!(ProducerLine, reading) == 40);
    assert!(std::mem::offset_of!(Control, consumer) == 256);
    assert!(size_of::<Control>() <= CONTROL);
};

/// A call whose arguments were being read when its thread stopped: the enter record is not there yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The method.
    pub method: u16,
    /// The object called; 0 for functions.
    pub object: u32,
}

impl Reading {
    fn to_word(self) -> u64 {
        u64::from(self.object) << 32 | u64::from(self.method) << 16 | 1
    }

    fn from_word(word: u64) -> Option<Reading> {
        (word & 0xffff == 1).then_some(Reading { method: (word >> 16) as u16, object: (word >> 32) as u32 })
    }
}

/// A ring file that is not one.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    /// The first word is another.
    #[error("no ring file (first word {0:#x})")]
    Magic(u64),
    /// Made by another version.
    #[error("ring version {found}, this program reads version {VERSION}")]
    Version {
        /// The version stated.
        found: u32,
    },
    /// A field of the control page is impossible.
    #[error("the ring's field `{field}` has the impossible value {value}")]
    Field {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// The file is shorter than its control page says.
    #[error("the ring file has {found} bytes, its control page promises {promised}")]
    Short {
        /// Bytes of the file.
        found: u64,
        /// Bytes promised.
        promised: u64,
    },
}

/// A ring, as both sides see it.
#[derive(Debug)]
pub struct Ring {
    mapping: Mapping,
    data: *mut u8,
    capacity: u64,
}

// SAFETY: all shared words are atomics; the data obeys the module's invariant.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Ring {
    /// Lays out a ring in fresh zeroed memory of [`CONTROL`] + `capacity` bytes. The capacity is a power of two.
    pub fn create(mapping: Mapping, index: u32, thread_id: u64, name: &str) -> Result<Ring, RingError> {
        let capacity = mapping.len().saturating_sub(CONTROL) as u64;
        check_capacity(capacity)?;
        // SAFETY: the mapping is longer than the control page (just checked), zeroed, and page-aligned or a `u64` box.
        let control = unsafe { &*mapping.address().cast::<Control>() };
        control.version.store(VERSION, Ordering::Relaxed);
        control.data_offset.store(CONTROL as u32, Ordering::Relaxed);
        control.capacity.store(capacity, Ordering::Relaxed);
        control.thread_id.store(thread_id, Ordering::Relaxed);
        control.index.store(index, Ordering::Relaxed);
        control.state.store(LIVE, Ordering::Relaxed);
        let ring = Ring::new(mapping, capacity);
        ring.set_name(name);
        // Last, so that whoever sees the magic sees the rest.
        ring.control().magic.store(MAGIC, Ordering::Release);
        Ok(ring)
    }

    /// Opens a ring that another process laid out.
    pub fn open(mapping: Mapping) -> Result<Ring, RingError> {
        if mapping.len() < CONTROL {
            return Err(RingError::Short { found: mapping.len() as u64, promised: CONTROL as u64 });
        }
        // SAFETY: the mapping is at least as long as the control page, and every bit pattern is valid for its integers.
        let control = unsafe { &*mapping.address().cast::<Control>() };
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
        if (mapping.len() as u64) < promised {
            return Err(RingError::Short { found: mapping.len() as u64, promised });
        }
        let ring = Ring::new(mapping, capacity);
        let (head, tail) = (ring.head(), ring.tail());
        if tail > head || head - tail > capacity || !head.is_multiple_of(8) || !tail.is_multiple_of(8) {
            return Err(RingError::Field { field: "head", value: head });
        }
        Ok(ring)
    }

    fn new(mapping: Mapping, capacity: u64) -> Ring {
        // SAFETY: the control page is followed by `capacity` bytes of data within the mapping.
        let data = unsafe { mapping.address().add(CONTROL) };
        Ring { mapping, data, capacity }
    }

    fn control(&self) -> &Control {
        // SAFETY: checked when this value was made; the mapping lives as long as `self`; all fields are atomics.
        unsafe { &*self.mapping.address().cast::<Control>() }
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

    /// Names the thread; what is longer than [`NAME`] bytes is cut.
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
        self.control().producer.head.load(Ordering::Acquire)
    }

    /// Beginning of what the consumer has not yet given back.
    #[inline]
    pub fn tail(&self) -> u64 {
        self.control().consumer.tail.load(Ordering::Acquire)
    }

    /// Gives everything before `position` back to the producer. For the consumer only.
    #[inline]
    pub fn release(&self, position: u64) {
        self.control().consumer.tail.store(position, Ordering::Release);
    }

    /// The position right after the enter record of the light call that the thread is in; 0 for none.
    pub fn in_call(&self) -> u64 {
        self.control().producer.in_call.load(Ordering::Relaxed)
    }

    /// The call whose arguments the thread is reading; `None` outside of that.
    pub fn reading(&self) -> Option<Reading> {
        Reading::from_word(self.control().producer.reading.load(Ordering::Relaxed))
    }

    /// How often, and for how many nanoseconds in all, the thread waited for room.
    pub fn waits(&self) -> (u64, u64) {
        let line = &self.control().producer;
        (line.waits.load(Ordering::Relaxed), line.waited_ns.load(Ordering::Relaxed))
    }

    /// Records that the thread did not write because it had stopped recording.
    pub fn lost(&self) -> u64 {
        self.control().producer.lost.load(Ordering::Relaxed)
    }

    /// The published bytes from `position` on, up to the end of the ring or to `end`, whichever comes first. For the
    /// consumer only.
    ///
    /// # Safety
    /// `tail <= position <= end <= head`, where `end` came from [`Ring::head`], and no [`Ring::release`] goes beyond
    /// `position` as long as the slice is in use.
    #[inline]
    pub unsafe fn published(&self, position: u64, end: u64) -> &[u8] {
        let place = position & (self.capacity - 1);
        let len = (end - position).min(self.capacity - place);
        // SAFETY: the range lies in the data; by the contract it is published and not released, so nobody writes to it.
        unsafe { std::slice::from_raw_parts(self.data.add(place as usize), len as usize) }
    }
}

fn check_capacity(capacity: u64) -> Result<(), RingError> {
    if capacity.is_power_of_two() && (1024..=MAX_CAPACITY as u64).contains(&capacity) {
        return Ok(());
    }
    Err(RingError::Field { field: "capacity", value: capacity })
}

/// The writing end of a ring. One thread at a time.
///
/// A record is written in three steps: [`Producer::begin`], the payload through the pointer, [`Producer::publish`].
#[derive(Debug)]
pub struct Producer {
    head: u64,
    /// A record may be written without a look at the tail while it ends at or before this position: the end of the free
    /// space or of the ring, whichever comes first. One comparison covers both.
    limit: u64,
    data: *mut u8,
    mask: u64,
    control: *const Control,
    sequence: *const AtomicU64,
    /// The session's counter when this thread last looked: what is below precedes everything this thread writes next.
    seen: u64,
    /// Bytes of the record begun and not yet published.
    pending: u64,
    /// The sequence number of the last record that took one.
    last_sequence: u64,
    stopped: bool,
    ring: Arc<Ring>,
    session: Arc<SessionPage>,
}

// SAFETY: the pointers point into `ring` and `session`, which move along; no thread-local state is held.
unsafe impl Send for Producer {}

impl Producer {
    /// The writing end of `ring`, which must be fresh or written by nobody else any more.
    pub fn new(ring: Arc<Ring>, session: Arc<SessionPage>) -> Producer {
        let head = ring.head();
        Producer {
            head,
            limit: head,
            data: ring.data,
            mask: ring.capacity - 1,
            control: ring.control(),
            sequence: session.sequence(),
            seen: 0,
            pending: 0,
            last_sequence: 0,
            stopped: false,
            ring,
            session,
        }
    }

    /// The ring written to.
    pub fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// Begins a record and gives the place of its payload, `payload` bytes and up to 7 zeros of padding.
    ///
    /// By `flags`: with [`SEQUENCE`] a sequence number is taken, after room is reserved; with [`TICKS`] the time stamp is
    /// read; with [`AFTER`] (instead of `SEQUENCE`) the record says so if other threads took numbers since this thread's
    /// last record. `None` when recording has stopped for this thread or the record is larger than
    /// [`Producer::max_payload`]: nothing is written then.
    #[inline(always)]
    pub fn begin(
        &mut self,
        kind: Kind,
        method: u16,
        mut flags: u8,
        object: u32,
        ordinal: u32,
        payload: usize,
    ) -> Option<*mut u8> {
        let most = (head_size(flags) + padded(payload)) as u64;
        if self.head + most > self.limit && !self.make_room(most) {
            return None;
        }
        // SAFETY: `make_room` or the comparison found `most` contiguous bytes, free, at the head.
        let mut at = unsafe { self.data.add((self.head & self.mask) as usize) };
        let start = at;
        let mut sequence = 0;
        let mut after = 0;
        // SAFETY: points into the session page, which `self.session` keeps alive.
        let counter = unsafe { &*self.sequence };
        if flags & SEQUENCE != 0 {
            flags &= !AFTER;
            sequence = counter.fetch_add(1, Ordering::AcqRel);
            self.last_sequence = sequence;
            self.seen = sequence + 1;
        } else if flags & AFTER != 0 {
            after = counter.load(Ordering::Acquire);
            if after == self.seen {
                flags &= !AFTER;
            }
            self.seen = after;
        }
        let size = head_size(flags) + padded(payload);
        self.pending = size as u64;
        let header = Header { size: size as u32, method, kind: kind as u8, flags, object, ordinal };
        // SAFETY: header, words and payload together are `size <= most` bytes; `data` and all sizes are multiples of 8.
        unsafe {
            // The last word first: what the caller does not write of it is padding.
            if !payload.is_multiple_of(8) {
                start.add(size - 8).cast::<u64>().write(0);
            }
            at.cast::<Header>().write(header);
            at = at.add(HEADER);
            if flags & SEQUENCE != 0 {
                at.cast::<u64>().write(sequence);
                at = at.add(8);
            }
            if flags & TICKS != 0 {
                at.cast::<u64>().write(crate::clock::ticks());
                at = at.add(8);
            }
            if flags & AFTER != 0 {
                at.cast::<u64>().write(after);
                at = at.add(8);
            }
        }
        Some(at)
    }

    /// Makes the record begun visible: one store.
    #[inline(always)]
    pub fn publish(&mut self) {
        self.head += self.pending;
        self.pending = 0;
        // SAFETY: points into the ring's mapping, which `self.ring` keeps alive.
        unsafe { &*self.control }.producer.head.store(self.head, Ordering::Release);
    }

    /// Says that the thread is inside the light call whose enter record was just published.
    #[inline(always)]
    pub fn enter_call(&mut self) {
        // SAFETY: as in `publish`.
        unsafe { &*self.control }.producer.in_call.store(self.head, Ordering::Relaxed);
    }

    /// Says that the thread has come back from a light call.
    #[inline(always)]
    pub fn leave_call(&mut self) {
        // SAFETY: as in `publish`.
        unsafe { &*self.control }.producer.in_call.store(0, Ordering::Relaxed);
    }

    /// Says that the arguments of a call are about to be read: if that kills the thread, the writer knows by what.
    #[inline(always)]
    pub fn begin_reading(&mut self, call: Reading) {
        // SAFETY: as in `publish`.
        unsafe { &*self.control }.producer.reading.store(call.to_word(), Ordering::Relaxed);
        // What dies on reading comes after the store in the program's order; the compiler must keep it so.
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
    }

    /// Says that the arguments are in the ring.
    #[inline(always)]
    pub fn end_reading(&mut self) {
        std::sync::atomic::compiler_fence(Ordering::SeqCst);
        // SAFETY: as in `publish`.
        unsafe { &*self.control }.producer.reading.store(0, Ordering::Relaxed);
    }

    /// The sequence number of the last record that took one; 0 before the first.
    pub fn last_sequence(&self) -> u64 {
        self.last_sequence
    }

    /// Whether this thread records nothing any more.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// The longest payload of one record, in bytes; longer ones go through [`Producer::record`] or [`Producer::blob`].
    pub fn max_payload(&self) -> usize {
        MAX_PIECE.min((self.mask as usize + 1) / 4) - head_size(SEQUENCE | TICKS)
    }

    /// Writes a record with the payload given in pieces; if it is longer than [`Producer::max_payload`], all but its end
    /// goes ahead in [`Kind::Part`] records. `false` when recording has stopped.
    pub fn record(&mut self, kind: Kind, method: u16, flags: u8, object: u32, ordinal: u32, pieces: &[&[u8]]) -> bool {
        let most = self.max_payload();
        let mut rest: usize = pieces.iter().map(|p| p.len()).sum();
        let mut bytes = Pieces { pieces, offset: 0 };
        while rest > most {
            let Some(to) = self.begin(Kind::Part, method, 0, object, 0, most) else { return false };
            // SAFETY: `begin` gave room for `most` bytes.
            unsafe { bytes.copy(to, most) };
            self.publish();
            rest -= most;
        }
        let Some(to) = self.begin(kind, method, flags, object, ordinal, rest) else { return false };
        // SAFETY: `begin` gave room for `rest` bytes, which is what is left.
        unsafe { bytes.copy(to, rest) };
        self.publish();
        true
    }

    /// Writes blob `number` of this thread, in pieces. `false` when recording has stopped.
    pub fn blob(&mut self, number: u32, bytes: &[u8]) -> bool {
        let most = self.max_payload() - 16;
        let mut offset = 0;
        loop {
            let piece = &bytes[offset..(offset + most).min(bytes.len())];
            let words = [bytes.len() as u64, offset as u64];
            if !self.piece((Kind::Blob, 0), 0, 0, number, &words, piece) {
                return false;
            }
            offset += piece.len();
            if offset == bytes.len() {
                return true;
            }
        }
    }

    /// Writes that the program stored `bytes` at `offset` of the mapped `object`, in pieces that each take a sequence
    /// number. Pieces end at multiples of 4 KiB of the offset, so that equal pages stay equal. `false` when recording has
    /// stopped.
    pub fn memory(&mut self, object: u32, subresource: u32, offset: u64, bytes: &[u8]) -> bool {
        self.memory_pieces(0, object, subresource, offset, bytes)
    }

    /// As [`Producer::memory`], for bytes that the GPU may have written: a reader does not store them back.
    pub fn observed(&mut self, object: u32, subresource: u32, offset: u64, bytes: &[u8]) -> bool {
        self.memory_pieces(OBSERVED, object, subresource, offset, bytes)
    }

    fn memory_pieces(&mut self, mark: u16, object: u32, subresource: u32, offset: u64, bytes: &[u8]) -> bool {
        let most = (self.max_payload() - 16) as u64;
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let left = (bytes.len() - done) as u64;
            let aligned = ((at + most) & !4095).saturating_sub(at);
            let len = if left <= most || aligned == 0 { left.min(most) } else { aligned } as usize;
            let words = [at, len as u64];
            if !self.piece((Kind::Memory, mark), SEQUENCE, object, subresource, &words, &bytes[done..done + len]) {
                return false;
            }
            done += len;
        }
        true
    }

    fn piece(&mut self, kind: (Kind, u16), flags: u8, object: u32, ordinal: u32, words: &[u64], bytes: &[u8]) -> bool {
        let payload = words.len() * 8 + bytes.len();
        let Some(to) = self.begin(kind.0, kind.1, flags, object, ordinal, payload) else { return false };
        // SAFETY: `begin` gave room for words and bytes; the program's bytes cannot overlap the ring.
        unsafe {
            for (i, word) in words.iter().enumerate() {
                to.cast::<u64>().add(i).write(*word);
            }
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.add(words.len() * 8), bytes.len());
        }
        self.publish();
        true
    }

    /// Finds `size` contiguous bytes at the head, waiting if the ring is full. `false`: record nothing.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, size: u64) -> bool {
        let ring = Arc::clone(&self.ring);
        let line = &ring.control().producer;
        self.stopped |= self.session.is_finished();
        if self.stopped || size > ring.capacity / 4 + HEADER as u64 {
            line.lost.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let mut wait = None;
        loop {
            let tail = ring.tail();
            let free = tail.wrapping_add(ring.capacity).wrapping_sub(self.head);
            let lap = ring.capacity - (self.head & self.mask);
            if free > ring.capacity {
                // A tail before the ring or behind the head: the consumer is not one of ours.
                self.stop(line);
                return false;
            }
            if size > lap && free >= lap {
                self.pad(lap);
                continue;
            }
            if size <= lap && free >= size {
                self.limit = self.head + free.min(lap);
                if let Some(wait) = wait {
                    let wait: crate::shared::session::Wait = wait;
                    line.waited_ns.fetch_add(wait.elapsed_ns(), Ordering::Relaxed);
                }
                return true;
            }
            let waiting = wait.get_or_insert_with(|| {
                line.waits.fetch_add(1, Ordering::Relaxed);
                self.session.wait()
            });
            if !waiting.step(&self.session) {
                self.stop(line);
                return false;
            }
        }
    }

    fn stop(&mut self, line: &ProducerLine) {
        self.stopped = true;
        self.limit = 0;
        line.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Fills the `lap` bytes up to the end of the ring.
    fn pad(&mut self, lap: u64) {
        let mut header = Header { size: lap as u32, kind: Kind::Pad as u8, ..Header::default() }.to_bytes();
        let len = header.len().min(lap as usize);
        // SAFETY: the `lap` bytes up to the end are free; at least 8, since positions are multiples of 8.
        unsafe {
            let at = self.data.add((self.head & self.mask) as usize);
            std::ptr::copy_nonoverlapping(header.as_mut_ptr(), at, len);
        }
        self.pending = lap;
        self.publish();
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.ring.control().state.store(CLOSED, Ordering::Release);
    }
}

/// Bytes scattered over slices, copied out in order.
struct Pieces<'a> {
    pieces: &'a [&'a [u8]],
    offset: usize,
}

impl Pieces<'_> {
    /// # Safety
    /// `to` has room for `len` bytes, outside the pieces, and at least `len` bytes are left.
    unsafe fn copy(&mut self, mut to: *mut u8, mut len: usize) {
        while len > 0 {
            let Some(piece) = self.pieces.first() else { return };
            let part = &piece[self.offset..piece.len().min(self.offset + len)];
            // SAFETY: `part` is at most `len` long, for which there is room by the contract.
            unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), to, part.len()) };
            // SAFETY: still within, or right behind, the room.
            to = unsafe { to.add(part.len()) };
            len -= part.len();
            self.offset += part.len();
            if self.offset == piece.len() {
                self.pieces = &self.pieces[1..];
                self.offset = 0;
            }
        }
    }
}
