//! What queues ask of frames to show. How a frame comes to the screen is not the queue's business.

use std::sync::Arc;

use ash::vk;

use crate::error::Result;
use crate::queue::fence::Fence;
use crate::queue::recorded::Recorded;
use crate::queue::timeline::Point;

/// A frame on its way to the screen.
pub trait Frame: core::fmt::Debug + Send {
    /// Shows the frame behind everything that the queue was given before. Called once, on the queue's thread.
    fn show(self: Box<Self>, order: &mut dyn Order);
}

/// The place in a queue's order at which a frame is shown.
pub trait Order {
    /// Gives work to the GPU, between two binary semaphores: it waits for the first and signals the second. `None` where the
    /// device is lost: then neither happens.
    ///
    /// # Errors
    /// Vulkan does not take the work.
    fn submit(&mut self, work: Arc<Recorded>, semaphores: [vk::Semaphore; 2]) -> Result<Option<Point>>;

    /// Tells a fence when the GPU has done everything up to here, or is lost.
    fn tell(&mut self, fence: Arc<dyn Fence>);
}
