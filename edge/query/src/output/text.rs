//! A table for people. The first rows decide how wide the columns are; later cells may be wider, and then stick out.
//!
//! Invariant: nothing of a trace reaches the terminal as a control character.

use datafusion::arrow::array::Array;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use std::io::{self, Write};

/// Rows that decide the widths.
const LOOKED_AT: usize = 1000;
/// Letters of a cell; longer ones are cut.
const WIDEST: usize = 120;

/// A table under way.
pub(crate) struct Table<W> {
    to: W,
    held: Vec<Vec<String>>,
    /// Width of each column, and whether it is of numbers; empty until it is known.
    widths: Vec<(usize, bool)>,
    rows: u64,
}

impl<W: Write> Table<W> {
    pub(crate) fn new(to: W) -> Table<W> {
        Table { to, held: Vec::new(), widths: Vec::new(), rows: 0 }
    }

    pub(crate) fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        let options = FormatOptions::default();
        let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
        let columns: Vec<_> = columns.collect::<Result<_, _>>().map_err(io::Error::other)?;
        for row in 0..batch.num_rows() {
            self.rows += 1;
            let cell = |(column, of): (&ArrayFormatter<'_>, &std::sync::Arc<dyn Array>)| match of.is_null(row) {
                true => String::new(),
                false => plain(&column.value(row).to_string()),
            };
            let cells: Vec<String> = columns.iter().zip(batch.columns()).map(cell).collect();
            if self.widths.is_empty() {
                self.held.push(cells);
                if self.held.len() >= LOOKED_AT {
                    self.begin(&batch.schema())?;
                }
            } else {
                self.line(&cells)?;
            }
        }
        Ok(())
    }

    fn begin(&mut self, schema: &SchemaRef) -> io::Result<()> {
        let width = |column: usize, name: &str| {
            let cells = self.held.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.max().unwrap_or(0).max(name.chars().count())
        };
        let fields = schema.fields().iter().enumerate();
        self.widths =
            fields.map(|(at, field)| (width(at, &plain(field.name())), field.data_type().is_numeric())).collect();
        let names: Vec<String> = schema.fields().iter().map(|field| plain(field.name())).collect();
        self.line(&names)?;
        let rule: Vec<String> = self.widths.iter().map(|(width, _)| "─".repeat(*width)).collect();
        self.line(&rule)?;
        for row in std::mem::take(&mut self.held) {
            self.line(&row)?;
        }
        Ok(())
    }

    fn line(&mut self, cells: &[String]) -> io::Result<()> {
        let mut line = String::new();
        for (at, (cell, (width, right))) in cells.iter().zip(&self.widths).enumerate() {
            let space = " ".repeat(width.saturating_sub(cell.chars().count()));
            if at > 0 {
                line.push_str("  ");
            }
            match right {
                true => line.extend([space.as_str(), cell]),
                false => line.extend([cell, space.as_str()]),
            }
        }
        writeln!(self.to, "{}", line.trim_end())
    }

    pub(crate) fn finish(mut self, schema: &SchemaRef) -> io::Result<()> {
        if self.widths.is_empty() {
            self.begin(schema)?;
        }
        let rows = if self.rows == 1 { "row" } else { "rows" };
        writeln!(self.to, "({} {rows})", self.rows)?;
        self.to.flush()
    }
}

/// The text without control characters, cut where it is long.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len().min(WIDEST));
    for (at, letter) in text.chars().enumerate() {
        if at >= WIDEST {
            plain.push('…');
            break;
        }
        // Marks that change the direction of writing can hide text as control characters can.
        let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        match letter.is_control() || turns {
            true => plain.extend(letter.escape_unicode()),
            false => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_are_plain() {
        assert_eq!(plain("a\u{1b}[31mb\n\u{202e}"), "a\\u{1b}[31mb\\u{a}\\u{202e}");
        assert_eq!(plain(&"x".repeat(500)).chars().count(), WIDEST + 1);
    }
}
