//! The payload of [`fact::APART`](crate::fact::APART): parts of a buffer that comparisons treat apart from other bytes.
//!
//! Owns the bytes. A part is `offset` u64, `bytes` u64, [`Why`] u32, 0 u32. A reader leaves out a part whose reason it does not know.

use crate::file::cursor::Cursor;
use std::ops::Range;

/// Why bytes are treated apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// A time of the GPU's clock: another one in every run.
    Time = 0,
    /// A size of an acceleration structure: the driver's own.
    Size = 1,
    /// The answer of another query.
    Answer = 2,
}

/// A part of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Apart {
    /// Its bytes.
    pub bytes: Range<u64>,
    /// The reason.
    pub why: Why,
}

/// The payload that tells of these parts.
pub fn payload(parts: &[Apart]) -> Vec<u8> {
    let words = |Apart { bytes, why }: &Apart| [bytes.start, bytes.end.saturating_sub(bytes.start), *why as u64];
    parts.iter().flat_map(words).flat_map(u64::to_le_bytes).collect()
}

/// The parts that a payload tells of; damage ends them.
pub fn parts(payload: &[u8]) -> impl Iterator<Item = Apart> {
    let mut cursor = Cursor(payload);
    let next = move || Some((cursor.u64()?, cursor.u64()?, cursor.u32()?, cursor.u32()?));
    std::iter::from_fn(next).filter_map(|(offset, bytes, why, _)| {
        let why = [Why::Time, Why::Size, Why::Answer].into_iter().find(|known| *known as u32 == why)?;
        Some(Apart { bytes: offset..offset.saturating_add(bytes), why })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_they_were_written_and_unknown_ones_are_left_out() {
        let all = [(16..32, Why::Time), (0..8, Why::Size), (40..48, Why::Answer)];
        let all = all.map(|(bytes, why)| Apart { bytes, why });
        let mut bytes = payload(&all);
        assert_eq!(bytes.len(), 3 * 24);
        assert_eq!(parts(&bytes).collect::<Vec<_>>(), all);
        bytes[24 + 16] = 9;
        assert_eq!(parts(&bytes).collect::<Vec<_>>(), [all[0].clone(), all[2].clone()]);
        assert_eq!(parts(&bytes[..30]).count(), 1);
    }
}
