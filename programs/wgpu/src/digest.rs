//! The hash that a program prints: XXH3-128 (seed 0) of what it read back, in the order of the program.

use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// Takes the parts of a result.
pub(crate) struct Digest(Box<Xxh3>);

impl Digest {
    /// Of nothing yet.
    pub(crate) fn new() -> Self {
        Self(Box::new(Xxh3::new()))
    }

    /// Takes the next part, with its length before it.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Takes words as little-endian bytes.
    pub(crate) fn add_words(&mut self, words: &[u32]) {
        self.add(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
    }
}

/// 32 lower-case hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0.digest128())
    }
}
