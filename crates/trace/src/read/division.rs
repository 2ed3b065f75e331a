//! Frames that a reader counts, and not those that were recorded. In a trace in which nothing ended a frame each submission ends one, so that a
//! program without windows can be looked at part by part, too; and a reader may choose what ends frames, in any trace.
//!
//! Invariant: a trace with frame boundaries has a division only where a reader chose so, and its bytes, tables and checks never have one: they are
//! about what was recorded. In a trace with a division no recorded boundary is an event.

use crate::record::{FrameSource, Kind, LEAVES};
use std::sync::OnceLock;

/// Ends of frames that a reader chose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ends {
    /// The calls with whose end a frame ends, in order.
    pub calls: Vec<u64>,
    /// What these are.
    pub source: FrameSource,
    /// Of presents to one swap chain: the swap chain's id; 0 for others.
    pub surface: u32,
    /// As the user said it.
    pub by: String,
}

/// What ends the frames of a trace, instead of its boundaries.
#[derive(Debug)]
pub(crate) struct Division {
    by: By,
    starts: OnceLock<Vec<u32>>,
}

#[derive(Debug)]
enum By {
    /// All calls of a method, in the reader's numbers.
    Method(u16),
    Calls(Ends),
}

impl Division {
    pub(crate) fn by(method: u16) -> Division {
        Division { by: By::Method(method), starts: OnceLock::new() }
    }

    pub(crate) fn at(ends: Ends) -> Division {
        Division { by: By::Calls(ends), starts: OnceLock::new() }
    }

    /// What a reader chose.
    pub(crate) fn chosen(&self) -> Option<&Ends> {
        match &self.by {
            By::Method(_) => None,
            By::Calls(ends) => Some(ends),
        }
    }

    /// The `source` of its boundaries.
    pub(crate) fn source(&self) -> FrameSource {
        self.chosen().map_or(FrameSource::Submission, |ends| ends.source)
    }

    /// Whether a frame ends with this call.
    #[inline(always)]
    pub(crate) fn is_by(&self, method: u16, call: u64) -> bool {
        match &self.by {
            By::Method(by) => *by == method,
            By::Calls(ends) => ends.calls.binary_search(&call).is_ok(),
        }
    }

    /// Whether a frame ends with this event. Its call may end later: then the frame does, too.
    pub(crate) fn ends(&self, kind: Kind, method: u16, call: u64, flags: u8) -> bool {
        (kind == Kind::Leave || (kind == Kind::Enter && flags & LEAVES == 0)) && self.is_by(method, call)
    }

    /// By stretch of events, the frame in which it begins; behind the last one, all frames that ended. `ended` tells, in the same order,
    /// how many end within the stretch before, and is asked once.
    pub(crate) fn starts(&self, ended: impl FnOnce() -> Vec<u32>) -> &[u32] {
        self.starts.get_or_init(|| {
            let mut starts = ended();
            let mut frame = 0u32;
            for start in &mut starts {
                frame = frame.saturating_add(*start);
                *start = frame;
            }
            starts
        })
    }
}
