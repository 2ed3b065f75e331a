//! The loop over the events of a trace, and the plain way of a call: rebuild, call, compare, keep what came out.
//!
//! A call is made where its enter stands in the order of the trace; what it gave is known at its leave. Calls that could
//! block, and those whose recorded outcome decides what happens here, are made at their leave (`special`).
//! Invariant: one thread makes all calls, in the order of the trace.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use reprise_codec::arena::Arena;
use reprise_codec::decode::Outcome;
use reprise_codec::outputs::Before;
use reprise_codec::{BlobSink, Codec, Objects as CodecObjects, Value};
use reprise_d3d12::MODEL;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{Guid, InterfaceId, Method, MethodId, Order, Type};
use reprise_d3d12::struct_;
use reprise_d3d12::types::{D3D12_DESCRIPTOR_HEAP_DESC, D3D12_HEAP_DESC, D3D12_HEAP_PROPERTIES, D3D12_RESOURCE_DESC};
use reprise_trace::fact;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::objects::{Com, Virtual};
use crate::policy::{self, Decision, Handler};
use crate::present::Presentation;
use crate::report::HresultName;
use crate::resolve::Lookup;
use crate::source::{Blobs, Source};
use crate::sync::{self, Waited};
use crate::values;
use crate::world::{Made, World};
use crate::{Difference, Error, Options, Place, Progress, Report, memory};

/// A replay under way.
pub(crate) struct Engine<'a, 'o> {
    pub(crate) world: World,
    pub(crate) codec: Codec,
    pub(crate) options: &'a mut Options<'o>,
    pub(crate) report: Report,
    pub(crate) presentation: Presentation,
    /// The picture of the frame under way, once presented.
    pub(crate) shown: Option<crate::Frame>,
    /// Calls that are open, by thread, innermost last.
    open: HashMap<u32, Vec<Open>>,
    arenas: Vec<Arena>,
}

/// A call between its enter and its leave.
pub(crate) struct Open {
    pub(crate) place: Place,
    number: u64,
    pub(crate) method: MethodId,
    pub(crate) object: u32,
    pub(crate) enter: Vec<u8>,
    decision: Decision,
    called: Option<Called>,
}

impl Open {
    /// The call, where it was made at its enter.
    pub(crate) fn called(&self) -> Option<&Called> {
        self.called.as_ref()
    }
}

/// A call that was made.
pub(crate) struct Called {
    words: Vec<u64>,
    pub(crate) result: u64,
    before: Before,
    pub(crate) given: Vec<Given>,
    made: Made,
    arena: Arena,
}

/// An object that came out of a call, with a reference.
pub(crate) struct Given {
    /// Index of the parameter and of the element.
    pub(crate) slot: (usize, usize),
    pub(crate) interface: InterfaceId,
    /// Null where nothing came out.
    pub(crate) pointer: u64,
}

/// Calls open at once on one thread: callbacks nest, but not without end.
const DEEPEST: usize = 64;

impl<'a, 'o> Engine<'a, 'o> {
    pub(crate) fn new(world: World, options: &'a mut Options<'o>) -> Self {
        let codec = Codec::new(MODEL, world.runtime.wide());
        let report = Report { runtime: world.runtime.name.clone(), ..Report::default() };
        Self {
            world,
            codec,
            options,
            report,
            presentation: Presentation::default(),
            shown: None,
            open: HashMap::new(),
            arenas: Vec::new(),
        }
    }

    /// Plays all events, or those up to the last frame asked for.
    pub(crate) fn run(mut self, source: &mut dyn Source, blobs: &dyn Blobs) -> Result<Report, Error> {
        let start = Instant::now();
        let mut last = Place::default();
        loop {
            let event = match source.next() {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(reason) => {
                    return Err(Error::Call { place: last, what: format!("the trace ends in damage: {reason}") });
                }
            };
            let place = place_of(&event);
            self.event(&event, &place, blobs)?;
            last = place;
            if event.kind == Kind::Frame && self.options.quit_after_frame.is_some_and(|last| self.frames() >= last) {
                break;
            }
        }
        let left: Vec<Open> = self.open.drain().flat_map(|(_, stack)| stack).collect();
        left.iter().filter_map(Open::called).for_each(|called| self.release_all(&called.given));
        self.report.timings.total += start.elapsed();
        Ok(core::mem::take(&mut self.report))
    }

    /// Frames that are complete.
    pub(crate) fn frames(&self) -> u64 {
        self.report.frames.len() as u64
    }

    fn event(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> Result<(), Error> {
        match event.kind {
            Kind::Enter => self.enter(event, place, blobs),
            Kind::Leave => self.leave(event, place),
            Kind::Memory => self.memory(event, place),
            Kind::Observe => {
                let value = event.payload.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                self.wait_for_seen(event.object, value, place)
            }
            Kind::Frame => {
                self.end_frame();
                Ok(())
            }
            Kind::Fact => self.fact(event, place),
            Kind::Gap => {
                let text =
                    event.fact().map(|(_, text)| String::from_utf8_lossy(text).trim_end_matches('\0').to_owned());
                self.differ(place, format!("the trace has a gap here: {}", text.unwrap_or_default()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end_frame(&mut self) {
        let number = self.frames() + 1;
        let empty = crate::Frame { number, width: 0, height: 0, format: 0, hash: None };
        let frame = self.shown.take().unwrap_or(empty);
        self.report.frames.push(frame);
        let progress = Progress { frame: self.frames(), calls: self.report.calls };
        if let Some(tell) = &mut self.options.progress {
            tell(progress);
        }
    }

    pub(crate) fn differ(&mut self, place: &Place, what: String) {
        self.report.difference_count += 1;
        if self.report.differences.len() < Report::MAX_DIFFERENCES {
            self.report.differences.push(Difference { place: place.clone(), what });
        }
    }

    fn skip(&mut self, reason: &str) {
        match self.report.skipped.get_mut(reason) {
            Some(count) => *count += 1,
            None => {
                self.report.skipped.insert(reason.to_owned(), 1);
            }
        }
    }

    fn enter(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> Result<(), Error> {
        self.report.calls += 1;
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let method = MODEL.methods.get(usize::from(event.method));
        let method = method.ok_or_else(|| fail(format!("the API model has no method {}", event.method)))?;
        let mut decision =
            policy::decide(event.method).ok_or_else(|| fail("replay has no rule for this method".into()))?;
        if method.interface.is_some() {
            if event.object == 0 {
                return Err(fail("the call has no object".into()));
            }
            decision = self.decision_for(event.object, decision);
        }
        let mut open = Open {
            place: place.clone(),
            number: event.number,
            method: MethodId(event.method),
            object: event.object,
            enter: event.payload.to_vec(),
            decision,
            called: None,
        };
        match decision {
            Decision::Call | Decision::Query => open.called = Some(self.call(event, method, place, blobs)?),
            Decision::Handle(handler) => open.called = self.handle_enter(handler, event, method, place, blobs)?,
            Decision::Skip(reason) => self.skip(reason),
            Decision::Refuse(reason) if method.order != Order::EnterLeave => return Err(fail(reason.into())),
            Decision::Refuse(_) => {}
        }
        if method.order == Order::EnterLeave {
            let stack = self.open.entry(event.thread).or_default();
            if stack.len() >= DEEPEST {
                return Err(fail(format!("thread {} has {DEEPEST} calls open: the trace is damaged", event.thread)));
            }
            stack.push(open);
        } else if let Some(called) = open.called {
            self.arenas.push(called.arena);
        }
        Ok(())
    }

    /// Objects that only replay has take no calls but those with code of their own.
    fn decision_for(&self, object: u32, decision: Decision) -> Decision {
        match (self.world.objects.virtual_kind(object), decision) {
            (None, _) | (_, Decision::Handle(_) | Decision::Skip(_)) => decision,
            (Some(Virtual::LeftOut), _) => Decision::Skip("the object is one that replay leaves out"),
            (Some(_), _) => Decision::Skip("the object stays within replay"),
        }
    }

    /// Rebuilds the arguments of a call and makes it.
    pub(crate) fn call(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<Called, Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let this = match method.interface {
            Some(interface) => self.world.pointer(event.object, interface).map_err(fail)?,
            None => 0,
        };
        let id = MethodId(event.method);
        let mut arena = self.arenas.pop().unwrap_or_default();
        arena.clear();
        let mut lookup = Lookup { world: &mut self.world, blobs, event, held: None };
        let rebuilt = self.codec.rebuild(id, event.payload, &mut lookup, &mut arena);
        let rebuilt = rebuilt.map_err(|error| {
            fail(format!("argument {}, byte {} of the payload: {}", error.path, error.offset, error.what))
        })?;
        let words = rebuilt.words;
        let made = made_by(&self.world, method, event.payload, &words);
        // SAFETY: the codec rebuilt valid arguments of this method.
        let before = unsafe { self.codec.outputs_before(id, &words) };
        let runtime = &self.world.runtime;
        // SAFETY: `this` is alive and has the interface that declares the method; the codec rebuilt valid arguments, whose
        // memory is the arena's.
        let result = unsafe {
            match method.interface {
                Some(_) => Some(runtime.call(this, id, &words)),
                None => runtime.call_function(id, &words),
            }
        };
        let result = result.ok_or_else(|| fail(format!("the runtime {} does not export it", runtime.name)))?;
        self.report.replayed += 1;
        let mut given = Vec::new();
        for output in &rebuilt.outputs {
            let Type::Object(stated) = output.ty else { continue };
            let interface = asked_for(output.field.iid, &words).or(output.field.class).unwrap_or(stated);
            for element in 0..output.count as usize {
                // SAFETY: the codec made storage for `count` pointers there.
                let pointer = unsafe { output.pointer.cast::<u64>().add(element).read_unaligned() };
                given.push(Given { slot: (output.param, element), interface, pointer });
            }
        }
        if let Type::Object(stated) = method.result {
            given.push(Given { slot: (usize::MAX, 0), interface: stated, pointer: result });
        }
        Ok(Called { words, result, before, given, made, arena })
    }

    fn leave(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let stack = self.open.entry(event.thread).or_default();
        // Calls above it have no leave: the program left them by an exception or a long jump.
        let at = stack.iter().rposition(|open| open.number == event.number);
        let open = match at.and_then(|at| stack.drain(at..).next()) {
            Some(open) => open,
            None => {
                return Err(Error::Call {
                    place: place.clone(),
                    what: "a call ends that did not begin: the trace is damaged".into(),
                });
            }
        };
        let place = &open.place;
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let outcome = self.codec.decode_leave(open.method, &open.enter, event.payload);
        let outcome = outcome.map_err(|error| {
            fail(format!("output {}, byte {} of the payload: {}", error.path, error.offset, error.what))
        })?;
        match open.decision {
            Decision::Call => self.settle(&open, &outcome, false)?,
            Decision::Query => self.settle(&open, &outcome, true)?,
            Decision::Handle(handler) => self.handle_leave(handler, &open, &outcome)?,
            Decision::Skip(_) => self.leave_out(&open, &outcome),
            Decision::Refuse(reason) => {
                if succeeded(&outcome) {
                    return Err(fail(reason.into()));
                }
            }
        }
        if let Some(called) = open.called {
            self.arenas.push(called.arena);
        }
        Ok(())
    }

    /// Compares results and keeps what came out of a call that was made.
    pub(crate) fn settle(&mut self, open: &Open, outcome: &Outcome<'_>, query: bool) -> Result<(), Error> {
        let Some(called) = &open.called else { return Ok(()) };
        let place = &open.place;
        let hresult = match outcome.result {
            Value::Hresult(recorded) => Some((recorded, called.result as u32)),
            _ => None,
        };
        if let Some((recorded, here)) = hresult
            && is_removed(here)
            && !is_removed(recorded)
        {
            self.release_all(&called.given);
            return Err(Error::DeviceRemoved { place: place.clone(), reason: HresultName(here).to_string() });
        }
        let mut missing = None;
        for given in &called.given {
            let id = recorded_id(open.method, outcome, given.slot);
            match (id, given.pointer) {
                (0, 0) => {}
                (0, pointer) => {
                    self.world.runtime.release(pointer);
                    if hresult.is_none_or(|(recorded, _)| recorded as i32 >= 0) {
                        self.differ(place, "an object came out that did not at capture".into());
                    }
                }
                (id, 0) => missing = Some(id),
                (id, pointer) => {
                    let world = &mut self.world;
                    if world.objects.given(&world.runtime, id, given.interface, pointer) {
                        world.made(id, called.made);
                    }
                }
            }
        }
        if let Some(id) = missing {
            let here = hresult.map_or(0, |(_, here)| here);
            if !query && !self.world.objects.contains(id) {
                return Err(creation_error(place, here));
            }
            if !self.world.objects.contains(id) {
                self.world.objects.given_virtual(id, Virtual::LeftOut);
            }
            self.differ(place, format!("object {id} does not come out here: {}", HresultName(here)));
        } else if let Some((recorded, here)) = hresult
            && recorded != here
        {
            self.differ(place, format!("returned {}, here {}", HresultName(recorded), HresultName(here)));
        } else if query {
            self.compare(open, called, outcome);
        }
        Ok(())
    }

    /// Reports where a query's answer is not the recorded one.
    fn compare(&mut self, open: &Open, called: &Called, outcome: &Outcome<'_>) {
        let mut bytes = Vec::new();
        // SAFETY: these are the arguments of the call that gave this result; their memory is the arena's.
        unsafe {
            let (words, before) = (&called.words, &called.before);
            self.codec.encode_leave(open.method, words, called.result, before, &Nobody, &mut bytes, &mut Nowhere);
        }
        let Ok(here) = self.codec.decode_leave(open.method, &open.enter, &bytes) else { return };
        for what in crate::compare::outcomes(outcome, &here) {
            self.differ(&open.place, what);
        }
    }

    /// Objects that a call gave out which replay does not make.
    fn leave_out(&mut self, open: &Open, outcome: &Outcome<'_>) {
        let dxgi = open.method.get().interface.is_some_and(|id| id.get().name.starts_with("IDXGI"))
            || open.method.get().name.contains("DXGI");
        let kind = if dxgi { Virtual::Dxgi } else { Virtual::LeftOut };
        let outputs = outcome.outputs.iter().flat_map(|member| values::ids(&member.value));
        let ids: Vec<u32> = outputs.chain(values::ids(&outcome.result)).collect();
        for id in ids {
            if id != 0 && !self.world.objects.contains(id) {
                self.world.objects.given_virtual(id, kind);
            }
        }
    }

    pub(crate) fn release_all(&mut self, given: &[Given]) {
        for given in given.iter().filter(|given| given.pointer != 0) {
            self.world.runtime.release(given.pointer);
        }
    }

    fn memory(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let (offset, bytes) = event.memory().ok_or_else(|| fail("a memory record is cut short".into()))?;
        let observed = event.method == reprise_trace::record::OBSERVED;
        let stored =
            !observed && memory::store(&mut self.world, event.object, event.ordinal, offset, bytes).map_err(fail)?;
        if !stored {
            self.skip("memory that the GPU wrote is not written back (records, not calls)");
        }
        Ok(())
    }

    fn fact(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let Some((kind, bytes)) = event.fact() else { return Ok(()) };
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        match kind {
            fact::ADDRESS_RANGE => self.world.address_told(event.object, word(0), Some(word(8))),
            fact::DESCRIPTOR_HEAP => {
                // What is wrong with a fact shows at the call that relies on it.
                let _ = self.world.heap_start_told(event.object, false, word(0));
                let _ = self.world.heap_start_told(event.object, true, word(8));
                self.increment_of_heap(event.object, word(16) as u32, place)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Waits until a fence has a value that the program saw it at.
    pub(crate) fn wait_for_seen(&mut self, id: u32, value: u64, place: &Place) -> Result<(), Error> {
        if value == 0 {
            return Ok(());
        }
        if value == sync::REMOVED {
            self.differ(place, "the program's device was removed here".into());
            return Ok(());
        }
        let Ok(pointer) = sync::fence(&mut self.world, id) else {
            self.differ(place, format!("fence {id} was seen at {value}, but is not alive here"));
            return Ok(());
        };
        let start = Instant::now();
        let waited = sync::wait(&self.world.runtime, pointer, value, self.options.fence_wait_timeout);
        self.report.timings.fence_waits += start.elapsed();
        match waited {
            Waited::Reached => Ok(()),
            Waited::Expired(reached) => Err(Error::FenceWait {
                place: place.clone(),
                fence: id,
                value,
                reached,
                seconds: start.elapsed().max(Duration::from_millis(1)).as_secs_f64(),
            }),
            Waited::Removed => Err(Error::DeviceRemoved {
                place: place.clone(),
                reason: format!("fence {id} has the value of a removed device"),
            }),
        }
    }

    /// Whether `Handler` code wants the plain way.
    pub(crate) fn plain(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<Option<Called>, Error> {
        self.call(event, method, place, blobs).map(Some)
    }

    pub(crate) fn count_call(&mut self) {
        self.report.replayed += 1;
    }

    pub(crate) fn count_skip(&mut self, handler: Handler) {
        self.skip(match handler {
            Handler::CompletedValue | Handler::FenceEvent | Handler::MultipleFenceEvent => {
                "waits are bounded by the values that the program saw"
            }
            Handler::Release => "references are kept by their outcome",
            Handler::GpuAddress => "addresses are asked for where they are used",
            _ => "presentation is headless",
        });
    }
}

fn place_of(event: &Event<'_>) -> Place {
    let method = match event.kind {
        Kind::Enter | Kind::Leave => method_name(event.method),
        kind => format!("{kind:?} record of object {}", event.object),
    };
    Place { call: event.number, method, frame: u64::from(event.frame) + 1 }
}

/// `Interface::Method`, or the function's name.
pub(crate) fn method_name(number: u16) -> String {
    match MODEL.methods.get(usize::from(number)) {
        Some(Method { interface: Some(interface), name, .. }) => format!("{}::{name}", interface.get().name),
        Some(method) => method.name.to_owned(),
        None => format!("method {number}"),
    }
}

/// What the arguments of a creation say of its object.
fn made_by(world: &World, method: &Method, enter: &[u8], words: &[u64]) -> Made {
    let mut heap_type = None;
    let mut desc = None;
    for (field, &word) in method.params.iter().zip(words) {
        let Type::Pointer(pointee) = field.ty else { continue };
        let Type::Struct(id) = pointee.ty else { continue };
        if word == 0 || !method.name.starts_with("Create") {
            continue;
        }
        // SAFETY: the codec rebuilt a structure of this type behind the word; longer versions begin with the shorter one.
        unsafe {
            if id == struct_("D3D12_HEAP_PROPERTIES") {
                heap_type = Some((*(word as *const D3D12_HEAP_PROPERTIES)).Type.0 as u32);
            } else if id == struct_("D3D12_RESOURCE_DESC") || id == struct_("D3D12_RESOURCE_DESC1") {
                desc = Some(*(word as *const D3D12_RESOURCE_DESC));
            } else if id == struct_("D3D12_HEAP_DESC") {
                return Made::Heap { heap_type: (*(word as *const D3D12_HEAP_DESC)).Properties.Type.0 as u32 };
            } else if id == struct_("D3D12_COMMAND_QUEUE_DESC") {
                return Made::Queue;
            } else if id == struct_("D3D12_DESCRIPTOR_HEAP_DESC") {
                let desc = &*(word as *const D3D12_DESCRIPTOR_HEAP_DESC);
                return Made::DescriptorHeap { kind: desc.Type.0 as u32, count: desc.NumDescriptors };
            }
        }
    }
    let Some(desc) = desc else { return Made::Other };
    let placed =
        values::argument(method, enter, "pHeap").and_then(|heap| world.heap_types.get(&(heap as u32)).copied());
    Made::Resource { desc, heap_type: heap_type.or(placed).unwrap_or(0) }
}

/// The interface that the id among the arguments names.
fn asked_for(parameter: Option<u8>, words: &[u64]) -> Option<InterfaceId> {
    let pointer = *words.get(usize::from(parameter?))? as *const Guid;
    if pointer.is_null() {
        return None;
    }
    // SAFETY: the codec rebuilt an interface id behind the word.
    by_iid(&unsafe { pointer.read_unaligned() })
}

/// The id that the capture gave to what came out of a slot; 0 for nothing.
pub(crate) fn recorded_id(method: MethodId, outcome: &Outcome<'_>, (param, element): (usize, usize)) -> u32 {
    let ids = match method.get().params.get(param) {
        Some(field) => {
            let member = outcome.outputs.iter().find(|member| member.field.name == field.name);
            member.map(|member| values::ids(&member.value)).unwrap_or_default()
        }
        None => values::ids(&outcome.result),
    };
    ids.get(element).copied().unwrap_or(0)
}

/// Whether the capture saw success; what has no result code counts as such.
pub(crate) fn succeeded(outcome: &Outcome<'_>) -> bool {
    !matches!(outcome.result, Value::Hresult(code) if (code as i32) < 0)
}

fn is_removed(code: u32) -> bool {
    matches!(code, 0x887a_0005..=0x887a_0007)
}

pub(crate) fn creation_error(place: &Place, result: u32) -> Error {
    let hint = match result {
        0x8007_000e => "the device has too little memory: close other programs, or use another device",
        0x8000_4001 => "this runtime does not implement it: use another one (--runtime)",
        0x8000_4002 => "this runtime does not have the interface: use a newer one (--runtime)",
        0x887e_0002 => {
            "a cached pipeline of another driver was refused: the program has to be captured without its cache"
        }
        _ => {
            "this device or runtime lacks something that the capture's had: try another one (--runtime), or run the program \
              on it with its own validation"
        }
    };
    Error::Creation { place: place.clone(), result, hint: hint.to_owned() }
}

/// Whatever is compared, objects are not.
struct Nobody;

impl CodecObjects for Nobody {
    fn id_of(&self, _pointer: u64) -> u64 {
        0
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

/// Long answers are compared by nobody.
struct Nowhere;

impl BlobSink for Nowhere {
    fn blob(&mut self, _bytes: &[u8]) -> u32 {
        0
    }
}
