//! The pass over a trace that gives each rule what it looks at.
//!
//! Invariant: a call is looked at with the state that it finds; what it changes is known to calls after it.

use crate::draw::{Drawing, Library};
use crate::execute;
use crate::execute::{Run, Submission};
use crate::finding::{Finding, Findings};
use crate::left::{self, Left};
use crate::nested;
use crate::pass;
use crate::queues::{Operation, Queues, Step};
use crate::rays;
use crate::record::{self, Context};
use crate::recording::{Bytes, Draw, Ran, Recording, Use, What};
use crate::role::Role;
use crate::rule::Severity;
use crate::rules::lifetime::LastUse;
use crate::rules::{barrier_arguments, descriptors, events, fences, layout, lifetime, readback, split};
use crate::scene::{Gone, Place, Scene, named};
use crate::standing::{Held, Stand, Standing};
use crate::states::{Access, Kind};
use crate::structures;
use crate::subresource::{Shape, Subresources};
use crate::supposed::Supposed;
use crate::used::{Log, Reached, Used, Wish};
use crate::view;
use crate::world::{Firsts, Running, Tracked, World};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::*;
use reprise_d3d12::{function, method};
use reprise_timeline::State;
use reprise_timeline::activity::Activity;
use reprise_timeline::argument;
use reprise_timeline::argument::{Argument, Damaged, Many, ObjectId, One};
use reprise_timeline::call::{Call, Outcome};
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::lists::{self, Action, Bound, Change};
use reprise_timeline::state::memory;
use reprise_timeline::walk::{At, Interests, Memory, Pass};
use reprise_trace::fact;
use reprise_trace::read::Trace;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

const EXECUTE: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const WAIT: MethodId = method("ID3D12CommandQueue", "Wait");
const QUEUE_BEGIN: MethodId = method("ID3D12CommandQueue", "BeginEvent");
const QUEUE_END: MethodId = method("ID3D12CommandQueue", "EndEvent");
const FENCE: MethodId = method("ID3D12Device", "CreateFence");
const SET: MethodId = method("ID3D12Fence", "Signal");
const ASK: MethodId = method("ID3D12Fence", "GetCompletedValue");
const EVENT: MethodId = method("ID3D12Fence", "SetEventOnCompletion");
const EVENTS: MethodId = method("ID3D12Device1", "SetEventOnMultipleFenceCompletion");
const SHARE: Argument<ObjectId> = argument!("ID3D12Device", "CreateSharedHandle", "pObject");
const ALLOCATOR: MethodId = method("ID3D12CommandAllocator", "Reset");
const RELEASE: MethodId = method("IUnknown", "Release");
const LIST_RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const LIST_CREATE: MethodId = method("ID3D12Device", "CreateCommandList");
const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");
const END_EVENT: MethodId = method("ID3D12GraphicsCommandList", "EndEvent");
const MAP: MethodId = method("ID3D12Resource", "Map");
const WRITE: MethodId = method("ID3D12Resource", "WriteToSubresource");
const READ: MethodId = method("ID3D12Resource", "ReadFromSubresource");
const UNMAP: MethodId = method("ID3D12Resource", "Unmap");
const BUFFER: MethodId = method("IDXGISwapChain", "GetBuffer");
const IMAGE: MethodId = function("vkd3d_create_image_resource");

/// Barriers of video lists: what they leave is not followed.
const VIDEO: [Argument<Many<D3D12_RESOURCE_BARRIER>>; 3] = [
    argument!("ID3D12VideoDecodeCommandList", "ResourceBarrier", "pBarriers"),
    argument!("ID3D12VideoProcessCommandList", "ResourceBarrier", "pBarriers"),
    argument!("ID3D12VideoEncodeCommandList", "ResourceBarrier", "pBarriers"),
];

/// Objects that are gone and still named.
const MOST_GONE: usize = 1 << 16;

/// The pass.
pub struct Linter<'t> {
    trace: &'t Trace,
    state: State,
    findings: Findings,
    gone: HashMap<u32, Gone>,
    /// The numbers that these had.
    left: Left,
    /// In the order in which they went.
    went: VecDeque<u32>,
    recordings: HashMap<u32, Rc<Recording>>,
    library: Library,
    world: World,
    queues: Queues<Submission>,
    /// By object: its last use on each queue.
    uses: HashMap<u32, BTreeMap<u32, LastUse>>,
    /// By resource: the submissions that wrote it last, by the bytes that each wrote.
    written: HashMap<u32, BTreeMap<Bytes, LastUse>>,
    /// By resource: the call that mapped it, and the submission that wrote what it maps to read.
    mapped: HashMap<u32, (u64, LastUse)>,
    submissions: u64,
    /// The frame of the last call, from 0.
    frame: u32,
    /// Calls of submissions that ran since somebody asked, where somebody does.
    ran: Option<Vec<u64>>,
    /// `D3D12_COMMAND_LIST_TYPE` by queue.
    kinds: HashMap<u32, u32>,
    /// Events that are open, by queue.
    events: HashMap<u32, u64>,
    /// Submissions before this point are not in the trace.
    cut: bool,
}

impl<'t> Linter<'t> {
    /// Before the first call of a trace.
    pub fn new(trace: &'t Trace) -> Linter<'t> {
        let mut state = State::default();
        state.note_gone();
        Linter {
            trace,
            state,
            findings: Findings::default(),
            gone: HashMap::new(),
            left: Left::default(),
            went: VecDeque::new(),
            recordings: HashMap::new(),
            library: Library::default(),
            world: World::default(),
            queues: Queues::default(),
            uses: HashMap::new(),
            written: HashMap::new(),
            mapped: HashMap::new(),
            submissions: 0,
            frame: 0,
            ran: None,
            kinds: HashMap::new(),
            events: HashMap::new(),
            cut: false,
        }
    }

    /// What the calls so far have made: the timeline's state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// How each subresource of a resource stands once all that was submitted so far has run; `None` where it is not followed.
    pub fn standing(&self, resource: u32) -> Option<Vec<Standing>> {
        self.world.resources.get(&resource).map(Tracked::standing)
    }

    /// The value of a fence once all that was submitted so far has run.
    pub fn fence(&self, fence: u32) -> Option<u64> {
        self.queues.value(fence)
    }

    /// What queues were given so far and have not done, each in its order.
    pub fn held(&self) -> Vec<Held> {
        self.queues.held(|submission| submission.call)
    }

    /// A call mapped tiles of a resource: notes with what it shares memory.
    pub fn note_tiles(&mut self, resource: u32) {
        let shared = self.state.memory.overlaps(resource);
        self.world.activity.remap(resource, shared.into_iter().map(|(_, _, other)| other.resource));
    }

    /// Which of the resources that share memory hold contents, once all that was submitted so far has run.
    pub fn activity(&self) -> &Activity {
        &self.world.activity
    }

    /// Notes from here on which submissions run: see [`Linter::take_runs`].
    pub fn note_runs(&mut self) {
        self.ran = Some(Vec::new());
    }

    /// The calls of the submissions that ran since the last question, in the order in which they ran.
    pub fn take_runs(&mut self) -> Vec<u64> {
        self.ran.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Notes from here on how resources are used: see [`Linter::take_uses`]. It is asked for before the walk, so that recordings are whole.
    pub fn note_uses(&mut self, wish: Wish) {
        self.world.log = Some(Log::new(wish));
    }

    /// The uses since the last question.
    pub fn take_uses(&mut self) -> Vec<Used> {
        self.world.log.as_mut().map(Log::take).unwrap_or_default()
    }

    /// What was found at the moment that was asked for, once it is behind.
    pub fn reached(&self) -> Option<&Reached> {
        self.world.log.as_ref().and_then(Log::reached)
    }

    /// How the subresources of a resource stand once all that was submitted so far has run; nothing of what is not followed.
    pub fn stands(&self, resource: u32) -> Vec<Stand> {
        self.world.stands(resource)
    }

    /// The trace has ended: what queues still wait with runs in the order of each queue, so that its uses are told.
    pub fn run_rest(&mut self) {
        let Linter { state, findings, gone, world, queues, .. } = self;
        let mut scene = Scene { state, gone, findings };
        for (queue, number, submission, before) in queues.rest() {
            let running = Running { queue, kind: submission.kind, number, before: &before };
            execute::run(world, &mut scene, &submission, &running);
        }
    }

    /// The processor uses a resource.
    fn did(&mut self, call: &Call<'_>, resource: u32, role: Role, index: Option<u32>) {
        let World { log: Some(log), resources, .. } = &mut self.world else { return };
        let shape = resources.get(&resource).map_or(Shape::ONE, |tracked| tracked.shape);
        log.did((call.number, Some(call.method), self.frame), resource, role, (shape, index, None));
    }

    /// A call begins, before anything is made of it: at a moment of the processor it is told how all stands. Whoever walks says it of each
    /// call, because a pass is given only those that it asks for.
    pub fn passes(&mut self, call: u64) {
        if self.world.log.as_ref().is_some_and(|log| log.passes(call)) {
            self.world.look(None);
        }
    }

    /// Notes from here on what uses find first: see [`Linter::finds`].
    pub fn note_firsts(&mut self) {
        self.world.firsts = Some(Firsts::default());
    }

    /// Whether a use of the resource may have found contents from before [`Linter::note_firsts`], as far as uses are followed: those by
    /// descriptor arrays and by shaders of ray tracing are not.
    pub fn finds(&self, resource: u32) -> bool {
        let followed = self.world.resources.contains_key(&resource);
        !followed || self.world.firsts.as_ref().is_none_or(|firsts| firsts.found(resource))
    }

    /// The state that a subresource had at [`Linter::note_firsts`], where it is not known, by what lists did with it since.
    /// [`Standing::Unknown`] where they did nothing that is followed; `None` where no one state allows all that they did.
    pub fn supposed(&self, resource: u32, index: u32) -> Option<Standing> {
        let supposed = self.world.firsts.as_ref().and_then(|firsts| firsts.supposed(resource, index));
        supposed.map_or(Some(Standing::Unknown), Supposed::standing)
    }

    /// The picture of a resource is taken: a use of all of it.
    pub fn present(&mut self, resource: u32) {
        if let (Some(firsts), Some(tracked)) = (&mut self.world.firsts, self.world.resources.get(&resource)) {
            firsts.uses(resource, tracked.shape, &Subresources::All);
        }
    }

    /// The trace has ended: everything that was found, in the order of the trace, and how many findings there was no room for.
    pub fn finish(mut self) -> (Vec<Finding>, u64) {
        let stuck = self.queues.stuck();
        let mut open: Vec<_> =
            self.world.resources.iter().flat_map(|(id, tracked)| tracked.split().map(|it| (*id, it))).collect();
        open.sort_by_key(|(id, standing)| (standing.call, *id));
        let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
        stuck.iter().for_each(|stuck| fences::stuck(&mut scene, stuck));
        for (resource, standing) in open {
            split::never_ended(&mut scene, resource, standing);
        }
        self.findings.into_parts()
    }

    /// A call that is complete, before the state knows it.
    fn before(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        if lists::records(call.method) {
            Self::leave_out(self.numbers(call, Some(call.object)));
            return self.record(call);
        }
        match call.method {
            CLOSE => self.close(call),
            it if it == EXECUTE.method() => self.execute(call)?,
            UNMAP => self.unmapped(call)?,
            method if left::is_of_device(method) => self.numbers(call, None)?,
            method => {
                let Some(video) = VIDEO.iter().find(|video| video.method() == method) else { return Ok(()) };
                for barrier in video.of(call)?.iter() {
                    if barrier.Type == D3D12_RESOURCE_BARRIER_TYPE::TRANSITION {
                        // SAFETY: the type says that this member of the union is in use; its bytes were read from the payload.
                        let moved = unsafe { barrier.Anonymous.Transition.pResource };
                        self.world.forget(moved as usize as u32);
                    }
                }
            }
        }
        Ok(())
    }

    /// Looks at the numbers that a call is given.
    fn numbers(&mut self, call: &Call<'_>, list: Option<u32>) -> Result<(), Damaged> {
        let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
        self.left.look(&mut scene, call, list, self.cut)
    }

    /// A call that is complete, with the state that it left.
    fn after(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let happened = call.succeeded() || matches!(call.outcome, Outcome::Lost);
        match call.method {
            LIST_RESET => self.begin(call.number, call.object),
            LIST_CREATE => {
                if let Some(given) = call.given()?.first() {
                    self.begin(call.number, given.object);
                }
            }
            SIGNAL if happened => {
                const FENCE: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Signal", "pFence");
                const VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Signal", "Value");
                let signal = Operation { fence: FENCE.of(call)?.0, value: VALUE.of(call)?, call: call.number };
                self.queues.signal(call.object, signal);
                self.run();
            }
            WAIT if happened => {
                const FENCE: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Wait", "pFence");
                const VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Wait", "Value");
                let wait = Operation { fence: FENCE.of(call)?.0, value: VALUE.of(call)?, call: call.number };
                self.queues.wait(call.object, wait);
                self.run();
            }
            SET if happened => {
                const VALUE: Argument<u64> = argument!("ID3D12Fence", "Signal", "Value");
                self.queues.set(call.object, VALUE.of(call)?);
                self.run();
            }
            FENCE => {
                const INITIAL: Argument<u64> = argument!("ID3D12Device", "CreateFence", "InitialValue");
                const FLAGS: Argument<D3D12_FENCE_FLAGS> = argument!("ID3D12Device", "CreateFence", "Flags");
                if let Some(given) = call.given()?.first() {
                    let shared = D3D12_FENCE_FLAGS::SHARED.0 | D3D12_FENCE_FLAGS::SHARED_CROSS_ADAPTER.0;
                    self.queues.made(given.object, INITIAL.of(call)?, FLAGS.of(call)?.0 & shared != 0);
                }
            }
            it if it == SHARE.method() => self.queues.shared(SHARE.of(call)?.0),
            ASK => {
                if let Some(value) = call.result() {
                    self.queues.observed(call.object, value);
                    self.run();
                }
            }
            EVENT if happened => {
                const VALUE: Argument<u64> = argument!("ID3D12Fence", "SetEventOnCompletion", "Value");
                const HANDLE: Argument<u64> = argument!("ID3D12Fence", "SetEventOnCompletion", "hEvent");
                let value = VALUE.of(call)?;
                // Without an event the call returns once the value is reached. With one, the program may wait from here on.
                if HANDLE.of(call)? == 0 {
                    self.queues.observed(call.object, value);
                } else {
                    self.queues.saw(call.object, value);
                }
                self.run();
            }
            EVENTS if happened => {
                const FENCES: Argument<Many<ObjectId>> =
                    argument!("ID3D12Device1", "SetEventOnMultipleFenceCompletion", "ppFences");
                const VALUES: Argument<Many<u64>> =
                    argument!("ID3D12Device1", "SetEventOnMultipleFenceCompletion", "pFenceValues");
                for (fence, value) in FENCES.of(call)?.iter().zip(VALUES.of(call)?.iter()) {
                    self.queues.saw(fence.0, value);
                }
            }
            ALLOCATOR => self.allocator(call),
            QUEUE_BEGIN => *self.events.entry(call.object).or_default() += 1,
            QUEUE_END => {
                let open = self.events.entry(call.object).or_default();
                // What a flight recorder left out may have begun it.
                if *open == 0 && !self.cut {
                    let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
                    events::not_begun(&mut scene, call.number, call.object, None);
                }
                *open = open.saturating_sub(1);
            }
            MAP if happened => {
                const INDEX: Argument<u32> = argument!("ID3D12Resource", "Map", "Subresource");
                self.did(call, call.object, Role::Map, Some(INDEX.of(call)?));
                self.map(call)?;
            }
            WRITE if happened => {
                const INDEX: Argument<u32> = argument!("ID3D12Resource", "WriteToSubresource", "DstSubresource");
                self.did(call, call.object, Role::SubresourceWrite, Some(INDEX.of(call)?));
            }
            READ if happened => {
                const INDEX: Argument<u32> = argument!("ID3D12Resource", "ReadFromSubresource", "SrcSubresource");
                self.did(call, call.object, Role::SubresourceRead, Some(INDEX.of(call)?));
            }
            BUFFER if happened => {
                if let Some(given) = call.given()?.first() {
                    self.world.resources.entry(given.object).or_insert_with(|| Tracked::of_swap_chain(call.number));
                }
            }
            IMAGE if happened => {
                if let Some(given) = call.given()?.first() {
                    self.world.resources.entry(given.object).or_insert_with(|| Tracked::of_image(call.number));
                }
            }
            it if memory::makes_resource(it) => self.made(call)?,
            _ => {}
        }
        Ok(())
    }

    fn made(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let Some(given) = call.given()?.first().map(|given| given.object) else { return Ok(()) };
        let (Some(desc), Some(own)) = (memory::resource(call)?, self.state.memory.resource(given)) else {
            return Ok(());
        };
        let heap = match own.place {
            memory::Place::Committed { kind, .. } => kind,
            memory::Place::Placed { heap, .. } => self.state.memory.heap(heap).map_or(1, |heap| heap.kind),
            memory::Place::Reserved => 1,
        };
        let tracked = Tracked::new(&desc, memory::initial_state(call)?, own.place, heap, call.number);
        self.world.resources.insert(given, tracked);
        if let memory::Place::Placed { heap, offset } = own.place {
            self.world.placed(given, heap, offset, own.size);
        }
        Ok(())
    }

    fn begin(&mut self, call: u64, list: u32) {
        let Some(own) = self.state.lists.get(list).filter(|list| list.open) else { return };
        let mut recording = Recording::new(list, own.kind, own.allocator);
        recording.begun = call;
        recording.keeps = self.world.log.is_some();
        if let Some(lists::Pipeline::State(initial)) = own.bound.pipeline.map(|set| set.value) {
            recording.needs.insert(initial);
        }
        self.recordings.insert(list, Rc::new(recording));
    }

    fn record(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let id = call.object;
        let place = Place { call: call.number, list: Some(id), submission: None };
        let Some(list) = self.state.lists.get(id) else { return Ok(()) };
        if call.method == BUNDLE {
            return self.bundle(call, &list.bound.clone());
        }
        let Linter { trace, state, findings, gone, left, recordings, library, world, .. } = self;
        let state = &*state;
        let Some(recording) = recordings.get_mut(&id).map(Rc::make_mut) else { return Ok(()) };
        recording.at = (call.number, Some(call.method));
        let Some(list) = state.lists.get(id) else { return Ok(()) };
        let mut scene = Scene { state, gone, findings };
        if let Some(action) = lists::action(call.method) {
            if list.is_bundle() {
                // What it uses is known when a list runs it.
                recording.draws.push(Draw {
                    call: call.number,
                    method: call.method,
                    action,
                    bound: Box::new(list.bound.clone()),
                });
                return Ok(());
            }
            let mut drawing = Drawing { trace, library, world, left, recording, scene: &mut scene, place };
            return draw(&mut drawing, call, action, &list.bound);
        }
        for what in record::legacy_barriers(call)? {
            if let What::Transition(it) = what {
                barrier_arguments::look(&mut scene, place, recording.kind, &it, world.resources.get(&it.resource));
            }
        }
        for barrier in record::enhanced_barriers(call) {
            let kind = match (barrier.layouts, world.resources.get(&barrier.resource)) {
                (Some(_), Some(tracked)) => tracked.kind,
                (Some(_), None) => Kind::Texture,
                (None, _) => Kind::Buffer,
            };
            layout::scopes(&mut scene, place, kind, &barrier);
        }
        if call.method == END_EVENT && recording.events.pop().is_none() {
            events::not_begun(&mut scene, call.number, id, Some(id));
        }
        if structures::is_about(call.method) {
            return structures::record(&mut Context { state, world, recording }, call);
        }
        if call.method == nested::PASS {
            return pass::record(&mut Context { state, world, recording }, call);
        }
        record::record(&mut Context { state, world, recording }, call)
    }

    fn bundle(&mut self, call: &Call<'_>, bound: &Bound) -> Result<(), Damaged> {
        const RAN: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");
        let ran = RAN.of(call)?.0;
        let Some(bundle) = self.recordings.get(&ran) else { return Ok(()) };
        let (draws, needs, allocator) = (bundle.draws.clone(), bundle.needs.clone(), bundle.allocator);
        let it = Ran { begun: bundle.begun, ended: bundle.ended, at: call.number };
        let Linter { trace, state, findings, gone, left, recordings, library, world, .. } = self;
        let Some(recording) = recordings.get_mut(&call.object).map(Rc::make_mut) else { return Ok(()) };
        recording.needs.extend(needs);
        recording.needs.insert(allocator);
        recording.runs(ran, it);
        let mut scene = Scene { state, gone, findings };
        for it in draws {
            recording.at = (call.number, Some(it.method));
            let place = Place { call: it.call, list: Some(ran), submission: None };
            let within = Bound::within(bound, &it.bound, |one, other| state.lists.are_same(one, other));
            let mut drawing = Drawing { trace, library, world, left, recording, scene: &mut scene, place };
            if it.action != Action::Indirect {
                drawing.look(it.action, &within, &[]);
            }
        }
        Ok(())
    }

    fn close(&mut self, call: &Call<'_>) {
        let Some(recording) = self.recordings.get_mut(&call.object).map(Rc::make_mut) else { return };
        recording.ended = Some(call.number);
        if let Some(event) = recording.events.last().copied() {
            let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
            events::not_ended(&mut scene, call.number, call.object, event);
        }
    }

    fn execute(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let queue = call.object;
        self.submissions += 1;
        let number = self.submissions;
        let kind = match self.kinds.get(&queue) {
            Some(kind) => *kind,
            None => {
                let kind = self.state.queues.queue(queue).map_or(0, |queue| queue.kind);
                self.kinds.insert(queue, kind);
                kind
            }
        };
        // A list whose Close failed is refused for that.
        let records = |id| self.recordings.get(&id).is_some_and(|recording| !recording.is_closed());
        let mut runs = Vec::new();
        // What arrays show of what shares memory, each looked through once.
        let mut shown: HashMap<(Slot, u32), Rc<[u32]>> = HashMap::new();
        for ObjectId(list) in EXECUTE.of(call)?.iter().filter(|list| list.0 != 0) {
            let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
            let place = Place { call: call.number, list: Some(list), submission: Some((number, call.number)) };
            if let Some(own) = self.state.lists.get(list).filter(|own| own.open && records(list)) {
                lifetime::open(&mut scene, place, list, own.begun);
                continue;
            }
            let Some(recording) = self.recordings.get(&list).cloned() else { continue };
            let (mut tables, mut arrays, mut possible) = (HashMap::new(), HashMap::new(), HashMap::new());
            for (index, operation) in recording.operations.iter().enumerate() {
                if let What::Array(first, count) = operation.what
                    && !self.world.activity.is_empty()
                {
                    let look = || shown_by(&self.state, &self.world, first, count);
                    let all = shown.entry((first, count)).or_insert_with(look);
                    arrays.insert(index, all.clone());
                }
                if let (What::Array(first, count), true) = (&operation.what, recording.keeps) {
                    possible.insert(index, possibly(&self.state, &self.world, *first, *count));
                }
                if let What::Traced(first, count) = operation.what {
                    tables.insert(index, traced(&self.state, first, count));
                }
                let What::Table(table) = &operation.what else { continue };
                let place = Place { call: operation.call, ..place };
                let found = self.state.descriptors.get(table.slot);
                let Some(found) = descriptors::look(&mut scene, place, table, found) else { continue };
                let leads = record::uses_of(&self.state, &self.world, table, found);
                if let Some(lost) = leads.lost {
                    descriptors::released(&mut scene, place, table, found, lost);
                }
                tables.insert(index, leads.uses);
            }
            runs.push(Run { recording, tables, arrays, possible });
        }
        self.use_objects(call, number, &runs);
        let (call, frame) = (call.number, self.frame);
        self.queues.submit(queue, |_| Submission { number, call, frame, kind, lists: runs });
        self.run();
        Ok(())
    }

    /// Notes which objects a submission uses.
    fn use_objects(&mut self, call: &Call<'_>, number: u64, runs: &[Run]) {
        let ordinal = self.queues.submitted(call.object) + 1;
        for Run { recording, tables, .. } in runs {
            let list = recording.list;
            let place = Place { call: call.number, list: Some(list), submission: Some((number, call.number)) };
            let last =
                LastUse { queue: call.object, ordinal, number, call: call.number, list, severity: Severity::Error };
            let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
            let mut note = |object: u32, severity: Severity| {
                if self.state.objects.get(object).is_none() {
                    lifetime::used(&mut scene, place, object, severity);
                    return;
                }
                self.uses.entry(object).or_default().insert(call.object, LastUse { severity, ..last });
            };
            note(recording.allocator, Severity::Error);
            recording.needs.iter().for_each(|object| note(*object, Severity::Error));
            for uses in tables.values() {
                // What is gone of these is told by the descriptor.
                let alive = uses.iter().filter(|it| self.state.objects.get(it.resource).is_some());
                alive.for_each(|it| note(it.resource, it.severity));
            }
            for operation in &recording.operations {
                if let What::Use(it) | What::Clear(it, _) = &operation.what {
                    note(it.resource, it.severity);
                    if matches!(it.access, Access::CopyTo | Access::ResolveTo) {
                        self.written.entry(it.resource).or_default().insert(it.bytes, last);
                    }
                }
            }
        }
    }

    /// Lets the queues go on.
    fn run(&mut self) {
        let Linter { state, findings, gone, world, queues, ran, .. } = self;
        let mut scene = Scene { state, gone, findings };
        queues.run(|step| match step {
            Step::Run { queue, number, submission, before } => {
                ran.iter_mut().for_each(|ran| ran.push(submission.call));
                let running = Running { queue, kind: submission.kind, number, before: &before };
                execute::run(world, &mut scene, &submission, &running);
            }
            Step::Backwards { signal, from, by, queue } => fences::backwards(&mut scene, queue, signal, from, by),
        });
    }

    fn allocator(&mut self, call: &Call<'_>) {
        let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
        let flight = self.uses.get(&call.object).into_iter().flat_map(|uses| uses.values());
        if let Some(last) =
            flight.filter(|last| !self.queues.has_ended(last.queue, last.ordinal)).max_by_key(|last| last.number)
        {
            lifetime::reset(&mut scene, call.number, call.object, *last);
        }
        // A list whose Close failed records no more.
        let records = |id: &u32| self.recordings.get(id).is_some_and(|recording| !recording.is_closed());
        let mut lists = self.state.lists.iter();
        let open = lists.find(|(id, list)| list.open && list.allocator == call.object && records(id));
        if let Some((id, list)) = open {
            lifetime::reset_under(&mut scene, call.number, call.object, id, list.begun);
        }
    }

    fn map(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const RANGE: Argument<One<D3D12_RANGE>> = argument!("ID3D12Resource", "Map", "pReadRange");
        let read = RANGE.of(call)?.map_or(0..u64::MAX, |range| range.Begin..range.End);
        let readback = self.world.resources.get(&call.object).is_some_and(|tracked| tracked.kind == Kind::Readback);
        let Some(written) = self.written.get_mut(&call.object).filter(|_| readback && !read.is_empty()) else {
            return Ok(());
        };
        written.retain(|_, last| !self.queues.has_ended(last.queue, last.ordinal));
        let meets = |bytes: &Bytes| {
            bytes.is_none_or(|(first, count)| first < read.end && read.start < first.saturating_add(count))
        };
        let last = written.iter().filter(|(bytes, _)| meets(bytes)).max_by_key(|(_, last)| last.number);
        if let Some((_, last)) = last {
            self.mapped.insert(call.object, (call.number, *last));
        }
        Ok(())
    }

    fn unmapped(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        let Some((mapped, last)) = self.mapped.remove(&call.object) else { return Ok(()) };
        // Submissions after the map may have been what it waits for.
        if !self.queues.has_ended(last.queue, last.ordinal) {
            let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
            readback::early(&mut scene, call.number, call.object, mapped, last);
        }
        Ok(())
    }

    /// Objects that are gone since the last look, by this call.
    fn depart(&mut self, call: u64, before: &BTreeMap<u32, Gone>) {
        for object in self.state.take_gone() {
            if let Some(gone) = before.get(&object) {
                self.gone.insert(object, gone.clone());
                gone.range.into_iter().for_each(|range| self.left.add(object, range));
                self.went.push_back(object);
            }
            if self.went.len() > MOST_GONE
                && let Some(oldest) = self.went.pop_front()
            {
                self.gone.remove(&oldest);
                self.left.forget(oldest);
            }
            let mut scene = Scene { state: &self.state, gone: &self.gone, findings: &mut self.findings };
            let flight = self.uses.remove(&object).into_iter().flat_map(BTreeMap::into_values);
            let last =
                flight.filter(|last| !self.queues.has_ended(last.queue, last.ordinal)).max_by_key(|last| last.number);
            let presented = self.world.resources.get(&object).is_some_and(|tracked| tracked.presented);
            if let Some(last) = last.filter(|_| !presented) {
                lifetime::released(&mut scene, call, object, last);
            }
            let open: Vec<_> = self.world.resources.get(&object).into_iter().flat_map(Tracked::split).collect();
            open.into_iter().for_each(|standing| split::never_ended(&mut scene, object, standing));
            self.world.gone(object);
            self.library.gone(object);
            self.queues.gone(object);
            self.recordings.remove(&object);
            self.written.remove(&object);
            self.mapped.remove(&object);
        }
    }

    /// The objects that a release may take along, by name.
    fn may_go(&self, call: &Call<'_>) -> BTreeMap<u32, Gone> {
        let mut all = BTreeMap::new();
        let mut stack = vec![call.object];
        while let Some(id) = stack.pop() {
            let Some(object) = self.state.objects.get(id) else { continue };
            if all
                .insert(
                    id,
                    Gone { call: call.number, named: named(id, object), range: left::range_of(&self.state, id) },
                )
                .is_none()
            {
                stack.extend(object.needs());
            }
        }
        all
    }

    /// A call whose arguments cannot be read is left out; the state has counted it.
    fn leave_out(_: Result<(), Damaged>) {}
}

/// A draw, a dispatch, or what a command signature says.
fn draw(drawing: &mut Drawing<'_, '_>, call: &Call<'_>, action: Action, bound: &Bound) -> Result<(), Damaged> {
    let state = drawing.scene.state;
    if action != Action::Indirect {
        match action {
            Action::DispatchRays => rays::record(drawing, call, bound),
            Action::DispatchGraph => {}
            action => drawing.look(action, bound, &[]),
        }
        return Ok(());
    }
    const SIGNATURE: Argument<ObjectId> =
        argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
    const ARGUMENTS: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pArgumentBuffer");
    const COUNT: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCountBuffer");
    for buffer in [ARGUMENTS.of(call)?, COUNT.of(call)?] {
        drawing.recording.uses(call.number, buffer.0, Subresources::All, Access::Indirect);
    }
    let signature = SIGNATURE.of(call)?.0;
    drawing.recording.needs.insert(signature);
    let Some(commands) = state.lists.commands(signature) else { return Ok(()) };
    let mut given = Vec::new();
    let mut buffers = false;
    for change in &commands.changes {
        match change {
            Change::Constants(parameter, ..) | Change::View(parameter, _) => given.push(*parameter),
            Change::Vertices(_) | Change::Index => buffers = true,
        }
    }
    // Which kind of draw it is decides what its input needs; buffers in the arguments are the GPU's alone.
    if commands.dispatches
        && !bound.pipeline.is_some_and(|pipeline| !matches!(pipeline.value, lists::Pipeline::State(_)))
    {
        drawing.look(Action::Dispatch, bound, &given);
    } else if !commands.dispatches && !buffers {
        drawing.look(Action::DrawMesh, bound, &given);
    }
    Ok(())
}

/// The resources that share memory, and that so many descriptors of a heap show.
fn shown_by(state: &State, world: &World, first: Slot, count: u32) -> Rc<[u32]> {
    let Some(heap) = state.descriptors.heap(first.heap) else { return Rc::new([]) };
    let end = first.index.saturating_add(count);
    let slots = heap.slots().filter(|(index, _)| (first.index..end).contains(index));
    let all: BTreeSet<u32> = slots.map(|(_, descriptor)| descriptor.view.resource).collect();
    all.into_iter().filter(|resource| world.activity.of(*resource).is_some()).collect()
}

/// What shaders may do with what so many descriptors of a heap show.
fn possibly(state: &State, world: &World, first: Slot, count: u32) -> Rc<[Use]> {
    let Some(heap) = state.descriptors.heap(first.heap) else { return Rc::new([]) };
    let end = first.index.saturating_add(count);
    let slots = heap.slots().filter(|(index, _)| (first.index..end).contains(index));
    slots.flat_map(|(_, descriptor)| record::possible(state, world, descriptor)).collect()
}

/// The acceleration structures that so many descriptors of a heap show.
fn traced(state: &State, first: Slot, count: u32) -> Vec<Use> {
    let Some(heap) = state.descriptors.heap(first.heap) else { return Vec::new() };
    let slots = first.index..first.index.saturating_add(count).min(heap.count);
    let addresses = slots.filter_map(|index| view::structure(&heap.get(index)?.view));
    let places = addresses.filter_map(|address| state.addresses.resource(address));
    places.map(|place| Use::traced((place.resource, place.offset))).collect()
}

impl Pass for Linter<'_> {
    fn interests(&self) -> Interests {
        const OWN: [MethodId; 6] = [ALLOCATOR, QUEUE_BEGIN, QUEUE_END, BUFFER, IMAGE, SHARE.method()];
        self.state
            .interests()
            .calls(&OWN)
            .calls(&[MAP, UNMAP, WRITE, READ])
            .memory_if(self.world.log.is_some())
            .calls(&VIDEO.map(|video| video.method()))
            .enters(&[RELEASE])
            .observed()
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        let going = if call.method == RELEASE { self.may_go(call) } else { BTreeMap::new() };
        self.state.enter(call, at);
        self.depart(call.number, &going);
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        self.frame = at.frame;
        let going = if call.method == RELEASE { self.may_go(call) } else { BTreeMap::new() };
        Self::leave_out(self.before(call));
        self.state.call(call, at);
        Self::leave_out(self.after(call));
        self.depart(call.number, &going);
    }

    fn memory(&mut self, memory: &Memory<'_>, at: &At) {
        self.state.memory(memory, at);
        let World { log: Some(log), resources, .. } = &mut self.world else { return };
        let shape = resources.get(&memory.resource).map_or(Shape::ONE, |tracked| tracked.shape);
        let role = if memory.observed { Role::Readback } else { Role::Store };
        let bytes = Some((memory.offset, memory.bytes.len() as u64));
        log.did((at.call, None, at.frame), memory.resource, role, (shape, Some(memory.subresource), bytes));
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], at: &At) {
        self.state.fact(object, kind, bytes, at);
        self.left.fact(kind);
        if fact::is_whole_from_here(kind, bytes) {
            self.world.forget_all();
            self.cut = true;
        }
    }

    fn observe(&mut self, fence: u32, value: u64, at: &At) {
        self.state.observe(fence, value, at);
        self.queues.observed(fence, value);
        self.run();
    }
}
