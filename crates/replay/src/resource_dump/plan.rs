//! The pass over the trace before a replay with dumps: where each copy goes, and what the resource's states are there.
//!
//! Invariant: every dump asked for is in the plan, with a place or with the reason why it has none.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::{MODEL, interface, method};
use reprise_dxbc::RootSignature;
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::call::Outcome;
use reprise_timeline::state::bindings::root_signature;
use reprise_timeline::state::lists::{Action, Bound, List, action};
use reprise_timeline::state::memory;
use reprise_timeline::{At, Call, Interests, Pass, State, argument};

use super::bindings::{self, Binding};
use super::pass::{self, Passes};
use super::states::States;
use super::transfers::{self, transfers};
use super::views::{self, Part, named};
use super::{DumpAt, DumpRequest, Point, ResourceDumps, Shot, ShotOf};
use crate::input::source::{Blobs, Source, walk};
use crate::opened;
use crate::wished::not_submitted;

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
    /// Why it shows a later moment than was asked for.
    pub(crate) moved: Option<String>,
    /// Why it cannot be made.
    pub(crate) failure: Option<String>,
    /// The shot that it is for.
    pub(crate) shot: Option<ShotJob>,
    /// The point that it looks at, and the view's format there: nothing is written.
    pub(crate) point: Option<(usize, Option<u32>)>,
    /// Its recording is submitted again, so its memory stays.
    pub(crate) is_kept: bool,
    /// Of a map of sampler feedback: texels of its regions in each direction.
    pub(crate) regions: Option<[u32; 2]>,
}

/// What a job does for a shot.
#[derive(Clone, Debug)]
pub(crate) struct ShotJob {
    /// Its number among the shots.
    pub(crate) index: usize,
    /// `None`: a buffer; and where the view is known only when the bundle is run.
    pub(crate) part: Option<Part>,
    /// The call that submits it first.
    pub(crate) submission: Option<u64>,
}

impl Job {
    /// It is looked at and not written: more of the program's commands may stand around it than between barriers.
    pub(crate) fn is_looked_at(&self) -> bool {
        self.point.is_some() || self.shot.is_some()
    }

    /// The point whose marks it looks for, and the format there.
    pub(crate) fn marks(&self) -> Option<(usize, u32)> {
        self.point.and_then(|(point, format)| Some((point, format?)))
    }
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
    /// Submissions of lists whose copies were made by an earlier one.
    pub(crate) again: HashSet<u64>,
    /// Nothing but shots is planned.
    pub(crate) is_shots_only: bool,
}

/// What a list is to the plan while it is recorded.
#[derive(Default)]
struct Recording {
    /// Jobs that wait for the end of the render pass, or for the bundle to be run.
    held: Vec<Job>,
    /// Draws of a bundle, with what the bundle itself binds.
    draws: Vec<BundleDraw>,
    /// Jobs of this recording that no submission has made yet.
    open: Vec<usize>,
    /// Those that a submission has made.
    made: Vec<usize>,
    /// The calls that submit this recording.
    runs: Vec<u64>,
}

/// A draw or dispatch of a bundle.
struct BundleDraw {
    call: u64,
    action: Action,
    bound: Bound,
}

/// A bundle that is run here: its jobs, and what its draws use here.
struct Run {
    held: Vec<Job>,
    draws: Vec<(u64, Used)>,
}

/// What a draw or dispatch uses.
#[derive(Default)]
struct Used {
    bindings: Vec<Binding>,
    /// Why descriptor tables are left out: root signatures that cannot be read.
    unread: Vec<String>,
}

/// A dump that is asked for at a call.
#[derive(Clone)]
enum Want {
    Request(DumpRequest),
    Draw,
    Shot(usize),
}

struct Planner<'b> {
    blobs: &'b dyn Blobs,
    /// Dumps are of the moment before their call.
    before: bool,
    /// Submissions of earlier frames make none.
    from_frame: u64,
    /// What is asked for and was not met yet, by call and by frame.
    calls: HashMap<u64, Vec<Want>>,
    frames: HashMap<u64, Vec<DumpRequest>>,
    /// Points by call, right before it and right after it.
    points: [HashMap<u64, Vec<(usize, Point)>>; 2],
    plan: Plan,
    /// What the trace says so far.
    state: State,
    lists: HashMap<u32, Recording>,
    passes: Passes,
    /// States where all submissions so far are done.
    states: HashMap<u32, States>,
    last_call: u64,
    last_frame: u64,
    shots: &'b [Shot],
    /// Nothing but shots is wanted, so the pass is over when all have a place.
    is_shots_only: bool,
    is_over: Rc<Cell<bool>>,
}

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
const RAN: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");
const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");

/// Goes over the whole trace. `asked` must not be empty.
///
/// # Errors
/// When the trace cannot be read.
pub(crate) fn plan(source: &mut dyn Source, blobs: &dyn Blobs, asked: &ResourceDumps) -> Result<Plan, String> {
    let mut planner = Planner::new(blobs, asked);
    let is_over = planner.is_over.clone();
    walk(source, &mut [&mut planner], |_| is_over.get())?;
    Ok(planner.finish())
}

impl Pass for Planner<'_> {
    fn interests(&self) -> Interests {
        // A dump may be asked for at any call.
        let all: Vec<MethodId> = (0..MODEL.methods.len()).map(|method| MethodId(method as u16)).collect();
        self.state.interests().and(&Interests::new().enters(&all).every_call().frames())
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.last_call = call.number;
        self.look(call, true);
        let wants = self.wants_before(call);
        let used = self.used(call, &wants);
        wants.iter().for_each(|want| self.want(want, &used, call, true));
        self.state.enter(call, at);
        if call.method == SUBMITTED.method() {
            let lists = SUBMITTED.of(call).map(|lists| lists.iter().collect::<Vec<_>>());
            lists.into_iter().flatten().for_each(|list| self.submit(list.0, call.number));
            self.end_early();
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        let is_over = matches!(call.outcome, Outcome::Nothing | Outcome::Returned(_));
        let wants = self.calls.get(&call.number).filter(|_| is_over).cloned().unwrap_or_default();
        if is_over {
            self.calls.remove(&call.number);
        }
        // As of this point: the call itself may change what is bound.
        let used = self.used(call, &wants);
        let mut run = self.run_of(call);
        if self.before {
            self.place_run(run.take(), call);
        }
        self.state.call(call, at);
        self.passes.call(call);
        self.place_run(run, call);
        self.take_in(call);
        self.look(call, false);
        wants.iter().for_each(|want| self.want(want, &used, call, false));
        if !wants.is_empty() {
            self.end_early();
        }
    }

    fn frame(&mut self, at: &At) {
        self.state.frame(at);
        self.last_frame = u64::from(at.frame) + 1;
        for request in self.frames.remove(&self.last_frame).unwrap_or_default() {
            let job = self.at_rest(&request, format!("frame{:06}_res{}", self.last_frame, request.resource));
            let job = self.add(job);
            self.plan.frames.entry(self.last_frame).or_default().push(job);
        }
    }
}

impl<'b> Planner<'b> {
    fn new(blobs: &'b dyn Blobs, asked: &'b ResourceDumps) -> Self {
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
        for (index, shot) in asked.shots.iter().enumerate() {
            calls.entry(shot.call).or_default().push(Want::Shot(index));
        }
        let mut points = [HashMap::new(), HashMap::new()];
        for (index, point) in asked.points.iter().enumerate() {
            let at: &mut Vec<(usize, Point)> = points[usize::from(!point.before)].entry(point.call).or_default();
            at.push((index, point.clone()));
        }
        Self {
            blobs,
            before: asked.before,
            from_frame: asked.from_frame,
            calls,
            frames,
            points,
            plan: Plan::default(),
            state: State::default(),
            lists: HashMap::new(),
            passes: Passes::default(),
            states: HashMap::new(),
            last_call: 0,
            last_frame: 0,
            shots: &asked.shots,
            is_shots_only: asked.are_shots_only(),
            is_over: Rc::default(),
        }
    }

    /// What is wanted right before this call. Nothing can be recorded after the close.
    fn wants_before(&mut self, call: &Call<'_>) -> Vec<Want> {
        let Some(wants) = self.calls.get_mut(&call.number) else { return Vec::new() };
        let (before, shots) = (self.before, self.shots);
        let is_before = |want: &mut Want| match want {
            Want::Shot(index) => shots[*index].before || call.method == CLOSE,
            _ => before || call.method == CLOSE,
        };
        let taken = wants.extract_if(.., is_before).collect();
        if wants.is_empty() {
            self.calls.remove(&call.number);
        }
        taken
    }

    /// The rest of the trace has nothing to say where all shots have their submission.
    fn end_early(&mut self) {
        let waits = |list: &Recording| !(list.held.is_empty() && list.open.is_empty());
        if self.is_shots_only && self.calls.is_empty() && !self.lists.values().any(waits) {
            self.is_over.set(true);
        }
    }

    fn finish(mut self) -> Plan {
        for (call, wants) in std::mem::take(&mut self.calls) {
            let reason = format!("the trace has no such call that returned (its last one is {})", self.last_call);
            wants.iter().for_each(|want| self.cannot(want, call, reason.clone()));
        }
        for request in std::mem::take(&mut self.frames).into_values().flatten() {
            let reason = format!("the last frame of the trace is {}", self.last_frame);
            self.cannot(&Want::Request(request), 0, reason);
        }
        for list in std::mem::take(&mut self.lists).into_values() {
            self.give_up(list);
        }
        self.plan.is_shots_only = self.is_shots_only;
        self.plan
    }

    /// Jobs of a recording that ends here.
    fn give_up(&mut self, list: Recording) {
        for job in list.open {
            let shot = self.plan.jobs[job].shot.as_ref().map(|shot| &self.shots[shot.index]);
            let wanted = shot.and_then(|shot| shot.submission);
            self.plan.jobs[job].failure = Some(not_submitted(wanted, &list.runs));
        }
        for mut job in list.held {
            job.failure = Some("the render pass or bundle that it stands in was never ended or run".into());
            self.plan.jobs.push(job);
        }
    }

    /// Puts the copies of points beside this call.
    fn look(&mut self, call: &Call<'_>, before: bool) {
        for (index, point) in self.points[usize::from(!before)].remove(&call.number).unwrap_or_default() {
            let job = Job {
                what: format!("a look at resource {} at call {}", point.resource, point.call),
                resource: point.resource,
                subresource: point.subresource,
                bytes: point.bytes,
                point: Some((index, point.format)),
                ..Job::default()
            };
            self.insert(job, point.list, call.number, before);
        }
    }

    /// What a complete call changes that the state does not have.
    fn take_in(&mut self, call: &Call<'_>) {
        match call.method {
            RESET if call.succeeded() => {
                let old = self.lists.remove(&call.object);
                old.into_iter().for_each(|old| self.give_up(old));
            }
            pass::END => {
                let held = self.lists.get_mut(&call.object).map(|list| std::mem::take(&mut list.held));
                for mut job in held.unwrap_or_default() {
                    let note = format!("as the render pass left it, which ends at call {}", call.number);
                    job.moved = Some(note.clone());
                    job.notes.push(note);
                    self.insert(job, call.object, call.number, false);
                }
            }
            _ => {
                let Ok(Some(initial)) = memory::initial_state(call) else { return };
                let made = call.given().unwrap_or_default();
                self.states.extend(made.into_iter().map(|made| (made.object, States::initial(initial))));
            }
        }
    }

    /// The list that is recorded, if the trace has it.
    fn list(&self, id: u32) -> Option<&List> {
        self.state.lists.get(id)
    }

    /// What a draw or dispatch uses whose dump is wanted: of a bundle it is known where the bundle is run.
    fn used(&mut self, call: &Call<'_>, wants: &[Want]) -> Used {
        let wanted = wants.iter().any(|want| matches!(want, Want::Draw));
        if wanted && transfers(call.method) {
            let bindings = transfers::bindings(&self.state, call, self.passes.ended(call));
            let nothing = match call.method {
                pass::BEGIN => "the render pass clears nothing where it begins",
                pass::END => "the render pass resolves nothing where it ends",
                _ => return Used { bindings, unread: Vec::new() },
            };
            let unread = bindings.is_empty().then(|| nothing.to_owned());
            return Used { bindings, unread: unread.into_iter().collect() };
        }
        let Some(action) = action(call.method).filter(|_| wanted) else { return Used::default() };
        let bound = self.list(call.object).map(|list| list.bound.clone()).unwrap_or_default();
        if self.list(call.object).is_some_and(List::is_bundle) {
            let draw = BundleDraw { call: call.number, action, bound };
            self.lists.entry(call.object).or_default().draws.push(draw);
            return Used::default();
        }
        self.bindings(&bound, action)
    }

    fn bindings(&self, bound: &Bound, action: Action) -> Used {
        let mut unread = Vec::new();
        let signature = |id: u32| -> Option<RootSignature> {
            match root_signature(|place| self.blobs.at(place), &self.state, id) {
                Ok((signature, _)) => Some(signature),
                Err(reason) => {
                    unread.push(format!("its tables are not dumped, root signature {id} cannot be read: {reason}"));
                    None
                }
            }
        };
        let bindings = bindings::all(&self.state, bound, action, signature);
        Used { bindings, unread }
    }

    /// Makes the jobs for a dump that is asked for at this call. A draw uses what is in `used`.
    fn want(&mut self, want: &Want, used: &Used, call: &Call<'_>, before: bool) {
        let number = call.number;
        match want {
            Want::Request(request) => {
                let name = format!("call{number:08}_{}_res{}", self.side(), request.resource);
                let job = self.at_rest(request, name);
                if is_list(call.method) && !(call.method == RESET && before) {
                    self.record(job, call.object, number, before);
                } else {
                    let job = self.add(job);
                    let place = if before { &mut self.plan.before } else { &mut self.plan.after };
                    place.entry(number).or_default().push(job);
                }
            }
            Want::Shot(index) => self.shoot(*index, call, before),
            Want::Draw if action(call.method).is_some() => {
                if !self.list(call.object).is_some_and(List::is_bundle) {
                    self.draw(number, used, |planner, job| planner.record(job, call.object, number, before));
                }
            }
            // In a bundle there are no copies and clears.
            Want::Draw if transfers(call.method) => {
                self.draw(number, used, |planner, job| planner.record(job, call.object, number, before));
            }
            Want::Draw => self.cannot(
                want,
                number,
                "the call is no draw, dispatch, copy, resolve or clear, and neither begins nor ends a render pass"
                    .into(),
            ),
        }
    }

    /// Makes the job of a shot.
    fn shoot(&mut self, index: usize, call: &Call<'_>, before: bool) {
        let shot = &self.shots[index];
        let is_in_list = is_list(call.method) && !(call.method == RESET && before);
        let list = self.list(call.object);
        let is_bundle = is_in_list && list.is_some_and(List::is_bundle);
        if let ShotOf::Texture { resource, .. } | ShotOf::Buffer { resource, .. } = &shot.of
            && self.state.objects.get(*resource).is_none()
        {
            let why =
                format!("there is no object {resource} at that call: it is made later, gone by then, or never made");
            return self.cannot(&Want::Shot(index), call.number, why);
        }
        if let ShotOf::Texture { resource, .. } | ShotOf::Buffer { resource, .. } = &shot.of
            && let Some(object) = self.state.objects.get(*resource)
            && object.interface().get().base.is_some()
            && !object.interface().derives_from(interface("ID3D12Resource"))
        {
            let why = format!(
                "object {resource} is {}, and no resource: name a texture or a buffer by its id, as `reprise state` lists them",
                object.interface().get().name
            );
            return self.cannot(&Want::Shot(index), call.number, why);
        }
        if shot.submission.is_some() && !is_in_list {
            let why = "a submission is of a command list, and the call is none of one: it is shown once, without --submission";
            return self.cannot(&Want::Shot(index), call.number, why.into());
        }
        let mut job = Job {
            what: format!("{} at call {}", shot.of, call.number),
            shot: Some(ShotJob { index, part: None, submission: None }),
            ..Job::default()
        };
        match &shot.of {
            of @ ShotOf::Texture { resource, .. } => {
                if let Some(part) = Part::of(of) {
                    self.name_view(&mut job, *resource, part);
                }
            }
            ShotOf::Buffer { resource, bytes } => {
                job.resource = *resource;
                job.bytes = *bytes;
                job.states = self.states.get(resource).cloned().unwrap_or_else(|| States::all(0));
            }
            ShotOf::Target { .. } | ShotOf::Depth { .. } if !is_in_list => {
                let why = "no target is bound there: the call is none of a list; name a resource instead";
                return self.cannot(&Want::Shot(index), call.number, why.into());
            }
            ShotOf::Target { .. } | ShotOf::Depth { .. } => {
                let view = match named(&self.state, call, &shot.of) {
                    Some(view) => view,
                    // A bundle draws to the targets of the list that runs it.
                    None if is_bundle => Err(String::new()),
                    None => self.bound_view(&shot.of, call.object),
                };
                match view {
                    Ok((resource, part)) => self.name_view(&mut job, resource, part),
                    Err(_) if is_bundle => {}
                    Err(reason) => return self.cannot(&Want::Shot(index), call.number, reason),
                }
            }
        }
        if is_in_list {
            self.record(job, call.object, call.number, before);
        } else {
            let job = self.add(job);
            let place = if before { &mut self.plan.before } else { &mut self.plan.after };
            place.entry(call.number).or_default().push(job);
        }
    }

    /// The job is of this part of a texture.
    fn name_view(&self, job: &mut Job, resource: u32, part: Part) {
        job.resource = resource;
        job.states = self.states.get(&resource).cloned().unwrap_or_else(|| States::all(0));
        let made = self.state.objects.get(resource).map(|object| memory::resource(&object.creation()));
        if let Some(Ok(Some(made))) = made {
            // Nothing else shows what a map of sampler feedback has.
            let region = made.SamplerFeedbackMipRegion;
            job.regions = (region.Width != 0).then_some([region.Width, region.Height]);
        }
        if let Some(shot) = &mut job.shot {
            shot.part = Some(part);
        }
    }

    /// What a list has bound there, as the view has it.
    fn bound_view(&self, of: &ShotOf, list: u32) -> Result<(u32, Part), String> {
        let bound = self.list(list).map(|list| &list.bound);
        let targets = bound.and_then(|bound| bound.targets.as_ref()).map(|targets| &targets.value);
        let (target, slot) = match of {
            ShotOf::Target { slot, .. } => {
                (targets.and_then(|it| it.colours.get(*slot as usize)), format!("target {slot}"))
            }
            _ => (targets.and_then(|it| it.depth.as_ref()), "depth buffer".to_owned()),
        };
        let Some(view) = target.and_then(|target| target.descriptor.as_ref()) else {
            let count = targets.map_or(0, |targets| targets.colours.len());
            let depth = if targets.is_some_and(|targets| targets.depth.is_some()) { "a" } else { "no" };
            let which = match count {
                0 => "no target".to_owned(),
                1 => "target 0".to_owned(),
                count => format!("targets 0 to {}", count - 1),
            };
            if target.is_some() {
                let slot = if let ShotOf::Target { slot, .. } = of { Some(*slot) } else { None };
                return Err(views::unknown_view(slot));
            }
            return Err(format!("no {slot} is bound there: {which} and {depth} depth buffer are"));
        };
        views::part(&view.view, of)
    }

    /// Jobs for everything that a draw uses.
    fn draw(&mut self, call: u64, used: &Used, mut place: impl FnMut(&mut Self, Job)) {
        let Used { bindings, unread } = used;
        unread.iter().for_each(|reason| self.cannot(&Want::Draw, call, reason.clone()));
        if bindings.is_empty() && unread.is_empty() {
            self.cannot(&Want::Draw, call, "nothing that could be dumped is bound there".into());
        }
        for (role, resource, bytes) in bindings {
            let request = DumpRequest { resource: *resource, subresource: None, bytes: *bytes, at: DumpAt::Call(call) };
            let mut job = self.at_rest(&request, format!("call{call:08}_{}_{role}_res{resource}", self.side()));
            job.notes.push(format!("bound as {role}"));
            place(self, job);
        }
    }

    /// In the names of files.
    fn side(&self) -> &'static str {
        if self.before { "before" } else { "after" }
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
        let waits = self.list(id).is_some_and(|list| list.is_bundle() || opened::is_closed(&list.bound));
        if waits {
            self.lists.entry(id).or_default().held.push(job);
        } else {
            self.insert(job, id, call, before);
        }
    }

    /// Puts a job into a list at this very place.
    fn insert(&mut self, mut job: Job, id: u32, call: u64, before: bool) {
        let list = self.list(id);
        let barriers = list.and_then(|list| list.states.get(&job.resource));
        let predicate = list.and_then(|list| list.bound.predication?.value);
        job.list = Some(id);
        // The states before the list are known at its submission only.
        job.states = barriers.map(States::of).unwrap_or_default();
        job.predicate = predicate.map(|set| (set.buffer, set.offset, set.operation));
        let index = self.add(job);
        self.lists.entry(id).or_default().open.push(index);
        let place = if before { &mut self.plan.before } else { &mut self.plan.after };
        place.entry(call).or_default().push(index);
    }

    /// Takes the jobs of a bundle that this call runs.
    fn run_of(&mut self, call: &Call<'_>) -> Option<Run> {
        if call.method != RAN.method() {
            return None;
        }
        let bundle = self.lists.get_mut(&RAN.of(call).ok()?.0)?;
        let (held, draws) = (std::mem::take(&mut bundle.held), std::mem::take(&mut bundle.draws));
        let none = Bound::default();
        let outer = self.list(call.object).map_or(&none, |list| &list.bound);
        let same = |one, other| self.state.lists.are_same(one, other);
        let used = |draw: BundleDraw| (draw.call, self.bindings(&Bound::within(outer, &draw.bound, same), draw.action));
        Some(Run { held, draws: draws.into_iter().map(used).collect() })
    }

    /// Puts the jobs of a bundle into the list that runs it.
    fn place_run(&mut self, run: Option<Run>, call: &Call<'_>) {
        let Some(Run { held, draws }) = run else { return };
        let (id, number, before) = (call.object, call.number, self.before);
        let note = format!("as the bundle left it, which runs at call {number}");
        for mut job in held {
            job.notes.push(note.clone());
            job.moved = Some(note.clone());
            if let Some(index) = job.shot.as_ref().filter(|shot| shot.part.is_none()).map(|shot| shot.index)
                && let ShotOf::Target { .. } | ShotOf::Depth { .. } = &self.shots[index].of
            {
                match self.bound_view(&self.shots[index].of, id) {
                    Ok((resource, part)) => self.name_view(&mut job, resource, part),
                    Err(reason) => job.failure = Some(reason),
                }
            }
            self.record(job, id, number, before);
        }
        for (draw, used) in draws {
            self.draw(draw, &used, |planner, mut job| {
                job.notes.push(note.clone());
                planner.record(job, id, number, before);
            });
        }
    }

    /// A list is submitted: the states before it are known now.
    fn submit(&mut self, id: u32, call: u64) {
        let recording = self.lists.get_mut(&id);
        for &index in recording.iter().flat_map(|list| &list.made) {
            self.plan.jobs[index].is_kept = true;
            self.plan.again.insert(call);
        }
        let is_early = self.last_frame + 1 < self.from_frame;
        let open = recording.filter(|_| !is_early).map(|list| std::mem::take(&mut list.open)).unwrap_or_default();
        let (open, later): (Vec<usize>, Vec<usize>) = open.into_iter().partition(|index| {
            let shot = self.plan.jobs[*index].shot.as_ref().map(|shot| &self.shots[shot.index]);
            shot.and_then(|shot| shot.submission).is_none_or(|wanted| wanted == call)
        });
        if let Some(list) = self.lists.get_mut(&id) {
            list.made.extend(&open);
            list.open.extend(later);
            list.runs.push(call);
        }
        for index in open {
            let job = &mut self.plan.jobs[index];
            let before = self.states.get(&job.resource).cloned().unwrap_or_else(|| States::all(0));
            job.states = before.then(&job.states);
            if let Some(shot) = &mut job.shot {
                shot.submission = Some(call);
            }
            self.plan.submitted.entry(call).or_default().push(index);
        }
        let Some(list) = self.state.lists.get(id) else { return };
        for (&resource, barriers) in &list.states {
            let states = self.states.entry(resource).or_insert_with(|| States::all(0));
            *states = states.then(&States::of(barriers));
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
            Want::Shot(index) => format!("{} at call {call}", self.shots[*index].of),
        };
        let shot = match want {
            Want::Shot(index) => Some(ShotJob { index: *index, part: None, submission: None }),
            _ => None,
        };
        self.plan.jobs.push(Job { what, shot, failure: Some(reason), ..Job::default() });
    }
}

/// Whether it records into a list that copies can go into.
fn is_list(method: MethodId) -> bool {
    let interface = MODEL.methods.get(usize::from(method.0)).and_then(|row| row.interface);
    interface.is_some_and(|interface| interface.get().name.starts_with("ID3D12GraphicsCommandList"))
}
