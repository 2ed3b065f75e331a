//! Whether frames can be repeated, and their events, given out again for each round.
//!
//! A pass over the trace finds out whether the frames can be repeated ([`plan`]). [`Looped`] then keeps their events and gives
//! them out again, with fence values that go on rising. `rounds` does what happens between two rounds.
//! Invariant: the first round is exactly as the trace has it. Frames that cannot be repeated are refused before anything plays.

use std::collections::{HashMap, HashSet};

use reprise_codec::Codec;
use reprise_d3d12::model::{MethodId, Order};
use reprise_d3d12::{MODEL, method};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::input::source::Source;
use crate::input::values::argument;
use crate::options::LoopFrames;

const QUEUE_SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const QUEUE_WAIT: MethodId = method("ID3D12CommandQueue", "Wait");
const FENCE_SIGNAL: MethodId = method("ID3D12Fence", "Signal");
const COMPLETED: MethodId = method("ID3D12Fence", "GetCompletedValue");
const EVENT: MethodId = method("ID3D12Fence", "SetEventOnCompletion");
const CREATE_FENCE: MethodId = method("ID3D12Device", "CreateFence");

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

/// A call of a list outside of its recording, or a value that never comes: why the frames cannot be repeated.
pub(crate) fn plan(source: &mut dyn Source, codec: &Codec, wanted: LoopFrames) -> Result<LoopPlan, String> {
    let (first, last) = wanted.frames;
    let mut scan = Scan::default();
    let mut ended = 0;
    while let Some(event) = source.next()? {
        let frame = u64::from(event.frame) + 1;
        if frame > last {
            break;
        }
        let inside = frame >= first;
        if inside && !scan.inside {
            scan.inside = true;
            scan.open_before.clone_from(&scan.open);
        }
        match event.kind {
            Kind::Enter => scan.enter(&event, inside)?,
            Kind::Leave => scan.leave(&event, codec),
            Kind::Frame => ended = frame,
            _ => {}
        }
    }
    if ended < last {
        return Err(format!("the trace has {ended} frames"));
    }
    scan.finish(wanted)
}

/// What a pass over the trace notes.
#[derive(Default)]
struct Scan {
    inside: bool,
    /// Lists that are being recorded, and those that were when the frames began.
    open: HashSet<u32>,
    open_before: HashSet<u32>,
    /// Objects that the frames make.
    made: HashSet<u32>,
    fences: HashMap<u32, Span>,
    /// Waits of queues in the frames: call, fence, value.
    waits: Vec<(u64, u32, u64)>,
    /// Enter payloads of creations.
    entered: HashMap<u64, Vec<u8>>,
}

impl Scan {
    fn enter(&mut self, event: &Event<'_>, inside: bool) -> Result<(), String> {
        let Some(method) = MODEL.methods.get(usize::from(event.method)) else { return Ok(()) };
        let number = |name| argument(method, event.payload, name).unwrap_or(0);
        let id = MethodId(event.method);
        if method.order == Order::EnterLeave && method.name.starts_with("Create") {
            self.entered.insert(event.number, event.payload.to_vec());
        }
        match id {
            QUEUE_SIGNAL => self.signal(number("pFence") as u32, number("Value")),
            FENCE_SIGNAL => self.signal(event.object, number("Value")),
            QUEUE_WAIT if inside => self.waits.push((event.number, number("pFence") as u32, number("Value"))),
            _ => {}
        }
        if inside && method.name == "SetEventOnMultipleFenceCompletion" {
            return Err(format!("call {} waits for several fences at once, which is not repeated yet", event.number));
        }
        if !method.interface.is_some_and(|interface| interface.get().name.starts_with("ID3D12GraphicsCommandList")) {
            return Ok(());
        }
        match method.name {
            "Reset" => _ = self.open.insert(event.object),
            "Close" => _ = self.open.remove(&event.object),
            _ => return Ok(()),
        }
        if inside && !self.open_before.remove(&event.object) {
            return Ok(());
        }
        match (inside, method.name) {
            (true, "Close") => Err(format!(
                "list {} was begun before the frames and is ended in them (call {}); begin the loop earlier",
                event.object, event.number
            )),
            _ => Ok(()),
        }
    }

    fn leave(&mut self, event: &Event<'_>, codec: &Codec) {
        let Some(enter) = self.entered.remove(&event.number) else { return };
        let id = MethodId(event.method);
        let ids = codec.output_ids(id, &enter, event.payload).unwrap_or_default();
        for object in ids.into_iter().filter(|&object| object != 0) {
            if self.inside {
                self.made.insert(object);
            }
            if id == CREATE_FENCE {
                let start = argument(id.get(), &enter, "InitialValue").unwrap_or(0);
                self.fences.insert(object, Span { start, end: start });
            }
            if id.get().name == "CreateCommandList" {
                self.open.insert(object);
            }
        }
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
        Self { event: Event { payload: &[], blobs: &[], ..*event }, payload, blobs }
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
    let field = |name: &str| id.get().params.iter().find(|field| field.name == name).map(|field| field.offset as usize);
    let (fence, at) = match (event.kind, id) {
        (Kind::Observe, _) => (event.object, Some(0)),
        (Kind::Leave, COMPLETED) => (event.object, Some(0)),
        (Kind::Enter, QUEUE_SIGNAL | QUEUE_WAIT) => {
            (argument(id.get(), payload, "pFence").unwrap_or(0) as u32, field("Value"))
        }
        (Kind::Enter, FENCE_SIGNAL | EVENT) => (event.object, field("Value")),
        _ => return,
    };
    if let Some(word) = at.and_then(|at| payload.get_mut(at..at + 8)?.first_chunk_mut::<8>()) {
        *word = plan.value(fence, u64::from_le_bytes(*word), round).to_le_bytes();
    }
}
