//! HLSL that edits name, compiled by Microsoft's own compiler where the user has it: the program `dxc`, which comes with the library that
//! [`dxc`](super::dxc) disassembles by. A program of its own, because a compiler may die of what it is given.

use super::dxc;
use anyhow::{Context, ensure};
use reprise_edit::Source;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = if cfg!(windows) { "dxc.exe" } else { "dxc" };

/// The container of a function.
///
/// # Errors
/// There is no compiler, or it refuses the file: what it says.
pub(crate) fn compile(file: &Path, source: Source<'_>) -> anyhow::Result<Vec<u8>> {
    ensure!(file.is_file(), "{} cannot be read: there is no such file", file.display());
    let folder = tempfile::tempdir().context("no temporary folder for the compiler")?;
    let output = folder.path().join("shader.dxil");
    let (stage, entry) = (source.stage.to_ascii_lowercase(), source.entry);
    // Mesh shaders are of a later model than the others.
    let model = if matches!(source.stage, "MS" | "AS") { "6_5" } else { "6_0" };
    let program = program();
    let ran = Command::new(&program)
        .args(["-nologo", "-T", &format!("{stage}_{model}"), "-E", entry, "-Fo"])
        .args([&output, file])
        .output()
        .with_context(|| {
            format!(
                "{} is HLSL, and its compiler {} cannot be run; it comes with releases of DirectXShaderCompiler, beside the library that \
                 REPRISE_DXCOMPILER names or on the path. A compiled shader (DXIL, DXBC) needs none",
                file.display(),
                program.display()
            )
        })?;
    let says = String::from_utf8_lossy(&ran.stderr);
    ensure!(ran.status.success(), "{}: {} says ({}): {}", file.display(), program.display(), ran.status, says.trim());
    std::fs::read(&output).with_context(|| format!("{} wrote no shader of {}", program.display(), file.display()))
}

/// Beside the library, in the folder for programs beside the library's, or wherever the path has it.
fn program() -> PathBuf {
    let library = dxc::library();
    let folder = library.parent().filter(|folder| !folder.as_os_str().is_empty());
    let places = folder.into_iter().flat_map(|folder| [folder.join(PROGRAM), folder.join("../bin").join(PROGRAM)]);
    places.into_iter().find(|place| place.is_file()).unwrap_or_else(|| PROGRAM.into())
}
