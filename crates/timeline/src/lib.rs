//! What a trace means, without a GPU.
//!
//! The way of a trace through this crate: [`walk`](mod@walk) reads its events once, pairs enters with leaves into [`Call`]s, and
//! gives each [`Pass`] the calls and facts that it asked for. A pass reads arguments by typed accessors ([`argument`]).
//! [`State`] is a pass itself: what exists, lies and is bound as of a call.
//!
//! Invariant: nothing here trusts a trace. Damaged bytes give a [`Damaged`] value, never a panic, and what is kept grows with
//! what is alive, not with the number of calls.
//!
//! ```
//! use reprise_codec::translate::{self, Extended};
//! use reprise_d3d12::MODEL;
//! use reprise_timeline::argument::Argument;
//! use reprise_timeline::{At, Call, Interests, Pass, argument, walk};
//! use reprise_trace::read::Trace;
//! use std::path::Path;
//!
//! const VERTICES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawIndexedInstanced", "IndexCountPerInstance");
//!
//! /// Adds up the vertices of all draws.
//! #[derive(Default)]
//! struct Drawn(u64);
//!
//! impl Pass for Drawn {
//!     fn interests(&self) -> Interests {
//!         Interests::new().calls(&[VERTICES.method()])
//!     }
//!     fn call(&mut self, call: &Call<'_>, _at: &At) {
//!         self.0 += VERTICES.of(call).map_or(0, u64::from);
//!     }
//! }
//!
//! let trace = Trace::open(Path::new("../cli/tests/golden/v3/gears.reprise"))?;
//! translate::attach(&trace, &Extended::new(MODEL))?; // Its build may have had another model.
//! let mut drawn = Drawn::default();
//! walk(&trace, &mut [&mut drawn])?;
//! assert!(drawn.0 > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod activity;
pub mod argument;
pub mod call;
mod codec;
mod damaged;
mod decoded;
pub mod frames;
mod given;
pub mod index;
pub mod intervals;
pub mod operations;
mod recorded;
pub mod standing;
pub mod state;
pub mod state_objects;
pub mod walk;

pub use call::{Call, Outcome, Payload};
pub use codec::codec;
pub use damaged::Damaged;
pub use given::Given;
pub use index::Index;
pub use recorded::Recorded;
pub use state::State;
pub use state_objects::StateObjects;
pub use walk::{At, Interests, Pass, Walk, walk, walk_as};
