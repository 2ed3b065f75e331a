//! Handing calls of lists to `lists`, and comparing what their `Close` gave with what the capture had.
//!
//! Invariant: what goes wrong with a list, and what differs, is said as if each call had been made where it stands: before
//! whatever comes later in the trace, under the number of its own call.

use reprise_codec::light::MOST_WORDS;
use reprise_codec::outputs::Before;
use reprise_d3d12::method;
use reprise_d3d12::model::{Method, MethodId};
use reprise_trace::read::{Call, Event};

use crate::arguments::lookup::Lookup;
use crate::call::Called;
use crate::call::decision::{Decision, Handler};
use crate::input::source::Blobs;
use crate::input::values;
use crate::lists::Kind;
use crate::results::succeeded;
use crate::walk::{Engine, Open};
use crate::world::Made;
use crate::{Difference, Error, Place};

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");

/// `Close` calls that wait for their results, at most.
const MOST: usize = 256;

/// `Close` calls that are over in the trace.
#[derive(Default)]
pub(crate) struct Closings {
    waiting: Vec<Closing>,
    /// What they gave, by number, where it is known before it is asked for.
    results: Vec<(u64, u64)>,
    /// They are being compared.
    under_way: bool,
    /// The first that went wrong, where it was found in the middle of another call.
    failed: Option<Error>,
}

struct Closing {
    number: u64,
    open: Open,
    leave: Vec<u8>,
}

impl Engine<'_, '_> {
    /// Puts a call of a list into its batch, if that takes no more than the short way. If not, and the walk makes the call
    /// the short way, nothing has to be waited for any more.
    #[inline]
    pub(crate) fn recorded_ahead(&mut self, call: &Call<'_>) -> bool {
        self.lists.are_on() && self.recorded_light(call)
    }

    fn recorded_light(&mut self, call: &Call<'_>) -> bool {
        let reading = match self.lists.kind(call.method) {
            Kind::Call(reading) => reading,
            Kind::Bundle | Kind::All => {
                self.lists.before_all();
                return false;
            }
            _ => return false,
        };
        let Some(lane) = self.lists.lane(call.object) else {
            self.lists.before_call(call.object);
            return false;
        };
        let Some(plan) = self.plans.get(call.method) else { return false };
        let Some(this) = plan.this(&mut self.world, call.object) else { return false };
        let batch = self.lists.batch(lane);
        let mark = batch.arena.mark();
        let mut words = [0; MOST_WORDS];
        let Ok(words) = plan.rebuild(call, &mut self.world, &mut batch.arena, true, &mut words) else {
            batch.arena.rewind(mark);
            return false;
        };
        batch.push(MethodId(call.method), this, words, call.payload.len());
        self.world.indirect.note(&self.world.runtime, call, words);
        self.lists.put(lane, reading, words);
        self.report.calls += 1;
        self.report.replayed += 1;
        true
    }

    /// On the long way: whether a call goes into a batch. If not, all that it could disturb is waited for.
    pub(crate) fn record_long(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        open: &mut Open,
        blobs: &dyn Blobs,
    ) -> Result<bool, Error> {
        let made = match open.decision {
            Decision::Call => true,
            // It waits where it is found out what it does.
            Decision::Handle(Handler::ExecuteIndirect) => return Ok(false),
            Decision::Query => false,
            // Nothing is called, or it waits itself.
            Decision::Handle(_) | Decision::Skip(_) | Decision::Refuse(_) => return Ok(false),
        };
        match self.lists.kind(event.method) {
            Kind::Call(_) if made => return self.record_whole(event, method, &open.place, blobs),
            Kind::Close if made => {
                if let Some(lane) = self.lists.lane(event.object)
                    && let Some(interface) = method.interface
                    && let Ok(this) = self.world.pointer(event.object, interface)
                {
                    open.closing = Some(self.lists.put_close(lane, this));
                    self.report.replayed += 1;
                    return Ok(true);
                }
                self.lists.before_call(event.object);
            }
            Kind::Call(_) | Kind::Close => self.lists.before_call(event.object),
            Kind::Bundle | Kind::All | Kind::Write(_) => self.lists.before_all(),
            Kind::Other => self.lists.before_use(event.object),
        }
        Ok(false)
    }

    /// Puts a call of a list into its batch, whatever it is passed; `false` where it is to be made here and now.
    pub(crate) fn record_whole(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<bool, Error> {
        let fail = |what: String| Error::Call { place: place.clone(), what };
        let (Kind::Call(reading), Some(lane)) = (self.lists.kind(event.method), self.lists.lane(event.object)) else {
            self.lists.before_call(event.object);
            return Ok(false);
        };
        let Some(interface) = method.interface else { return Ok(false) };
        let this = self.world.pointer(event.object, interface).map_err(fail)?;
        let id = MethodId(event.method);
        let batch = self.lists.batch(lane);
        let mark = batch.arena.mark();
        let mut lookup = Lookup::new(&mut self.world, blobs, event);
        let Ok(rebuilt) = self.codec.rebuild(id, event.payload, &mut lookup, &mut batch.arena) else {
            // The walk knows tables in no heap, and has the words for everything else.
            batch.arena.rewind(mark);
            self.lists.before_call(event.object);
            return Ok(false);
        };
        let bytes = event.payload.len().max(event.blobs.len() * BLOB);
        batch.push(id, this, &rebuilt.words, bytes);
        self.world.indirect.note(&self.world.runtime, &event.call(), &rebuilt.words);
        self.lists.put(lane, reading, &rebuilt.words);
        self.report.replayed += 1;
        Ok(true)
    }
}

/// What a blob among the arguments is taken to hold.
const BLOB: usize = 16 << 10;

impl Engine<'_, '_> {
    /// A `Close` is over in the trace; its result is waited for where something needs the list.
    pub(crate) fn expect_close(&mut self, number: u64, open: Open, leave: Vec<u8>) {
        self.closings.waiting.push(Closing { number, open, leave });
        if self.closings.waiting.len() > MOST {
            self.lists.before_all();
        }
    }

    /// A list was reset, or it was not: whether it is known what it records into.
    pub(crate) fn note_recording(&mut self, open: &Open, outcome: &reprise_codec::decode::Outcome<'_>) {
        if open.method != RESET || !self.lists.are_on() {
            return;
        }
        let allocator = values::argument(RESET.get(), &open.enter, "pAllocator").unwrap_or(0) as u32;
        let here = open.called().is_some_and(|called| called.result as i32 >= 0);
        if allocator != 0 && here && succeeded(outcome) {
            self.lists.begin(open.object, allocator);
        } else {
            self.lists.forget(open.object);
        }
    }

    /// Compares what `Close` calls gave that are made; with `all`, of all lists.
    ///
    /// # Errors
    /// The first one in the trace that cannot be honoured.
    #[inline]
    pub(crate) fn settle_lists(&mut self, all: bool) -> Result<(), Error> {
        if all || self.lists.have_closed() || self.closings.failed.is_some() {
            self.settle_closings(all);
            self.closings.failed.take().map_or(Ok(()), Err)
        } else {
            Ok(())
        }
    }

    /// Adds a difference to the report, behind those of calls that stand before it.
    pub(crate) fn add_difference(&mut self, difference: Difference) {
        if !self.closings.waiting.is_empty() {
            self.settle_closings(true);
        }
        self.report.add(difference);
    }

    fn settle_closings(&mut self, all: bool) {
        if self.closings.under_way {
            return;
        }
        if all {
            self.lists.before_all();
        }
        self.closings.results.extend(self.lists.take_closed());
        // Nearly always each gave what it gave at capture.
        let results = &mut self.closings.results;
        let codec = &self.codec;
        let mut differ = false;
        self.closings.waiting.retain(|closing| {
            let Some(at) = results.iter().position(|(number, _)| *number == closing.number) else { return true };
            let (open, result) = (&closing.open, results[at].1 as u32);
            let outcome = codec.decode_leave(open.method, &open.enter, &closing.leave);
            let same =
                outcome.is_ok_and(|it| matches!(it.result, reprise_codec::Value::Hresult(code) if code == result));
            differ |= !same;
            if same {
                results.swap_remove(at);
            }
            !same
        });
        if differ || all {
            self.settle_in_order();
        }
    }

    /// Compares all of them, in the order of the trace.
    #[cold]
    fn settle_in_order(&mut self) {
        self.closings.under_way = true;
        self.lists.before_all();
        self.closings.results.extend(self.lists.take_closed());
        for closing in core::mem::take(&mut self.closings.waiting) {
            let settled = self.settle_closing(closing);
            if let Err(error) = settled
                && self.closings.failed.is_none()
            {
                self.closings.failed = Some(error);
            }
        }
        self.closings.under_way = false;
    }

    fn settle_closing(&mut self, Closing { number, mut open, leave }: Closing) -> Result<(), Error> {
        let fail = |what: String| Error::Call { place: open.place.clone(), what };
        let at = self.closings.results.iter().position(|(other, _)| *other == number);
        let at = at.ok_or_else(|| fail("the thread that recorded this list died in it".into()))?;
        let (_, result) = self.closings.results.swap_remove(at);
        let outcome = self.codec.decode_leave(open.method, &open.enter, &leave);
        let outcome = outcome.map_err(|error| fail(error.to_string()))?;
        let (words, given, arena) = (Vec::new(), Vec::new(), self.arenas.pop().unwrap_or_default());
        open.called =
            Some(Called { words, result, before: Before::default(), given, made: Made::Other, cached: None, arena });
        self.settle(&open, &outcome, false)
    }
}

/// The error that stands first in the trace, of what went wrong at the same time.
pub(crate) fn first(one: Result<(), Error>, other: Result<(), Error>) -> Result<(), Error> {
    match (one, other) {
        (Err(one), Err(other)) if other.call() < one.call() => Err(other),
        (Err(one), _) => Err(one),
        (Ok(()), other) => other,
    }
}
