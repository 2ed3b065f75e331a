//! Programs without symbols, and their symbols apart, where debuggers look for them.

use super::tool;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Puts a program or library without symbols to `to`, and the symbols to `debug`, which `to` names. `installed` is where the program will
/// lie, from the root.
pub(super) fn split(from: &Path, to: &Path, debug: &Path, installed: &str) -> Result<()> {
    let symbols = debug.join(format!("{installed}.debug"));
    for path in [to, &symbols] {
        let folder = path.parent().context("no folder")?;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    tool(Command::new("objcopy").args(["--only-keep-debug", "--compress-debug-sections"]).arg(from).arg(&symbols))?;
    tool(Command::new("strip").arg("--strip-unneeded").arg("-o").arg(to).arg(from))?;
    // The link holds a name without folders, and a checksum of the file.
    tool(Command::new("objcopy").arg(format!("--add-gnu-debuglink={}", symbols.display())).arg(to))
}
