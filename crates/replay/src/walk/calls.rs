//! The long way of a call: made or handed on at its enter, compared at its leave.

use reprise_codec::Codec;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{MethodId, Order};
use reprise_d3d12::{MODEL, method};
use reprise_trace::read::Event;

use super::Engine;
use crate::ahead::lists::{self as lists_ahead, Recorded};
use crate::ahead::pipelines;
use crate::arguments::missing_object;
use crate::call::decision::{self, Decision, Handler};
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::control;
use crate::error::{Error, Place};
use crate::handlers::dangling_table;
use crate::input::outcome::succeeded;
use crate::input::source::Blobs;
use crate::input::values::{at, guid};
use crate::jobs::creations::StartedCreation;
use crate::lists::batch::CLOSE;
use crate::resolve::objects::Virtual;
use crate::results::{self, concession};
use crate::stale::pipelines::Part;
use crate::stead::Missing;
use crate::sync::lockstep;

/// Calls open at once on one thread: callbacks nest, but not without end.
const DEEPEST: usize = 64;

const NO_PIPELINE: &str = "the list's pipeline state is not here";

const QUERY: MethodId = method("IUnknown", "QueryInterface");

/// Why a `QueryInterface` is not made: it asks for what only presents, or for a tool. A runtime without such interfaces plays the trace
/// as well.
fn asks_for_the_captured(codec: &Codec, call: &OpenCall) -> Option<Decision> {
    let asked = call.arguments(codec).ok();
    let iid = asked.and_then(|arguments| at(&arguments.members, "riid").and_then(guid));
    let name = iid.as_ref().and_then(by_iid)?.get().name;
    if name.starts_with("IDXGIVk") || name.starts_with("IWineDXGI") {
        return Some(Decision::Skip("interfaces of presentation stay with the captured program"));
    }
    decision::of_tool(name)
}

/// A call that waits for its leave.
pub(super) struct UnfinishedCall {
    call: OpenCall,
    /// Where another thread makes it.
    started: Option<StartedCreation>,
    /// Where its result will be once its list is recorded.
    closing: Option<u64>,
    /// Why it could not be made: a call that failed at capture need not be.
    impossible: Option<Error>,
}

impl Engine<'_, '_> {
    /// The error of a call that today's model does not have.
    pub(super) fn not_understood(&self, event: &Event<'_>, place: &Place) -> Error {
        match &self.translation {
            Some(translation) => Error::NotUnderstood {
                call: place.call,
                frame: place.frame,
                why: translation.why(event.method, event.payload),
            },
            None => place.fail(format!("the API model has no method {}: the trace is damaged", event.method)),
        }
    }

    /// At the enter of a call.
    ///
    /// # Errors
    /// The call cannot be honoured, and no leave can say that it failed at capture.
    pub(super) fn enter(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> Result<(), Error> {
        self.context.report.calls += 1;
        let method = MODEL.methods.get(usize::from(event.method)).ok_or_else(|| self.not_understood(event, place))?;
        let mut decision =
            decision::decide(event.method).ok_or_else(|| place.fail("replay has no rule for this method"))?;
        if method.interface.is_some() {
            if event.object == 0 {
                return Err(place.fail("the call has no object"));
            }
            decision = self.decision_for(event.object, decision);
        }
        if self.context.options.control.is_some_and(|control| control.leaves_out(method)) {
            decision = Decision::Skip(control::LEFT_OUT);
        }
        if self.hooks.are_wanted() {
            self.hooks.before_call(&mut self.context, (event.thread, event.object), place);
            if let Some(reason) = self.hooks.leaves_out(place.call) {
                decision = Decision::Skip(reason);
            }
        }
        let mut call = OpenCall {
            place: place.clone(),
            number: event.number,
            method: MethodId(event.method),
            object: event.object,
            enter: event.payload.to_vec(),
            decision,
            objects: self.context.world.objects.version(),
            called: None,
        };
        if call.method == QUERY
            && let Some(decision) = asks_for_the_captured(&self.context.codec, &call)
        {
            call.decision = decision;
        }
        let mut unfinished = UnfinishedCall { call, started: None, closing: None, impossible: None };
        let enter = Enter { event, method, place, blobs };
        self.hooks.before_enter(&mut self.context, enter);
        if let Some(painter) = &mut self.arguments.painter {
            painter.before(&mut self.context.world, enter);
        }
        self.begin(&mut unfinished, enter)?;
        if let Some(painter) = &mut self.arguments.painter {
            painter.after(&mut self.context.world, enter);
        }
        self.hooks.made(&mut self.context, &unfinished.call);
        self.hooks.after_enter(&mut self.context, enter);
        if method.order == Order::EnterLeave {
            let stack = self.open.entry(event.thread).or_default();
            if stack.len() >= DEEPEST {
                let what = format!("thread {} has {DEEPEST} calls open: the trace is damaged", event.thread);
                return Err(place.fail(what));
            }
            stack.push(unfinished);
            return Ok(());
        }
        self.arguments.finish(unfinished.call.called);
        if self.hooks.are_wanted() {
            self.hooks.after_call(&mut self.context, (event.thread, event.object), place);
        }
        Ok(())
    }

    /// Makes a call, or hands it on.
    fn begin(&mut self, unfinished: &mut UnfinishedCall, enter: Enter<'_, '_>) -> Result<(), Error> {
        let Self { context, arguments, .. } = self;
        let UnfinishedCall { call, started, closing, impossible } = unfinished;
        let has_leave = enter.method.order == Order::EnterLeave;
        let keep = |impossible: &mut Option<Error>, error: Error, context: &mut Context<'_, '_>| {
            let missing = matches!(error, Error::LeftOut { missing: Missing::Object, .. });
            if missing && Part::of(enter.id()) == Part::Sets {
                context.world.stale.without_pipeline.sets(enter.event.object, false);
            }
            // What failed at capture need not be made: its leave says so.
            if has_leave {
                *impossible = Some(error);
                return Ok(());
            }
            context.leave_out(error)
        };
        let without = &mut context.world.stale.without_pipeline;
        if !without.are_none() && without.is(enter.event.object) {
            match Part::of(enter.id()) {
                Part::Acts => {
                    context.report.left_out_work.add(enter.place);
                    return keep(impossible, enter.leave_out(NO_PIPELINE.to_owned()), context);
                }
                Part::Sets => without.sets(enter.event.object, true),
                Part::Nothing => {}
            }
        }
        if let Decision::Handle(handler) = call.decision
            && !handler.stays_within()
            && let Some(what) = missing_object(&context.world, enter)
        {
            return keep(impossible, enter.leave_out(what), context);
        }
        if context.lists.are_on() {
            match lists_ahead::record(context, enter, call.decision)? {
                Recorded::Not => {}
                Recorded::Ahead => return Ok(()),
                Recorded::Close(number) => {
                    *closing = Some(number);
                    return Ok(());
                }
            }
        }
        match call.decision {
            Decision::Call if context.world.creations.takes(call.method) => {
                match pipelines::start(context, arguments, enter) {
                    Ok(handed) => *started = handed,
                    Err(error) => *impossible = Some(error),
                }
            }
            Decision::Call if self.pipelines.keep_name(context, enter) => {
                call.decision = Decision::Skip("the name is given once its object is there");
            }
            Decision::Call if dangling_table::set(context, enter) => {}
            Decision::Call | Decision::Query => match arguments.call(context, enter) {
                Ok(called) => {
                    self.signals.note(enter, &called);
                    self.held_up.note(&mut context.world, enter);
                    call.called = Some(called);
                    if context.options.sync {
                        lockstep::keep(context, &mut self.held_up, enter)?;
                    }
                }
                Err(error) => keep(impossible, error, context)?,
            },
            Decision::Handle(handler) => match self.dispatch_enter(handler, enter) {
                Ok(called) => call.called = called,
                Err(error) if handler == Handler::HostedHeap => *impossible = Some(error),
                Err(error @ Error::LeftOut { .. }) => keep(impossible, error, &mut self.context)?,
                Err(error) => return Err(error),
            },
            Decision::Skip(reason) => context.skip(enter.place, reason),
            Decision::Refuse(reason) if !has_leave => return Err(enter.fail(reason)),
            Decision::Refuse(_) => {}
        }
        Ok(())
    }

    /// Objects that only replay has take no calls but those with code of their own.
    fn decision_for(&self, object: u32, decision: Decision) -> Decision {
        match (self.context.world.objects.virtual_kind(object), decision) {
            (None, _) | (_, Decision::Handle(_) | Decision::Skip(_)) => decision,
            (Some(Virtual::LeftOut), _) => Decision::Skip("the object is one that replay leaves out"),
            (Some(_), _) => Decision::Skip("the object stays within replay"),
        }
    }

    /// At the leave of a call.
    ///
    /// # Errors
    /// The call succeeded at capture, and cannot be honoured here.
    pub(super) fn leave(&mut self, event: &Event<'_>, place: &Place, blobs: &dyn Blobs) -> Result<(), Error> {
        let stack = self.open.entry(event.thread).or_default();
        // Calls above it have no leave: the program left them by an exception or a long jump.
        let at = stack.iter().rposition(|open| open.call.number == event.number);
        let unfinished = at.and_then(|at| stack.drain(at..).next());
        let unfinished =
            unfinished.ok_or_else(|| place.fail("a call ends that did not begin: the trace is damaged"))?;
        let UnfinishedCall { mut call, started, closing, impossible } = unfinished;
        let context = &mut self.context;
        let outcome = context.codec.decode_leave(call.method, &call.enter, event.payload);
        let outcome = outcome.map_err(|error| {
            call.fail(format!("output {}, byte {} of the payload: {}", error.path, error.offset, error.what))
        })?;
        if call.method == CLOSE {
            let unclosed = &mut context.world.stale.unclosed;
            _ = if succeeded(&outcome) { unclosed.remove(&call.object) } else { unclosed.insert(call.object) };
        }
        if let Some(error) = impossible {
            if succeeded(&outcome) {
                results::leave_out(context, &call, &outcome);
                return context.leave_out(error);
            }
            context.skip(&call.place, "it failed at capture, and its arguments cannot be rebuilt");
            return Ok(());
        }
        if let Some(number) = closing {
            drop(outcome);
            context.expect_close(number, call, event.payload.to_vec());
            return Ok(());
        }
        if let Some(started) = started {
            if let Some(id) = pipelines::awaited_id(context, &outcome) {
                drop(outcome);
                self.pipelines.expect(context, id, started, call, event.payload.to_vec());
                return Ok(());
            }
            call.called = Some(pipelines::wait(context, started, &call.place)?);
        }
        match call.decision {
            Decision::Call => {
                let mut called = call.called.take();
                concession::ask_for_less(context, &call, called.as_mut(), &outcome);
                call.called = called;
                results::finish(context, &call, &outcome, false)?;
            }
            Decision::Query => results::finish(context, &call, &outcome, true)?,
            Decision::Handle(handler) => match self.dispatch_leave(handler, &call, &outcome, (event, blobs)) {
                Err(error @ Error::LeftOut { .. }) => {
                    results::leave_out(&mut self.context, &call, &outcome);
                    self.context.leave_out(error)?;
                }
                done => done?,
            },
            Decision::Skip(_) => results::leave_out(context, &call, &outcome),
            Decision::Refuse(reason) => {
                if succeeded(&outcome) {
                    return Err(call.fail(reason));
                }
            }
        }
        let Self { context, arguments, .. } = self;
        lists_ahead::note_reset(context, &call, &outcome);
        arguments.finish(call.called.take());
        if self.hooks.are_wanted() {
            self.hooks.after_call(context, (event.thread, call.object), &call.place);
        }
        Ok(())
    }

    /// Gives up calls whose leaves do not come any more.
    pub(super) fn leave_open_calls(&mut self) {
        let context = &mut self.context;
        for UnfinishedCall { call, started, impossible, .. } in self.open.drain().flat_map(|(_, stack)| stack) {
            // The trace does not say how these calls ended.
            let started = started.and_then(|started| pipelines::wait(context, started, &call.place).ok());
            if let Some(called) = call.called.or(started) {
                results::release_all(&context.world.runtime, &called.given);
            }
            if let Some(error) = impossible {
                context.differ(&call.place, format!("the trace ends in this call, which cannot be made: {error}"));
            }
        }
    }
}
