//! Stamps lists while they are recorded, and reads what submissions wrote.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::mem::take;
use std::rc::Rc;
use std::time::{Duration, Instant};

use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{Operation, of_number};
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE, D3D12_QUERY_TYPE};
use reprise_d3d12::{interface, method};
use reprise_times::{CountedList, CountedSubmission, List, Passes, Submission, TimedPass};

use super::clock::Clock;
use super::counter::Counter;
use super::driver::DriverCounter;
use super::plan::Plan;
use super::queries::{Pool, Queries, What};
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::lists::barrier::wait_for_all;
use crate::report::timing::{DriverList, DriverSubmission, TimeKind, TimeWish, TimedRound, TimingReport};
use crate::runtime::clock as spent_clock;
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
    measures: Measures,
    /// Operations that have a stamp at their end; where lists are timed as one, the last alone counts.
    calls: Vec<u64>,
    /// Passes, where these are timed: each has a stamp at its end.
    passes: Vec<TimedPass>,
    begins: Passes,
    /// There is a stamp behind the last pass already, and the next operation begins another one.
    is_apart: bool,
    predicated: bool,
    in_pass: bool,
    /// Why it has no times.
    failed: Option<String>,
}

/// What stands between operations.
enum Measures {
    Stamps(Queries),
    Counts(Counter),
    Driver(DriverCounter),
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
    /// Its clock beside the CPU's, where the library can tell.
    clock: Option<Clock>,
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
    /// When the replay began to time.
    epoch: Instant,
    /// How long the CPU was in the runtime when the call that is made began.
    before: Duration,
    /// How long it was in calls that recorded a list, in nanoseconds.
    recorded: HashMap<u32, f64>,
    report: TimingReport,
}

impl Timer {
    pub(crate) fn new(wish: TimeWish, plan: Plan, timeout: Duration) -> Self {
        let (pool, report) = (Pool::default(), TimingReport::default());
        spent_clock::begin();
        Self {
            wish,
            plan,
            timeout,
            pool,
            lists: HashMap::new(),
            queues: BTreeMap::new(),
            epoch: Instant::now(),
            before: Duration::ZERO,
            recorded: HashMap::new(),
            report,
        }
    }

    /// A call is made next.
    pub(crate) fn before(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        let (list, world) = (enter.event.object, &mut context.world);
        match enter.id() {
            EXECUTE => {
                let lists = enter.submitted(&context.codec);
                self.before_submission(&mut context.world, &lists);
            }
            CLOSE => self.close(world, list),
            PREDICATE => self.of(list, |recording| recording.predicated = true),
            _ if self.plan.operations.contains_key(&enter.place.call) => {
                if let Err(reason) = self.begin(world, list, enter.place.call) {
                    self.fail(list, reason);
                }
            }
            _ => {}
        }
        if self.wish.what == TimeKind::Counts && matches!(enter.method.name, "BeginQuery" | "EndQuery") {
            self.program_counts(&mut context.world, enter);
        }
        match enter.method.name {
            "BeginRenderPass" => {
                // What the pass clears at its beginning is its own.
                if let Err(reason) = self.part(&mut context.world, list) {
                    self.fail(list, reason);
                }
                self.of(list, |recording| recording.in_pass = true);
            }
            "EndRenderPass" => self.of(list, |recording| recording.in_pass = false),
            _ => {}
        }
        self.before = spent_clock::spent();
    }

    /// A call was made, and its result is there: a list whose reset fails keeps what it has.
    pub(crate) fn made(&mut self, call: &OpenCall) {
        let succeeded = call.called.as_ref().is_some_and(|called| called.result as u32 as i32 >= 0);
        if call.method == RESET && succeeded {
            self.forget(call.object);
            self.recorded.remove(&call.object);
        }
    }

    /// Counts how long the CPU was in the call that was made.
    fn count_cpu(&mut self, enter: Enter<'_, '_>) {
        let spent = spent_clock::spent().saturating_sub(self.before).as_nanos() as f64;
        let (call, object) = (enter.place.call, enter.event.object);
        let frame = enter.place.frame;
        if (self.wish.frames.0..=self.wish.frames.1).contains(&frame) {
            *self.report.cpu.frames.entry(frame).or_default() += spent;
        }
        if self.plan.operations.contains_key(&call) || self.plan.submissions.contains_key(&call) {
            self.report.cpu.calls.insert(call, spent);
        }
        if enter.method.interface.is_some_and(|interface| interface.get().name.starts_with(LIST)) {
            *self.recorded.entry(object).or_default() += spent;
        }
    }

    /// A pass begins whatever comes next: there is a stamp behind the last one.
    fn part(&mut self, world: &mut World, list: u32) -> Result<(), String> {
        let Some(recording) = self.lists.get(&list).filter(|_| self.wish.what == TimeKind::Passes) else {
            return Ok(());
        };
        let mut recording = recording.borrow_mut();
        if recording.in_pass || recording.is_apart || recording.failed.is_some() || recording.passes.is_empty() {
            return Ok(());
        }
        recording.is_apart = true;
        let pointer = world.pointer(list, interface(LIST))?;
        let Measures::Stamps(stamps) = &mut recording.measures else { return Ok(()) };
        // SAFETY: the list is alive and recording: the program begins a render pass next.
        unsafe { stamps.end(&mut self.pool, &world.runtime, pointer) }
    }

    /// A call was made.
    pub(crate) fn after(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        self.count_cpu(enter);
        let call = enter.place.call;
        if self.plan.operations.contains_key(&call) {
            if let Err(reason) = self.end(&mut context.world, enter.event.object, call) {
                self.fail(enter.event.object, reason);
            }
        } else if let Some(frame) = self.plan.submissions.get(&call).copied() {
            let lists = enter.submitted(&context.codec);
            if let Err(reason) = self.submitted(&mut context.world, enter.event.object, (call, frame), &lists) {
                self.missing(reason, call);
            }
        }
    }

    /// A submission has no times, or no counts.
    fn missing(&mut self, reason: String, call: u64) {
        let counts = self.wish.what.counts();
        let report = &mut self.report;
        let missing = if counts { &mut report.counted.uncounted } else { &mut report.untimed };
        missing.entry(reason).or_default().push(call);
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
            match recording.into_inner().measures {
                Measures::Stamps(stamps) => self.pool.give_back(stamps),
                Measures::Counts(counter) => counter.give_back(&mut self.pool),
                Measures::Driver(counter) => counter.give_back(&mut self.pool),
            }
        }
    }

    /// The program's own query begins or ends in a list.
    fn program_counts(&mut self, world: &mut World, enter: Enter<'_, '_>) {
        let (list, begins) = (enter.event.object, enter.method.name == "BeginQuery");
        let kind = D3D12_QUERY_TYPE(enter.number("Type").unwrap_or(u64::MAX) as i32);
        let known = self.lists.get(&list).cloned();
        let recording = if begins { self.recording(world, list).ok() } else { known };
        if let Some(recording) = recording
            && let Measures::Counts(counter) = &mut recording.borrow_mut().measures
        {
            counter.program_asks(begins, kind);
        }
    }

    /// The recording of a list, made where there is none.
    fn recording(&mut self, world: &mut World, list: u32) -> Result<Shared, String> {
        if let Some(recording) = self.lists.get(&list) {
            return Ok(recording.clone());
        }
        let pointer = world.pointer(list, interface(LIST))?;
        let runtime = &world.runtime;
        let device = reference::device_of(runtime, pointer)?;
        // SAFETY: the list is alive; there are no arguments.
        let kind = unsafe { runtime.call(pointer, method("ID3D12CommandList", "GetType"), &[]) } as i32;
        let copies = kind == D3D12_COMMAND_LIST_TYPE::COPY.0;
        let (failed, measures) = match self.wish.what {
            TimeKind::Counts => {
                let counts = kind == D3D12_COMMAND_LIST_TYPE::DIRECT.0;
                (None, Measures::Counts(Counter::new(device.pointer(), counts)))
            }
            TimeKind::Driver => {
                let counts = kind == D3D12_COMMAND_LIST_TYPE::DIRECT.0;
                (None, Measures::Driver(DriverCounter::new(device.pointer(), counts)))
            }
            // Shaders are asked for without a timer.
            TimeKind::Operations | TimeKind::Passes | TimeKind::Lists | TimeKind::Shaders => {
                let what = if copies { What::CopyStamp } else { What::Stamp };
                let mut stamps = Queries::new(device.pointer(), what);
                // SAFETY: the pointer is the list's, which is alive; the list is recording, and the program records an operation next.
                let failed = unsafe { stamps.end(&mut self.pool, runtime, pointer) }.err();
                (failed, Measures::Stamps(stamps))
            }
        };
        let recording = Recording {
            measures,
            calls: Vec::new(),
            passes: Vec::new(),
            begins: Passes::default(),
            is_apart: false,
            predicated: false,
            in_pass: false,
            failed,
        };
        let recording = Rc::new(RefCell::new(recording));
        self.lists.insert(list, recording.clone());
        Ok(recording)
    }

    /// Before an operation: the first one has a stamp there, or counting begins.
    fn begin(&mut self, world: &mut World, list: u32, call: u64) -> Result<(), String> {
        let is_first = !self.lists.contains_key(&list);
        let recording = self.recording(world, list)?;
        let mut recording = recording.borrow_mut();
        let pointer = world.pointer(list, interface(LIST))?;
        let runtime = &world.runtime;
        let in_pass = recording.in_pass;
        if self.wish.what == TimeKind::Passes {
            let operation = self.plan.operations.get(&call);
            let kind = operation.and_then(|operation| of_number(operation.method.0));
            let begins = recording.begins.begins(kind, operation.map_or(0, |operation| operation.targets)).is_some();
            let is_apart = std::mem::take(&mut recording.is_apart);
            if begins || is_apart {
                let has_stamp = is_apart || recording.passes.is_empty();
                recording.passes.push(TimedPass { first: call, last: call, operations: 0, duration: 0.0 });
                if let (false, Measures::Stamps(stamps)) = (has_stamp, &mut recording.measures) {
                    // SAFETY: the list is alive and recording: the program records an operation next.
                    unsafe { stamps.end(&mut self.pool, runtime, pointer) }?;
                }
            }
            return Ok(());
        }
        match &mut recording.measures {
            Measures::Stamps(_) if self.wish.serial && !in_pass && !is_first => {
                // SAFETY: the list is alive and recording: the program records an operation next, outside of a render pass.
                unsafe { wait_for_all(runtime, pointer) };
            }
            Measures::Stamps(_) => {}
            Measures::Driver(counter) => {
                let method = self.plan.operations.get(&call).map(|operation| operation.method);
                // SAFETY: the list is alive and recording: the program records an operation next.
                unsafe { counter.begin(&mut self.pool, runtime, pointer, method) }?;
            }
            Measures::Counts(counter) => {
                let method = self.plan.operations.get(&call).map(|operation| operation.method);
                // SAFETY: the list is alive and recording: the program records an operation next.
                unsafe { counter.begin(&mut self.pool, runtime, pointer, method) }?;
            }
        }
        Ok(())
    }

    /// After an operation.
    fn end(&mut self, world: &mut World, list: u32, call: u64) -> Result<(), String> {
        let Some(recording) = self.lists.get(&list) else { return Ok(()) };
        let mut recording = recording.borrow_mut();
        recording.calls.push(call);
        if let Some(pass) = recording.passes.last_mut() {
            (pass.last, pass.operations) = (call, pass.operations + 1);
        }
        if matches!(self.wish.what, TimeKind::Lists | TimeKind::Passes) || recording.failed.is_some() {
            return Ok(());
        }
        let pointer = world.pointer(list, interface(LIST))?;
        match &mut recording.measures {
            // SAFETY: the list is alive and recording: the program has recorded an operation just now.
            Measures::Stamps(stamps) => unsafe { stamps.end(&mut self.pool, &world.runtime, pointer) },
            // SAFETY: the list is alive and recording, behind the operation that it has recorded just now.
            Measures::Driver(counter) => unsafe { counter.end(&mut self.pool, &world.runtime, pointer) },
            Measures::Counts(counter) => {
                // SAFETY: the list is alive and recording, behind the operation that it has recorded just now.
                let reason = unsafe { counter.end(&mut self.pool, &world.runtime, pointer) }?;
                if let Some(reason) = reason {
                    let calls = self.report.counted.uncounted.entry(reason.to_owned()).or_default();
                    calls.push(call);
                }
                Ok(())
            }
        }
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
        let predicated = recording.predicated;
        // A render pass that goes on has its end in another list, and the stamp before it is there.
        let is_apart = recording.is_apart;
        let mut failed = None;
        // SAFETY: the list is alive and recording: the program closes it next. A list cannot be closed in a render pass, and what it
        // predicated ends with it.
        unsafe {
            match &mut recording.measures {
                Measures::Stamps(stamps) => {
                    if self.wish.what == TimeKind::Lists || (self.wish.what == TimeKind::Passes && !is_apart) {
                        failed = stamps.end(&mut self.pool, runtime, pointer).err();
                    }
                    if predicated {
                        runtime.call(pointer, PREDICATE, &[0, 0, 0]);
                    }
                    stamps.resolve(runtime, pointer);
                }
                // Its results are read when the work is done.
                Measures::Driver(_) => {}
                Measures::Counts(counter) => {
                    if predicated {
                        runtime.call(pointer, PREDICATE, &[0, 0, 0]);
                    }
                    counter.resolve(runtime, pointer);
                }
            }
        }
        recording.failed = failed;
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
            Entry::Vacant(place) => place.insert(Queue::new(world, pointer, self.epoch, !self.wish.what.counts())?),
        };
        for (list, _) in &stamped {
            if let Some(spent) = self.recorded.remove(list) {
                self.report.cpu.lists.push((call, *list, spent));
            }
        }
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
            let (tick, clock) = (queue.tick, queue.clock);
            let Some(done) = queue.pending.pop_front() else { return };
            let (call, frame) = (done.call, done.frame);
            let counts = self.wish.what == TimeKind::Counts;
            let read = match reached {
                REMOVED => Err("the device was removed".to_owned()),
                _ if self.wish.what == TimeKind::Driver => driven(world, &done).map(|(lists, lacking)| {
                    for (reason, call) in lacking {
                        self.report.counted.uncounted.entry(reason.to_owned()).or_default().push(call);
                    }
                    self.report.driver.push(DriverSubmission { call, frame, queue: id, lists });
                }),
                _ if counts => counted(world, &done).map(|lists| {
                    let submission = CountedSubmission { call, frame, queue: id, lists };
                    self.report.counted.submissions.push(submission);
                }),
                _ => timed(world, &done, (tick, clock.as_ref()), self.wish.what)
                    .map(|lists| self.report.submissions.push(Submission { call, frame, queue: id, lists })),
            };
            if let Err(reason) = read {
                self.missing(reason, call);
            }
            done.lists.into_iter().for_each(|(_, recording)| self.give_back(Some(recording)));
        }
    }

    /// Brings the beginnings of lists onto the clock that all queues share.
    fn place(&mut self, world: &mut World) {
        let mut shared = HashMap::new();
        for (id, queue) in &self.queues {
            let Some(clock) = queue.clock else { continue };
            let pointer = world.pointer(*id, interface("ID3D12CommandQueue")).ok();
            // SAFETY: the world has the queue, so it is alive.
            shared.insert(*id, unsafe { clock.shared(&world.runtime, pointer, self.epoch) });
        }
        for submission in &mut self.report.submissions {
            let shared = shared.get(&submission.queue);
            for list in &mut submission.lists {
                list.at = list.at.zip(shared).map(|(at, shared)| shared.at(at));
            }
        }
    }

    /// A round of frames that are repeated is over, its work is done, and the objects that it made are gone: its times stand by themselves.
    pub(crate) fn end_round(&mut self, world: &mut World) {
        self.collect_all(world);
        self.place(world);
        self.report.submissions.sort_by_key(|submission| submission.call);
        let TimingReport { submissions, untimed, cpu, rounds, .. } = &mut self.report;
        let round = TimedRound { submissions: take(submissions), untimed: take(untimed), cpu: take(cpu) };
        rounds.push(round);
        // The next round makes them anew, under the same ids.
        let mut is_gone = |id: &u32, kind: &str| world.pointer(*id, interface(kind)).is_err();
        self.queues.retain(|id, _| !is_gone(id, "ID3D12CommandQueue"));
        let lists: Vec<u32> = self.lists.keys().copied().filter(|id| is_gone(id, LIST)).collect();
        lists.into_iter().for_each(|list| self.forget(list));
    }

    /// Reads the times of all submissions that are done, or will be within the time; those of others are missing.
    fn collect_all(&mut self, world: &mut World) {
        let queues: Vec<u32> = self.queues.keys().copied().collect();
        queues.into_iter().for_each(|queue| self.collect(world, queue, self.timeout));
        let left = self.queues.values_mut().flat_map(|queue| queue.pending.drain(..)).map(|pending| pending.call);
        for call in left.collect::<Vec<_>>() {
            self.missing("the queue did not finish; raise --fence-timeout if the device is slow".to_owned(), call);
        }
    }

    /// No more calls are made: gives what was timed.
    pub(crate) fn finish(mut self, world: &mut World) -> TimingReport {
        spent_clock::end();
        self.collect_all(world);
        self.place(world);
        self.report.counted.submissions.sort_by_key(|submission| submission.call);
        self.report.driver.sort_by_key(|submission| submission.call);
        self.report.submissions.sort_by_key(|submission| submission.call);
        if self.wish.what == TimeKind::Counts {
            let unknown = self.plan.operations.iter().filter(|(_, one)| match of_number(one.method.0) {
                Some(Operation::Copy) => one.copied.is_none(),
                Some(Operation::Clear) => one.cleared.is_none(),
                _ => false,
            });
            let mut calls: Vec<u64> = unknown.map(|(call, _)| *call).collect();
            calls.sort_unstable();
            if !calls.is_empty() {
                self.report
                    .counted
                    .uncounted
                    .insert("the trace does not say how many bytes they write".to_owned(), calls);
            }
        }
        self.report.operations = self.plan.operations;
        self.report
    }
}

impl Queue {
    /// Counters need no clock, which copy queues of some devices lack.
    fn new(world: &World, pointer: u64, epoch: Instant, times: bool) -> Result<Self, String> {
        const FREQUENCY: MethodId = method("ID3D12CommandQueue", "GetTimestampFrequency");
        let runtime = &world.runtime;
        let mut frequency = 0u64;
        // SAFETY: the queue is alive; the out pointer is ours.
        let result = unsafe { runtime.call(pointer, FREQUENCY, &[core::ptr::from_mut(&mut frequency) as u64]) } as i32;
        if times && (result < 0 || frequency == 0) {
            return Err("the queue has no clock".into());
        }
        let device = reference::device_of(runtime, pointer)?;
        let fence = replay_objects::fence(runtime, device.pointer())?.into_pointer();
        let tick = 1e9 / frequency as f64;
        // SAFETY: the queue is alive.
        let clock = if times { unsafe { Clock::new(runtime, pointer, tick, epoch) } } else { None };
        Ok(Self { fence, submissions: 0, tick, clock, pending: VecDeque::new() })
    }
}

/// The times of a submission that is done. Lists begin so many nanoseconds after the queue's clock was first read.
fn timed(
    world: &World,
    done: &Pending,
    (tick, clock): (f64, Option<&Clock>),
    what: TimeKind,
) -> Result<Vec<List>, String> {
    let times = |(list, recording): &(u32, Shared)| {
        let recording = recording.borrow();
        let Measures::Stamps(stamps) = &recording.measures else { return Err("a list without times".into()) };
        let ticks = stamps.read(&world.runtime)?;
        let (Some(first), Some(last)) = (ticks.first(), ticks.last()) else {
            return Err("a list without times".into());
        };
        let between = || ticks.windows(2).map(|pair| since(pair[0], pair[1]) as f64 * tick);
        let operations = match what {
            TimeKind::Operations => recording.calls.iter().copied().zip(between()).collect(),
            _ => Vec::new(),
        };
        let timed = |(pass, duration): (&TimedPass, f64)| TimedPass { duration, ..*pass };
        let passes = recording.passes.iter().zip(between()).map(timed).collect();
        Ok(List {
            list: *list,
            at: clock.map(|clock| clock.since_first(*first)),
            duration: since(*first, *last) as f64 * tick,
            operations,
            passes,
        })
    };
    done.lists.iter().map(times).collect()
}

/// What the driver counted in the lists of a submission, and what it did not count: why, and the call.
type Driven = (Vec<DriverList>, Vec<(&'static str, u64)>);

/// What the driver counted in a submission that is done.
fn driven(world: &World, done: &Pending) -> Result<Driven, String> {
    let (mut lists, mut lacking) = Driven::default();
    for (list, recording) in &done.lists {
        let recording = recording.borrow();
        let Measures::Driver(counter) = &recording.measures else { return Err("a list without counts".into()) };
        let results = recording.calls.iter().copied().zip(counter.read(&world.runtime)?);
        let mut counted = Vec::new();
        for (call, result) in results {
            match result {
                Ok(words) => counted.push((call, words)),
                Err(reason) => lacking.push((reason, call)),
            }
        }
        lists.push((*list, counted));
    }
    Ok((lists, lacking))
}

/// The counts of a submission that is done.
fn counted(world: &World, done: &Pending) -> Result<Vec<CountedList>, String> {
    let counts = |(list, recording): &(u32, Shared)| {
        let recording = recording.borrow();
        let Measures::Counts(counter) = &recording.measures else { return Err("a list without counts".into()) };
        let counts = counter.read(&world.runtime)?;
        Ok((*list, recording.calls.iter().copied().zip(counts).collect()))
    };
    done.lists.iter().map(counts).collect()
}

/// Ticks from one stamp to a later one. Clocks of some devices step back by a little between processors of the GPU: that is no time.
fn since(from: u64, to: u64) -> u64 {
    to.saturating_sub(from)
}
