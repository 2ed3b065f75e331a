//! Handing creations of pipelines to other threads, and comparing their results.
//!
//! Invariant: a failure or a difference names the call of its creation, as if the walk had made it where it stands.

use reprise_codec::decode::Outcome;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::arguments::Arguments;
use crate::call::Called;
use crate::call::open_call::{Enter, OpenCall};
use crate::context::Context;
use crate::error::{Error, Place};
use crate::input::outcome::succeeded;
use crate::input::source::Blobs;
use crate::input::values;
use crate::jobs::creations::{FinishedCreation, SET_NAME, StartedCreation};
use crate::resolve::ids::IdMap;
use crate::results;
use crate::runtime::Runtime;

/// Creations that are over in the trace while other threads still make them, by the id of their object.
#[derive(Default)]
pub(crate) struct Pipelines {
    unfinished: IdMap<Unfinished>,
}

struct Unfinished {
    call: OpenCall,
    /// The payload of its leave.
    leave: Vec<u8>,
    /// Names that the program gave the object since, by payload: nothing but the names has to wait for the object.
    names: Vec<(Place, Vec<u8>)>,
}

/// Hands a creation over; `None` where there is no thread for it.
///
/// # Errors
/// An argument cannot be honoured.
pub(crate) fn start(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Option<StartedCreation>, Error> {
    let mut used = Some(Vec::new());
    let ready = arguments.prepare(context, enter, &mut used)?;
    context.count_call();
    let (world, this) = (&context.world, ready.this);
    // SAFETY: creations are calls on devices, and `prepare` took this one from the table of live objects.
    let wish = unsafe { arguments.places.wish(&world.runtime, enter.event.number, this) };
    let ask = move |runtime: &Runtime| {
        // SAFETY: the job keeps the device alive, which is among the objects that the call uses.
        let _ = wish.inspect(|wish| unsafe { wish.ask(runtime, this) });
    };
    Ok(world.creations.start(&world.runtime, ready, used.unwrap_or_default(), ask))
}

/// Waits for a creation where it stands.
///
/// # Errors
/// The call could not be made.
pub(crate) fn wait(context: &Context<'_, '_>, started: StartedCreation, place: &Place) -> Result<Called, Error> {
    started.wait(&context.world.runtime).map_err(|what| place.fail(what))
}

/// The id of the object that a creation makes, under which others wait for it; `None` where the walk has to wait for the call.
pub(crate) fn awaited_id(context: &Context<'_, '_>, outcome: &Outcome<'_>) -> Option<u32> {
    let ids: Vec<u32> = outcome.outputs.iter().flat_map(|member| values::ids(&member.value)).collect();
    let world = &context.world;
    match ids.as_slice() {
        // A damaged trace may give an id that is taken.
        &[id] if id != 0 && !world.objects.contains(id) && !world.creations.is_pending(id) => Some(id),
        _ => None,
    }
    .filter(|_| succeeded(outcome))
}

impl Pipelines {
    /// The call is over in the trace; others wait for its object where they use it.
    pub(crate) fn expect(
        &mut self,
        context: &mut Context<'_, '_>,
        id: u32,
        started: StartedCreation,
        call: OpenCall,
        leave: Vec<u8>,
    ) {
        self.unfinished.insert(id, Unfinished { call, leave, names: Vec::new() });
        let world = &mut context.world;
        if let Some(oldest) = world.creations.expect(id, started) {
            world.creations.finish(oldest, &mut world.objects, &world.runtime);
        }
    }

    /// Compares what other threads have made by now.
    ///
    /// # Errors
    /// The first in the trace that cannot be honoured.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        context: &mut Context<'_, '_>,
        arguments: &mut Arguments,
        blobs: &dyn Blobs,
    ) -> Result<(), Error> {
        if context.world.creations.has_finished() { self.settle_finished(context, arguments, blobs) } else { Ok(()) }
    }

    #[cold]
    fn settle_finished(
        &mut self,
        context: &mut Context<'_, '_>,
        arguments: &mut Arguments,
        blobs: &dyn Blobs,
    ) -> Result<(), Error> {
        let world = &mut context.world;
        let mut finished = world.creations.take_finished();
        if finished.iter().any(FinishedCreation::failed) {
            // Of several that fail, the first one in the trace ends the replay.
            world.finish_creations();
            finished.extend(world.creations.take_finished());
        }
        finished.sort_by_key(|it| self.unfinished.get(&it.id).map(|unfinished| unfinished.call.place.call));
        finished.into_iter().try_for_each(|it| self.settle_one(context, arguments, it, blobs))
    }

    fn settle_one(
        &mut self,
        context: &mut Context<'_, '_>,
        arguments: &mut Arguments,
        finished: FinishedCreation,
        blobs: &dyn Blobs,
    ) -> Result<(), Error> {
        let Some(Unfinished { mut call, leave, names }) = self.unfinished.remove(&finished.id) else { return Ok(()) };
        call.called = Some(finished.called.map_err(|what| call.fail(what))?);
        let outcome = context.codec.decode_leave(call.method, &call.enter, &leave);
        let outcome = outcome.map_err(|error| call.fail(error.to_string()))?;
        // The outcome leads into the payloads, not into the codec that the context has.
        results::finish(context, &call, &outcome, false)?;
        let objects = &context.world.objects;
        if !objects.contains(finished.id) || objects.virtual_kind(finished.id).is_some() {
            names.iter().for_each(|(place, _)| {
                context.skip(place, "the object went before its name was needed, or is not here")
            });
            return Ok(());
        }
        for (place, payload) in names {
            let event = Event {
                number: place.call,
                thread: 0,
                frame: place.frame.saturating_sub(1) as u32,
                time_ns: 0,
                kind: Kind::Enter,
                method: SET_NAME.0,
                object: finished.id,
                ordinal: 0,
                sequence: 0,
                payload: &payload,
                pieces: &[],
                blobs: &[],
                open: false,
                flags: 0,
                ticks: 0,
            };
            let enter = Enter { event: &event, method: SET_NAME.get(), place: &place, blobs };
            let named = arguments.call(context, enter)?;
            arguments.finish(Some(named));
        }
        Ok(())
    }

    /// Keeps the name for an object that is still to come; `false` where the call does not name such an object.
    pub(crate) fn keep_name(&mut self, context: &Context<'_, '_>, enter: Enter<'_, '_>) -> bool {
        let Enter { event, place, .. } = enter;
        let pending = enter.id() == SET_NAME && context.world.creations.is_pending(event.object);
        if pending && let Some(unfinished) = self.unfinished.get_mut(&event.object) {
            unfinished.names.push((place.clone(), event.payload.to_vec()));
        }
        pending
    }
}
