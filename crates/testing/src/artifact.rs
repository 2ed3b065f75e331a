//! What this workspace builds and tests need as a file: the capture library and the runtime.

use anyhow::{Context, Result, ensure};
use reprise_environment::{command, runtime};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Stated by `cargo xtask test`, which builds the whole workspace first: what Cargo left then is taken as it is. Cargo would choose
/// other features of dependencies for one package alone than for all, and build most of the workspace twice.
pub const BUILT: &str = "REPRISE_TESTS_BUILT";

/// A variable and its value: heaps of our runtime have room for 16,384 views. Lavapipe fills the room of a million with zeros, 764 MB in
/// each process, whatever size a heap has.
pub const FEW_VIEWS: (&str, &str) = (runtime::HEAP_VIEWS, "16384");

/// The folder of the workspace.
pub fn workspace() -> &'static Path {
    // This crate lies two folders below it.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).unwrap_or(Path::new("."))
}

/// Where Cargo leaves what it builds for tests.
pub fn target() -> PathBuf {
    // A test's program lies in `TARGET/debug/deps`.
    let program = std::env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new("."));
    if folder.ends_with("deps") { folder.parent().unwrap_or(folder).to_path_buf() } else { folder.to_path_buf() }
}

/// The capture library as a file: `REPRISE_CAPTURE_LIBRARY`, or built on the first call, because Cargo builds no shared
/// library for the tests of another crate.
///
/// # Errors
/// When it does not build.
pub fn capture_library() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    if let Some(path) = std::env::var_os(command::CAPTURE_LIBRARY) {
        return Ok(path.into());
    }
    BUILT
        .get_or_init(|| build("reprise-capture", "libreprise_capture.so").map_err(|error| format!("{error:#}")))
        .clone()
        .map_err(anyhow::Error::msg)
}

/// Our Direct3D 12 runtime as a file: `REPRISE_RUNTIME_LIBRARY`, or built on the first call.
///
/// # Errors
/// When it does not build.
pub fn runtime_library() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    if let Some(path) = std::env::var_os(command::RUNTIME_LIBRARY) {
        return Ok(path.into());
    }
    BUILT
        .get_or_init(|| build("reprise-runtime-library", "libreprise_d3d12.so").map_err(|error| format!("{error:#}")))
        .clone()
        .map_err(anyhow::Error::msg)
}

/// The null runtime whose convention is win64, built on the first call.
///
/// # Errors
/// When it does not build.
pub fn null_library() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || build("reprise-null-win64", "libreprise_null_win64.so").map_err(|error| format!("{error:#}"));
    BUILT.get_or_init(build).clone().map_err(anyhow::Error::msg)
}

/// The null runtime whose convention is that of Linux, built on the first call.
///
/// # Errors
/// When it does not build.
pub fn null_sysv_library() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || build("reprise-null-sysv", "libreprise_null_sysv.so").map_err(|error| format!("{error:#}"));
    BUILT.get_or_init(build).clone().map_err(anyhow::Error::msg)
}

/// The null runtime whose convention is that of C++ for Linux, built on the first call.
///
/// # Errors
/// When it does not build.
pub fn null_itanium_library() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || build("reprise-null-itanium", "libreprise_null_itanium.so").map_err(|error| format!("{error:#}"));
    BUILT.get_or_init(build).clone().map_err(anyhow::Error::msg)
}

/// The Vulkan layer that reorders commands, built on the first call.
///
/// # Errors
/// When it does not build.
pub fn reorder_layer() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || build("reprise-reorder", "libreprise_reorder.so").map_err(|error| format!("{error:#}"));
    BUILT.get_or_init(build).clone().map_err(anyhow::Error::msg)
}

/// The Vulkan layer that offers counters, built on the first call.
///
/// # Errors
/// When it does not build.
pub fn counting_layer() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || build("reprise-counting", "libreprise_counting.so").map_err(|error| format!("{error:#}"));
    BUILT.get_or_init(build).clone().map_err(anyhow::Error::msg)
}

/// Our Direct3D 12 test programs: `REPRISE_PROGRAMS`, or built on the first call.
///
/// # Errors
/// When they do not build.
pub fn programs() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    if let Some(path) = std::env::var_os(command::PROGRAMS) {
        return Ok(path.into());
    }
    BUILT
        .get_or_init(|| build("reprise-programs", "reprise-programs").map_err(|error| format!("{error:#}")))
        .clone()
        .map_err(anyhow::Error::msg)
}

fn build(package: &str, file: &str) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let folder = target();
    let built = folder.join(file);
    if std::env::var_os(BUILT).is_some() && built.is_file() {
        return Ok(built);
    }
    let profile = if folder.ends_with("release") { "release" } else { "dev" };
    let output = Command::new(cargo)
        .current_dir(workspace())
        .args(["build", "--quiet", "--package", package, "--profile", profile])
        .arg("--target-dir")
        .arg(folder.parent().unwrap_or(&folder))
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "{package} does not build:\n{}", String::from_utf8_lossy(&output.stderr));
    ensure!(built.is_file(), "{} was not built", built.display());
    Ok(built)
}
