//! The frames that are kept, as a part of the events of a trace.

use reprise_trace::read::Event;
use reprise_trace::record::Kind;
use std::ops::Range;

/// Where an event belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Before the first frame that is kept.
    Before,
    /// In the frames that are kept, or the end of a call that began there or before.
    Within,
    /// Behind them, while calls of theirs still have to return.
    Behind,
    /// Nothing of them comes any more.
    End,
}

/// Tells events apart, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    /// Counted from 0.
    frames: Range<u32>,
    /// The last call that began in them.
    last: u64,
    /// The thread that ended the last of them.
    thread: Option<u32>,
}

impl Frames {
    /// Counted from 0.
    pub(crate) fn new(frames: Range<u32>) -> Frames {
        Frames { frames, last: 0, thread: None }
    }

    /// The first frame, from 0: as many frames end before.
    pub(crate) fn first(&self) -> u32 {
        self.frames.start
    }

    /// Where the next event belongs.
    pub(crate) fn place(&mut self, event: &Event<'_>) -> Place {
        if event.frame < self.frames.end {
            if event.kind == Kind::Enter {
                self.last = event.number;
            }
            if event.kind == Kind::Frame && event.frame + 1 == self.frames.end {
                self.thread = Some(event.thread);
            }
            return if event.frame < self.frames.start { Place::Before } else { Place::Within };
        }
        match event.kind {
            Kind::Leave if event.number <= self.last => Place::Within,
            // The thread goes on: the call that ended the frame has returned.
            Kind::Enter if self.thread.is_none_or(|thread| thread == event.thread) => Place::End,
            _ => Place::Behind,
        }
    }
}
