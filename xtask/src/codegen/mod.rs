//! `cargo xtask codegen [--check]`: the tables of the API model, from Windows metadata and `crates/d3d12/overlay*.toml`.
//!
//! Sources flow one way: [`metadata`] and [`overlay`] give declarations ([`ir`]), [`resolve`] gives them layouts and
//! meanings or says what is missing, [`emit`] writes them as Rust text.
//!
//! Invariant: the output depends on nothing but the pinned metadata and the overlay, so it can be compared byte by byte.

mod emit;
mod ir;
mod metadata;
mod overlay;
mod resolve;
#[cfg(test)]
mod tests;

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Runs `cargo xtask codegen` with the arguments after the task's name.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("usage: cargo xtask codegen [--check]"),
    };
    let folder = crate_folder().join("src/generated");
    let files = generate(&overlay_text()?)?;
    if check {
        let stale = stale(&folder, &files);
        if !stale.is_empty() {
            bail!("{} differ from what the sources give: run `cargo xtask codegen`", stale.join(", "));
        }
        return Ok(());
    }
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).with_context(|| folder.join(name).display().to_string())?;
    }
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    println!("{} files, {bytes} bytes", files.len());
    Ok(())
}

/// Files (by name) whose committed text differs.
fn stale(folder: &Path, files: &[(&'static str, String)]) -> Vec<String> {
    let differs =
        |(name, text): &&(&str, String)| std::fs::read_to_string(folder.join(name)).ok().as_ref() != Some(text);
    files.iter().filter(differs).map(|(name, _)| (*name).to_string()).collect()
}

fn crate_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/d3d12")
}

/// The overlay's text: one document in three files.
fn overlay_text() -> Result<String> {
    let mut text = String::new();
    for name in ["overlay.toml", "overlay-selects.toml", "overlay-additions.toml"] {
        let path = crate_folder().join(name);
        text += &std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    }
    Ok(text)
}

/// Makes all files, by name.
fn generate(overlay: &str) -> Result<Vec<(&'static str, String)>> {
    let overlay = overlay::Overlay::parse(overlay)?;
    let tables = resolve::Resolver::new(metadata::Metadata::open()?, &overlay).run()?;
    emit::files(&tables, &overlay)
}
