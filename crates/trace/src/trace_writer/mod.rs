//! Writing a trace file: records in their final order become chunks.
//!
//! [`TraceWriter`] takes records. [`chunked_file`] puts chunks into an [`Output`] and makes index and footer. [`blob_store`]
//! keeps each blob once. [`threads`] holds payload pieces and blobs until their thread's next record arrives. Invariant: the file is a
//! valid unfinished trace after each chunk.

mod blob_store;
mod chunked_file;
mod method_set;
pub mod output;
mod self_description;
mod threads;
mod writer;
pub(crate) mod writer_records;

pub use output::{FileOutput, MIN_LIMIT, Output, SizeReached};
pub use writer::{CHUNK, FRAME_CHUNK, MAX_JOINED, Progress, Resume, TraceWriter};
