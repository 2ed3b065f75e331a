//! Rings, the writer, and the trace file.
