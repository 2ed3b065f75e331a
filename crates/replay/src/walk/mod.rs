//! The loop over the events of a trace: which way each call and record goes.
//!
//! A call is made where its enter stands in the order of the trace; what it gave is known at its leave. Calls that could
//! block, and those whose recorded outcome decides what happens here, are made at their leave (`special`).
//! Invariant: one thread makes all calls, in the order of the trace, but for pipelines (`ahead`) and what lists record
//! (`record_ahead`).

pub(crate) mod check;
pub(crate) mod handle;
pub(crate) mod hooks;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use reprise_codec::Codec;
use reprise_codec::arena::Arena;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Method, MethodId, Order};
use reprise_trace::fact;
use reprise_trace::read::{Event, Translate};
use reprise_trace::record::{Kind, OBSERVED};
use reprise_trace::wanted::Wanted;

use crate::ahead::lists::{self as lists_ahead, Closings};
use crate::ahead::pipelines::Unsettled;
use crate::call::Called;
use crate::call::decision::{self, Decision, Handler};
use crate::debug::renderdoc::FrameCapture;
use crate::debug::replace::Replacements;
use crate::dump::Dumps;
use crate::input::source::{Blobs, Source};
use crate::jobs::creations::{Creations, Started};
use crate::light::Plans;
use crate::lists::Lists;
use crate::lists::recorders::Recorders;
use crate::measure::Stopwatch;
use crate::memory::clock::{self, Clocks};
use crate::memory::mapped::{self, Comparison};
use crate::memory::replan::Replan;
use crate::present::Presentation;
use crate::repeat::rounds::Rounds;
use crate::resolve::ids::IdMap;
use crate::resolve::objects::Virtual;
use crate::results::succeeded;
use crate::sync::Signals;
use crate::sync::lockstep::Lockstep;
use crate::walk::check::Checked;
use crate::world::World;
use crate::{Difference, Error, Options, Place, Progress, Read, Report};

/// A replay under way.
pub(crate) struct Engine<'a, 'o> {
    /// Before the world, which its calls need.
    pub(crate) lists: Lists,
    pub(crate) closings: Closings,
    pub(crate) world: World,
    pub(crate) codec: Codec,
    pub(crate) options: &'a mut Options<'o>,
    pub(crate) report: Report,
    pub(crate) presentation: Presentation,
    /// The picture of the frame under way, once presented.
    pub(crate) shown: Option<crate::Frame>,
    /// The frames that were wanted of the program: earlier ones are played for what they leave behind, and give no pictures.
    pub(crate) wanted: Option<Wanted>,
    /// Calls that are open, by thread, innermost last.
    open: HashMap<u32, Vec<Open>>,
    stopwatch: Option<Stopwatch>,
    pub(crate) lockstep: Lockstep,
    pub(crate) signals: Signals,
    /// Something happens around calls: see `hooks`.
    pub(crate) hooked: bool,
    pub(crate) dumps: Option<Dumps>,
    pub(crate) renderdoc: Option<FrameCapture>,
    pub(crate) rounds: Option<Rounds>,
    pub(crate) replacements: Option<Replacements>,
    pub(crate) arenas: Vec<Arena>,
    pub(crate) plans: Plans,
    /// Calls whose pipelines other threads make, by the id of what comes out.
    pub(crate) unsettled: IdMap<Unsettled>,
    pub(crate) replan: Replan,
    pub(crate) checked: Checked,
    /// Where the trace resolves queries: what of it are times.
    pub(crate) clocks: Option<Clocks<'a>>,
    /// Says why a call of another model is not understood.
    pub(crate) translation: Option<Arc<dyn Translate>>,
}

/// A call between its enter and its leave.
pub(crate) struct Open {
    pub(crate) place: Place,
    number: u64,
    pub(crate) method: MethodId,
    pub(crate) object: u32,
    pub(crate) enter: Vec<u8>,
    pub(crate) decision: Decision,
    /// Version of the objects at the enter: where it is the same, none of them has gone since.
    pub(crate) objects: u64,
    pub(crate) called: Option<Called>,
    /// Where another thread makes it.
    pub(crate) started: Option<Started>,
    /// Where its result will be once its list is recorded.
    pub(crate) closing: Option<u64>,
    /// Why it could not be made: what failed at capture need not be.
    impossible: Option<Error>,
}

impl Open {
    /// The call, where it was made at its enter.
    pub(crate) fn called(&self) -> Option<&Called> {
        self.called.as_ref()
    }
}

/// Calls open at once on one thread: callbacks nest, but not without end.
const DEEPEST: usize = 64;

/// The walk does not keep more threads at work.
const MOST_RECORDERS: usize = 8;

impl<'a, 'o> Engine<'a, 'o> {
    pub(crate) fn new(mut world: World, options: &'a mut Options<'o>) -> Self {
        let codec = Codec::new(MODEL, world.runtime.wide());
        let refused = options.check.then_some(0);
        let report = Report { runtime: world.runtime.name.clone(), refused, ..Report::default() };
        // Where something is done around each call, each is made where it stands.
        let alone = options.one_by_one().is_some();
        world.creations = Creations::new(if alone { 1 } else { options.threads });
        let plans = Plans::new(&codec, alone);
        let lists = match options.recorders.min(MOST_RECORDERS) {
            0 => Lists::default(),
            _ if alone => Lists::default(),
            count => {
                let recorders = Recorders::new(count, world.runtime.clone(), plans.directs());
                Lists::new(recorders, options.recorded_from, world.runtime.records_in_order())
            }
        };
        let stopwatch = options.measure.map(|measure| Stopwatch::new(measure.range));
        Self {
            lists,
            closings: Closings::default(),
            plans,
            world,
            codec,
            stopwatch,
            lockstep: Lockstep::default(),
            signals: Signals::default(),
            hooked: !hooks::is_idle(options),
            dumps: None,
            renderdoc: options.renderdoc_frame.map(|frame| FrameCapture::new(frame, options.renderdoc_dir.clone())),
            replacements: None,
            rounds: None,
            options,
            report,
            presentation: Presentation::default(),
            shown: None,
            wanted: None,
            open: HashMap::new(),
            arenas: Vec::new(),
            unsettled: IdMap::default(),
            replan: Replan::default(),
            checked: Checked::default(),
            clocks: None,
            translation: None,
        }
    }

    /// Plays all events, or those up to the last frame asked for.
    pub(crate) fn run(mut self, source: &mut impl Source, blobs: &dyn Blobs) -> Result<Report, Error> {
        let start = Instant::now();
        let mut last = Place::default();
        let last_call = self.options.quit_after_call.unwrap_or(u64::MAX);
        self.measure(0, &last)?;
        loop {
            self.make_light(source, last_call);
            let event = match source.next() {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(reason) => {
                    return Err(Error::Call { place: last, what: format!("the trace ends in damage: {reason}") });
                }
            };
            let place = Place::of(&event);
            if event.kind == Kind::Enter {
                if event.number > last_call {
                    break;
                }
                // Of a source that does not give calls as such.
                if self.recorded_ahead(&event.call()) || self.made_light(&event.call()) {
                    last = place;
                    continue;
                }
            }
            self.begin_round(&event, &place)?;
            let done = self.event(&event, &place, blobs);
            // What went wrong with a pipeline that the call uses, or with a list that stands before it, went wrong first.
            let made = self.settle_creations(blobs);
            let closed = self.settle_lists(done.is_err() || made.is_err());
            lists_ahead::first(made, closed)?;
            done?;
            self.end_round(&event, &place)?;
            last = place;
            if event.kind == Kind::Frame && self.is_last_frame() {
                break;
            }
        }
        self.world.finish_creations();
        let made = self.settle_creations(blobs);
        lists_ahead::first(made, self.settle_lists(true))?;
        self.leave_open_calls();
        self.finish_hooks();
        self.report.unfinished = self.shown.take();
        self.report.measured = self.stopwatch.take().and_then(Stopwatch::finish);
        self.report.timings.total += start.elapsed();
        Ok(core::mem::take(&mut self.report))
    }

    /// Gives up calls whose leaves do not come any more.
    pub(crate) fn leave_open_calls(&mut self) {
        let mut left: Vec<Open> = self.open.drain().flat_map(|(_, stack)| stack).collect();
        for open in &mut left {
            // Nobody saw how these calls ended.
            open.called = open.called.take().or(open.started.take().and_then(|it| self.wait_for(it, &open.place).ok()));
        }
        left.iter().filter_map(Open::called).for_each(|called| self.release_all(&called.given));
        for open in &left {
            if let Some(error) = &open.impossible {
                self.differ(&open.place, format!("the trace ends in this call, which cannot be made: {error}"));
            }
        }
    }

    /// Whether the frame that just ended is the last one to play.
    fn is_last_frame(&self) -> bool {
        let measured = self.options.measure.is_some_and(|measure| measure.quit)
            && self.stopwatch.as_ref().is_some_and(Stopwatch::is_done);
        let last = self.options.frames.map(|(_, last)| last);
        let last = [last, self.options.quit_after_frame].into_iter().flatten().min();
        let stopped = self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        measured || stopped || last.is_some_and(|last| self.frames() >= last)
    }

    /// Tells the stopwatch that frame `ended` is over, its work included where that is wanted.
    fn measure(&mut self, ended: u64, place: &Place) -> Result<(), Error> {
        let Some(watch) = &mut self.stopwatch else { return Ok(()) };
        if watch.is_edge(ended) {
            // What was begun outside of what is measured ends there, and the other way round.
            self.lists.before_all();
            self.world.finish_creations();
        }
        let flush = watch.is_edge(ended) && self.options.measure.is_some_and(|measure| measure.flush);
        if flush && !self.world.drain(self.options.fence_wait_timeout) {
            let what =
                "--flush-measurement-range: the queues do not finish here; raise --fence-timeout if the device is slow";
            return Err(Error::Call { place: place.clone(), what: what.into() });
        }
        watch.frame_ended(ended);
        Ok(())
    }

    /// Frames that are complete.
    pub(crate) fn frames(&self) -> u64 {
        self.report.frames.len() as u64
    }

    fn event(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> Result<(), Error> {
        if self.options.check && self.check_event(event, place, blobs) {
            return Ok(());
        }
        match event.kind {
            Kind::Enter => self.enter(event, place, blobs),
            Kind::Leave => self.leave(event, place),
            Kind::Memory => self.memory(event, place),
            Kind::Observe => {
                let value = event.payload.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                self.wait_for_seen(event.object, value, place)
            }
            Kind::Frame => self.end_frame(place),
            Kind::Fact => self.fact(event, place),
            Kind::Gap => {
                self.report.damaged += u64::from(event.is_damage());
                let text =
                    event.fact().map(|(_, text)| String::from_utf8_lossy(text).trim_end_matches('\0').to_owned());
                self.differ(place, format!("the trace has a gap here: {}", text.unwrap_or_default()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end_frame(&mut self, place: &Place) -> Result<(), Error> {
        let number = self.frames() + 1;
        let empty = crate::Frame { number, width: 0, height: 0, format: 0, hash: None };
        let frame = self.shown.take().unwrap_or(empty);
        self.report.frames.push(frame);
        self.after_frame();
        self.measure(number, place)?;
        let progress = Progress { frame: self.frames(), calls: self.report.calls };
        if let Some(tell) = &mut self.options.progress {
            tell(progress);
        }
        Ok(())
    }

    pub(crate) fn differ(&mut self, place: &Place, what: String) {
        self.add_difference(Difference { place: place.clone(), what, change: None, asked: String::new(), count: 1 });
    }

    pub(crate) fn skip(&mut self, reason: &str) {
        match self.report.skipped.get_mut(reason) {
            Some(count) => *count += 1,
            None => {
                self.report.skipped.insert(reason.to_owned(), 1);
            }
        }
    }

    pub(crate) fn enter(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> Result<(), Error> {
        self.report.calls += 1;
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let method = MODEL.methods.get(usize::from(event.method)).ok_or_else(|| self.not_understood(event, place))?;
        let mut decision =
            decision::decide(event.method).ok_or_else(|| fail("replay has no rule for this method".into()))?;
        if method.interface.is_some() {
            if event.object == 0 {
                return Err(fail("the call has no object".into()));
            }
            decision = self.decision_for(event.object, decision);
        }
        if self.hooked {
            self.before_call(place)?;
        }
        let mut open = Open {
            place: place.clone(),
            number: event.number,
            method: MethodId(event.method),
            object: event.object,
            enter: event.payload.to_vec(),
            decision,
            objects: self.world.objects.version(),
            called: None,
            started: None,
            closing: None,
            impossible: None,
        };
        match decision {
            _ if self.lists.are_on() && self.record_long(event, method, &mut open, blobs)? => {}
            Decision::Call if self.world.creations.takes(open.method) => {
                match self.start_creation(event, method, place, blobs) {
                    Ok(started) => open.started = started,
                    Err(error) => open.impossible = Some(error),
                }
            }
            Decision::Call if self.is_name_to_be(event) => {
                self.keep_name(event, place);
                open.decision = Decision::Skip("the name is given once its object is there");
            }
            Decision::Call if self.set_table_nowhere(event) => {}
            Decision::Call | Decision::Query => match self.call(event, method, place, blobs) {
                Ok(called) => {
                    self.note_signal(event, &called);
                    open.called = Some(called);
                    if self.options.sync {
                        self.keep_step(event, place)?;
                    }
                }
                Err(error) if method.order == Order::EnterLeave => open.impossible = Some(error),
                Err(error) => return Err(error),
            },
            Decision::Handle(handler) => match self.handle_enter(handler, event, method, place, blobs) {
                Ok(called) => open.called = called,
                Err(error) if handler == Handler::HostedHeap => open.impossible = Some(error),
                Err(error) => return Err(error),
            },
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
            return Ok(());
        }
        if let Some(called) = open.called {
            self.arenas.push(called.arena);
        }
        if self.hooked {
            self.after_call(event.object, place)?;
        }
        Ok(())
    }

    /// The error of a call that today's model does not have.
    pub(crate) fn not_understood(&self, event: &Event<'_>, place: &Place) -> Error {
        match &self.translation {
            Some(translation) => Error::NotUnderstood {
                call: place.call,
                frame: place.frame,
                why: translation.why(event.method, event.payload),
            },
            None => Error::Call {
                place: place.clone(),
                what: format!("the API model has no method {}: the trace is damaged", event.method),
            },
        }
    }

    /// Objects that only replay has take no calls but those with code of their own.
    fn decision_for(&self, object: u32, decision: Decision) -> Decision {
        match (self.world.objects.virtual_kind(object), decision) {
            (None, _) | (_, Decision::Handle(_) | Decision::Skip(_)) => decision,
            (Some(Virtual::LeftOut), _) => Decision::Skip("the object is one that replay leaves out"),
            (Some(_), _) => Decision::Skip("the object stays within replay"),
        }
    }

    pub(crate) fn leave(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let stack = self.open.entry(event.thread).or_default();
        // Calls above it have no leave: the program left them by an exception or a long jump.
        let at = stack.iter().rposition(|open| open.number == event.number);
        let mut open = match at.and_then(|at| stack.drain(at..).next()) {
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
        if let Some(error) = open.impossible {
            if succeeded(&outcome) {
                return Err(error);
            }
            self.skip("it failed at capture, and its arguments cannot be rebuilt");
            return Ok(());
        }
        if open.started.is_some() {
            let id = self.id_to_be(&open, &outcome);
            if id != 0 {
                drop(outcome);
                self.expect(id, open, event.payload.to_vec());
                return Ok(());
            }
        }
        if let Some(number) = open.closing {
            drop(outcome);
            self.expect_close(number, open, event.payload.to_vec());
            return Ok(());
        }
        if let Some(started) = open.started.take() {
            open.called = Some(self.wait_for(started, place)?);
        }
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
        self.note_recording(&open, &outcome);
        if let Some(called) = open.called {
            self.arenas.push(called.arena);
        }
        if self.hooked {
            self.after_call(open.object, &open.place)?;
        }
        Ok(())
    }

    fn memory(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let (offset, bytes) = event.memory().ok_or_else(|| fail("a memory record is cut short".into()))?;
        let observed = event.method == OBSERVED;
        if observed {
            self.compare_observed(event, (offset, bytes), place);
            if self.options.on_read.is_some() {
                let times = self.times_among(event, offset, bytes.len());
                if let Some(take) = &mut self.options.on_read
                    && let Some(hash) =
                        mapped::hash(&self.world, event.object, event.ordinal, offset, bytes.len(), &times)
                {
                    take(&Read { call: event.number, frame: place.frame, resource: event.object, offset, hash });
                }
            }
        }
        if !observed {
            self.remember((event.object, event.ordinal), offset, bytes.len());
        }
        let stored =
            !observed && mapped::store(&mut self.world, event.object, event.ordinal, offset, bytes).map_err(fail)?;
        if !stored {
            self.skip("memory that the GPU wrote is not written back (records, not calls)");
        }
        Ok(())
    }

    /// Which of these bytes are times of the GPU's clock, in a record of what the program saw.
    fn times_among(&mut self, event: &Event<'_>, offset: u64, len: usize) -> Vec<Range<u64>> {
        let bytes = offset..offset.saturating_add(len as u64);
        self.clocks.as_mut().map(|clocks| clocks.among(event, bytes)).unwrap_or_default()
    }

    /// Bytes that the GPU wrote at capture, as the program saw them, against those of the GPU here.
    fn compare_observed(&mut self, event: &Event<'_>, (offset, bytes): (u64, &[u8]), place: &Place) {
        let (id, subresource) = (event.object, event.ordinal);
        let look = |world: &World, part: &Range<u64>| {
            let (from, to) = ((part.start - offset) as usize, (part.end - offset) as usize);
            mapped::compare(world, id, subresource, part.start, &bytes[from..to])
        };
        let all = offset..offset + bytes.len() as u64;
        let mut comparison = look(&self.world, &all);
        let mut times = Vec::new();
        if matches!(comparison, Comparison::Differ(..)) {
            // Times are never those of the capture; what else differs may be work that is still under way here.
            times = self.times_among(event, offset, bytes.len());
            let look_at_rest = |world: &World| {
                clock::between(all.clone(), &times).fold(Comparison::Equal, |sum, part| sum.and(look(world, &part)))
            };
            comparison = look_at_rest(&self.world);
            if matches!(comparison, Comparison::Differ(..)) {
                self.world.drain(Duration::from_secs(1));
                comparison = look_at_rest(&self.world);
            }
        }
        if comparison != Comparison::Unseen {
            let time_bytes: u64 = times.iter().map(|part| part.end - part.start).sum();
            self.report.time_bytes += time_bytes;
            self.report.compared_bytes += bytes.len() as u64 - time_bytes;
        }
        if let Comparison::Differ(first, count) = comparison {
            self.report.different_bytes += count as u64;
            let what = format!(
                "{count} of {} bytes that the GPU wrote differ from what the program saw, the first at offset {first} of resource {id}",
                bytes.len()
            );
            self.differ(place, what);
        }
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
