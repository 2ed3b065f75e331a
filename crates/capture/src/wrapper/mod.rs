//! What the program holds in place of the runtime's objects.
//!
//! `wrap` finds or makes the wrapper of what the runtime gives out (`object`: the identity and its chains), by way of a `table`;
//! a `notice` among the real object's private data tells of its end. `vtable` owns the area of all vtables, `blind` the stubs for
//! interfaces that the model does not know.

pub(crate) mod blind;
pub(crate) mod notice;
pub(crate) mod object;
pub(crate) mod table;
pub(crate) mod vtable;
pub(crate) mod wrap;
