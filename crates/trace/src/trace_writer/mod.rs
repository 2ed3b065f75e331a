//! Writing a trace file: records in their final order become chunks.
//!
//! [`TraceWriter`] takes records. [`chunked_file`] puts chunks into an [`Output`] and makes index and footer. Threads compress the
//! chunks meanwhile: a [`pipeline`] gives them out as [`chunk_job`]s and has the results in order. [`blob_store`] keeps each blob
//! once. What was packed in a hurry [`repack`] packs anew. [`threads`] holds payload pieces and blobs until their thread's next record arrives. Invariant: the file is a valid
//! unfinished trace after each chunk.

mod blob_store;
mod chunk_job;
mod chunked_file;
mod method_set;
pub mod output;
mod pipeline;
pub mod repack;
mod self_description;
mod threads;
mod writer;
pub(crate) mod writer_records;

pub use output::{FileOutput, MIN_LIMIT, Output, Removed, SizeReached};
pub(crate) use writer::is_end;
pub use writer::{CHUNK, FRAME_CHUNK, MAX_JOINED, Progress, Resume, TraceWriter};
