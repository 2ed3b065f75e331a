//! Frames that a reader counts, and not those that were recorded. In a trace in which nothing ended a frame each submission ends one, so that a
//! program without windows can be looked at part by part, too; and a reader may choose what ends frames, in any trace.
//!
//! Invariant: a trace with frame boundaries is divided only where a reader chose so, and never its bytes, tables and checks, which are about what
//! was recorded. In a divided trace no recorded boundary is an event.

use crate::record::{Kind, LEAVES};
use std::sync::OnceLock;

/// The `source` of frame boundaries that are submissions; see FORMAT.md.
pub(crate) const SUBMISSION: u32 = 3;

/// Ends of frames that a reader chose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ends {
    /// The calls with whose end a frame ends, in order.
    pub calls: Vec<u64>,
    /// What these are, as the `source` of frame boundaries: see FORMAT.md.
    pub source: u32,
    /// Of presents to one swap chain: the swap chain's id; 0 for others.
    pub surface: u32,
    /// As the user said it.
    pub by: String,
}

/// What divides a trace.
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
    pub(crate) fn source(&self) -> u32 {
        self.chosen().map_or(SUBMISSION, |ends| ends.source)
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
