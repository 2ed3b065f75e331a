//! A cursor over payload bytes in which every length is checked before it is used.

use crate::wire;

pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Where these bytes lie in the payload; behind its end for bytes that are not of it.
    pub(crate) fn place_of(&self, bytes: &[u8]) -> usize {
        (bytes.as_ptr() as usize).wrapping_sub(self.bytes.as_ptr() as usize)
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("{count} bytes needed, {} left", self.bytes.len() - self.at))?;
        let bytes = &self.bytes[self.at..end];
        self.at = end;
        Ok(bytes)
    }

    pub(crate) fn word(&mut self) -> Result<u64, String> {
        Ok(word(self.take(8)?))
    }

    /// The next bytes, up to 8, without moving on.
    pub(crate) fn peek(&self, count: usize) -> Result<u64, String> {
        let bytes = self.bytes.get(self.at..).and_then(|b| b.get(..count));
        bytes.map(word).ok_or_else(|| format!("{count} bytes needed, {} left", self.bytes.len() - self.at))
    }

    /// A child header.
    pub(crate) fn header(&mut self) -> Result<(wire::Kind, u64), String> {
        let header = self.word()?;
        wire::parse(header).ok_or_else(|| format!("no child header: {header:#018x}"))
    }

    /// `count` elements of `size` bytes, and the padding after them.
    pub(crate) fn padded(&mut self, count: u64, size: u64) -> Result<&'a [u8], String> {
        let length = count.checked_mul(size).and_then(|l| usize::try_from(l).ok()).unwrap_or(usize::MAX);
        let bytes = self.take(length)?;
        self.take(length.wrapping_neg() % 8)?;
        Ok(bytes)
    }

    /// # Errors
    /// When bytes are left.
    pub(crate) fn finish(&self) -> Result<(), String> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => Err(format!("{left} bytes more than the call's arguments need")),
        }
    }
}

/// Up to 8 bytes, little-endian, zero-extended.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let size = bytes.len().min(8);
    word[..size].copy_from_slice(&bytes[..size]);
    u64::from_le_bytes(word)
}
