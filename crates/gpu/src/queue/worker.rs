//! The two threads of a command queue: one hands work to Vulkan, one waits for the GPU.

use core::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use ash::vk;

use crate::error::{Context, Result};
use crate::graveyard::{Graveyard, Hold};
use crate::logical::Logical;
use crate::loss::Reason;
use crate::memory::Allocation;
use crate::memory::zero::Fill;
use crate::queue::fence::Fence;
use crate::queue::fifo::{Fifo, Item, Life};
use crate::queue::frame::Order;
use crate::queue::hardware::{Hardware, Held};
use crate::queue::initialisation::{Initialisation, Taken};
use crate::queue::recorded::Recorded;
use crate::queue::timeline::{Point, Timeline};
use crate::sparse::{Batch, Change};

/// What the threads and the queue share.
pub(super) struct Shared {
    /// Whatever must outlive the queue's work.
    pub(super) _keep: Arc<dyn Any + Send + Sync>,
    pub(super) logical: Arc<Logical>,
    pub(super) initialisation: Arc<Initialisation>,
    pub(super) graveyard: Arc<Graveyard>,
    pub(super) hardware: Arc<Hardware>,
    pub(super) timeline: Arc<Timeline>,
    pub(super) fifo: Fifo,
    pub(super) life: Life,
}

/// What the waiting thread does when the timeline comes to a value.
#[derive(Debug)]
pub(super) struct Done {
    value: u64,
    what: After,
}

#[derive(Debug)]
enum After {
    Tell(Arc<dyn Fence>),
    #[allow(dead_code, reason = "held until dropped")]
    LetGo(Vec<Arc<Recorded>>, Taken, Vec<Point>, Option<Hold>),
    #[allow(dead_code, reason = "held until dropped")]
    Unmap(Batch, Vec<Point>),
    Answer(Sender<()>),
}

/// Waits for the GPU, value by value, until the submission thread is gone.
pub(super) fn wait(shared: &Shared, done: &Receiver<Done>) {
    // What holds keep goes behind the next fence, which programs wait for.
    let mut holds: Vec<Hold> = Vec::new();
    let next = |holds: &mut Vec<Hold>| {
        done.try_recv().ok().or_else(|| {
            holds.clear();
            done.recv().ok()
        })
    };
    while let Some(Done { value, what }) = next(&mut holds) {
        if let Err(error) = shared.timeline.wait(value) {
            // Whatever it was, the GPU cannot be waited for any more.
            shared.logical.loss.lose(Reason::Failed(error));
        }
        match what {
            After::Tell(fence) => {
                fence.advance();
                holds.clear();
            }
            After::LetGo(lists, taken, waits, hold) => {
                holds.clear();
                holds.extend(lists.iter().filter_map(|list| list.done(&shared.graveyard)).chain(hold));
                drop((lists, taken, waits));
            }
            held @ After::Unmap(..) => drop(held),
            After::Answer(answer) => drop(answer.send(())),
        }
    }
}

/// The submission thread's own.
pub(super) struct Submitter {
    shared: Arc<Shared>,
    done: Sender<Done>,
    /// The timeline's value at the end of the last submission.
    last: u64,
    /// What the next submission waits for.
    waits: Vec<Point>,
    pool: vk::CommandPool,
    /// Ends every submission with lists: what the GPU wrote is there for the next one and for the CPU.
    end: vk::CommandBuffer,
    /// For what stands in front of lists: buffers, and the value after which each may be recorded again.
    spare: Vec<(u64, vk::CommandBuffer)>,
    /// What the next submission does in front of its lists, or could not.
    taken: Taken,
    /// From the time when the lists were given that are submitted next.
    hold: Option<Hold>,
    /// What the device did not take, before it was removed.
    refused: Vec<Arc<Recorded>>,
    /// The turn of new memory and images that this queue stands behind.
    turn: u64,
    /// Binary semaphores that the next submission waits for and signals.
    binary: Option<[vk::Semaphore; 2]>,
}

impl Submitter {
    pub(super) fn new(shared: Arc<Shared>, done: Sender<Done>) -> Result<Submitter> {
        let vk = &shared.logical.vk;
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(shared.hardware.family.index)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the family is one of the device's.
        let pool = unsafe { vk.create_command_pool(&info, None) }.call("vkCreateCommandPool")?;
        let mut submitter = Submitter {
            done,
            last: 0,
            waits: Vec::new(),
            pool,
            end: vk::CommandBuffer::null(),
            spare: Vec::new(),
            taken: Taken::default(),
            hold: None,
            refused: Vec::new(),
            turn: 0,
            binary: None,
            shared,
        };
        submitter.end = submitter.allocate()?;
        let barrier = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS | vk::PipelineStageFlags2::HOST)
            .dst_access_mask(
                vk::AccessFlags2::MEMORY_READ
                    | vk::AccessFlags2::MEMORY_WRITE
                    | vk::AccessFlags2::HOST_READ
                    | vk::AccessFlags2::HOST_WRITE,
            )];
        let whole = vk::DependencyInfo::default().memory_barriers(&barrier);
        submitter.record(submitter.end, vk::CommandBufferUsageFlags::SIMULTANEOUS_USE, &[], &whole)?;
        Ok(submitter)
    }

    fn allocate(&self) -> Result<vk::CommandBuffer> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the pool is this thread's.
        let buffers = unsafe { self.shared.logical.vk.allocate_command_buffers(&info) };
        Ok(buffers.call("vkAllocateCommandBuffers")?[0])
    }

    /// Records fills, whose memory lives until the GPU is done, and a barrier behind them.
    fn record(
        &self,
        buffer: vk::CommandBuffer,
        usage: vk::CommandBufferUsageFlags,
        fills: &[Fill<Allocation>],
        barrier: &vk::DependencyInfo<'_>,
    ) -> Result<()> {
        let vk = &self.shared.logical.vk;
        // SAFETY: the buffer is this thread's and not in flight; the pool allows it to be begun again.
        unsafe {
            vk.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default().flags(usage))
                .call("vkBeginCommandBuffer")?;
            fills.iter().for_each(|fill| fill.record(vk, buffer));
            vk.cmd_pipeline_barrier2(buffer, barrier);
            vk.end_command_buffer(buffer).call("vkEndCommandBuffer")
        }
    }

    /// Works until it is told to stop.
    pub(super) fn run(mut self) {
        loop {
            let done = match self.shared.fifo.next() {
                Item::Execute(lists, hold) => {
                    self.hold = Some(hold);
                    let submitted = self.submit(lists);
                    // A lost device takes nothing, and reads nothing.
                    self.hold = None;
                    submitted
                }
                Item::Signal(fence, value) => self.signal(fence, value),
                Item::Wait(wait) => {
                    let life = &self.shared.life;
                    self.waits.extend(wait.resolve(&|blocked| life.blocked(blocked)));
                    Ok(())
                }
                Item::Bind(change) => self.bind(change),
                Item::Show(frame) => {
                    frame.show(&mut self);
                    Ok(())
                }
                Item::HandOver(answer) => self.settle().map(|()| answer.send(()).unwrap_or_default()),
                Item::Drain(answer) => self.flush().map(|()| self.after(self.last, After::Answer(answer))),
                Item::Stop => break,
            };
            if let Err(error) = done {
                reprise_log::error(format_args!("a command queue cannot submit: {error}"));
                self.shared.logical.loss.lose(Reason::Failed(error));
            }
        }
    }

    fn after(&self, value: u64, what: After) {
        // The other thread ends only after this one.
        let _ = self.done.send(Done { value, what });
    }

    /// Lets the timeline stand behind what was waited for last.
    fn flush(&mut self) -> Result<()> {
        if self.waits.is_empty() { Ok(()) } else { self.submit(Vec::new()) }
    }

    /// Lets the GPU have everything that was asked for: also waits, and what new memory and images need first.
    fn settle(&mut self) -> Result<()> {
        self.flush()?;
        if self.shared.initialisation.is_calm(self.turn) { Ok(()) } else { self.submit_first(Vec::new()) }
    }

    fn signal(&mut self, fence: Arc<dyn Fence>, value: u64) -> Result<()> {
        self.flush()?;
        let point = Point { timeline: self.shared.timeline.clone(), value: self.last };
        if fence.promise(value, point) {
            self.after(self.last, After::Tell(fence));
        }
        Ok(())
    }

    /// A buffer with the fills that were taken, and transitions behind them, for the front of a submission's lists.
    fn front(&mut self, images: &[vk::ImageMemoryBarrier2<'_>]) -> Result<vk::CommandBuffer> {
        let free = self.spare.iter().position(|&(until, _)| self.shared.timeline.reached(until));
        let buffer = match free {
            Some(at) => self.spare.swap_remove(at).1,
            None => self.allocate()?,
        };
        self.spare.push((self.last + 1, buffer));
        let behind = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
            .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
        let fills = &self.taken.fills;
        let behind = if fills.is_empty() { &[][..] } else { &behind[..] };
        let all = vk::DependencyInfo::default().memory_barriers(behind).image_memory_barriers(images);
        self.record(buffer, vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT, fills, &all)?;
        Ok(buffer)
    }

    /// Changes what memory sparse resources have, together with the changes that wait behind this one.
    fn bind(&mut self, change: Box<dyn Change>) -> Result<()> {
        let (mut batch, mut next) = (Batch::default(), Some(change));
        while let Some(change) = next {
            if self.shared.logical.is_lost() {
                return Ok(());
            }
            if let Some(full) = batch.take(change) {
                self.bind_batch(core::mem::replace(&mut batch, full))?;
            }
            next = self.shared.fifo.next_bind();
        }
        self.bind_batch(batch)
    }

    /// Vulkan orders changes with lists and with each other by semaphores only.
    fn bind_batch(&mut self, batch: Batch) -> Result<()> {
        if batch.is_empty() {
            return Ok(());
        }
        let own = Point { timeline: self.shared.timeline.clone(), value: self.last };
        let waits: Vec<Point> = self.waits.drain(..).chain([own]).collect();
        let (semaphores, values): (Vec<_>, Vec<_>) =
            waits.iter().map(|point| (point.timeline.semaphore, point.value)).unzip();
        let value = self.last + 1;
        let signal = (self.shared.timeline.semaphore, value);
        {
            let queue = self.shared.hardware.lock();
            // SAFETY: the queue is locked; semaphores waited for are promised by submissions that were made before; the batch
            // holds resources and memory until the waiting thread lets it go.
            unsafe { batch.submit(&self.shared.logical, *queue, (&semaphores, &values), signal)? };
        }
        self.last = value;
        self.waits.push(Point { timeline: self.shared.timeline.clone(), value });
        self.after(value, After::Unmap(batch, waits));
        Ok(())
    }

    fn submit(&mut self, lists: Vec<Arc<Recorded>>) -> Result<()> {
        if self.shared.logical.is_lost() {
            self.waits.clear();
            return Ok(());
        }
        let named = || lists.iter().flat_map(|list| &list.first_uses);
        let calm = self.shared.initialisation.is_calm(self.turn) && named().all(|image| image.is_begun());
        if lists.is_empty() || calm {
            let shared = self.shared.clone();
            return self.hand_over(lists, None, shared.hardware.lock()).map(|_| ());
        }
        self.submit_first(lists)
    }

    /// Submits lists behind first uses of memory and images: those that wait, and those that the lists name.
    fn submit_first(&mut self, lists: Vec<Arc<Recorded>>) -> Result<()> {
        if self.shared.logical.is_lost() {
            return Ok(());
        }
        let named = || lists.iter().flat_map(|list| &list.first_uses);
        let shared = self.shared.clone();
        // Before the turn: the program may have the queue for as long as it likes, and nobody may make an image while a turn lasts.
        let queue = shared.hardware.lock();
        let mut turn = shared.initialisation.enter();
        let mine = |point: &Point| Arc::ptr_eq(&point.timeline, &shared.timeline);
        self.waits.extend(turn.after().filter(|point| !mine(point) && !point.timeline.reached(point.value)));
        self.taken = turn.take();
        let images: Vec<_> = self.taken.images.iter().chain(named()).filter_map(|image| image.begin()).collect();
        let idle = images.is_empty() && self.taken.fills.is_empty();
        let front = if idle { None } else { Some(self.front(&images)?) };
        let ready = self.hand_over(lists, front, queue)?;
        self.turn = turn.end(front.map(|_| (&shared.timeline, ready)));
        Ok(())
    }

    /// Gives lists to Vulkan, behind `front`, and says where the timeline stands once the front is done. The lists and what was taken along live
    /// until the GPU is done.
    ///
    /// The front has a value of its own, because other queues wait for it: behind the lists they would never work at the same time as these.
    fn hand_over(
        &mut self,
        lists: Vec<Arc<Recorded>>,
        front: Option<vk::CommandBuffer>,
        queue: Held<'_>,
    ) -> Result<u64> {
        let end = (!lists.is_empty()).then_some(self.end);
        let info = |buffer| vk::CommandBufferSubmitInfo::default().command_buffer(buffer);
        let recorded = lists.iter().map(|list| list.buffer).filter(|buffer| *buffer != vk::CommandBuffer::null());
        let buffers: Vec<_> = recorded.chain(end).map(info).collect();
        let front: Vec<_> = front.into_iter().map(info).collect();
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let semaphore = |timeline: &Timeline, value| {
            vk::SemaphoreSubmitInfo::default().semaphore(timeline.semaphore).value(value).stage_mask(all)
        };
        let binary = self.binary.take();
        let plain = |semaphore| vk::SemaphoreSubmitInfo::default().semaphore(semaphore).stage_mask(all);
        let waits = self.waits.iter().map(|point| semaphore(&point.timeline, point.value));
        let waits: Vec<_> = waits.chain(binary.map(|[wait, _]| plain(wait))).collect();
        let ready = self.last + 1;
        // What is alone needs no second batch.
        let has_two = !front.is_empty() && !buffers.is_empty();
        let value = ready + u64::from(has_two);
        let done = [semaphore(&self.shared.timeline, value)].into_iter();
        let done: Vec<_> = done.chain(binary.map(|[_, signal]| plain(signal))).collect();
        let first = [semaphore(&self.shared.timeline, ready)];
        // What the first batch waits for, the second one is behind, too (Vulkan, "Semaphore Waiting": all that is later in submission order).
        let mut batches = Vec::with_capacity(2);
        if has_two {
            let batch = vk::SubmitInfo2::default().command_buffer_infos(&front).wait_semaphore_infos(&waits);
            batches.push(batch.signal_semaphore_infos(&first));
            batches.push(vk::SubmitInfo2::default().command_buffer_infos(&buffers).signal_semaphore_infos(&done));
        } else {
            let all = if front.is_empty() { &buffers } else { &front };
            let batch = vk::SubmitInfo2::default().command_buffer_infos(all).wait_semaphore_infos(&waits);
            batches.push(batch.signal_semaphore_infos(&done));
        }
        // SAFETY: the queue is locked; buffers live until the value below is reached; semaphores waited for are promised by
        // submissions that were made before.
        let result = unsafe { self.shared.logical.vk.queue_submit2(*queue, &batches, vk::Fence::null()) };
        drop(queue);
        if let Err(error) = self.shared.logical.check("vkQueueSubmit2", result) {
            // Not to be let go here: destructors come to the turn that the caller has.
            self.refused.extend(lists);
            return Err(error);
        }
        self.last = value;
        let until = |list: &Arc<Recorded>| list.submitted(Point { timeline: self.shared.timeline.clone(), value });
        lists.iter().for_each(until);
        // Semaphores waited for are held by `waits` until the GPU has come past them.
        let waited = core::mem::take(&mut self.waits);
        let taken = core::mem::take(&mut self.taken);
        let hold = self.hold.take();
        self.after(value, After::LetGo(lists, taken, waited, hold));
        Ok(ready)
    }
}

impl Order for Submitter {
    fn submit(&mut self, work: Arc<Recorded>, semaphores: [vk::Semaphore; 2]) -> Result<Option<Point>> {
        if self.shared.logical.is_lost() {
            return Ok(None);
        }
        self.binary = Some(semaphores);
        let submitted = Submitter::submit(self, vec![work]);
        self.binary = None;
        submitted.map(|()| Some(Point { timeline: self.shared.timeline.clone(), value: self.last }))
    }

    fn tell(&mut self, fence: Arc<dyn Fence>) {
        if let Err(error) = self.flush() {
            reprise_log::error(format_args!("a command queue cannot submit: {error}"));
            self.shared.logical.loss.lose(Reason::Failed(error));
        }
        self.after(self.last, After::Tell(fence));
    }
}

impl Drop for Submitter {
    fn drop(&mut self) {
        // A wait fails only on a lost device, whose objects may be destroyed.
        let _ = self.shared.timeline.wait(self.last);
        // SAFETY: nothing of the pool is in flight.
        unsafe { self.shared.logical.vk.destroy_command_pool(self.pool, None) };
        self.shared.life.end();
    }
}
