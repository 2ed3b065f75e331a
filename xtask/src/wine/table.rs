//! The table of programs.

use reprise_testing::wine::case::{Ending, Replayed};
use std::fmt;

/// A program, in every way that it was run.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) bare: Ending,
    /// Whether there is a trace.
    pub(super) recorded: bool,
    pub(super) replayed: Option<Replayed>,
    /// Of programs that Wine's own d3d12 gets wrong: whether the trace plays right on our runtime.
    pub(super) right: Option<bool>,
    /// What is not as it must be.
    pub(super) problems: Vec<String>,
}

impl Row {
    /// The row in a line.
    pub(super) fn line(&self) -> String {
        let bare = match self.bare.code {
            Some(0) => "right".to_owned(),
            Some(3) => format!("cannot ({})", self.bare.complaint.rsplit(": ").next().unwrap_or_default()),
            _ => "wrong".to_owned(),
        };
        let captured = if self.problems.iter().any(|problem| problem.starts_with("captured")) || !self.recorded {
            "other"
        } else {
            "the same"
        };
        let replayed = match (&self.replayed, self.right) {
            (None, _) => "fails".to_owned(),
            (Some(_), Some(true)) => "right, unlike Wine".to_owned(),
            (Some(_), Some(false)) => "not as natively".to_owned(),
            (Some(replayed), None) if replayed.different > 0 => format!("{} bytes differ", replayed.different),
            (Some(replayed), None) => format!("{} bytes equal", replayed.compared),
        };
        let frames = self.replayed.as_ref().map_or(0, |replayed| replayed.frames);
        let problems: String = self.problems.iter().map(|problem| format!("\n    {problem}")).collect();
        format!("{:<22} {:<10} {captured:<9} {frames:>4} {replayed}{problems}", self.name, bare)
    }
}

/// All rows.
pub(super) struct Table {
    version: String,
    rows: Vec<Row>,
}

impl Table {
    pub(super) fn new(version: String) -> Self {
        Self { version, rows: Vec::new() }
    }

    pub(super) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows with something that is not as it must be.
    pub(super) fn wrong(&self) -> usize {
        self.rows.iter().filter(|row| !row.problems.is_empty() || row.right == Some(false)).count()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "On {}: bare, captured, frames, replayed natively on our runtime", self.version)?;
        self.rows.iter().try_for_each(|row| writeln!(f, "  {}", row.line()))?;
        write!(f, "{} programs, {} not as they must be", self.rows.len(), self.wrong())
    }
}
