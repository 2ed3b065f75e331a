//! A command queue: its threads, and what callers ask of it.

use core::any::Any;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use crate::error::{Error, Result};
use crate::families::Family;
use crate::graveyard::Graveyard;
use crate::logical::Logical;
use crate::queue::fence::{Fence, Wait};
use crate::queue::fifo::{Fifo, Item, Life};
use crate::queue::frame::Frame;
use crate::queue::hardware::Hardware;
use crate::queue::initialisation::Initialisation;
use crate::queue::recorded::Recorded;
use crate::queue::timeline::{QueueId, Timeline};
use crate::queue::worker::{self, Shared, Submitter};
use crate::sparse::Change;

/// A queue of work for the GPU. Everything is done in the order in which it was asked for.
pub struct CommandQueue {
    shared: Arc<Shared>,
    /// The submission thread and the one that waits; empty once the queue is stopped.
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl CommandQueue {
    /// A queue with its threads. `keep` is whatever must outlive the queue's work.
    ///
    /// # Errors
    /// Vulkan objects or threads cannot be made.
    pub(crate) fn new(
        logical: &Arc<Logical>,
        (initialisation, graveyard): (&Arc<Initialisation>, &Arc<Graveyard>),
        hardware: Arc<Hardware>,
        keep: Arc<dyn Any + Send + Sync>,
    ) -> Result<CommandQueue> {
        let shared = Arc::new(Shared {
            _keep: keep,
            hardware,
            timeline: Arc::new(Timeline::new(logical)?),
            initialisation: initialisation.clone(),
            graveyard: graveyard.clone(),
            logical: logical.clone(),
            fifo: Fifo::default(),
            life: Life::default(),
        });
        let (done, after) = mpsc::channel();
        let submitter = Submitter::new(shared.clone(), done)?;
        let failed = |_| Error::Device("a thread cannot be made".into());
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let waiting = shared.clone();
        let waits = thread("reprise-fence").spawn(move || worker::wait(&waiting, &after)).map_err(failed)?;
        let submits = thread("reprise-queue").spawn(move || submitter.run()).map_err(failed)?;
        Ok(CommandQueue { shared, threads: Mutex::new(vec![submits, waits]) })
    }

    /// Ends the threads once their work is done. A queue may wait for a fence value that no signal has promised. Its thread is
    /// not joined: it goes on when the value comes, and keeps alive what it needs.
    pub fn stop(&self) {
        let threads = core::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        if threads.is_empty() {
            return;
        }
        self.shared.fifo.push(Item::Stop);
        if self.shared.logical.is_lost() {
            // Nobody waits any more for what stood still to be looked at, and the threads wait for the GPU.
            self.shared.logical.gates.open_all(&self.shared.logical.vk);
        }
        if self.shared.life.settled() {
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
    }

    /// The queue's number in the process.
    pub fn id(&self) -> QueueId {
        self.shared.timeline.queue
    }

    /// The Vulkan queue family.
    pub fn family(&self) -> Family {
        self.shared.hardware.family
    }

    /// Runs lists.
    pub fn execute(&self, lists: Vec<Arc<Recorded>>) {
        lists.iter().for_each(|list| list.taken());
        self.shared.fifo.push(Item::Execute(lists, self.shared.graveyard.hold()));
    }

    /// Signals a fence after everything before.
    pub fn signal(&self, fence: Arc<dyn Fence>, value: u64) {
        self.shared.fifo.push(Item::Signal(fence, value));
    }

    /// Lets everything after wait for a fence.
    pub fn wait(&self, wait: Box<dyn Wait>) {
        self.shared.fifo.push(Item::Wait(wait));
    }

    /// Changes what memory a sparse resource has, after everything before.
    pub fn bind(&self, change: Box<dyn Change>) {
        self.shared.fifo.push(Item::Bind(change));
    }

    /// Shows a frame, after everything before.
    pub fn show(&self, frame: Box<dyn Frame>) {
        self.shared.fifo.push(Item::Show(frame));
    }

    /// The Vulkan queue.
    pub fn hardware(&self) -> &Arc<Hardware> {
        &self.shared.hardware
    }

    /// Blocks until Vulkan has everything that was asked before, and what new memory and images need before their first use. Others
    /// may submit to the Vulkan queue behind it.
    pub fn hand_over(&self) {
        let (answer, answered) = mpsc::channel();
        self.shared.fifo.push(Item::HandOver(answer));
        // An error says that the thread has let go of the answer: the device is lost.
        let _ = answered.recv();
    }

    /// Blocks until the GPU has done everything that was asked before.
    pub fn drain(&self) {
        let (answer, answered) = mpsc::channel();
        self.shared.fifo.push(Item::Drain(answer));
        // An error says that the thread has let go of the answer: the device is lost.
        let _ = answered.recv();
    }
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        self.stop();
    }
}

impl core::fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CommandQueue").field("id", &self.id()).finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::families::Role;
    use crate::memory::types::Wish;
    use crate::memory::{Addressing, CpuAccess, Purpose, Request, Slice};
    use crate::settings::Settings;
    use crate::{Device, Instance, adapter};
    use ash::vk;

    /// Memory that a submission has to fill first.
    fn unfilled(device: &Device) -> Slice {
        let request = Request {
            size: 1 << 16,
            alignment: 1 << 16,
            types: !0,
            wish: Wish::DEVICE,
            access: CpuAccess::None,
            purpose: Purpose::Heap { buffers: true, images: false },
            dedicated: vk::Image::null(),
            zeroed: true,
            addressing: Addressing::Program,
            gpu_writes: false,
            outside: false,
        };
        let slice = device.memory.allocate(&request).unwrap();
        assert!(device.memory.fills().is_waiting());
        slice
    }

    /// Where other queues wait for what stood in front of a submission, the lists behind it are not done yet: both would work one after the other
    /// otherwise, which no result shows. Needs a Vulkan 1.3 driver that does not say that new memory is zero (lavapipe does not).
    #[test]
    fn what_stands_in_front_of_lists_is_done_before_them() {
        let instance = Instance::shared(&Settings::default()).unwrap();
        let physical = adapter::pick(&instance).unwrap();
        let device = Device::new(instance, physical, None).unwrap();
        let queue = device.command_queue(Role::Compute).unwrap();
        // Where the queue's work ends, and where other queues wait.
        let stands = || {
            queue.drain();
            let after = device.initialisation.enter().after();
            (queue.shared.timeline.value(), after.map(|point| point.value))
        };
        let execute = || {
            let list = Recorded::new(vk::CommandBuffer::null(), Vec::new(), None, ());
            queue.execute(vec![Arc::new(list)]);
            stands()
        };
        // What the device itself has made by now.
        let (done, first) = execute();
        assert_eq!(execute(), (done + 1, first), "nothing stands in front");
        let _one = unfilled(&device);
        assert_eq!(execute(), (done + 3, Some(done + 2)));
        // Without lists behind it the front is all there is.
        let _other = unfilled(&device);
        queue.hand_over();
        assert_eq!(stands(), (done + 4, Some(done + 4)));
        assert_eq!(execute(), (done + 5, Some(done + 4)));
    }
}
