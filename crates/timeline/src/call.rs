//! A call: what the program passed in, and what it got back.
//!
//! Invariant: a call is one value. Its leave record is found once, in [`Pairing`], for all tools.

use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, Type};
use reprise_trace::read::Event;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A call of the program.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Its number in the trace, from 1.
    pub number: u64,
    /// Number of the thread that made it, from 0.
    pub thread: u32,
    /// Number of the frame in which it began, from 0.
    pub frame: u32,
    /// Nanoseconds from the session's beginning to the call's enter, or to the thread's last time stamp before it.
    pub time_ns: u64,
    /// The method or function.
    pub method: MethodId,
    /// Id of the object it was called on; 0 for functions.
    pub object: u32,
    /// The arguments.
    pub enter: Payload<'a>,
    /// What came of it.
    pub outcome: Outcome<'a>,
}

/// An enter or leave payload, with the blobs that it may name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Payload<'a> {
    /// The wire bytes.
    pub bytes: &'a [u8],
    /// The thread's number of each blob, and the blob's place in the trace.
    pub blobs: &'a [(u32, u64)],
}

/// What came of a call.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'a> {
    /// The method gives nothing back: the call is complete at its enter.
    Nothing,
    /// The call has not returned yet. Only [`Pass::enter`](crate::Pass::enter) sees this.
    Running,
    /// The call returned with this leave payload.
    Returned(Payload<'a>),
    /// The recording ended while the call was running.
    Unfinished,
    /// The call returned, and its leave record is missing: an outer call of the thread returned, or the trace ended, without it.
    Lost,
}

impl<'a> Payload<'a> {
    /// Place in the trace of the blob that the payload names by the thread's number.
    pub fn blob(&self, number: u32) -> Option<u64> {
        self.blobs.iter().rev().find(|(own, _)| *own == number).map(|(_, id)| *id)
    }
}

impl<'a> Call<'a> {
    /// The leave payload, if the call returned and its leave was recorded.
    pub fn leave(&self) -> Option<Payload<'a>> {
        match self.outcome {
            Outcome::Returned(leave) => Some(leave),
            _ => None,
        }
    }

    /// The result as a word: `HRESULT`s and numbers zero-extended. `None` where the call has given none back.
    pub fn result(&self) -> Option<u64> {
        let bytes = self.leave()?.bytes;
        bytes.first_chunk().map(|word| u64::from_le_bytes(*word))
    }

    /// Whether the call returned, and, where its result is an `HRESULT`, a success.
    pub fn succeeded(&self) -> bool {
        let row = MODEL.methods.get(usize::from(self.method.0));
        let hresult = row.is_some_and(|row| matches!(row.result, Type::Hresult));
        self.result().is_some_and(|result| !hresult || result as u32 as i32 >= 0)
    }
}

/// Calls of a thread that may be open at once. Deeper ones are given up as [`Outcome::Lost`]: only a damaged trace has them.
const MOST_OPEN: usize = 256;

/// The calls that have begun and not returned, thread by thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Pairing {
    /// Outermost first.
    threads: BTreeMap<u32, Vec<Entered>>,
}

/// A call as it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    /// Its number.
    pub number: u64,
    /// Number of the thread.
    pub thread: u32,
    /// Number of the frame, from 0.
    pub frame: u32,
    /// Nanoseconds from the session's beginning.
    pub time_ns: u64,
    /// The method, by number.
    pub method: u16,
    /// The object that it was called on; 0 for functions.
    pub object: u32,
    /// The arguments on the wire.
    pub payload: Vec<u8>,
    /// The thread's number of each blob, and the blob's number in the trace.
    pub blobs: Vec<(u32, u64)>,
    /// The recording ended while the call was running.
    pub open: bool,
}

impl Entered {
    pub(crate) fn of(event: &Event<'_>) -> Entered {
        Entered {
            number: event.number,
            thread: event.thread,
            frame: event.frame,
            time_ns: event.time_ns,
            method: event.method,
            object: event.object,
            payload: event.payload.to_vec(),
            blobs: event.blobs.to_vec(),
            open: event.open,
        }
    }

    /// What is kept of a call that passes are given.
    pub(crate) fn of_call(call: &Call<'_>) -> Entered {
        Entered {
            number: call.number,
            thread: call.thread,
            frame: call.frame,
            time_ns: call.time_ns,
            method: call.method.0,
            object: call.object,
            payload: call.enter.bytes.to_vec(),
            blobs: call.enter.blobs.to_vec(),
            open: false,
        }
    }

    /// The same as passes are given it; its outcome is not known.
    pub fn call(&self) -> Call<'_> {
        self.ended(Outcome::Nothing)
    }

    /// The call, returned.
    pub(crate) fn returned<'a>(&'a self, leave: &Event<'a>) -> Call<'a> {
        self.ended(Outcome::Returned(Payload { bytes: leave.payload, blobs: leave.blobs }))
    }

    /// The call without its leave.
    pub(crate) fn given_up(&self) -> Call<'_> {
        self.ended(if self.open { Outcome::Unfinished } else { Outcome::Lost })
    }

    fn ended<'a>(&'a self, outcome: Outcome<'a>) -> Call<'a> {
        Call {
            number: self.number,
            thread: self.thread,
            frame: self.frame,
            time_ns: self.time_ns,
            method: MethodId(self.method),
            object: self.object,
            enter: Payload { bytes: &self.payload, blobs: &self.blobs },
            outcome,
        }
    }
}

/// The call of an enter event.
#[inline]
pub fn entered<'a>(event: &Event<'a>, outcome: Outcome<'a>) -> Call<'a> {
    Call {
        number: event.number,
        thread: event.thread,
        frame: event.frame,
        time_ns: event.time_ns,
        method: MethodId(event.method),
        object: event.object,
        enter: Payload { bytes: event.payload, blobs: event.blobs },
        outcome,
    }
}

impl Pairing {
    /// A call begins that will return. Gives the call that has to be given up for it, if one has to.
    pub(crate) fn begin(&mut self, event: &Event<'_>) -> Option<Entered> {
        let open = self.threads.entry(event.thread).or_default();
        let lost = (open.len() >= MOST_OPEN).then(|| open.remove(0));
        open.push(Entered::of(event));
        lost
    }

    /// A call returns: takes its enter out. `lost` gets the calls within it whose own leave is missing.
    pub(crate) fn end(&mut self, leave: &Event<'_>, mut lost: impl FnMut(Entered)) -> Option<Entered> {
        let open = self.threads.get_mut(&leave.thread)?;
        // Numbers rise from outer to inner calls.
        let at = open.iter().rposition(|open| open.number == leave.number)?;
        open.drain(at + 1..).rev().for_each(&mut lost);
        open.pop()
    }

    /// All that is still open, in the order of the calls' numbers.
    pub(crate) fn rest(&mut self) -> Vec<Entered> {
        let mut rest: Vec<Entered> = std::mem::take(&mut self.threads).into_values().flatten().collect();
        rest.sort_by_key(|open| open.number);
        rest
    }
}
