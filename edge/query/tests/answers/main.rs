//! The program, asked. What it must answer is counted in another way: in dumps of another build, from events, by `reprise` itself.
#![allow(clippy::unwrap_used)]

mod contents;
#[path = "../../../../crates/testing/src/counting.rs"]
#[allow(unreachable_pub)] // It is public for tests of the other workspace.
mod counting;
mod counts;
mod damage;
mod draws;
mod driver_counters;
mod dump;
mod errors;
mod output;
mod questions;
#[path = "../../../../crates/timeline/tests/common/mod.rs"]
#[allow(unsafe_code)] // The encoder reads native arguments.
mod script;
mod timings;
mod uses;
mod written;

use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where `reprise` is, which `cargo xtask edge test` builds first.
fn programs() -> PathBuf {
    root().join("target/debug")
}

fn golden(name: &str) -> PathBuf {
    root().join("crates/cli/tests/golden/v2").join(name).with_extension("reprise")
}

/// What [`counting`] needs of the build: `cargo xtask edge test` builds the layer, too.
mod artifact {
    pub(crate) fn counting_layer() -> anyhow::Result<std::path::PathBuf> {
        Ok(crate::programs().join("libreprise_counting.so").canonicalize()?)
    }
}

/// The program with a cache of its own.
fn program() -> Command {
    let cache = std::env::temp_dir().join("reprise-query-tests");
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise-query"));
    command.env("XDG_CACHE_HOME", cache);
    command
}

fn run(arguments: &[&str]) -> Output {
    program().args(arguments).output().unwrap()
}

/// The rows of an answer.
fn ask(trace: &Path, sql: &str) -> Vec<Json> {
    answer(program().args(["--format", "json"]).arg(trace).arg(sql))
}

/// The rows that a program prints as lines of JSON.
#[track_caller]
fn answer(command: &mut Command) -> Vec<Json> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The questions of the document.
fn questions() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/query.md")).unwrap();
    let blocks = text.split("```sql\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap().to_owned()).collect()
}
