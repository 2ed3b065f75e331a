//! The checks: our test programs in both shader forms, as they are, with other widths of vectors and under validation; the golden traces.

use super::row::Row;
use super::system::System;
use crate::debian::{Place, Root};
use crate::programs;
use crate::test::count::Count;
use crate::test::programs::build_one;
use anyhow::{Context, Result};
use reprise_testing::{artifact, program};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The golden traces need a minute; a slow machine is no failure.
const PATIENCE: Duration = Duration::from_secs(1200);

/// A check, as it is named.
pub(super) struct Variant {
    pub(super) name: &'static str,
    kind: Kind,
}

enum Kind {
    /// The programs, with these variables.
    Programs(&'static [(&'static str, &'static str)]),
    /// The golden traces, which tell what they told and play with what was read back.
    Golden,
}

const fn vectors(name: &'static str, variables: &'static [(&'static str, &'static str)]) -> Variant {
    Variant { name, kind: Kind::Programs(variables) }
}

pub(super) static VARIANTS: &[Variant] = &[
    Variant { name: "programs", kind: Kind::Programs(&[]) },
    Variant { name: "golden", kind: Kind::Golden },
    vectors("vectors-64", &[("LP_NATIVE_VECTOR_WIDTH", "64")]),
    vectors("vectors-128", &[("LP_NATIVE_VECTOR_WIDTH", "128")]),
    vectors("vectors-256", &[("LP_NATIVE_VECTOR_WIDTH", "256")]),
    // The layer ends a program at its first message.
    Variant { name: "validation", kind: Kind::Programs(&[("REPRISE_VALIDATION", "fatal")]) },
];

/// What the checks run.
pub(super) struct Checks {
    /// Where programs and libraries are.
    folder: PathBuf,
    /// All if empty.
    programs: Vec<String>,
}

impl Checks {
    pub(super) fn new(folder: PathBuf, programs: Vec<String>) -> Checks {
        Checks { folder, programs }
    }

    /// Runs a check on a system.
    pub(super) fn run(&self, system: &System, root: &Root, variant: &Variant) -> Result<Row> {
        let (begun, place) = (Instant::now(), Place::within(root));
        let mut row = match variant.kind {
            Kind::Programs(variables) => self.programs(&place.with(variables))?,
            Kind::Golden => golden(&place)?,
        };
        (row.system, row.check, row.seconds) = (system.name, variant.name, begun.elapsed().as_secs());
        Ok(row)
    }

    fn programs(&self, place: &Place) -> Result<Row> {
        let library = self.folder.join("libreprise_d3d12.so");
        let table = programs::at(place.clone(), &self.folder, &library, &self.programs)?;
        Ok(Row { passed: table.passed(), wrong: table.faults(), lacking: table.lacking(), ..Row::default() })
    }
}

fn golden(place: &Place) -> Result<Row> {
    let golden = build_one("reprise", "golden")?;
    let at = artifact::workspace().join("crates/cli");
    let mut command = place.command(&golden.executable, &at);
    // What is not installed there, such as Python, is left out.
    command.env("CARGO_MANIFEST_DIR", &at).env(artifact::BUILT, "1").env_remove("CI");
    let finished = program::run_quietly(&mut command, PATIENCE).context("the golden traces")?;
    let text = finished.text();
    let mut count = Count::default();
    text.lines().for_each(|line| count.line(line));
    let mut row = Row { passed: count.passed as usize, wrong: failed(&text), ..Row::default() };
    if !finished.status.success() && row.wrong.is_empty() {
        row.wrong.push(("golden".to_owned(), format!("{}: {}", finished.status, last(&finished.errors()))));
    }
    Ok(row)
}

/// The tests that failed, by the lines of Rust's harness, and the first line of what each said.
fn failed(text: &str) -> Vec<(String, String)> {
    let name = |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned);
    let said = |name: &str| {
        let behind = text.split_once(&format!("---- {name} stdout ----")).map_or("", |(_, behind)| behind);
        behind.lines().filter(|line| !line.trim().is_empty()).nth(1).unwrap_or_default().to_owned()
    };
    text.lines().filter_map(name).map(|name| (name.clone(), said(&name))).collect()
}

fn last(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_told_with_what_they_said() {
        let text = "test each_plays ... ok\ntest each_says ... FAILED\n\nfailures:\n\n---- each_says stdout ----\n\n\
                    thread 'each_says' panicked at x.rs:1:2:\nv2/gears: replay\nnote: more\n";
        assert_eq!(failed(text), [("each_says".to_owned(), "v2/gears: replay".to_owned())]);
        assert!(failed("test a ... ok\n").is_empty());
    }

    #[test]
    fn names_are_unlike_each_other() {
        for (at, variant) in VARIANTS.iter().enumerate() {
            assert!(VARIANTS[at + 1..].iter().all(|other| other.name != variant.name), "{}", variant.name);
        }
    }
}
