//! Shader containers (`DXBC`) and the root signatures inside and outside them.
//!
//! Owns the container's layout and checksum, and root signatures of versions 1.0, 1.1 and 1.2 as one model that converts
//! to any of them. Pure: no Direct3D objects, no device. Invariants: bytes are never trusted (every offset, count and size
//! is checked, errors name the part and the offset); what is serialised here parses to the same value.
//!
//! ```
//! use reprise_dxbc::root_signature::{RootSignature, Version};
//!
//! let empty = RootSignature::default();
//! let bytes = empty.to_container(Version::V1_1);
//! assert_eq!(RootSignature::from_container(&bytes)?, (empty, Version::V1_1));
//! assert!(RootSignature::from_container(&bytes[..7]).is_err());
//! # Ok::<(), reprise_dxbc::Malformed>(())
//! ```

mod bitcode;
mod checksum;
pub mod container;
pub mod early;
pub mod entry;
pub mod library;
pub mod program;
pub mod rdat;
pub mod registers;
pub mod root_signature;
pub mod signature;
pub mod source;
mod stage;
pub mod validation;

pub use checksum::checksum;
pub use container::{Checksum, Container, Part, Tag};
pub use program::Program;
pub use root_signature::RootSignature;
pub use stage::Stage;
pub use validation::Validation;

/// Bytes that are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {offset}")]
pub struct Malformed {
    /// What is wrong, with the values that show it.
    pub what: String,
    /// Offset within the bytes given.
    pub offset: usize,
}

impl Malformed {
    pub(crate) fn new(offset: usize, what: impl Into<String>) -> Malformed {
        Malformed { what: what.into(), offset }
    }
}

/// Bytes with checked reads, little-endian.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn slice(self, offset: usize, len: usize, what: &str) -> Result<&'a [u8], Malformed> {
        offset.checked_add(len).and_then(|end| self.0.get(offset..end)).ok_or_else(|| {
            Malformed::new(offset, format!("{what} needs {len} bytes, there are {} in all", self.0.len()))
        })
    }

    pub(crate) fn u32(self, offset: usize, what: &str) -> Result<u32, Malformed> {
        let mut word = [0; 4];
        word.copy_from_slice(self.slice(offset, 4, what)?);
        Ok(u32::from_le_bytes(word))
    }

    /// `N` words in a row.
    pub(crate) fn words<const N: usize>(self, offset: usize, what: &str) -> Result<[u32; N], Malformed> {
        let bytes = self.slice(offset, N * 4, what)?;
        let mut words = [0; N];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        }
        Ok(words)
    }
}
