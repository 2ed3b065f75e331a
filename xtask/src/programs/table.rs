//! The table of programs and libraries, as text and as JSON.
//!
//! Invariant: a hash is right only if it is the one expected; agreeing with each other is not enough. A result that is known
//! to be wrong on a library is shown as such, and does not make the task fail.

use super::expected::{Expected, short};
use super::grid::Grid;
use serde_json::{Value, json};
use std::fmt;

/// What came of one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Hash(String),
    /// The library says that it lacks something, with what it says.
    Cannot(String),
    /// With what the program says.
    Failed(String),
    /// Ended by a signal, with what the system says.
    Crashed(String),
}

/// One run.
pub(super) struct Cell {
    pub(super) program: String,
    pub(super) library: String,
    /// Of the shaders.
    pub(super) form: &'static str,
    pub(super) outcome: Outcome,
}

/// All runs.
pub(crate) struct Table {
    pub(super) expected: Expected,
    cells: Vec<Cell>,
}

impl Table {
    /// Empty.
    pub(super) fn new(expected: Expected) -> Self {
        Self { expected, cells: Vec::new() }
    }

    pub(super) fn add(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    /// How many runs failed or gave another hash than the one expected.
    pub(super) fn wrong(&self) -> usize {
        self.cells.iter().filter(|cell| self.is_wrong(cell)).count()
    }

    /// How many runs gave the hash that is expected.
    pub(crate) fn passed(&self) -> usize {
        self.cells.iter().filter(|cell| matches!(cell.outcome, Outcome::Hash(_)) && !self.is_wrong(cell)).count()
    }

    /// Each run that is wrong: the program, and what came of it.
    pub(crate) fn faults(&self) -> Vec<(String, String)> {
        let wrong = self.cells.iter().filter(|cell| self.is_wrong(cell));
        wrong.map(|cell| (cell.program.clone(), format!("{}: {}", cell.form, cell.outcome))).collect()
    }

    /// Each run that the library has no means for, though `expected.txt` does not say so: the program, and what is lacking.
    pub(crate) fn lacking(&self) -> Vec<(String, String)> {
        let known = |cell: &Cell| self.expected.is_known(&cell.program, &cell.library, cell.form, "cannot");
        let lacks = |cell: &Cell| match &cell.outcome {
            Outcome::Cannot(reason) if !known(cell) => Some((cell.program.clone(), format!("{}: {reason}", cell.form))),
            _ => None,
        };
        self.cells.iter().filter_map(lacks).collect()
    }

    fn is_wrong(&self, cell: &Cell) -> bool {
        match &cell.outcome {
            Outcome::Hash(hash) => self.expected.hash(&cell.program) != Some(hash),
            Outcome::Cannot(_) => false,
            Outcome::Failed(_) | Outcome::Crashed(_) => !self.is_known(cell),
        }
    }

    /// Whether `expected.txt` says that the library is wrong here.
    fn is_known(&self, cell: &Cell) -> bool {
        self.expected.is_known(&cell.program, &cell.library, cell.form, "wrong")
    }

    /// What a program says on a library that is known to be wrong about it, or to lack what it needs whatever its shaders.
    pub(super) fn wrong_on(&self, program: &str, library: &str) -> Option<&str> {
        let cells = || self.cells.iter().filter(|cell| cell.program == program && cell.library == library);
        let wrong = cells().filter(|cell| self.is_known(cell)).find_map(|cell| match &cell.outcome {
            Outcome::Failed(reason) | Outcome::Crashed(reason) => Some(reason.as_str()),
            Outcome::Hash(_) | Outcome::Cannot(_) => None,
        });
        let lacks = || cells().all(|cell| matches!(cell.outcome, Outcome::Cannot(_)));
        wrong.or_else(|| cells().next().filter(|_| lacks()).and_then(|cell| self.lacks(program, library, cell.form)))
    }

    /// What a library says that it lacks for a program with shaders of this form.
    pub(super) fn lacks(&self, program: &str, library: &str, form: &str) -> Option<&str> {
        let mut cells = self.cells.iter().filter(|cell| cell.program == program && cell.library == library);
        cells.find(|cell| cell.form == form).and_then(|cell| match &cell.outcome {
            Outcome::Cannot(reason) => Some(reason.as_str()),
            _ => None,
        })
    }

    /// What a field of the table shows: the hash's first digits, or why there is none.
    fn field(&self, cell: &Cell) -> String {
        match &cell.outcome {
            Outcome::Hash(hash) if self.is_wrong(cell) => format!("{} !=", hash.get(..8).unwrap_or(hash)),
            Outcome::Hash(hash) => hash.get(..8).unwrap_or(hash).to_owned(),
            Outcome::Cannot(_) => "cannot".into(),
            Outcome::Failed(_) if self.is_known(cell) => "wrong".into(),
            Outcome::Crashed(_) if self.is_known(cell) => "crash".into(),
            Outcome::Failed(_) => "FAIL".into(),
            Outcome::Crashed(_) => "CRASH".into(),
        }
    }

    /// One object a run.
    pub(crate) fn json(&self) -> Value {
        self.cells.iter().map(|cell| self.json_cell(cell)).collect()
    }

    fn json_cell(&self, cell: &Cell) -> Value {
        let (result, hash, reason) = match &cell.outcome {
            Outcome::Hash(hash) => (if self.is_wrong(cell) { "other hash" } else { "pass" }, Some(hash), None),
            Outcome::Cannot(reason) => ("cannot", None, Some(reason)),
            Outcome::Failed(reason) => (if self.is_known(cell) { "known wrong" } else { "fail" }, None, Some(reason)),
            Outcome::Crashed(reason) => (if self.is_known(cell) { "known crash" } else { "crash" }, None, Some(reason)),
        };
        json!({
            "program": cell.program, "library": cell.library, "shaders": cell.form,
            "result": result, "hash": hash, "reason": reason,
        })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(hash) => f.write_str(hash),
            Self::Cannot(reason) => write!(f, "cannot: {reason}"),
            Self::Failed(reason) => f.write_str(reason),
            Self::Crashed(reason) => write!(f, "crash: {reason}"),
        }
    }
}

/// One row a program, one column for each library and form of shaders.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut grid = Grid::default();
        for cell in &self.cells {
            grid.add(&cell.program, &format!("{}/{}", short(&cell.library), cell.form), &self.field(cell));
        }
        grid.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(library: &str, form: &'static str, outcome: Outcome) -> Cell {
        Cell { program: "compute".into(), library: library.into(), form, outcome }
    }

    #[test]
    fn only_the_expected_hash_is_right() {
        let mut table = Table::new(Expected::parse("# remark\ncompute 0123456789 vkd3d-proton/dxbc=wrong\n"));
        table.add(cell("ours", "dxbc", Outcome::Hash("0123456789".into())));
        table.add(cell("/x/lib.so", "dxbc", Outcome::Hash("9999999999".into())));
        table.add(cell("vkd3d", "dxil", Outcome::Cannot("takes no DXIL".into())));
        assert_eq!(table.wrong(), 1);
        table.add(cell("vkd3d", "dxbc", Outcome::Failed("signal 11".into())));
        assert_eq!(table.wrong(), 2);
        table.add(cell("/x/libvkd3d-proton-d3d12.so", "dxbc", Outcome::Failed("element 1".into())));
        assert_eq!(table.wrong(), 2);
        table.add(cell("null", "dxbc", Outcome::Crashed("signal 11".into())));
        assert_eq!(table.wrong(), 3);
        let text = table.to_string();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            lines[0],
            ["program", "ours/dxbc", "lib/dxbc", "vkd3d/dxil", "vkd3d/dxbc", "vkd3d-proton/dxbc", "null/dxbc"]
        );
        assert_eq!(lines[1], ["compute", "01234567", "99999999", "!=", "cannot", "FAIL", "wrong", "CRASH"]);
        let json = table.json();
        let results: Vec<&str> = json.as_array().into_iter().flatten().filter_map(|r| r["result"].as_str()).collect();
        assert_eq!(results, ["pass", "other hash", "cannot", "fail", "known wrong", "crash"]);
        assert_eq!(json[2]["reason"], "takes no DXIL");
    }
}
