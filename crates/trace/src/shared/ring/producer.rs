//! The writing end of a ring.
//!
//! Invariant: bytes are written only where the consumer does not read, and only before they are published. So a thread that
//! dies at any instruction leaves every published record whole and the unpublished one invisible.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use crate::os::Fresh;
use crate::record::{AFTER, HEADER, Header, Kind, MAX_PIECE, OBSERVED, SEQUENCE, TICKS, head_size, padded};
use crate::shared::page::{SessionPage, Wait};
use crate::shared::ring::control::{ProducerLine, Reading, RingError};
use crate::shared::ring::position::{Room, Writing};
use crate::shared::ring::view::Ring;
use crate::shared::sequence;

/// The writing end of a ring. One thread at a time.
///
/// A record is written in three steps: [`Producer::begin`], the payload through the pointer, [`Producer::publish`].
#[derive(Debug)]
pub struct Producer {
    writing: Writing,
    /// The first byte of the ring's data.
    data: *mut u8,
    line: *const ProducerLine,
    sequence: *const AtomicU64,
    /// The session's counter when this thread last looked: all numbers below it come before what this thread writes next.
    seen: u64,
    /// Bytes of the record begun and not yet published.
    pending: u64,
    /// The sequence number of the last record that took one.
    last_sequence: u64,
    stopped: bool,
    ring: Arc<Ring>,
    session: Arc<SessionPage>,
}

// SAFETY: the pointers point into the mappings that `ring` and `session` own, which move along; a `Producer` has nothing that
// belongs to a thread, and `&mut self` keeps two threads from writing at a time.
unsafe impl Send for Producer {}

impl Producer {
    /// Lays out a ring in fresh memory of [`CONTROL`](super::CONTROL) + capacity bytes, and gives its only writing end. `index`
    /// is the number of the ring in its session, `thread_id` the operating system's number of the thread.
    ///
    /// # Errors
    /// The capacity is no power of two, or one that no ring has.
    pub fn create(
        memory: Fresh,
        index: u32,
        thread_id: u64,
        name: &str,
        session: Arc<SessionPage>,
    ) -> Result<Producer, RingError> {
        let ring = Arc::new(Ring::create(memory, index, thread_id, name)?);
        Ok(Producer {
            writing: Writing::at(ring.head(), ring.capacity()),
            data: ring.data(),
            line: ring.producer(),
            sequence: session.sequence(),
            seen: 0,
            pending: 0,
            last_sequence: 0,
            stopped: false,
            ring,
            session,
        })
    }

    /// The words of the ring that its producer writes.
    #[inline(always)]
    fn line(&self) -> &ProducerLine {
        // SAFETY: points into the mapping that `self.ring` owns, at atomics that live as long as it does.
        unsafe { &*self.line }
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
        if !self.writing.fits(most) && !self.make_room(most) {
            return None;
        }
        // SAFETY: `fits` or `make_room` found `most` free bytes at the head, in one piece and within the ring's data.
        let mut at = unsafe { self.data.add(self.writing.place()) };
        let start = at;
        let mut sequence = 0;
        let mut after = 0;
        // SAFETY: points at an atomic in the session page, which `self.session` keeps alive.
        let counter = unsafe { &*self.sequence };
        if flags & SEQUENCE != 0 {
            flags &= !AFTER;
            sequence = sequence::take(counter);
            self.last_sequence = sequence;
            self.seen = sequence + 1;
        } else if flags & AFTER != 0 {
            after = sequence::next(counter);
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
        let size = std::mem::take(&mut self.pending);
        // SAFETY: points into the mapping that `self.ring` owns, at atomics that live as long as it does.
        let line = unsafe { &*self.line };
        self.writing.publish(&line.head, size);
    }

    /// Says that the thread is inside the light call whose enter record was just published.
    #[inline(always)]
    pub fn enter_call(&mut self) {
        self.line().in_call.store(self.writing.head(), Ordering::Relaxed);
    }

    /// Says that the thread has come back from a light call.
    #[inline(always)]
    pub fn leave_call(&mut self) {
        self.line().in_call.store(0, Ordering::Relaxed);
    }

    /// Says that the thread is about to read the arguments of a call. If a bad pointer among them kills the thread, the writer
    /// so knows which call it was.
    #[inline(always)]
    pub fn begin_reading(&mut self, call: Reading) {
        self.line().reading.store(call.to_word(), Ordering::Relaxed);
        // The compiler must not move the reading of arguments before the store.
        compiler_fence(Ordering::SeqCst);
    }

    /// Says that the arguments are in the ring.
    #[inline(always)]
    pub fn end_reading(&mut self) {
        compiler_fence(Ordering::SeqCst);
        self.line().reading.store(0, Ordering::Relaxed);
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
        MAX_PIECE.min(self.ring.capacity() as usize / 4) - head_size(SEQUENCE | TICKS)
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
            // SAFETY: the piece is a borrowed slice.
            if !unsafe { self.piece((Kind::Blob, 0), 0, 0, number, &words, piece) } {
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
        // SAFETY: a borrowed slice is readable.
        unsafe { self.live_memory(object, subresource, offset, bytes, false) }
    }

    /// As [`Producer::memory`], for bytes that other threads may store to at the same time: they are read once, through the
    /// pointer. `observed`: the GPU may have written them, and a reader does not store them back.
    ///
    /// # Safety
    /// The bytes are readable during the call.
    pub unsafe fn live_memory(
        &mut self,
        object: u32,
        subresource: u32,
        offset: u64,
        bytes: *const [u8],
        observed: bool,
    ) -> bool {
        let mark = if observed { OBSERVED } else { 0 };
        let most = (self.max_payload() - 16) as u64;
        let mut done = 0;
        while done < bytes.len() {
            let at = offset + done as u64;
            let left = (bytes.len() - done) as u64;
            let aligned = ((at + most) & !4095).saturating_sub(at);
            let len = if left <= most || aligned == 0 { left.min(most) } else { aligned } as usize;
            let words = [at, len as u64];
            let piece = std::ptr::slice_from_raw_parts(bytes.cast::<u8>().wrapping_add(done), len);
            // SAFETY: the piece lies within the bytes, which the caller says are readable.
            if !unsafe { self.piece((Kind::Memory, mark), SEQUENCE, object, subresource, &words, piece) } {
                return false;
            }
            done += len;
        }
        true
    }

    /// Writes a record of words and bytes.
    ///
    /// # Safety
    /// The bytes are readable during the call; other threads may store to them.
    unsafe fn piece(
        &mut self,
        kind: (Kind, u16),
        flags: u8,
        object: u32,
        ordinal: u32,
        words: &[u64],
        bytes: *const [u8],
    ) -> bool {
        let payload = words.len() * 8 + bytes.len();
        let Some(to) = self.begin(kind.0, kind.1, flags, object, ordinal, payload) else { return false };
        // SAFETY: `begin` gave room for words and bytes; the bytes are readable, and cannot overlap the ring.
        unsafe {
            for (i, word) in words.iter().enumerate() {
                to.cast::<u64>().add(i).write(*word);
            }
            std::ptr::copy_nonoverlapping(bytes.cast::<u8>(), to.add(words.len() * 8), bytes.len());
        }
        self.publish();
        true
    }

    /// Finds `size` contiguous bytes at the head, waiting if the ring is full. `false`: record nothing.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, size: u64) -> bool {
        let ring = Arc::clone(&self.ring);
        let line = ring.producer();
        self.stopped |= self.session.is_finished();
        if self.stopped || size > ring.capacity() / 4 + HEADER as u64 {
            line.lost.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        let mut wait: Option<Wait> = None;
        loop {
            match self.writing.look(&ring.consumer().tail, size) {
                Room::Here => {
                    if let Some(wait) = wait {
                        line.waited_ns.fetch_add(wait.elapsed_ns(), Ordering::Relaxed);
                    }
                    return true;
                }
                Room::Behind(lap) => {
                    self.pad(lap);
                    continue;
                }
                Room::Full => {}
                Room::Broken => {
                    // The consumer is not one of ours.
                    self.stop(line);
                    return false;
                }
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
        self.writing.stop();
        line.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Fills the `lap` bytes up to the end of the ring.
    fn pad(&mut self, lap: u64) {
        let header = Header { size: lap as u32, kind: Kind::Pad as u8, ..Header::default() }.to_bytes();
        let len = header.len().min(lap as usize);
        // SAFETY: the `lap` bytes up to the end are free; at least 8, since positions are multiples of 8.
        unsafe {
            let at = self.data.add(self.writing.place());
            std::ptr::copy_nonoverlapping(header.as_ptr(), at, len);
        }
        self.pending = lap;
        self.publish();
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.ring.close();
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
            // SAFETY: `part` has at most `len` bytes; the caller says that `to` has room for `len`, outside the pieces.
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
