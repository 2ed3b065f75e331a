//! Rings, the writer, and the trace file.
//!
//! The modules follow the way of a record. A thread of the program writes it into a [`ring`] of its [`session`]; the
//! [`writer`], another process, puts the records of all rings into one order ([`merge`]) and writes them ([`write`](mod@write))
//! as [`chunk`]s of a file with the [`layout`] of a trace; [`read`] gives them back as events; `salvage` does what it can for
//! a trace that was not finished or is damaged. [`record`] is the framing that all share. Nothing here knows the API beyond
//! ids.
//!
//! Invariants: a published record survives the death of the program; every byte that is read back is untrusted.

pub mod clock;
pub mod fact;
mod file;
pub mod frame_hash;
pub mod merge;
pub mod os;
pub mod read;
pub mod record;
mod salvage;
mod shared;
pub mod wanted;
pub mod write;
pub mod writer;

pub use file::{chunk, layout};
pub use salvage::{Describe, repair};
pub use shared::{ring, session};
