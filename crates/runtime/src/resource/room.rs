//! The room that a resource takes in a heap.

/// Size and alignment in a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes; a multiple of the alignment.
    pub size: u64,
    /// 64 KiB, 4 MiB for several samples, 4 KiB for small textures that ask for it, less for what is aligned tightly.
    pub alignment: u64,
}
