//! A trace summed up in one walk over its events: figures, calls and bytes by method, lives of objects.

pub(crate) mod counts;
pub(crate) mod info;
pub(crate) mod lives;
