//! Command queues, and the Vulkan queues behind them.
//!
//! A command queue is a list of things to do, a thread that hands them to Vulkan in order, and a thread that waits for the GPU
//! and then tells fences. Invariants: Vulkan gets only what can run, so a wait for a value that nobody has promised blocks the
//! submission thread and never a Vulkan queue, which others may share; what a submission uses lives until it is done; a
//! submission that fails loses the device and lets everybody go.

mod command_queue;
mod fence;
mod fifo;
mod frame;
pub mod hardware;
pub mod initialisation;
mod recorded;
mod timeline;
mod worker;

pub use command_queue::CommandQueue;
pub use fence::{Fence, Wait};
pub use frame::{Frame, Order};
pub use recorded::Recorded;
pub use timeline::{Point, QueueId, Timeline};
