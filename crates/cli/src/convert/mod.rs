//! A trace as a table: one row for each call and each other event, as JSON lines or Parquet.
//!
//! A row is made of the object that is a whole line of the dump, so that table and dump say the same. Invariant: memory is
//! bounded, whatever the trace's size: by what waits for calls that have not returned, and by one group of rows.
//!
//! `perfetto` makes a timeline of the same lines, in the messages that `protobuf` writes.

pub(crate) mod contents;
pub(crate) mod lines;
pub(crate) mod parquet;
pub(crate) mod perfetto;
mod protobuf;
pub(crate) mod row;
