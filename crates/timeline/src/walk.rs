//! One reading of a trace for many passes.
//!
//! Invariant: a pass sees what it asked for in the order of the trace, each call once at its enter and once when it ends. A
//! call that nobody asked for costs a look at a table.

use crate::call::{Call, Entered, Outcome, Pairing, entered};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Method, MethodId, Model, Order};
use reprise_trace::read::{Event, Events, ReadError, Trace};
use reprise_trace::record::Kind;
use serde::{Deserialize, Serialize};

/// Where a walk stands when it gives something to a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct At {
    /// Number of the last call begun, from 1; 0 before the first.
    pub call: u64,
    /// Number of the thread, from 0.
    pub thread: u32,
    /// Number of the frame, from 0.
    pub frame: u32,
    /// Nanoseconds since the session's beginning, of this event or of the thread's last time stamp before it.
    pub time_ns: u64,
}

/// A reader of a trace. A method that a pass does not implement goes to the pass within it ([`Pass::within`]), if there is one.
pub trait Pass {
    /// What the pass is to be given. Asked once, before the walk. The answer includes what the pass within this one needs.
    fn interests(&self) -> Interests;
    /// A pass within this one, such as a [`State`](crate::State) that it reads. The methods that this pass does not implement call those of
    /// the pass within. A method that it implements has to call the other one itself, before or after its own work.
    fn within(&mut self) -> Option<&mut dyn Pass> {
        None
    }
    /// A call begins. Its outcome is [`Outcome::Running`], or [`Outcome::Nothing`] for methods that give nothing back.
    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.within().into_iter().for_each(|pass| pass.enter(call, at));
    }
    /// A call is complete: at its enter where the method gives nothing back, else at its leave, or where its leave is given up.
    fn call(&mut self, call: &Call<'_>, at: &At) {
        self.within().into_iter().for_each(|pass| pass.call(call, at));
    }
    /// The capture layer states something of an object: the kind, as in [`reprise_trace::fact`], and the bytes behind it.
    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], at: &At) {
        self.within().into_iter().for_each(|pass| pass.fact(object, kind, bytes, at));
    }
    /// Bytes of a subresource of mapped memory, from this offset on; `observed` where the GPU may have written them.
    fn memory(&mut self, memory: &Memory<'_>, at: &At) {
        self.within().into_iter().for_each(|pass| pass.memory(memory, at));
    }
    /// The program saw a fence at this completed value.
    fn observe(&mut self, fence: u32, value: u64, at: &At) {
        self.within().into_iter().for_each(|pass| pass.observe(fence, value, at));
    }
    /// A frame ends.
    fn frame(&mut self, at: &At) {
        self.within().into_iter().for_each(|pass| pass.frame(at));
    }
    /// Something is missing here. The event tells what.
    fn gap(&mut self, event: &Event<'_>, at: &At) {
        self.within().into_iter().for_each(|pass| pass.gap(event, at));
    }
    /// A fact, a memory record or an observed value that the pass asked for cannot be read: its payload is too short.
    fn damaged(&mut self, event: &Event<'_>, at: &At) {
        self.within().into_iter().for_each(|pass| pass.damaged(event, at));
    }
    /// Any event, before it is given to the other methods. For passes that count or show records.
    fn event(&mut self, event: &Event<'_>) {
        self.within().into_iter().for_each(|pass| pass.event(event));
    }
}

/// Bytes that the program stored to mapped memory, or saw there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory<'a> {
    /// Id of the resource.
    pub resource: u32,
    /// Index of the subresource.
    pub subresource: u32,
    /// First byte, from the subresource's beginning.
    pub offset: u64,
    /// What is there from now on.
    pub bytes: &'a [u8],
    /// The GPU may have written them: what the program saw, not what it stored.
    pub observed: bool,
}

/// What a pass asks for.
#[derive(Clone, Debug, Default)]
pub struct Interests {
    enters: Methods,
    calls: Methods,
    facts: bool,
    memory: bool,
    observe: bool,
    frames: bool,
    gaps: bool,
    events: bool,
}

/// A set of methods: a bit each.
#[derive(Clone, Debug, Default)]
struct Methods(Vec<u64>);

impl Methods {
    fn insert(&mut self, method: usize) {
        if self.0.len() <= method / 64 {
            self.0.resize(method / 64 + 1, 0);
        }
        self.0[method / 64] |= 1 << (method % 64);
    }

    fn contains(&self, method: usize) -> bool {
        self.0.get(method / 64).is_some_and(|word| word >> (method % 64) & 1 != 0)
    }

    fn join(&mut self, other: &Methods) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }
}

impl Interests {
    /// Nothing yet.
    pub fn new() -> Interests {
        Interests::default()
    }

    /// These methods also when they begin.
    pub fn enters(mut self, methods: &[MethodId]) -> Interests {
        methods.iter().for_each(|method| self.enters.insert(usize::from(method.0)));
        self
    }

    /// These methods, complete.
    pub fn calls(mut self, methods: &[MethodId]) -> Interests {
        methods.iter().for_each(|method| self.calls.insert(usize::from(method.0)));
        self
    }

    /// The methods for which this holds, complete.
    pub fn calls_where(mut self, wanted: impl Fn(MethodId) -> bool) -> Interests {
        let all = 0..u16::try_from(MODEL.methods.len()).unwrap_or(u16::MAX);
        all.filter(|method| wanted(MethodId(*method))).for_each(|method| self.calls.insert(usize::from(method)));
        self
    }

    /// Every method, complete, whatever the model.
    pub fn every_call(mut self) -> Interests {
        self.calls = Methods(vec![u64::MAX; (usize::from(u16::MAX) + 1) / 64]);
        self
    }

    /// Facts, too.
    pub fn facts(mut self) -> Interests {
        self.facts = true;
        self
    }

    /// Stores to mapped memory, too, if `wanted`.
    pub fn memory_if(mut self, wanted: bool) -> Interests {
        self.memory |= wanted;
        self
    }

    /// Observed values of fences, too.
    pub fn observed(mut self) -> Interests {
        self.observe = true;
        self
    }

    /// Ends of frames, too.
    pub fn frames(mut self) -> Interests {
        self.frames = true;
        self
    }

    /// Gaps, too.
    pub fn gaps(mut self) -> Interests {
        self.gaps = true;
        self
    }

    /// Every event as it is, too.
    pub fn events(mut self) -> Interests {
        self.events = true;
        self
    }

    /// What another asks for, too.
    pub fn and(mut self, other: &Interests) -> Interests {
        self.enters.join(&other.enters);
        self.calls.join(&other.calls);
        self.facts |= other.facts;
        self.memory |= other.memory;
        self.observe |= other.observe;
        self.frames |= other.frames;
        self.gaps |= other.gaps;
        self.events |= other.events;
        self
    }

    /// Whether calls of this method are wanted when they begin.
    pub fn has_enter(&self, method: MethodId) -> bool {
        self.enters.contains(usize::from(method.0))
    }

    /// Whether complete calls of this method are wanted.
    pub fn has_call(&self, method: MethodId) -> bool {
        self.calls.contains(usize::from(method.0))
    }
}

/// Passes, a bit each.
type Mask = u64;
/// Most passes of one walk.
pub const MOST_PASSES: usize = Mask::BITS as usize;

/// Which passes want calls of a method.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    enter: Mask,
    call: Mask,
    leaves: bool,
}

/// A walk under way: the table of interests, and the calls that are open.
#[derive(Debug)]
pub struct Walk {
    rows: Box<[Row]>,
    facts: Mask,
    memory: Mask,
    observe: Mask,
    frames: Mask,
    gaps: Mask,
    events: Mask,
    pairing: Pairing,
}

/// Gives something to the passes of a mask.
fn each<'p>(passes: &mut [&mut (dyn Pass + 'p)], mut mask: Mask, mut give: impl FnMut(&mut (dyn Pass + 'p))) {
    while mask != 0 {
        if let Some(pass) = passes.get_mut(mask.trailing_zeros() as usize) {
            give(*pass);
        }
        mask &= mask - 1;
    }
}

impl Walk {
    /// A walk from the beginning of a trace, for these passes, of which [`MOST_PASSES`] take part.
    pub fn new(passes: &[&mut dyn Pass]) -> Walk {
        Walk::resume(passes, Pairing::default())
    }

    /// A walk over a trace whose methods have the numbers of another model, as [`walk_as`].
    pub fn new_as(model: &Model, passes: &[&mut dyn Pass]) -> Walk {
        Walk::of_model(model, passes, Pairing::default())
    }

    /// A walk that goes on where another one was, whose open calls were these.
    pub fn resume(passes: &[&mut dyn Pass], pairing: Pairing) -> Walk {
        Walk::of_model(&MODEL, passes, pairing)
    }

    /// A walk over a trace whose methods have the numbers of another model, which the passes speak, too. Accessors and
    /// [`State`](crate::State) speak the built-in one only.
    fn of_model(model: &Model, passes: &[&mut dyn Pass], pairing: Pairing) -> Walk {
        let row = |method: &Method| Row { leaves: method.order == Order::EnterLeave, ..Row::default() };
        let rows = model.methods.iter().map(row);
        let mut walk =
            Walk { rows: rows.collect(), facts: 0, memory: 0, observe: 0, frames: 0, gaps: 0, events: 0, pairing };
        for (bit, pass) in passes.iter().take(MOST_PASSES).enumerate() {
            let (interests, bit) = (pass.interests(), 1 << bit);
            let add = |mask: &mut Mask, wanted: bool| *mask |= if wanted { bit } else { 0 };
            for (method, row) in walk.rows.iter_mut().enumerate() {
                add(&mut row.enter, interests.enters.contains(method));
                add(&mut row.call, interests.calls.contains(method));
            }
            add(&mut walk.facts, interests.facts);
            add(&mut walk.memory, interests.memory);
            add(&mut walk.observe, interests.observe);
            add(&mut walk.frames, interests.frames);
            add(&mut walk.gaps, interests.gaps);
            add(&mut walk.events, interests.events);
        }
        walk
    }

    /// Whether a pass wants calls of a method, or every event. Events of calls that nobody wants need not be given.
    #[inline]
    pub fn wants(&self, method: u16) -> bool {
        self.events != 0 || self.rows.get(usize::from(method)).is_some_and(|row| row.enter | row.call != 0)
    }

    /// The calls that are open now.
    pub fn pairing(&self) -> &Pairing {
        &self.pairing
    }

    /// Reads events up to the enter of the call `until`, which is not taken in (0: up to the end).
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn run(&mut self, events: &mut Events<'_>, until: u64, passes: &mut [&mut dyn Pass]) -> Result<(), ReadError> {
        loop {
            // Most events are calls without a leave, and most passes want few of them.
            if self.events == 0 {
                while let Some(call) = events.call() {
                    let unwanted = self.rows.get(usize::from(call.method)).is_none_or(|r| r.enter | r.call == 0);
                    if !unwanted || (until != 0 && call.number >= until) {
                        events.give_back();
                        break;
                    }
                }
            }
            let Some(event) = events.next()? else { return Ok(()) };
            if until != 0 && event.kind == Kind::Enter && event.number >= until {
                return Ok(());
            }
            self.event(&event, passes);
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event<'_>, passes: &mut [&mut dyn Pass]) {
        let at = At { call: event.number, thread: event.thread, frame: event.frame, time_ns: event.time_ns };
        each(passes, self.events, |pass| pass.event(event));
        match event.kind {
            Kind::Enter => self.enter(event, &at, passes),
            Kind::Leave => self.leave(event, &at, passes),
            Kind::Fact => match event.fact() {
                Some((kind, bytes)) => each(passes, self.facts, |pass| pass.fact(event.object, kind, bytes, &at)),
                None => each(passes, self.facts, |pass| pass.damaged(event, &at)),
            },
            Kind::Memory => match event.memory() {
                Some((offset, bytes)) => {
                    let memory = Memory {
                        resource: event.object,
                        subresource: event.ordinal,
                        offset,
                        bytes,
                        observed: event.method == reprise_trace::record::OBSERVED,
                    };
                    each(passes, self.memory, |pass| pass.memory(&memory, &at));
                }
                None => each(passes, self.memory, |pass| pass.damaged(event, &at)),
            },
            Kind::Observe => match event.payload.first_chunk() {
                Some(value) => {
                    let value = u64::from_le_bytes(*value);
                    each(passes, self.observe, |pass| pass.observe(event.object, value, &at));
                }
                None => each(passes, self.observe, |pass| pass.damaged(event, &at)),
            },
            Kind::Frame => each(passes, self.frames, |pass| pass.frame(&at)),
            Kind::Gap => each(passes, self.gaps, |pass| pass.gap(event, &at)),
            Kind::Pad | Kind::Part | Kind::Blob | Kind::Thread | Kind::Pages => {}
        }
    }

    fn enter(&mut self, event: &Event<'_>, at: &At, passes: &mut [&mut dyn Pass]) {
        let Some(&row) = self.rows.get(usize::from(event.method)) else { return };
        let outcome = if row.leaves { Outcome::Running } else { Outcome::Nothing };
        let call = entered(event, outcome);
        each(passes, row.enter, |pass| pass.enter(&call, at));
        if !row.leaves {
            each(passes, row.call, |pass| pass.call(&call, at));
        } else if row.call != 0
            && let Some(lost) = self.pairing.begin(event)
        {
            self.give_up(&lost, at, passes);
        }
    }

    fn leave(&mut self, event: &Event<'_>, at: &At, passes: &mut [&mut dyn Pass]) {
        let mut lost = Vec::new();
        let open = self.pairing.end(event, |open| lost.push(open));
        lost.iter().for_each(|open| self.give_up(open, at, passes));
        if let Some(open) = open {
            let call = open.returned(event);
            each(passes, self.wanted(&open), |pass| pass.call(&call, at));
        }
    }

    /// The trace has ended: gives the calls that are still open.
    pub fn finish(&mut self, passes: &mut [&mut dyn Pass]) {
        let rest = self.pairing.rest();
        let at = rest.last().map_or(At::default(), |open| {
            let call = open.given_up();
            At { call: call.number, thread: call.thread, frame: call.frame, time_ns: call.time_ns }
        });
        rest.iter().for_each(|open| self.give_up(open, &at, passes));
    }

    fn give_up(&self, open: &Entered, at: &At, passes: &mut [&mut dyn Pass]) {
        let call = open.given_up();
        each(passes, self.wanted(open), |pass| pass.call(&call, at));
    }

    fn wanted(&self, open: &Entered) -> Mask {
        self.rows.get(usize::from(open.method)).map_or(0, |row| row.call)
    }
}

/// Reads a whole trace once for all of these passes.
///
/// # Errors
/// When the trace cannot be read. Damage within is no error: it is given as a gap.
pub fn walk(trace: &Trace, passes: &mut [&mut dyn Pass]) -> Result<(), ReadError> {
    walk_as(&MODEL, trace, passes)
}

/// As [`walk()`], over a trace whose methods have the numbers of another model. The passes have to speak it, too: accessors
/// and [`State`](crate::State) speak the built-in one only.
///
/// # Errors
/// As for [`walk()`].
pub fn walk_as(model: &Model, trace: &Trace, passes: &mut [&mut dyn Pass]) -> Result<(), ReadError> {
    let mut walk = Walk::of_model(model, passes, Pairing::default());
    trace.events_ahead(|mut events| walk.run(&mut events, 0, passes))?;
    walk.finish(passes);
    Ok(())
}
