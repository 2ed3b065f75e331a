//! The record of each call that the program makes on a wrapper.
//!
//! A slot of a vtable (`thunk`) leads to `light`, straight-line code for most calls of command lists (`steps`: what is done
//! with each argument; `sites`: where arrays hold objects; `forward`: from words to the real function), to `heavy`, which the model's tables drive, or to `unknown`
//! (`IUnknown`). Around a heavy call: `replaced` and `callback` put arguments of ours in, `view` answers the codec, `arena` holds
//! copies, `made` wraps what comes out, `outcome` and `map` say what followed, `frame` ends a frame.
//!
//! Invariant: whatever cannot be recorded still reaches the runtime.

pub(crate) mod arena;
pub(crate) mod callback;
pub(crate) mod forward;
pub(crate) mod frame;
pub(crate) mod heavy;
pub(crate) mod light;
pub(crate) mod made;
pub(crate) mod map;
pub(crate) mod outcome;
pub(crate) mod replaced;
pub(crate) mod sites;
pub(crate) mod steps;
pub(crate) mod thunk;
pub(crate) mod unknown;
pub(crate) mod view;
