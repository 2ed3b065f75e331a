//! What happens between two rounds of repeated frames: the world goes back to where the first round began, as far as it can.
//!
//! The queues finish, stores to mapped memory are undone, objects that the frames made go, and those that they released live
//! on. What the GPU wrote stays: frames that read what earlier ones wrote show it, and a picture that is not the first
//! round's is reported. Descriptors stay, too.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::memory::mapped;
use crate::present::Presentation;
use crate::repeat::plan::LoopFrames;
use crate::walk::Engine;
use crate::{Error, Frame, Place};

/// Rounds under way.
pub(crate) struct Rounds {
    frames: (u64, u64),
    /// What was there when the first round began.
    start: Option<Start>,
    /// Subresource, offset and what was there before each store of this round.
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
    presentation: Presentation,
    frames: usize,
}

impl Rounds {
    pub(crate) fn new(wanted: LoopFrames) -> Self {
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
}

fn failed(place: &Place, what: impl core::fmt::Display) -> Error {
    Error::Call { place: place.clone(), what: format!("--loop-frame: {what}") }
}

fn unfinished(place: &Place, when: &str) -> Error {
    failed(
        place,
        format_args!("the queues do not finish {when} the frames; raise --fence-timeout if the device is slow"),
    )
}

impl Engine<'_, '_> {
    /// An event is next: a round may begin with it.
    pub(crate) fn begin_round(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let Some(rounds) = &mut self.rounds else { return Ok(()) };
        if rounds.start.is_none() && u64::from(event.frame) + 1 >= rounds.frames.0 {
            if !self.world.drain(self.options.fence_wait_timeout) {
                return Err(unfinished(place, "before"));
            }
            let objects = self.world.objects.ids().into_iter().collect();
            let (presentation, frames) = (self.presentation.clone(), self.report.frames.len());
            rounds.start = Some(Start { objects, presentation, frames });
            rounds.began = Instant::now();
        }
        Ok(())
    }

    /// The program stores to mapped memory next.
    pub(crate) fn remember(&mut self, (id, subresource): (u32, u32), offset: u64, len: usize) {
        let Some(rounds) = &mut self.rounds else { return };
        if rounds.start.is_some() {
            match mapped::load(&self.world, id, subresource, offset, len) {
                Some(old) => rounds.undo.push(((id, subresource), offset, old)),
                None => rounds.lost += 1,
            }
        }
    }

    /// An event was played: a round may end with it.
    pub(crate) fn end_round(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let last = self.rounds.as_ref().is_some_and(|rounds| u64::from(event.frame) + 1 == rounds.frames.1);
        if event.kind != Kind::Frame || !last {
            return Ok(());
        }
        if !self.world.drain(self.options.fence_wait_timeout) {
            return Err(unfinished(place, "after"));
        }
        let Some(rounds) = &mut self.rounds else { return Ok(()) };
        rounds.times.push(rounds.began.elapsed());
        let Some(start) = &rounds.start else { return Ok(()) };
        self.presentation = start.presentation.clone();
        let frames = self.report.frames.split_off(start.frames.min(self.report.frames.len()));
        // Calls that go on beyond the frames begin again, too.
        let mut made: Vec<u32> = self.world.objects.ids();
        made.retain(|id| !start.objects.contains(id));
        for ((id, subresource), offset, old) in std::mem::take(&mut rounds.undo).into_iter().rev() {
            mapped::store(&mut self.world, id, subresource, offset, &old).map_err(|what| failed(place, what))?;
        }
        let round = rounds.times.len();
        let unlike: Vec<u64> = match &rounds.first {
            Some(first) => {
                let pairs = first.iter().zip(&frames).filter(|(first, now)| first.hash != now.hash);
                pairs.map(|(first, _)| first.number).collect()
            }
            None => Vec::new(),
        };
        rounds.first.get_or_insert(frames);
        self.leave_open_calls();
        made.sort_unstable();
        made.into_iter().rev().for_each(|id| self.world.gone(id));
        for frame in unlike {
            self.differ(place, format!("frame {frame} has another picture in round {round} than in the first"));
        }
        if let Some(rounds) = &mut self.rounds {
            rounds.began = Instant::now();
        }
        Ok(())
    }

    /// The last round is over.
    pub(crate) fn finish_rounds(&mut self) {
        let Some(rounds) = self.rounds.take() else { return };
        self.report.frames.extend(rounds.first.into_iter().flatten());
        self.report.rounds = rounds.times;
        if rounds.lost > 0 {
            let what =
                format!("{} stores to memory that is not mapped could not be undone between rounds", rounds.lost);
            self.differ(&Place::default(), what);
        }
    }
}
