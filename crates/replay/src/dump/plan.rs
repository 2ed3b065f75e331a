//! The pass over the trace before a replay with dumps: where each copy goes, and what the resource's states are there.
//!
//! Invariant: every dump asked for is in the plan, with a place or with the reason why it has none.

use std::collections::HashMap;
use std::sync::Arc;

use reprise_codec::{Codec, Value};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Method, MethodId, Order};
use reprise_trace::fact;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use super::act::{Act, BUFFERS, ROOTS, act, is_list};
use super::bindings::{Binding, Bound};
use super::states::{self, Extent, States};
use super::views::Views;
use super::{DumpAt, DumpRequest, ResourceDumps};
use crate::input::source::{Blobs, Source};
use crate::input::values::{argument, at, number_at};
use crate::resolve::address::AddressMap;

/// One copy to make.
#[derive(Clone, Debug, Default)]
pub(crate) struct Job {
    /// The beginning of the names of its files.
    pub(crate) name: String,
    /// In words.
    pub(crate) what: String,
    pub(crate) resource: u32,
    pub(crate) subresource: Option<u32>,
    /// Offset and size; clipped to the buffer.
    pub(crate) bytes: Option<(u64, u64)>,
    /// The list that the copy goes into; `None`: the queues are drained, and replay's own list copies.
    pub(crate) list: Option<u32>,
    /// At the copy.
    pub(crate) states: States,
    /// Buffer, offset and operation of the predicate that is set there.
    pub(crate) predicate: Option<(u32, u64, u32)>,
    /// Remarks for the reader of the files.
    pub(crate) notes: Vec<String>,
    /// Why it cannot be made.
    pub(crate) failure: Option<String>,
}

/// All copies of a replay, by the call, frame or submission that they stand beside.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) jobs: Vec<Job>,
    /// By number of a call: jobs right before it, right after it, and those that its submission makes the GPU do.
    pub(crate) before: HashMap<u64, Vec<usize>>,
    pub(crate) after: HashMap<u64, Vec<usize>>,
    pub(crate) submitted: HashMap<u64, Vec<usize>>,
    /// By frame that ends.
    pub(crate) frames: HashMap<u64, Vec<usize>>,
}

/// A list under recording.
#[derive(Default)]
struct List {
    bundle: bool,
    /// By its own barriers.
    states: HashMap<u32, States>,
    predicate: Option<(u32, u64, u32)>,
    in_pass: bool,
    bound: Bound,
    /// Jobs that wait for the end of the render pass, or for the bundle to be run.
    held: Vec<Job>,
    /// Draws of a bundle, with what the bundle itself binds: call, whether it is a draw, a dispatch or either.
    draws: Vec<(u64, &'static [bool], Bound)>,
    /// Jobs of this recording that no submission has made yet.
    open: Vec<usize>,
}

/// A dump that is asked for at a call.
#[derive(Clone)]
enum Want {
    Request(DumpRequest),
    Draw,
}

struct Planner<'c> {
    codec: &'c Codec,
    blobs: &'c dyn Blobs,
    before: bool,
    draws: bool,
    plan: Plan,
    lists: HashMap<u32, List>,
    states: HashMap<u32, States>,
    extents: HashMap<u32, Extent>,
    widths: HashMap<u32, u64>,
    addresses: AddressMap,
    views: Views,
    /// The bytes of the root signature that is being made.
    signature: Option<Arc<[u8]>>,
}

/// Goes over the whole trace. `asked` must not be empty.
pub(crate) fn plan(
    source: &mut dyn Source,
    blobs: &dyn Blobs,
    codec: &Codec,
    asked: &ResourceDumps,
) -> Result<Plan, String> {
    let mut calls: HashMap<u64, Vec<Want>> = HashMap::new();
    let mut frames: HashMap<u64, Vec<DumpRequest>> = HashMap::new();
    for request in &asked.requests {
        match request.at {
            DumpAt::Call(call) => calls.entry(call).or_default().push(Want::Request(request.clone())),
            DumpAt::Frame(frame) => frames.entry(frame).or_default().push(request.clone()),
        }
    }
    for &call in &asked.draws {
        calls.entry(call).or_default().push(Want::Draw);
    }
    let mut planner = Planner {
        codec,
        blobs,
        before: asked.before,
        draws: !asked.draws.is_empty(),
        plan: Plan::default(),
        lists: HashMap::new(),
        states: HashMap::new(),
        extents: HashMap::new(),
        widths: HashMap::new(),
        addresses: AddressMap::default(),
        views: Views::default(),
        signature: None,
    };
    let acts: Vec<Act> = MODEL.methods.iter().map(act).collect();
    // Payloads of calls whose leave matters too, by number.
    let mut entered: HashMap<u64, Vec<u8>> = HashMap::new();
    let (mut last_call, mut last_frame) = (0, 0);
    while let Some(event) = source.next()? {
        match event.kind {
            Kind::Enter => {
                last_call = event.number;
                let Some(method) = MODEL.methods.get(usize::from(event.method)) else { continue };
                let act = acts[usize::from(event.method)];
                let leaves = method.order == Order::EnterLeave;
                if leaves && matches!(act, Act::Resource | Act::List | Act::Increment | Act::Signature) {
                    entered.insert(event.number, event.payload.to_vec());
                }
                let wants = calls.get(&event.number).cloned().unwrap_or_default();
                // Nothing can be recorded after the close.
                let before = asked.before || act == Act::Close;
                if before {
                    wants.iter().for_each(|want| planner.want(want, &event, method, act, true));
                }
                planner.enter(&event, method, act);
                if !before && !leaves {
                    wants.iter().for_each(|want| planner.want(want, &event, method, act, false));
                }
                if before || !leaves {
                    calls.remove(&event.number);
                }
            }
            Kind::Leave => {
                let Some(method) = MODEL.methods.get(usize::from(event.method)) else { continue };
                let act = acts[usize::from(event.method)];
                planner.leave(&event, method, act, entered.remove(&event.number).as_deref());
                for want in calls.remove(&event.number).unwrap_or_default() {
                    planner.want(&want, &event, method, act, false);
                }
            }
            Kind::Frame => {
                last_frame = u64::from(event.frame) + 1;
                for request in frames.remove(&last_frame).unwrap_or_default() {
                    let job = planner.at_rest(&request, format!("frame{last_frame:06}_res{}", request.resource));
                    let job = planner.add(job);
                    planner.plan.frames.entry(last_frame).or_default().push(job);
                }
            }
            Kind::Fact => planner.fact(&event),
            _ => {}
        }
    }
    for (call, wants) in calls {
        let reason = format!("the trace has no such call that returned (its last one is {last_call})");
        wants.iter().for_each(|want| planner.cannot(want, call, reason.clone()));
    }
    for request in frames.into_values().flatten() {
        let reason = format!("the trace has {last_frame} frames");
        planner.cannot(&Want::Request(request), 0, reason);
    }
    Ok(planner.finish())
}

impl Planner<'_> {
    fn finish(mut self) -> Plan {
        for list in std::mem::take(&mut self.lists).into_values() {
            self.give_up(list);
        }
        self.plan
    }

    /// Jobs of a recording that ends here.
    fn give_up(&mut self, list: List) {
        for job in list.open {
            self.plan.jobs[job].failure = Some("its command list was never submitted after this call".into());
        }
        for mut job in list.held {
            job.failure = Some("the render pass or bundle that it stands in was never ended or run".into());
            self.plan.jobs.push(job);
        }
    }

    fn fact(&mut self, event: &Event<'_>) {
        let Some((kind, bytes)) = event.fact() else { return };
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        match kind {
            fact::ADDRESS_RANGE => _ = self.addresses.insert(event.object, word(0), word(8)),
            fact::DESCRIPTOR_HEAP => {
                let (increment, count) = (word(16) as u32, (word(16) >> 32) as u32);
                self.views.heap(event.object, word(0), word(8), (increment, count));
            }
            _ => {}
        }
    }

    fn enter(&mut self, event: &Event<'_>, method: &Method, act: Act) {
        let number = |name| argument(method, event.payload, name).unwrap_or(0);
        let decoded = || self.codec.decode_enter(MethodId(event.method), event.payload).ok();
        match act {
            Act::Reset => {
                let bundle = self.lists.get(&event.object).is_some_and(|list| list.bundle);
                let old = self.lists.insert(event.object, List { bundle, ..List::default() });
                old.into_iter().for_each(|old| self.give_up(old));
            }
            Act::Legacy => {
                let Some(arguments) = decoded() else { return };
                let list = self.lists.entry(event.object).or_default();
                states::legacy(&arguments.members, |resource, states| list.apply(resource, &states));
            }
            Act::Enhanced => {
                let Some(arguments) = decoded() else { return };
                let list = self.lists.entry(event.object).or_default();
                states::enhanced(&arguments.members, &self.extents, |resource, states| list.apply(resource, &states));
            }
            Act::BeginPass => {
                let arguments = decoded().filter(|_| self.draws);
                let list = self.lists.entry(event.object).or_default();
                list.in_pass = true;
                if let Some(arguments) = arguments {
                    list.bound.pass(&arguments.members, &self.views);
                }
            }
            Act::EndPass => {
                let list = self.lists.entry(event.object).or_default();
                list.in_pass = false;
                for mut job in std::mem::take(&mut list.held) {
                    job.notes.push(format!("as the render pass left it, which ends at call {}", event.number));
                    self.insert(job, event.object, event.number, false);
                }
            }
            Act::Predicate => {
                let buffer = number("pBuffer") as u32;
                let predicate = (buffer, number("AlignedBufferOffset"), number("Operation") as u32);
                self.lists.entry(event.object).or_default().predicate = (buffer != 0).then_some(predicate);
            }
            Act::Bundle => self.run_bundle(event.object, number("pCommandList") as u32, event.number),
            Act::Execute => {
                let Some(arguments) = decoded() else { return };
                let lists = at(&arguments.members, "ppCommandLists").map(crate::input::values::ids).unwrap_or_default();
                lists.into_iter().for_each(|list| self.submit(list, event.number));
            }
            _ if self.draws => self.bind(event, method, act),
            _ => {}
        }
    }

    /// Calls that only matter to draws.
    fn bind(&mut self, event: &Event<'_>, method: &Method, act: Act) {
        let number = |name| argument(method, event.payload, name).unwrap_or(0);
        let list = self.lists.entry(event.object);
        match act {
            Act::View => self.views.made(number("DestDescriptor"), number("pResource") as u32),
            Act::SetSignature(compute) => {
                list.or_default().bound.signature(compute, number("pRootSignature") as u32);
            }
            Act::Table(compute) => {
                let parameter = number("RootParameterIndex") as u32;
                list.or_default().bound.table(compute, parameter, number("BaseDescriptor"));
            }
            Act::Root(index) => {
                let (parameter, address) = (number("RootParameterIndex") as u32, number("BufferLocation"));
                list.or_default().bound.root(ROOTS[usize::from(index)], parameter, address);
            }
            Act::CopyViews | Act::Targets | Act::Views(_) | Act::ConstantsView | Act::Signature => {
                let Ok(arguments) = self.codec.decode_enter(MethodId(event.method), event.payload) else { return };
                match act {
                    Act::ConstantsView => {
                        let field = |name: &str| number_at(&arguments.members, &format!("pDesc.{name}")).unwrap_or(0);
                        let handle = number("DestDescriptor");
                        self.views.constants(handle, field("BufferLocation"), field("SizeInBytes"));
                    }
                    Act::Signature => {
                        self.signature = match at(&arguments.members, "pBlobWithRootSignature") {
                            Some(Value::Blob(blob, ..)) => self.blobs.blob(event, *blob).ok(),
                            Some(Value::Bytes(bytes)) => Some(bytes.as_ref().into()),
                            _ => None,
                        };
                    }
                    Act::Targets => list.or_default().bound.targets(&arguments.members, &self.views),
                    Act::Views(index) => list.or_default().bound.views(BUFFERS[usize::from(index)], &arguments.members),
                    _ => self.views.copied(&arguments.members),
                }
            }
            _ => {}
        }
    }

    fn leave(&mut self, event: &Event<'_>, method: &Method, act: Act, enter: Option<&[u8]>) {
        let word = || event.payload.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let id = MethodId(event.method);
        match (act, enter) {
            (Act::Resource, Some(enter)) => {
                let Ok(ids) = self.codec.output_ids(id, enter, event.payload) else { return };
                let number = |name| argument(method, enter, name);
                let state = number("InitialResourceState").or_else(|| number("InitialState"));
                let layout = number("InitialLayout").map(|layout| u64::from(states::state_of(layout as u32)));
                let state = state.or(layout).unwrap_or(0) as u32;
                let arguments = self.codec.decode_enter(id, enter).ok();
                let member = |name: &str| {
                    let arguments = arguments.as_ref()?;
                    ["pDesc", "pResourceDesc"]
                        .iter()
                        .find_map(|desc| number_at(&arguments.members, &format!("{desc}.{name}")))
                };
                let volume = member("Dimension") == Some(4);
                let slices = if volume { 1 } else { member("DepthOrArraySize").unwrap_or(1) as u32 };
                let extent = Extent { mips: member("MipLevels").unwrap_or(1).max(1) as u32, slices };
                for id in ids.into_iter().filter(|&id| id != 0) {
                    self.states.insert(id, States::all(state));
                    self.extents.insert(id, extent);
                    self.widths.insert(id, member("Width").unwrap_or(0));
                }
            }
            (Act::List, Some(enter)) => {
                /// `D3D12_COMMAND_LIST_TYPE_BUNDLE`.
                const BUNDLE: u64 = 1;
                let bundle = argument(method, enter, "type") == Some(BUNDLE);
                let ids = self.codec.output_ids(id, enter, event.payload).unwrap_or_default();
                for id in ids.into_iter().filter(|&id| id != 0) {
                    self.lists.insert(id, List { bundle, ..List::default() });
                }
            }
            (Act::Signature, Some(enter)) => {
                let ids = self.codec.output_ids(id, enter, event.payload).unwrap_or_default();
                if let (Some(bytes), Some(&id)) = (self.signature.take(), ids.iter().find(|&&id| id != 0)) {
                    self.views.signature(id, &bytes);
                }
            }
            (Act::Increment, Some(enter)) => {
                let kind = argument(method, enter, "DescriptorHeapType").unwrap_or(0);
                self.views.increment(kind as u32, word() & u64::from(u32::MAX));
            }
            (Act::Address, _) => {
                if let Some(&width) = self.widths.get(&event.object) {
                    self.addresses.insert(event.object, word(), width);
                }
            }
            (Act::Release, _) if word() as u32 == 0 => self.addresses.remove(event.object),
            _ => {}
        }
    }

    /// Makes the jobs for a dump that is asked for at this call.
    fn want(&mut self, want: &Want, event: &Event<'_>, method: &Method, act: Act, before: bool) {
        let call = event.number;
        let recorded = is_list(method) && !(act == Act::Reset && before);
        match want {
            Want::Request(request) => {
                let side = if self.before { "before" } else { "after" };
                let name = format!("call{call:08}_{side}_res{}", request.resource);
                let mut job = self.at_rest(request, name);
                if recorded {
                    self.record(job, event.object, call, before);
                } else {
                    job.list = None;
                    let job = self.add(job);
                    let place = if before { &mut self.plan.before } else { &mut self.plan.after };
                    place.entry(call).or_default().push(job);
                }
            }
            Want::Draw if matches!(act, Act::Draw | Act::Dispatch | Act::Indirect) => {
                let list = self.lists.entry(event.object).or_default();
                let sides: &'static [bool] = match act {
                    Act::Draw => &[false],
                    Act::Dispatch => &[true],
                    _ => &[false, true],
                };
                if list.bundle {
                    list.draws.push((call, sides, list.bound.clone()));
                    return;
                }
                let all = list.bound.all(sides, &self.addresses, &self.views);
                self.draw(call, all, |planner, job| planner.record(job, event.object, call, before));
            }
            Want::Draw => self.cannot(want, call, "the call is no draw and no dispatch".into()),
        }
    }

    /// Jobs for everything that is bound at a draw.
    fn draw(&mut self, call: u64, all: Vec<Binding>, mut place: impl FnMut(&mut Self, Job)) {
        if all.is_empty() {
            self.cannot(&Want::Draw, call, "nothing that could be dumped is bound there".into());
        }
        let side = if self.before { "before" } else { "after" };
        for (role, resource, bytes) in all {
            let request = DumpRequest { resource, subresource: None, bytes, at: DumpAt::Call(call) };
            let mut job = self.at_rest(&request, format!("call{call:08}_{side}_{role}_res{resource}"));
            job.notes.push(format!("bound as {role}"));
            place(self, job);
        }
    }

    /// A job with the states that hold where all submissions so far are done.
    fn at_rest(&self, request: &DumpRequest, mut name: String) -> Job {
        if let Some(subresource) = request.subresource {
            name.push_str(&format!("_sub{subresource}"));
        }
        if let Some((offset, size)) = request.bytes {
            name.push_str(&format!("_at{offset}+{size}"));
        }
        let states = self.states.get(&request.resource).cloned().unwrap_or_else(|| States::all(0));
        Job {
            what: name.replace('_', " "),
            name,
            resource: request.resource,
            subresource: request.subresource,
            bytes: request.bytes,
            states,
            ..Job::default()
        }
    }

    /// Puts a job into a list: here, at the end of the render pass, or where the bundle is run.
    fn record(&mut self, job: Job, id: u32, call: u64, before: bool) {
        let list = self.lists.entry(id).or_default();
        if list.bundle || list.in_pass {
            list.held.push(job);
        } else {
            self.insert(job, id, call, before);
        }
    }

    /// Puts a job into a list at this very place.
    fn insert(&mut self, mut job: Job, id: u32, call: u64, before: bool) {
        let list = self.lists.entry(id).or_default();
        job.list = Some(id);
        // The states before the list are known at its submission only.
        job.states = list.states.get(&job.resource).cloned().unwrap_or_default();
        job.predicate = list.predicate;
        let index = self.add(job);
        self.lists.entry(id).or_default().open.push(index);
        let place = if before { &mut self.plan.before } else { &mut self.plan.after };
        place.entry(call).or_default().push(index);
    }

    fn run_bundle(&mut self, id: u32, bundle: u32, call: u64) {
        let Some(bundle) = self.lists.get_mut(&bundle) else { return };
        let (held, draws) = (std::mem::take(&mut bundle.held), std::mem::take(&mut bundle.draws));
        let note = format!("as the bundle left it, which runs at call {call}");
        for mut job in held {
            job.notes.push(note.clone());
            self.record(job, id, call, self.before);
        }
        for (draw, sides, bound) in draws {
            let list = self.lists.entry(id).or_default();
            let all = bound.in_list(&list.bound).all(sides, &self.addresses, &self.views);
            self.draw(draw, all, |planner, mut job| {
                job.notes.push(note.clone());
                planner.record(job, id, call, planner.before);
            });
        }
    }

    /// A list is submitted: the states before it are known now.
    fn submit(&mut self, id: u32, call: u64) {
        let Some(list) = self.lists.get_mut(&id) else { return };
        for index in std::mem::take(&mut list.open) {
            let job = &mut self.plan.jobs[index];
            let before = self.states.get(&job.resource).cloned().unwrap_or_else(|| States::all(0));
            job.states = before.then(&job.states);
            self.plan.submitted.entry(call).or_default().push(index);
        }
        for (&resource, later) in &list.states {
            let states = self.states.entry(resource).or_insert_with(|| States::all(0));
            *states = states.then(later);
        }
    }

    fn add(&mut self, job: Job) -> usize {
        self.plan.jobs.push(job);
        self.plan.jobs.len() - 1
    }

    fn cannot(&mut self, want: &Want, call: u64, reason: String) {
        let what = match want {
            Want::Request(DumpRequest { resource, at: DumpAt::Frame(frame), .. }) => {
                format!("resource {resource} at the end of frame {frame}")
            }
            Want::Request(request) => format!("resource {} at call {call}", request.resource),
            Want::Draw => format!("what is bound at call {call}"),
        };
        self.plan.jobs.push(Job { what, failure: Some(reason), ..Job::default() });
    }
}

impl List {
    fn apply(&mut self, resource: u32, states: &States) {
        let known = self.states.entry(resource).or_default();
        *known = known.then(states);
    }
}
