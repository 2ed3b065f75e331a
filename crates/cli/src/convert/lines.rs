//! Rows as JSON lines: one object each, without the columns that are empty.

use super::row::{COLUMNS, Cells, Row};
use serde_json::Value as Json;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes a row and the end of its line.
///
/// # Errors
/// As the writer's.
pub(crate) fn write(writer: &mut impl Write, row: &Row) -> io::Result<()> {
    let mut line = String::with_capacity(256);
    let mut put = |name: &str, value: &str| {
        // Writing to a text cannot fail.
        let _ = write!(line, "{}\"{name}\":{value}", if line.is_empty() { '{' } else { ',' });
    };
    let quoted = |text: &str| Json::from(text).to_string();
    for (name, cells) in COLUMNS {
        match cells {
            Cells::Integer(of) => put(name, &of(row).to_string()),
            Cells::OptionalInteger(of) => of(row).into_iter().for_each(|value| put(name, &value.to_string())),
            Cells::OptionalFlag(of) => of(row).into_iter().for_each(|value| put(name, &value.to_string())),
            Cells::Text(of) => put(name, &quoted(of(row))),
            Cells::OptionalText(of) => of(row).into_iter().for_each(|text| put(name, &quoted(text))),
            Cells::Json(of) => of(row).into_iter().for_each(|text| put(name, text)),
            Cells::Integers(of) => {
                let values = of(row);
                if !values.is_empty() {
                    put(name, &values.iter().copied().collect::<Json>().to_string());
                }
            }
        }
    }
    line.push_str("}\n");
    writer.write_all(line.as_bytes())
}
