//! The part of a trace that is kept, among its events.

use reprise_trace::read::Event;
use reprise_trace::record::Kind;
use std::ops::Range;

/// Where an event belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Before the part that is kept.
    Before,
    /// In it, or the end of a call that began there or before.
    Within,
    /// Behind it, while calls of it still have to return.
    Behind,
    /// Nothing of it comes any more.
    End,
}

/// What is played before the part that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Played {
    /// So many frames.
    Frames(u32),
    /// All calls up to this one.
    Calls(u64),
}

/// A part of a trace, half open.
#[derive(Clone, Debug)]
enum Extent {
    /// Frames, counted from 0.
    Frames(Range<u32>),
    /// Calls by number.
    Calls(Range<u64>),
}

/// Tells events apart, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    extent: Extent,
    /// The last call that began in it.
    last: u64,
    /// The thread that ended it.
    thread: Option<u32>,
}

impl Part {
    /// Frames, counted from 0.
    pub(crate) fn of_frames(frames: Range<u32>) -> Part {
        Part { extent: Extent::Frames(frames), last: 0, thread: None }
    }

    /// Calls by number.
    pub(crate) fn of_calls(calls: Range<u64>) -> Part {
        Part { extent: Extent::Calls(calls), last: 0, thread: None }
    }

    /// The same part, from the first event on.
    pub(crate) fn again(&self) -> Part {
        Part { extent: self.extent.clone(), last: 0, thread: None }
    }

    /// What is played before it.
    pub(crate) fn played(&self) -> Played {
        match &self.extent {
            Extent::Frames(frames) => Played::Frames(frames.start),
            Extent::Calls(calls) => Played::Calls(calls.start.saturating_sub(1)),
        }
    }

    /// Whether nothing is before it.
    pub(crate) fn is_first(&self) -> bool {
        matches!(self.played(), Played::Frames(0) | Played::Calls(0))
    }

    /// Whether it goes on to the end of the trace.
    pub(crate) fn is_last(&self) -> bool {
        match &self.extent {
            Extent::Frames(frames) => frames.end == u32::MAX,
            Extent::Calls(calls) => calls.end == u64::MAX,
        }
    }

    /// Whether a call began before it.
    pub(crate) fn is_before(&self, call: u64, frame: u32) -> bool {
        match &self.extent {
            Extent::Frames(frames) => frame < frames.start,
            Extent::Calls(calls) => call < calls.start,
        }
    }

    /// Where the next event belongs. What is no call belongs to the last call that began before it.
    pub(crate) fn place(&mut self, event: &Event<'_>) -> Place {
        let is_over = match &self.extent {
            Extent::Frames(frames) => event.frame >= frames.end,
            // What follows the last call, up to the next one, is of it.
            Extent::Calls(calls) => event.kind == Kind::Enter && event.number >= calls.end || self.thread.is_some(),
        };
        if !is_over {
            if event.kind == Kind::Enter {
                self.last = event.number;
            }
            match &self.extent {
                Extent::Frames(frames) if event.kind == Kind::Frame && event.frame.saturating_add(1) == frames.end => {
                    self.thread = Some(event.thread);
                }
                Extent::Calls(calls) if event.kind == Kind::Leave && event.number + 1 == calls.end => {
                    self.thread = Some(event.thread);
                }
                _ => {}
            }
            // Of an event that is no call, the number is that of the last call begun; of a leave, that of its enter.
            let is_before = match (&self.extent, event.kind) {
                (Extent::Calls(calls), Kind::Enter) => event.number < calls.start,
                (Extent::Calls(calls), _) => self.last < calls.start,
                (Extent::Frames(frames), _) => event.frame < frames.start,
            };
            return if is_before { Place::Before } else { Place::Within };
        }
        match event.kind {
            Kind::Leave if event.number <= self.last => Place::Within,
            // The thread goes on: the call that ended the part has returned.
            Kind::Enter if self.thread.is_none_or(|thread| thread == event.thread) => Place::End,
            _ => Place::Behind,
        }
    }
}
