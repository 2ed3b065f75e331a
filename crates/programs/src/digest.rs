//! The hash that a program prints.
//!
//! Invariant: XXH3-128 (seed 0) over each part's length as u64, little-endian, and its bytes, in the order of the program: two
//! parts cannot be taken for one.

use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// Takes the parts of a result.
pub(crate) struct Digest {
    state: Box<Xxh3>,
}

impl Digest {
    /// Of nothing yet.
    pub(crate) fn new() -> Self {
        Self { state: Box::new(Xxh3::new()) }
    }

    /// Of one part.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut digest = Self::new();
        digest.add(bytes);
        digest
    }

    /// Takes the next part.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.state.update(&(bytes.len() as u64).to_le_bytes());
        self.state.update(bytes);
    }
}

/// 32 lower-case hexadecimal digits.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.state.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        let (mut one, mut two) = (Digest::of(b"ab"), Digest::of(b"a"));
        assert_eq!(one.to_string().len(), 32);
        two.add(b"b");
        assert_ne!(one.to_string(), two.to_string());
        one.add(b"");
        assert_ne!(one.to_string(), Digest::of(b"ab").to_string());
    }
}
