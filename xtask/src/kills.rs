//! `cargo xtask kills [--wine] [--count N]`: kills a captured program of several threads at N random instants, and compares each trace
//! with the program's own log. The tests are `kills` and `windows::kills` of the suite of `reprise`; this makes them long.

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};

/// As many as the project promises to have made, natively and under Wine.
const COUNTS: [u64; 2] = [1000, 200];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let wine = arguments.first().is_some_and(|first| first == "--wine");
    let count = match &arguments[usize::from(wine)..] {
        [] => COUNTS[usize::from(wine)],
        [option, count] if option == "--count" => count.parse().with_context(|| format!("--count {count}"))?,
        other => bail!("kills takes [--wine] [--count N] (got {other:?})"),
    };
    let (test, variable) = match wine {
        false => ("kills::killed_at_random_instants", "REPRISE_KILLS"),
        true => ("windows::kills::killed_under_wine_at_random_instants", "REPRISE_WINE_KILLS"),
    };
    let mut command = cargo::command();
    command.args(["test", "--quiet", "--package", "reprise", "--test", "suite", "--"]);
    command.args([test, "--exact", "--nocapture", "--include-ignored"]);
    let status = command.env(variable, count.to_string()).status().context("cannot run cargo")?;
    ensure!(status.success(), "a call was lost, or a trace does not open or replay: see above");
    Ok(())
}
