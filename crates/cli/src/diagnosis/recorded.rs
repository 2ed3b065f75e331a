//! Where the GPU stopped when the program was recorded, from the trace alone.
//!
//! The calls say what each queue was given. Three things say what it had done: the values of fences that the program saw; what the runtime
//! said of a removed device ([`Removal`]), with DRED's breadcrumbs; and the markers of the capture itself ([`Markers`]). Markers go before
//! breadcrumbs, because they also say what was begun.
//!
//! Invariants: work counts as done only if one of these three says so. A queue stands at the first list or wait that it had not done,
//! because it works in order. Work that is done is forgotten, so a long trace needs no more memory than the work that was under way.

use reprise_d3d12::breadcrumb;
use reprise_d3d12::markers::{Marked, Markers, Why};
use reprise_d3d12::model::{MethodId, Order, Type};
use reprise_d3d12::operation::is_work;
use reprise_d3d12::removal::{REASONS, Removal, Unfinished};
use reprise_d3d12::{method, result};
use reprise_replay::diagnosis::{
    Diagnosis, Fault, Operation, Owner, Progress, QueueProgress, Range, Recorded, Signaller, Standing,
};
use reprise_replay::{Place, Subject};
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, Damaged, ObjectId, Out};
use reprise_timeline::call::{Call, Outcome};
use reprise_timeline::state::queues::{self, Happening, executed, happenings};
use reprise_timeline::walk::{At, Interests, Pass};
use reprise_trace::fact;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;

const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const EVENT: MethodId = method("ID3D12Fence", "SetEventOnCompletion");
const RELEASE: MethodId = method("IUnknown", "Release");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const CREATE: MethodId = method("ID3D12Device", "CreateCommandList");

/// Operations that a report lists before the first one that is not completed, and behind it.
const AROUND: usize = 2;
/// Operations of one list that a report lists at most.
const MOST: usize = 24;
/// Buffers that were released and are remembered.
const MOST_FREED: usize = 65_536;

/// One recording of a list: calls that leave breadcrumbs, with their operations.
#[derive(Clone, Default)]
struct Recording {
    calls: Vec<(u64, MethodId, u8)>,
    /// Calls between two markers of capture's, where it puts any.
    work: Vec<(u64, MethodId)>,
}

/// One thing that a queue has to do.
enum Item {
    /// `number` is the submission's among those of the queue, from 1.
    Lists {
        call: u64,
        number: u64,
        lists: Vec<(u32, Rc<Recording>)>,
    },
    Signal {
        call: u64,
        fence: u32,
        value: u64,
    },
    Wait {
        call: u64,
        fence: u32,
        value: u64,
    },
}

/// A queue, and what it is not known to have done.
#[derive(Default)]
struct Queue {
    submissions: u64,
    completed: u64,
    items: VecDeque<Item>,
}

impl Queue {
    /// It has done everything up to the last signal of a value that the fence is known to have. Gives the values of other fences that are
    /// known thereby: what it signalled before, and what it had waited for.
    fn reached(&mut self, fence: u32, known: u64) -> Vec<(u32, u64)> {
        let done =
            |item: &Item| matches!(item, Item::Signal { fence: of, value, .. } if *of == fence && *value <= known);
        let Some(last) = self.items.iter().rposition(done) else { return Vec::new() };
        let mut values = Vec::new();
        for item in self.items.drain(..=last) {
            match item {
                Item::Lists { .. } => self.completed += 1,
                Item::Signal { fence, value, .. } | Item::Wait { fence, value, .. } => values.push((fence, value)),
            }
        }
        values
    }

    /// How many of the items are done, where the runs of lists are these. `over` says of a wait for a fence and a value whether it is over;
    /// nothing where only somebody else can know.
    fn done(&self, runs: &[Option<Runs>], over: impl Fn(u32, u64) -> Option<bool>) -> usize {
        let have = |of: fn(&Runs) -> bool| move |runs: &Option<Runs>| runs.as_ref().is_some_and(of);
        let worked = runs.iter().rposition(have(Runs::have_worked));
        let is_done = |&(at, item): &(usize, &Item)| match item {
            Item::Signal { .. } => true,
            Item::Wait { fence, value, .. } => over(*fence, *value).unwrap_or(worked.is_some_and(|last| last > at)),
            Item::Lists { .. } => have(Runs::are_done)(&runs[at]),
        };
        let ordered = self.items.iter().enumerate().take_while(is_done).count();
        // Whatever waits there are before it, they are over.
        ordered.max(runs.iter().rposition(have(Runs::are_begun)).unwrap_or(0))
    }
}

/// The lists of a submission, with what is known of them.
struct Runs {
    lists: Vec<Recorded>,
    /// Breadcrumbs or markers show that the GPU came to it and has not done it.
    begun: bool,
    /// Markers of capture's say so.
    marked: bool,
}

impl Runs {
    fn are_done(&self) -> bool {
        self.lists.iter().all(|list| list.progress.is_some_and(|progress| progress.completed >= list.operations))
    }

    fn are_begun(&self) -> bool {
        self.begun
    }

    /// Whether the GPU came to it. That DRED does not have a list says little: one that has nothing but markers is never there.
    fn have_worked(&self) -> bool {
        self.begun || (self.are_done() && self.lists.iter().any(|list| list.operations > 0))
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
    /// What capture's markers said last.
    markers: Option<Markers>,
    /// The last call before that.
    looked: Option<Place>,
    /// The last call before the runtime was asked about the removal.
    asked: Option<Place>,
    /// A wait in a call that returned: the fence has the value, unless a removed device has ended the wait. What follows tells.
    waited: Option<(u32, u64)>,
    /// The first call that told that the device is gone, with its result, and the frame.
    told: Option<(Place, u32)>,
    /// A call that waits for the GPU and has not returned when the recording ends.
    open: Option<Place>,
    last: Place,
    /// Values that the program waits for by events of its own, by fence: the highest.
    awaited: HashMap<u32, u64>,
    /// Fences whose values the program asked for since it last submitted.
    asked_for: HashSet<u32>,
    /// The recorder saw nothing move for so many seconds, and nothing was submitted since.
    still: Option<u32>,
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
        /// The recorder saw nothing move for so many seconds.
        still: Option<u32>,
    },
}

impl Pass for Reader {
    fn interests(&self) -> Interests {
        Interests::new().facts().observed().calls_where(move |id| {
            let method = id.get();
            // Results of everything that can fail tell of a device that is gone.
            let fails = method.order == Order::EnterLeave && matches!(method.result, Type::Hresult);
            queues::METHODS.contains(&id)
                || id == RELEASE
                || is_begin(id)
                || operation(id).is_some()
                || is_work(method)
                || fails
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
            fact::STILL => {
                self.still = bytes.first_chunk().map(|seconds| u32::from_le_bytes(*seconds));
            }
            fact::MARKERS if self.markers.as_ref().is_none_or(|markers| markers.why != Why::Removed) => {
                self.markers = Markers::from_bytes(bytes);
                self.looked = Some(self.last.clone());
                self.damaged |= self.markers.is_none();
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
            && REASONS.contains(&result)
            && matches!(call.method.get().result, Type::Hresult)
        {
            self.told = Some((self.last.clone(), result));
        }
        if self.told.is_none() && self.removal.is_none() && matches!(call.method, EXECUTE | RESET) {
            self.believe();
        }
        for (fence, value, happening) in happenings(call)? {
            match happening {
                Happening::Signalled { queue } => {
                    let item = Item::Signal { call: call.number, fence, value };
                    self.queues.entry(queue).or_default().items.push_back(item);
                }
                Happening::QueueWaits { queue } => {
                    let item = Item::Wait { call: call.number, fence, value };
                    self.queues.entry(queue).or_default().items.push_back(item);
                }
                Happening::Seen if call.method == EVENT => {
                    self.believe();
                    self.waited = self.removal.is_none().then_some((fence, value));
                }
                Happening::Seen => {
                    self.asked_for.insert(fence);
                    self.saw(fence, value);
                }
                Happening::Set => self.saw(fence, value),
                Happening::ProgramWaits => {
                    let awaited = self.awaited.entry(fence).or_default();
                    *awaited = value.max(*awaited);
                }
                Happening::Made => {}
            }
        }
        match call.method {
            CREATE => {
                const MADE: Argument<Out<ObjectId>> = argument!("ID3D12Device", "CreateCommandList", "ppCommandList");
                if let Some(list) = MADE.of(call)? {
                    self.recordings.insert(list.0, Rc::default());
                }
            }
            RESET => _ = self.recordings.insert(call.object, Rc::default()),
            EXECUTE => {
                self.still = None;
                self.asked_for.clear();
                let lists = executed(call)?.into_iter();
                let lists = lists.map(|list| (list, self.recordings.get(&list).cloned().unwrap_or_default())).collect();
                let queue = self.queues.entry(call.object).or_default();
                queue.submissions += 1;
                queue.items.push_back(Item::Lists { call: call.number, number: queue.submissions, lists });
            }
            EVENT if matches!(call.outcome, Outcome::Unfinished) => self.open = Some(self.last.clone()),
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
                let (operation, work) = (operation(id), is_work(id.get()));
                if (operation.is_some() || work)
                    && let Some(recording) = self.recordings.get_mut(&call.object)
                {
                    let recording = Rc::make_mut(recording);
                    recording.calls.extend(operation.map(|operation| (call.number, id, operation)));
                    recording.work.extend(work.then_some((call.number, id)));
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
        let mut seen = vec![(fence, value)];
        while let Some((fence, value)) = seen.pop() {
            let known = self.fences.entry(fence).or_default();
            if value > *known {
                *known = value;
                seen.extend(self.queues.values_mut().flat_map(|queue| queue.reached(fence, value)));
            }
        }
    }

    /// What the trace says of its end.
    pub(crate) fn finish(mut self) -> Said {
        let removed = self.removal.as_ref().map(|removal| removal.reason).or(self.told.as_ref().map(|(_, code)| *code));
        if removed.is_none() {
            self.believe();
        }
        let hangs = self.still.filter(|_| removed.is_none() && self.waits_for_the_gpu());
        let stands = self.markers.as_ref().filter(|markers| markers.why == Why::Still && !markers.lists.is_empty());
        let stands = stands.filter(|_| removed.is_none()).map(|markers| markers.milliseconds);
        if removed.is_none() && self.open.is_none() && hangs.is_none() && stands.is_none() {
            let lists = |queue: &Queue| queue.items.iter().filter(|item| matches!(item, Item::Lists { .. })).count();
            let unknown = self.queues.values().map(|queue| lists(queue) as u64).sum();
            return Said::Nothing { unknown, still: self.still };
        }
        let before = |place: &Place| self.asked.as_ref().is_none_or(|asked| place.call <= asked.call);
        let told = self.told.as_ref().filter(|(place, _)| before(place));
        let (place, reason) = match (told, &self.asked, &self.open) {
            (Some((place, code)), ..) => (place, format!("{place} returned {}", words(*code))),
            (None, Some(asked), _) => (asked, format!("after {asked} the runtime said that the device was removed")),
            (None, None, open) if stands.is_some() => {
                let waits = open.as_ref().map(|open| format!("; {open} waits")).unwrap_or_default();
                let seconds = f64::from(stands.unwrap_or(0)) / 1000.0;
                let looked = self.looked.as_ref().unwrap_or(&self.last);
                (
                    looked,
                    format!("nothing had moved on the GPU for {seconds:.1} s when its markers were read last{waits}"),
                )
            }
            (None, None, Some(open)) => (open, format!("the recording ends while {open} waits")),
            (None, None, None) => match hangs {
                Some(seconds) => (
                    &self.last,
                    format!(
                        "nothing moved for {seconds} s, and the program waits for a fence that the GPU does not reach"
                    ),
                ),
                None => (&self.last, "the device was removed".to_owned()),
            },
        };
        let place = place.clone();
        let has_breadcrumbs = self.removal.as_ref().is_some_and(|removal| (removal.breadcrumbs as i32) >= 0);
        let mut unmarked = match &self.removal {
            _ if has_breadcrumbs || self.has_markers() => None,
            None if hangs.is_some() => Some(
                "the device was not removed, and a runtime tells how far lists are only then; capture --markers tells it once \
                 nothing has moved for two seconds (--hang-after must be more than that)"
                    .to_owned(),
            ),
            None => Some("the trace does not have what the runtime said of the device".to_owned()),
            Some(removal) => Some(format!(
                "the runtime had no breadcrumbs ({}); capture --breadcrumbs asks for them, --markers needs none",
                words(removal.breadcrumbs)
            )),
        };
        let queues = self.progress(has_breadcrumbs, &mut unmarked);
        let fault = self.removal.as_ref().filter(|removal| removal.address != 0);
        let fault = fault.map(|removal| Fault { address: removal.address, owner: self.owner(removal.address) });
        let removed = removed.map(|code| format!("{} ({code:#x})", result::name(code).unwrap_or("unknown")));
        if self.damaged {
            unmarked.get_or_insert_with(|| "some calls of the trace cannot be read".to_owned());
        }
        Said::Stopped(Box::new(Diagnosis { place, reason, removed, fault, queues, unmarked, serial: None }))
    }

    /// Whether the program waits for a value that a queue is to signal and is not known to have signalled.
    fn waits_for_the_gpu(&self) -> bool {
        let wanted = |fence: &u32, value: &u64| {
            let known = self.fences.get(fence).copied().unwrap_or(0);
            *value > known
                && (self.asked_for.contains(fence) || self.awaited.get(fence).is_some_and(|awaited| *awaited > known))
        };
        let mut items = self.queues.values().flat_map(|queue| &queue.items);
        items.any(|item| matches!(item, Item::Signal { fence, value, .. } if wanted(fence, value)))
    }

    /// Whether capture's markers tell of the end.
    pub(crate) fn has_markers(&self) -> bool {
        self.markers.as_ref().is_some_and(|markers| markers.why != Why::Moves)
    }

    /// What lies at an address, or lay there last.
    fn owner(&self, address: u64) -> Option<Owner> {
        let owner = |range: &Range| {
            let offset = address.checked_sub(range.address).filter(|offset| *offset < range.bytes)?;
            Some(Owner { range: *range, offset })
        };
        self.live.values().find_map(owner).or_else(|| self.freed.iter().rev().find_map(owner))
    }

    /// How far the queues are.
    fn progress(&self, has_breadcrumbs: bool, unmarked: &mut Option<String>) -> Vec<QueueProgress> {
        let mut breadcrumbs = Breadcrumbs::new(self.removal.as_ref().filter(|_| has_breadcrumbs));
        let mut misfit = None;
        let mut runs: BTreeMap<u32, Vec<Option<Runs>>> = BTreeMap::new();
        for (id, queue) in &self.queues {
            let marked = self.markers.as_ref().filter(|_| self.has_markers());
            let marked = marked.filter(|markers| markers.queues.iter().any(|(of, _)| of == id));
            runs.insert(
                *id,
                match marked {
                    Some(markers) => {
                        queue.items.iter().map(|item| marked_run(markers, *id, item, &mut misfit)).collect()
                    }
                    None => breadcrumbs.runs(*id, queue),
                },
            );
        }
        *unmarked = unmarked.take().or(breadcrumbs.untold).or(misfit);
        // A queue that comes further signals what others wait for.
        let mut fences = self.fences.clone();
        let mut done: BTreeMap<u32, usize> = BTreeMap::new();
        loop {
            let before = done.clone();
            for (id, queue) in &self.queues {
                let over = |fence: u32, value: u64| {
                    let known = fences.get(&fence).is_some_and(|known| *known >= value);
                    (known || self.signaller(fence, value).is_some()).then_some(known)
                };
                let count = queue.done(&runs[id], over);
                done.insert(*id, count);
                for item in queue.items.iter().take(count) {
                    if let Item::Signal { fence, value, .. } = item {
                        let known = fences.entry(*fence).or_default();
                        *known = (*known).max(*value);
                    }
                }
            }
            if done == before {
                break;
            }
        }
        let standing = |(id, runs): (u32, Vec<Option<Runs>>)| self.standing(id, done[&id], runs, &fences);
        runs.into_iter().map(standing).collect()
    }

    /// Where a queue stands that has done so many of its items.
    fn standing(&self, id: u32, done: usize, mut runs: Vec<Option<Runs>>, fences: &HashMap<u32, u64>) -> QueueProgress {
        let queue = &self.queues[&id];
        let lists = queue.items.iter().take(done).filter(|item| matches!(item, Item::Lists { .. })).count();
        let at = match queue.items.get(done) {
            Some(&Item::Wait { call, fence, value }) => {
                let reached = fences.get(&fence).copied().unwrap_or(0);
                Standing::Wait { call, fence, value, reached, signaller: self.signaller(fence, value) }
            }
            Some(Item::Lists { call, lists, .. }) => {
                let run = runs[done].take();
                let marked = run.as_ref().is_some_and(|run| run.marked);
                let mut standing = run.map_or_else(Vec::new, |run| run.lists);
                let mut stopped = false;
                for (it, (_, recording)) in standing.iter_mut().zip(lists) {
                    match it.progress.as_mut() {
                        Some(progress) if progress.completed >= it.operations => continue,
                        Some(progress) if marked => it.around = around_marks(recording, *progress),
                        // Lists run in order: nothing behind the first one that is not completed counts as begun.
                        Some(progress) if stopped => progress.reached = progress.completed,
                        Some(progress) => it.around = around(recording, *progress),
                        None => {}
                    }
                    stopped = true;
                }
                Standing::Submission { call: *call, lists: standing }
            }
            Some(Item::Signal { .. }) | None => Standing::Idle,
        };
        QueueProgress { queue: id, submissions: queue.submissions, completed: queue.completed + lists as u64, at }
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

/// What DRED says of lists that are not completed, until it is told which runs those are.
struct Breadcrumbs<'r> {
    unfinished: Vec<&'r Unfinished>,
    /// Lists that are missing here are completed.
    whole: bool,
    /// Why something is not known.
    untold: Option<String>,
}

impl<'r> Breadcrumbs<'r> {
    /// What the runtime said; nothing where it has no breadcrumbs.
    fn new(removal: Option<&'r Removal>) -> Self {
        let mut unfinished: Vec<&Unfinished> = removal.iter().flat_map(|removal| &removal.lists).collect();
        // Runs are asked for from the last one on, and an earlier run of a list is further.
        unfinished.sort_by_key(|list| list.completed);
        let unknown = |it: &&Unfinished| it.list == 0 && it.operations.is_empty();
        let whole = removal.is_some() && !unfinished.iter().any(unknown);
        let untold = "some lists that were not completed have no breadcrumbs in the trace".to_owned();
        let untold = (removal.is_some() && !whole).then_some(untold);
        unfinished.retain(|it| !unknown(it));
        Self { unfinished, whole, untold }
    }

    /// The runs of a queue's lists, by item. A queue works in order, so that its last runs are those that are not completed.
    fn runs(&mut self, id: u32, queue: &Queue) -> Vec<Option<Runs>> {
        let mut runs: Vec<_> = queue.items.iter().rev().map(|item| self.run(id, item)).collect();
        runs.reverse();
        runs
    }

    fn run(&mut self, queue: u32, item: &Item) -> Option<Runs> {
        let Item::Lists { lists, .. } = item else { return None };
        let mut begun = false;
        let mut runs = Vec::new();
        for (list, recording) in lists.iter().rev() {
            let found = self.take(queue, *list, recording);
            begun |= found.is_some_and(|found| found.completed > 0);
            runs.push(self.recorded(*list, recording, found));
        }
        runs.reverse();
        Some(Runs { lists: runs, begun, marked: false })
    }

    /// Takes out what DRED says of a run of a list. One that the program has let go of is known by its operations.
    fn take(&mut self, queue: u32, list: u32, recording: &Recording) -> Option<&'r Unfinished> {
        let here = |it: &Unfinished| it.queue == queue || it.queue == 0;
        let same = |it: &Unfinished| it.operations.iter().eq(recording.calls.iter().map(|(_, _, operation)| operation));
        let found = self.unfinished.iter().position(|it| it.list == list && here(it));
        let found = found.or_else(|| self.unfinished.iter().position(|it| it.list == 0 && here(it) && same(it)))?;
        Some(self.unfinished.remove(found))
    }

    /// How far a list is.
    fn recorded(&mut self, list: u32, recording: &Recording, found: Option<&Unfinished>) -> Recorded {
        let calls = recording.calls.first().zip(recording.calls.last()).map(|(first, last)| (first.0, last.0));
        let operations = recording.calls.len() as u32;
        let progress = match found {
            None => self.whole.then_some(Progress { reached: operations, completed: operations }),
            Some(found) if found.operations.is_empty() && operations > 0 => {
                self.untold = Some(format!(
                    "the history of breadcrumbs has no room for list {list}: {} of them were completed",
                    found.completed
                ));
                None
            }
            Some(found) => match completed_calls(recording, found) {
                Some(completed) => Some(Progress { reached: (completed + 1).min(operations), completed }),
                None => {
                    self.untold = Some(format!("breadcrumbs of list {list} do not fit what the trace has of it"));
                    None
                }
            },
        };
        Recorded { list, operations, calls, progress, around: Vec::new() }
    }
}

/// What capture's markers say of the lists of a submission. Those of which they say nothing are done, if the submission was made by then.
fn marked_run(markers: &Markers, queue: u32, item: &Item, misfit: &mut Option<String>) -> Option<Runs> {
    let Item::Lists { number, lists, .. } = item else { return None };
    let known = markers.queues.iter().any(|&(of, given)| of == queue && u64::from(given) >= *number);
    let found = |index: usize| {
        let is = |it: &&Marked| (it.queue, u64::from(it.submission), it.index as usize) == (queue, *number, index);
        markers.lists.iter().find(is)
    };
    let mut begun = false;
    let mut runs = Vec::new();
    for (index, (list, recording)) in lists.iter().enumerate() {
        let operations = recording.work.len() as u32;
        let progress = match found(index) {
            None => known.then_some(Progress { reached: operations, completed: operations }),
            Some(found) if found.operations == operations && found.list == *list => {
                let (reached, completed) = (found.reached.min(operations), found.completed.min(operations));
                Some(Progress { reached: reached.max(completed), completed })
            }
            Some(found) => {
                *misfit = Some(format!(
                    "markers of list {list} do not fit what the trace has of it: {} operations there, {operations} here",
                    found.operations
                ));
                None
            }
        };
        begun |= found(index).is_some_and(|found| found.reached > 0);
        let calls = recording.work.first().zip(recording.work.last()).map(|(first, last)| (first.0, last.0));
        runs.push(Recorded { list: *list, operations, calls, progress, around: Vec::new() });
    }
    Some(Runs { lists: runs, begun, marked: true })
}

/// The operations at which a list is by its markers, and a few beside them.
fn around_marks(recording: &Recording, progress: Progress) -> Vec<Operation> {
    let first = (progress.completed as usize).saturating_sub(AROUND);
    let last = (progress.reached as usize + AROUND).min(first + MOST);
    let operation = |(index, (call, method)): (usize, &(u64, MethodId))| {
        let number = index as u32 + 1;
        Operation { number, call: *call, method: method.0, progress: progress.of(number) }
    };
    recording.work.iter().enumerate().skip(first).take(last - first).map(operation).collect()
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
mod tests;
