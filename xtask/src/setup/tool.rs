//! Tools of crates.io that single tasks need: pinned, built once, and kept beside what cargo itself keeps, so that fresh clones find them.
//!
//! Invariant: a tool that is there was built whole, of the stated version.

use crate::cargo;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};

/// A program of crates.io.
pub(crate) struct Tool {
    /// The crate, and the program that it makes.
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// Options for `cargo install`.
    pub(crate) options: &'static [&'static str],
}

/// Makes the manual's pages (`cargo xtask manual --book`). Without its server.
pub(crate) const MDBOOK: Tool =
    Tool { name: "mdbook", version: "0.5.4", options: &["--no-default-features", "--features", "search"] };
/// Makes Debian packages (`cargo xtask package`). Without liblzma.
pub(crate) const CARGO_DEB: Tool = Tool { name: "cargo-deb", version: "3.8.0", options: &["--no-default-features"] };
/// Lists what a program consists of (`cargo xtask package`).
pub(crate) const CARGO_CYCLONEDX: Tool = Tool { name: "cargo-cyclonedx", version: "0.5.9", options: &[] };

impl Tool {
    /// The program, built if it is not there.
    pub(crate) fn program(&self) -> Result<PathBuf> {
        let folder = self.folder()?;
        let program = folder.join("bin").join(self.name);
        if !program.is_file() {
            println!("setup: cargo install {}@{} (some minutes, once)", self.name, self.version);
            self.install(&folder)?;
        }
        Ok(program)
    }

    /// Where it is kept.
    pub(crate) fn folder(&self) -> Result<PathBuf> {
        Ok(home()?.join("reprise-tools").join(format!("{}-{}", self.name, self.version)))
    }

    /// Builds it into a folder.
    pub(crate) fn install(&self, folder: &Path) -> Result<()> {
        let mut install = cargo::command();
        install.args(["install", "--quiet", "--locked", "--debug"]).args(self.options).arg("--root").arg(folder);
        // Not among the workspace's own artefacts.
        install.env_remove("CARGO_TARGET_DIR").arg(format!("{}@{}", self.name, self.version));
        let status = install.status().context("cannot run cargo install")?;
        ensure!(status.success(), "{} {} cannot be built", self.name, self.version);
        Ok(())
    }
}

/// Cargo's own folder.
pub(crate) fn home() -> Result<PathBuf> {
    let stated = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let usual = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
    stated.or_else(usual).context("neither CARGO_HOME nor HOME is set: Cargo has no folder")
}
