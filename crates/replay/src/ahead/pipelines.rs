//! Handing creations of pipelines to other threads, and taking them back.
//!
//! Invariant: what a creation gives is compared with what the capture had as if it had been made where it stands: a
//! failure, and a difference, name its own call.

use reprise_codec::decode::Outcome;
use reprise_d3d12::model::{Method, MethodId};
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::call::Called;
use crate::input::source::Blobs;
use crate::input::values;
use crate::jobs::creations::{Finished, SET_NAME, Started};
use crate::results::succeeded;
use crate::walk::{Engine, Open};
use crate::{Error, Place};

/// A call that is over in the trace, while what it makes is still under way.
pub(crate) struct Unsettled {
    open: Open,
    leave: Vec<u8>,
    /// The names that the program gave the object since: they wait for it, nothing else has to.
    names: Vec<(Place, Vec<u8>)>,
}

impl Engine<'_, '_> {
    /// Hands a creation over.
    pub(crate) fn start_creation(
        &mut self,
        event: &Event<'_>,
        method: &'static Method,
        place: &Place,
        blobs: &dyn Blobs,
    ) -> Result<Option<Started>, Error> {
        let mut used = Some(Vec::new());
        let ready = self.ready(event, method, place, blobs, &mut used)?;
        self.report.replayed += 1;
        Ok(self.world.creations.start(&self.world.runtime, ready, used.unwrap_or_default()))
    }

    /// The id under which what a call makes can be waited for; 0 where the call is to be waited for itself.
    pub(crate) fn id_to_be(&self, open: &Open, outcome: &Outcome<'_>) -> u32 {
        if open.started.is_none() || !succeeded(outcome) {
            return 0;
        }
        let ids: Vec<u32> = outcome.outputs.iter().flat_map(|member| values::ids(&member.value)).collect();
        match ids.as_slice() {
            // A damaged trace may name what is there already.
            &[id] if id != 0 && !self.world.objects.contains(id) && !self.world.creations.is_pending(id) => id,
            _ => 0,
        }
    }

    /// The call is over in the trace; its object is waited for where it is used.
    pub(crate) fn expect(&mut self, id: u32, mut open: Open, leave: Vec<u8>) {
        let Some(started) = open.started.take() else { return };
        self.unsettled.insert(id, Unsettled { open, leave, names: Vec::new() });
        if let Some(oldest) = self.world.creations.expect(id, started) {
            self.world.creations.finish(oldest, &mut self.world.objects, &self.world.runtime);
        }
    }

    /// Compares what other threads have made with what the capture had.
    #[inline]
    pub(crate) fn settle_creations(&mut self, blobs: &dyn Blobs) -> Result<(), Error> {
        if self.world.creations.has_finished() { self.settle_finished(blobs) } else { Ok(()) }
    }

    #[cold]
    fn settle_finished(&mut self, blobs: &dyn Blobs) -> Result<(), Error> {
        let mut finished = self.world.creations.take_finished();
        if finished.iter().any(Finished::failed) {
            // Of several that fail, the first one in the trace ends the replay.
            self.world.finish_creations();
            finished.extend(self.world.creations.take_finished());
        }
        finished.sort_by_key(|it| self.unsettled.get(&it.id).map(|unsettled| unsettled.open.place.call));
        finished.into_iter().try_for_each(|it| self.settle_creation(it, blobs))
    }

    fn settle_creation(&mut self, finished: Finished, blobs: &dyn Blobs) -> Result<(), Error> {
        let Some(Unsettled { mut open, leave, names }) = self.unsettled.remove(&finished.id) else { return Ok(()) };
        let fail = |what: String| Error::Call { place: open.place.clone(), what };
        open.called = Some(finished.called.map_err(fail)?);
        let outcome = self.codec.decode_leave(open.method, &open.enter, &leave);
        let outcome = outcome.map_err(|error| fail(error.to_string()))?;
        self.settle(&open, &outcome, false)?;
        if !self.world.objects.contains(finished.id) {
            names.iter().for_each(|_| self.skip("the object went before its name was needed"));
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
                blobs: &[],
                open: false,
            };
            let named = self.call(&event, SET_NAME.get(), &place, blobs)?;
            self.arenas.push(named.arena);
        }
        Ok(())
    }

    /// Whether the call names an object that is still to come.
    pub(crate) fn is_name_to_be(&self, event: &Event<'_>) -> bool {
        MethodId(event.method) == SET_NAME && self.world.creations.is_pending(event.object)
    }

    /// Keeps a name for an object that is still to come.
    pub(crate) fn keep_name(&mut self, event: &Event<'_>, place: &Place) {
        if let Some(unsettled) = self.unsettled.get_mut(&event.object) {
            unsettled.names.push((place.clone(), event.payload.to_vec()));
        }
    }

    /// Waits for a creation where it stands.
    pub(crate) fn wait_for(&self, started: Started, place: &Place) -> Result<Called, Error> {
        let called = started.wait(&self.world.runtime);
        called.map_err(|what| Error::Call { place: place.clone(), what })
    }
}
