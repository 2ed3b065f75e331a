//! `cargo xtask programs --control`: of each program's trace, and of each golden trace, how much of what is compared notices a change that must show.
//!
//! Invariant: a trace whose comparison is blind to the change counts as wrong, unless `UNREACHED` says why.

use super::expected::short;
use super::grid::Grid;
use anyhow::{Context, Result};
use reprise_testing::{artifact, program};
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Nothing here takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// Members of `verify --control --json`, in the order of the columns.
const KINDS: [(&str, &str); 3] = [("frames", "frames"), ("read_backs", "read-backs"), ("queries", "queries")];

/// Traces whose comparison nothing reaches, and why.
const UNREACHED: [(&str, &str); 0] = [];

/// What the control said of a trace.
struct Row {
    trace: String,
    library: String,
    /// Of each kind: noticed and compared; or why there is nothing.
    found: Result<[Option<(u64, u64)>; 3], String>,
    holds: bool,
}

/// All of them.
pub(super) struct Controls {
    tools: PathBuf,
    folder: PathBuf,
    rows: Vec<Row>,
}

impl Controls {
    /// Traces are left in `folder`.
    pub(super) fn new(tools: &Path, folder: &Path) -> Self {
        Self { tools: tools.to_owned(), folder: folder.to_owned(), rows: Vec::new() }
    }

    /// Captures a program, and plays its trace with the change.
    pub(super) fn add_program(&mut self, name: &str, library: &str, form: &str) -> Result<()> {
        let title = format!("{name}.{form}");
        let trace = self.folder.join(format!("{title}.{}.control.reprise", short(library)));
        let mut command = self.reprise();
        command.args(["capture", "--force", "--frame-hashes"]).arg(trace.with_extension("txt")).arg("-o").arg(&trace);
        command.arg("--").arg(self.tools.join("reprise-programs")).args([
            name,
            "--library",
            library,
            "--shaders",
            form,
        ]);
        let captured = program::run_quietly(&mut command, PATIENCE)?;
        if captured.status.success() {
            return self.add_trace(&title, &trace, library);
        }
        let why = captured.errors().lines().last().unwrap_or_default().to_owned();
        self.push(Row { trace: title, library: library.to_owned(), found: Err(why), holds: false });
        Ok(())
    }

    /// The golden traces.
    pub(super) fn add_golden(&mut self, library: &str) -> Result<()> {
        let golden = artifact::workspace().join("crates/cli/tests/golden");
        let mut traces = Vec::new();
        for set in std::fs::read_dir(&golden).with_context(|| golden.display().to_string())? {
            let set = set?.path();
            let Ok(files) = std::fs::read_dir(&set) else { continue };
            traces.extend(
                files.flatten().map(|file| file.path()).filter(|path| path.extension() == Some("reprise".as_ref())),
            );
        }
        traces.sort();
        for trace in traces {
            let title = trace.strip_prefix(&golden).unwrap_or(&trace).with_extension("").display().to_string();
            self.add_trace(&title, &trace, library)?;
        }
        Ok(())
    }

    fn add_trace(&mut self, title: &str, trace: &Path, library: &str) -> Result<()> {
        let mut command = self.reprise();
        command.args(["verify", "--control", "--json", "--runtime", library]).arg(trace);
        let finished = program::run_quietly(&mut command, PATIENCE)?;
        let said: Option<Value> = serde_json::from_str(&finished.text()).ok();
        let control = said.as_ref().map(|said| &said["control"]).filter(|control| control["failed"].is_null());
        let number = |kind: &Value, member: &str| kind[member].as_u64();
        let found =
            match control {
                Some(control) => Ok(KINDS
                    .map(|(member, _)| number(&control[member], "noticed").zip(number(&control[member], "compared")))),
                None => Err(finished.errors().lines().last().unwrap_or_default().to_owned()),
            };
        let holds = finished.status.success() || UNREACHED.iter().any(|(name, _)| *name == title);
        self.push(Row { trace: title.to_owned(), library: library.to_owned(), found, holds });
        Ok(())
    }

    fn push(&mut self, row: Row) {
        println!("programs: control of {} on {}: {row}", row.trace, row.library);
        self.rows.push(row);
    }

    fn reprise(&self) -> Command {
        let mut command = Command::new(self.tools.join("reprise"));
        super::quiet(&mut command);
        command
    }

    /// Traces whose comparison notices nothing, though something was compared.
    pub(super) fn wrong(&self) -> usize {
        self.rows.iter().filter(|row| row.found.is_ok() && !row.holds).count()
    }

    pub(super) fn json(&self) -> Value {
        let kind = |kind: &Option<(u64, u64)>| kind.map(|(noticed, compared)| json!([noticed, compared]));
        let one = |row: &Row| match &row.found {
            Ok(kinds) => json!({ "trace": row.trace, "library": row.library, "noticed": kinds.each_ref().map(kind) }),
            Err(why) => json!({ "trace": row.trace, "library": row.library, "why": why }),
        };
        self.rows.iter().map(one).collect()
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = match &self.found {
            Ok(kinds) => kinds,
            Err(why) => return write!(f, "not controlled: {why}"),
        };
        let told = KINDS.iter().zip(kinds).filter_map(|((_, name), kind)| kind.map(|it| (name, it)));
        let told: Vec<String> =
            told.map(|(name, (noticed, compared))| format!("{noticed} of {compared} {name} noticed")).collect();
        write!(f, "{}", told.join(", "))
    }
}

impl fmt::Display for Controls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut grid = Grid::default();
        for row in &self.rows {
            let name = format!("{} {}", row.trace, short(&row.library));
            match &row.found {
                Ok(kinds) => {
                    for ((_, column), kind) in KINDS.iter().zip(kinds) {
                        let field = kind.map_or("-".to_owned(), |(noticed, compared)| format!("{noticed}/{compared}"));
                        grid.add(&name, column, &field);
                    }
                }
                Err(why) => grid.add(&name, KINDS[0].1, why),
            }
        }
        write!(f, "{grid}")
    }
}
