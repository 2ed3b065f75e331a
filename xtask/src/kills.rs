//! `cargo xtask kills [--count N]`: kills a captured program of several threads at N random instants, and compares each trace
//! with the program's own log. The test is `kills` of the suite of `reprise`; this makes it long.

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};

/// As many as the project promises to have made.
const COUNT: u64 = 1000;

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let count = match arguments {
        [] => COUNT,
        [option, count] if option == "--count" => count.parse().with_context(|| format!("--count {count}"))?,
        other => bail!("kills takes --count N (got {other:?})"),
    };
    let mut command = cargo::command();
    command.args(["test", "--quiet", "--package", "reprise", "--test", "suite", "--"]);
    command.args(["kills::killed_at_random_instants", "--exact", "--nocapture"]);
    let status = command.env("REPRISE_KILLS", count.to_string()).status().context("cannot run cargo")?;
    ensure!(status.success(), "a call was lost, or a trace does not open or replay: see above");
    Ok(())
}
