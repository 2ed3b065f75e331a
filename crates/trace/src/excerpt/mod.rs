//! An excerpt of a recording: of its beginning what is still needed, its end whole.
//!
//! The recording is one or several traces, one going on where the one before it ends. A [`Reduce`] says which events are needed
//! ([`Plan`]), because this crate knows nothing of the API; [`write`] copies them. Invariant: the excerpt keeps the program's own numbers
//! of calls and frames, and says wherever some are left out ([`crate::fact::LEFT_OUT`]).

mod copy;
mod plan;

pub use copy::{Orders, write};
pub use plan::{From, Plan, Put, Reduce, Store};
