//! The programs captured on each library and replayed on each: does what they read back come out the same?
//!
//! Invariant: a replay counts as equal only if it compared something and found no difference in what the GPU wrote.

use super::expected::{Expected, short};
use super::grid::Grid;
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
                outcome(finished.status.success(), &finished.text(), &finished.errors())
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

    /// How many differ or fail where the library of the replay is not known to be wrong or to lack something, and where the
    /// program does not read different things each time.
    pub(super) fn wrong(&self, expected: &Expected) -> usize {
        let wrong = |replay: &&Replay| match replay.outcome {
            Outcome::Equal | Outcome::Refused(_) => false,
            Outcome::Failed(_) => true,
            Outcome::Differs(_) => {
                let known = |what| expected.is_known(&replay.program, &replay.replayed, replay.form, what);
                !known("wrong") && !known("cannot") && !expected.varies(&replay.program)
            }
        };
        self.done.iter().filter(wrong).count()
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
    if !text.contains("the GPU write compared") {
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
    use super::*;

    #[test]
    fn only_what_was_compared_is_equal() {
        let compared = "0 frames\n  12.2 KiB that the program saw the GPU write compared with those here\n";
        assert_eq!(outcome(true, compared, ""), Outcome::Equal);
        let differs = format!("{compared}  differs: call 7: 3 of 8 bytes that the GPU wrote differ from what ..\n");
        assert_eq!(outcome(true, &differs, ""), Outcome::Differs(1));
        assert_eq!(outcome(true, "0 frames\n", ""), Outcome::Failed("nothing was compared".into()));
        assert_eq!(outcome(false, "", "remark\nreprise: call 8: no\n"), Outcome::Refused("call 8: no".into()));
    }

    #[test]
    fn a_difference_is_wrong_unless_the_library_is_known_for_it() {
        let expected = Expected::parse("a 00 vkd3d/dxbc=wrong\nb 00\nc 00 varies\n");
        let replay = |program: &str, replayed: &str| Replay {
            program: program.into(),
            captured: "ours".into(),
            form: "dxbc",
            replayed: replayed.into(),
            outcome: Outcome::Differs(2),
        };
        let mut replays =
            Replays { tools: PathBuf::new(), folder: PathBuf::new(), libraries: Vec::new(), done: Vec::new() };
        replays.done.push(replay("a", "/x/libvkd3d-utils.so.1"));
        assert_eq!(replays.wrong(&expected), 0);
        replays.done.push(replay("c", "vkd3d"));
        assert_eq!(replays.wrong(&expected), 0);
        replays.done.push(replay("b", "vkd3d"));
        assert_eq!(replays.wrong(&expected), 1);
        assert!(replays.to_string().contains("ours/dxbc on vkd3d"), "{replays}");
    }
}
