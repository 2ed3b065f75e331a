//! One mapped subresource: where it lies, how its bytes are reported, and how compare mode finds what changed.
//!
//! Invariant: what compare mode reports is the copy that it compared, so a store during a flush is found by the next one.

use std::ops::Range;

use super::userfault::PAGE;
use crate::host::kernel;
use crate::tracking::{LONGEST, Written};

/// A mapped resource: its object id in the trace, and the subresource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key {
    /// Object id of the resource.
    pub object: u32,
    /// Subresource that was mapped; 0 for buffers.
    pub subresource: u32,
}

/// Where reports go.
pub type Sink<'a> = dyn FnMut(&Written) + 'a;

/// A mapped subresource, or one that was and is only kept armed.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) key: Key,
    pub(super) start: usize,
    pub(super) len: usize,
    /// Times mapped and not unmapped.
    pub(super) count: u32,
    pub(super) observed: bool,
    /// Which of the tracker's means watches it; `None` in compare mode.
    pub(super) by: Option<usize>,
    /// Why it is not watched by the best means.
    pub(super) because: Option<String>,
    /// The last known content, in compare mode.
    pub(super) shadow: Option<Vec<u8>>,
}

impl Mapping {
    /// Mapped now, and watched by this means.
    pub(super) fn is_watched(&self, by: usize) -> bool {
        self.count > 0 && self.by == Some(by)
    }

    /// The address after its last byte.
    pub(super) fn end(&self) -> usize {
        self.start + self.len
    }

    /// The pages it touches, outward.
    pub(super) fn pages(&self) -> Range<usize> {
        self.start & !(PAGE - 1)..(self.end() + PAGE - 1) & !(PAGE - 1)
    }

    /// Whether no memory is there any more.
    pub(super) fn is_gone(&self) -> bool {
        let known = 0u64;
        // A sandbox may forbid to ask.
        kernel::word(self.start).is_none() && kernel::word((&raw const known) as usize).is_some()
    }

    /// Its bytes as they are now.
    pub(super) fn copied(&self) -> Vec<u8> {
        let mut copy = vec![0; self.len];
        // SAFETY: the range is readable while it is mapped (`Tracker::map`); the vector has its length.
        unsafe { std::ptr::copy_nonoverlapping(self.start as *const u8, copy.as_mut_ptr(), self.len) };
        copy
    }

    /// From here on what is there now is what it is compared with.
    pub(super) fn compare_from_now(&mut self, because: String) {
        self.shadow = Some(self.copied());
        self.by = None;
        self.because = Some(because);
    }

    /// Reports all of it, as it is kept.
    pub(super) fn send_shadow(&self, sink: &mut Sink<'_>) {
        if let Some(shadow) = &self.shadow {
            self.send(self.start, self.end(), shadow.as_ptr(), sink);
        }
    }

    /// How fast it can be read, in MB/s, where that is so slow that it must be memory of the device: reports are copies, so
    /// they take their time then.
    pub(super) fn slow_reads(&self) -> Option<u64> {
        const LINE: usize = 64;
        /// Bytes per microsecond; system memory has thousands, a window into a device's tens.
        const SLOW: u64 = 200;
        let lines = (self.len / LINE).min(64);
        let read = || {
            let started = std::time::Instant::now();
            for line in 0..lines {
                // SAFETY: within the mapping, which is readable while it is mapped (`Tracker::map`).
                unsafe { ((self.start + line * LINE) as *const u8).read_volatile() };
            }
            started.elapsed().as_nanos() as u64
        };
        // The first reading may have to bring the memory in, and another may be interrupted.
        let best = (0..4).map(|_| read()).min()?;
        let rate = (lines * LINE) as u64 * 1000 / best.max(1);
        (lines >= 16 && rate < SLOW).then_some(rate)
    }

    /// Reports `from..to` (addresses within the mapping), whose content is at `bytes`.
    pub(super) fn send(&self, from: usize, to: usize, bytes: *const u8, sink: &mut Sink<'_>) {
        let mut at = from;
        while at < to {
            let len = (to - at).min(LONGEST);
            let bytes = bytes.wrapping_add(at - from);
            let Key { object, subresource } = self.key;
            let offset = (at - self.start) as u64;
            sink(&Written { object, subresource, offset, bytes, len, observed: self.observed });
            at += len;
        }
    }

    /// Compare mode: copies piece after piece, and reports the copies that differ from the shadow.
    pub(super) fn compare(&mut self, sink: &mut Sink<'_>) {
        let Some(mut shadow) = self.shadow.take() else { return };
        let mut piece = [0u8; PAGE];
        let mut from = None;
        let mut at = 0;
        while at < self.len {
            // Pieces end on page boundaries of the address, as the reports of pages mode do.
            let len = (PAGE - (self.start + at) % PAGE).min(self.len - at);
            let live = (self.start + at) as *const u8;
            // Nearly all pieces are as they were: those are not copied.
            // SAFETY: `at + len` is within the mapping, which is readable while it is mapped (`Tracker::map`), and within the
            // shadow, which is as long. That others store meanwhile makes the answer true of some instant of each byte.
            let same = unsafe { libc::memcmp(live.cast(), shadow[at..].as_ptr().cast(), len) } == 0;
            if !same {
                // SAFETY: the same range of the mapping; the piece has room for a page.
                unsafe { std::ptr::copy_nonoverlapping(live, piece.as_mut_ptr(), len) };
            }
            if !same && shadow[at..at + len] != piece[..len] {
                shadow[at..at + len].copy_from_slice(&piece[..len]);
                from.get_or_insert(at);
            } else if let Some(from) = from.take() {
                self.send(self.start + from, self.start + at, shadow[from..].as_ptr(), sink);
            }
            at += len;
        }
        if let Some(from) = from {
            self.send(self.start + from, self.end(), shadow[from..].as_ptr(), sink);
        }
        self.shadow = Some(shadow);
    }
}
