//! `findings`: what `reprise lint` finds.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_lint::Linter;
use reprise_timeline::walk;

/// See the module.
#[derive(Debug)]
pub(super) struct Findings;

impl Table for Findings {
    fn name(&self) -> &str {
        "findings"
    }

    fn about(&self) -> &str {
        "what `reprise lint` finds"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("rule", Kind::Name, "the rule that is broken: `reprise lint --rules`"),
            Column::new("severity", Kind::Name, "error, likely or hint"),
            Column::new("call", Kind::Number, "the call that is wrong"),
            Column::new("object", Kind::Number, "the object that it is about"),
            Column::new("class", Kind::Name, "its class"),
            Column::new("name", Kind::Text, "its name"),
            Column::new("list", Kind::Number, "the list that the call records into"),
            Column::new("submission", Kind::Number, "number of the submission that runs it"),
            Column::new("text", Kind::Text, "what is wrong, and what to do"),
            Column::new("times", Kind::Number, "how often it was met"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut linter = Linter::new(&source.trace);
        walk(&source.trace, &mut [&mut linter]).map_err(|error| Stop::Trace(error.to_string()))?;
        let (findings, _) = linter.finish();
        for finding in findings {
            let object = finding.object.as_ref();
            let text = |text: Option<&'static str>| text.map_or(Cell::None, Cell::Text);
            let severity = finding.severity.to_string();
            sink.row(&[
                Cell::Text(finding.rule.name),
                Cell::Text(&severity),
                Cell::Number(finding.call),
                object.map_or(Cell::None, |object| Cell::object(object.id)),
                text(object.map(|object| object.class)),
                object.and_then(|object| object.name.as_deref()).map_or(Cell::None, Cell::Text),
                finding.list.map_or(Cell::None, Cell::object),
                Cell::some(finding.submission.map(|(number, _)| number)),
                Cell::Text(&finding.text),
                Cell::Number(finding.times),
            ])?;
        }
        Ok(())
    }
}
