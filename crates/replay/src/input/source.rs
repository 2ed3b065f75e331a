//! The source of events and blobs: a trace file, or a hand-made list in a test.

use std::sync::Arc;

use reprise_timeline::{Pass, Walk};
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

/// Gives passes what they ask for, up to the first event given for which `stop` holds.
///
/// # Errors
/// When the source cannot be read.
pub(crate) fn walk(
    source: &mut dyn Source,
    passes: &mut [&mut dyn Pass],
    stop: impl Fn(&Event<'_>) -> bool,
) -> Result<(), String> {
    let mut walk = Walk::new(passes);
    loop {
        while let Some(call) = source.call() {
            if walk.wants(call.method) {
                source.give_back();
                break;
            }
        }
        match source.next()? {
            Some(event) if !stop(&event) => walk.event(&event, passes),
            _ => break,
        }
    }
    walk.finish(passes);
    Ok(())
}

/// Blobs that an event's payload names.
pub(crate) trait Blobs {
    fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, String>;

    /// The blob at a place in the trace.
    fn at(&self, place: u64) -> Result<Arc<[u8]>, String>;
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

    fn at(&self, place: u64) -> Result<Arc<[u8]>, String> {
        self.blob_by_id(place).map_err(|error| error.to_string())
    }
}
