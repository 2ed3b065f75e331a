//! Frames of a trace in which nothing ended one: each submission ends a frame, so that a program without windows can be looked at
//! part by part, too.
//!
//! Invariant: a trace with frame boundaries is never divided, and neither are its bytes, tables and checks, which are about what was
//! recorded.

use crate::read::events::Events;
use crate::read::trace::Trace;
use crate::record::{Kind, LEAVES};
use std::sync::OnceLock;

/// The `source` of frame boundaries that are submissions; see FORMAT.md.
pub(crate) const SUBMISSION: u32 = 3;

/// What divides a trace.
#[derive(Debug)]
pub(crate) struct Division {
    /// The method whose calls end frames, in the reader's numbers.
    method: u16,
    /// By stretch of events, the frame in which it begins; behind the last one, all frames that ended.
    starts: OnceLock<Vec<u32>>,
}

impl Division {
    pub(crate) fn by(method: u16) -> Division {
        Division { method, starts: OnceLock::new() }
    }

    /// Whether a frame ends with a call of this method.
    #[inline(always)]
    pub(crate) fn is_by(&self, method: u16) -> bool {
        self.method == method
    }

    /// Whether a frame ends with this event. Its call may end later: then the frame does, too.
    pub(crate) fn ends(&self, kind: Kind, method: u16, flags: u8) -> bool {
        self.is_by(method) && (kind == Kind::Leave || (kind == Kind::Enter && flags & LEAVES == 0))
    }

    /// See [`Division::starts`]. The first time, all events are read.
    pub(crate) fn starts(&self, trace: &Trace) -> &[u32] {
        self.starts.get_or_init(|| {
            let mut events = Events::as_recorded(trace).without_pages();
            let mut starts = vec![0u32; trace.events.len() + 1];
            // What is damaged is an event, and no error.
            while let Ok(Some(event)) = events.next() {
                let (kind, method, flags) = (event.kind, event.method, event.flags);
                if self.ends(kind, method, flags)
                    && let Some(behind) = starts.get_mut(events.stretches_read())
                {
                    *behind = behind.saturating_add(1);
                }
            }
            let mut ended = 0u32;
            for start in &mut starts {
                ended = ended.saturating_add(*start);
                *start = ended;
            }
            starts
        })
    }
}

impl Trace {
    /// Where nothing ended a frame, calls of this method end one from here on; `method` is in the reader's numbers. To be called before
    /// events are read, and after [`Trace::translate`]. Such boundaries are [`Kind::Frame`] events with the source 3.
    pub fn divide(&self, method: u16) {
        if self.statistics().frames == 0 {
            // The first to say it decides.
            let _ = self.division.set(Division::by(method));
        }
    }

    /// How many frames end in it: as it was recorded, or submissions where it is [divided](Trace::is_divided). Counting these takes a walk
    /// over the events, once.
    pub fn frame_count(&self) -> u32 {
        match self.division.get() {
            Some(division) => division.starts(self).last().copied().unwrap_or(0),
            None => self.statistics().frames,
        }
    }

    /// Whether its frames are submissions, because nothing ended one.
    pub fn is_divided(&self) -> bool {
        self.division.get().is_some()
    }

    /// All events in order, with the frames that were recorded: for what copies or checks them.
    pub fn events_as_recorded(&self) -> Events<'_> {
        Events::as_recorded(self)
    }
}
