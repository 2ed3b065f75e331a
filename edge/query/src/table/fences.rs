//! `fences`: what happened to fences.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_timeline::state::queues::Happening;

/// See the module.
#[derive(Debug)]
pub(super) struct Fences;

impl Table for Fences {
    fn name(&self) -> &str {
        "fences"
    }

    fn about(&self) -> &str {
        "what happened to fences; a value that is seen again and again is there once"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("call", Kind::Number, "the call in which, or after which, it happened"),
            Column::new("fence", Kind::Number, "id of the fence"),
            Column::new(
                "what",
                Kind::Name,
                "made, signalled (by a queue), set (by the processor), queue waits, seen, ...",
            ),
            Column::new("value", Kind::Number, "the value"),
            Column::new("queue", Kind::Number, "the queue, where one signals or waits"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        for event in &source.chronicle().map_err(Stop::Trace)?.fences {
            let queue = match event.happening {
                Happening::Signalled { queue } | Happening::QueueWaits { queue } => Cell::object(queue),
                _ => Cell::None,
            };
            let what = words(&format!("{:?}", event.happening));
            sink.row(&[
                Cell::Number(event.call),
                Cell::object(event.fence),
                Cell::Text(&what),
                Cell::Number(event.value),
                queue,
            ])?;
        }
        Ok(())
    }
}

/// The name of a happening in words: `QueueWaits { queue: 3 }` becomes `queue waits`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars().take_while(|letter| letter.is_ascii_alphanumeric()) {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}
