//! Writing a trace file: records in their final order become chunks.
//!
//! [`TraceWriter`] takes records; [`chunks`] puts chunks into an [`Output`] and makes index and footer; [`store`] keeps each
//! blob once; [`threads`] holds what a thread's next record still needs. Invariant: the file is a valid unfinished trace after
//! each chunk.

mod about;
mod chunks;
pub(crate) mod gap;
mod methods;
pub mod output;
mod store;
mod threads;
mod trace;

pub use output::{FileOutput, MIN_LIMIT, Output, SizeReached};
pub use trace::{CHUNK, FRAME_CHUNK, MAX_JOINED, Progress, Resume, TraceWriter};
