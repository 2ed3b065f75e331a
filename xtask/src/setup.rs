//! `cargo xtask setup`: brings the machine (Debian 12) to where everything builds and runs.
//!
//! Invariant: says each thing before it does it, and does nothing when nothing is missing.

mod apt;

use anyhow::{Context, Result, bail};
use std::process::Command;

/// Packages of Debian 12 itself: name, and what it is for.
const PACKAGES: &[(&str, &str)] = &[
    ("vkd3d-demos", "the programs that the demo and the tests capture"),
    ("libvkd3d1", "the Direct3D 12 runtime they use"),
    ("libvkd3d-utils1", "its exported functions"),
    ("libvkd3d-dev", "its headers, for layout checks"),
    ("xvfb", "displays for tests"),
    ("vulkan-tools", "vulkaninfo, to name the adapter"),
    ("libvulkan-dev", "Vulkan headers, for layout checks"),
    ("libxcb1-dev", "X headers, for a test program that presents"),
    ("gcc", "layout checks against a C compiler's view"),
    ("g++", "layout checks against a C++ compiler's view"),
    ("cmake", "the build of the shader translator"),
    ("make", "the same"),
    ("libclang-14-dev", "its bindings, made when it is built"),
    ("spirv-tools", "spirv-val, to check what is translated"),
    ("vulkan-validationlayers", "the validation of what our runtime asks of Vulkan"),
    ("librenderdoc", "RenderDoc's library, to capture a frame of a replay"),
    ("renderdoccmd", "to look at what it captured"),
    ("gdb", "stops of a replay in a debugger, and the stacks of what hangs in tests"),
    ("gcc-mingw-w64-x86-64", "the Windows target"),
    ("wine64", "the Windows target's tests"),
];

/// Packages that must come from bookworm-backports, with the oldest version that will do.
const BACKPORTS: &[(&str, &str, &str)] = &[
    ("mesa-vulkan-drivers", "24", "lavapipe: bookworm's own (22.3) is too old"),
    ("directx-headers-dev", "1.610", "Direct3D 12 headers, for layout checks"),
];

const RUST_TARGET: &str = "x86_64-pc-windows-gnu";

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if let Some(other) = arguments.first() {
        bail!("setup takes no options (got {other:?})");
    }
    packages()?;
    rust_target()
}

fn packages() -> Result<()> {
    let installed = apt::installed()?;
    let plain = PACKAGES.iter().filter(|(name, _)| !installed.contains_key(*name));
    let plain: Vec<(&str, &str)> = plain.copied().collect();
    let late: Vec<_> = BACKPORTS
        .iter()
        .filter(|(name, oldest, _)| installed.get(*name).is_none_or(|version| !apt::at_least(version, oldest)))
        .copied()
        .collect();
    if plain.is_empty() && late.is_empty() {
        println!("setup: all {} Debian packages are installed", PACKAGES.len() + BACKPORTS.len());
        return Ok(());
    }
    apt::check_distribution()?;
    for (name, reason) in &plain {
        println!("setup: missing {name}: {reason}");
    }
    for (name, oldest, reason) in &late {
        println!("setup: missing {name} {oldest} or newer (bookworm-backports): {reason}");
    }
    let root = apt::Root::find()?;
    if !late.is_empty() {
        apt::enable_backports(&root)?;
    }
    apt::update(&root)?;
    if !plain.is_empty() {
        apt::install(&root, None, &plain.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    }
    if !late.is_empty() {
        apt::install(&root, Some("bookworm-backports"), &late.iter().map(|(name, ..)| *name).collect::<Vec<_>>())?;
    }
    Ok(())
}

fn rust_target() -> Result<()> {
    // Rust from a distribution has no rustup; then the compiler itself says whether it has the target's library.
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", RUST_TARGET]).output();
    let library = library.context("cannot run rustc")?;
    if std::path::Path::new(String::from_utf8_lossy(&library.stdout).trim()).is_dir() {
        println!("setup: the Rust target {RUST_TARGET} is installed");
        return Ok(());
    }
    println!("setup: rustup target add {RUST_TARGET}");
    let status = Command::new("rustup").args(["target", "add", RUST_TARGET]).status();
    let status = status.with_context(|| format!("cannot run rustup to add the target {RUST_TARGET}"))?;
    anyhow::ensure!(status.success(), "rustup could not add the target {RUST_TARGET}");
    Ok(())
}
