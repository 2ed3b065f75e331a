//! The page of `reprise inspect`: its types, its build, its tests.
//!
//! Invariant: what is committed in `dist` is what a fresh build makes, byte for byte.

use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// All checks of the page. What they need is installed by `cargo xtask setup edge`.
pub(super) fn test() -> Result<()> {
    npm(&["ci"])?;
    npm(&["run", "check"])?;
    let fresh = artifact::workspace().join("target/edge/page");
    npm(&["run", "build", "--", "--outDir", &fresh.display().to_string(), "--emptyOutDir"])?;
    same(&folder().join("dist"), &fresh)?;
    npm(&["run", "unit"])?;
    npm(&["run", "browser"])
}

fn folder() -> PathBuf {
    artifact::workspace().join("edge/inspect/page")
}

fn npm(arguments: &[&str]) -> Result<()> {
    println!("edge: npm {}", arguments.join(" "));
    let status = Command::new("npm").args(arguments).current_dir(folder()).status();
    let status = status.context("cannot run npm (cargo xtask setup edge installs it)")?;
    ensure!(status.success(), "npm {} failed in {}", arguments.join(" "), folder().display());
    Ok(())
}

/// Fails unless two folders hold the same files.
fn same(committed: &Path, fresh: &Path) -> Result<()> {
    let (committed, fresh) = (files(committed)?, files(fresh)?);
    for name in committed.keys().chain(fresh.keys()) {
        ensure!(
            committed.get(name) == fresh.get(name),
            "{} of the committed page is not what its sources build: npm run build in {}, and commit dist",
            name.display(),
            folder().display()
        );
    }
    Ok(())
}

/// The bytes of all files below a folder, by their paths in it.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).with_context(|| next.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
                found.insert(path.strip_prefix(folder).unwrap_or(&path).to_owned(), bytes);
            }
        }
    }
    Ok(found)
}
