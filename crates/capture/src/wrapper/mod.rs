//! Wrappers: the objects that the program holds in place of the runtime's.
//!
//! `wrap` finds or makes the wrapper of an object of the runtime, by way of a `table`; `object` has the identity and its
//! chains. A `notice` among the real object's private data reports the object's end. `vtable` owns the area of all vtables,
//! `blind` the stubs for interfaces that the model does not know, and `own` names those that lead behind a wrapper.

pub(crate) mod blind;
pub(crate) mod notice;
pub(crate) mod object;
pub(crate) mod own;
pub(crate) mod table;
pub(crate) mod vtable;
pub(crate) mod wrap;
