//! What happens around single calls while a trace plays, beside the calls themselves.
//!
//! Invariant: `is_idle` says that nothing does, so that a plain replay pays one test per call; where something does, calls
//! are made one after another, in the order of the trace.

use crate::debug::replace::Replacements;
use crate::dump::{self, Dumps};
use crate::input::source::{Blobs, Source};
use crate::repeat::plan::{self, LoopPlan};
use crate::repeat::rounds::Rounds;
use crate::walk::Engine;
use crate::{Error, Options, Place};

/// Whether anything is to happen around calls.
pub(crate) fn is_idle(options: &Options<'_>) -> bool {
    wanted(options).is_none()
}

/// The option that wants something to happen around calls.
pub(crate) fn wanted(options: &Options<'_>) -> Option<&'static str> {
    let options = [
        (!options.break_at.is_empty(), "--break-at"),
        (!options.dumps.is_empty(), "a dump"),
        (options.replace_shaders.is_some(), "--replace-shaders"),
        (options.renderdoc_frame.is_some(), "--renderdoc-frame"),
        (options.rounds.is_some(), "--loop-frame"),
    ];
    options.into_iter().find(|(is_set, _)| *is_set).map(|(_, name)| name)
}

impl Engine<'_, '_> {
    /// Looks through the trace for what has to be known before it plays.
    pub(crate) fn prepare(&mut self, source: &mut dyn Source, blobs: &dyn Blobs) -> Result<(), Error> {
        if let Some(folder) = &self.options.replace_shaders {
            self.replacements = Some(Replacements::load(folder)?);
        }
        let asked = &self.options.dumps;
        if !asked.is_empty() {
            let plan = dump::plan(source, blobs, &self.codec, asked)
                .map_err(|what| Error::Plan { what: format!("looking for what to dump: {what}") })?;
            self.dumps = Some(Dumps::new(plan, asked, self.options.fence_wait_timeout));
        }
        Ok(())
    }

    /// Looks whether frames can be repeated, where that is asked for.
    pub(crate) fn prepare_rounds(&mut self, source: &mut dyn Source) -> Result<Option<LoopPlan>, Error> {
        let Some(wanted) = self.options.rounds else { return Ok(None) };
        let (first, last) = wanted.frames;
        let fail = |what: String| Error::Plan {
            what: format!("--loop-frame {first}-{last}: these frames cannot be repeated: {what}"),
        };
        if !self.world.runtime.is_linked() {
            return Err(fail(
                "only on our own runtime, whose resources need not be in the states that calls name".into(),
            ));
        }
        let plan = plan::plan(source, wanted).map_err(fail)?;
        self.rounds = Some(Rounds::new(wanted));
        Ok(Some(plan))
    }

    /// The call at `place` is made next.
    pub(crate) fn before_call(&mut self, place: &Place) -> Result<(), Error> {
        self.options.break_at.hit(place);
        if let Some(renderdoc) = &mut self.renderdoc {
            renderdoc.before(place.frame);
        }
        if let Some(dumps) = &mut self.dumps {
            dumps.before(&mut self.world, place.call);
        }
        Ok(())
    }

    /// The call at `place`, on `object`, was made, and what it gave is known.
    pub(crate) fn after_call(&mut self, object: u32, place: &Place) -> Result<(), Error> {
        if let Some(dumps) = &mut self.dumps {
            dumps.after(&mut self.world, place.call, object);
        }
        Ok(())
    }

    /// The frame that the report has last is over.
    pub(crate) fn after_frame(&mut self) {
        let number = self.frames();
        if let Some(dumps) = &mut self.dumps {
            dumps.frame(&mut self.world, number);
        }
        if let Some(renderdoc) = &mut self.renderdoc {
            renderdoc.after(number);
        }
    }

    /// No more calls are made.
    pub(crate) fn finish_hooks(&mut self) {
        self.finish_rounds();
        self.report.replaced = self.replacements.take().map(Replacements::finish);
        if let Some(dumps) = self.dumps.take() {
            self.report.dumped = dumps.finish(&mut self.world);
        }
        let frames = self.frames();
        self.report.dumped.extend(self.renderdoc.take().map(|renderdoc| renderdoc.finish(frames)));
    }
}
