//! Work beside the calls of a trace, at single calls and frames: dumps, breakpoints, RenderDoc captures, shader files.
//!
//! Invariant: a plain replay pays one test per call for it. With such work, calls are made one after another, in the order of
//! the trace.

use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::debug::renderdoc::FrameCapture;
use crate::diagnose::Watch;
use crate::error::{Error, Place, Subject};
use crate::executables::Executables;
use crate::experiment::{self, Experimenter};
use crate::input::source::{Blobs, Source, walk};
use crate::memory::clock::Clocks;
use crate::mesh::{self, Tracer};
use crate::observer::ObservedCall;
use crate::opened::player::OpenedPasses;
use crate::options::Options;
use crate::overdraw::{self, Counter};
use crate::overlay::{self, Painter};
use crate::pixel::{self, Prober};
use crate::report::timing::{TimeKind, TimingReport};
use crate::resource_dump::{self, Dumps, ShotContents, Snapshot};
use crate::runtime::com::Com;
use crate::runtime::fence::{self, Waited};
use crate::timing::{self, Timer, shaders};
use crate::walk::session::Session;
use reprise_d3d12::MODEL;
use reprise_timeline::Pass;
use reprise_trace::read::Trace;
use std::collections::HashMap;

/// Breakpoints, dumps and captures of RenderDoc.
pub(super) struct Hooks<'a> {
    wanted: bool,
    dumps: Option<Dumps>,
    renderdoc: Option<FrameCapture>,
    watch: Option<Watch>,
    /// Queues that wait where the replay ends, by the call that makes them wait; then fences behind what they do before.
    held: HashMap<u64, u32>,
    done: HashMap<u32, Result<u64, String>>,
    counter: Option<Counter>,
    tracer: Option<Tracer>,
    painter: Option<Painter>,
    timer: Option<Timer>,
    prober: Option<Prober>,
    experimenter: Option<Experimenter>,
    session: Option<Session<'a>>,
    /// All draws were probed, and nothing else is wanted.
    is_probed: bool,
    /// The same of overlays.
    is_painted: bool,
}

impl<'a> Hooks<'a> {
    pub(super) fn new(options: &Options<'_>) -> Self {
        let renderdoc = options.renderdoc_frame.map(|frame| FrameCapture::new(frame, options.renderdoc_dir.clone()));
        let held =
            options.snapshot.iter().flat_map(|snapshot| &snapshot.held).map(|(queue, call)| (*call, *queue)).collect();
        let wanted = options.around_calls().is_some();
        Self {
            wanted,
            dumps: None,
            renderdoc,
            watch: None,
            held,
            done: HashMap::new(),
            counter: None,
            tracer: None,
            painter: None,
            timer: None,
            prober: None,
            experimenter: None,
            session: None,
            is_probed: false,
            is_painted: false,
        }
    }

    /// Looks through the trace for what has to be dumped.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(super) fn plan_dumps(
        &mut self,
        context: &Context<'_, '_>,
        source: &mut dyn Source,
        blobs: &dyn Blobs,
    ) -> Result<(), Error> {
        if let Some(asked) = context.options.overdraw {
            let plan = overdraw::plan(source, asked)
                .map_err(|what| Error::Plan { what: format!("looking for the draws of the frame: {what}") })?;
            self.counter = Some(Counter::new(plan, context.options.fence_wait_timeout));
            return Ok(());
        }
        if !context.options.meshes.is_empty() {
            let plan = mesh::plan(source, blobs, &context.options.meshes).map_err(|what| Error::Plan {
                what: format!("looking for the draws whose vertices are wanted: {what}"),
            })?;
            self.tracer = Some(Tracer::new(plan, context.options.fence_wait_timeout));
            return Ok(());
        }
        if !context.options.overlays.is_empty() {
            let plan = overlay::plan(source, blobs, &context.options.overlays)
                .map_err(|what| Error::Plan { what: format!("looking for the draws of overlays: {what}") })?;
            let wishes = context.options.overlays.clone();
            self.painter = Some(Painter::new(plan, wishes, context.options.fence_wait_timeout));
            return Ok(());
        }
        if context.options.timing.is_some_and(|wish| wish.what == TimeKind::Shaders) {
            // What was asked for is told in the world: objects go there.
            return Ok(());
        }
        if let Some(wish) = context.options.timing {
            let mut timed = timing::Finder::new(wish);
            let experiment = context.options.experiment.as_ref();
            let mut changed = experiment.map(experiment::Finder::new);
            // Both in one walk: a source is read once.
            let mut passes: Vec<&mut dyn Pass> = vec![&mut timed];
            passes.extend(changed.as_mut().map(|changed| changed as &mut dyn Pass));
            walk(source, &mut passes, |event| u64::from(event.frame) >= wish.frames.1)
                .map_err(|what| Error::Plan { what: format!("looking for what is to be timed: {what}") })?;
            let timeout = context.options.fence_wait_timeout;
            self.experimenter = experiment
                .zip(changed)
                .map(|(wish, changed)| Experimenter::new(wish.what, changed.into_plan(), timeout));
            self.timer = Some(Timer::new(wish, timed.into_plan(), timeout));
            return Ok(());
        }
        if let Some(asked) = &context.options.pixel {
            let plan = pixel::plan(source, blobs, asked)
                .map_err(|what| Error::Plan { what: format!("looking for the draws at the pixel: {what}") })?;
            self.prober = Some(Prober::new(asked.clone(), plan, context.options.fence_wait_timeout));
            return Ok(());
        }
        let mut asked = context.options.dumps.clone();
        let builds = context.options.snapshot.iter().flat_map(|snapshot| &*snapshot.builds);
        let builds: Vec<_> = builds.cloned().collect();
        asked.points.extend(resource_dump::points_of(&builds));
        if !asked.is_empty() {
            let plan = resource_dump::plan(source, blobs, &asked)
                .map_err(|what| Error::Plan { what: format!("looking for what to dump: {what}") })?;
            self.dumps = Some(Dumps::new(plan, &asked, context.options.fence_wait_timeout));
        }
        Ok(())
    }

    /// A round of frames that are repeated is over, and what it made is gone.
    pub(super) fn end_round(&mut self, context: &mut Context<'_, '_>) {
        if let Some(timer) = &mut self.timer {
            timer.end_round(&mut context.world);
        }
    }

    /// Render passes are opened from here on, where something is recorded beside draws.
    pub(super) fn open_passes(&self, context: &mut Context<'_, '_>) {
        let is_recorded = self.dumps.is_some()
            || context.options.leader.is_some()
            || self.counter.is_some()
            || self.tracer.is_some()
            || self.painter.is_some()
            || self.prober.is_some();
        context.world.opened = is_recorded.then(OpenedPasses::default);
    }

    /// Asks what the driver makes of shaders from here on, where that is wanted.
    pub(super) fn plan_executables(&mut self, context: &mut Context<'_, '_>) {
        if context.options.timing.is_some_and(|wish| wish.what == TimeKind::Shaders) {
            context.world.executables = Some(Executables::default());
        }
    }

    /// Goes from stop to stop from here on, where somebody leads.
    pub(super) fn lead(&mut self, context: &Context<'_, '_>, trace: &'a Trace) {
        self.session = context.options.leader.is_some().then(|| Session::new(trace, context));
    }

    /// Puts markers around operations from here on, where a diagnosis is wanted.
    pub(super) fn plan_diagnosis(&mut self, context: &mut Context<'_, '_>) {
        if context.options.on_diagnosis.is_some() {
            let serial = context.options.diagnose_serially;
            self.watch = Some(Watch::new(context, serial));
        }
    }

    /// The call is made next.
    pub(super) fn before_enter(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        if let Some(watch) = &mut self.watch {
            watch.before(context, enter);
        }
        if let Some(counter) = &mut self.counter {
            counter.before(&mut context.world, enter);
        }
        if let Some(tracer) = &mut self.tracer {
            tracer.before(&mut context.world, enter);
        }
        if let Some(painter) = &mut self.painter {
            painter.before(&mut context.world, &context.codec, enter);
        }
        if let Some(prober) = &mut self.prober {
            prober.before(&mut context.world, &context.codec, enter);
        }
        if let Some(experimenter) = &mut self.experimenter {
            experimenter.before(&mut context.world, enter);
        }
        if let Some(timer) = &mut self.timer {
            timer.before(context, enter);
        }
        if context.options.observer.is_some() {
            let seen = seen(context, enter.event.object, enter.event.thread, enter.place);
            context.options.observer.iter_mut().for_each(|observer| observer.before(&seen));
        }
        if context.world.executables.is_some() {
            shaders::before(&mut context.world, enter);
        }
    }

    /// Whether the call is not to be made, and why.
    pub(super) fn leaves_out(&mut self, call: u64) -> Option<&'static str> {
        let leaves_out = self.experimenter.as_mut().is_some_and(|experimenter| experimenter.leaves_out(call));
        leaves_out.then_some(experiment::LEFT_OUT)
    }

    /// The call was made, and its arguments are there.
    pub(super) fn made(&mut self, context: &mut Context<'_, '_>, call: &OpenCall) {
        if let Some(counter) = &mut self.counter {
            counter.made(&mut context.world, &context.codec, call);
        }
        if let Some(tracer) = &mut self.tracer {
            tracer.made(&mut context.world, &context.codec, call);
        }
        if let Some(painter) = &mut self.painter {
            painter.made(&mut context.world, &context.codec, call);
        }
        if let Some(experimenter) = &mut self.experimenter {
            experimenter.made(&mut context.world, &context.codec, call);
        }
        if let Some(timer) = &mut self.timer {
            timer.made(call);
        }
        if let Some(prober) = &mut self.prober {
            prober.made(&mut context.world, &context.codec, call);
        }
    }

    /// The call was made, and its result is not compared yet.
    pub(super) fn after_enter(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        if let Some(watch) = &mut self.watch {
            watch.after(context, enter);
        }
        if let Some(timer) = &mut self.timer {
            timer.after(context, enter);
        }
        if let Some(experimenter) = &mut self.experimenter {
            experimenter.after(&mut context.world, enter);
        }
    }

    /// The replay ended at `place` for this reason: tells how far the queues are, where they are not done.
    pub(super) fn diagnose(&mut self, context: &mut Context<'_, '_>, place: &Place, reason: &str) {
        let diagnosis = self.watch.take().and_then(|mut watch| watch.tell(&mut context.world, place, reason));
        if let (Some(diagnosis), Some(tell)) = (diagnosis, &mut context.options.on_diagnosis) {
            tell(diagnosis);
        }
    }

    /// Whether something happens around calls.
    #[inline]
    pub(super) fn are_wanted(&self) -> bool {
        self.wanted
    }

    /// The call at `place`, of a thread on an object, is made next.
    pub(super) fn before_call(&mut self, context: &mut Context<'_, '_>, who: (u32, u32), place: &Place) {
        context.options.break_at.hit(place);
        if let Some(queue) = self.held.get(&place.call) {
            self.done.insert(*queue, resource_dump::signal(&mut context.world, *queue));
        }
        if let Some(told) = context.options.on_call {
            told(place.call);
        }
        if let Some(renderdoc) = &mut self.renderdoc {
            renderdoc.before(place.frame);
        }
        if let Some(dumps) = &mut self.dumps {
            dumps.before(&mut context.world, place.call);
            give(dumps.take_shots(), context);
        }
        if let Some(session) = &mut self.session {
            session.before(context, who.0, place);
        }
    }

    /// The call at `place`, on `object`, was made, and its result is known.
    pub(super) fn after_call(&mut self, context: &mut Context<'_, '_>, (thread, object): (u32, u32), place: &Place) {
        if context.options.observer.is_some() {
            let seen = seen(context, object, thread, place);
            context.options.observer.iter_mut().for_each(|observer| observer.after(&seen));
        }
        if let Some(dumps) = &mut self.dumps {
            dumps.after(&mut context.world, place.call, object);
            give(dumps.take_shots(), context);
        }
        if let Some(session) = &mut self.session {
            session.after(context, object, place);
        }
        if let Some(tracer) = &mut self.tracer {
            tracer.after(&mut context.world, place.call, object);
        }
        if let Some(painter) = &mut self.painter {
            painter.after(&mut context.world, place.call, object);
            self.is_painted = painter.is_over() && context.options.on_read.is_none();
        }
        if let Some(prober) = &mut self.prober {
            prober.after(&mut context.world, place.call, object);
            self.is_probed = prober.is_over() && context.options.on_read.is_none();
        }
    }

    /// Nothing is wanted but what was given already: the replay has no more to play.
    pub(super) fn are_over(&self) -> bool {
        self.dumps.as_ref().is_some_and(Dumps::are_over)
            || self.counter.as_ref().is_some_and(Counter::is_over)
            || self.tracer.as_ref().is_some_and(Tracer::is_over)
            || self.is_probed
            || self.is_painted
            || self.session.as_ref().is_some_and(Session::is_over)
    }

    /// The frame that the report has last is over.
    pub(super) fn after_frame(&mut self, context: &mut Context<'_, '_>) {
        let number = context.frames();
        if let Some(dumps) = &mut self.dumps {
            dumps.frame(&mut context.world, number);
        }
        if let Some(counter) = &mut self.counter {
            counter.frame(&mut context.world, number);
        }
        if let Some(renderdoc) = &mut self.renderdoc {
            renderdoc.after(number);
        }
        if let Some(observer) = &mut context.options.observer {
            observer.frame(number);
        }
    }

    /// Gives what is wanted where the replay ends.
    ///
    /// # Errors
    /// Queues that do not finish, and what cannot be copied.
    pub(super) fn give_snapshot(
        &mut self,
        context: &mut Context<'_, '_>,
        snapshot: &mut Snapshot<'_>,
        clocks: Option<Clocks<'_>>,
    ) -> Result<(), String> {
        let timeout = context.options.fence_wait_timeout;
        let world = &mut context.world;
        let mut are_done = world.drain_but(timeout, |queue| self.done.contains_key(&queue));
        for (queue, fence) in self.done.drain() {
            let fence = fence.map_err(|what| format!("queue {queue}: {what}"))?;
            are_done &= matches!(fence::wait(&world.runtime, fence, 1, timeout), Waited::Reached);
            world.runtime.release(fence);
        }
        if !are_done {
            return Err("a queue still waits for what comes later, or does not finish".into());
        }
        let kept = self.dumps.as_ref().map(|dumps| dumps.kept(&context.world)).unwrap_or_default();
        let first = context.options.dumps.points.len();
        let apart = clocks.map(|clocks| clocks.at_end(context.end())).unwrap_or_default();
        resource_dump::give_snapshot(&mut context.world, snapshot, ((first, kept), &apart), timeout)
    }

    /// No more calls are made.
    pub(super) fn finish(&mut self, context: &mut Context<'_, '_>) {
        if let Some(observer) = &mut context.options.observer {
            observer.end();
        }
        if let Some(session) = self.session.take() {
            session.finish(context);
        }
        if let Some(dumps) = self.dumps.take() {
            let outcome = dumps.finish(&mut context.world);
            (context.report.dumped, context.report.looks) = (outcome.dumped, outcome.looks);
            give(outcome.shots, context);
        }
        if let Some(counter) = self.counter.take() {
            context.report.overdraw = Some(counter.finish(&mut context.world));
        }
        if let Some(tracer) = self.tracer.take() {
            context.report.meshes = tracer.finish(&mut context.world);
        }
        if let Some(painter) = self.painter.take() {
            context.report.overlays = painter.finish(&mut context.world);
        }
        if let Some(prober) = self.prober.take() {
            context.report.pixel = Some(prober.finish(&mut context.world));
        }
        if let Some(experimenter) = self.experimenter.take() {
            context.report.experiment = Some(experimenter.finish());
        }
        if let Some(timer) = self.timer.take() {
            context.report.timing = Some(timer.finish(&mut context.world));
        }
        if let Some(executables) = context.world.executables.take() {
            let silence = executables.silence();
            let executables = shaders::finish(executables, &mut context.world);
            // Of one device there may be something.
            let silence = silence.filter(|_| executables.is_empty());
            context.report.timing = Some(TimingReport { executables, silence, ..TimingReport::default() });
        }
        if let Some(told) = context.options.on_call {
            told(0);
        }
        let frames = context.frames();
        context.report.dumped.extend(self.renderdoc.take().map(|renderdoc| renderdoc.finish(frames)));
    }
}

/// What an observer is told of a call.
fn seen(context: &mut Context<'_, '_>, object: u32, thread: u32, place: &Place) -> ObservedCall {
    let method = match place.method {
        Subject::Method(method) => MODEL.methods.get(usize::from(method)),
        Subject::Nothing | Subject::Record(..) => None,
    };
    let interface = method.and_then(|method| method.interface).filter(|_| object != 0);
    let native = interface.and_then(|interface| context.world.pointer(object, interface).ok()).unwrap_or(0);
    ObservedCall { number: place.call, frame: place.frame, thread, object, native }
}

/// Gives shots to the caller.
fn give(shots: Vec<(usize, Result<ShotContents, String>)>, context: &mut Context<'_, '_>) {
    let Some(take) = &mut context.options.on_shot else { return };
    shots.into_iter().for_each(|(shot, shown)| take(shot, shown));
}
