//! `memory_writes`: stretches of mapped memory that the program stored to, or in which it saw what the GPU wrote.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, Objects};
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_trace::record::{Kind as Record, OBSERVED};

/// See the module.
#[derive(Debug)]
pub(super) struct MemoryWrites;

impl Table for MemoryWrites {
    fn name(&self) -> &str {
        "memory_writes"
    }

    fn about(&self) -> &str {
        "stretches of mapped memory that the program stored to, or saw the GPU's results in"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("call", Kind::Number, "the last call begun before it was noticed"),
            Column::new("frame", Kind::Number, "the frame, from 1"),
            Column::new("thread", Kind::Number, "the thread at whose call it was noticed"),
            Column::new("object", Kind::Number, "the resource"),
            Column::new("subresource", Kind::Number, "index of the subresource"),
            Column::new("offset", Kind::Number, "the first byte in the subresource"),
            Column::new("bytes", Kind::Number, "how many bytes"),
            Column::new("observed", Kind::Flag, "the GPU may have written them: the program saw them"),
        ]
    }

    fn objects(&self) -> Objects {
        Objects { of_call: &["object"], named: &[] }
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        super::frames::events(source, bounds, |event| {
            if !matches!(event.kind, Record::Memory | Record::Pages) {
                return Ok(());
            }
            let Some((offset, bytes)) = event.memory_range() else { return Ok(()) };
            sink.row(&[
                Cell::Number(event.number),
                Cell::Number(u64::from(event.frame) + 1),
                Cell::Number(event.thread.into()),
                Cell::object(event.object),
                Cell::Number(event.ordinal.into()),
                Cell::Number(offset),
                Cell::Number(bytes),
                Cell::Flag(event.method == OBSERVED),
            ])
        })
    }
}
