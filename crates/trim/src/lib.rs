//! Cuts frames out of a trace, into a part: a trace of its own with the frames and what they need of the time before.
//!
//! [`survey`](mod@survey) walks the trace once, up to the end of the frames. It finds what was made before the frames, the state of everything
//! where they begin, and what they name. [`recordings`](mod@recordings) adds the lists from before that the frames run. [`plan`](mod@plan)
//! adds whatever these objects need in turn ([`made`]), and refuses by name what cannot be made again. Then events are copied: the calls that
//! made the needed objects; calls of trimming's own that restore contents and states ([`restore`]); and the frames, unchanged.
//!
//! Invariant: the new trace is one that a program could have made. So every runtime plays it, every tool reads it, and it can be cut again.
//! Contents come from whoever plays the trace ([`Source`]); this crate needs no GPU.
//!
//! ```no_run
//! use reprise_trace::read::Trace;
//! use reprise_trace::trace_writer::FileOutput;
//! use reprise_trim::{Cut, Played, Request, Take, trim};
//! use std::path::Path;
//!
//! let trace = Trace::open(Path::new("game.reprise"))?;
//! // Where the frames need nothing that the GPU wrote before them, no replay is needed either.
//! fn no_gpu(_: Played, _: &Request, _: &mut Take<'_>) -> Result<(), String> {
//!     Err("there is no GPU here".to_owned())
//! }
//! let part = trim(&trace, Cut::Frames(5, 5), &mut no_gpu, FileOutput::create(Path::new("frame.reprise"))?)?;
//! println!("{} calls, {} of them before the frame", part.calls, part.before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draws;
mod error;
mod inputs;
mod made;
mod output;
mod plan;
mod range;
mod recordings;
mod references;
mod restore;
mod structures;
mod survey;
mod texels;

pub use error::{Error, Refusal};
pub use reprise_d3d12::types::D3D12_PLACED_SUBRESOURCE_FOOTPRINT as Footprint;
pub use reprise_d3d12::types::D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes;

use output::Output;
use plan::Plan;
pub use range::Played;
use range::{Part, Place};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_timeline::walk::{At, Interests, Pass};
use reprise_timeline::{Call, walk};
use reprise_trace::apart::Apart;
use reprise_trace::fact;
use reprise_trace::read::{Ends, Event, Trace};
use reprise_trace::record::Kind;
use reprise_trace::rewriter::Numbers;
use reprise_trace::trace_writer::FileOutput;
use restore::{Restorer, View, Views};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use survey::Survey;

/// A resource whose contents are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Its id.
    pub resource: u32,
    /// `D3D12_RESOURCE_STATES` of each subresource; empty: all in `COMMON`.
    pub states: Vec<u32>,
    /// Of a map of sampler feedback: how many texels its regions have in each direction. Its contents are the bytes that it decodes to.
    pub regions: Option<[u32; 2]>,
}

/// The contents of a resource.
#[derive(Clone, Copy)]
pub struct Content<'a> {
    /// Its id.
    pub resource: u32,
    /// All bytes of a buffer; of a texture its subresources, each at its place.
    pub bytes: &'a [u8],
    /// By number of the subresource, where it lies; empty for buffers. Of several samples a texel the first sample's texels lie there, row by
    /// row without gaps, and those of the others right behind them, sample by sample.
    pub subresources: &'a [(u32, Footprint)],
    /// Of a buffer: which bytes are times, sizes of acceleration structures, or answers of queries. The part goes on to tell them apart.
    pub apart: &'a [Apart],
}

/// A build of an acceleration structure whose inputs are wanted, as its last run found them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WantedBuild {
    /// The call.
    pub call: u64,
    /// The list that it is recorded into.
    pub list: u32,
    /// The payload of its enter.
    pub enter: Box<[u8]>,
    /// What is read: buffer, offset and bytes.
    pub reads: Vec<(u32, u64, u64)>,
}

/// What a build read.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The call.
    pub call: u64,
    /// Bytes that a device needs for such a structure, and to build it and change it.
    pub sizes: Sizes,
    /// What was wanted, in that order.
    pub bytes: &'a [Vec<u8>],
}

/// What is wanted of a replay where the part begins: inputs of builds first.
#[derive(Debug, Default)]
pub struct Request {
    /// The device that everything belongs to.
    pub device: u32,
    /// Queues that are not done there, each with the first call that it has not done: what came before that is.
    pub held: Vec<(u32, u64)>,
    /// Builds.
    pub builds: Vec<WantedBuild>,
    /// Resources.
    pub resources: Vec<Wanted>,
}

/// Something that was wanted.
#[derive(Clone, Copy)]
pub enum Given<'a> {
    /// What a resource holds.
    Content(Content<'a>),
    /// What a build read.
    Inputs(Inputs<'a>),
}

/// Takes what is given.
pub type Take<'t> = dyn FnMut(Given<'_>) -> Result<(), String> + 't;

/// Tells what resources hold once so much has been played and all queues are done, and what builds read; an error is a sentence.
pub type Source<'s> = dyn FnMut(Played, &Request, &mut Take<'_>) -> Result<(), String> + 's;

/// What is cut out of a trace; both ends belong to it, and count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Frames.
    Frames(u32, u32),
    /// Submissions: calls of `ExecuteCommandLists`, of all queues together, and what stands between them; up to the last one: `u64::MAX`.
    Submissions(u64, u64),
    /// Draws and other commands of lists, by the numbers of their calls: the submissions that run them, from the beginning of the first one to
    /// the second command.
    Draws(u64, u64),
}

/// What a trimmed trace has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trimmed {
    /// Bytes of the file.
    pub bytes: u64,
    /// Calls.
    pub calls: u64,
    /// Frames.
    pub frames: u32,
    /// Calls before the frames.
    pub before: u64,
    /// Resources that got their contents back, and their bytes.
    pub resources: u64,
    /// Bytes of these contents.
    pub contents: u64,
    /// What calls of the whole became.
    pub numbers: Numbers,
    /// What may be otherwise in it than in the whole.
    pub warnings: Vec<Warning>,
}

/// Something that may be otherwise in a trimmed trace than in the whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The resource that it is about.
    pub resource: u32,
    /// The call that is the reason.
    pub call: u64,
    /// The reason, as a sentence.
    pub what: String,
}

/// Facts about objects from before that stay.
const FACTS: [u32; 10] = [
    fact::ADDRESS_RANGE,
    fact::CAPTURE_ADDRESS,
    fact::GROUP_HANDLES,
    fact::DESCRIPTOR_HEAP,
    fact::ALLOCATION,
    fact::DEVICE,
    fact::FEATURE,
    fact::BACK_BUFFER,
    fact::MAPPING_MODE,
    fact::FRAME_SURFACE,
];

/// Cuts a part out of a trace.
///
/// # Errors
/// The trace is damaged, has no such part, or cannot be cut there; or the new one cannot be written.
pub fn trim(trace: &Trace, cut: Cut, source: &mut Source<'_>, file: FileOutput) -> Result<Trimmed, Error> {
    let mut left_out = HashSet::new();
    let (part, what, ends) = match cut {
        Cut::Frames(first, last) => {
            let there = trace.frame_count();
            if first == 0 || first > last || last > there {
                let what = format!("frames {first}-{last} are not in the trace, whose last frame is {there}");
                return Err(Error::Frames(what));
            }
            let part = match trace.chosen_ends() {
                Some(ends) => chosen(ends, first, last, there),
                // What follows the last frame is of it.
                None => Part::of_frames(first - 1..if last == there { u32::MAX } else { last }),
            };
            (part, "frames", (first.into(), last.into()))
        }
        Cut::Submissions(first, last) => (submissions(trace, first, last)?, "submissions", (first, last)),
        Cut::Draws(first, last) => {
            let found = draws::draws(trace, first, last)?;
            left_out = found.left_out;
            (Part::of_calls(found.calls), "draws", (first, last))
        }
    };
    let survey = survey::survey(trace, part.clone(), left_out)?;
    let at = survey.at_cut.as_ref().ok_or_else(|| Error::Frames("it has no events".into()))?;
    let found = recordings::recordings(trace, &survey, at)?;
    let plan = plan::plan(&survey, at, found)?;
    if plan.device == 0 && !plan.contents.is_empty() {
        return Err(Error::Trace("the frames use resources, and the trace does not tell their device".into()));
    }
    let own = survey.threads.checked_add(1).ok_or_else(|| Error::Trace("its threads have no numbers left".into()))?;
    let mut about = json!({
        "of": format!("{:032x}", trace.identity()),
        what: [ends.0, ends.1],
        "first_call": plan.first,
    });
    if let Some(ends) = trace.chosen_ends().filter(|_| what == "frames") {
        about["frame_boundary"] = ends.by.as_str().into();
    }
    let output = Output::create(trace, file, own, about)?;
    let mut cutter = Cutter {
        trace,
        survey: &survey,
        plan: &plan,
        output,
        views: Views::new(),
        written: HashMap::new(),
        away: HashSet::new(),
        inputs: None,
        next: survey.greatest.saturating_add(1),
        trimmed: Trimmed::new(&plan),
    };
    cutter.copy(part, source)?;
    let Cutter { output, mut trimmed, .. } = cutter;
    (trimmed.bytes, trimmed.calls, trimmed.frames, trimmed.numbers) = output.finish()?;
    Ok(trimmed)
}

/// The calls of frames that end where a reader chose, of so many. What follows the last frame is of it.
fn chosen(ends: &Ends, first: u32, last: u32, there: u32) -> Part {
    let end = |frame: u32| ends.calls.get((frame as usize).wrapping_sub(1)).copied();
    let behind = end(last).filter(|_| last != there).map_or(u64::MAX, |call| call + 1);
    Part::of_calls(end(first - 1).map_or(1, |call| call + 1)..behind)
}

/// The calls from a submission to another one.
fn submissions(trace: &Trace, first: u64, last: u64) -> Result<Part, Error> {
    struct Counter {
        count: u64,
        wanted: [u64; 2],
        calls: [Option<u64>; 2],
    }
    impl Pass for Counter {
        fn interests(&self) -> Interests {
            Interests::new().enters(&[EXECUTE])
        }

        fn enter(&mut self, call: &Call<'_>, _: &At) {
            self.count += 1;
            for (wanted, found) in self.wanted.iter().zip(&mut self.calls) {
                if *wanted == self.count {
                    *found = Some(call.number);
                }
            }
        }
    }
    const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
    let mut counter = Counter { count: 0, wanted: [first, last], calls: [None; 2] };
    walk(trace, &mut [&mut counter]).map_err(|error| Error::Trace(error.to_string()))?;
    let last = if last == u64::MAX { counter.count } else { last };
    match counter.calls {
        [Some(from), _] if last == counter.count && first <= last => Ok(Part::of_calls(from..u64::MAX)),
        [Some(from), Some(to)] if from <= to => Ok(Part::of_calls(from..to + 1)),
        _ => Err(Error::Frames(format!(
            "submissions {first}-{last} are not in the trace, whose last submission is {}",
            counter.count
        ))),
    }
}

impl Request {
    fn is_empty(&self) -> bool {
        self.builds.is_empty() && self.resources.is_empty()
    }
}

impl Trimmed {
    fn new(plan: &Plan) -> Trimmed {
        let warnings = plan.warnings.clone();
        Trimmed {
            bytes: 0,
            calls: 0,
            frames: 0,
            before: 0,
            resources: 0,
            contents: 0,
            numbers: Numbers::default(),
            warnings,
        }
    }
}

/// Copies events.
struct Cutter<'t, 's> {
    trace: &'t Trace,
    survey: &'s Survey<'t>,
    plan: &'s Plan,
    output: Output<'t>,
    views: Views,
    /// By handle: the call whose view was written there last.
    written: HashMap<u64, u64>,
    /// Threads in calls that are under way where the part begins.
    away: HashSet<u32>,
    /// What builds read, where that is known before the part begins.
    inputs: Option<Rc<restore::AllTaken>>,
    /// No object has this id or a greater one.
    next: u32,
    trimmed: Trimmed,
}

impl Cutter<'_, '_> {
    fn copy(&mut self, mut part: Part, source: &mut Source<'_>) -> Result<(), Error> {
        self.take_inputs(&part, source)?;
        let mut events = self.trace.events_as_recorded();
        let mut restored = false;
        // Calls of the old trace that are in the new one and may still return.
        let mut kept: HashSet<u64> = HashSet::new();
        while let Some(event) = events.next().map_err(|error| Error::Trace(error.to_string()))? {
            if event.is_damage() {
                return Err(Error::Trace(format!("the trace is damaged: {}", event.gap_text())));
            }
            let place = part.place(&event);
            if place == Place::End {
                break;
            }
            if !restored && place == Place::Within {
                restored = true;
                self.restore(&part, source)?;
                kept.extend(self.go_on(&part)?);
            }
            let stays = match event.kind {
                Kind::Enter => self.enters(&event, place)?,
                Kind::Leave => {
                    self.note_view(&event);
                    place != Place::Behind && kept.remove(&event.number)
                }
                _ => self.stays(&event, place),
            };
            if stays {
                if event.kind == Kind::Enter {
                    kept.insert(event.number);
                }
                self.output.copy(&event)?;
            }
        }
        if part.is_last() {
            return Ok(());
        }
        let stopped = [reprise_trace::wanted_frames::StopReason::Frames as u32, 0];
        let stopped: Vec<u8> = stopped.into_iter().flat_map(u32::to_le_bytes).collect();
        self.output.fact(0, fact::STOP, &stopped)
    }

    /// Whether a call stays; what it reads is written before it.
    fn enters(&mut self, event: &Event<'_>, place: Place) -> Result<bool, Error> {
        if self.survey.left_out.contains(&event.number) {
            return Ok(false);
        }
        if self.plan.views.contains(&event.number) {
            let view = View {
                object: event.object,
                method: MethodId(event.method),
                enter: event.payload.to_vec(),
                leave: None,
            };
            self.views.insert(event.number, view);
        }
        match place {
            Place::Before if self.survey.under_way.contains(&event.number) => {
                self.away.insert(event.thread);
                return Ok(false);
            }
            Place::Before => {}
            Place::Within => return Ok(!self.plan.dropped.contains(&event.number)),
            Place::Behind | Place::End => return Ok(false),
        }
        if !self.plan.needed.calls.contains(&event.number) {
            return Ok(false);
        }
        if self.plan.first_use == Some(event.number)
            && let Some(inputs) = &self.inputs
        {
            let restorer = Restorer::new(self.plan, self.next).with_inputs(inputs);
            self.next = restorer.rebuild_before(&mut self.output, event.number)?;
        }
        for (handle, call) in self.plan.seen.get(&event.number).into_iter().flatten() {
            let is_there = self.written.insert(*handle, *call) == Some(*call);
            if let Some(view) = self.views.get(call).filter(|_| !is_there) {
                restore::descriptor(&mut self.output, view, *handle)?;
            }
        }
        Ok(true)
    }

    fn note_view(&mut self, event: &Event<'_>) {
        if let Some(view) = self.views.get_mut(&event.number) {
            view.leave = Some(event.payload.to_vec());
        }
    }

    /// Whether a record that is no call stays.
    fn stays(&self, event: &Event<'_>, place: Place) -> bool {
        // What was made before and is not there any more.
        let is_gone = self.survey.made.get(event.object).is_some() && !self.plan.needed.objects.contains(&event.object);
        match (event.kind, place) {
            (_, Place::Behind | Place::End) => false,
            // An edit cannot be undone in a part.
            (Kind::Fact, _) if event.fact().is_some_and(|(number, _)| number == fact::EDITED) => false,
            (Kind::Gap, _) => true,
            (_, Place::Within) => !is_gone,
            // The object may not be there yet.
            (Kind::Fact, Place::Before) if self.away.contains(&event.thread) => false,
            (Kind::Fact, Place::Before) => match event.fact() {
                Some((fact::META | fact::THREAD_NAME, _)) => true,
                // A swap chain of Vulkan's.
                Some((fact::FRAME_SURFACE, _)) if event.object == 0 => true,
                Some((number, _)) => event.object != 0 && !is_gone && FACTS.contains(&number),
                None => false,
            },
            (_, Place::Before) => false,
        }
    }

    /// Begins the calls that other threads are in where the part begins, and states what was stated within them; the calls that it began. They
    /// return in the part, so what they do is done there.
    fn go_on(&mut self, part: &Part) -> Result<Vec<u64>, Error> {
        let mut begun = Vec::new();
        if self.away.is_empty() {
            return Ok(begun);
        }
        self.away.clear();
        let mut part = part.again();
        let mut within: HashSet<u32> = HashSet::new();
        let mut events = self.trace.events_as_recorded();
        while let Some(event) = events.next().map_err(|error| Error::Trace(error.to_string()))? {
            if part.place(&event) != Place::Before {
                break;
            }
            let stays = match event.kind {
                Kind::Enter if self.survey.under_way.contains(&event.number) => {
                    within.insert(event.thread);
                    !self.plan.dropped.contains(&event.number)
                }
                // Of an object all that is stated, as in the part: a mapping, too.
                Kind::Fact if within.contains(&event.thread) => {
                    self.stays(&event, if event.object == 0 { Place::Before } else { Place::Within })
                }
                _ => false,
            };
            if stays {
                if event.kind == Kind::Enter {
                    begun.push(event.number);
                }
                self.output.copy(&event)?;
            }
        }
        Ok(begun)
    }

    /// Takes what builds read, where it is needed before the part begins, or in two steps.
    fn take_inputs(&mut self, part: &Part, source: &mut Source<'_>) -> Result<(), Error> {
        let mut wanted = restore::wanted_builds(self.plan);
        let builds = self.plan.builds();
        let by_pointers = |wanted: &WantedBuild| builds[&wanted.call].by_pointers.is_some();
        if part.is_first() || self.plan.first_use.is_none() && !wanted.iter().any(by_pointers) {
            return Ok(());
        }
        let device = self.plan.device;
        let mut ask = |builds: Vec<WantedBuild>| {
            let mut taken = restore::AllTaken::new();
            let request = Request { device, held: self.plan.held(), builds, resources: Vec::new() };
            if request.is_empty() {
                return Ok(taken);
            }
            let asked = source(part.played(), &request, &mut |given| {
                if let Given::Inputs(inputs) = given {
                    taken.insert(inputs.call, restore::Taken::of(&inputs));
                }
                Ok(())
            });
            asked.map_err(Error::Replay).map(|()| taken)
        };
        // Instances that pointers lead to are wanted once it is known where these lead.
        let pointers = ask(wanted.iter().filter(|wanted| by_pointers(wanted)).cloned().collect())?;
        for build in &mut wanted {
            if let Some(pointers) = pointers.get(&build.call) {
                let found = plan::instances(builds[&build.call], &pointers.bytes.concat());
                build.reads.extend(found.map_err(Error::Refused)?);
            }
        }
        self.inputs = Some(Rc::new(ask(wanted)?));
        Ok(())
    }

    fn restore(&mut self, part: &Part, source: &mut Source<'_>) -> Result<(), Error> {
        if part.is_first() {
            return Ok(());
        }
        let next = self.next;
        let builds = if self.inputs.is_some() { Vec::new() } else { restore::wanted_builds(self.plan) };
        let request =
            Request { device: self.plan.device, held: self.plan.held(), builds, resources: restore::wanted(self.plan) };
        let mut restorer = Restorer::new(self.plan, next);
        if let Some(inputs) = &self.inputs {
            restorer = restorer.with_inputs(inputs);
        }
        let Cutter { output, trimmed, .. } = self;
        let mut failed = None;
        if !request.is_empty() {
            let taken = source(part.played(), &request, &mut |given| {
                let done = match given {
                    Given::Content(content) => {
                        trimmed.resources += 1;
                        trimmed.contents += content.bytes.len() as u64;
                        restorer.content(output, &content)
                    }
                    Given::Inputs(inputs) => {
                        restorer.inputs(&inputs);
                        Ok(())
                    }
                };
                done.map_err(|error| {
                    let what = error.to_string();
                    failed = Some(error);
                    what
                })
            });
            if let Some(error) = failed {
                return Err(error);
            }
            taken.map_err(Error::Replay)?;
        }
        restorer.finish(output, &self.views)?;
        trimmed.before = output.calls();
        Ok(())
    }
}
