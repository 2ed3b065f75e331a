//! Reads integers off the front of a byte slice.

use crate::clock::Instant3;

/// Takes integers off the front of bytes; everything after the end reads as `None`.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    /// The next four bytes.
    pub(crate) fn u32(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    /// The next eight bytes.
    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    /// The next `len` bytes.
    pub(crate) fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn instant(&mut self) -> Option<Instant3> {
        Some(Instant3 { ticks: self.u64()?, realtime_ns: self.u64()?, monotonic_ns: self.u64()? })
    }
}
