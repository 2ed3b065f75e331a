//! `gaps`: what is missing from a trace.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_trace::record::Kind as Record;

/// See the module.
#[derive(Debug)]
pub(super) struct Gaps;

impl Table for Gaps {
    fn name(&self) -> &str {
        "gaps"
    }

    fn about(&self) -> &str {
        "what is missing: not recorded, or damaged"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("call", Kind::Number, "the last call begun before it"),
            Column::new("frame", Kind::Number, "the frame, from 1"),
            Column::new("damage", Kind::Flag, "the trace itself is damaged there"),
            Column::new("text", Kind::Text, "what is missing"),
        ]
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        super::frames::events(source, bounds, |event| {
            if event.kind != Record::Gap {
                return Ok(());
            }
            let text = event.gap_text();
            let frame = Cell::Number(u64::from(event.frame) + 1);
            sink.row(&[Cell::Number(event.number), frame, Cell::Flag(event.is_damage()), Cell::Text(&text)])
        })
    }
}
