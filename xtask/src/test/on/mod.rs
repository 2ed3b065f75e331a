//! `cargo xtask test --on SYSTEM`: our test programs and the golden traces in a root of another Debian, with its drivers and layers.
//!
//! Invariant: ends with an exit code other than 0 when something is wrong that `known` does not explain. What cannot run is a row, with
//! the reason.

mod check;
mod known;
mod row;
mod system;

use crate::{cargo, programs};
use anyhow::{Context, Result, bail, ensure};
use check::Checks;
use reprise_testing::artifact;
use row::Row;
use serde_json::json;
use std::path::PathBuf;
use system::System;

/// What is wanted.
#[derive(Default)]
struct Options {
    systems: Vec<&'static System>,
    /// All if empty.
    programs: Vec<String>,
    /// Of [`check::VARIANTS`]; all if empty.
    variants: Vec<String>,
    json: Option<PathBuf>,
    /// With programs that are built already.
    build: Option<PathBuf>,
}

/// Runs the task.
pub(super) fn run(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments)?;
    let build = || cargo::build("test", &[&programs::PACKAGES[..], &["reprise"]].concat());
    let folder = options.build.clone().map_or_else(build, Ok)?;
    let checks = Checks::new(folder, options.programs.clone());
    let (mut rows, mut systems) = (Vec::new(), Vec::new());
    for system in &options.systems {
        println!("test: on {}: {}", system.name, system.about);
        let root = match system.root() {
            Ok(root) => root,
            Err(error) => {
                rows.push(Row::skipped(system.name, "root", &format!("{error:#}")));
                continue;
            }
        };
        let versions = system::versions(&root)?;
        println!("test: on {}: {versions}", system.name);
        systems.push(json!({ "system": system.name, "versions": versions }));
        for variant in check::VARIANTS {
            if options.variants.is_empty() || options.variants.iter().any(|name| name == variant.name) {
                let row = checks.run(system, &root, variant)?;
                println!("test: {row}");
                rows.push(row);
            }
        }
    }
    println!("\n{}", row::table(&rows));
    let path = options.json.unwrap_or_else(|| artifact::workspace().join("target/systems/table.json"));
    let json = json!({ "systems": systems, "rows": rows.iter().map(Row::json).collect::<Vec<_>>() });
    let text = serde_json::to_string_pretty(&json)?;
    std::fs::write(&path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    println!("test: the table is in {}, too", path.display());
    let wrong: usize = rows.iter().map(Row::unexplained).sum();
    ensure!(wrong == 0, "{wrong} of them are wrong, and nothing explains it");
    Ok(())
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Options> {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let value = rest.next().with_context(|| format!("{option} needs a value"))?;
            match option.as_str() {
                "--on" => options.systems.push(System::named(value)?),
                "--program" => options.programs.push(value.clone()),
                "--check" if check::VARIANTS.iter().any(|variant| variant.name == value) => {
                    options.variants.push(value.clone());
                }
                "--check" => {
                    let names: Vec<&str> = check::VARIANTS.iter().map(|variant| variant.name).collect();
                    bail!("there is no check {value}: {}", names.join(", "));
                }
                "--json" => options.json = Some(value.into()),
                "--build" => options.build = Some(std::path::absolute(value)?),
                _ => bail!(
                    "test --on takes --program NAME, --check NAME, --json FILE and --build FOLDER (got {option:?})"
                ),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn systems_and_checks_are_named() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let options = Options::parse(&words("--on sid --on trixie --check programs --program blending")).unwrap();
        assert_eq!(options.systems.iter().map(|system| system.name).collect::<Vec<_>>(), ["sid", "trixie"]);
        assert_eq!((options.variants, options.programs), (vec!["programs".to_owned()], vec!["blending".to_owned()]));
        for wrong in ["--on buster", "--on", "--on sid --check speed", "--on sid --fast yes"] {
            assert!(Options::parse(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
