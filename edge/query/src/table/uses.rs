//! `uses`: how each resource is used, as `reprise_lint` follows what lists do when they run.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_lint::Used;
use reprise_view::{api, uses};

/// See the module.
#[derive(Debug)]
pub(super) struct Uses;

impl Table for Uses {
    fn name(&self) -> &str {
        "uses"
    }

    fn about(&self) -> &str {
        "uses of resources, in the order in which they happen: draws, clears, copies, stores and the rest, each when its list runs"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("place", Kind::Number, "place in the order in which uses happen, from 0"),
            Column::new("call", Kind::Number, "the call; of a store the last one before it was noticed"),
            Column::new(
                "method",
                Kind::Name,
                "its method; null of stores and of what the program saw in mapped memory",
            ),
            Column::new("frame", Kind::Number, "the frame, from 1: of a list's call that of the submission"),
            Column::new("object", Kind::Number, "the resource"),
            Column::new("kind", Kind::Name, "clear, render_target, copy_source, shader_resource, store and so on"),
            Column::new("writes", Kind::Flag, "contents may be others after it"),
            Column::new(
                "sure",
                Kind::Name,
                "certain, likely (a shader is made for it), possible (a shader may pick it)",
            ),
            Column::new("mip", Kind::Number, "the first level"),
            Column::new("mips", Kind::Number, "how many levels"),
            Column::new("layer", Kind::Number, "the first layer"),
            Column::new("layers", Kind::Number, "how many layers"),
            Column::new("plane", Kind::Number, "the first plane: 1 is stencil, or chroma"),
            Column::new("planes", Kind::Number, "how many planes"),
            Column::new("offset", Kind::Number, "the first byte, where it is known"),
            Column::new("bytes", Kind::Number, "how many bytes, where that is known"),
            Column::new("list", Kind::Number, "the list that ran: of a bundle's command the one that ran the bundle"),
            Column::new("queue", Kind::Number, "the queue"),
            Column::new("submission", Kind::Number, "number of the submission among all, from 1"),
            Column::new("submission_call", Kind::Number, "the call that submitted it"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let (mut place, mut stop) = (0, None);
        let walked = uses::each(&source.trace, None, &mut |_| true, &mut |_, used| match rows(used, place, sink) {
            Ok(()) => {
                place += 1;
                true
            }
            Err(why) => {
                stop = Some(why);
                false
            }
        });
        walked.map_err(|error| Stop::Trace(error.to_string()))?;
        stop.map_or(Ok(()), Err)
    }
}

/// A row for each box of subresources: most uses have one.
fn rows(used: &Used, place: u64, sink: &mut Sink<'_>) -> Result<(), Stop> {
    let method = used.method.map(api::name);
    for part in &used.parts {
        let number = |number: u32| Cell::Number(number.into());
        sink.row(&[
            Cell::Number(place),
            Cell::Number(used.call),
            method.as_deref().map_or(Cell::None, |method| Cell::Text(api::plain(method))),
            Cell::Number(u64::from(used.frame) + 1),
            Cell::object(used.resource),
            Cell::Text(used.role.name()),
            Cell::Flag(used.role.writes()),
            Cell::Text(used.sure.name()),
            number(part.mips.0),
            number(part.mips.1),
            number(part.layers.0),
            number(part.layers.1),
            number(part.planes.0),
            number(part.planes.1),
            Cell::some(used.bytes.map(|(offset, _)| offset)),
            Cell::some(used.bytes.map(|(_, bytes)| bytes)),
            used.list.map_or(Cell::None, Cell::object),
            used.submission.map_or(Cell::None, |(queue, ..)| Cell::object(queue)),
            Cell::some(used.submission.map(|(_, number, _)| number)),
            Cell::some(used.submission.map(|(.., call)| call)),
        ])?;
    }
    Ok(())
}
