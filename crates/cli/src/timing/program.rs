//! How long the captured program took, as far as the trace says it.
//!
//! Calls that return nothing are recorded in short: the trace has no end of them. So lists are timed from the call that began to record them to the
//! end of the one that closed them, and frames from the end of the one before. Invariant: what has no end in the trace has no time here.

use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::state::lists::{begins_anew, records};
use reprise_timeline::{At, Call, Interests, Pass, argument, walk};
use reprise_trace::read::Trace;
use std::collections::{BTreeMap, HashMap};

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");

/// Durations of the captured program, in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Recording of lists, by the first call that submits what was recorded, and the list.
    pub(crate) lists: HashMap<(u64, u32), f64>,
    /// Frames, from the end of the one before; the first has none.
    pub(crate) frames: BTreeMap<u64, f64>,
    /// When lists began to be recorded, and how long those took that are closed.
    open: HashMap<u32, u64>,
    closed: HashMap<u32, f64>,
    /// When the last frame ended.
    ended: Option<u64>,
}

impl Program {
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn of(trace: &Trace) -> Result<Program, Failure> {
        let mut program = Program::default();
        walk(trace, &mut [&mut program]).context("times of the captured program").or_exit(exit::TRACE)?;
        Ok(program)
    }
}

impl Pass for Program {
    fn interests(&self) -> Interests {
        Interests::new().calls_where(records).calls(&[RESET, CLOSE, SUBMITTED.method()]).frames()
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        // A reset that fails leaves the list as it is.
        if call.method == RESET && !begins_anew(call) {
            return;
        }
        if call.method == CLOSE {
            let begun = self.open.remove(&call.object);
            if let Some(begun) = begun.filter(|_| call.leave().is_some()) {
                self.closed.insert(call.object, at.time_ns.saturating_sub(begun) as f64);
            }
        } else if call.method == SUBMITTED.method() {
            for list in SUBMITTED.of(call).ok().into_iter().flat_map(|lists| lists.iter()) {
                if let Some(spent) = self.closed.remove(&list.0) {
                    self.lists.insert((call.number, list.0), spent);
                }
            }
        } else {
            if call.method == RESET {
                self.open.remove(&call.object);
                self.closed.remove(&call.object);
            }
            self.open.entry(call.object).or_insert(call.time_ns);
        }
    }

    fn frame(&mut self, at: &At) {
        if let Some(before) = self.ended.replace(at.time_ns) {
            self.frames.insert(u64::from(at.frame) + 1, at.time_ns.saturating_sub(before) as f64);
        }
    }
}
