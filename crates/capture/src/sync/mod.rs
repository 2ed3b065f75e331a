//! Structures that threads of the program share without a lock, and the one lock that a thread may take twice.
//!
//! Each file is one structure over atomics. `tests/loom` proves its orderings: it runs every interleaving of a few threads.
//! Invariant: these files name atomics and mutexes only through [`atomic`], and nothing else of this crate.

pub(crate) mod atomic;
pub(crate) mod handover;
pub(crate) mod link;
pub(crate) mod reentrant;
pub(crate) mod version;
