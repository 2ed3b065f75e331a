//! What the programs consist of: a list of all crates with versions, licences and hashes, in CycloneDX's JSON.

use super::{Options, tool};
use crate::setup::tool::CARGO_CYCLONEDX;
use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Crates, and the names of their lists.
const CRATES: [(&str, &str); 3] =
    [("crates/cli", "reprise"), ("edge/query", "reprise-query"), ("edge/inspect", "reprise-inspect")];

/// Writes a list for each program that is packed.
pub(super) fn write(options: &Options, files: &Path, epoch: u64) -> Result<()> {
    let packed = |name: &str| name.strip_prefix("reprise-").is_none_or(|part| options.with(part));
    for (folder, name) in CRATES.into_iter().filter(|(_, name)| packed(name)) {
        println!("package: {name}.cdx.json");
        let name = format!("{name}.cdx");
        let folder = artifact::workspace().join(folder);
        // It is written beside the manifest of each crate of the workspace; only ours is asked for, and none stays.
        let mut ask = Command::new(CARGO_CYCLONEDX.program()?);
        ask.args([
            "cyclonedx",
            "--quiet",
            "--format",
            "json",
            "--spec-version",
            "1.5",
            "--target",
            "x86_64-unknown-linux-gnu",
        ]);
        ask.args(["--override-filename", &name, "--manifest-path"]).arg(folder.join("Cargo.toml"));
        ask.env("SOURCE_DATE_EPOCH", epoch.to_string()).current_dir(artifact::workspace());
        tool(&mut ask)?;
        let made = folder.join(format!("{name}.json"));
        // Crates of the workspace are named by their folders: these are the same everywhere, as in the programs.
        let workspace = artifact::workspace().display().to_string();
        let list =
            fs::read_to_string(&made).with_context(|| made.display().to_string())?.replace(&workspace, "/reprise");
        fs::write(files.join(format!("{name}.json")), list).with_context(|| files.display().to_string())?;
        tidy(artifact::workspace(), &format!("{name}.json"))?;
    }
    Ok(())
}

/// Removes the lists of other crates of a workspace.
fn tidy(root: &Path, name: &str) -> Result<()> {
    for parent in ["crates", "crates/null", "edge", "."] {
        let Ok(entries) = fs::read_dir(root.join(parent)) else { continue };
        for entry in entries {
            let path = entry?.path().join(name);
            if path.is_file() {
                fs::remove_file(&path).with_context(|| path.display().to_string())?;
            }
        }
    }
    Ok(())
}
