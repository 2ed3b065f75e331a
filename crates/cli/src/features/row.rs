//! One row: a member of an answer, on every side.

use crate::features::side::{Question, Side};
use crate::terminal::output::{self, Paint};
use reprise_d3d12::feature;
use reprise_view::api;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// A row of the table.
pub(crate) struct Row {
    /// `D3D12_OPTIONS5.RaytracingTier`.
    name: String,
    /// By side; `None` where it is not known.
    values: Vec<Option<String>>,
}

impl Row {
    /// All rows, in the order of the features' numbers.
    pub(crate) fn all(sides: &[Side]) -> Vec<Row> {
        let keys: BTreeSet<_> = sides.iter().flat_map(|side| side.values.keys().copied()).collect();
        let row = |key: (Question, usize)| Row {
            name: name(key),
            values: sides.iter().map(|side| side.values.get(&key).cloned()).collect(),
        };
        keys.into_iter().map(row).collect()
    }

    /// Whether two sides say different things. What a side does not know is no difference.
    pub(crate) fn differs(&self) -> bool {
        let mut known = self.values.iter().flatten();
        let first = known.next();
        known.any(|value| Some(value) != first)
    }

    /// As an object of JSON.
    pub(crate) fn json(&self) -> Json {
        json!({ "name": self.name, "values": self.values, "different": self.differs() })
    }
}

/// Whether the row is about a format.
pub(crate) fn is_format(row: &Row) -> bool {
    row.name.starts_with(FORMAT)
}

const FORMAT: &str = "FORMAT_SUPPORT";

fn name((question, place): (Question, usize)) -> String {
    match question {
        Question::Level => "FEATURE_LEVELS.MaxSupportedFeatureLevel".into(),
        Question::Feature(number) => {
            let name = api::enum_name("D3D12_FEATURE", number);
            let name = name.trim_start_matches("D3D12_FEATURE_");
            let field = feature::structure(number).and_then(|layout| layout.fields.get(place));
            format!("{name}.{}", field.map_or("", |field| field.name))
        }
        Question::Format(format) => {
            let format = api::enum_name("DXGI_FORMAT", format);
            format!("{FORMAT}.{}.Support{}", format.trim_start_matches("DXGI_FORMAT_"), place + 1)
        }
    }
}

/// The table as lines for people: the sides with their devices, then the rows in columns.
pub(crate) fn table(sides: &[Side], rows: &[Row], colour: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for side in sides {
        let device = if side.device.is_empty() { "a device that is not known" } else { &side.device };
        lines.push(format!("{}: {device}", side.name));
    }
    lines.push(String::new());
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let first = width(&mut rows.iter().map(|row| row.name.len()));
    let columns: Vec<usize> = (0..sides.len())
        .map(|side| width(&mut rows.iter().map(|row| row.text(side).len()).chain([sides[side].name.len()])))
        .collect();
    let mut head = format!("  {:first$}", "");
    for (side, column) in sides.iter().zip(&columns) {
        head.push_str(&format!("  {:<column$}", side.name));
    }
    lines.push(head.trim_end().to_owned());
    for row in rows {
        let mark = if row.differs() { '*' } else { ' ' };
        let mut line = format!("{mark} {:<first$}", row.name);
        for (side, column) in columns.iter().enumerate() {
            line.push_str(&format!("  {:<column$}", row.text(side)));
        }
        let line = line.trim_end();
        lines.push(if row.differs() { output::painted(colour, Paint::Name, line) } else { line.to_owned() });
    }
    lines
}

impl Row {
    fn text(&self, side: usize) -> &str {
        self.values[side].as_deref().unwrap_or("?")
    }
}
