//! Frames of a trace in which nothing ended one: each submission ends a frame, so that a program without windows can be looked at
//! part by part, too.
//!
//! Invariant: a trace with frame boundaries is never divided, and neither are its bytes, tables and checks, which are about what was
//! recorded.

use crate::record::{Kind, LEAVES};
use std::sync::OnceLock;

/// The `source` of frame boundaries that are submissions; see FORMAT.md.
pub(crate) const SUBMISSION: u32 = 3;

/// What divides a trace.
#[derive(Debug)]
pub(crate) struct Division {
    /// The method whose calls end frames, in the reader's numbers.
    method: u16,
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
