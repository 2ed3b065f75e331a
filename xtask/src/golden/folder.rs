//! The folder of a set of golden traces: traces, what each must say, the list of them for the tests, and the README for people.

use super::recipe::{Recipe, Replay};
use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All sets together may take this much of the repository, in bytes.
const MOST: u64 = 2_000_000;
/// zstd's highest level without long windows: files that are written once.
const LEVEL: i32 = 19;

/// What the build that recorded a trace says of it.
pub(super) struct Said {
    /// `reprise info --json`.
    pub(super) info: String,
    /// `reprise dump --json`.
    pub(super) dump: String,
    /// The exit code of both: 3 where the trace is damaged.
    pub(super) exit: i32,
}

/// A set under way.
pub(super) struct Folder {
    place: PathBuf,
    traces: Vec<Json>,
    readme: String,
}

impl Folder {
    pub(super) fn make(place: PathBuf) -> Result<Folder> {
        std::fs::create_dir_all(&place).with_context(|| format!("cannot make {}", place.display()))?;
        Ok(Folder { place, traces: Vec::new(), readme: String::new() })
    }

    /// Takes a trace, its rings if it has any, and what this build says of it.
    pub(super) fn add(&mut self, recipe: &Recipe, command: &str, trace: &Path, said: &Said) -> Result<()> {
        let name = recipe.name;
        let file = |suffix: &str| self.place.join(format!("{name}{suffix}"));
        let rings = trace.with_extension("reprise.rings");
        let has_rings = rings.is_dir();
        if has_rings {
            keep_rings(&rings, &file(".session"))?;
        }
        std::fs::copy(trace, file(".reprise")).with_context(|| format!("cannot copy {}", trace.display()))?;
        for (suffix, said) in [(".info.zst", &said.info), (".dump.zst", &said.dump)] {
            std::fs::write(file(suffix), zstd::encode_all(said.as_bytes(), LEVEL)?)?;
        }
        let (replay, verify, played) = match &recipe.replay {
            Replay::Verified => (json!("ours"), true, "replayed and verified on our runtime"),
            Replay::Ours => (json!("ours"), false, "replayed on our runtime"),
            Replay::Vkd3d => (json!("ours"), true, "replayed on our runtime, verified on libvkd3d"),
            Replay::Null => (json!("null-win64"), false, "replayed on the null runtime"),
            Replay::Never(reason) => (Json::Null, false, *reason),
        };
        self.traces.push(json!({
            "name": name, "rings": has_rings, "exit": said.exit, "replay": replay, "verify": verify,
        }));
        let bytes = std::fs::metadata(file(".reprise"))?.len();
        writeln!(self.readme, "| `{name}` | {bytes} | {} | `{command}` | {played} |", recipe.what)?;
        Ok(())
    }

    /// Writes the list and the README, and says how much of the repository all sets take.
    pub(super) fn finish(self) -> Result<()> {
        let list = format!("{:#}\n", json!({"commit": commit()?, "traces": self.traces}));
        std::fs::write(self.place.join("traces.json"), list)?;
        let name = self.place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = format!(
            "# Golden traces: {name}\n\n\
             Recorded by `cargo xtask golden {name}` with the build of commit {}. They are never recorded again: later builds \
             read and replay them as they are (`crates/cli/tests/golden/main.rs`). Beside each trace lie what `reprise info --json` \
             and `reprise dump --json` of that build say of it (as zstd), and the rings of a trace whose writer was \
             killed (each file as zstd).\n\n\
             | name | bytes | what it has | command | later builds |\n|---|---|---|---|---|\n{}",
            commit()?,
            self.readme
        );
        std::fs::write(self.place.join("README.md"), text)?;
        let sets = self.place.parent().unwrap_or(&self.place);
        let bytes = size(sets)?;
        println!("golden: {} traces in {}; all sets take {bytes} bytes", self.traces.len(), self.place.display());
        ensure!(bytes <= MOST, "all sets take {bytes} bytes, {MOST} are allowed");
        Ok(())
    }
}

/// Each file of a session folder, compressed: rings are mostly empty.
fn keep_rings(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let content = std::fs::read(entry.path())?;
        let name = format!("{}.zst", entry.file_name().to_string_lossy());
        std::fs::write(to.join(name), zstd::encode_all(content.as_slice(), LEVEL)?)?;
    }
    Ok(())
}

fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

/// The last commit of the product's crates: what the build was made of, provided that nothing is changed.
fn commit() -> Result<String> {
    let mut command = Command::new("git");
    command.current_dir(artifact::workspace()).args(["log", "-1", "--format=%H", "--"]);
    command.args([":(glob)crates/*/src/**", ":(exclude)crates/testing"]);
    let output = command.output().context("cannot run git")?;
    ensure!(output.status.success(), "git does not say which commit this is");
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
