//! Stamps lists while they are recorded, and reads what submissions wrote.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;
use reprise_d3d12::{interface, method};

use super::plan::Plan;
use super::stamps::{Pool, Stamps};
use crate::call::open_call::Enter;
use crate::context::Context;
use crate::lists::barrier::wait_for_all;
use crate::report::timing::{TimeWish, TimedList, TimedSubmission, TimingReport};
use crate::runtime::fence::{self, REMOVED, Waited};
use crate::runtime::{reference, replay_objects};
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";
const RESET: MethodId = method(LIST, "Reset");
const CLOSE: MethodId = method(LIST, "Close");
const PREDICATE: MethodId = method(LIST, "SetPredication");
const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");

/// One recording of a list.
struct Recording {
    stamps: Stamps,
    /// Operations that have a stamp at their end; where lists are timed as one, the last alone counts.
    calls: Vec<u64>,
    predicated: bool,
    in_pass: bool,
    /// Why it has no times.
    failed: Option<String>,
}

type Shared = Rc<RefCell<Recording>>;

/// A submission whose times are not read yet.
struct Pending {
    call: u64,
    frame: u64,
    lists: Vec<(u32, Shared)>,
    /// Of the queue's own fence, behind it.
    value: u64,
}

/// What a queue was given.
struct Queue {
    /// Replay's own; it lives until the process ends, because the queue may signal it until then.
    fence: u64,
    submissions: u64,
    /// Nanoseconds of a tick.
    tick: f64,
    pending: VecDeque<Pending>,
}

/// Times the operations of a plan.
pub(crate) struct Timer {
    wish: TimeWish,
    plan: Plan,
    timeout: Duration,
    pool: Pool,
    /// The recordings of lists, also of those that are closed.
    lists: HashMap<u32, Shared>,
    queues: BTreeMap<u32, Queue>,
    report: TimingReport,
}

impl Timer {
    pub(crate) fn new(wish: TimeWish, plan: Plan, timeout: Duration) -> Self {
        let (pool, report) = (Pool::default(), TimingReport::default());
        Self { wish, plan, timeout, pool, lists: HashMap::new(), queues: BTreeMap::new(), report }
    }

    /// A call is made next.
    pub(crate) fn before(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        let (list, world) = (enter.event.object, &mut context.world);
        match enter.id() {
            RESET => self.forget(list),
            EXECUTE => {
                let lists = enter.submitted(&context.codec);
                self.before_submission(&mut context.world, &lists);
            }
            CLOSE => self.close(world, list),
            PREDICATE => self.of(list, |recording| recording.predicated = true),
            _ if self.plan.operations.contains_key(&enter.place.call) => {
                if let Err(reason) = self.begin(world, list) {
                    self.fail(list, reason);
                }
            }
            _ => {}
        }
        match enter.method.name {
            "BeginRenderPass" => self.of(list, |recording| recording.in_pass = true),
            "EndRenderPass" => self.of(list, |recording| recording.in_pass = false),
            _ => {}
        }
    }

    /// A call was made.
    pub(crate) fn after(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        let call = enter.place.call;
        if self.plan.operations.contains_key(&call) {
            if let Err(reason) = self.end(&mut context.world, enter.event.object, call) {
                self.fail(enter.event.object, reason);
            }
        } else if let Some(frame) = self.plan.submissions.get(&call).copied() {
            let lists = enter.submitted(&context.codec);
            if let Err(reason) = self.submitted(&mut context.world, enter.event.object, (call, frame), &lists) {
                self.report.untimed.entry(reason).or_default().push(call);
            }
        }
    }

    fn of(&self, list: u32, change: impl FnOnce(&mut Recording)) {
        if let Some(recording) = self.lists.get(&list) {
            change(&mut recording.borrow_mut());
        }
    }

    fn fail(&self, list: u32, reason: String) {
        self.of(list, |recording| _ = recording.failed.get_or_insert(reason));
    }

    /// A list is recorded anew.
    fn forget(&mut self, list: u32) {
        let recording = self.lists.remove(&list);
        self.give_back(recording);
    }

    fn give_back(&mut self, recording: Option<Shared>) {
        if let Some(recording) = recording.and_then(Rc::into_inner) {
            self.pool.give_back(recording.into_inner().stamps);
        }
    }

    /// Before an operation: the first one has a stamp there.
    fn begin(&mut self, world: &mut World, list: u32) -> Result<(), String> {
        let pointer = world.pointer(list, interface(LIST))?;
        let runtime = &world.runtime;
        if let Some(recording) = self.lists.get(&list) {
            let recording = recording.borrow();
            if self.wish.serial && !recording.in_pass {
                // SAFETY: the list is alive and recording: the program records an operation next, outside of a render pass.
                unsafe { wait_for_all(runtime, pointer) };
            }
            return Ok(());
        }
        let device = reference::device_of(runtime, pointer)?;
        // SAFETY: the list is alive; there are no arguments.
        let kind = unsafe { runtime.call(pointer, method("ID3D12CommandList", "GetType"), &[]) } as i32;
        let mut stamps = Stamps::new(device.pointer(), kind == D3D12_COMMAND_LIST_TYPE::COPY.0);
        // SAFETY: as above: the program records an operation next.
        let failed = unsafe { stamps.stamp(&mut self.pool, runtime, pointer) }.err();
        let recording = Recording { stamps, calls: Vec::new(), predicated: false, in_pass: false, failed };
        self.lists.insert(list, Rc::new(RefCell::new(recording)));
        Ok(())
    }

    /// After an operation.
    fn end(&mut self, world: &mut World, list: u32, call: u64) -> Result<(), String> {
        let Some(recording) = self.lists.get(&list) else { return Ok(()) };
        let mut recording = recording.borrow_mut();
        recording.calls.push(call);
        if !self.wish.operations || recording.failed.is_some() {
            return Ok(());
        }
        let pointer = world.pointer(list, interface(LIST))?;
        // SAFETY: the list is alive and recording: the program has recorded an operation just now.
        unsafe { recording.stamps.stamp(&mut self.pool, &world.runtime, pointer) }
    }

    /// The program closes a list next.
    fn close(&mut self, world: &mut World, list: u32) {
        let Some(recording) = self.lists.get(&list) else { return };
        let mut recording = recording.borrow_mut();
        if recording.failed.is_some() {
            return;
        }
        let Ok(pointer) = world.pointer(list, interface(LIST)) else { return };
        let runtime = &world.runtime;
        if !self.wish.operations {
            // SAFETY: the list is alive and recording: the program closes it next.
            recording.failed = unsafe { recording.stamps.stamp(&mut self.pool, runtime, pointer) }.err();
        }
        // SAFETY: as above; a list cannot be closed in a render pass, and what it predicated ends with it.
        unsafe {
            if recording.predicated {
                runtime.call(pointer, PREDICATE, &[0, 0, 0]);
            }
            recording.stamps.resolve(runtime, pointer);
        }
    }

    /// A submission would write over the times of the last one with the same list: they are read first.
    fn before_submission(&mut self, world: &mut World, lists: &[u32]) {
        let again = |pending: &Pending| pending.lists.iter().any(|(list, _)| lists.contains(list));
        let queues: Vec<u32> =
            self.queues.iter().filter(|(_, queue)| queue.pending.iter().any(again)).map(|(id, _)| *id).collect();
        queues.into_iter().for_each(|queue| self.collect(world, queue, self.timeout));
    }

    fn submitted(
        &mut self,
        world: &mut World,
        id: u32,
        (call, frame): (u64, u64),
        lists: &[u32],
    ) -> Result<(), String> {
        const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
        let mut stamped = Vec::new();
        for list in lists {
            let Some(recording) = self.lists.get(list) else { continue };
            if let Some(reason) = &recording.borrow().failed {
                return Err(reason.clone());
            }
            stamped.push((*list, recording.clone()));
        }
        let pointer = world.pointer(id, interface("ID3D12CommandQueue"))?;
        let queue = match self.queues.entry(id) {
            Entry::Occupied(queue) => queue.into_mut(),
            Entry::Vacant(place) => place.insert(Queue::new(world, pointer)?),
        };
        queue.submissions += 1;
        // SAFETY: queue and fence are alive.
        unsafe { world.runtime.call(pointer, SIGNAL, &[queue.fence, queue.submissions]) };
        queue.pending.push_back(Pending { call, frame, lists: stamped, value: queue.submissions });
        self.collect(world, id, Duration::ZERO);
        Ok(())
    }

    /// Reads the times of submissions that are done, or will be within the time.
    fn collect(&mut self, world: &mut World, id: u32, timeout: Duration) {
        loop {
            let Some(queue) = self.queues.get_mut(&id) else { return };
            let Some(next) = queue.pending.front() else { return };
            let reached = fence::completed(&world.runtime, queue.fence);
            if reached < next.value {
                let waited = !timeout.is_zero()
                    && matches!(fence::wait(&world.runtime, queue.fence, next.value, timeout), Waited::Reached);
                if !waited {
                    return;
                }
            }
            let tick = queue.tick;
            let Some(done) = queue.pending.pop_front() else { return };
            let times = match reached {
                REMOVED => Err("the device was removed".to_owned()),
                _ => timed(world, &done, tick, self.wish.operations),
            };
            match times {
                Ok(lists) => {
                    let submission = TimedSubmission { call: done.call, frame: done.frame, queue: id, lists };
                    self.report.submissions.push(submission);
                }
                Err(reason) => self.report.untimed.entry(reason).or_default().push(done.call),
            }
            done.lists.into_iter().for_each(|(_, recording)| self.give_back(Some(recording)));
        }
    }

    /// No more calls are made: gives what was timed.
    pub(crate) fn finish(mut self, world: &mut World) -> TimingReport {
        let queues: Vec<u32> = self.queues.keys().copied().collect();
        queues.into_iter().for_each(|queue| self.collect(world, queue, self.timeout));
        for pending in self.queues.values().flat_map(|queue| &queue.pending) {
            let reason = "the queue did not finish; raise --fence-timeout if the device is slow".to_owned();
            self.report.untimed.entry(reason).or_default().push(pending.call);
        }
        self.report.submissions.sort_by_key(|submission| submission.call);
        self.report.operations = self.plan.operations;
        self.report
    }
}

impl Queue {
    fn new(world: &World, pointer: u64) -> Result<Self, String> {
        const FREQUENCY: MethodId = method("ID3D12CommandQueue", "GetTimestampFrequency");
        let runtime = &world.runtime;
        let mut frequency = 0u64;
        // SAFETY: the queue is alive; the out pointer is ours.
        let result = unsafe { runtime.call(pointer, FREQUENCY, &[core::ptr::from_mut(&mut frequency) as u64]) } as i32;
        if result < 0 || frequency == 0 {
            return Err("the queue has no clock".into());
        }
        let device = reference::device_of(runtime, pointer)?;
        let fence = replay_objects::fence(runtime, device.pointer())?.into_pointer();
        Ok(Self { fence, submissions: 0, tick: 1e9 / frequency as f64, pending: VecDeque::new() })
    }
}

/// The times of a submission that is done.
fn timed(world: &World, done: &Pending, tick: f64, operations: bool) -> Result<Vec<TimedList>, String> {
    let times = |(list, recording): &(u32, Shared)| {
        let recording = recording.borrow();
        let ticks = recording.stamps.read(&world.runtime)?;
        let (Some(first), Some(last)) = (ticks.first(), ticks.last()) else {
            return Err("a list without times".into());
        };
        let between = ticks.windows(2).map(|pair| since(pair[0], pair[1]) as f64 * tick);
        let all = recording.calls.iter().copied().zip(between);
        Ok(TimedList {
            list: *list,
            begin: *first as f64 * tick,
            duration: since(*first, *last) as f64 * tick,
            operations: if operations { all.collect() } else { Vec::new() },
        })
    };
    done.lists.iter().map(times).collect()
}

/// Ticks from one stamp to a later one. Clocks of some devices step back by a little between processors of the GPU: that is no time.
fn since(from: u64, to: u64) -> u64 {
    to.saturating_sub(from)
}
