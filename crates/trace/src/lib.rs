//! Rings, the writer, and the trace file.
//!
//! The way of a record: a thread of the program writes it into a [`ring`] of its [`session`]; the [`writer`] (another
//! process) [`merge`]s all rings into one order and stores it in the trace file; [`read`] gives it back as events.
//! [`record`] is the framing that all of them share. Nothing here knows the API beyond ids.
//!
//! Invariant: a published record survives the death of the program, and every byte that is read back is untrusted.

mod blocks;
pub mod chunk;
pub mod clock;
mod decode;
mod drain;
pub mod fact;
pub mod file;
pub mod frame_hash;
mod index;
pub mod layout;
pub mod merge;
pub mod os;
mod pack;
pub mod read;
pub mod record;
pub mod ring;
mod salvage;
pub mod session;
mod source;
pub mod store;
mod unpack;
pub mod wanted;
pub mod writer;

pub use salvage::repair;
