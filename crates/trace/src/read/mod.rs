//! Reading a trace: its tables, its events, its blobs, and what is damaged of them.
//!
//! Invariants: nothing in a trace makes this code panic, loop without end, or allocate more than the bytes there can stand
//! for. Damage costs what is left of its chunk, shows as a [`Kind::Gap`](crate::record::Kind::Gap) event at its place, and is
//! listed by [`Trace::damage`].

mod blob_chunks;
mod check;
mod damage;
pub(crate) mod decode;
pub(crate) mod division;
mod error;
mod event;
mod events;
pub(crate) mod index;
mod pages;
mod piece;
mod select;
pub(crate) mod source;
pub(crate) mod trace;
mod translate;

pub use crate::file::unpack::Turn;
pub use check::Checked;
pub use damage::{Damage, Place};
pub use division::Ends;
pub use error::ReadError;
pub use event::{Call, Event};
pub use events::Events;
pub use piece::Piece;
pub use trace::{Statistics, Trace, content_hash};
pub use translate::Translate;
