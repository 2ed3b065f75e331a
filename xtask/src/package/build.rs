//! Compiles what is packed, for release. No path of this machine is in the programs for Linux; what is built for Windows has some.

use super::{Options, cargo, folder};
use crate::{build_windows, setup};
use anyhow::{Context, Result, ensure};
use reprise_testing::artifact;
use std::path::{Path, PathBuf};

const PACKAGES: &[&str] = &["reprise", "reprise-capture", "reprise-runtime-library"];

/// Where what was built lies.
pub(super) struct Built {
    /// `reprise` and the libraries for native programs.
    pub(super) programs: PathBuf,
    /// Programs at the edge, by name.
    pub(super) edge: Vec<(&'static str, PathBuf)>,
    /// The folder that `cargo xtask build-windows` makes.
    pub(super) windows: Option<PathBuf>,
}

/// Builds everything, or takes it from the folder that was named.
pub(super) fn all(options: &Options) -> Result<Built> {
    let wanted: Vec<&'static str> = ["query", "inspect"].into_iter().filter(|part| options.with(part)).collect();
    let windows = options.with("windows").then(|| build_windows::build(false)).transpose()?;
    if let Some(folder) = &options.build {
        let edge = |part: &&'static str| (name(part), folder.join(name(part)));
        return Ok(Built { programs: folder.clone(), edge: wanted.iter().map(edge).collect(), windows });
    }
    let target = folder().join("build");
    compile(None, PACKAGES, &target.join("main"))?;
    let edge: Vec<&str> = wanted.iter().map(|part| name(part)).collect();
    if !edge.is_empty() {
        compile(Some("edge/Cargo.toml"), &edge, &target.join("edge"))?;
    }
    let place = |part: &&'static str| (name(part), target.join("edge/release").join(name(part)));
    Ok(Built { programs: target.join("main/release"), edge: wanted.iter().map(place).collect(), windows })
}

fn name(part: &str) -> &'static str {
    if part == "query" { "reprise-query" } else { "reprise-inspect" }
}

fn compile(manifest: Option<&str>, packages: &[&str], target: &Path) -> Result<()> {
    println!("package: cargo build --release ({})", packages.join(", "));
    let mut build = cargo::command();
    build
        .args(["build", "--quiet", "--release", "--locked"])
        .args(packages.iter().flat_map(|name| ["--package", name]));
    if let Some(manifest) = manifest {
        build.args(["--manifest-path", manifest]);
    }
    let (rust, cpp) = remapped()?;
    build
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_ENCODED_RUSTFLAGS", rust.join("\u{1f}"));
    build.env("CXXFLAGS_x86_64_unknown_linux_gnu", cpp.join(" "));
    let status = build.status().context("cannot run cargo")?;
    ensure!(status.success(), "{} cannot be built", packages.join(", "));
    Ok(())
}

/// Options for both compilers: paths of the workspace and of Cargo's folder become names that are the same everywhere.
fn remapped() -> Result<(Vec<String>, Vec<String>)> {
    let places = [(artifact::workspace().to_path_buf(), "/reprise"), (setup::tool::home()?, "/cargo")];
    let rust = places.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display())).collect();
    let cpp = places.iter().map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display())).collect();
    Ok((rust, cpp))
}
