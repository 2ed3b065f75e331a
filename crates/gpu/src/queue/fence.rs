//! What queues ask of fences. What a fence means is the API's business.

use crate::queue::timeline::Point;

/// A fence that queues signal.
pub trait Fence: core::fmt::Debug + Send + Sync {
    /// A queue has handed a signal of `value` to the GPU, which comes to it at `point`. Whether the signal is still on its way:
    /// then [`Fence::advance`] follows.
    fn promise(&self, value: u64, point: Point) -> bool;

    /// The GPU has come to a point that was promised.
    fn advance(&self);
}

/// A queue's wait for a fence.
pub trait Wait: core::fmt::Debug + Send {
    /// The point that the GPU must wait for, `None` for none. Blocks while nobody has promised the value; `blocked` is told
    /// when that begins and ends.
    fn resolve(self: Box<Self>, blocked: &dyn Fn(bool)) -> Option<Point>;
}
