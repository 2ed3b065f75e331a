//! Tables by id, for look-ups in many calls.
//!
//! A capture gives ids in turn from 1. A trace that was made with colliding ids slows down its own replay and nothing else, so the
//! hash is one multiplication.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Something per object.
pub(crate) type IdMap<T> = HashMap<u32, T, BuildHasherDefault<IdHasher>>;

/// Hashes one id.
#[derive(Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    #[inline]
    fn write_u32(&mut self, id: u32) {
        // The table takes its place from the lower bits and a tag from the upper ones: both depend on all of the id.
        let product = (self.0 ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
