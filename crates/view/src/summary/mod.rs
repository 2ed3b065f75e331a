//! A trace summed up in one walk over its events: figures, calls and bytes by method, lives of objects.

pub mod counts;
pub mod info;
pub mod lives;
