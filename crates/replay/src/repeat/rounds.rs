//! Between two rounds of repeated frames: puts the runtime's side back to where the first round began, as far as it can.
//!
//! The queues finish, stores to mapped memory are undone, and objects that the frames made go. Objects that the frames release
//! live on. Bytes that the GPU wrote and descriptors stay as they are. So pictures of later rounds are compared with those of the
//! first, and a difference is reported.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use super::plan::{self, LoopPlan};
use crate::context::Context;
use crate::error::{Error, Place};
use crate::input::source::Source;
use crate::memory::mapped;
use crate::options::LoopFrames;
use crate::present::swap_chains::SwapChains;
use crate::report::Frame;

/// Rounds under way.
pub(crate) struct Rounds {
    frames: (u64, u64),
    /// The state in which the first round began.
    start: Option<Start>,
    /// For each store of this round: subresource, offset, and the bytes before the store.
    undo: Vec<((u32, u32), u64, Vec<u8>)>,
    /// Stores that cannot be undone.
    lost: u64,
    began: Instant,
    /// The frames of the first round.
    first: Option<Vec<Frame>>,
    times: Vec<Duration>,
}

struct Start {
    objects: HashSet<u32>,
    chains: SwapChains,
    frames: usize,
}

impl Rounds {
    /// Looks whether frames can be repeated, where that is asked for.
    ///
    /// # Errors
    /// They cannot be repeated: why.
    pub(crate) fn prepare(
        context: &Context<'_, '_>,
        source: &mut dyn Source,
    ) -> Result<Option<(Self, LoopPlan)>, Error> {
        let Some(wanted) = context.options.rounds else { return Ok(None) };
        let (first, last) = wanted.frames;
        let fail = |what: String| Error::Plan { what: format!("frames {first}-{last} cannot be repeated: {what}") };
        if !context.world.runtime.is_linked() {
            return Err(fail(
                "only on our own runtime, whose resources need not be in the states that calls name".into(),
            ));
        }
        let plan = plan::plan(source, wanted).map_err(fail)?;
        Ok(Some((Self::new(wanted), plan)))
    }

    fn new(wanted: LoopFrames) -> Self {
        Self {
            frames: wanted.frames,
            start: None,
            undo: Vec::new(),
            lost: 0,
            began: Instant::now(),
            first: None,
            times: Vec::new(),
        }
    }

    /// Whether an object has to live on although the program releases it.
    pub(crate) fn keeps(&self, object: u32) -> bool {
        self.start.as_ref().is_some_and(|start| start.objects.contains(&object))
    }

    /// An event is next: the first round begins with the first event of its frames.
    ///
    /// # Errors
    /// The work before it does not finish in time.
    pub(crate) fn begin(
        &mut self,
        context: &mut Context<'_, '_>,
        chains: &SwapChains,
        event: &Event<'_>,
        place: &Place,
    ) -> Result<(), Error> {
        if self.start.is_none() && u64::from(event.frame) + 1 >= self.frames.0 {
            if !context.world.drain(context.options.fence_wait_timeout) {
                return Err(unfinished(place, "before"));
            }
            let objects = context.world.objects.ids().into_iter().collect();
            let frames = context.report.frames.len();
            self.start = Some(Start { objects, chains: chains.clone(), frames });
            self.began = Instant::now();
        }
        Ok(())
    }

    /// The program stores to mapped memory next.
    pub(crate) fn remember(
        &mut self,
        context: &Context<'_, '_>,
        (id, subresource): (u32, u32),
        offset: u64,
        len: usize,
    ) {
        if self.start.is_some() {
            match mapped::load(&context.world, id, subresource, offset, len) {
                Some(old) => self.undo.push(((id, subresource), offset, old)),
                None => self.lost += 1,
            }
        }
    }

    /// Whether a round ends with this event.
    pub(crate) fn end_with(&self, event: &Event<'_>) -> bool {
        event.kind == Kind::Frame && u64::from(event.frame) + 1 == self.frames.1
    }

    /// A round is over once its work is done.
    ///
    /// # Errors
    /// The work does not finish in time.
    pub(crate) fn end(&mut self, context: &mut Context<'_, '_>, place: &Place) -> Result<(), Error> {
        if !context.world.drain(context.options.fence_wait_timeout) {
            return Err(unfinished(place, "after"));
        }
        self.times.push(self.began.elapsed());
        Ok(())
    }

    /// Puts back what the round changed, and compares its pictures with those of the first. No call is open.
    ///
    /// # Errors
    /// A store cannot be undone.
    pub(crate) fn rewind(
        &mut self,
        context: &mut Context<'_, '_>,
        chains: &mut SwapChains,
        place: &Place,
    ) -> Result<(), Error> {
        let Some(start) = &self.start else { return Ok(()) };
        chains.clone_from(&start.chains);
        let frames = context.report.frames.split_off(start.frames.min(context.report.frames.len()));
        let mut made: Vec<u32> = context.world.objects.ids();
        made.retain(|id| !start.objects.contains(id));
        for ((id, subresource), offset, old) in std::mem::take(&mut self.undo).into_iter().rev() {
            mapped::store(&mut context.world, id, subresource, offset, &old).map_err(|what| failed(place, what))?;
        }
        let round = self.times.len();
        let unlike: Vec<u64> = match &self.first {
            Some(first) => {
                let pairs = first.iter().zip(&frames).filter(|(first, now)| first.hash != now.hash);
                pairs.map(|(first, _)| first.number).collect()
            }
            None => Vec::new(),
        };
        self.first.get_or_insert(frames);
        made.sort_unstable();
        made.into_iter().rev().for_each(|id| context.world.gone(id, 0));
        context.report.unlike_rounds.extend(&unlike);
        for frame in unlike {
            context.differ(place, format!("frame {frame} has another picture in round {round} than in the first"));
        }
        self.began = Instant::now();
        Ok(())
    }

    /// The last round is over.
    pub(crate) fn finish(self, context: &mut Context<'_, '_>) {
        context.report.frames.extend(self.first.into_iter().flatten());
        context.report.rounds = self.times;
        if self.lost > 0 {
            let what = format!("{} stores to memory that is not mapped could not be undone between rounds", self.lost);
            context.differ(&Place::default(), what);
        }
    }
}

fn failed(place: &Place, what: impl core::fmt::Display) -> Error {
    place.fail(format!("in frames that are repeated: {what}"))
}

fn unfinished(place: &Place, when: &str) -> Error {
    failed(
        place,
        format_args!("the queues do not finish {when} the frames; raise --fence-timeout if the device is slow"),
    )
}
