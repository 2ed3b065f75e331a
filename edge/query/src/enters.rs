//! Calls of a few methods, as they began. Calls of other methods are passed over quickly.

use crate::bounds::Bounds;
use crate::sink::Stop;
use crate::source::Source;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

/// Gives the enter of each call of these methods within the bounds of calls and frames. `methods` says for each method's number whether it is
/// wanted.
///
/// # Errors
/// See [`Stop`].
pub(crate) fn each(
    source: &Source,
    bounds: &Bounds,
    methods: &[bool],
    mut give: impl FnMut(&Event<'_>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let is_wanted = |method: u16| methods.get(usize::from(method)).is_some_and(|wanted| *wanted);
    let mut events = source.events_of(bounds, methods);
    loop {
        while let Some(call) = events.call() {
            if is_wanted(call.method) || call.number > bounds.calls.1 {
                events.give_back();
                break;
            }
        }
        let Some(event) = events.next().map_err(|error| Stop::Trace(error.to_string()))? else { return Ok(()) };
        if event.kind != Kind::Enter {
            continue;
        }
        if event.number > bounds.calls.1 {
            return Ok(());
        }
        if is_wanted(event.method) && event.number >= bounds.calls.0 {
            give(&event)?;
        }
    }
}
