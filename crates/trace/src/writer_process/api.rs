//! What callers tell the writer of the API, of which this crate knows ids only.

/// Makes the schema chunk from the sorted ids of the methods that occur.
pub type SchemaOf = dyn Fn(&[u16]) -> Vec<u8> + Send + Sync;

/// Says of a method whether it may give out objects.
pub type Gives = dyn Fn(u16) -> bool + Send + Sync;
