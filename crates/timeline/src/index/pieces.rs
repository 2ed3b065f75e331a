//! Bytes cut into pieces, each content stored once.
//!
//! Two snapshots of a state are mostly equal, but equal parts lie at different offsets. So cuts follow the content: a cut is
//! where the lowest bits of a rolling hash of the last 64 bytes are zero. An insertion moves only the cuts beside it, so equal
//! parts become equal pieces. Invariant: a piece is checked before it is decompressed, and a piece with a wrong checksum is an
//! error.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A piece has no fewer bytes, but for the last one.
const LEAST: usize = 4 << 10;
/// One of so many places is a cut.
const AVERAGE: u64 = 32 << 10;
/// A piece has no more bytes.
const MOST: usize = 256 << 10;
/// Of zstd: the fastest that still halves most states.
const LEVEL: i32 = 1;

/// Where a piece is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Piece {
    /// Place among the stored bytes.
    offset: u64,
    /// Bytes as stored: a zstd stream.
    stored: u32,
    /// Bytes when decompressed.
    raw: u32,
    /// XXH3-64 of the bytes as stored.
    checksum: u64,
}

/// Numbers of the pieces that some bytes are made of, in order.
pub(super) type Parts = Vec<u32>;

/// Pieces that are being stored.
#[derive(Default)]
pub(super) struct Store {
    pub(super) pieces: Vec<Piece>,
    pub(super) bytes: Vec<u8>,
    known: HashMap<u128, u32>,
}

impl Store {
    /// Stores bytes; equal pieces are shared with all that is there.
    pub(super) fn put(&mut self, mut bytes: &[u8]) -> std::io::Result<Parts> {
        let mut parts = Vec::new();
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at(cut(bytes));
            bytes = rest;
            let hash = xxh3_128(piece);
            let number = match self.known.get(&hash) {
                Some(number) => *number,
                None => {
                    let number = self.add(piece)?;
                    self.known.insert(hash, number);
                    number
                }
            };
            parts.push(number);
        }
        Ok(parts)
    }

    fn add(&mut self, piece: &[u8]) -> std::io::Result<u32> {
        let stored = zstd::bulk::compress(piece, LEVEL)?;
        let too_many = |_| std::io::Error::other("too many pieces");
        let number = u32::try_from(self.pieces.len()).map_err(too_many)?;
        self.pieces.push(Piece {
            offset: self.bytes.len() as u64,
            stored: stored.len() as u32,
            raw: piece.len() as u32,
            checksum: xxh3_64(&stored),
        });
        self.bytes.extend(stored);
        Ok(number)
    }
}

/// The bytes that these pieces make; `read` gives those stored at a place. `None` where a piece is damaged.
pub(super) fn join(parts: &[u32], pieces: &[Piece], mut read: impl FnMut(u64, &mut [u8]) -> bool) -> Option<Vec<u8>> {
    let chosen: Vec<&Piece> = parts.iter().map(|part| pieces.get(*part as usize)).collect::<Option<_>>()?;
    if chosen.iter().any(|piece| piece.raw as usize > MOST || piece.stored as usize > 2 * MOST) {
        return None;
    }
    let mut bytes = Vec::new();
    let mut stored = Vec::new();
    for piece in chosen {
        stored.resize(piece.stored as usize, 0);
        if !read(piece.offset, &mut stored) || xxh3_64(&stored) != piece.checksum {
            return None;
        }
        let raw = zstd::bulk::decompress(&stored, piece.raw as usize).ok()?;
        if raw.len() != piece.raw as usize {
            return None;
        }
        bytes.extend(raw);
    }
    Some(bytes)
}

/// Length of the first piece.
fn cut(bytes: &[u8]) -> usize {
    let most = bytes.len().min(MOST);
    if most <= LEAST {
        return most;
    }
    let mut hash = 0u64;
    for (at, byte) in bytes[..most].iter().enumerate().skip(LEAST - 64) {
        // Each byte is shifted out after 64 steps.
        hash = (hash << 1).wrapping_add(GEAR[usize::from(*byte)]);
        if at >= LEAST && hash & (AVERAGE - 1) << 32 == 0 {
            return at;
        }
    }
    most
}

/// A word of random bits for each byte.
static GEAR: [u64; 256] = gear();

const fn gear() -> [u64; 256] {
    let mut words = [0; 256];
    let (mut at, mut state) = (0, 0u64);
    while at < 256 {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        words[at] = word ^ (word >> 31);
        at += 1;
    }
    words
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn noise(count: usize) -> Vec<u8> {
        let mut state = 7u64;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..count).map(next).collect()
    }

    fn read(store: &Store) -> impl FnMut(u64, &mut [u8]) -> bool + '_ {
        |offset, into| {
            let stored = store.bytes.get(offset as usize..).and_then(|rest| rest.get(..into.len()));
            stored.is_some_and(|stored| {
                into.copy_from_slice(stored);
                true
            })
        }
    }

    #[test]
    fn what_is_stored_comes_back() {
        for count in [0, 1, LEAST, LEAST + 1, 100_000, 1_000_000] {
            let (mut store, bytes) = (Store::default(), noise(count));
            let parts = store.put(&bytes).unwrap();
            assert!(join(&parts, &store.pieces, read(&store)).unwrap() == bytes, "{count} bytes");
        }
    }

    /// What is equal is stored once, wherever it lies.
    #[test]
    fn an_insertion_costs_what_lies_beside_it() {
        let (mut store, bytes) = (Store::default(), noise(4 << 20));
        store.put(&bytes).unwrap();
        let before = store.bytes.len();
        let moved = [&bytes[..1 << 20], &[1, 2, 3], &bytes[1 << 20..]].concat();
        let parts = store.put(&moved).unwrap();
        assert!(store.bytes.len() - before < 2 * MOST, "{} bytes more", store.bytes.len() - before);
        assert!(join(&parts, &store.pieces, read(&store)).unwrap() == moved);
    }

    #[test]
    fn damage_is_found() {
        let (mut store, bytes) = (Store::default(), noise(300_000));
        let parts = store.put(&bytes).unwrap();
        let middle = store.bytes.len() / 2;
        store.bytes[middle] ^= 1;
        assert_eq!(join(&parts, &store.pieces, read(&store)), None);
        assert_eq!(join(&[u32::MAX], &store.pieces, read(&store)), None);
    }
}
