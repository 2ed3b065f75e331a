//! The trace file, byte for byte: chunks, packed records, tables. `FORMAT.md` says the same in words.
//!
//! Reading and writing share these modules; each layout is stated once.

pub(crate) mod blobs;
pub(crate) mod blocks;
pub mod chunk;
pub(crate) mod cursor;
pub(crate) mod laid;
pub mod layout;
pub(crate) mod pack;
pub(crate) mod payload;
mod predict;
pub(crate) mod records;
mod rows;
pub(crate) mod unpack;
