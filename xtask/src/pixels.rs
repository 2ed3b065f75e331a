//! `cargo xtask pixels [--seed N] [--pixels N] [--tested N] [--only TEXT]`: compares the last value of the histories of random pixels with the picture, for test
//! programs of ours and programs that others wrote. The test is `pixels` of the suite of `reprise`; this chooses a seed and says what was found.

use crate::cargo;
use anyhow::{Context, Result, bail, ensure};
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    let mut variables = vec![("REPRISE_PIXELS_SEED", now.as_secs().to_string())];
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let value = rest.next().with_context(|| format!("{option}: a value is missing"))?;
        let variable = match option.as_str() {
            "--seed" => "REPRISE_PIXELS_SEED",
            "--pixels" => "REPRISE_PIXELS",
            "--tested" => "REPRISE_PIXELS_TESTED",
            "--only" => "REPRISE_PIXELS_ONLY",
            _ => bail!("pixels takes [--seed N] [--pixels N] [--tested N] [--only TEXT] (got {option})"),
        };
        variables.retain(|(name, _)| *name != variable);
        variables.push((variable, value.clone()));
    }
    let mut command = cargo::command();
    command.args(["test", "--quiet", "--package", "reprise", "--test", "suite", "--"]);
    command.args([
        "pixels::the_last_value_of_many_pixels_is_the_picture",
        "--exact",
        "--nocapture",
        "--include-ignored",
    ]);
    let status = command.envs(variables).status().context("cannot run cargo")?;
    ensure!(status.success(), "a history does not end with the picture: see above");
    Ok(())
}
