//! Where events come from: a trace file, or a list made by hand in a test.

use std::sync::Arc;

use reprise_trace::read::{Event, Events, Trace};

/// Events in order.
pub(crate) trait Source {
    fn next(&mut self) -> Result<Option<Event<'_>>, String>;
}

/// Blobs that an event's payload names.
pub(crate) trait Blobs {
    fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, String>;
}

impl<S: Source + ?Sized> Source for &mut S {
    fn next(&mut self) -> Result<Option<Event<'_>>, String> {
        (**self).next()
    }
}

impl Source for Events<'_> {
    #[inline]
    fn next(&mut self) -> Result<Option<Event<'_>>, String> {
        Events::next(self).map_err(|error| error.to_string())
    }
}

impl Blobs for Trace {
    fn blob(&self, event: &Event<'_>, number: u32) -> Result<Arc<[u8]>, String> {
        Trace::blob(self, event, number).map_err(|error| error.to_string())
    }
}
