//! The walk over the events of a trace: it decides the way of each call and record.
//!
//! A call is made where its enter stands in the order of the trace; its result is compared at its leave. Calls that could
//! block, and calls that depend on their recorded outcome, are made at their leave (`dispatch`). Invariant: one thread makes
//! all calls, in the order of the trace, except pipelines and command lists that are made ahead (`ahead`).

mod calls;
mod check;
mod dispatch;
mod hooks;
mod session;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use reprise_trace::fact;
use reprise_trace::read::{Event, Trace, Translate};
use reprise_trace::record::{FrameSource, Kind, OBSERVED};
use reprise_trace::wanted_frames::WantedFrames;

use crate::ahead;
use crate::ahead::pipelines::Pipelines;
use crate::arguments::{Arguments, object_in_words};
use crate::context::Context;
use crate::control::{Control, Painter};
use crate::debug::replace::Replacements;
use crate::error::{Error, Place};
use crate::handlers::device;
use crate::heaps;
use crate::identifiers::{self, Identifiers};
use crate::indirect::{self, Passes};
use crate::input::source::{Blobs, Source};
use crate::jobs::creations::Creations;
use crate::light::Plans;
use crate::lists::Lists;
use crate::lists::recorders::Recorders;
use crate::measure::Stopwatch;
use crate::memory::clock::{self, Clocks};
use crate::memory::guesses::Guesses;
use crate::memory::observed::Observed;
use crate::memory::untold::{self, Untold};
use crate::memory::{gpu_writes, mapped, placements, places};
use crate::options::{Options, Progress};
use crate::present::{Presentation, Surface, read_back};
use crate::repeat::plan::LoopPlan;
use crate::repeat::rounds::Rounds;
use crate::report::{Addresses, Frame, Report};
use crate::runtime::machine::Machine;
use crate::stead::Missing;
use crate::structures::{self, Structures};
use crate::sync::Signals;
use crate::sync::held_up::HeldUp;
use crate::world::World;
use calls::UnfinishedCall;
use check::Check;
use hooks::Hooks;

/// A replay under way: the loop, and the parts that it hands calls to.
pub(crate) struct Engine<'a, 'o> {
    /// Calls of the short way.
    plans: Plans,
    /// Arguments of the long way.
    arguments: Arguments,
    /// Calls that are open, by thread, innermost last.
    open: HashMap<u32, Vec<UnfinishedCall>>,
    /// Creations that other threads make.
    pipelines: Pipelines,
    signals: Signals,
    held_up: HeldUp,
    presentation: Presentation,
    /// Its frames are those of the capture.
    has_own_frames: bool,
    observed: Observed<'a>,
    untold: Untold,
    /// What the program stored and may be addresses, where the user asked for guesses.
    guesses: Option<Guesses>,
    rounds: Option<Rounds>,
    hooks: Hooks<'a>,
    check: Check,
    stopwatch: Option<Stopwatch>,
    /// Says why a call of another model is not understood.
    translation: Option<Arc<dyn Translate>>,
    pub(crate) context: Context<'a, 'o>,
}

/// How far the replay is is told after each frame, and about once in so many calls.
const PROGRESS_CALLS: u64 = 1024;

/// Why bytes of readback memory stay as they are.
const MEMORY_OF_GPU: &str = "memory that the GPU wrote is not written back (records, not calls)";

/// The walk does not keep more threads at work.
const MOST_RECORDERS: usize = 8;

impl<'a, 'o> Engine<'a, 'o> {
    pub(crate) fn new(world: World, options: &'a mut Options<'o>) -> Self {
        let mut context = Context::new(world, options);
        let options = &context.options;
        // Where something is done around each call, each is made where it stands.
        let alone = options.one_by_one().is_some();
        let plans = Plans::new(&context.codec, alone);
        let recorders = if alone { 0 } else { options.recorders.min(MOST_RECORDERS) };
        if recorders > 0 {
            let runtime = &context.world.runtime;
            let recorders = Recorders::new(recorders, runtime.clone(), plans.directs());
            context.lists = Lists::new(recorders, options.recorded_from, runtime.records_in_order());
        }
        context.world.creations = Creations::new(if alone { 1 } else { options.threads });
        Self {
            plans,
            arguments: Arguments::default(),
            open: HashMap::new(),
            pipelines: Pipelines::default(),
            signals: Signals::default(),
            held_up: HeldUp::default(),
            guesses: None,
            presentation: Presentation::default(),
            has_own_frames: true,
            observed: Observed::default(),
            untold: Untold::default(),
            rounds: None,
            hooks: Hooks::new(options),
            check: Check::default(),
            stopwatch: options.measure.map(|measure| Stopwatch::new(measure.range)),
            translation: None,
            context,
        }
    }

    /// Looks through a trace for all that has to be known before it plays. Gives the plan of frames to be repeated.
    ///
    /// # Errors
    /// What is asked for cannot be done with this trace.
    pub(crate) fn prepare(&mut self, trace: &'a Trace) -> Result<Option<LoopPlan>, Error> {
        let schema = trace.schema();
        if indirect::are_in(schema) {
            self.context.world.indirect.follow();
        }
        self.context.report.recorded_on = Machine::recorded(trace.meta());
        match trace.chosen_ends() {
            // Frames that were wanted at capture have other numbers.
            Some(ends) => self.presentation.only = Some(ends.surface).filter(|it| *it != 0).map(Surface::Object),
            None => self.presentation.wanted = WantedFrames::of(trace.meta()),
        }
        self.has_own_frames = trace.chosen_ends().is_none();
        let first = trace.meta().get("flight_recorder").and_then(|recorder| recorder["first_frame"].as_u64());
        self.presentation.first = first.unwrap_or(1);
        self.translation = trace.translation().cloned();
        if let Some(wanted) = self.context.world.runtime.heaps().filter(|heaps| (heaps.matter)()) {
            let stop = self.context.end();
            (wanted.expect)(heaps::most_views(&mut trace.events().without_pages(), stop));
        }
        let options = &self.context.options;
        let keeps = places::are_in(trace.meta()) && options.recorded_addresses && !options.create_dummy_allocations;
        if placements::are_in(schema) || keeps {
            let mut found = places::Finder::new(keeps);
            self.arguments.replan.find_placements(&self.context, &mut trace.events().without_pages(), &mut found);
            self.arguments.places = found.finish();
            self.context.report.addresses = keeps.then(Addresses::default);
        }
        if indirect::passes_are_in(schema) {
            let stop = self.context.end();
            self.context.world.passes = Passes::find(&mut trace.events().without_pages(), stop);
        }
        if self.context.options.patch_guess {
            self.guesses = Some(Guesses::find(&mut trace.events(), self.context.end()));
        }
        if structures::are_in(schema) {
            self.plan_structures(&mut trace.events().without_pages());
        }
        if identifiers::are_in(schema) {
            let stop = self.context.end();
            self.context.world.identifiers = Identifiers::find(&mut trace.events().without_pages(), trace, stop);
        }
        if self.context.options.read_steps > 0 || clock::are_in(schema, trace.meta()) {
            self.follow_clocks(Clocks::over(trace.events().without_pages()));
        }
        if read_back::are_in(schema) {
            self.presentation.read_backs.follow();
        }
        if gpu_writes::are_in(schema) {
            self.follow_writes();
            if !untold::are_none(trace.meta()) {
                self.plan_untold(|whole| {
                    let events = trace.events();
                    Box::new(if whole { events } else { events.without_pages() })
                });
            }
        }
        self.plan_hooks(&mut trace.events(), trace)?;
        self.hooks.lead(&self.context, trace);
        self.plan_rounds(&mut trace.events())
    }

    /// Looks ahead for everything that builds acceleration structures, up to where the replay ends.
    fn plan_structures(&mut self, source: &mut dyn Source) {
        let plan = structures::Plan::of(source, self.context.world.runtime.wide(), self.context.end());
        self.context.world.structures = Structures::new(plan, self.context.report.recorded_on.clone());
    }

    /// Knows from here on which bytes are times of the GPU's clock.
    pub(crate) fn follow_clocks(&mut self, clocks: Clocks<'a>) {
        self.observed.clocks = Some(clocks);
    }

    /// Knows from here on which bytes submitted work could have written.
    pub(crate) fn follow_writes(&mut self) {
        self.observed.gpu.follow();
    }

    /// Looks for bytes of the GPU's among the program's stores. Damage ends the search as it ends the replay, which says so.
    pub(crate) fn plan_untold<'t>(&mut self, sources: impl FnMut(bool) -> Box<dyn Source + 't>) {
        self.untold = Untold::find(sources, self.context.end()).unwrap_or_default();
    }

    /// Looks for what happens around calls: replaced shaders and dumps.
    ///
    /// # Errors
    /// The folder of shaders or the trace cannot be read.
    pub(crate) fn plan_hooks(&mut self, source: &mut dyn Source, blobs: &dyn Blobs) -> Result<(), Error> {
        if let Some(folder) = &self.context.options.replace_shaders {
            self.arguments.replacements = Some(Replacements::load(folder)?);
        }
        self.arguments.painter = (self.context.options.control == Some(Control::Painted)).then(Painter::default);
        self.hooks.plan_diagnosis(&mut self.context);
        self.hooks.plan_executables(&mut self.context);
        self.hooks.plan_dumps(&self.context, source, blobs)?;
        self.hooks.open_passes(&mut self.context);
        Ok(())
    }

    /// Looks whether frames can be repeated, where that is asked for.
    ///
    /// # Errors
    /// They cannot be repeated.
    pub(crate) fn plan_rounds(&mut self, source: &mut dyn Source) -> Result<Option<LoopPlan>, Error> {
        let (rounds, plan) = Rounds::prepare(&self.context, source)?.unzip();
        self.rounds = rounds;
        Ok(plan)
    }

    /// Plays all events, or those up to the last frame asked for.
    ///
    /// # Errors
    /// A call cannot be honoured, or the trace is damaged.
    pub(crate) fn run(mut self, source: &mut impl Source, blobs: &dyn Blobs) -> Result<Report, Error> {
        let start = Instant::now();
        if let Some(observer) = &mut self.context.options.observer {
            observer.begin();
        }
        let mut last = Place::default();
        let played = self.play(source, blobs, &mut last);
        if self.context.options.on_diagnosis.is_some() {
            let timeout = self.context.options.fence_wait_timeout;
            let reason = match &played {
                Ok(()) if self.context.world.drain(timeout) => "the trace is played to its end".into(),
                Ok(()) => "the trace is played to its end, and the queues do not finish".into(),
                Err(error) => error.to_string(),
            };
            self.hooks.diagnose(&mut self.context, &last, &reason);
        }
        if played.is_err()
            && let Some(observer) = &mut self.context.options.observer
        {
            observer.end();
        }
        played?;
        if let Some(mut snapshot) = self.context.options.snapshot.take() {
            self.context.lists.before_all();
            let clocks = self.observed.clocks.take();
            let taken = self.hooks.give_snapshot(&mut self.context, &mut snapshot, clocks);
            taken.map_err(|what| last.fail(format!("contents cannot be taken where the replay ends: {what}")))?;
        }
        self.finish(start, &last)
    }

    /// Plays events until there is no more to play; `last` is the place that it came to.
    fn play(&mut self, source: &mut impl Source, blobs: &dyn Blobs, last: &mut Place) -> Result<(), Error> {
        let last_call = self.context.options.quit_after_call.unwrap_or(u64::MAX);
        self.measure(0, last)?;
        loop {
            self.make_light(source, last_call);
            let event = match source.next() {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(reason) => return Err(last.fail(format!("the trace ends in damage: {reason}"))),
            };
            let place = Place::of(&event);
            self.observed.gpu.event(&event);
            self.presentation.read_backs.event(&event);
            if event.kind == Kind::Enter {
                if event.number > last_call {
                    break;
                }
                // Of a source that does not give calls as such.
                let call = event.call();
                if ahead::lists::record_light(&mut self.context, &mut self.plans, &call)
                    || self.plans.make(&mut self.context, &call)
                {
                    *last = place;
                    continue;
                }
            }
            if let Some(rounds) = &mut self.rounds {
                rounds.begin(&mut self.context, &self.presentation.chains, &event, &place)?;
            }
            let done = self.event(&event, &place, blobs);
            last.clone_from(&place);
            self.settle(done, false, blobs)?;
            self.end_round(&event, &place)?;
            if event.number.is_multiple_of(PROGRESS_CALLS) {
                self.tell_progress(false);
            }
            let is_over = match event.kind {
                Kind::Frame => self.is_last_frame(),
                // It may say that frames were left out, the last one to play among them.
                Kind::Fact => self.are_frames_played(),
                _ => false,
            };
            if self.hooks.are_over() || is_over {
                break;
            }
        }
        self.context.world.finish_creations();
        self.settle(Ok(()), true, blobs)?;
        self.leave_open_calls();
        Ok(())
    }

    /// Makes the calls that come next, up to this one, as long as they can go the short way. Nothing that the loop over the
    /// events asks after each can come of such a call.
    fn make_light(&mut self, source: &mut impl Source, last: u64) {
        if self.plans.are_none() {
            return;
        }
        let Self { context, plans, observed, presentation, .. } = self;
        let (begin, before) = (context.lists.begin_calls(), context.report.replayed);
        while let Some(call) = source.call() {
            let followed = observed.gpu.wants(call.method) || presentation.read_backs.wants(call.method);
            let unseen = call.number > last || followed;
            if unseen || !(ahead::lists::record_light(context, plans, &call) || plans.make(context, &call)) {
                source.give_back();
                break;
            }
        }
        context.lists.end_calls(begin, context.report.replayed - before);
    }

    /// Compares what other threads have made by now; with `all`, what they have been handed. Gives the error that stands first
    /// in the trace: what went wrong with a pipeline that a call uses, or with a list before it, went wrong before the call.
    fn settle(&mut self, done: Result<(), Error>, all: bool, blobs: &dyn Blobs) -> Result<(), Error> {
        let made = self.pipelines.settle(&mut self.context, &mut self.arguments, blobs);
        let closed = self.context.settle_lists(all || done.is_err() || made.is_err());
        first(made, closed)?;
        done
    }

    fn finish(mut self, start: Instant, last: &Place) -> Result<Report, Error> {
        self.context.report.moved_structures = self.context.world.structures.moved;
        self.context.report.uncompared = self.observed.gpu.uncompared();
        self.count_tables();
        let context = &mut self.context;
        if let Some(rounds) = self.rounds.take() {
            rounds.finish(context);
        }
        context.report.replaced = self.arguments.replacements.take().map(Replacements::finish);
        self.hooks.finish(context);
        context.report.unfinished = self.presentation.take_unfinished(context);
        context.report.measured = self.stopwatch.take().and_then(Stopwatch::finish);
        context.report.skipped = context.skips.by_reason();
        self.signals.finish_queues(context, &mut self.held_up, last)?;
        context.report.timings.total += start.elapsed();
        Ok(core::mem::take(&mut context.report))
    }

    /// Asks the GPU how many tables of indirect dispatches it has moved, and whether all had room.
    fn count_tables(&mut self) {
        let Context { world, options, .. } = &mut self.context;
        if !world.indirect.has_totals() {
            return;
        }
        let timeout = options.fence_wait_timeout;
        let totals = match world.drain(timeout) {
            true => world.indirect.totals(&world.runtime, timeout),
            false => Err("the queues do not finish".to_owned()),
        };
        let place = Place::default();
        match totals {
            Ok(totals) => {
                self.context.report.moved_tables += totals.tables;
                if totals.too_large > 0 {
                    let what = "shader tables of indirect dispatches of rays were too large to be moved, and were used as they are";
                    self.context.differ(&place, format!("{} {what}", totals.too_large));
                }
            }
            Err(what) => {
                let what =
                    format!("whether all shader tables of indirect dispatches of rays were moved is not known: {what}");
                self.context.differ(&place, what);
            }
        }
    }

    /// An event was played: a round may end with it.
    fn end_round(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        if self.rounds.as_ref().is_none_or(|rounds| !rounds.end_with(event)) {
            return Ok(());
        }
        if let Some(rounds) = &mut self.rounds {
            rounds.end(&mut self.context, place)?;
        }
        // Calls that go on beyond the frames begin again, too.
        self.leave_open_calls();
        if let Some(rounds) = &mut self.rounds {
            rounds.rewind(&mut self.context, &mut self.presentation.chains, place)?;
            self.hooks.end_round(&mut self.context);
        }
        Ok(())
    }

    /// Whether the frame that just ended is the last one to play.
    fn is_last_frame(&self) -> bool {
        let options = &self.context.options;
        let measured = options.measure.is_some_and(|measure| measure.quit)
            && self.stopwatch.as_ref().is_some_and(Stopwatch::is_done);
        let stopped = options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        measured || stopped || self.are_frames_played()
    }

    /// Whether all frames that are asked for have ended.
    fn are_frames_played(&self) -> bool {
        let options = &self.context.options;
        let last = options.frames.map(|(_, last)| last);
        let last = [last, options.quit_after_frame].into_iter().flatten().min();
        last.is_some_and(|last| self.context.frames() >= last)
    }

    /// Tells the stopwatch that frame `ended` is over, its work included where that is wanted.
    fn measure(&mut self, ended: u64, place: &Place) -> Result<(), Error> {
        let Some(watch) = &mut self.stopwatch else { return Ok(()) };
        let Context { lists, world, options, .. } = &mut self.context;
        if watch.is_edge(ended) {
            // Work of other threads ends on the side of the edge where it began.
            lists.before_all();
            world.finish_creations();
        }
        let flush = watch.is_edge(ended) && options.measure.is_some_and(|measure| measure.flush);
        if flush && !world.drain(options.fence_wait_timeout) {
            return Err(place.fail(
                "--flush-measurement-range: the queues do not finish here; raise --fence-timeout if the device is slow",
            ));
        }
        watch.frame_ended(ended);
        Ok(())
    }

    fn event(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> Result<(), Error> {
        if self.context.options.check && self.check_event(event, place, blobs) {
            return Ok(());
        }
        match event.kind {
            Kind::Enter => self.enter(event, place, blobs),
            Kind::Leave => {
                self.leave(event, place, blobs)?;
                self.presentation.look(&mut self.context);
                Ok(())
            }
            Kind::Memory => self.memory(event, place),
            Kind::Pages => self.pages(event, place),
            Kind::Observe => {
                let value = event.payload.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                self.signals.wait_for_seen(&mut self.context, event.object, value, place)
            }
            Kind::Frame => self.end_frame(event, place),
            Kind::Fact => self.fact(event, place),
            Kind::Gap => {
                self.context.report.damaged += u64::from(event.is_damage());
                let text =
                    event.fact().map(|(_, text)| String::from_utf8_lossy(text).trim_end_matches('\0').to_owned());
                self.context.differ(place, format!("the trace has a gap here: {}", text.unwrap_or_default()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn end_frame(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let context = &mut self.context;
        if event.payload.first_chunk() == Some(&(FrameSource::Present as u32).to_le_bytes()) {
            self.presentation.show_read_back(context, event.thread, place)?;
        }
        let number = context.frames() + 1;
        let empty = Frame { number, width: 0, height: 0, format: 0, hash: None };
        let frame = self.presentation.take_shown().unwrap_or(empty);
        context.report.frames.push(frame);
        self.hooks.after_frame(context);
        self.measure(number, place)?;
        self.tell_progress(true);
        Ok(())
    }

    fn tell_progress(&mut self, ended: bool) {
        let context = &mut self.context;
        let progress = Progress { frame: context.frames(), calls: context.report.calls, ended };
        if let Some(tell) = &mut context.options.progress {
            tell(progress);
        }
    }

    fn memory(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let context = &mut self.context;
        let (offset, bytes) = event.memory().ok_or_else(|| place.fail("a memory record is cut short"))?;
        if let Some(what) = object_in_words(&context.world, event.object) {
            return context.leave_out(Error::LeftOut { place: place.clone(), missing: Missing::Object, what });
        }
        let observed = event.method == OBSERVED;
        if observed && context.options.compare_reads {
            self.observed.compare(context, event, (offset, bytes), place);
        } else if let Some(rounds) = self.rounds.as_mut().filter(|_| !observed) {
            rounds.remember(context, (event.object, event.ordinal), offset, bytes.len());
        }
        if observed || !self.store(event, &[(offset, bytes)], place)? {
            self.context.skip(place, MEMORY_OF_GPU);
        } else if let Some(guesses) = &mut self.guesses {
            guesses.look(&mut self.context, event, (offset, bytes), place)?;
        }
        Ok(())
    }

    /// Stores what the program stored, piece by piece. Guesses look at whole memory: a replay with them asks for no pieces.
    fn pages(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let (offset, len) = event.memory_range().ok_or_else(|| place.fail("a record of memory is cut short"))?;
        let context = &mut self.context;
        if let Some(what) = object_in_words(&context.world, event.object) {
            return context.leave_out(Error::LeftOut { place: place.clone(), missing: Missing::Object, what });
        }
        if let Some(rounds) = &mut self.rounds {
            rounds.remember(&self.context, (event.object, event.ordinal), offset, len as usize);
        }
        let pieces: Vec<(u64, &[u8])> = event.pieces().collect();
        if !self.store(event, &pieces, place)? {
            self.context.skip(place, MEMORY_OF_GPU);
        }
        Ok(())
    }

    /// Stores the pieces of a record, but for bytes that the GPU wrote. `Ok(false)`: they all are the GPU's own.
    fn store(&mut self, event: &Event<'_>, pieces: &[(u64, &[u8])], place: &Place) -> Result<bool, Error> {
        let Some((first, _)) = pieces.first() else { return Ok(true) };
        let Self { context, untold, observed, .. } = self;
        let (mut all, mut left_out) = (true, 0);
        let mut store = |offset: u64, bytes: &[u8]| {
            let stored = mapped::store(&mut context.world, event.object, event.ordinal, offset, bytes);
            all &= stored.map_err(|what| place.fail(what))?;
            observed.gpu.stored(event.object, &(offset..offset.saturating_add(bytes.len() as u64)));
            Ok(())
        };
        for (offset, bytes) in pieces {
            let whole = *offset..offset.saturating_add(bytes.len() as u64);
            let Some((parts, left)) = untold.stored(event, *first, whole) else {
                store(*offset, bytes)?;
                continue;
            };
            left_out += left;
            for part in parts {
                store(part.start, &bytes[(part.start - offset) as usize..(part.end - offset) as usize])?;
            }
        }
        context.report.untold_bytes += left_out;
        Ok(all)
    }

    fn fact(&mut self, event: &Event<'_>, place: &Place) -> Result<(), Error> {
        let Some((kind, bytes)) = event.fact() else { return Ok(()) };
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes);
        let half = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes);
        let world = &mut self.context.world;
        match kind {
            // Somebody chose otherwise for this replay.
            fact::FRAME_SURFACE if !self.has_own_frames => {}
            fact::FRAME_SURFACE => {
                let object = Some(event.object).filter(|object| *object != 0);
                self.presentation.only = Some(object.map_or(Surface::Vulkan(word(0)), Surface::Object));
            }
            fact::LEFT_OUT => self.context.report.left_out += u64::from(half(8)),
            fact::BACK_BUFFER => {
                let told = [0, 4, 8, 12, 16].map(half);
                let made = self.presentation.chains.dxgi.describe(world, event.object, told);
                made.map_err(|what| place.fail(what))?;
            }
            fact::ADDRESS_RANGE => {
                world.set_recorded_address(event.object, word(0), Some(word(8)));
                if let Some(addresses) = &mut self.context.report.addresses
                    && let Ok(here) = world.base_address(event.object)
                {
                    addresses.count_buffer(here == word(0));
                }
            }
            fact::DESCRIPTOR_HEAP => {
                // A fact that is wrong shows at the call that relies on it.
                let _ = world.pair_heap_start(event.object, false, word(0));
                let _ = world.pair_heap_start(event.object, true, word(8));
                device::pair_increment(&mut self.context, event.object, word(16) as u32, place)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Of two errors, the one that stands first in the trace.
fn first(one: Result<(), Error>, other: Result<(), Error>) -> Result<(), Error> {
    match (one, other) {
        (Err(one), Err(other)) if other.call() < one.call() => Err(other),
        (Err(one), _) => Err(one),
        (Ok(()), other) => other,
    }
}
