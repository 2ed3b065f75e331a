//! The arguments of a call, rebuilt for the runtime.

pub(crate) mod lookup;
