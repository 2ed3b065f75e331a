//! Rings, the writer, and the trace file.

pub mod frame_hash;
