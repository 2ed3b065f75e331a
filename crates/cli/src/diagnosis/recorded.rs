//! Where the GPU stopped when the program was recorded, from the trace alone.
//!
//! What a queue was given is in the calls. What it had done is known by the values that the program saw fences at, and by what the runtime
//! said of a device that was removed ([`Removal`]), DRED's breadcrumbs among it. Invariants: nothing counts as done that neither says; what
//! is done is forgotten, so that a long trace needs no more memory than what was under way.

use reprise_d3d12::breadcrumb;
use reprise_d3d12::model::{MethodId, Order, Type};
use reprise_d3d12::removal::{Removal, Unfinished};
use reprise_d3d12::{method, result};
use reprise_replay::diagnosis::{
    Diagnosis, Fault, Operation, Owner, Progress, QueueProgress, Range, Recorded, Signaller, Standing,
};
use reprise_replay::{Place, Subject};
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, Damaged, Many, ObjectId, Out};
use reprise_timeline::call::{Call, Outcome};
use reprise_timeline::walk::{At, Interests, Pass};
use reprise_trace::fact;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;

const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const WAIT: MethodId = method("ID3D12CommandQueue", "Wait");
const SET: MethodId = method("ID3D12Fence", "Signal");
const ASK: MethodId = method("ID3D12Fence", "GetCompletedValue");
const EVENT: MethodId = method("ID3D12Fence", "SetEventOnCompletion");
const RELEASE: MethodId = method("IUnknown", "Release");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const CREATE: MethodId = method("ID3D12Device", "CreateCommandList");
const REASON: MethodId = method("ID3D12Device", "GetDeviceRemovedReason");

/// `DXGI_ERROR_DEVICE_REMOVED`, `_HUNG`, `_RESET` and `DXGI_ERROR_DRIVER_INTERNAL_ERROR`.
const REMOVED: [u32; 4] = [0x887a_0005, 0x887a_0006, 0x887a_0007, 0x887a_0020];
/// Operations that a report lists before the first one that is not completed, and behind it.
const AROUND: usize = 2;
/// Buffers that were released and are remembered.
const MOST_FREED: usize = 65_536;

/// One recording of a list: calls that leave breadcrumbs, with their operations.
#[derive(Clone, Default)]
struct Recording {
    calls: Vec<(u64, MethodId, u8)>,
}

/// One thing that a queue has to do.
enum Item {
    Lists { call: u64, lists: Vec<(u32, Rc<Recording>)> },
    Signal { call: u64, fence: u32, value: u64 },
    Wait { call: u64, fence: u32, value: u64 },
}

/// A queue, and what it is not known to have done.
#[derive(Default)]
struct Queue {
    submissions: u64,
    completed: u64,
    items: VecDeque<Item>,
}

impl Queue {
    /// It has done everything up to the last signal of a value that the fence is known to have.
    fn reached(&mut self, fence: u32, known: u64) {
        let done =
            |item: &Item| matches!(item, Item::Signal { fence: of, value, .. } if *of == fence && *value <= known);
        let Some(last) = self.items.iter().rposition(done) else { return };
        let gone = self.items.drain(..=last);
        self.completed += gone.filter(|item| matches!(item, Item::Lists { .. })).count() as u64;
    }
}

/// Reads a trace for what its program's GPU was at.
#[derive(Default)]
pub(crate) struct Reader {
    recordings: HashMap<u32, Rc<Recording>>,
    queues: BTreeMap<u32, Queue>,
    /// Values that fences are known to have.
    fences: HashMap<u32, u64>,
    live: HashMap<u32, Range>,
    freed: VecDeque<Range>,
    removal: Option<Removal>,
    /// The last call before the runtime was asked about the removal.
    asked: Option<Place>,
    /// A wait in a call that returned: the fence has the value, unless a removed device has ended the wait. What follows tells.
    waited: Option<(u32, u64)>,
    /// The first call that told that the device is gone, with its result, and the frame.
    told: Option<(Place, u32)>,
    /// A call that waits for the GPU and has not returned when the recording ends.
    open: Option<Place>,
    last: Place,
    /// Something of the trace could not be read.
    damaged: bool,
}

/// What the trace says.
pub(crate) enum Said {
    /// The device was removed, or the recording ends in a call that waits for the GPU.
    Stopped(Box<Diagnosis>),
    /// Nothing of that: submissions that are not known to be done, because the program did not look.
    Nothing {
        /// How many.
        unknown: u64,
    },
}

impl Pass for Reader {
    fn interests(&self) -> Interests {
        let own = [EXECUTE, SIGNAL, WAIT, SET, ASK, EVENT, RELEASE, REASON];
        Interests::new().facts().observed().calls_where(move |id| {
            let method = id.get();
            // Results of everything that can fail tell of a device that is gone.
            let fails = method.order == Order::EnterLeave && matches!(method.result, Type::Hresult);
            own.contains(&id) || is_begin(id) || operation(id).is_some() || fails
        })
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        self.last = Place { call: call.number, method: Subject::Method(call.method.0), frame: u64::from(at.frame) + 1 };
        if self.look(call).is_err() {
            self.damaged = true;
        }
    }

    fn observe(&mut self, fence: u32, value: u64, _: &At) {
        self.saw(fence, value);
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _: &At) {
        let long = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        match kind {
            fact::REMOVAL if self.removal.is_none() => {
                self.removal = Removal::from_bytes(bytes);
                self.asked = Some(self.last.clone());
                self.waited = None;
            }
            fact::ADDRESS_RANGE => {
                if let (Some(address), Some(bytes)) = (long(0), long(8)) {
                    self.live.insert(object, Range { resource: object, address, bytes, released: None });
                }
            }
            _ => {}
        }
    }
}

/// What a method of lists leaves in DRED's history.
fn operation(id: MethodId) -> Option<u8> {
    let method = id.get();
    let list = method.interface.is_some_and(|id| id.get().name.starts_with("ID3D12GraphicsCommandList"));
    let operation = breadcrumb::of_method(method.name).filter(|_| list)?;
    Some(u8::try_from(operation.0).unwrap_or(u8::MAX))
}

/// Whether a recording of a list begins with the call.
fn is_begin(id: MethodId) -> bool {
    id == RESET || id == CREATE
}

impl Reader {
    fn look(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        if self.told.is_none()
            && let Some(result) = call.result().map(|word| word as u32)
            && REMOVED.contains(&result)
            && matches!(call.method.get().result, Type::Hresult)
        {
            self.told = Some((self.last.clone(), result));
        }
        if self.told.is_none() && self.removal.is_none() && matches!(call.method, EXECUTE | RESET) {
            self.believe();
        }
        let happened =
            call.succeeded() || matches!(call.outcome, Outcome::Nothing | Outcome::Lost | Outcome::Unfinished);
        match call.method {
            CREATE => {
                const MADE: Argument<Out<ObjectId>> = argument!("ID3D12Device", "CreateCommandList", "ppCommandList");
                if let Some(list) = MADE.of(call)? {
                    self.recordings.insert(list.0, Rc::default());
                }
            }
            RESET => _ = self.recordings.insert(call.object, Rc::default()),
            EXECUTE => {
                const LISTS: Argument<Many<ObjectId>> =
                    argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
                let lists = LISTS.of(call)?.iter().map(|list| list.0);
                let lists = lists.map(|list| (list, self.recordings.get(&list).cloned().unwrap_or_default())).collect();
                let queue = self.queues.entry(call.object).or_default();
                queue.submissions += 1;
                queue.items.push_back(Item::Lists { call: call.number, lists });
            }
            SIGNAL if happened => {
                const OF: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Signal", "pFence");
                const VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Signal", "Value");
                let item = Item::Signal { call: call.number, fence: OF.of(call)?.0, value: VALUE.of(call)? };
                self.queues.entry(call.object).or_default().items.push_back(item);
            }
            WAIT if happened => {
                const FOR: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Wait", "pFence");
                const VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Wait", "Value");
                let item = Item::Wait { call: call.number, fence: FOR.of(call)?.0, value: VALUE.of(call)? };
                self.queues.entry(call.object).or_default().items.push_back(item);
            }
            SET if happened => {
                const VALUE: Argument<u64> = argument!("ID3D12Fence", "Signal", "Value");
                self.saw(call.object, VALUE.of(call)?);
            }
            ASK => call.result().into_iter().for_each(|value| self.saw(call.object, value)),
            EVENT => {
                const VALUE: Argument<u64> = argument!("ID3D12Fence", "SetEventOnCompletion", "Value");
                const HANDLE: Argument<u64> = argument!("ID3D12Fence", "SetEventOnCompletion", "hEvent");
                if matches!(call.outcome, Outcome::Unfinished) {
                    self.open = Some(self.last.clone());
                } else if happened && HANDLE.of(call)? == 0 && self.removal.is_none() {
                    self.believe();
                    self.waited = Some((call.object, VALUE.of(call)?));
                }
            }
            RELEASE if call.result() == Some(0) => {
                self.recordings.remove(&call.object);
                if let Some(mut range) = self.live.remove(&call.object) {
                    range.released = Some(call.number);
                    self.freed.push_back(range);
                    if self.freed.len() > MOST_FREED {
                        self.freed.pop_front();
                    }
                }
            }
            id => {
                if let Some(operation) = operation(id)
                    && let Some(recording) = self.recordings.get_mut(&call.object)
                {
                    Rc::make_mut(recording).calls.push((call.number, id, operation));
                }
            }
        }
        Ok(())
    }

    /// The last wait ended because the fence had its value: the program went on, and nothing told that the device is gone.
    fn believe(&mut self) {
        if let Some((fence, value)) = self.waited.take() {
            self.saw(fence, value);
        }
    }

    /// A fence has a value. Once a device is removed its fences have every value, which says nothing.
    fn saw(&mut self, fence: u32, value: u64) {
        if value == u64::MAX {
            return;
        }
        let known = self.fences.entry(fence).or_default();
        if value > *known {
            *known = value;
            self.queues.values_mut().for_each(|queue| queue.reached(fence, value));
        }
    }

    /// What the trace says of its end.
    pub(crate) fn finish(mut self) -> Said {
        let removed = self.removal.as_ref().map(|removal| removal.reason).or(self.told.as_ref().map(|(_, code)| *code));
        if removed.is_none() {
            self.believe();
        }
        if removed.is_none() && self.open.is_none() {
            let lists = |queue: &Queue| queue.items.iter().filter(|item| matches!(item, Item::Lists { .. })).count();
            return Said::Nothing { unknown: self.queues.values().map(|queue| lists(queue) as u64).sum() };
        }
        let before = |place: &Place| self.asked.as_ref().is_none_or(|asked| place.call <= asked.call);
        let (place, reason) = match (self.told.as_ref().filter(|(place, _)| before(place)), &self.asked, &self.open) {
            (Some((place, code)), ..) => (place, format!("{place} returned {}", words(*code))),
            (None, Some(asked), _) => (asked, format!("after {asked} the runtime said that the device was removed")),
            (None, None, Some(open)) => (open, format!("the recording ends while {open} waits")),
            (None, None, None) => (&self.last, "the device was removed".to_owned()),
        };
        let place = place.clone();
        let mut unfinished: Vec<&Unfinished> = self.removal.iter().flat_map(|removal| &removal.lists).collect();
        // The same list may be under way twice: the first run is further.
        unfinished.sort_by_key(|list| std::cmp::Reverse(list.completed));
        let has_breadcrumbs = self.removal.as_ref().is_some_and(|removal| (removal.breadcrumbs as i32) >= 0);
        let mut unmarked = match &self.removal {
            _ if has_breadcrumbs => None,
            None => Some("the trace does not have what the runtime said of the device".to_owned()),
            Some(removal) => Some(format!(
                "the runtime had no breadcrumbs ({}); capture --breadcrumbs asks for them",
                words(removal.breadcrumbs)
            )),
        };
        let queues: Vec<_> = self
            .queues
            .iter()
            .map(|(id, queue)| self.queue(*id, queue, has_breadcrumbs, &mut unfinished, &mut unmarked))
            .collect();
        let fault = self.removal.as_ref().filter(|removal| removal.address != 0);
        let fault = fault.map(|removal| Fault { address: removal.address, owner: self.owner(removal.address) });
        let removed = removed.map(|code| format!("{} ({code:#x})", result::name(code).unwrap_or("unknown")));
        if self.damaged {
            unmarked.get_or_insert_with(|| "some calls of the trace cannot be read".to_owned());
        }
        Said::Stopped(Box::new(Diagnosis { place, reason, removed, fault, queues, unmarked, serial: None }))
    }

    /// What lies at an address, or lay there last.
    fn owner(&self, address: u64) -> Option<Owner> {
        let owner = |range: &Range| {
            let offset = address.checked_sub(range.address).filter(|offset| *offset < range.bytes)?;
            Some(Owner { range: *range, offset })
        };
        self.live.values().find_map(owner).or_else(|| self.freed.iter().rev().find_map(owner))
    }

    /// Where a queue stands. Lists of which DRED says nothing, where it says something of others, are completed: it has those that are not.
    fn queue(
        &self,
        id: u32,
        queue: &Queue,
        has_breadcrumbs: bool,
        unfinished: &mut Vec<&'_ Unfinished>,
        unmarked: &mut Option<String>,
    ) -> QueueProgress {
        let mut completed = queue.completed;
        let mut at = Standing::Idle;
        for item in &queue.items {
            match item {
                Item::Signal { .. } => {}
                Item::Wait { call, fence, value } => {
                    let reached = self.fences.get(fence).copied().unwrap_or(0);
                    if reached < *value && !has_breadcrumbs {
                        let signaller = self.signaller(*fence, *value);
                        at = Standing::Wait { call: *call, fence: *fence, value: *value, reached, signaller };
                        break;
                    }
                }
                Item::Lists { call, lists } => {
                    let mut standing = Vec::new();
                    let mut stopped = false;
                    for (list, recording) in lists {
                        let found = take(unfinished, *list, id, recording);
                        let mut it = recorded(*list, recording, found, has_breadcrumbs, unmarked);
                        if let Some(progress) =
                            it.progress.as_mut().filter(|progress| progress.completed < it.operations)
                        {
                            // Lists run in order: behind the first one that is not completed nothing is taken for begun.
                            if stopped {
                                progress.reached = progress.completed;
                            } else {
                                it.around = around(recording, *progress);
                            }
                            stopped = true;
                        }
                        standing.push(it);
                    }
                    if standing
                        .iter()
                        .all(|list| list.progress.is_some_and(|progress| progress.completed >= list.operations))
                    {
                        completed += 1;
                        continue;
                    }
                    at = Standing::Submission { call: *call, lists: standing };
                    break;
                }
            }
        }
        QueueProgress { queue: id, submissions: queue.submissions, completed, at }
    }

    /// The call that is to give a fence a value.
    fn signaller(&self, wanted: u32, least: u64) -> Option<Signaller> {
        self.queues.iter().find_map(|(queue, it)| {
            it.items.iter().find_map(|item| match item {
                Item::Signal { call, fence, value } if *fence == wanted && *value >= least => {
                    Some(Signaller { queue: *queue, call: *call })
                }
                _ => None,
            })
        })
    }
}

/// Takes out what DRED says of a run of a list. One that the program has let go of is known by its operations.
fn take<'u>(
    unfinished: &mut Vec<&'u Unfinished>,
    list: u32,
    queue: u32,
    recording: &Recording,
) -> Option<&'u Unfinished> {
    let here = |it: &Unfinished| it.queue == queue || it.queue == 0;
    let same = |it: &Unfinished| it.operations.iter().eq(recording.calls.iter().map(|(_, _, operation)| operation));
    let found = unfinished.iter().position(|it| it.list == list && here(it));
    let found = found.or_else(|| unfinished.iter().position(|it| it.list == 0 && here(it) && same(it)))?;
    Some(unfinished.remove(found))
}

/// How far a list is by what DRED says of it; nothing said of it means that it is completed.
fn recorded(
    list: u32,
    recording: &Recording,
    found: Option<&Unfinished>,
    has_breadcrumbs: bool,
    unmarked: &mut Option<String>,
) -> Recorded {
    let calls = recording.calls.first().zip(recording.calls.last()).map(|(first, last)| (first.0, last.0));
    let mut it = Recorded { list, operations: recording.calls.len() as u32, calls, progress: None, around: Vec::new() };
    it.progress = match found {
        _ if !has_breadcrumbs => None,
        None => Some(Progress { reached: it.operations, completed: it.operations }),
        Some(found) => match completed_calls(recording, found) {
            Some(completed) => Some(Progress { reached: (completed + 1).min(it.operations), completed }),
            None => {
                *unmarked = Some(format!("breadcrumbs of list {list} do not fit what the trace has of it"));
                None
            }
        },
    };
    it
}

/// How many of a recording's calls are completed: its operations, met in the order of DRED's history.
fn completed_calls(recording: &Recording, found: &Unfinished) -> Option<u32> {
    let mut calls = recording.calls.iter().enumerate();
    let mut completed = 0;
    for operation in found.operations.iter().take(found.completed as usize) {
        // A runtime may leave no breadcrumb for some calls.
        let (index, _) = calls.find(|(_, call)| call.2 == *operation)?;
        completed = index + 1;
    }
    // The next one, if the history has any, is the first that is not completed.
    if let Some(next) = found.operations.get(found.completed as usize) {
        completed = calls.find(|(_, call)| call.2 == *next)?.0;
    }
    u32::try_from(completed).ok()
}

/// The operations at which a list is, and a few beside them.
fn around(recording: &Recording, progress: Progress) -> Vec<Operation> {
    let at = progress.completed as usize;
    let calls = recording.calls.iter().enumerate();
    let near = calls.skip(at.saturating_sub(AROUND)).take_while(|(index, _)| *index <= at + AROUND);
    let operation = |(index, (call, method, _)): (usize, &(u64, MethodId, u8))| {
        let number = index as u32 + 1;
        Operation { number, call: *call, method: method.0, progress: progress.of(number) }
    };
    near.map(operation).collect()
}

/// A result in words.
fn words(code: u32) -> String {
    result::name(code).map_or_else(|| format!("{code:#x}"), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording(operations: &[u8]) -> Recording {
        let calls = operations.iter().zip(10..).map(|(operation, call)| (call, MethodId(0), *operation));
        Recording { calls: calls.collect() }
    }

    fn history(operations: &[u8], completed: u32) -> Unfinished {
        Unfinished { list: 1, queue: 2, completed, operations: operations.to_vec() }
    }

    #[test]
    fn completed_operations_are_met_in_the_order_of_the_history() {
        let recording = recording(&[3, 15, 3, 7]);
        let completed = |operations: &[u8], count| completed_calls(&recording, &history(operations, count));
        assert_eq!(completed(&[3, 15, 3, 7], 0), Some(0));
        assert_eq!(completed(&[3, 15, 3, 7], 2), Some(2));
        assert_eq!(completed(&[3, 15, 3, 7], 4), Some(4));
        // A runtime that leaves nothing for barriers (15): the draw behind one is the first that is not completed.
        assert_eq!(completed(&[3, 3, 7], 1), Some(2));
        assert_eq!(completed(&[3, 3, 7], 2), Some(3));
        // Another list's history.
        assert_eq!(completed(&[9, 3], 1), None);
    }

    #[test]
    fn a_queue_has_done_what_lies_before_a_signal_that_was_seen() {
        let lists = |call| Item::Lists { call, lists: Vec::new() };
        let signal = |call, value| Item::Signal { call, fence: 5, value };
        let mut queue = Queue {
            submissions: 3,
            completed: 0,
            items: [lists(1), signal(2, 1), lists(3), signal(4, 2), lists(5)].into_iter().collect(),
        };
        queue.reached(6, 9);
        assert_eq!((queue.completed, queue.items.len()), (0, 5));
        queue.reached(5, 1);
        assert_eq!((queue.completed, queue.items.len()), (1, 3));
        queue.reached(5, 7);
        assert_eq!((queue.completed, queue.items.len()), (2, 1));
    }

    #[test]
    fn a_list_that_the_program_let_go_of_is_known_by_its_operations() {
        let gone = Unfinished { list: 0, ..history(&[3, 7], 1) };
        let other = history(&[3, 7], 0);
        let mut unfinished = vec![&gone, &other];
        assert_eq!(take(&mut unfinished, 1, 2, &recording(&[3, 7])), Some(&other));
        assert_eq!(take(&mut unfinished, 1, 2, &recording(&[3])), None);
        assert_eq!(take(&mut unfinished, 1, 2, &recording(&[3, 7])), Some(&gone));
    }
}
