//! Where events and blobs come from: a trace file, or a hand-made list in a test.

use std::sync::Arc;

use reprise_trace::read::{Call, Event, Events, Trace};

/// Events in order.
pub(crate) trait Source {
    fn next(&mut self) -> Result<Option<Event<'_>>, String>;

    /// The next event, where it is a call and that says all of it.
    #[inline]
    fn call(&mut self) -> Option<Call<'_>> {
        None
    }

    /// The call that was given last is the next event.
    fn give_back(&mut self) {}
}

/// Blobs that an event's payload names.
pub(crate) trait Blobs {
    fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, String>;
}

impl<S: Source + ?Sized> Source for &mut S {
    fn next(&mut self) -> Result<Option<Event<'_>>, String> {
        (**self).next()
    }

    #[inline]
    fn call(&mut self) -> Option<Call<'_>> {
        (**self).call()
    }

    fn give_back(&mut self) {
        (**self).give_back();
    }
}

impl Source for Events<'_> {
    #[inline]
    fn next(&mut self) -> Result<Option<Event<'_>>, String> {
        Events::next(self).map_err(|error| error.to_string())
    }

    #[inline(always)]
    fn call(&mut self) -> Option<Call<'_>> {
        Events::call(self)
    }

    fn give_back(&mut self) {
        Events::give_back(self);
    }
}

impl Blobs for Trace {
    fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, String> {
        Trace::blob(self, event, number).map_err(|error| error.to_string())
    }
}
