//! Work beside the calls of a trace, at single calls and frames: dumps, breakpoints, RenderDoc captures, shader files.
//!
//! Invariant: a plain replay pays one test per call for it. With such work, calls are made one after another, in the order of
//! the trace.

use crate::call::open_call::Enter;
use crate::context::Context;
use crate::debug::renderdoc::FrameCapture;
use crate::diagnose::Watch;
use crate::error::{Error, Place};
use crate::input::source::{Blobs, Source};
use crate::options::Options;
use crate::resource_dump::{self, Dumps, ShotContents};

/// Breakpoints, dumps and captures of RenderDoc.
pub(super) struct Hooks {
    wanted: bool,
    dumps: Option<Dumps>,
    renderdoc: Option<FrameCapture>,
    watch: Option<Watch>,
}

impl Hooks {
    pub(super) fn new(options: &Options<'_>) -> Self {
        let renderdoc = options.renderdoc_frame.map(|frame| FrameCapture::new(frame, options.renderdoc_dir.clone()));
        Self { wanted: options.around_calls().is_some(), dumps: None, renderdoc, watch: None }
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
        let asked = &context.options.dumps;
        if !asked.is_empty() {
            let plan = resource_dump::plan(source, blobs, asked)
                .map_err(|what| Error::Plan { what: format!("looking for what to dump: {what}") })?;
            self.dumps = Some(Dumps::new(plan, asked, context.options.fence_wait_timeout));
        }
        Ok(())
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
    }

    /// The call was made, and its result is not compared yet.
    pub(super) fn after_enter(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
        if let Some(watch) = &mut self.watch {
            watch.after(context, enter);
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

    /// The call at `place` is made next.
    pub(super) fn before_call(&mut self, context: &mut Context<'_, '_>, place: &Place) {
        context.options.break_at.hit(place);
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
    }

    /// The call at `place`, on `object`, was made, and its result is known.
    pub(super) fn after_call(&mut self, context: &mut Context<'_, '_>, object: u32, place: &Place) {
        if let Some(dumps) = &mut self.dumps {
            dumps.after(&mut context.world, place.call, object);
            give(dumps.take_shots(), context);
        }
    }

    /// Nothing is wanted but what was given already: the replay has no more to play.
    pub(super) fn are_over(&self) -> bool {
        self.dumps.as_ref().is_some_and(Dumps::are_over)
    }

    /// The frame that the report has last is over.
    pub(super) fn after_frame(&mut self, context: &mut Context<'_, '_>) {
        let number = context.frames();
        if let Some(dumps) = &mut self.dumps {
            dumps.frame(&mut context.world, number);
        }
        if let Some(renderdoc) = &mut self.renderdoc {
            renderdoc.after(number);
        }
    }

    /// No more calls are made.
    pub(super) fn finish(&mut self, context: &mut Context<'_, '_>) {
        if let Some(dumps) = self.dumps.take() {
            let outcome = dumps.finish(&mut context.world);
            (context.report.dumped, context.report.looks) = (outcome.dumped, outcome.looks);
            give(outcome.shots, context);
        }
        if let Some(told) = context.options.on_call {
            told(0);
        }
        let frames = context.frames();
        context.report.dumped.extend(self.renderdoc.take().map(|renderdoc| renderdoc.finish(frames)));
    }
}

/// Gives shots to the caller.
fn give(shots: Vec<(usize, Result<ShotContents, String>)>, context: &mut Context<'_, '_>) {
    let Some(take) = &mut context.options.on_shot else { return };
    shots.into_iter().for_each(|(shot, shown)| take(shot, shown));
}
