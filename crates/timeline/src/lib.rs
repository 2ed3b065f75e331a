//! What a trace means, without a GPU.
//!
//! The way of a trace through this crate: [`walk`](mod@walk) reads its events once, pairs enters with leaves into [`Call`]s, and
//! gives each [`Pass`] the calls and facts that it asked for. A pass reads arguments by typed accessors ([`argument`]).
//! [`State`] is a pass itself: what exists, lies and is bound as of a call.
//!
//! Invariant: nothing here trusts a trace. Damaged bytes give a [`Damaged`] value, never a panic, and what is kept grows with
//! what is alive, not with the number of calls.

pub mod activity;
pub mod argument;
pub mod call;
mod codec;
mod damaged;
mod given;
pub mod index;
pub mod intervals;
pub mod operations;
pub mod standing;
pub mod state;
pub mod state_objects;
pub mod walk;

pub use call::{Call, Outcome, Payload};
pub use codec::codec;
pub use damaged::Damaged;
pub use given::Given;
pub use index::Index;
pub use state::State;
pub use state_objects::StateObjects;
pub use walk::{At, Interests, Pass, Walk, walk, walk_as};
