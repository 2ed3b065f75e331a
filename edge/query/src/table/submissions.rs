//! `submissions`: every list that a queue was given, a row each.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;

/// See the module.
#[derive(Debug)]
pub(super) struct Submissions;

impl Table for Submissions {
    fn name(&self) -> &str {
        "submissions"
    }

    fn about(&self) -> &str {
        "lists that queues were given, a row for each list"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("submission", Kind::Number, "number of the ExecuteCommandLists in the trace"),
            Column::new("call", Kind::Number, "its call"),
            Column::new("frame", Kind::Number, "the frame, from 1"),
            Column::new("queue", Kind::Number, "id of the queue"),
            Column::new("index", Kind::Number, "place of the list in the call, from 0"),
            Column::new("list", Kind::Number, "id of the list"),
            Column::new("recording", Kind::Number, "the call with which the list's recording began"),
            Column::new("calls", Kind::Number, "calls in that recording"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        for submission in &source.chronicle().map_err(Stop::Trace)?.submissions {
            for (index, ran) in submission.lists.iter().enumerate() {
                sink.row(&[
                    Cell::Number(submission.number),
                    Cell::Number(submission.call),
                    Cell::Number(u64::from(submission.frame) + 1),
                    Cell::object(submission.queue),
                    Cell::Number(index as u64),
                    Cell::object(ran.list),
                    Cell::Number(ran.begun),
                    Cell::Number(ran.calls),
                ])?;
            }
        }
        Ok(())
    }
}
