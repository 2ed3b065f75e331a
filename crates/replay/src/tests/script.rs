//! Hand-made traces for tests: calls as a program would make them, with ids in the place of object pointers.
//!
//! Payloads come from the codec's encoder, which reads the memory of these very calls. Addresses, handles and results are
//! the script's own, different from whatever the runtime under test gives.

use std::sync::Arc;

use reprise_codec::outputs::Before;
use reprise_codec::{BlobSink, Codec, Objects, Wide};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, Order};
use reprise_trace::read::{Call, Event, Turn};
use reprise_trace::record::Kind;

use crate::input::source::{Blobs, Source};
use crate::memory::clock::Clocks;
use crate::repeat::plan::Looped;
use crate::walk::Engine;
use crate::world::World;
use crate::{Convention, Error, LinkedRuntime, Options, Report};

/// One event, owned.
#[derive(Clone)]
pub(crate) struct Recorded {
    pub(crate) kind: Kind,
    pub(crate) number: u64,
    pub(crate) thread: u32,
    pub(crate) frame: u32,
    pub(crate) method: u16,
    pub(crate) object: u32,
    pub(crate) ordinal: u32,
    pub(crate) payload: Vec<u8>,
}

/// A trace under construction, and then a source of events.
pub(crate) struct Script {
    codec: Codec,
    pub(crate) events: Vec<Recorded>,
    blobs: Vec<Arc<[u8]>>,
    calls: u64,
    frame: u32,
    next: usize,
    pub(crate) thread: u32,
}

struct Ids;

impl Objects for Ids {
    fn id_of(&self, pointer: u64) -> u64 {
        pointer
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

struct Kept<'a>(&'a mut Vec<Arc<[u8]>>);

impl BlobSink for Kept<'_> {
    fn blob(&mut self, bytes: &[u8]) -> u32 {
        self.0.push(bytes.into());
        self.0.len() as u32 - 1
    }
}

impl Script {
    pub(crate) fn new() -> Self {
        let codec = Codec::new(MODEL, Wide::Bits16);
        Self { codec, events: Vec::new(), blobs: Vec::new(), calls: 0, frame: 0, next: 0, thread: 0 }
    }

    fn event(&mut self, kind: Kind, method: u16, object: u32, ordinal: u32, payload: Vec<u8>) {
        let (number, thread, frame) = (self.calls, self.thread, self.frame);
        self.events.push(Recorded { kind, number, thread, frame, method, object, ordinal, payload });
    }

    /// Enter and, where the method has one, leave. Outputs behind the words already hold what the call "gave".
    pub(crate) fn call(&mut self, object: u32, method: MethodId, words: &[u64], result: u64) -> u64 {
        self.enter(object, method, words);
        if method.get().order == Order::EnterLeave {
            self.leave(self.calls, object, method, words, result);
        }
        self.calls
    }

    pub(crate) fn enter(&mut self, object: u32, method: MethodId, words: &[u64]) -> u64 {
        self.calls += 1;
        let mut payload = Vec::new();
        // SAFETY: tests pass valid arguments, but for object pointers, which the codec does not look through.
        unsafe { self.codec.encode_enter(method, words, &Ids, &mut payload, &mut Kept(&mut self.blobs)) };
        self.event(Kind::Enter, method.0, object, 0, payload);
        self.calls
    }

    pub(crate) fn leave(&mut self, number: u64, object: u32, method: MethodId, words: &[u64], result: u64) {
        let mut payload = Vec::new();
        let before = Before::default();
        // SAFETY: as for the enter.
        unsafe {
            let blobs = &mut Kept(&mut self.blobs);
            self.codec.encode_leave(method, words, result, &before, &Ids, &mut payload, blobs);
        }
        self.event(Kind::Leave, method.0, object, 0, payload);
        if let Some(last) = self.events.last_mut() {
            last.number = number;
        }
    }

    pub(crate) fn memory(&mut self, object: u32, subresource: u32, offset: u64, bytes: &[u8]) {
        let mut payload = offset.to_le_bytes().to_vec();
        payload.extend((bytes.len() as u64).to_le_bytes());
        payload.extend(bytes);
        payload.resize(payload.len().next_multiple_of(8), 0);
        self.event(Kind::Memory, 0, object, subresource, payload);
    }

    /// A fact: its number, zero, and its bytes.
    pub(crate) fn fact(&mut self, object: u32, mut payload: Vec<u8>) {
        payload.resize(payload.len().next_multiple_of(8), 0);
        self.event(Kind::Fact, 0, object, 0, payload);
    }

    pub(crate) fn observe(&mut self, fence: u32, value: u64) {
        self.event(Kind::Observe, 0, fence, 0, value.to_le_bytes().to_vec());
    }

    pub(crate) fn frame(&mut self) {
        self.event(Kind::Frame, 0, 0, 0, 1u64.to_le_bytes().to_vec());
        self.frame += 1;
    }

    /// The same events, from the first one on.
    pub(crate) fn copy(&self) -> Self {
        Self { events: self.events.clone(), blobs: self.blobs.clone(), ..Self::new() }
    }

    /// Its blobs.
    pub(crate) fn blobs(&self) -> List {
        List(self.blobs.clone())
    }

    /// Begins again at the first event.
    pub(crate) fn rewind(&mut self) {
        self.next = 0;
    }

    /// Plays what was written on the null runtime.
    pub(crate) fn play(&mut self, options: &mut Options<'_>) -> Result<Report, Error> {
        options.linked_runtime = Some(null());
        let mut world = World::new(options.load_runtime()?);
        world.indirect.follow();
        self.play_in(world, options)
    }

    /// Plays in a world that has been made for it.
    pub(crate) fn play_in(&mut self, world: World, options: &mut Options<'_>) -> Result<Report, Error> {
        self.rewind();
        let blobs = self.blobs();
        let again = self.copy();
        let mut engine = Engine::new(world, options);
        engine.follow_clocks(Clocks::over(again));
        engine.follow_writes();
        engine.plan_untold(|_| Box::new(self.copy()));
        engine.plan_hooks(self, &blobs)?;
        self.rewind();
        let plan = engine.plan_rounds(self)?;
        self.rewind();
        match plan {
            Some(plan) => engine.run(&mut Looped::new(self, plan), &blobs),
            None => engine.run(self, &blobs),
        }
    }

    /// One call as it really was, with objects under the ids that `objects` has for them.
    ///
    /// # Safety
    /// `call` makes the call with these words and gives its result.
    pub(crate) unsafe fn record(
        &mut self,
        object: u32,
        method: MethodId,
        words: &[u64],
        objects: &impl Objects,
        call: impl FnOnce() -> u64,
    ) {
        self.calls += 1;
        let mut enter = Vec::new();
        // SAFETY: the words are arguments of this method, and what they point to lives as long as the test's call.
        unsafe { self.codec.encode_enter(method, words, objects, &mut enter, &mut Kept(&mut self.blobs)) };
        self.event(Kind::Enter, method.0, object, 0, enter);
        // SAFETY: the words are arguments of this method; its outputs are memory of the test.
        let before = unsafe { self.codec.outputs_before(method, words) };
        let result = call();
        if method.get().order == Order::EnterLeave {
            let mut leave = Vec::new();
            // SAFETY: the words are arguments of this method, and the call has returned: what it writes lies in memory of the test, and is
            // written.
            unsafe {
                let blobs = &mut Kept(&mut self.blobs);
                self.codec.encode_leave(method, words, result, &before, objects, &mut leave, blobs);
            }
            self.event(Kind::Leave, method.0, object, 0, leave);
        }
    }
}

impl Source for Script {
    fn next(&mut self) -> Result<Option<Event<'_>>, String> {
        let Some(event) = self.events.get(self.next) else { return Ok(None) };
        self.next += 1;
        Ok(Some(Event {
            number: event.number,
            thread: event.thread,
            frame: event.frame,
            time_ns: 0,
            kind: event.kind,
            method: event.method,
            object: event.object,
            ordinal: event.ordinal,
            sequence: 0,
            payload: &event.payload,
            pieces: &[],
            blobs: &[],
            open: false,
            flags: 0,
            ticks: 0,
        }))
    }

    /// As a trace does, so that scripts go the short way, too.
    fn call(&mut self) -> Option<Call<'_>> {
        let event = self.events.get(self.next).filter(|event| event.kind == Kind::Enter)?;
        self.next += 1;
        Some(Call {
            number: event.number,
            method: event.method,
            object: event.object,
            payload: &event.payload,
            turn: Turn::default(),
        })
    }

    fn give_back(&mut self) {
        self.next -= 1;
    }
}

/// Blobs by number.
pub(crate) struct List(Vec<Arc<[u8]>>);

impl Blobs for List {
    fn blob(&self, _event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, String> {
        self.at(number.into())
    }

    fn at(&self, place: u64) -> Result<Arc<[u8]>, String> {
        self.0.get(place as usize).cloned().ok_or_else(|| format!("no blob {place}"))
    }
}

/// The null runtime, linked into the test.
pub(crate) fn null() -> LinkedRuntime {
    unsafe fn call(convention: Convention, _name: &str, method: MethodId, words: &[u64]) -> Option<u64> {
        let convention = match convention {
            Convention::Win64 => reprise_null::Convention::Win64,
            Convention::SysV => reprise_null::Convention::SystemV,
            Convention::Itanium => reprise_null::Convention::Itanium,
        };
        // SAFETY: the caller's promise.
        Some(unsafe { reprise_null::call_function(convention, method, words) })
    }
    LinkedRuntime { name: "null", call, heaps: None }
}
