//! The record of each call that the program makes on a wrapper.
//!
//! A slot of a vtable (`thunk`) leads to one of three ways:
//!
//! - `light`: straight-line code for most calls of command lists. `steps` says how each argument is recorded, `object_places`
//!   where arrays hold objects; `forward` calls the real function.
//! - `heavy`: code that the model's tables drive. `replaced` and `callback` exchange arguments, `call_objects` answers the codec,
//!   `arena` holds copies, `new_objects` wraps the results, `outcome` and `map` record the consequences, `frame` ends a frame; `heed` knows
//!   the calls of lists and queues that say where.
//! - `unknown`: the methods of `IUnknown`.
//!
//! Invariant: whatever cannot be recorded still reaches the runtime.

pub(crate) mod arena;
pub(crate) mod call_objects;
pub(crate) mod callback;
pub(crate) mod forward;
pub(crate) mod frame;
pub(crate) mod heavy;
pub(crate) mod heed;
pub(crate) mod light;
pub(crate) mod map;
pub(crate) mod new_objects;
pub(crate) mod object_places;
pub(crate) mod outcome;
pub(crate) mod replaced;
pub(crate) mod steps;
pub(crate) mod thunk;
pub(crate) mod unknown;
