//! Debian packages, by cargo-deb: what each is lies in `[package.metadata.deb]` of its crate.

use super::stage::Stage;
use super::{tool, version};
use crate::setup::tool::CARGO_DEB;
use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packs each stage, its symbols, and what else is laid for it; gives the packages without symbols.
pub(super) fn all(stages: &[Stage], files: &Path, epoch: u64, fast: bool) -> Result<Vec<PathBuf>> {
    let mut installed = Vec::new();
    for stage in stages {
        installed.push(pack(stage, stage.name, None, files, epoch, fast)?);
        pack(stage, &format!("{}-dbgsym", stage.name), Some("dbgsym"), files, epoch, fast)?;
        for (variant, _) in &stage.further {
            installed.push(pack(stage, &format!("reprise-{variant}"), Some(variant), files, epoch, fast)?);
        }
    }
    Ok(installed)
}

fn pack(stage: &Stage, name: &str, variant: Option<&str>, files: &Path, epoch: u64, fast: bool) -> Result<PathBuf> {
    let file = files.join(format!("{name}_{}-1_amd64.deb", version()));
    println!("package: cargo deb ({name})");
    let mut deb = Command::new(CARGO_DEB.program()?);
    deb.current_dir(artifact::workspace()).env("SOURCE_DATE_EPOCH", epoch.to_string());
    deb.args(["--no-build", "--no-strip", "--no-dbgsym", "--quiet", "--manifest-path", stage.manifest, "--output"])
        .arg(&file);
    if let Some(variant) = variant {
        deb.args(["--variant", variant]);
    }
    // The tool is built without optimisation; the system's compressors are.
    deb.args(["--compress-system", "--compress-type", if fast { "gz" } else { "xz" }]);
    if fast {
        deb.arg("--fast");
    }
    tool(&mut deb)?;
    fs::metadata(&file).with_context(|| file.display().to_string())?;
    Ok(file)
}
