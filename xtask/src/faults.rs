//! `cargo xtask faults`: the table of docs/faults.md. Tests seed each fault and its correct twin, look for them, and print a row for each.

use crate::cargo;
use anyhow::{Context, Result, ensure};
use std::process::Stdio;

/// Package, test and filter.
const TESTS: [(&str, &str, &str); 2] = [("reprise", "suite", "faults::"), ("reprise-lint", "faults", "each_fault")];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "faults takes no options (got {arguments:?})");
    println!("| seeded fault | what finds it | found | the seeded call is named | alarms on the twin |");
    println!("|---|---|---|---|---|");
    for (package, test, filter) in TESTS {
        let mut command = cargo::command();
        command.args(["test", "--quiet", "--package", package, "--test", test, "--", filter]);
        command.args(["--nocapture", "--test-threads", "1"]).stderr(Stdio::inherit());
        let finished = command.output().context("cannot run cargo")?;
        let text = String::from_utf8_lossy(&finished.stdout);
        text.lines().filter(|line| line.starts_with("| ")).for_each(|line| println!("{line}"));
        ensure!(finished.status.success(), "a fault is not found, or its twin is:\n{text}");
    }
    Ok(())
}
