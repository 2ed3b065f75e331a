//! Errors of the engine in plain words. For an unknown name the nearest known one is suggested.

use crate::exit::{self, Failure};
use crate::provider::Unread;
use datafusion::common::DataFusionError;

/// The program's error for an error of the engine.
pub(crate) fn failure(error: &DataFusionError, tables: &[String]) -> Failure {
    if let DataFusionError::External(cause) = error.find_root()
        && let Some(unread) = cause.downcast_ref::<Unread>()
    {
        return Failure::new(exit::TRACE, unread);
    }
    let text = error.strip_backtrace();
    let mut text = text.as_str();
    for prefix in ["Error during planning: ", "SQL error: ", "Schema error: ", "Execution error: ", "External error: "]
    {
        text = text.strip_prefix(prefix).unwrap_or(text);
    }
    let text = text.replace("datafusion.public.", "").replace("\"method()\".", "").replace("ParserError(", "(");
    // The engine names a setting of its own there, which nobody who asks can reach.
    let case = |line: &str| line.starts_with("Column names are case sensitive");
    let lines =
        text.lines().map(|line| if case(line) { "A name with large letters stands in double quotes." } else { line });
    let mut message = lines.collect::<Vec<_>>().join("\n");
    if let Some(name) = message.strip_prefix("table '").and_then(|rest| rest.strip_suffix("' not found")) {
        let near = near(name, tables.iter().map(String::as_str));
        message = format!("there is no table {name}{near}; `reprise query --tables` lists them");
    }
    Failure::new(exit::USAGE, message)
}

/// `; did you mean …?` with the nearest name, or nothing where none is near.
pub(crate) fn near<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> String {
    let name = name.to_lowercase();
    let nearest = names.map(|other| (distance(&name, &other.to_lowercase()), other)).min();
    match nearest {
        Some((distance, other)) if distance <= 1 + name.len() / 4 => format!("; did you mean {other}?"),
        _ => String::new(),
    }
}

/// The edit distance: how many letters must be inserted, removed or replaced to turn one text into the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut diagonal = at;
        row[0] = at + 1;
        for (column, own) in other.chars().enumerate() {
            let change = diagonal + usize::from(letter != own);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(near("calss", ["frames", "calls"].into_iter()), "; did you mean calls?");
        assert_eq!(near("weather", ["frames", "calls"].into_iter()), "");
    }
}
