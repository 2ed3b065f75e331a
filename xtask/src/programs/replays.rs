//! The programs captured on each library and replayed on each: does what they read back come out the same?
//!
//! Invariant: a replay counts as equal only if it had something to compare and found no difference in what the GPU wrote. It
//! may fall short only on a library on which the program itself does.

use super::expected::short;
use super::grid::Grid;
use super::table::Table;
use anyhow::{Context, Result};
use reprise_testing::program;
use serde_json::{Value, json};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Nothing here takes as long, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// What came of one replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    Equal,
    /// So many reads of what the GPU wrote differ.
    Differs(usize),
    /// With what replay says.
    Refused(String),
    /// The trace has nothing to compare, or the capture failed.
    Failed(String),
}

struct Replay {
    program: String,
    captured: String,
    form: &'static str,
    replayed: String,
    outcome: Outcome,
}

/// All replays.
pub(super) struct Replays {
    /// Where `reprise` and the programs are.
    tools: PathBuf,
    folder: PathBuf,
    libraries: Vec<String>,
    done: Vec<Replay>,
}

impl Replays {
    /// Traces are left in `folder`.
    pub(super) fn new(tools: &Path, folder: PathBuf, libraries: &[String]) -> Result<Self> {
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { tools: tools.to_owned(), folder, libraries: libraries.to_vec(), done: Vec::new() })
    }

    /// Captures a program and replays it on every library.
    pub(super) fn add(&mut self, name: &str, library: &str, form: &'static str) -> Result<()> {
        let trace = self.folder.join(format!("{name}.{}.{form}.reprise", short(library)));
        let mut command = self.reprise();
        command.args(["capture", "--force", "-o"]).arg(&trace).arg("--").arg(self.tools.join("reprise-programs"));
        command.args([name, "--library", library, "--shaders", form]);
        let captured = program::run_quietly(&mut command, PATIENCE)?;
        for replayed in self.libraries.clone() {
            let outcome = if captured.status.success() {
                let mut command = self.reprise();
                command.arg("replay").arg(&trace).args(["--runtime", &replayed]);
                let finished = program::run_quietly(&mut command, PATIENCE)?;
                match finished.status.code() {
                    Some(code) => outcome(code == 0, &finished.text(), &finished.errors()),
                    None => Outcome::Refused(finished.status.to_string()),
                }
            } else {
                Outcome::Failed(format!("capture: {}", captured.errors().lines().last().unwrap_or_default()))
            };
            let replay = Replay { program: name.to_owned(), captured: library.to_owned(), form, replayed, outcome };
            println!("programs: {name} with {form}, {}: {}", replay.column(), replay.outcome);
            self.done.push(replay);
        }
        Ok(())
    }

    fn reprise(&self) -> Command {
        let mut command = Command::new(self.tools.join("reprise"));
        super::quiet(&mut command);
        command
    }

    /// How many are not as they ought to be, by how the programs themselves came out on the library of the replay.
    pub(super) fn wrong(&self, table: &Table) -> usize {
        self.done.iter().filter(|replay| !replay.is_equal() && replay.excuse(table).is_none()).count()
    }

    /// Why the others are not equal: a line for each program and library.
    pub(super) fn excuses(&self, table: &Table) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for replay in self.done.iter().filter(|replay| !replay.is_equal()) {
            if let Some(reason) = replay.excuse(table) {
                let line = format!("{} on {}: {reason}", replay.program, short(&replay.replayed));
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines
    }

    /// One object a replay.
    pub(super) fn json(&self) -> Value {
        let one = |replay: &Replay| {
            json!({
                "program": replay.program, "captured": replay.captured, "shaders": replay.form,
                "replayed": replay.replayed, "result": replay.outcome.to_string(),
            })
        };
        self.done.iter().map(one).collect()
    }
}

impl Replay {
    fn is_equal(&self) -> bool {
        self.outcome == Outcome::Equal
    }

    /// What the program itself says on the library of the replay, where that is known to be wrong or to lack something.
    fn excuse<'t>(&self, table: &'t Table) -> Option<&'t str> {
        match self.outcome {
            Outcome::Equal | Outcome::Failed(_) => None,
            // Not every trace of a program with shaders that the library does not take has any.
            Outcome::Differs(_) => table.wrong_on(&self.program, &self.replayed),
            Outcome::Refused(_) => {
                let wrong = table.wrong_on(&self.program, &self.replayed);
                wrong.or_else(|| table.lacks(&self.program, &self.replayed, self.form))
            }
        }
    }

    fn column(&self) -> String {
        format!("{}/{} on {}", short(&self.captured), self.form, short(&self.replayed))
    }
}

/// Reads what `reprise replay` printed.
fn outcome(success: bool, text: &str, errors: &str) -> Outcome {
    if !success {
        return Outcome::Refused(errors.lines().last().unwrap_or_default().trim_start_matches("reprise: ").to_owned());
    }
    let differ = text.lines().filter(|line| line.contains("bytes that the GPU wrote differ")).count();
    if !text.contains("the GPU write compared") && !text.contains("that the GPU's clock gave") {
        Outcome::Failed("nothing was compared".into())
    } else if differ > 0 {
        Outcome::Differs(differ)
    } else {
        Outcome::Equal
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => f.write_str("equal"),
            Self::Differs(count) => write!(f, "{count} differ"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Failed(reason) => write!(f, "FAIL: {reason}"),
        }
    }
}

/// One row a program, one column for each pair of libraries.
impl fmt::Display for Replays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut grid = Grid::default();
        for replay in &self.done {
            let text = replay.outcome.to_string();
            grid.add(&replay.program, &replay.column(), text.split(':').next().unwrap_or_default());
        }
        grid.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::super::expected::Expected;
    use super::super::table::{Cell, Outcome as Run};
    use super::*;

    #[test]
    fn only_what_was_compared_is_equal() {
        let compared = "0 frames\n  12.2 KiB that the program saw the GPU write compared with those here\n";
        assert_eq!(outcome(true, compared, ""), Outcome::Equal);
        let differs = format!("{compared}  differs: call 7: 3 of 8 bytes that the GPU wrote differ from what ..\n");
        assert_eq!(outcome(true, &differs, ""), Outcome::Differs(1));
        let times =
            "0 frames\n  32 bytes of times that the GPU's clock gave not compared: they are other ones in every run\n";
        assert_eq!(outcome(true, times, ""), Outcome::Equal);
        assert_eq!(outcome(true, "0 frames\n", ""), Outcome::Failed("nothing was compared".into()));
        assert_eq!(outcome(false, "", "remark\nreprise: call 8: no\n"), Outcome::Refused("call 8: no".into()));
    }

    #[test]
    fn a_replay_may_fall_short_only_where_the_program_does() {
        let fails = || Run::Failed("element 1".into());
        let cannot = || Run::Cannot("takes no DXIL".into());
        let mut table = Table::new(Expected::parse("a 00 vkd3d/dxbc=wrong\nb 00\nc 00\nd 00 vkd3d/dxbc=cannot\n"));
        let library = "/x/libvkd3d-utils.so.1";
        let runs = [
            ("a", "dxbc", fails()),
            ("a", "dxil", cannot()),
            ("b", "dxbc", Run::Hash("00".into())),
            ("b", "dxil", cannot()),
            ("c", "dxbc", fails()),
            ("d", "dxbc", cannot()),
            ("d", "dxil", cannot()),
        ];
        for (program, form, outcome) in runs {
            table.add(Cell { program: program.into(), library: library.into(), form, outcome });
        }
        let cases = [
            ("a", "dxbc", Outcome::Differs(2), Some("element 1")),
            ("a", "dxil", Outcome::Differs(1), Some("element 1")),
            ("a", "dxil", Outcome::Refused("signal".into()), Some("element 1")),
            ("a", "dxbc", Outcome::Failed("nothing".into()), None),
            ("b", "dxbc", Outcome::Differs(1), None),
            ("b", "dxil", Outcome::Differs(1), None),
            ("b", "dxil", Outcome::Refused("call 8: no".into()), Some("takes no DXIL")),
            ("b", "dxbc", Outcome::Refused("call 8: no".into()), None),
            ("c", "dxbc", Outcome::Differs(1), None),
            ("d", "dxil", Outcome::Differs(1), Some("takes no DXIL")),
        ];
        for (program, form, outcome, excuse) in cases {
            let (captured, replayed) = ("ours".into(), library.into());
            let replay = Replay { program: program.into(), captured, form, replayed, outcome };
            assert_eq!(replay.excuse(&table), excuse, "{program} {form} {}", replay.outcome);
            let (tools, folder) = (PathBuf::new(), PathBuf::new());
            let replays = Replays { tools, folder, libraries: Vec::new(), done: vec![replay] };
            assert_eq!(replays.wrong(&table), usize::from(excuse.is_none()));
            assert_eq!(replays.excuses(&table).len(), usize::from(excuse.is_some()));
            assert!(replays.to_string().contains(&format!("ours/{form} on vkd3d")), "{replays}");
        }
    }
}
