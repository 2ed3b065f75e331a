//! `--diagnose`: the operation at which the GPU stopped, as a call of the trace.
//!
//! Before and after every operation of a list, replay records a `WriteBufferImmediate` of its own. MARKER_IN writes the operation's number
//! once the GPU comes to it, MARKER_OUT once it and all before it are done ([`markers`]). Behind each submission the queue signals a fence
//! of replay's own. When a wait expires or the device is lost, what was written tells how far each queue is.
//! Invariant: the program's calls are made as without markers, and a bundle counts as one operation of the list that runs it. Where a
//! recording has no markers the report says so.

mod markers;
mod page_fault;
mod queue;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::is_operation;
use reprise_d3d12::{interface, method};

use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Place;
use crate::hresult::HresultName;
use crate::lists::barrier::wait_for_all;
use crate::report::diagnosis::{Diagnosis, Operation, Progress, Recorded, Standing};
use crate::resolve::freed::Freed;
use crate::runtime::reference;
use crate::world::World;

use markers::{Markers, Pair, Word};
use queue::Queue;

/// Operations that a report lists before the first one that is not done, and behind the last one that was reached.
const AROUND: usize = 2;
/// Operations that a report lists of one list.
const MOST: usize = 24;

/// One recording of a list.
#[derive(Default)]
struct Recording {
    /// Numbers and methods of the calls that are operations; the first one has number 1.
    operations: Vec<(u64, MethodId)>,
    pair: Option<(u64, Pair)>,
}

impl Recording {
    /// The last operations that the GPU came to and has done.
    fn progress(&self) -> Option<Progress> {
        let pair = self.pair.as_ref().map(|(_, pair)| pair)?;
        let completed = pair.read(Word::Completed);
        Some(Progress { reached: pair.read(Word::Reached).max(completed), completed })
    }

    /// Whether all of it is done; `None` where it has no markers.
    fn is_done(&self) -> Option<bool> {
        match self.operations.len() {
            0 => None,
            count => self.progress().map(|progress| progress.completed as usize >= count),
        }
    }

    /// What a report lists of it.
    fn around(&self) -> Vec<Operation> {
        let Some(progress) = self.progress() else { return Vec::new() };
        let first = (progress.completed as usize).saturating_sub(AROUND);
        let last = (progress.reached as usize + AROUND).min(self.operations.len()).min(first + MOST);
        let listed = self.operations.get(first..last).unwrap_or_default();
        let number = (first as u32 + 1..).zip(listed);
        number
            .map(|(number, &(call, method))| Operation {
                number,
                call,
                method: method.0,
                progress: progress.of(number),
            })
            .collect()
    }
}

/// A list of a submission, and what was recorded in it then.
type Submitted = (u32, Rc<RefCell<Recording>>);

/// Markers, and what was given to the queues.
pub(crate) struct Watch {
    /// Operations of these calls, first and last, begin once everything before them is done.
    serial: Option<(u64, u64)>,
    /// By device.
    markers: HashMap<u64, Markers>,
    /// The recordings of lists, also of those that are closed.
    lists: HashMap<u32, Rc<RefCell<Recording>>>,
    queues: BTreeMap<u32, Queue>,
    /// Why recordings have no markers, the first time.
    unmarked: Option<String>,
    /// The list is in a render pass, where no barrier may stand.
    in_pass: HashMap<u32, bool>,
}

const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const WAIT: MethodId = method("ID3D12CommandQueue", "Wait");

impl Watch {
    pub(crate) fn new(context: &mut Context<'_, '_>, serial: Option<(u64, u64)>) -> Self {
        page_fault::ask(&context.world.runtime);
        context.world.freed = Some(Freed::default());
        Self {
            serial,
            markers: HashMap::new(),
            lists: HashMap::new(),
            queues: BTreeMap::new(),
            unmarked: None,
            in_pass: HashMap::new(),
        }
    }

    /// A call is made next.
    pub(crate) fn before(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        if let Some(freed) = &mut context.world.freed {
            freed.now(enter.place.call);
        }
        let list = enter.event.object;
        match enter.method.name {
            "Reset" if is_list(enter) => self.begin(list),
            "BeginRenderPass" => _ = self.in_pass.insert(list, true),
            "EndRenderPass" => _ = self.in_pass.insert(list, false),
            "ExecuteCommandLists" => enter.submitted(&context.codec).iter().for_each(|list| {
                if let Some(recording) = self.lists.get(list)
                    && let Some((_, pair)) = &recording.borrow().pair
                {
                    pair.clear();
                }
            }),
            _ => {}
        }
        if is_operation(enter.method) && !context.world.indirect.is_bundle(list) {
            let marked = self.operation(context, enter);
            self.unmarked = self.unmarked.take().or(marked.err());
        }
    }

    /// A call was made.
    pub(crate) fn after(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        let (id, world) = (enter.event.object, &mut context.world);
        let fence = || Some((enter.number("pFence")? as u32, enter.number("Value")?));
        match enter.id() {
            EXECUTE => {
                let lists = enter.submitted(&context.codec);
                let lists: Vec<Submitted> =
                    lists.into_iter().map(|list| (list, self.lists.entry(list).or_default().clone())).collect();
                let queue = self.queues.entry(id).or_default();
                queue.submit(&mut context.world, id, enter.place.call, lists);
                let done = queue.prune(&context.world);
                done.into_iter().for_each(|(_, recording)| self.give_back(recording));
            }
            SIGNAL => self.queues.entry(id).or_default().signal(enter.place.call, fence()),
            WAIT => self.queues.entry(id).or_default().wait(enter.place.call, fence()),
            _ if is_operation(enter.method) && !world.indirect.is_bundle(id) => {
                if let Err(reason) = self.done(world, enter) {
                    self.unmarked.get_or_insert(reason);
                }
            }
            _ => {}
        }
    }

    /// A list is recorded anew.
    fn begin(&mut self, list: u32) {
        self.in_pass.remove(&list);
        if let Some(recording) = self.lists.remove(&list) {
            self.give_back(recording);
        }
    }

    /// Keeps the words of a recording that nothing holds any more for another one.
    fn give_back(&mut self, recording: Rc<RefCell<Recording>>) {
        if let Some(recording) = Rc::into_inner(recording)
            && let Some((device, pair)) = recording.into_inner().pair
        {
            self.markers.entry(device).or_default().give_back(pair);
        }
    }

    /// Before an operation: counts it, and marks that the GPU comes to it.
    fn operation(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<(), String> {
        let (list, call) = (enter.event.object, enter.place.call);
        let recording = self.lists.entry(list).or_default().clone();
        let mut recording = recording.borrow_mut();
        recording.operations.push((call, enter.id()));
        let pointer = context.world.pointer(list, interface("ID3D12GraphicsCommandList2"))?;
        let runtime = &context.world.runtime;
        if recording.operations.len() == 1 {
            let device = reference::device_of(runtime, pointer)?;
            let pair = self.markers.entry(device.pointer()).or_default().take(runtime, device.pointer())?;
            recording.pair = Some((device.pointer(), pair));
        }
        let serial = self.serial.is_some_and(|(first, last)| (first..=last).contains(&call));
        if serial && !self.in_pass.get(&list).copied().unwrap_or(false) {
            // SAFETY: the list is alive and recording: the program records an operation next, outside of a render pass.
            unsafe { wait_for_all(runtime, pointer) };
        }
        if let Some((_, pair)) = &recording.pair {
            // SAFETY: the list is alive and recording: the program records an operation next.
            unsafe { pair.mark(runtime, pointer, Word::Reached, recording.operations.len() as u32) };
        }
        Ok(())
    }

    /// After an operation: marks that it is done.
    fn done(&mut self, world: &mut World, enter: Enter<'_, '_>) -> Result<(), String> {
        let Some(recording) = self.lists.get(&enter.event.object) else { return Ok(()) };
        let recording = recording.borrow();
        let Some((_, pair)) = &recording.pair else { return Ok(()) };
        let pointer = world.pointer(enter.event.object, interface("ID3D12GraphicsCommandList2"))?;
        // SAFETY: the list is alive and recording: the program has recorded an operation just now.
        unsafe { pair.mark(&world.runtime, pointer, Word::Completed, recording.operations.len() as u32) };
        Ok(())
    }

    /// How far each queue is, now that the replay has ended at `place` for this reason. `None` where all queues are done and no device is
    /// lost: what ended the replay is no work of a GPU.
    pub(crate) fn tell(&mut self, world: &mut World, place: &Place, reason: &str) -> Option<Diagnosis> {
        let removed = self.queues.keys().find_map(|&queue| removed_reason(world, queue));
        let mut queues = Vec::new();
        for (&id, queue) in &self.queues {
            queues.push(queue.tell(world, id, removed.is_some(), &self.queues));
        }
        if removed.is_none() && queues.iter().all(|queue| matches!(queue.at, Standing::Idle)) {
            return None;
        }
        let fault =
            removed.is_some().then(|| self.queues.keys().find_map(|&queue| page_fault::tell(world, queue))).flatten();
        Some(Diagnosis {
            place: place.clone(),
            reason: reason.to_owned(),
            removed: removed.map(|result| HresultName(result).to_string()),
            fault,
            queues,
            unmarked: self.unmarked.clone(),
            serial: self.serial,
        })
    }
}

/// Whether a call is one of a command list.
fn is_list(enter: Enter<'_, '_>) -> bool {
    enter.method.interface.is_some_and(|interface| interface.get().name.starts_with("ID3D12GraphicsCommandList"))
}

/// Why the device of a queue was removed; `None` where it is there.
fn removed_reason(world: &mut World, queue: u32) -> Option<u32> {
    const REASON: MethodId = method("ID3D12Device", "GetDeviceRemovedReason");
    let device = world.device_of(queue).ok()?;
    // SAFETY: the device is alive; there are no arguments.
    let reason = unsafe { device.runtime().call(device.pointer(), REASON, &[]) } as u32;
    (reason != 0).then_some(reason)
}

impl Recorded {
    /// What a report says of one list of a submission.
    fn of((list, recording): &Submitted) -> Self {
        let recording = recording.borrow();
        Self {
            list: *list,
            operations: recording.operations.len() as u32,
            calls: recording
                .operations
                .first()
                .map(|first| first.0)
                .zip(recording.operations.last().map(|last| last.0)),
            progress: recording.progress(),
            around: recording.around(),
        }
    }
}
