//! Whether frames can be repeated, and their events, given out again for each round.
//!
//! A pass over the trace finds out whether the frames can be repeated ([`plan`]). [`Looped`] then keeps their events and gives
//! them out again, with fence values that go on rising. `rounds` does what happens between two rounds.
//! Invariant: the first round is exactly as the trace has it. Frames that cannot be repeated are refused before anything plays.

use std::collections::{HashMap, HashSet};

use reprise_d3d12::method;
use reprise_d3d12::model::{MethodId, Order};
use reprise_timeline::argument::{Argument, Damaged, ObjectId};
use reprise_timeline::{At, Call, Interests, Pass, argument};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::input::source::{Source, walk};
use crate::options::LoopFrames;

const QUEUE_SIGNAL: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Signal", "pFence");
const QUEUE_SIGNAL_VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Signal", "Value");
const QUEUE_WAIT: Argument<ObjectId> = argument!("ID3D12CommandQueue", "Wait", "pFence");
const QUEUE_WAIT_VALUE: Argument<u64> = argument!("ID3D12CommandQueue", "Wait", "Value");
const FENCE_SIGNAL: Argument<u64> = argument!("ID3D12Fence", "Signal", "Value");
const CREATE_FENCE: Argument<u64> = argument!("ID3D12Device", "CreateFence", "InitialValue");
const CREATE_LIST: MethodId = method("ID3D12Device", "CreateCommandList");
const WAIT_FOR_SEVERAL: MethodId = method("ID3D12Device1", "SetEventOnMultipleFenceCompletion");
const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
const COMPLETED: MethodId = method("ID3D12Fence", "GetCompletedValue");
const EVENT: Argument<u64> = argument!("ID3D12Fence", "SetEventOnCompletion", "Value");

/// Where a fence stands before the frames, and where after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: u64,
    end: u64,
}

/// The frames to repeat, and the fences whose values have to rise.
#[derive(Debug)]
pub(crate) struct LoopPlan {
    frames: (u64, u64),
    count: u64,
    /// Fences that live through the frames and are signalled in them.
    fences: HashMap<u32, Span>,
}

/// Goes over the trace up to the end of the frames.
///
/// # Errors
/// Why the frames cannot be repeated: a call of a list outside of its recording, or a value that never comes.
pub(crate) fn plan(source: &mut dyn Source, wanted: LoopFrames) -> Result<LoopPlan, String> {
    let (first, last) = wanted.frames;
    let mut scan = Scan { first, ..Scan::default() };
    walk(source, &mut [&mut scan], |event| u64::from(event.frame) + 1 > last)?;
    if let Some(refusal) = scan.refusal {
        return Err(refusal);
    }
    if scan.ended < last {
        return Err(format!("the last frame of the trace is {}", scan.ended));
    }
    scan.finish(wanted)
}

/// What a pass over the trace notes.
#[derive(Default)]
struct Scan {
    /// The first frame to repeat, from 1.
    first: u64,
    /// The last frame that ended.
    ended: u64,
    inside: bool,
    /// Lists that are being recorded, and those that were when the frames began.
    open: HashSet<u32>,
    open_before: HashSet<u32>,
    /// Objects that the frames make.
    made: HashSet<u32>,
    fences: HashMap<u32, Span>,
    /// Waits of queues in the frames: call, fence, value.
    waits: Vec<(u64, u32, u64)>,
    /// Why the frames cannot be repeated, as far as one call shows it.
    refusal: Option<String>,
}

impl Pass for Scan {
    fn interests(&self) -> Interests {
        let creates = |method: MethodId| {
            let row = method.get();
            row.order == Order::EnterLeave && row.name.starts_with("Create")
        };
        let signals = [QUEUE_SIGNAL.method(), QUEUE_WAIT.method(), FENCE_SIGNAL.method()];
        Interests::new().enters(&signals).enters(&[WAIT_FOR_SEVERAL, RESET, CLOSE]).calls_where(creates).frames()
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.at(at);
        if self.refusal.is_none() {
            self.refusal = self.begins(call).err();
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        self.at(at);
        // What cannot be read gave out nothing; the replay of the call says what is wrong with it.
        for given in call.given().unwrap_or_default() {
            if self.inside {
                self.made.insert(given.object);
            }
            if call.method == CREATE_FENCE.method() {
                let start = CREATE_FENCE.of(call).unwrap_or(0);
                self.fences.insert(given.object, Span { start, end: start });
            }
            if call.method == CREATE_LIST {
                self.open.insert(given.object);
            }
        }
    }

    fn frame(&mut self, at: &At) {
        self.at(at);
        self.ended = u64::from(at.frame) + 1;
    }
}

impl Scan {
    /// Notes where the frames begin.
    fn at(&mut self, at: &At) {
        if !self.inside && u64::from(at.frame) + 1 >= self.first {
            self.inside = true;
            self.open_before.clone_from(&self.open);
        }
    }

    fn begins(&mut self, call: &Call<'_>) -> Result<(), String> {
        let unreadable = |damaged: Damaged| format!("call {}: {damaged}", call.number);
        match call.method {
            method if method == QUEUE_SIGNAL.method() => {
                let value = QUEUE_SIGNAL_VALUE.of(call).map_err(unreadable)?;
                self.signal(QUEUE_SIGNAL.of(call).map_err(unreadable)?.0, value);
            }
            method if method == FENCE_SIGNAL.method() => {
                self.signal(call.object, FENCE_SIGNAL.of(call).map_err(unreadable)?);
            }
            method if method == QUEUE_WAIT.method() && self.inside => {
                let value = QUEUE_WAIT_VALUE.of(call).map_err(unreadable)?;
                self.waits.push((call.number, QUEUE_WAIT.of(call).map_err(unreadable)?.0, value));
            }
            WAIT_FOR_SEVERAL if self.inside => {
                let number = call.number;
                return Err(format!("call {number} waits for several fences at once, which is not repeated yet"));
            }
            RESET => {
                self.open.insert(call.object);
                if self.inside {
                    self.open_before.remove(&call.object);
                }
            }
            CLOSE => {
                self.open.remove(&call.object);
                if self.inside && self.open_before.remove(&call.object) {
                    return Err(format!(
                        "list {} was begun before the frames and is ended in them (call {}); begin the loop earlier",
                        call.object, call.number
                    ));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn signal(&mut self, fence: u32, value: u64) {
        let span = self.fences.entry(fence).or_insert(Span { start: 0, end: 0 });
        span.end = value;
        if !self.inside {
            span.start = value;
        }
    }

    fn finish(mut self, wanted: LoopFrames) -> Result<LoopPlan, String> {
        let begun = self.open.iter().find(|list| !self.open_before.contains(*list) && !self.made.contains(*list));
        if let Some(list) = begun {
            return Err(format!("list {list} is begun in the frames and ended after them; end the loop later"));
        }
        self.fences.retain(|fence, span| !self.made.contains(fence) && span.start != span.end);
        for (fence, span) in &self.fences {
            if span.end < span.start {
                return Err(format!("fence {fence} goes from {} down to {} in the frames", span.start, span.end));
            }
        }
        for (call, fence, value) in self.waits {
            let end = self.fences.get(&fence).map(|span| span.end);
            if !self.made.contains(&fence) && end.is_some_and(|end| value > end) {
                return Err(format!(
                    "call {call} waits until fence {fence} is at {value}, which is signalled after the frames; end the loop \
                     later"
                ));
            }
        }
        Ok(LoopPlan { frames: wanted.frames, count: wanted.count.max(1), fences: self.fences })
    }
}

impl LoopPlan {
    /// A fence value of the trace, as it is in a round; rounds count from 0.
    fn value(&self, fence: u32, value: u64, round: u64) -> u64 {
        match self.fences.get(&fence) {
            Some(span) if value > span.start && value <= span.end => {
                value.saturating_add((span.end - span.start).saturating_mul(round))
            }
            _ => value,
        }
    }
}

/// An event that outlives its chunk.
struct Kept {
    event: Event<'static>,
    payload: Vec<u8>,
    blobs: Vec<(u32, u64)>,
}

impl Kept {
    fn new(event: &Event<'_>) -> Self {
        let (payload, blobs) = (event.payload.to_vec(), event.blobs.to_vec());
        Self { event: Event { payload: &[], pieces: &[], blobs: &[], ..*event }, payload, blobs }
    }
}

/// A trace whose frames are repeated, and which ends after them.
pub(crate) struct Looped<S> {
    source: S,
    plan: LoopPlan,
    kept: Vec<Kept>,
    /// Calls that begin in the frames.
    begun: HashSet<u64>,
    /// Which event of which round is next, once all are kept.
    next: Option<(u64, usize)>,
    /// The payload given out, where it is not the trace's.
    changed: Vec<u8>,
}

impl<S: Source> Looped<S> {
    pub(crate) fn new(source: S, plan: LoopPlan) -> Self {
        Self { source, plan, kept: Vec::new(), begun: HashSet::new(), next: None, changed: Vec::new() }
    }
}

impl<S: Source> Source for Looped<S> {
    fn next(&mut self) -> Result<Option<Event<'_>>, String> {
        let (first, last) = self.plan.frames;
        if self.next.is_none() {
            // The borrow of what the source gives ends where it is kept: what goes through is given out from there, too.
            match self.source.next()? {
                None => return Ok(None),
                Some(event) => {
                    let kept = Kept::new(&event);
                    let inside = u64::from(event.frame) + 1 >= first;
                    if !inside {
                        self.kept.clear();
                    } else if event.kind == Kind::Enter {
                        self.begun.insert(event.number);
                    }
                    if event.kind == Kind::Frame && u64::from(event.frame) + 1 == last {
                        self.next = Some((1, 0));
                    }
                    self.kept.push(kept);
                }
            }
            let kept = &self.kept[self.kept.len() - 1];
            return Ok(Some(Event { payload: &kept.payload, blobs: &kept.blobs, ..kept.event }));
        }
        loop {
            let Some((round, at)) = self.next else { return Ok(None) };
            if round >= self.plan.count {
                return Ok(None);
            }
            self.next = Some(if at + 1 < self.kept.len() { (round, at + 1) } else { (round + 1, 0) });
            let kept = &self.kept[at];
            // The first event may be one of the frame before, and calls may end here that began there.
            let inside = u64::from(kept.event.frame) + 1 >= first;
            if !inside || kept.event.kind == Kind::Leave && !self.begun.contains(&kept.event.number) {
                continue;
            }
            self.changed.clear();
            self.changed.extend_from_slice(&kept.payload);
            rewrite(&self.plan, &kept.event, &mut self.changed, round);
            return Ok(Some(Event { payload: &self.changed, blobs: &kept.blobs, ..kept.event }));
        }
    }
}

/// Puts the fence values of a round into a payload.
fn rewrite(plan: &LoopPlan, event: &Event<'_>, payload: &mut [u8], round: u64) {
    let id = MethodId(event.method);
    let queues = [(QUEUE_SIGNAL, QUEUE_SIGNAL_VALUE), (QUEUE_WAIT, QUEUE_WAIT_VALUE)];
    let fences = [FENCE_SIGNAL, EVENT];
    let word =
        |at: usize| payload.get(at..).and_then(|bytes| bytes.first_chunk()).map(|word| u64::from_le_bytes(*word));
    let (fence, at) = match event.kind {
        Kind::Observe => (event.object, 0),
        Kind::Leave if id == COMPLETED => (event.object, 0),
        Kind::Enter => {
            if let Some((fence, value)) = queues.iter().find(|(_, value)| value.method() == id) {
                (word(fence.offset()).unwrap_or(0) as u32, value.offset())
            } else if let Some(value) = fences.iter().find(|value| value.method() == id) {
                (event.object, value.offset())
            } else {
                return;
            }
        }
        _ => return,
    };
    if let Some(word) = payload.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut::<8>()) {
        *word = plan.value(fence, u64::from_le_bytes(*word), round).to_le_bytes();
    }
}
